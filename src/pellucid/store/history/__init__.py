"""What recalls did in, what it tells of them out: receipts, events, uses, citations; the ports of `history.db`."""
