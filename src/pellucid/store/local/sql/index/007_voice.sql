-- `direct` says whose words a memory holds, too. Folded again.
UPDATE meta SET value = '0' WHERE key = 'appliedSeq';
