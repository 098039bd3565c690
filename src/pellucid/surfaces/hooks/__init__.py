"""Agents' programs in, sessions that remember out: the client that their hooks run, and how it is set up."""
