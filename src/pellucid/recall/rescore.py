"""A recorded pool in, the same scores and order out: the arithmetic of the stages, without any store or encoder."""

from dataclasses import replace

import numpy as np

from pellucid.recall.pipeline import replay
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import FILTERS
from pellucid.recall.state import Pool, State


def rescore(state: State) -> tuple[Pool, Ints]:
    """Return a receipt's pool with the terms and final scores of its recall, to the last bit, and the ranking.

    Both are worked out from the recorded columns; the ranking is pool positions, best first. The rest of the replayed
    state is not returned, for it is not that of the recall: its `rungs` name `mmr-diversify` twice.
    """
    rejected = state.pool.rejected  # cuts by later rungs stand in it, too, and came after the ranking
    filtered = np.where(rejected > len(FILTERS), 0, rejected).astype(np.uint8)
    again = replay(replace(state, pool=replace(state.pool, rejected=filtered)))
    return replace(again.pool, rejected=rejected), again.order
