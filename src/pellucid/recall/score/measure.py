"""A pool in, features of each candidate out: its cosine, and which query words it contains."""

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.language import lexicon
from pellucid.recall.state import State, World


def measure(state: State, world: World) -> State:
    """Read each candidate's features: its vector, its cosine to the query, and which query words it contains.

    Return the state with them as `features`, and with the cosines and the words also in its pool.
    """
    # of all alike: legs know the cosines of their own hits alone, and vectors of words met or neighbours are in none
    rows, encoding = state.pool.rows, state.plan.encoding
    features = world.reader.features(rows, encoding.vector if encoding else None, state.plan.stems)
    features = replace(features, matched=_truly_matched(state, world, features.matched))
    pool = replace(state.pool, cosine=features.cosine, matched=features.matched)
    return replace(state, features=features, pool=pool)


def _truly_matched(state: State, world: World, matched: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return `matched`, which query words each candidate contains as bits, without false matches of words whose stem is
    that of an English function word.

    `Ines` has the stem of `in`, which is nearly everywhere, so for such a word the texts are read. English function
    words only, as stems are English: `hats` is to match `hat`, though `hat` is a function word in German.
    """
    plan, out = state.plan, matched.copy()
    common = lexicon.words("function", codes=("en",))
    for i in (i for i in plan.telling if plan.stems[i] in common):
        at = np.flatnonzero(matched >> np.uint64(i) & np.uint64(1))
        word = re.compile(rf"(?<!\w){re.escape(plan.words[i])}(?!\w)", re.IGNORECASE)
        holds = [bool(word.search(each.memory.content)) for each in world.reader.memories(state.pool.rows[at])]
        out[at[~np.array(holds, dtype=np.bool_)]] &= ~np.uint64(1 << i)
    return out
