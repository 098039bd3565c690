"""Transcript files in, redacted turns and segments out: the room where raw sessions enter and secrets stay outside."""
