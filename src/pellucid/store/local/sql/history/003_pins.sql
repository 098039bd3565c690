-- Receipts that stay in full, whatever their age.
CREATE TABLE pins (
  recall_id TEXT PRIMARY KEY
) WITHOUT ROWID;

-- The one condition of retention: a receipt named here is left whole. Another reason to keep one is another UNION.
CREATE VIEW held AS SELECT recall_id FROM pins;

-- The recalls of a session, newest first. Those of a namespace are found by receipts_used.
CREATE INDEX receipts_of_session ON receipts(namespace, session_id, at) WHERE session_id IS NOT NULL;

-- A recall as it is listed.
CREATE VIEW listed AS
SELECT recall_id, at, namespace, session_id, json_array_length(served) AS served_count, packed IS NOT NULL AS in_full,
  EXISTS (SELECT 1 FROM pins WHERE pins.recall_id = receipts.recall_id) AS pinned, coalesce(query, x'') AS query
FROM receipts LEFT JOIN queries USING (recall_id);
