"""A plan in, ranked candidates out: one module a leg, and the pool that they make together."""
