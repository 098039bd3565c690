-- A section says that its document holds no more, and whom a memory is about may be a file. Folded again.
UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
