-- Where a memory that was worked with stood in its recall, and where it would have stood without a leg: NULL, it would
-- not have been given; both NULL, the receipt cannot tell. Worked out from receipts, once; by what panels sum it stands
-- beside, as the event of the recall has it.
CREATE TABLE leg_lifts (
  namespace TEXT NOT NULL,
  leg TEXT NOT NULL,
  recall_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  rank_with INTEGER,
  rank_without INTEGER,
  day TEXT NOT NULL,
  agent TEXT,
  class TEXT NOT NULL,
  mode TEXT NOT NULL,
  surface TEXT NOT NULL,
  PRIMARY KEY (namespace, leg, recall_id, memory_id)
) WITHOUT ROWID;

-- What is still to be worked out.
CREATE TABLE lifts_due (
  namespace TEXT NOT NULL,
  recall_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  PRIMARY KEY (namespace, recall_id, memory_id)
) WITHOUT ROWID;

CREATE TRIGGER lift_due AFTER INSERT ON citations
WHEN EXISTS (SELECT 1 FROM citation_kinds WHERE kind = NEW.kind AND favourable)
  AND NOT EXISTS (
    SELECT 1 FROM leg_lifts WHERE namespace = NEW.namespace AND leg IN ('graph', 'temporal', 'renew')
      AND recall_id = NEW.recall_id AND memory_id = NEW.memory_id
  )
BEGIN
  INSERT OR IGNORE INTO lifts_due VALUES (NEW.namespace, NEW.recall_id, NEW.memory_id);
END;
CREATE TRIGGER lift_gone AFTER DELETE ON citations
WHEN NOT EXISTS (
  SELECT 1 FROM citations JOIN citation_kinds USING (kind)
  WHERE recall_id = OLD.recall_id AND memory_id = OLD.memory_id AND favourable
)
BEGIN
  DELETE FROM leg_lifts WHERE namespace = OLD.namespace AND leg IN ('graph', 'temporal', 'renew')
    AND recall_id = OLD.recall_id AND memory_id = OLD.memory_id;
  DELETE FROM lifts_due WHERE namespace = OLD.namespace AND recall_id = OLD.recall_id AND memory_id = OLD.memory_id;
END;
CREATE TRIGGER lifts_go BEFORE DELETE ON recall_events BEGIN
  DELETE FROM leg_lifts WHERE namespace = OLD.namespace AND leg IN ('graph', 'temporal', 'renew')
    AND recall_id = OLD.recall_id;
  DELETE FROM lifts_due WHERE namespace = OLD.namespace AND recall_id = OLD.recall_id;
END;

CREATE VIEW lifted AS
SELECT namespace, day, agent, class, mode, surface, leg, recall_id, memory_id AS memory, 1 AS cited,
  coalesce(rank_without > rank_with, 0) AS raised, coalesce(rank_without < rank_with, 0) AS lowered,
  rank_without IS NULL AND rank_with IS NOT NULL AS brought, coalesce(rank_without - rank_with, 0) AS places,
  rank_with IS NULL AS unknown
FROM leg_lifts;

CREATE VIEW panel_graph_lift AS SELECT * FROM lifted WHERE leg = 'graph';

CREATE VIEW panel_temporal_lift AS SELECT * FROM lifted WHERE leg IN ('temporal', 'renew');
