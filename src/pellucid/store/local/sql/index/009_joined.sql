-- Names of code are found by the words they are written of, too. Folded again.
UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
