"""A recorded pool in, the same scores and order out: the arithmetic of the stages, without any store or encoder."""

from dataclasses import replace

import numpy as np

from pellucid.recall.context.direct import lift, verdict
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.score.boost import favour
from pellucid.recall.score.diversify import settle
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.expand import owe
from pellucid.recall.score.fuse import price
from pellucid.recall.score.ladder import FILTERS
from pellucid.recall.score.renew import succeed
from pellucid.recall.score.rerank import place
from pellucid.recall.state import Pool, State


def rescore(state: State) -> tuple[Pool, Ints]:
    """The pool with its terms and final scores, and the order of what passed the filters, from recorded columns.

    Gives what the live stages gave, to the last bit: they call the same functions on the same columns.
    """
    request, cut = state.request, state.pool.rejected > len(FILTERS)
    settings = request.settings
    notes = {base_of(stage.name): stage.note for stage in state.stages}  # of several iterations the last counts
    missing = request.without | {name for name, note in notes.items() if note}  # switched off, or failed
    pool = replace(state.pool, rejected=np.where(cut, 0, state.pool.rejected).astype(np.uint8))
    pool = price(pool, request, state.plan)
    if "expand" not in missing and settings.score_propagation_alpha and len(pool):
        pool = owe(pool, settings.score_propagation_alpha)
    if "rerank" not in missing:
        pool = place(pool, settings, request.without)
    if "boost" not in missing:
        pool = favour(pool, state.plan, settings, request.without)
    if "renew" not in missing:
        pool = succeed(pool, state.plan, state.corpus.rows, settings)
    if "direct" not in missing:
        pool = lift(pool, verdict(pool, state.plan), settings)
    pool, order = settle(pool, settings)
    return replace(pool, rejected=state.pool.rejected), order
