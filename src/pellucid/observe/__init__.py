"""Segments of turns in, judged observations out: extract, then importance, then judge."""
