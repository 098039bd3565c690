-- What was pinned or cited by somebody stays in full. What was only seen to be worked with stays longer than the rest (see
-- `prune`), and no longer beyond the caps: agents quote so much that everything would stay.
DROP VIEW held;
CREATE VIEW held AS SELECT recall_id FROM pins UNION SELECT recall_id FROM citations WHERE source = 'explicit';
