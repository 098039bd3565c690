-- Who says that a memory was cited: somebody ('explicit'), or what was seen to be done with it ('automatic'). Then
-- `evidence` is the kind of sign, and its words stand in `queries` like those of a note.
ALTER TABLE citations ADD COLUMN source TEXT NOT NULL DEFAULT 'explicit';
ALTER TABLE citations ADD COLUMN evidence TEXT;

-- Words that quote a memory go with it.
DROP VIEW worded;
CREATE VIEW worded AS
SELECT recall_id, namespace, NULL AS memory_id FROM receipts
UNION ALL SELECT citation_id, namespace, memory_id FROM citations;
