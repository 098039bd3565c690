"""Memories to forget in, all that must go with them out, and the keys that recognise forgotten words.

`memory.reconcile` asks `tombstone` what was forgotten; `revival` asks `reconcile.known` what is known again.
"""
