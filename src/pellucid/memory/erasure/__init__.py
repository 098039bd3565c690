"""Memories to forget in, all that must go with them out, and the keys that recognise forgotten words."""
