-- What a person should look at is found without a look at all of it: what is kept back or called into question; what
-- answers, with what says how old it is; what decayed.
CREATE INDEX memories_doubted ON memories(ns, id)
WHERE status IN ('pending_review', 'quarantined', 'disputed') OR (status = 'active' AND NOT trusted)
  OR json_array_length(record, '$.disputedWith') > 0;

CREATE INDEX memories_aging ON memories(
  ns, iif(record ->> 'validAt' IS NULL, created, valid_from), record ->> 'lastVerifiedAt', record ->> 'supersededBy',
  valid_until, category, pinned, record ->> 'assertedBy', created, id
) WHERE status = 'active' AND trusted;

CREATE INDEX folds_decayed ON folds(ns, record ->> 'decay');
