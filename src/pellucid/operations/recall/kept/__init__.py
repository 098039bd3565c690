"""Recalls that were: which there are, what is kept of each, what it gave, and how long its stages took."""
