"""Transcript files in, raw numbered turns out: one file a format, each a streaming reader."""
