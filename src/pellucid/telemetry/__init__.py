"""Recalls and operations that are done in, what they report of themselves out: to whoever watches a home."""
