-- What callers filter by, what ranking reads beside the text, and which files a memory speaks of. Folded again.
ALTER TABLE memories ADD COLUMN category TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN agent TEXT;
-- about: who said it, or whom it is about (an entity key); asks: it only asks; direct: bits, see `index.direct_bits`.
ALTER TABLE memories ADD COLUMN about TEXT;
ALTER TABLE memories ADD COLUMN asks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN direct INTEGER NOT NULL DEFAULT 0;

CREATE TABLE tags (ns INTEGER NOT NULL, tag TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (ns, tag, row)) WITHOUT ROWID;
CREATE INDEX tags_row ON tags(row);

-- path: casefolded, as it was written; name: its last part.
CREATE TABLE mentions (
  ns INTEGER NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (ns, name, path, row)
) WITHOUT ROWID;
CREATE INDEX mentions_row ON mentions(row);

UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
