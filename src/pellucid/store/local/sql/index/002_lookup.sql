-- What a writer asks before it decides what is new, episodes, and what the ledger says. Everything is folded again:
-- the rows that stand here have none of it.
ALTER TABLE memories ADD COLUMN stance TEXT NOT NULL DEFAULT '';
CREATE INDEX memories_stance ON memories(stance);

-- key: `entity::attribute`, of the attributes that a row states and has not retired.
CREATE TABLE attributes (
  ns INTEGER NOT NULL,
  key TEXT NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (ns, key, row)
) WITHOUT ROWID;
CREATE INDEX attributes_row ON attributes(row);

-- at: when it started, or was taken where nobody knows; epoch milliseconds.
CREATE TABLE episodes (
  path TEXT PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  op_id TEXT,
  record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX episodes_id ON episodes(id, ns);
CREATE INDEX episodes_at ON episodes(ns, at);

CREATE TABLE folds (
  memory_id TEXT PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX folds_ns ON folds(ns);

CREATE TABLE tombstones (key BLOB PRIMARY KEY) WITHOUT ROWID;

UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
