"""A session or an agent in, all that a home holds of it out: as lines, or away for good."""
