"""Recalls in, their receipts, events, uses and citations out: the ports of `history.db`."""
