"""New statements and what is kept in, decisions out: what is new, said again, replaced, or disputed."""
