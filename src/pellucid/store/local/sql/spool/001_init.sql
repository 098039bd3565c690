-- The spool: turns of live sessions between their arrival and the commit of what became of them.
CREATE TABLE turns (
  place INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  namespace TEXT NOT NULL,
  session_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  spooled_at INTEGER NOT NULL,
  turn TEXT NOT NULL
);
CREATE INDEX turns_session ON turns(namespace, session_id, ordinal);

-- last: the greatest number ever spooled, which outlives the turns; attempts and problem: since something was kept.
CREATE TABLE sessions (
  namespace TEXT NOT NULL,
  session_id TEXT NOT NULL,
  last INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  problem TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (namespace, session_id)
) WITHOUT ROWID;
