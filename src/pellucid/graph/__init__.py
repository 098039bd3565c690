"""Documents and memories in, entities, typed edges and states out: what hangs together, and since when."""
