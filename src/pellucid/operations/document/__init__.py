"""A request about documents in, the answer out: what is indexed, kept, closed and listed."""
