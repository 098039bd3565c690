-- The graph: what files say of named things, the states that follow from it, and how memories stood before. Everything
-- is folded again, the ledger too: the rows that stand here have none of it. Times are epoch milliseconds.
ALTER TABLE memories ADD COLUMN status TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN invalid_at INTEGER;
ALTER TABLE memories ADD COLUMN expires_at INTEGER;
-- Whether it was made out of other memories: then it holds, at the earliest, from when it was written.
ALTER TABLE memories ADD COLUMN consolidated INTEGER NOT NULL DEFAULT 0;

-- canonical: of ours; another one goes with the last entity of its type.
CREATE TABLE entity_types (type TEXT PRIMARY KEY, canonical INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO entity_types (type, canonical) VALUES
  ('Document', 1), ('Specification', 1), ('Decision', 1), ('Thing', 1), ('Person', 1), ('Project', 1), ('Memory', 1), ('Episode', 1);

-- node: a hash of the namespace's name and the key, the next free number where two meet. type: INSTANCE_OF, exactly one.
-- since: where the chain of states begins, so that there is one at least; memories and episodes have none.
CREATE TABLE nodes (
  node INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL REFERENCES entity_types(type),
  defined INTEGER NOT NULL,
  since INTEGER,
  UNIQUE (ns, key),
  CHECK ((since IS NULL) = (type IN ('Memory', 'Episode'))),
  FOREIGN KEY (node, since) REFERENCES states(node, valid_from) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX nodes_type ON nodes(type);
CREATE INDEX nodes_undefined ON nodes(ns) WHERE NOT defined;

-- The states of an entity: one chain, adjoining, at most one of them open. valid_until NULL: open. succeeds: where the
-- state before it ends; NULL: it is the first.
CREATE TABLE states (
  node INTEGER NOT NULL REFERENCES nodes(node),
  valid_from INTEGER NOT NULL,
  valid_until INTEGER,
  succeeds INTEGER,
  props TEXT NOT NULL,
  event TEXT NOT NULL,
  cause TEXT NOT NULL,
  PRIMARY KEY (node, valid_from),
  UNIQUE (node, valid_until),
  CHECK (valid_until IS NULL OR valid_from < valid_until),
  CHECK (succeeds IS NULL OR succeeds = valid_from),
  FOREIGN KEY (node, succeeds) REFERENCES states(node, valid_until) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;
CREATE UNIQUE INDEX states_open ON states(node) WHERE valid_until IS NULL;
CREATE UNIQUE INDEX states_first ON states(node) WHERE succeeds IS NULL;

-- The files that say something of the graph; what one says is replaced as a whole.
CREATE TABLE sources (
  file INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  path TEXT NOT NULL UNIQUE
);

CREATE TABLE documents (
  file INTEGER PRIMARY KEY REFERENCES sources(file),
  root TEXT NOT NULL,
  source TEXT NOT NULL,
  record TEXT NOT NULL
);

-- mentioned: 0 where the file defines it. The first row of a node is what names it.
CREATE TABLE entity_facts (
  node INTEGER NOT NULL REFERENCES nodes(node),
  mentioned INTEGER NOT NULL,
  since INTEGER NOT NULL,
  name TEXT NOT NULL,
  file INTEGER NOT NULL REFERENCES sources(file),
  type TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (node, mentioned, since, name, file)
) WITHOUT ROWID;
CREATE INDEX entity_facts_file ON entity_facts(file);

-- edge: a hash of all that it says and of the file's path. type: a place in EDGE_TYPES.
CREATE TABLE edges (
  file INTEGER NOT NULL REFERENCES sources(file),
  edge INTEGER NOT NULL,
  source INTEGER NOT NULL REFERENCES nodes(node),
  target INTEGER NOT NULL REFERENCES nodes(node),
  type INTEGER NOT NULL,
  memory_id TEXT NOT NULL,
  section TEXT NOT NULL,
  confidence REAL NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  recorded INTEGER NOT NULL,
  anchor TEXT NOT NULL,
  PRIMARY KEY (file, edge),
  CHECK (valid_from < valid_until)
) WITHOUT ROWID;
CREATE INDEX edges_source ON edges(source);
CREATE INDEX edges_target ON edges(target);

CREATE TABLE claims (
  claim INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES sources(file),
  node INTEGER NOT NULL REFERENCES nodes(node),
  attribute TEXT NOT NULL,
  value TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  recorded INTEGER NOT NULL,
  retired_by TEXT NOT NULL,
  CHECK (valid_from < valid_until)
);
CREATE INDEX claims_file ON claims(file);
CREATE INDEX claims_node ON claims(node);

CREATE TABLE aliases (
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  key TEXT NOT NULL,
  node INTEGER NOT NULL REFERENCES nodes(node),
  file INTEGER NOT NULL REFERENCES sources(file),
  PRIMARY KEY (ns, key, node, file)
) WITHOUT ROWID;
CREATE INDEX aliases_node ON aliases(node);
CREATE INDEX aliases_file ON aliases(file);

-- Rows that answer for nodes. heading: of a section.
CREATE TABLE homes (
  file INTEGER NOT NULL REFERENCES sources(file),
  row INTEGER NOT NULL,
  node INTEGER NOT NULL REFERENCES nodes(node),
  heading TEXT NOT NULL,
  PRIMARY KEY (file, row, node)
) WITHOUT ROWID;
CREATE INDEX homes_node ON homes(node);
CREATE INDEX homes_row ON homes(row);

-- 64 files a segment; its version tells a warm reader what to read again.
CREATE TABLE graph_segments (ns INTEGER, seg INTEGER, version INTEGER NOT NULL, PRIMARY KEY (ns, seg)) WITHOUT ROWID;

-- How a memory stood before a row of the ledger. before: JSON of what that row changed of status, trustZone, validAt,
-- invalidAt and expiresAt.
CREATE TABLE standings (
  memory_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ns INTEGER NOT NULL REFERENCES namespaces(ns),
  at INTEGER NOT NULL,
  before TEXT NOT NULL,
  PRIMARY KEY (memory_id, seq)
) WITHOUT ROWID;
CREATE INDEX standings_at ON standings(ns, at);

UPDATE meta SET value = '0' WHERE key IN ('appliedSeq', 'ledgerSeq');
