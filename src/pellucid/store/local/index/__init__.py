"""Folded records in, ranked rows out: `index.db` and the warm columns over it."""
