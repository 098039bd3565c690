"""Memories that age in, passes over them and reports on them out."""
