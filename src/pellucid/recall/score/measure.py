"""A pool in, features of each candidate out: its cosine, and which query words it contains."""

from dataclasses import replace

from pellucid.recall.state import State, World


def measure(state: State, world: World) -> State:
    """Read each candidate's cosine to the query and which query words it contains, once, for all later stages."""
    rows, encoding = state.pool.rows, state.plan.encoding
    features = world.reader.features(rows, encoding.vector if encoding else None, state.plan.stems)
    pool = replace(state.pool, cosine=features.cosine, matched=features.matched)
    return replace(state, features=features, pool=pool)
