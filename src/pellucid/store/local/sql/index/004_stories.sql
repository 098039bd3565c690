-- What an episode is found by: its topic and the names of its artifacts. Folded again.
-- vec, terms, counts, length: as in features, without codes; digest: of the topic, never that of a memory's text.
CREATE TABLE stories (
  row INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  digest BLOB NOT NULL,
  vec BLOB,
  terms BLOB NOT NULL,
  counts BLOB NOT NULL,
  length INTEGER NOT NULL
);
CREATE INDEX stories_ns ON stories(ns);
CREATE INDEX stories_digest ON stories(digest);

-- Procedures are asked for in every recall that starts a task.
CREATE INDEX memories_category ON memories(ns, category);

UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
