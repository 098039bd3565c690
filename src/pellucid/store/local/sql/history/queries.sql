-- name: put_receipt
-- One recall.
INSERT INTO receipts (recall_id, at, namespace, session_id, served, packed) VALUES (?, ?, ?, ?, ?, ?);

-- name: receipt
-- A receipt, within its namespace.
SELECT packed FROM receipts WHERE recall_id = ? AND namespace = ? AND packed IS NOT NULL;

-- name: audit
-- What a recall served, within its namespace.
SELECT served, at FROM receipts WHERE recall_id = ? AND namespace = ?;

-- name: counts
-- How much is kept in full.
SELECT count(*), coalesce(sum(length(packed)), 0) FROM receipts WHERE packed IS NOT NULL;

-- name: prune
-- Old receipts, and all but the newest, keep their results only.
UPDATE receipts SET packed = NULL
WHERE packed IS NOT NULL AND (
  at < ? OR recall_id < (SELECT min(recall_id) FROM (SELECT recall_id FROM receipts ORDER BY recall_id DESC LIMIT ?))
)
RETURNING recall_id;
