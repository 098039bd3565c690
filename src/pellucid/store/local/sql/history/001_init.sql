-- What was recalled. served: [memory id, operation id] of each result by place, which is what an audit entry names;
-- packed: the receipt, NULL once it is too old.
-- Recall ids begin with their time, so that their order is the order of the recalls.
CREATE TABLE receipts (
  recall_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session_id TEXT,
  served TEXT NOT NULL,
  packed BLOB
);
