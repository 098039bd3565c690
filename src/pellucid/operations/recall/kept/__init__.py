"""Recorded recalls in, lists of them, and their snapshots, contexts, events and timings out."""
