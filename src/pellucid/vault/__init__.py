"""Memories in, Markdown files out, and back: what a person reads and edits."""
