"""Observations and edits in, decisions and index rows out: what becomes of a memory."""
