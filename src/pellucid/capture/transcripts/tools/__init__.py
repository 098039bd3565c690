"""A tool call in a transcript in, what was said, written or decided by it out."""
