"""A typed input in, a typed output out: everything Pellucid can be asked to do, one file a noun."""
