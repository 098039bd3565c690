"""A transcript's lines in, raw turns out: one module a format, and what two formats share."""
