-- What is said to somebody of `you` is about them. Folded again.
UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
