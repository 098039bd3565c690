"""New statements and stored memories in, decisions out: which are new, repeated, replaced, or disputed."""
