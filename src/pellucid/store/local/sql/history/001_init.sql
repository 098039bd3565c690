-- What was recalled. served: [memory id, operation id] of each result by place, which is what an audit entry names;
-- packed: the receipt, NULL once it is too old.
CREATE TABLE receipts (
  recall_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session_id TEXT,
  served TEXT NOT NULL,
  packed BLOB
);
CREATE INDEX receipts_at ON receipts(at) WHERE packed IS NOT NULL;
