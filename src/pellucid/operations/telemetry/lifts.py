"""Memories that were worked with in, where each would have stood without a leg out: from the receipts of their recalls.

Nothing is asked again, and nothing waits for it: `stats` works out a few hundred, a process that stays does the rest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pellucid.app import App
from pellucid.errors import StoreError
from pellucid.recall.ablate import NotComputableError
from pellucid.recall.effect import orders
from pellucid.recall.receipt.record import unpack
from pellucid.store.history.telemetry_port import LiftRow

_PARTS: Mapping[str, Sequence[str]] = {"graph": ("graph",), "temporal": ("temporal",), "renew": ("renew",)}
"""What is left out, by the name under which it is kept."""
AT_ONCE = 200
"""Recalls that are worked out while somebody waits: some 10 ms each."""


def compute_lifts(app: App, namespace: str, recalls: int = AT_ONCE) -> int:
    """Store each cited memory's rank with and without each leg for at most `recalls` recalls due; return how many."""
    due = list(app.telemetry.lifts_due(namespace).items())[:recalls]
    for recall_id, memory_ids in due:
        app.deadline.check()
        app.telemetry.put_leg_lifts(namespace, recall_id, list(_lifts_of_recall(app, namespace, recall_id, memory_ids)))
    return len(due)


def _lifts_of_recall(app: App, namespace: str, recall_id: str, memory_ids: Sequence[str]) -> Iterator[LiftRow]:
    """Yield each memory's rank in a recall with and without each leg; unknown ranks if the receipt cannot tell."""
    packed = app.history.receipt(recall_id, namespace)
    try:
        state = unpack(packed).state if packed else None
    except StoreError:
        state = None
    if state is None:
        yield from _unknown_lifts(memory_ids, _PARTS)
        return
    for leg, parts in _PARTS.items():
        try:
            before, after = orders(state, parts)
        except NotComputableError:
            yield from _unknown_lifts(memory_ids, (leg,))
            continue
        for memory_id in memory_ids:
            rank = _rank(before, memory_id, len(before))
            last = max(state.request.settings.top_k_facts, rank or 0)
            yield LiftRow(memory_id, leg, rank, _rank(after, memory_id, last))


def _unknown_lifts(memory_ids: Sequence[str], legs: Iterable[str]) -> list[LiftRow]:
    """Return a row without ranks for each of these memories and legs."""
    return [LiftRow(memory_id, leg, None, None) for leg in legs for memory_id in memory_ids]


def _rank(order: Sequence[str], memory_id: str, last: int) -> int | None:
    """Return a memory's rank in an order, from 1; None if it is missing or below rank `last`."""
    rank = order.index(memory_id) + 1 if memory_id in order else None
    return rank if rank is not None and rank <= last else None
