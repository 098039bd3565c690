-- name: put_receipt
-- One recall.
INSERT INTO receipts (recall_id, at, namespace, session_id, served, packed, apart) VALUES (?, ?, ?, ?, ?, ?, 1);

-- name: put_query
-- The words of a recall.
INSERT INTO queries (recall_id, query) VALUES (?, ?);

-- name: receipt
-- A receipt and the query it belongs to, within its namespace.
SELECT packed, coalesce(query, x'') FROM receipts LEFT JOIN queries USING (recall_id)
WHERE recall_id = ? AND namespace = ? AND packed IS NOT NULL;

-- name: audit
-- What a recall served, within its namespace.
SELECT served, at FROM receipts WHERE recall_id = ? AND namespace = ?;

-- name: counts
-- How much is kept in full.
SELECT count(*), coalesce(sum(length(packed)), 0) FROM receipts WHERE packed IS NOT NULL;

-- name: prune
-- Old receipts, and all but the newest, by number and by bytes, keep their results only; those that are held stay. Those
-- that were cited are old later.
UPDATE receipts SET packed = NULL
WHERE packed IS NOT NULL AND (
  at < ?1 AND (at < ?4 OR recall_id NOT IN (SELECT recall_id FROM citations))
  OR recall_id < (SELECT min(recall_id) FROM (SELECT recall_id FROM receipts ORDER BY recall_id DESC LIMIT ?2))
  OR recall_id <= (
    SELECT max(recall_id) FROM (
      SELECT recall_id, sum(length(packed)) OVER (ORDER BY recall_id DESC) AS bytes FROM receipts
      WHERE packed IS NOT NULL
    ) WHERE bytes > ?3
  )
) AND recall_id NOT IN (SELECT recall_id FROM held)
RETURNING recall_id;

-- name: drop_query
-- The words of a recall whose receipt was emptied.
DELETE FROM queries WHERE recall_id = ?;

-- name: recalls
-- A page of the recalls of a namespace, newest first: from a time on, those before a given one, that fit the filters.
SELECT recall_id, listed.at, listed.session_id, served_count, in_full, pinned, query,
  agent, surface, query_class, outcome, degraded
FROM listed LEFT JOIN recall_events USING (recall_id)
WHERE listed.namespace = ?1 AND listed.at >= ?2 AND (listed.at, recall_id) < (?3, ?4)
  AND (?5 IS NULL OR agent = ?5) AND (?6 IS NULL OR query_class = ?6) AND (?7 IS NULL OR outcome = ?7)
  AND (?8 = 0 OR degraded) AND (?9 = '' OR iif(length(CAST(query AS TEXT)) = length(query), instr(lower(CAST(query AS TEXT)), ?9), asks(query, ?9)))
ORDER BY listed.at DESC, recall_id DESC LIMIT ?10;

-- name: recalls_that
-- The same of those that went so: by agent, class, outcome and whether a part failed.
SELECT recall_id, listed.at, listed.session_id, served_count, in_full, pinned, query,
  agent, surface, query_class, outcome, degraded
FROM (
  SELECT recall_id, at FROM recall_events
  WHERE namespace = ?1 AND at >= ?2 AND (at, recall_id) < (?3, ?4) AND (?5 IS NULL OR agent = ?5)
    AND (?6 IS NULL OR query_class = ?6) AND (?7 IS NULL OR outcome = ?7) AND (?8 = 0 OR degraded)
  ORDER BY at DESC, recall_id DESC
) AS went CROSS JOIN listed USING (recall_id) CROSS JOIN recall_events USING (recall_id)
WHERE ?9 = '' OR iif(length(CAST(query AS TEXT)) = length(query), instr(lower(CAST(query AS TEXT)), ?9), asks(query, ?9))
ORDER BY went.at DESC, recall_id DESC LIMIT ?10;

-- name: recalls_of_session
-- The same of one session.
SELECT recall_id, listed.at, listed.session_id, served_count, in_full, pinned, query,
  agent, surface, query_class, outcome, degraded
FROM listed LEFT JOIN recall_events USING (recall_id)
WHERE listed.namespace = ?1 AND listed.at >= ?2 AND (listed.at, recall_id) < (?3, ?4)
  AND (?5 IS NULL OR agent = ?5) AND (?6 IS NULL OR query_class = ?6) AND (?7 IS NULL OR outcome = ?7)
  AND (?8 = 0 OR degraded) AND (?9 = '' OR iif(length(CAST(query AS TEXT)) = length(query), instr(lower(CAST(query AS TEXT)), ?9), asks(query, ?9))) AND listed.session_id = ?11
ORDER BY listed.at DESC, recall_id DESC LIMIT ?10;

-- name: recalls_serving
-- The same of those that served a memory, each with the memory's place in it, from 0.
SELECT recall_id, listed.at, listed.session_id, served_count, in_full, pinned, query,
  agent, surface, query_class, outcome, degraded, (SELECT key FROM json_each(served) WHERE value ->> 0 = ?)
FROM listed JOIN (SELECT recall_id, served FROM receipts) USING (recall_id) LEFT JOIN recall_events USING (recall_id)
WHERE listed.namespace = ? AND listed.at >= ? AND (listed.at, recall_id) < (?, ?) AND instr(served, ?)
ORDER BY listed.at DESC, recall_id DESC LIMIT ?;

-- name: times_served
-- How many recalls since a time served a memory.
SELECT count(*) FROM receipts WHERE instr(served, ?) AND namespace = ? AND at >= ?;

-- name: recall
-- One recall as it is listed.
SELECT recall_id, listed.at, listed.session_id, served_count, in_full, pinned, query,
  agent, surface, query_class, outcome, degraded
FROM listed LEFT JOIN recall_events USING (recall_id)
WHERE recall_id = ? AND listed.namespace = ?;

-- name: pin
-- Hold a receipt, if it is of this namespace.
INSERT OR IGNORE INTO pins (recall_id) SELECT recall_id FROM receipts WHERE recall_id = ? AND namespace = ?;

-- name: unpin
-- Let a receipt go again, if it is of this namespace.
DELETE FROM pins WHERE recall_id IN (SELECT recall_id FROM receipts WHERE recall_id = ? AND namespace = ?);

-- name: put_use
-- One use; the same on the same occasion is only later.
INSERT INTO uses (namespace, memory_id, kind, occasion, at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET at = max(at, excluded.at);

-- name: uses
-- How often, on how many occasions and when last each memory was used.
SELECT memory_id, count(*), count(DISTINCT occasion), max(at)
FROM uses WHERE namespace = ? AND at >= ? GROUP BY memory_id ORDER BY memory_id;

-- name: exposure
-- How often, in how many sessions and when last each memory was served.
SELECT value ->> 0 AS memory_id, count(*), count(DISTINCT session_id), max(at)
FROM receipts, json_each(served) WHERE namespace = ? AND at >= ? GROUP BY memory_id ORDER BY memory_id;

-- name: served_since
-- What recalls served on or after a day.
SELECT memory_id FROM served_memories WHERE namespace = ? AND last_day >= ?;

-- name: outdone
-- What was seen of a memory on an occasion goes where somebody says the same of it, or that it was of no use.
DELETE FROM citations WHERE namespace = ? AND memory_id = ? AND occasion = ? AND source = 'automatic' AND (kind = ? OR ?)
RETURNING citation_id;

-- name: refused
-- Whether somebody said of a memory on an occasion that it was of no use.
SELECT count(*) FROM citations
WHERE namespace = ? AND memory_id = ? AND occasion = ? AND source = 'explicit'
  AND kind NOT IN (SELECT value FROM json_each(?));

-- name: put_citation
-- One citation, unless the same was made on this occasion.
INSERT INTO citations (namespace, memory_id, kind, occasion, citation_id, recall_id, agent, at, source, evidence)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, memory_id, kind, occasion) DO NOTHING
RETURNING citation_id;

-- name: citations
-- What was cited on an occasion, in the order of it, with the words of the notes.
SELECT memory_id, kind, citations.recall_id, occasion, agent, at, coalesce(query, x''), source, evidence
FROM citations LEFT JOIN queries ON queries.recall_id = citation_id
WHERE namespace = ? AND occasion = ? ORDER BY at, citation_id;

-- name: citations_of_memory
-- The same of one memory, on every occasion.
SELECT memory_id, kind, citations.recall_id, occasion, agent, at, coalesce(query, x''), source, evidence
FROM citations LEFT JOIN queries ON queries.recall_id = citation_id
WHERE namespace = ? AND memory_id = ? ORDER BY at, citation_id;

-- name: citations_of_recall
-- The same of what one recall served, and of the recall as a whole.
SELECT memory_id, kind, citations.recall_id, occasion, agent, at, coalesce(query, x''), source, evidence
FROM citations LEFT JOIN queries ON queries.recall_id = citation_id
WHERE namespace = ? AND citations.recall_id = ? ORDER BY at, citation_id;

-- name: citations_against
-- What was cited in some ways, a JSON list of kinds, in the order of it, with the words of the notes.
SELECT memory_id, kind, citations.recall_id, occasion, agent, at, coalesce(query, x''), source, evidence
FROM citations LEFT JOIN queries ON queries.recall_id = citation_id
WHERE namespace = ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY at, citation_id;

-- name: served
-- What the recalls of a session served since a time: which recall, when, its words, which memories; the newest first.
SELECT recall_id, at, coalesce(query, x''), value ->> 0
FROM receipts LEFT JOIN queries USING (recall_id) LEFT JOIN json_each(served)
WHERE namespace = ? AND at >= ? AND session_id IS ? ORDER BY at DESC, recall_id DESC, key;

-- name: serving
-- The newest recall of a session in a span of time that served a memory.
SELECT recall_id FROM receipts
WHERE namespace = ? AND at BETWEEN ? AND ? AND session_id IS ?
  AND EXISTS (SELECT 1 FROM json_each(served) WHERE value ->> 0 = ?)
ORDER BY at DESC, recall_id DESC LIMIT 1;

-- name: queries
-- The words of every recall and citation, whether it was one of this namespace, and of which memory.
SELECT recall_id, query, namespace = ?, memory_id FROM queries JOIN worded USING (recall_id);

-- name: clear_queries
-- Every query goes (those that stay are put back): only then does each page of the table go, too, overwritten.
DELETE FROM queries;

-- name: empty_old
-- Receipts from before the words stood apart: nobody here can say which words they hold.
UPDATE receipts SET packed = NULL WHERE namespace = ? AND apart = 0 AND packed IS NOT NULL RETURNING recall_id;

-- name: owed
-- Whether receipts were emptied that may have held words, and the file was not written anew since.
SELECT count(*) FROM receipts WHERE apart = 0 AND packed IS NULL;

-- name: paid
-- The file was written anew: nothing is left of them.
UPDATE receipts SET apart = 1 WHERE apart = 0 AND packed IS NULL;

-- name: put_event
-- How a recall went.
INSERT INTO recall_events (recall_id, at, namespace, session_id, agent, surface, query_class, depth, outcome, found,
  selected, payload_bytes, payload_tokens, millis, degraded, legs)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_failure
-- What went wrong in one.
INSERT INTO failures (recall_id, code, place) VALUES (?, ?, ?);

-- name: event
-- How one recall went, within its namespace.
SELECT agent, surface, query_class, depth, outcome, found, selected, payload_bytes, payload_tokens, millis, degraded,
  legs, code, place
FROM recall_events LEFT JOIN failures USING (recall_id) WHERE recall_id = ? AND namespace = ?;

-- name: failed_before
-- Recalls that failed before a time: no receipt says how long their words stay.
SELECT recall_id FROM recall_events WHERE outcome = 'failed' AND at < ?;

-- name: lifts_due
-- What legs did for these memories is not worked out yet.
SELECT recall_id, memory_id FROM lifts_due WHERE namespace = ? ORDER BY recall_id DESC, memory_id;

-- name: put_lift
-- Where a memory stood with a leg, and without it; of a recall without an event, nothing.
INSERT OR REPLACE INTO leg_lifts
SELECT namespace, ?, recall_id, ?, ?, ?, date(at / 1000, 'unixepoch'), agent, query_class, depth, surface
FROM recall_events WHERE recall_id = ? AND namespace = ?;

-- name: lift_done
-- It is worked out.
DELETE FROM lifts_due WHERE namespace = ? AND recall_id = ? AND memory_id = ?;
-- name: last_event_beyond
-- The newest of the events that are too many.
SELECT recall_id FROM recall_events ORDER BY recall_id DESC LIMIT 1 OFFSET ?;

-- name: keep_sums
-- What old events weigh in the sums of their days, once more: their going takes it off once. Ids begin with their time.
INSERT INTO weighed SELECT 1, date(at / 1000, 'unixepoch'), * FROM recall_events WHERE recall_id <= ?;

-- name: drop_events
-- Old events.
DELETE FROM recall_events WHERE recall_id <= ? RETURNING recall_id;

-- name: drop_citations
-- Old citations, after the events that they count for.
DELETE FROM citations WHERE citation_id <= ? RETURNING citation_id;

-- name: recalls_of
-- The recalls of a session, or of an agent.
SELECT recall_id FROM receipts WHERE namespace = ?1 AND session_id = ?2
UNION SELECT recall_id FROM recall_events WHERE namespace = ?1 AND (session_id = ?2 OR agent = ?3);

-- name: unattributed
-- Receipts from before there were events, or whose event is gone: who asked stands in the receipt alone.
SELECT recall_id, packed FROM receipts
WHERE namespace = ? AND packed IS NOT NULL AND recall_id NOT IN (SELECT recall_id FROM recall_events);

-- name: citations_of
-- The citations that a session or an agent made, and those of its recalls.
SELECT citation_id FROM citations
WHERE namespace = ?1 AND (occasion = ?2 OR agent = ?3 OR recall_id IN (SELECT value FROM json_each(?4)));

-- name: uses_of
-- What a session used.
SELECT memory_id, kind, at FROM uses WHERE namespace = ? AND occasion = ? ORDER BY at, memory_id;

-- name: drop_uses_of
-- The same, away.
DELETE FROM uses WHERE namespace = ? AND occasion = ?;

-- name: drop_sums_of
-- The sums of an agent's days whose events are gone already.
DELETE FROM recall_days WHERE namespace = ? AND agent = ?;

-- name: tables_of_recalls
-- Every table that says something of a recall by its id; those that are there are those that are emptied.
SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND c.name = 'recall_id' ORDER BY m.name;

-- name: columns
-- The columns of a table, in order.
SELECT name FROM pragma_table_info(?);

-- name: put_husk
-- Until this is gone the file is owed to be written anew.
INSERT OR IGNORE INTO receipts (recall_id, at, namespace, served, apart) VALUES ('', 0, '', '[]', 0);

-- name: husk_gone
-- The file was written anew.
DELETE FROM receipts WHERE namespace = '';
