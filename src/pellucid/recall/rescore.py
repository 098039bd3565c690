"""A recorded pool in, the same scores and order out: the arithmetic of the stages, without any store or encoder."""

from dataclasses import replace

import numpy as np

from pellucid.recall.pipeline import replay
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import FILTERS
from pellucid.recall.state import Pool, State


def rescore(state: State) -> tuple[Pool, Ints]:
    """The pool with its terms and final scores, and the order of what passed the filters, from recorded columns.

    Gives what the live stages gave, to the last bit: it is their own terms, over the same columns.
    """
    rejected = state.pool.rejected
    filtered = np.where(rejected > len(FILTERS), 0, rejected).astype(np.uint8)
    again = replay(replace(state, pool=replace(state.pool, rejected=filtered)))
    return replace(again.pool, rejected=rejected), again.order
