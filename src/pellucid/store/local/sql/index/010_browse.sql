-- The newest of a namespace are listed without a look at all of it.
CREATE INDEX memories_created ON memories(ns, created DESC, id, category, status, session_id);
