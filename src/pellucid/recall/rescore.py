"""A recorded pool in, the same scores and order out: the arithmetic of the stages, without any store or encoder."""

from dataclasses import replace

import numpy as np

from pellucid.recall.pipeline import replay
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import FILTERS
from pellucid.recall.state import Pool, State


def rescore(state: State) -> tuple[Pool, Ints]:
    """Return the pool with the live terms and final scores, to the last bit, and the ranking, from recorded columns.

    Nothing else of the replayed state is true of the recall: it has the rung of `diversify` twice, and times `direct`
    anew.
    """
    rejected = state.pool.rejected  # cuts by later rungs stand in it, too, and came after the ranking
    filtered = np.where(rejected > len(FILTERS), 0, rejected).astype(np.uint8)
    again = replay(replace(state, pool=replace(state.pool, rejected=filtered)))
    return replace(again.pool, rejected=rejected), again.order
