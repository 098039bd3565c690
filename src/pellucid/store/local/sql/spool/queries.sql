-- name: add_turn
-- A turn that arrived, unless its key waits already.
INSERT INTO turns (key, namespace, session_id, ordinal, spooled_at, turn) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO NOTHING RETURNING place;

-- name: count_on
-- The greatest number of a session only rises.
INSERT INTO sessions (namespace, session_id, last) VALUES (?, ?, ?)
ON CONFLICT (namespace, session_id) DO UPDATE SET last = max(last, excluded.last);

-- name: last
-- The greatest number ever spooled for a session.
SELECT last FROM sessions WHERE namespace = ? AND session_id = ?;

-- name: namespaces
-- The namespaces that turns of a session were ever spooled for.
SELECT namespace FROM sessions WHERE session_id = ? ORDER BY namespace;

-- name: held
-- The turns of a session that wait, in order.
SELECT key, turn, spooled_at FROM turns WHERE namespace = ? AND session_id = ? ORDER BY ordinal, place;

-- name: waiting
-- The sessions with turns waiting, the longest waiting first.
SELECT t.namespace, t.session_id, count(*), min(t.spooled_at), max(t.spooled_at), s.attempts, s.problem
FROM turns t JOIN sessions s ON s.namespace = t.namespace AND s.session_id = t.session_id
WHERE ? IN ('', t.namespace) GROUP BY t.namespace, t.session_id ORDER BY min(t.spooled_at), t.namespace, t.session_id;

-- name: drop_turn
-- A turn that waits no longer.
DELETE FROM turns WHERE key = ? RETURNING namespace, session_id;

-- name: succeeded
-- Turns of a session were kept: its failures are over.
UPDATE sessions SET attempts = 0, problem = '' WHERE namespace = ? AND session_id = ?;

-- name: failed
-- One more attempt that failed, and why.
INSERT INTO sessions (namespace, session_id, attempts, problem) VALUES (?, ?, 1, ?)
ON CONFLICT (namespace, session_id) DO UPDATE SET attempts = attempts + 1, problem = excluded.problem
RETURNING attempts;
