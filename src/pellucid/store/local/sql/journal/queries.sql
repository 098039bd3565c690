-- name: add_op
-- Acknowledge an operation.
INSERT INTO ops (op_id, kind, at) VALUES (?, ?, ?) RETURNING seq;

-- name: op_seq
-- Whether an operation was acknowledged before.
SELECT seq FROM ops WHERE op_id = ?;

-- name: add_entry
-- New bytes that wait for their file; or, with an empty digest and no bytes, its removal.
INSERT INTO entries (seq, path, folded, base_hash, new_hash, new_bytes, state) VALUES (?, ?, ?, ?, ?, ?, 'PENDING');

-- name: add_adopted
-- Bytes that somebody else wrote, and that stand in their file already.
INSERT INTO entries (seq, path, folded, base_hash, new_hash, new_bytes, state) VALUES (?, ?, ?, NULL, ?, NULL, 'FILED');

-- name: add_ledger
-- A row that waits for its ledger file.
INSERT INTO ledger (month, row) VALUES (?, ?);

-- name: add_seen
-- A turn that need never be imported again.
INSERT OR IGNORE INTO seen (key) VALUES (?);

-- name: is_seen
-- Whether a turn was imported before.
SELECT 1 FROM seen WHERE key = ?;

-- name: pending_twin
-- A waiting path that differs from this one in case or composition only.
SELECT path FROM entries WHERE state = 'PENDING' AND folded = ? AND path <> ? LIMIT 1;

-- name: pending_hash
-- The digest of the newest waiting bytes of a path; empty if its removal waits.
SELECT new_hash FROM entries WHERE state = 'PENDING' AND path = ? ORDER BY entry DESC LIMIT 1;

-- name: pending_head
-- The newest waiting bytes of a path, and the operation that brought them.
SELECT e.new_bytes, o.op_id, e.new_hash FROM entries e JOIN ops o ON o.seq = e.seq
WHERE e.state = 'PENDING' AND e.path = ? ORDER BY e.entry DESC LIMIT 1;

-- name: version_op
-- The newest operation that gave a path these bytes.
SELECT o.op_id FROM entries e JOIN ops o ON o.seq = e.seq
WHERE e.path = ? AND e.new_hash = ? ORDER BY e.entry DESC LIMIT 1;

-- name: pending
-- Everything that waits for its file, oldest first.
SELECT path, entry, base_hash, new_hash FROM entries INDEXED BY entries_pending WHERE state = 'PENDING' ORDER BY entry;

-- name: payload
-- The bytes of one entry.
SELECT new_bytes FROM entries WHERE entry = ?;

-- name: settle_entries
-- A path is dealt with up to this entry; its payloads are erased.
UPDATE entries SET state = ?, new_bytes = NULL WHERE state = 'PENDING' AND path = ? AND entry <= ?;

-- name: paths
-- Every path an operation ever wrote.
SELECT DISTINCT path FROM entries;

-- name: versions
-- What operations gave a path, and what they found there.
SELECT new_hash, base_hash FROM entries WHERE path = ?;

-- name: paths_of
-- Every path that was given bytes of one of these digests.
SELECT DISTINCT path FROM entries WHERE new_hash IN (SELECT value FROM json_each(?)) ORDER BY path;

-- name: rename
-- A path that is gone loses its name, and the fingerprints of what it held; nothing of it waits.
UPDATE entries SET path = ?, folded = ?, base_hash = NULL, new_hash = '' WHERE path = ? AND state <> 'PENDING'
RETURNING entry;

-- name: forget_versions
-- A path that lives on keeps the fingerprint of what it holds, and no other.
UPDATE entries SET base_hash = NULL, new_hash = iif(new_hash = ?, new_hash, '')
WHERE path = ? AND state <> 'PENDING' AND (base_hash IS NOT NULL OR new_hash NOT IN ('', ?));

-- name: waiting_ledger
-- Ledger rows that wait for their file, oldest first.
SELECT seq, month, row FROM ledger ORDER BY seq;

-- name: drop_ledger
-- Ledger rows up to this one stand in their files.
DELETE FROM ledger WHERE seq <= ?;

-- name: ledger_number
-- The last number given to a ledger row; none in a new journal.
SELECT seq FROM sqlite_sequence WHERE name = 'ledger';

-- name: start_ledger
-- Go on counting where the ledger files of an older journal ended.
INSERT INTO sqlite_sequence (name, seq) VALUES ('ledger', ?);

-- name: operations
-- Operations after a sequence number with their files, oldest first.
SELECT o.seq, o.op_id, o.kind, o.at, e.path, e.new_hash
FROM ops o LEFT JOIN entries e ON e.seq = o.seq WHERE o.seq > ? ORDER BY o.seq, e.entry;

-- name: operation
-- One operation with its files.
SELECT o.seq, o.op_id, o.kind, o.at, e.path, e.new_hash
FROM ops o LEFT JOIN entries e ON e.seq = o.seq WHERE o.seq > ? AND o.op_id = ? ORDER BY e.entry;

-- name: filed
-- What each month of the ledger held when it was last written.
SELECT month, bytes, chain, mtime_ns, wanting FROM filed ORDER BY month;

-- name: put_filed
-- A month of the ledger was written, or looked through.
INSERT OR REPLACE INTO filed (month, bytes, chain, mtime_ns, wanting) VALUES (?, ?, ?, ?, ?);

-- name: drop_filed
-- Nothing is known of any month any more.
DELETE FROM filed;

-- name: go_on_from
-- The ledger holds more rows than this journal numbered: go on after them.
UPDATE sqlite_sequence SET seq = ? WHERE name = 'ledger' AND seq < ?;

-- name: key_print
-- The fingerprint of the vault's key.
SELECT fingerprint FROM vault_key;

-- name: put_key_print
-- The vault's key is the one of this fingerprint.
INSERT INTO vault_key (one, fingerprint) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET fingerprint = excluded.fingerprint;

-- name: any_seen
-- Whether any turn was ever imported: its mark was made with a key.
SELECT 1 FROM seen LIMIT 1;
