-- What was recalled: packed receipts, and one row a served result.
CREATE TABLE receipts (
  recall_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session_id TEXT,
  packed BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX receipts_at ON receipts(at);

CREATE TABLE audit (
  recall_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  op_id TEXT,
  PRIMARY KEY (recall_id, place)
) WITHOUT ROWID;
