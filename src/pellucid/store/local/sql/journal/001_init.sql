-- The journal: part of the record until drained. Text stands only in payloads that still wait.
CREATE TABLE ops (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  op_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  at TEXT NOT NULL
);

-- A new journal starts above any number an older one beside the same vault can have given: an index that was built
-- from that one must see that there is more to fold.
INSERT INTO sqlite_sequence (name, seq) VALUES ('ops', CAST(unixepoch('subsec') * 1000 AS INTEGER));

-- One file of one operation; new_bytes is erased when the entry is no longer PENDING.
CREATE TABLE entries (
  entry INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL REFERENCES ops(seq),
  path TEXT NOT NULL,
  folded TEXT NOT NULL,
  base_hash TEXT,
  new_hash TEXT NOT NULL,
  new_bytes BLOB,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'FILED', 'CONFLICT', 'DELETED')),
  CHECK ((state = 'PENDING') = (new_bytes IS NOT NULL))
);
CREATE INDEX entries_seq ON entries(seq);
CREATE INDEX entries_version ON entries(path, new_hash);
CREATE INDEX entries_pending ON entries(path) WHERE state = 'PENDING';
CREATE INDEX entries_folded ON entries(folded) WHERE state = 'PENDING';

-- Rows that wait to be appended to the ledger file of their month; AUTOINCREMENT never gives a number twice.
CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  month TEXT NOT NULL,
  row TEXT NOT NULL
);

CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID;
