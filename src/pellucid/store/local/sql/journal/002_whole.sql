-- What the vault's own folder held when it was last written: by it a lost key, and a ledger that was cut or changed, show.

-- The file of each month of the ledger: its bytes, when it was written (nanoseconds), and a digest chained over its
-- lines; wanting: it was found otherwise since.
CREATE TABLE filed (
  month TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  chain BLOB NOT NULL,
  wanting INTEGER NOT NULL
) WITHOUT ROWID;

-- The fingerprint of the vault's key; one row at most.
CREATE TABLE vault_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  fingerprint BLOB NOT NULL
);
