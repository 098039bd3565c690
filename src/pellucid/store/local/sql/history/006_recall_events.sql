-- One event a recall, whatever came of it, without a word of the question: that stands in queries, and which memories
-- were given in receipts.served. legs: {"name": {"weight": …, "health": …, "found": …}}. What became of the memories
-- (hit, stale, spared) is written by the triggers of citations alone.
CREATE TABLE recall_events (
  recall_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session_id TEXT,
  agent TEXT,
  surface TEXT NOT NULL,
  query_class TEXT NOT NULL,
  depth TEXT NOT NULL,
  outcome TEXT NOT NULL,
  found INTEGER NOT NULL,
  selected INTEGER NOT NULL,
  payload_bytes INTEGER NOT NULL,
  payload_tokens INTEGER NOT NULL,
  millis REAL NOT NULL,
  degraded INTEGER NOT NULL,
  legs TEXT NOT NULL,
  hit INTEGER NOT NULL DEFAULT 0,
  stale INTEGER NOT NULL DEFAULT 0,
  spared INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX recall_events_of_namespace ON recall_events(namespace, at);

-- What a citation of each kind says: it was worked with; it no longer held as it stood; it spared work.
CREATE TABLE citation_kinds (
  kind TEXT PRIMARY KEY,
  favourable INTEGER NOT NULL,
  stale INTEGER NOT NULL,
  spared INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO citation_kinds (kind, favourable, stale, spared) VALUES
  ('cited', 1, 0, 0), ('used', 1, 0, 0), ('saved_rework', 1, 0, 1), ('rewrote', 1, 1, 0), ('good', 1, 0, 0),
  ('dismissed', 0, 0, 0), ('flagged_stale', 0, 1, 0), ('bad', 0, 0, 0);

CREATE TRIGGER citation_made AFTER INSERT ON citations BEGIN
  UPDATE recall_events SET (hit, stale, spared) = (SELECT hit, stale, spared FROM cited WHERE recall_id = NEW.recall_id)
  WHERE recall_id = NEW.recall_id;
END;
CREATE TRIGGER citation_gone AFTER DELETE ON citations BEGIN
  UPDATE recall_events SET (hit, stale, spared) = (SELECT hit, stale, spared FROM cited WHERE recall_id = OLD.recall_id)
  WHERE recall_id = OLD.recall_id;
END;

-- What the citations of a recall say: whether one of its memories was worked with, how many no longer held, how many
-- times work was spared.
CREATE VIEW cited AS
SELECT recall_id,
  EXISTS (SELECT 1 FROM citations AS c JOIN citation_kinds USING (kind) WHERE c.recall_id = e.recall_id AND favourable)
    AS hit,
  (SELECT count(DISTINCT memory_id) FROM citations AS c JOIN citation_kinds AS k USING (kind)
    WHERE c.recall_id = e.recall_id AND k.stale) AS stale,
  (SELECT count(*) FROM citations AS c JOIN citation_kinds AS k USING (kind)
    WHERE c.recall_id = e.recall_id AND k.spared) AS spared
FROM recall_events AS e;

-- The sums of a day (UTC), by which a million events are counted in a moment. Triggers alone write them, as events come,
-- change and go, so that they are always what a count of the events would give. No agent is ''.
CREATE TABLE recall_days (
  namespace TEXT NOT NULL,
  day TEXT NOT NULL,
  agent TEXT NOT NULL,
  query_class TEXT NOT NULL,
  depth TEXT NOT NULL,
  surface TEXT NOT NULL,
  recalls INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  empty INTEGER NOT NULL,
  gated INTEGER NOT NULL,
  abstained INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  degraded INTEGER NOT NULL,
  served INTEGER NOT NULL,
  payload_bytes INTEGER NOT NULL,
  payload_tokens INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  stale INTEGER NOT NULL,
  spared INTEGER NOT NULL,
  PRIMARY KEY (namespace, day, agent, query_class, depth, surface)
) WITHOUT ROWID;

-- The same of the recalls in which a leg found something; that of a sub-question (vector@2) is the leg itself.
CREATE TABLE leg_days (
  namespace TEXT NOT NULL,
  day TEXT NOT NULL,
  leg TEXT NOT NULL,
  recalls INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  hits INTEGER NOT NULL,
  PRIMARY KEY (namespace, day, leg)
) WITHOUT ROWID;

-- How often each memory was served, and on which day (UTC) last.
CREATE TABLE served_memories (
  namespace TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  served INTEGER NOT NULL,
  last_day TEXT NOT NULL,
  PRIMARY KEY (namespace, memory_id)
) WITHOUT ROWID;

-- An event with what it weighs in the sums: what is inserted here, with 1 or -1, is added or taken off.
CREATE VIEW weighed AS SELECT 0 AS weight, date(at / 1000, 'unixepoch') AS day, * FROM recall_events;

CREATE TRIGGER event_weighed INSTEAD OF INSERT ON weighed BEGIN
  INSERT INTO recall_days VALUES (
    NEW.namespace, NEW.day, coalesce(NEW.agent, ''), NEW.query_class, NEW.depth, NEW.surface,
    NEW.weight, NEW.weight * (NEW.outcome = 'answered'), NEW.weight * (NEW.outcome = 'empty'),
    NEW.weight * (NEW.outcome = 'gated'), NEW.weight * (NEW.outcome = 'abstained'),
    NEW.weight * (NEW.outcome = 'failed'), NEW.weight * NEW.degraded, NEW.weight * NEW.selected,
    NEW.weight * NEW.payload_bytes, NEW.weight * NEW.payload_tokens, NEW.weight * NEW.hit, NEW.weight * NEW.stale,
    NEW.weight * NEW.spared
  ) ON CONFLICT DO UPDATE SET
    recalls = recalls + excluded.recalls, answered = answered + excluded.answered, empty = empty + excluded.empty,
    gated = gated + excluded.gated, abstained = abstained + excluded.abstained, failed = failed + excluded.failed,
    degraded = degraded + excluded.degraded, served = served + excluded.served,
    payload_bytes = payload_bytes + excluded.payload_bytes, payload_tokens = payload_tokens + excluded.payload_tokens,
    hits = hits + excluded.hits, stale = stale + excluded.stale, spared = spared + excluded.spared;
  INSERT INTO leg_days
  SELECT DISTINCT NEW.namespace, NEW.day, substr(each.key, 1, instr(each.key || '@', '@') - 1), NEW.weight,
    NEW.weight * (NEW.outcome = 'answered'), NEW.weight * NEW.hit
  FROM json_each(NEW.legs) AS each WHERE each.value ->> 'found' > 0
  ON CONFLICT DO UPDATE SET
    recalls = recalls + excluded.recalls, answered = answered + excluded.answered, hits = hits + excluded.hits;
  DELETE FROM recall_days WHERE NEW.weight < 0 AND namespace = NEW.namespace AND day = NEW.day AND recalls = 0;
  DELETE FROM leg_days WHERE NEW.weight < 0 AND namespace = NEW.namespace AND day = NEW.day AND recalls = 0;
END;

CREATE TRIGGER event_kept AFTER INSERT ON recall_events BEGIN
  INSERT INTO weighed SELECT 1, date(at / 1000, 'unixepoch'), * FROM recall_events WHERE recall_id = NEW.recall_id;
END;
CREATE TRIGGER event_changes BEFORE UPDATE ON recall_events BEGIN
  INSERT INTO weighed SELECT -1, date(at / 1000, 'unixepoch'), * FROM recall_events WHERE recall_id = OLD.recall_id;
END;
CREATE TRIGGER event_changed AFTER UPDATE ON recall_events BEGIN
  INSERT INTO weighed SELECT 1, date(at / 1000, 'unixepoch'), * FROM recall_events WHERE recall_id = NEW.recall_id;
END;
CREATE TRIGGER event_goes BEFORE DELETE ON recall_events BEGIN
  INSERT INTO weighed SELECT -1, date(at / 1000, 'unixepoch'), * FROM recall_events WHERE recall_id = OLD.recall_id;
END;

CREATE TRIGGER receipt_kept AFTER INSERT ON receipts BEGIN
  INSERT INTO served_memories
  SELECT NEW.namespace, value ->> 0, 1, date(NEW.at / 1000, 'unixepoch') FROM json_each(NEW.served) WHERE true
  ON CONFLICT DO UPDATE SET served = served + 1, last_day = max(last_day, excluded.last_day);
END;
CREATE TRIGGER receipt_goes BEFORE DELETE ON receipts BEGIN
  UPDATE served_memories SET served = served - 1
  WHERE namespace = OLD.namespace AND memory_id IN (SELECT value ->> 0 FROM json_each(OLD.served));
  DELETE FROM served_memories WHERE served = 0 AND namespace = OLD.namespace
    AND memory_id IN (SELECT value ->> 0 FROM json_each(OLD.served));
END;
INSERT INTO served_memories
SELECT namespace, value ->> 0, count(*), date(max(at) / 1000, 'unixepoch') FROM receipts, json_each(served)
GROUP BY 1, 2;

-- The panels. Each row counts: who reads one sums it by whichever of its first columns is wanted, and divides.
-- docs/telemetry.md says what each answers.
CREATE VIEW panel_hit_rate AS
SELECT namespace, day, nullif(agent, '') AS agent, query_class AS class, depth AS mode, surface, recalls,
  answered AS gave, hits
FROM recall_days;

CREATE VIEW panel_hit_rate_by_leg AS
SELECT namespace, day, leg, recalls, answered AS gave, hits FROM leg_days;

CREATE VIEW panel_stale_rate AS
SELECT namespace, day, nullif(agent, '') AS agent, query_class AS class, depth AS mode, surface, served, stale
FROM recall_days;

CREATE VIEW panel_tokens AS
SELECT namespace, day, nullif(agent, '') AS agent, query_class AS class, depth AS mode, surface, recalls,
  payload_bytes AS bytes, payload_tokens AS loaded, spared
FROM recall_days;

CREATE VIEW panel_agents AS
SELECT namespace, day, nullif(agent, '') AS agent, query_class AS class, depth AS mode, surface, recalls,
  answered AS gave, empty, gated, abstained, failed, degraded, served, hits, stale, payload_tokens AS loaded
FROM recall_days;

CREATE VIEW panel_top_cited AS
SELECT namespace, date(at / 1000, 'unixepoch') AS day, agent, memory_id AS memory, kind, favourable,
  1 - favourable AS unfavourable, spared, at
FROM citations JOIN citation_kinds USING (kind);

-- day: the last on which it was served.
CREATE VIEW panel_never_cited AS
SELECT namespace, last_day AS day, memory_id AS memory, served FROM served_memories AS each
WHERE NOT EXISTS (
  SELECT 1 FROM citations JOIN citation_kinds USING (kind)
  WHERE citations.namespace = each.namespace AND citations.memory_id = each.memory_id AND favourable
);
