"""A receipt and today's memories in, the context that the recall gave out: a receipt contains none of its words.

The context is written again from the recorded ranking and the same versions of the same memories. If it can differ from
the one that was given, `differs` says why.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.model.memory import unpack_id
from pellucid.recall.context.assemble import rewrite_context
from pellucid.recall.pipeline import ranked
from pellucid.recall.receipt.record import Receipt
from pellucid.recall.rescore import rescore
from pellucid.recall.state import Context, State, World
from pellucid.store.index_port import Served
from pellucid.xray.words.headline import may_be_told
from pellucid.xray.words.numbers import counted


@dataclass(frozen=True, slots=True)
class GivenContext:
    """A rebuilt context, and the reasons why it can differ from the one that was given; empty if it is the same."""

    context: Context
    differs: tuple[str, ...] = ()


def rebuild_context(receipt: Receipt, world: World) -> GivenContext:
    """Rebuild the context that a recorded recall gave, from its recorded ranking and today's memories.

    Left out are memories that are gone, or that may not be shown to a caller with the recorded request's scopes
    (`may_be_told`); no model shortens the text. The question is searched for again, for what no receipt contains; if
    its words were not kept, the context is empty and `differs` says so.
    """
    if not receipt.state.request.query:
        return GivenContext(Context(), ("the words of its question were not kept, and it was cut to them",))
    found = {each.memory.id: each for each in world.reader.memories(list(receipt.served_ids))}
    scopes = receipt.state.request.scopes
    shown = [found[each] for each in receipt.served_ids if each in found and may_be_told(found[each].memory, scopes)]
    state = _state_now(receipt.state, world, shown)
    context = rewrite_context(state, world, shown)
    return GivenContext(context, tuple(_differences(receipt, context, shown)))


def _state_now(recorded: State, world: World, shown: Sequence[Served]) -> State:
    """Return the recorded state, with the parts that receipts leave out read anew: plan, graph paths, admission (what
    may answer) and index rows (-1 for a candidate that no leg finds today).

    The recall is run again for these, up to the ranking, which stays the recorded one. `shown` are the served memories
    that still exist and may be shown: they become `kept`. The settings in the returned state have no context passes, so
    that no model is asked."""
    settings = recorded.request.settings.model_copy(update={"context_passes": ()})  # no model is asked again
    request = replace(recorded.request, settings=settings)
    now, (pool, order) = ranked(request, world), rescore(recorded)
    ids: Any = pool.ids.tolist()
    rows: Any = dict(zip(now.pool.ids.tolist(), now.pool.rows.tolist(), strict=True))
    positions = {unpack_id(ids[at]): at for at in recorded.kept.tolist()}
    return replace(
        recorded,
        request=request,
        # -1: a candidate that no leg finds today has no row
        pool=replace(pool, rows=np.array([rows.get(each, -1) for each in ids], dtype=np.int64)),
        order=order,
        kept=np.array([positions[each.memory.id] for each in shown], dtype=np.int64),
        plan=now.plan,
        ways=now.ways,
        admission=now.admission,
    )


def _differences(receipt: Receipt, context: Context, shown: Sequence[Served]) -> Iterator[str]:
    """Yield in words why the rebuilt context differs, or can differ, from the one that was given: memories gone,
    written again, or worded by a model then.

    If no memory is gone or written again and no model passed over it then, yield that its length, memories or cuts
    differ, if they do. Nothing for a context without any of these.
    """
    versions = dict(zip(receipt.served_ids, receipt.op_ids, strict=True))
    then = receipt.state.context
    if gone := len(versions) - len(shown):
        yield f"{counted(gone, 'memory is', 'memories are')} gone, or may not be told any more"
    if changed := sum(versions[each.memory.id] != each.op_id for each in shown):
        yield f"{counted(changed, 'memory was', 'memories were')} written again since, and told as today"
    if any(each.rephrased or each.removed for each in then.passes):
        yield "a model shortened or reworded it then, and is not asked again"
    if (context.length, context.included, context.cuts) != (then.length, then.included, then.cuts) and not (
        gone or changed or then.passes
    ):
        yield f"it was {then.length} characters long: what stands beside its memories changed since"
