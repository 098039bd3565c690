"""A pool in, what is true of each candidate by itself out: its cosine, and which query words it holds."""

from dataclasses import replace

from pellucid.recall.state import State, World


def measure(state: State, world: World) -> State:
    """Read each candidate's cosine to the query and which query words it holds, once, for all later stages."""
    rows, encoding = state.pool.rows, state.plan.encoding
    features = world.reader.features(rows, encoding.vector if encoding else None, state.plan.stems)
    pool = replace(state.pool, cosine=features.cosine, matched=features.matched)
    return replace(state, features=features, pool=pool)
