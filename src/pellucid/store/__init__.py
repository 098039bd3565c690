"""Rows and bytes in, rows and bytes out: the ports of storage, and one folder a backend."""
