"""A session or an agent in, all data that a home has of it out: exported as lines, or erased for good."""
