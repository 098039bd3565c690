"""A recorded pool in, the same scores and order out: the arithmetic of the stages, without any store or encoder."""

from dataclasses import replace

import numpy as np

from pellucid.recall.boost import favour
from pellucid.recall.diversify import settle
from pellucid.recall.equation import Ints
from pellucid.recall.expand import owe
from pellucid.recall.fuse import price
from pellucid.recall.ladder import FILTERS
from pellucid.recall.renew import succeed
from pellucid.recall.rerank import place
from pellucid.recall.state import Pool, State


def rescore(state: State) -> tuple[Pool, Ints]:
    """The pool with its terms and final scores, and the order of what passed the filters, from recorded columns.

    Gives what the live stages gave, to the last bit: they call the same functions on the same columns.
    """
    request, cut = state.request, state.pool.rejected > len(FILTERS)
    missing = {stage.name for stage in state.stages if stage.note}  # switched off, or failed and went without
    pool = replace(state.pool, rejected=np.where(cut, 0, state.pool.rejected).astype(np.uint8))
    pool = price(pool, request.settings, request.without)
    if "expand" not in missing and request.settings.score_propagation_alpha and len(pool):
        pool = owe(pool, request.settings.score_propagation_alpha)
    if not np.isnan(pool.rerank_score).all():
        pool = place(pool, request.settings)
    if "boost" not in missing:
        pool = favour(pool, request.settings)
    if "renew" not in missing:
        pool = succeed(pool, state.plan, state.corpus.rows, request.settings)
    pool, order = settle(pool, request.settings)
    return replace(pool, rejected=state.pool.rejected), order
