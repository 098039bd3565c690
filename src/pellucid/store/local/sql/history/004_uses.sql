-- What somebody did with a memory, apart from being served it: once in each way (kind) on each occasion, which is a
-- session, or a day. No words.
CREATE TABLE uses (
  namespace TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  occasion TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (namespace, memory_id, kind, occasion)
) WITHOUT ROWID;
