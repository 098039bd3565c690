-- name: state
-- What the index was built from.
SELECT key, value FROM meta;

-- name: set_meta
-- Remember one fact about the index.
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: files
-- Every indexed file.
SELECT path, digest, size, mtime_ns FROM files;

-- name: file
-- One indexed file.
SELECT path, digest, size, mtime_ns FROM files WHERE path = ?;

-- name: look_again
-- An id became free: files that were refused differ from what was indexed.
UPDATE files SET mtime_ns = -1, refused = 0 WHERE refused;

-- name: put_file
-- A file as it was last folded.
INSERT INTO files (path, digest, size, mtime_ns, op_id, refused) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, size = excluded.size, mtime_ns = excluded.mtime_ns, op_id = excluded.op_id, refused = excluded.refused;

-- name: drop_file
-- A file that is gone.
DELETE FROM files WHERE path = ?;

-- name: namespace
-- The number of a namespace.
SELECT ns FROM namespaces WHERE name = ?;

-- name: namespaces
-- Every namespace.
SELECT ns, name FROM namespaces;

-- name: add_namespace
-- A namespace seen for the first time.
INSERT INTO namespaces (name) VALUES (?) RETURNING ns;

-- name: rows_of_path
-- The rows one file gave.
SELECT row, ns, id FROM memories WHERE path = ?;

-- name: row_of_id
-- Where an id already stands: two files may not hold the same one.
SELECT path FROM memories WHERE id = ?;

-- name: put_memory
-- A new row.
INSERT INTO memories (ns, id, path, digest, created, valid_from, valid_until, active, trusted, boundary, session_id, ordinal, importance, pinned, op_id, content_hash, stance, category, agent, about, asks, direct, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING row;

-- name: drop_memory
-- A row whose memory is gone.
DELETE FROM memories WHERE row = ?;

-- name: put_features
-- What scoring reads of a new row.
INSERT INTO features (row, vec, codes, terms, counts, length) VALUES (?, ?, ?, ?, ?, ?);

-- name: drop_features
-- The features of a row that is gone.
DELETE FROM features WHERE row = ?;

-- name: put_tag
-- A tag of a new row.
INSERT OR IGNORE INTO tags (ns, tag, row) VALUES (?, ?, ?);

-- name: drop_tags
-- The tags of a row that is gone.
DELETE FROM tags WHERE row = ?;

-- name: put_mention
-- A file that a new row speaks of.
INSERT OR IGNORE INTO mentions (ns, name, path, row) VALUES (?, ?, ?, ?);

-- name: drop_mentions
-- The files that a row that is gone spoke of.
DELETE FROM mentions WHERE row = ?;

-- name: mentions
-- Which rows of a namespace speak of a file of this name, and how they call it.
SELECT row, path FROM mentions WHERE ns = ? AND name = ?;

-- name: tagged
-- The rows of a namespace with a tag.
SELECT row FROM tags WHERE ns = ? AND tag = ?;

-- name: of_category
-- The rows of a namespace of any of these categories (a JSON list).
SELECT row FROM memories WHERE ns = ? AND category IN (SELECT value FROM json_each(?)) ORDER BY row;

-- name: of_kind
-- The rows of a namespace of any of these categories (a JSON list, null for all), of this agent, of this session.
SELECT row FROM memories WHERE ns = ?1 AND (?2 IS NULL OR category IN (SELECT value FROM json_each(?2)))
AND (?3 IS NULL OR agent = ?3) AND (?4 IS NULL OR session_id = ?4) ORDER BY row;

-- name: row_of_fold
-- Where the memory of a fold stands, if it does.
SELECT row, ns FROM memories WHERE id = ?;

-- name: put_attribute
-- An attribute that a new row states.
INSERT INTO attributes (ns, key, row) VALUES (?, ?, ?);

-- name: drop_attributes
-- What a row that is gone stated.
DELETE FROM attributes WHERE row = ?;

-- name: put_episode
-- The episode that a file holds.
INSERT INTO episodes (path, ns, id, at, op_id, record) VALUES (?, ?, ?, ?, ?, ?);

-- name: drop_episode
-- The episode that a file held.
DELETE FROM episodes WHERE path = ?;

-- name: put_story
-- What an episode is found by.
INSERT INTO stories (path, ns, digest, vec, terms, counts, length) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING row;

-- name: drop_story
-- What the episode that a file held was found by.
DELETE FROM stories WHERE path = ? RETURNING row, ns;

-- name: put_fold
-- The last lifecycle fold of a memory.
INSERT INTO folds (memory_id, ns, record) VALUES (?, ?, ?)
ON CONFLICT (memory_id) DO UPDATE SET ns = excluded.ns, record = excluded.record;

-- name: put_tombstone
-- What may not come back.
INSERT OR IGNORE INTO tombstones (key) VALUES (?);

-- name: drop_folds
-- The ledger is read from its beginning: no fold stays.
DELETE FROM folds;

-- name: drop_tombstones
-- The ledger is read from its beginning: no tombstone stays.
DELETE FROM tombstones;

-- name: bump_segment
-- Tell warm readers that rows of this segment changed.
INSERT INTO segments (ns, seg, version) VALUES (?, ?, 1) ON CONFLICT (ns, seg) DO UPDATE SET version = version + 1;

-- name: bump_all
-- Tell warm readers that every row may have changed.
UPDATE segments SET version = version + 1;

-- name: segments
-- The segments of a namespace and their versions; those of its episodes stand under its number with a minus.
SELECT seg, version FROM segments WHERE ns = ? ORDER BY seg;

-- name: segment_rows
-- The light columns, the vector and the words of every row of a segment.
SELECT m.row, m.id, m.created, m.valid_from, m.valid_until, m.active, m.trusted, m.boundary, m.session_id, m.ordinal, m.importance, m.pinned, m.asks, m.direct,
  m.about, coalesce(d.record ->> 'heat', 0.0), coalesce(d.record ->> 'tier' = 'cold', 0), coalesce(d.record ->> 'reinforcementCount', 0),
  f.length, f.vec, f.terms, f.counts
FROM memories m JOIN features f ON f.row = m.row LEFT JOIN folds d ON d.memory_id = m.id
WHERE m.ns = ? AND m.row BETWEEN ? AND ? ORDER BY m.row;

-- name: story_rows
-- The vector and the words of every episode of a segment, in the columns of segment_rows.
SELECT s.row, e.id, e.at, 0, 0, 1, 1, 0, NULL, 0, 0.0, 0, 0, 0, NULL, 0.0, 0, 0, s.length, s.vec, s.terms, s.counts
FROM stories s JOIN episodes e ON e.path = s.path WHERE s.ns = ? AND s.row BETWEEN ? AND ? ORDER BY s.row;

-- name: stories
-- The files of the episodes of some rows, a JSON list; of two files that hold one id, the first path is it.
SELECT s.row, e.path FROM json_each(?) w CROSS JOIN stories s ON s.row = w.value CROSS JOIN episodes e ON e.path = s.path
WHERE e.path = (SELECT min(path) FROM episodes WHERE id = e.id AND ns = e.ns);

-- name: told
-- Episodes by id, a JSON list, within a namespace.
SELECT e.record, e.path, e.op_id FROM json_each(?1) w CROSS JOIN episodes e ON e.id = w.value AND e.ns = ?2
WHERE e.path = (SELECT min(path) FROM episodes WHERE id = e.id AND ns = e.ns) ORDER BY w.key;

-- name: members
-- The rows that came of the episodes of some files, a JSON list, with the place of each file in it: those that stand in
-- the file, and those that its episode names.
SELECT w.key, m.row FROM json_each(?1) w CROSS JOIN episodes e ON e.path = w.value
CROSS JOIN memories m ON m.path = e.path AND m.ns = e.ns
UNION ALL SELECT w.key, m.row FROM json_each(?1) w CROSS JOIN episodes e ON e.path = w.value
CROSS JOIN json_each(e.record, '$.members') i CROSS JOIN memories m ON m.id = i.value AND m.ns = e.ns;

-- name: contents
-- What some rows say: a JSON list of pairs, of anything and a row, in order.
SELECT w.value ->> 0, m.record ->> 'content' FROM json_each(?) w CROSS JOIN memories m ON m.row = w.value ->> 1 ORDER BY w.key;

-- name: spoken_of
-- The artifacts that some rows, a JSON list, came of, and the files they speak of, with the row.
SELECT m.row, a.value FROM json_each(?1) w CROSS JOIN memories m ON m.row = w.value
CROSS JOIN json_each(m.record, '$.artifactIds') a
UNION ALL SELECT n.row, n.path FROM json_each(?1) w CROSS JOIN mentions n ON n.row = w.value;

-- name: encodings
-- What was computed for a text before.
SELECT f.vec, f.codes FROM memories m JOIN features f ON f.row = m.row WHERE m.digest = ?1 AND f.vec IS NOT NULL
UNION ALL SELECT vec, x'' FROM stories WHERE digest = ?1 AND vec IS NOT NULL LIMIT 1;

-- name: codes
-- The token codes of some rows, a JSON list.
SELECT row, codes FROM features WHERE row IN (SELECT value FROM json_each(?));

-- name: served
-- A row in full.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m LEFT JOIN files f ON f.path = m.path WHERE m.row = ?;

-- name: lookup
-- A memory by id, within a namespace.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m LEFT JOIN files f ON f.path = m.path JOIN namespaces n ON n.ns = m.ns WHERE m.id = ? AND n.name = ?;

-- name: holding
-- The oldest memory with this content hash that can be recalled now.
SELECT m.content_hash, m.id FROM memories m JOIN namespaces n ON n.ns = m.ns
WHERE m.content_hash = ? AND n.name = ? AND m.active AND m.trusted AND m.valid_until > unixepoch('subsec') * 1000
ORDER BY m.created, m.id LIMIT 1;

-- name: browse
-- Every memory of a namespace, newest first.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m LEFT JOIN files f ON f.path = m.path JOIN namespaces n ON n.ns = m.ns WHERE n.name = ? ORDER BY m.created DESC, m.id;

-- name: stating
-- The memories that state an attribute now, newest valid first; one that does not say when is valid from its creation.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM attributes a JOIN namespaces n ON n.ns = a.ns JOIN memories m ON m.row = a.row LEFT JOIN files f ON f.path = m.path
WHERE a.key = ? AND n.name = ? AND m.active AND m.valid_until > unixepoch('subsec') * 1000
ORDER BY iif(m.valid_from = -4611686018427387904, m.created, m.valid_from) DESC, m.id;

-- name: stances
-- The memories that affirm or deny the same thing now, newest valid first.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m JOIN namespaces n ON n.ns = m.ns LEFT JOIN files f ON f.path = m.path
WHERE m.stance = ? AND n.name = ? AND m.active AND m.valid_until > unixepoch('subsec') * 1000
ORDER BY iif(m.valid_from = -4611686018427387904, m.created, m.valid_from) DESC, m.id;

-- name: episodes
-- Every episode of a namespace, newest first; of two files that hold one id, the first path is it.
SELECT e.record, e.path, e.op_id FROM episodes e JOIN namespaces n ON n.ns = e.ns
WHERE n.name = ? AND e.path = (SELECT min(path) FROM episodes WHERE id = e.id AND ns = e.ns) ORDER BY e.at DESC, e.id;

-- name: episode
-- An episode by id, within a namespace.
SELECT e.record, e.path, e.op_id FROM episodes e JOIN namespaces n ON n.ns = e.ns
WHERE e.id = ? AND n.name = ? ORDER BY e.path LIMIT 1;

-- name: folds
-- The last lifecycle fold of each memory of a namespace.
SELECT d.memory_id, d.record FROM folds d JOIN namespaces n ON n.ns = d.ns WHERE n.name = ?;

-- name: tombstone
-- Whether something forgotten left this key.
SELECT 1 FROM tombstones WHERE key = ?;
