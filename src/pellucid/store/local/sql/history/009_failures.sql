-- What went wrong in a recall that gave no answer: the code of the error, and where it came from, without a word of it.
CREATE TABLE failures (
  recall_id TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  place TEXT NOT NULL
) WITHOUT ROWID;

-- Such a recall is listed among the others, by a row without a receipt that served nothing. It goes with its event.
INSERT INTO receipts (recall_id, at, namespace, session_id, served, apart)
SELECT recall_id, at, namespace, session_id, '[]', 1 FROM recall_events WHERE outcome = 'failed';

CREATE TRIGGER failure_gone AFTER DELETE ON recall_events WHEN OLD.outcome = 'failed' BEGIN
  DELETE FROM failures WHERE recall_id = OLD.recall_id;
  DELETE FROM queries WHERE recall_id = OLD.recall_id;
  DELETE FROM receipts WHERE recall_id = OLD.recall_id;
END;

-- Filters are read off an index alone: only what fits is looked up.
DROP INDEX recall_events_of_namespace;
CREATE INDEX recall_events_listed ON recall_events(namespace, at, recall_id, agent, query_class, outcome, degraded);
