"""A stretch of a coding session in, what was said in it that will matter later out: read by its structure first."""
