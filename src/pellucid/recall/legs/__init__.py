"""A plan in, ranked candidates out: one module a leg, and the pool that they make together.

Legs use the array types of `score.equation`; stages use the table of legs (`nominate.LEGS`) and `pool.join`.
"""
