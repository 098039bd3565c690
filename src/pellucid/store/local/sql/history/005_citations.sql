-- What became of a memory that a recall served: once in each way (kind) on each occasion, which is a session, or a day.
-- The words of a note stand with those of the recalls' queries, under the citation's id, and are forgotten like them.
CREATE TABLE citations (
  namespace TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  occasion TEXT NOT NULL,
  citation_id TEXT NOT NULL UNIQUE,
  recall_id TEXT NOT NULL,
  agent TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (namespace, memory_id, kind, occasion)
) WITHOUT ROWID;

CREATE INDEX citations_of_recall ON citations(recall_id);

-- Whose words stand in `queries`, and in which namespace.
CREATE VIEW worded AS
SELECT recall_id, namespace FROM receipts UNION ALL SELECT citation_id, namespace FROM citations;

-- What was cited stays in full, too.
DROP VIEW held;
CREATE VIEW held AS SELECT recall_id FROM pins UNION SELECT recall_id FROM citations;
