"""A namespace or a session in, briefs of sessions, their turns and the statements left out of them out."""
