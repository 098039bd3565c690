"""A receipt and today's memories in, the context that was given then out: no receipt holds a word of it.

It is written anew, of the recorded ranking and of the same versions of the same memories. Where it could not have
come out the same, the reasons say so.
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
    """A rebuilt context, and why it may differ from the one that was given; no reason where it is the same."""

    context: Context
    differs: tuple[str, ...] = ()


def rebuild_context(receipt: Receipt, world: World) -> GivenContext:
    """The context that a recorded recall gave, rebuilt from its recorded ranking and today's memories.

    Memories that are gone or may not be told are left out, and no model shortens it. An empty context, with the reason,
    where the words of the question were not kept.
    """
    if not receipt.state.request.query:
        return GivenContext(Context(), ("the words of its question were not kept, and it was cut to them",))
    found = {each.memory.id: each for each in world.reader.memories(list(receipt.served_ids))}
    scopes = receipt.state.request.scopes
    told = [found[each] for each in receipt.served_ids if each in found and may_be_told(found[each].memory, scopes)]
    state = _state_now(receipt.state, world, told)
    context = rewrite_context(state, world, told)
    return GivenContext(context, tuple(_differences(receipt, context, told)))


def _state_now(then: State, world: World, told: Sequence[Served]) -> State:
    """The recorded state with what no receipt holds read again: the plan, the paths of the graph, the rows.

    `told` are the served memories that exist and may be told.
    """
    settings = then.request.settings.model_copy(update={"context_passes": ()})  # no model is asked again
    request = replace(then.request, settings=settings)
    now, (pool, order) = ranked(request, world), rescore(then)
    ids: Any = pool.ids.tolist()
    rows: Any = dict(zip(now.pool.ids.tolist(), now.pool.rows.tolist(), strict=True))
    place = {unpack_id(ids[at]): at for at in then.kept.tolist()}
    return replace(
        then,
        request=request,
        pool=replace(pool, rows=np.array([rows.get(each, -1) for each in ids], dtype=np.int64)),
        order=order,
        kept=np.array([place[each.memory.id] for each in told], dtype=np.int64),
        plan=now.plan,
        ways=now.ways,
        admission=now.admission,
    )


def _differences(receipt: Receipt, context: Context, told: Sequence[Served]) -> Iterator[str]:
    """Why the rebuilt context differs from the one that was given, each reason in words; none if it does not."""
    versions = dict(zip(receipt.served_ids, receipt.op_ids, strict=True))
    then = receipt.state.context
    if gone := len(versions) - len(told):
        yield f"{counted(gone, 'memory is', 'memories are')} gone, or may not be told any more"
    if changed := sum(versions[each.memory.id] != each.op_id for each in told):
        yield f"{counted(changed, 'memory was', 'memories were')} written again since, and told as today"
    if any(each.rephrased or each.removed for each in then.passes):
        yield "a model shortened or reworded it then, and is not asked again"
    if (context.length, context.included, context.cuts) != (then.length, then.included, then.cuts) and not (
        gone or changed or then.passes
    ):
        yield f"it was {then.length} characters long: what stands beside its memories changed since"
