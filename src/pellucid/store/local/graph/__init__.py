"""What files say of named things in, nodes, edges and states out: rows of `index.db` and warm columns."""
