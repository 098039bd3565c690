"""A pool in, what is true of each candidate by itself out: its cosine, and which query words it holds."""

from dataclasses import replace

from pellucid.recall.state import State, World


def measure(state: State, world: World) -> State:
    """Read each candidate's features once, for the ladder and the stages after it."""
    rows, encoding = state.pool.rows, state.plan.encoding
    features = world.reader.features(rows, encoding.vector if encoding else None, state.plan.stems)
    pool = replace(state.pool, cosine=features.cosine, matched=features.matched)
    return replace(state, features=features, pool=pool)
