-- name: put_receipt
-- One recall.
INSERT INTO receipts (recall_id, at, namespace, session_id, packed) VALUES (?, ?, ?, ?, ?);

-- name: put_audit
-- One served result.
INSERT INTO audit (recall_id, place, memory_id, op_id) VALUES (?, ?, ?, ?);

-- name: receipt
-- A receipt, within its namespace.
SELECT packed FROM receipts WHERE recall_id = ? AND namespace = ?;

-- name: audit
-- A served result, within its namespace.
SELECT a.recall_id, a.place, a.memory_id, a.op_id, r.at
FROM audit a JOIN receipts r ON r.recall_id = a.recall_id WHERE a.recall_id = ? AND a.place = ? AND r.namespace = ?;

-- name: counts
-- How much is kept.
SELECT count(*), coalesce(sum(length(packed)), 0) FROM receipts;

-- name: prune
-- Old receipts, and all but the newest.
DELETE FROM receipts WHERE at < ? OR recall_id NOT IN (SELECT recall_id FROM receipts ORDER BY at DESC, recall_id DESC LIMIT ?)
RETURNING recall_id;

-- name: prune_audit
-- Results of receipts that are gone.
DELETE FROM audit WHERE recall_id NOT IN (SELECT recall_id FROM receipts);
