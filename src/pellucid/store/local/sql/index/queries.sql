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

-- name: texts_of_path
-- The rows of one file, with what names their text, and whether each has a vector.
SELECT m.record, m.digest, m.ordinal, f.vec IS NOT NULL FROM memories m JOIN features f ON f.row = m.row WHERE m.path = ?;

-- name: row_of_id
-- Where an id already stands: two files may not hold the same one.
SELECT path FROM memories WHERE id = ?;

-- name: put_memory
-- A new row.
INSERT INTO memories (ns, id, path, digest, created, valid_from, valid_until, active, trusted, boundary, session_id, ordinal, importance, pinned, op_id, content_hash, stance, category, agent, about, asks, direct, status, invalid_at, expires_at, consolidated, record)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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

-- name: left_out
-- The rows of a namespace of a session and of those below it (null for none), or with one of these ids (a JSON list).
SELECT row FROM memories WHERE ns = ?1 AND (
  session_id = ?2 OR substr(session_id, 1, length(?2) + 1) = ?2 || '/' OR id IN (SELECT value FROM json_each(?3))
) ORDER BY row;

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

-- name: bump_block
-- Tell warm readers that rows of this block changed.
INSERT INTO segments (ns, seg, version) VALUES (?, ?, 1) ON CONFLICT (ns, seg) DO UPDATE SET version = version + 1;

-- name: bump_all
-- Tell warm readers that every row may have changed.
UPDATE segments SET version = version + 1;

-- name: row_blocks
-- The blocks of a namespace and their versions; those of its stories stand under `story_space`.
SELECT seg, version FROM segments WHERE ns = ? ORDER BY seg;

-- name: block_rows
-- The light columns, the vector and the words of every row of a block.
SELECT m.row, m.id, m.created, m.valid_from, m.valid_until, m.active, m.trusted, m.boundary, m.session_id, m.ordinal, m.importance, m.pinned, m.asks, m.direct,
  m.status = 'superseded' AND m.invalid_at IS NOT NULL, m.consolidated, m.about, coalesce(d.record ->> 'heat', 0.0), coalesce(d.record ->> 'tier' = 'cold', 0), coalesce(d.record ->> 'reinforcementCount', 0),
  f.length, f.vec, f.terms, f.counts
FROM memories m JOIN features f ON f.row = m.row LEFT JOIN folds d ON d.memory_id = m.id
WHERE m.ns = ? AND m.row BETWEEN ? AND ? ORDER BY m.row;

-- name: story_rows
-- The vector and the words of every episode of a block, in the columns of block_rows.
SELECT s.row, e.id, e.at, 0, 0, 1, 1, 0, NULL, 0, 0.0, 0, 0, 0, 0, 0, NULL, 0.0, 0, 0, s.length, s.vec, s.terms, s.counts
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

-- name: served_by_id
-- A memory by id, within the namespace of a reader.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m LEFT JOIN files f ON f.path = m.path WHERE m.id = ? AND m.ns = ?;

-- name: holding
-- The memories with this content hash that can be recalled now: the oldest of each boundary.
SELECT boundary, id FROM (
  SELECT m.boundary, m.id, row_number() OVER (PARTITION BY m.boundary ORDER BY m.created, m.id) AS place
  FROM memories m JOIN namespaces n ON n.ns = m.ns
  WHERE m.content_hash = ? AND n.name = ? AND m.active AND m.trusted AND m.valid_until > unixepoch('subsec') * 1000
) WHERE place = 1 ORDER BY boundary;

-- name: browse
-- Every memory of a namespace, newest first.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m LEFT JOIN files f ON f.path = m.path JOIN namespaces n ON n.ns = m.ns WHERE n.name = ? ORDER BY m.created DESC, m.id;

-- name: browse_counts
-- How many memories that are no passages fit what is asked for, and how many passages; ?10: a JSON list of ids.
SELECT count(*) FILTER (WHERE m.category <> 'moment'), count(*) FILTER (WHERE m.category = 'moment')
FROM memories m WHERE m.ns = (SELECT ns FROM namespaces WHERE name = ?1)
  AND (?2 IS NULL OR m.category = ?2) AND (?3 IS NULL OR m.status = ?3) AND (?4 IS NULL OR m.session_id = ?4)
  AND m.created >= ?5 AND m.created < ?6
  AND (?7 IS NULL OR EXISTS (SELECT 1 FROM tags t WHERE t.ns = m.ns AND t.tag = ?7 AND t.row = m.row))
  AND (?8 IS NULL OR m.record ->> 'entityRef' = ?8)
  AND (?9 IS NULL OR instr(casefold(m.record ->> 'content'), ?9))
  AND (?10 IS NULL OR m.id IN (SELECT value FROM json_each(?10)));

-- name: browse_page
-- The same memories, newest first, behind the place (?12, ?13); with ?11, passages too.
SELECT m.record, m.path, m.op_id, f.digest, f.size, f.mtime_ns
FROM memories m LEFT JOIN files f ON f.path = m.path WHERE m.ns = (SELECT ns FROM namespaces WHERE name = ?1)
  AND (?2 IS NULL OR m.category = ?2) AND (?3 IS NULL OR m.status = ?3) AND (?4 IS NULL OR m.session_id = ?4)
  AND m.created >= ?5 AND m.created < ?6
  AND (?7 IS NULL OR EXISTS (SELECT 1 FROM tags t WHERE t.ns = m.ns AND t.tag = ?7 AND t.row = m.row))
  AND (?8 IS NULL OR m.record ->> 'entityRef' = ?8)
  AND (?9 IS NULL OR instr(casefold(m.record ->> 'content'), ?9))
  AND (?10 IS NULL OR m.id IN (SELECT value FROM json_each(?10)))
  AND (?11 OR m.category <> 'moment') AND m.created <= ?12 AND (m.created < ?12 OR m.id > ?13)
ORDER BY m.created DESC, m.id LIMIT ?14;

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

-- name: sessions
-- The sessions that the episodes of a namespace came of.
SELECT DISTINCT e.record ->> 'sessionId' FROM episodes e JOIN namespaces n ON n.ns = e.ns WHERE n.name = ?;

-- name: held
-- How much a namespace holds: active memories and passages, sessions, when the last of these ended; whether anything.
SELECT
  (SELECT count(*) FROM memories WHERE ns = n.ns AND active AND category NOT IN ('moment', 'section')),
  (SELECT count(*) FROM memories WHERE ns = n.ns AND active AND category = 'moment'),
  (SELECT count(DISTINCT record ->> 'sessionId') FROM episodes WHERE ns = n.ns),
  (SELECT max(coalesce(record ->> 'ended', record ->> 'started')) FROM episodes WHERE ns = n.ns),
  EXISTS (SELECT 1 FROM memories WHERE ns = n.ns) OR EXISTS (SELECT 1 FROM episodes WHERE ns = n.ns)
FROM namespaces n WHERE n.name = ?;

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

-- name: folds_of
-- The same of some memories, a JSON list of ids.
SELECT d.memory_id, d.record FROM json_each(?2) JOIN folds d ON d.memory_id = value JOIN namespaces n ON n.ns = d.ns
WHERE n.name = ?1;

-- name: to_review
-- What is kept back, waits, is disputed, or cannot hold together with another.
SELECT id FROM memories WHERE ns = (SELECT ns FROM namespaces WHERE name = ?)
  AND (status IN ('pending_review', 'quarantined', 'disputed') OR (status = 'active' AND NOT trusted)
    OR json_array_length(record, '$.disputedWith') > 0);

-- name: aged
-- What answers and was superseded, or verified too long ago, or, unless it is protected, decayed.
SELECT id, created
FROM memories INDEXED BY memories_aging
WHERE ns = (SELECT ns FROM namespaces WHERE name = ?1) AND status = 'active' AND trusted
  AND valid_until > ?2 AND category NOT IN (SELECT value FROM json_each(?6))
  AND (record ->> 'supersededBy' IS NOT NULL
    OR (iif(record ->> 'validAt' IS NULL, created, valid_from) < ?3
      AND (record ->> 'lastVerifiedAt' IS NULL OR record ->> 'lastVerifiedAt' NOT BETWEEN ?4 AND ?5))
    OR (id IN (SELECT d.memory_id FROM folds d JOIN namespaces n ON n.ns = d.ns
          WHERE n.name = ?1 AND d.record ->> 'decay' >= ?8)
      AND NOT pinned AND record ->> 'assertedBy' <> 'axiom' AND category NOT IN (SELECT value FROM json_each(?7))));

-- name: tombstone
-- Whether something forgotten left this key.
SELECT 1 FROM tombstones WHERE key = ?;

-- name: tombstone_keys
-- All of them.
SELECT key FROM tombstones;

-- name: source
-- The number and the namespace of a file that says something of the graph.
SELECT file, ns FROM sources WHERE path = ?;

-- name: add_source
-- A file that says something of the graph for the first time.
INSERT INTO sources (ns, path) VALUES (?, ?) RETURNING file;

-- name: drop_source
-- A file that says nothing of the graph any more.
DELETE FROM sources WHERE file = ?;

-- name: put_document
-- The document that a file is.
INSERT INTO documents (file, root, source, record) VALUES (?, ?, ?, ?);

-- name: drop_document
-- The document that a file was.
DELETE FROM documents WHERE file = ?;

-- name: entity_facts_of
-- What a file says of entities.
SELECT node, mentioned, since, name, type, until FROM entity_facts WHERE file = ?;

-- name: put_entity_facts
-- One thing that a file says of an entity.
INSERT OR IGNORE INTO entity_facts (file, node, mentioned, since, name, type, until) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: drop_entity_facts
-- What a file said of entities.
DELETE FROM entity_facts WHERE file = ?;

-- name: edges_of
-- The edges that a file says.
SELECT edge, source, target, type, memory_id, section, confidence, valid_from, valid_until, recorded, anchor FROM edges WHERE file = ?;

-- name: put_edges
-- An edge that a file says.
INSERT OR IGNORE INTO edges (file, edge, source, target, type, memory_id, section, confidence, valid_from, valid_until, recorded, anchor)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_edges
-- The edges that a file said.
DELETE FROM edges WHERE file = ?;

-- name: claims_of
-- The claims of a file.
SELECT node, attribute, value, memory_id, valid_from, valid_until, recorded, retired_by FROM claims WHERE file = ?;

-- name: put_claims
-- A claim of a file.
INSERT INTO claims (file, node, attribute, value, memory_id, valid_from, valid_until, recorded, retired_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_claims
-- The claims that a file made.
DELETE FROM claims WHERE file = ?;

-- name: aliases_of
-- The other names that a file gives.
SELECT ns, key, node FROM aliases WHERE file = ?;

-- name: put_aliases
-- Another name that a file gives.
INSERT OR IGNORE INTO aliases (file, ns, key, node) VALUES (?, ?, ?, ?);

-- name: drop_aliases
-- The other names that a file gave.
DELETE FROM aliases WHERE file = ?;

-- name: homes_of
-- The rows of a file that answer for nodes.
SELECT row, node, heading FROM homes WHERE file = ?;

-- name: put_homes
-- A row of a file that answers for a node.
INSERT OR IGNORE INTO homes (file, row, node, heading) VALUES (?, ?, ?, ?);

-- name: drop_homes
-- The rows of a file that answered for nodes.
DELETE FROM homes WHERE file = ?;

-- name: node_at
-- Who has this number.
SELECT ns, key FROM nodes WHERE node = ?;

-- name: add_node
-- A node that is spoken of for the first time.
INSERT INTO nodes (node, ns, key, name, type, defined, since) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: put_node
-- What a node is called, and what it is.
UPDATE nodes SET name = ?, type = ?, defined = ?, since = ? WHERE node = ?;

-- name: drop_node
-- A node that nobody speaks of any more.
DELETE FROM nodes WHERE node = ?;

-- name: put_type
-- A type that a document names.
INSERT OR IGNORE INTO entity_types (type) VALUES (?);

-- name: drop_unused_types
-- Types that nothing is an instance of any more.
DELETE FROM entity_types WHERE NOT canonical AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.type = entity_types.type);

-- name: spoken_of_nodes
-- What all files say of some nodes, a JSON list, and what these hold; nodes that nobody speaks of are left out.
SELECT * FROM (
  SELECT n.node, n.key, n.name, n.type, n.defined, n.since,
    (SELECT min(f.since) FROM entity_facts f WHERE f.node = n.node) AS first,
    (SELECT max(f.until) FROM entity_facts f WHERE f.node = n.node),
    (SELECT json_array(f.name, f.mentioned) FROM entity_facts f WHERE f.node = n.node ORDER BY f.mentioned, f.since, f.name LIMIT 1),
    (SELECT f.type FROM entity_facts f WHERE f.node = n.node AND f.type <> '' ORDER BY f.mentioned, f.since, f.name LIMIT 1),
    iif(EXISTS (SELECT 1 FROM entity_facts f WHERE f.node = n.node), NULL,
      (SELECT min(valid_from) FROM edges WHERE source = n.node OR target = n.node)) AS edges
  FROM json_each(?) w CROSS JOIN nodes n ON n.node = w.value
) s
WHERE first IS NOT NULL OR edges IS NOT NULL OR EXISTS (SELECT 1 FROM homes h WHERE h.node = s.node)
OR EXISTS (SELECT 1 FROM aliases a WHERE a.node = s.node) OR EXISTS (SELECT 1 FROM claims c WHERE c.node = s.node);

-- name: claims_of_nodes
-- What is claimed of some nodes, a JSON list; how the memory that says it stands, whether it was consolidated out of
-- others, and what rows of the ledger changed of it, newest first.
SELECT c.node, n.key, c.attribute, c.value, c.memory_id, c.valid_from, c.valid_until, c.recorded, c.retired_by,
  m.status, m.trusted, m.created, m.valid_from, m.invalid_at, m.expires_at,
  coalesce(m.consolidated, 0),
  (SELECT json_group_array(json_array(s.at, json(s.before)) ORDER BY s.seq DESC) FROM standings s
    WHERE s.memory_id = m.id AND s.ns = m.ns)
FROM json_each(?) w CROSS JOIN claims c ON c.node = w.value CROSS JOIN nodes n ON n.node = c.node
LEFT JOIN memories m ON m.id = c.memory_id AND m.ns = n.ns
ORDER BY c.node, c.attribute, c.valid_from, c.recorded, c.memory_id, c.value;

-- name: stands_of
-- How memories stand, of a JSON list: those that are not simply active, or (third binding) all of them; as in claims_of_nodes.
SELECT m.id, m.status, m.trusted, m.created, m.valid_from, m.invalid_at, m.expires_at,
  coalesce(m.consolidated, 0),
  (SELECT json_group_array(json_array(s.at, json(s.before)) ORDER BY s.seq DESC) FROM standings s
    WHERE s.memory_id = m.id AND s.ns = m.ns)
FROM json_each(?2) w CROSS JOIN memories m ON m.id = w.value AND m.ns = ?1
WHERE ?3 OR m.status <> 'active' OR EXISTS (SELECT 1 FROM standings s WHERE s.memory_id = m.id AND s.ns = m.ns);

-- name: states_of_nodes
-- The states of some nodes, a JSON list, oldest first.
SELECT s.node, s.valid_from, s.valid_until, s.props, s.event, s.cause FROM json_each(?) w CROSS JOIN states s ON s.node = w.value
ORDER BY s.node, s.valid_from;

-- name: put_states
-- A state of an entity.
INSERT INTO states (node, valid_from, valid_until, succeeds, props, event, cause) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: drop_states
-- The states of an entity.
DELETE FROM states WHERE node = ?;

-- name: bump_graph
-- Tell warm readers that files of this block say something else.
INSERT INTO graph_segments (ns, seg, version) VALUES (?, ?, 1) ON CONFLICT (ns, seg) DO UPDATE SET version = version + 1;

-- name: put_standing
-- How a memory stood before a row of the ledger.
INSERT OR REPLACE INTO standings (memory_id, seq, ns, at, before) VALUES (?, ?, ?, ?, ?);

-- name: drop_standing
-- A memory was forgotten: how it stood goes, too.
DELETE FROM standings WHERE memory_id = ?;

-- name: drop_standings
-- The ledger is read from its beginning: none stays.
DELETE FROM standings;

-- name: standings
-- What rows of the ledger later than an instant changed, newest first for each memory, and how the memory stands now.
SELECT m.row, s.at, s.before, m.status, m.trusted, m.created, m.valid_from, m.invalid_at, m.expires_at
FROM standings s CROSS JOIN memories m ON m.id = s.memory_id WHERE s.ns = ?1 AND m.ns = ?1 AND s.at > ?2 ORDER BY m.row, s.seq DESC;

-- name: watch_standings
-- Note, for this connection, of which memories the ledger says something else: rows come and go one by one, or all.
CREATE TEMP TABLE IF NOT EXISTS moved (memory_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TRIGGER IF NOT EXISTS standing_came AFTER INSERT ON main.standings BEGIN
  INSERT OR IGNORE INTO moved VALUES (new.memory_id);
END;
CREATE TEMP TRIGGER IF NOT EXISTS standing_went AFTER DELETE ON main.standings BEGIN
  INSERT OR IGNORE INTO moved VALUES (old.memory_id);
END;

-- name: moved_nodes
-- The nodes of which those memories claim something.
SELECT DISTINCT c.node FROM temp.moved v CROSS JOIN memories m ON m.id = v.memory_id
CROSS JOIN sources s ON s.path = m.path CROSS JOIN claims c ON c.file = s.file AND c.memory_id = m.id;

-- name: drop_moved
-- They were seen to.
DELETE FROM temp.moved;

-- name: file_blocks
-- The blocks of a namespace's graph and their versions.
SELECT seg, version FROM graph_segments WHERE ns = ? ORDER BY seg;

-- name: graph_stamp
-- A number that changes whenever the graph of a namespace does.
SELECT coalesce(sum(version), 0) FROM graph_segments WHERE ns = ?;

-- name: graph_edges
-- The edges that some files of a namespace say, with the row of the memory that each was read from.
SELECT e.edge, e.file, e.source, e.target, e.type, e.confidence, e.valid_from, e.valid_until, e.recorded, coalesce(m.row, -1)
FROM edges e CROSS JOIN sources s ON s.file = e.file LEFT JOIN memories m ON m.id = e.memory_id AND m.ns = s.ns
WHERE e.file BETWEEN ?2 AND ?3 AND s.ns = ?1;

-- name: graph_homes
-- The rows of some files of a namespace that answer for nodes.
SELECT h.node, h.row FROM homes h CROSS JOIN sources s ON s.file = h.file WHERE h.file BETWEEN ?2 AND ?3 AND s.ns = ?1;

-- name: redirects
-- The nodes of a namespace that no file defines and that are another name of exactly one other, and that one.
SELECT n.node, min(a.node) FROM nodes n CROSS JOIN aliases a ON a.ns = n.ns AND a.key = n.key
WHERE n.ns = ? AND NOT n.defined AND a.node <> n.node GROUP BY n.node HAVING min(a.node) = max(a.node);

-- name: shared_names
-- The names of a namespace that are no own name of what a file defines and another name of several nodes: what these are
-- called, a JSON list.
SELECT a.key, json_group_array(DISTINCT n.name) FROM aliases a CROSS JOIN nodes n ON n.node = a.node
WHERE a.ns = ? AND NOT EXISTS (SELECT 1 FROM nodes o WHERE o.ns = a.ns AND o.key = a.key AND o.defined)
GROUP BY a.key HAVING min(a.node) < max(a.node);

-- name: find_keys
-- For each of some keys, a JSON list, of a namespace: the node that has it, whether a file defines that, and the one
-- whose other name it is, if there is exactly one.
SELECT w.value, n.node, n.defined, n.name, n.type,
  (SELECT iif(min(a.node) = max(a.node), min(a.node), NULL) FROM aliases a WHERE a.ns = ?1 AND a.key = w.value AND a.node IS NOT n.node)
FROM json_each(?2) w LEFT JOIN nodes n ON n.ns = ?1 AND n.key = w.value ORDER BY w.key;

-- name: numbered
-- The first nodes of a namespace that files define and whose keys are a word and a number.
SELECT node FROM nodes WHERE ns = ?1 AND defined AND key >= ?2 || '-' AND key < ?2 || '.' AND key GLOB ?2 || '-[0-9]*'
ORDER BY key LIMIT ?3;

-- name: nodes_of
-- The nodes of a namespace with their keys.
SELECT node, key FROM nodes WHERE ns = ?;

-- name: nodes
-- Some nodes, a JSON list, of a namespace, in order. What a memory or an episode is, its own table says.
SELECT n.node, n.key, n.name, n.type, CASE n.type
  WHEN 'Memory' THEN EXISTS (SELECT 1 FROM memories m WHERE m.id = n.key AND m.ns = n.ns)
  WHEN 'Episode' THEN EXISTS (SELECT 1 FROM episodes e WHERE e.id = n.key AND e.ns = n.ns)
  ELSE n.defined END
FROM json_each(?2) w CROSS JOIN nodes n ON n.node = w.value AND n.ns = ?1 ORDER BY w.key;

-- name: entities
-- Every entity of a namespace that is no memory and no episode, or those of some types (a JSON list, null for all).
SELECT node, key, name, type, defined FROM nodes WHERE ns = ?1 AND type NOT IN ('Memory', 'Episode')
AND (?2 IS NULL OR type IN (SELECT value FROM json_each(?2))) ORDER BY key;

-- name: memory_homes
-- The rows of those of some nodes, a JSON list, that are memories.
SELECT n.node, m.row FROM json_each(?2) w CROSS JOIN nodes n ON n.node = w.value AND n.ns = ?1 AND n.type = 'Memory'
CROSS JOIN memories m ON m.id = n.key AND m.ns = n.ns;

-- name: edges_at
-- Some edges: a JSON list of pairs, of a file and an edge, in order.
SELECT e.source, e.target, e.type, e.memory_id, e.section, e.confidence, e.valid_from, e.valid_until, e.recorded, e.anchor
FROM json_each(?) w CROSS JOIN edges e ON e.file = w.value ->> 0 AND e.edge = w.value ->> 1 ORDER BY w.key;

-- name: headings
-- The headings of those of some rows, a JSON list, that have one.
SELECT h.row, h.heading FROM json_each(?) w CROSS JOIN homes h ON h.row = w.value WHERE h.heading <> '';

-- name: node_of_key
-- The node of a key.
SELECT node FROM nodes n JOIN namespaces s ON s.ns = n.ns WHERE s.name = ? AND n.key = ?;

-- name: states_of_key
-- The states of the entity of a key, oldest first.
SELECT t.valid_from, t.valid_until, t.event, t.cause, t.props FROM states t JOIN nodes n ON n.node = t.node JOIN namespaces s ON s.ns = n.ns
WHERE s.name = ? AND n.key = ? ORDER BY t.valid_from;

-- name: first_known
-- Since when the entity of a key was spoken of, as far as edges were written down by an instant; and the last of it.
SELECT (SELECT min(e.valid_from) FROM edges e WHERE (e.source = n.node OR e.target = n.node) AND e.recorded <= ?3),
  (SELECT max(f.until) FROM entity_facts f WHERE f.node = n.node)
FROM nodes n JOIN namespaces s ON s.ns = n.ns WHERE s.name = ?1 AND n.key = ?2;

-- name: edges_of_namespace
-- The edges of a namespace with their ends and the file that says each. What was consolidated out of others says them since
-- it was written.
SELECT e.source, e.target, e.type, e.memory_id, e.section, e.confidence,
  iif(m.consolidated, min(max(e.valid_from, e.recorded), e.valid_until), e.valid_from),
  e.valid_until, e.recorded, e.anchor, s.path
FROM sources s JOIN edges e ON e.file = s.file LEFT JOIN memories m ON m.id = e.memory_id AND m.ns = s.ns
WHERE s.ns = ? ORDER BY s.path, e.edge;

-- name: edges_of_nodes
-- The same of the edges at some nodes, a JSON list.
SELECT e.source, e.target, e.type, e.memory_id, e.section, e.confidence,
  iif(m.consolidated, min(max(e.valid_from, e.recorded), e.valid_until), e.valid_from),
  e.valid_until, e.recorded, e.anchor, s.path
FROM edges e JOIN sources s ON s.file = e.file LEFT JOIN memories m ON m.id = e.memory_id AND m.ns = s.ns
WHERE (e.source IN (SELECT value FROM json_each(?2)) OR e.target IN (SELECT value FROM json_each(?2))) AND s.ns = ?1
ORDER BY s.path, e.edge;

-- name: keys_of
-- The keys of some nodes, a JSON list.
SELECT n.node, n.key FROM json_each(?) w CROSS JOIN nodes n ON n.node = w.value;

-- name: documents
-- Every document of a namespace, by root and path.
SELECT d.record, s.path FROM documents d JOIN sources s ON s.file = d.file JOIN namespaces n ON n.ns = s.ns
WHERE n.name = ? ORDER BY d.root, d.source, s.path;

-- name: homes_by_key
-- The rows of a file that answer for nodes, by id and key.
SELECT m.id, n.key FROM homes h JOIN memories m ON m.row = h.row JOIN nodes n ON n.node = h.node WHERE h.file = ? ORDER BY m.id, n.key;
