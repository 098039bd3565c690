"""What travels between the rooms, without any I/O: turns, observations, memories, queries, receipts, snapshots."""
