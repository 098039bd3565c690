-- The words of a query stand apart from the receipt, so that they can be forgotten and the receipt kept. A small table
-- of their own: it is written anew to leave no copy of them in any page.
CREATE TABLE queries (
  recall_id TEXT PRIMARY KEY,
  query BLOB NOT NULL
) WITHOUT ROWID;

-- 0: a receipt from before, which may hold its query inside.
ALTER TABLE receipts ADD COLUMN apart INTEGER NOT NULL DEFAULT 0;

CREATE INDEX receipts_used ON receipts(namespace, at);
