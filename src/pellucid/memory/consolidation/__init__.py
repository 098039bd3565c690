"""Kept memories in, what can be made of those that say the same or contradict each other out."""
