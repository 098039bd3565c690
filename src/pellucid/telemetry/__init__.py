"""Finished recalls and operations in, reports about them out: to every watcher of a home."""
