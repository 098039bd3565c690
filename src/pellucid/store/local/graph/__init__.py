"""What files say of named things in, nodes, edges and states out: rows of `index.db` and warm columns.

One database with `store.local.index`, whose views of the past it uses; the index loads it when asked for it.
"""
