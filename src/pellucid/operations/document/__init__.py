"""A request about documents in, the answer out: documents indexed, listed, shown and closed."""
