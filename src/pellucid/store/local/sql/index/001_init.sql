-- The index: a fold of the record, deletable at any moment.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE namespaces (ns INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- refused: it holds an id that another file holds; looked at again when any id becomes free.
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  op_id TEXT,
  refused INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Times are epoch milliseconds; valid_until is the earlier of invalidAt and expiresAt.
CREATE TABLE memories (
  row INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  id TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL,
  digest BLOB NOT NULL,
  created INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  active INTEGER NOT NULL,
  trusted INTEGER NOT NULL,
  boundary INTEGER NOT NULL,
  session_id TEXT,
  ordinal INTEGER NOT NULL,
  importance REAL NOT NULL,
  pinned INTEGER NOT NULL,
  op_id TEXT,
  content_hash TEXT NOT NULL,
  record TEXT NOT NULL
);
CREATE INDEX memories_path ON memories(path);
CREATE INDEX memories_digest ON memories(digest);
CREATE INDEX memories_content_hash ON memories(content_hash);

-- 1,024 rows a segment; a segment's version tells a warm reader what to read again.
CREATE TABLE segments (ns INTEGER, seg INTEGER, version INTEGER NOT NULL, PRIMARY KEY (ns, seg)) WITHOUT ROWID;

-- vec: float16[384], or NULL when no encoder was to be had; codes: 16 bytes a token; terms: uint32 a distinct stem, in
-- order, and counts: uint8, how often each stands there (at most 255); length: stems in all.
CREATE TABLE features (
  row INTEGER PRIMARY KEY,
  vec BLOB,
  codes BLOB NOT NULL,
  terms BLOB NOT NULL,
  counts BLOB NOT NULL,
  length INTEGER NOT NULL
);
