"""A stretch of recalls in, what they came to out: what was found, what it cost, what was worked with."""
