"""Answers of recalls, and about recalls, in, text for a person out."""
