"""A snapshot and a format in, one text out."""
