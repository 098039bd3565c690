"""A pool of candidates in, their terms, verdicts and order out: one module a stage."""
