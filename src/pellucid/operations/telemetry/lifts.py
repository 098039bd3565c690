"""Cited memories in, the ranks that they would have had without a leg out: from the receipts of their recalls.

No question is asked again. `stats` computes a few hundred recalls; a long-running process computes the rest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pellucid.app import App
from pellucid.errors import StoreError
from pellucid.recall.ablate import NotComputableError
from pellucid.recall.effect import orders
from pellucid.recall.receipt.record import unpack
from pellucid.store.history.telemetry_port import LiftRow

_PARTS: Mapping[str, Sequence[str]] = {"graph": ("graph",), "temporal": ("temporal",), "renew": ("renew",)}
"""Maps the name under which a lift is stored to the parts that are left out of the recall for it."""
AT_ONCE = 200
"""Recalls that are computed while somebody waits: some 10 ms each."""


def compute_lifts(app: App, namespace: str) -> int:
    """Compute and store the ranks of cited memories with and without each part of `_PARTS` (graph, temporal, renew),
    for the recalls of a namespace that have none yet, the newest first and at most 200 (`AT_ONCE`); return the number
    of these recalls. DeadlineError once the app's deadline is over; what was stored stays."""
    due = list(app.telemetry.lifts_due(namespace).items())[:AT_ONCE]
    for recall_id, memory_ids in due:
        app.deadline.check()
        app.telemetry.put_leg_lifts(namespace, recall_id, list(_lifts_of_recall(app, namespace, recall_id, memory_ids)))
    return len(due)


def _lifts_of_recall(app: App, namespace: str, recall_id: str, memory_ids: Sequence[str]) -> Iterator[LiftRow]:
    """Yield a row for each part of `_PARTS` (graph, temporal, renew) and each memory: its rank in a recall with and
    without that part. A rank is None if the memory has none. Both are None if the receipt is gone or damaged, or does
    not say enough; the rank without the part is None, too, if it would be worse than the recall's `topK` and than the
    rank with it."""
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
    """Return a row with unknown ranks (None) for each leg and each memory, all memories of one leg together."""
    return [LiftRow(memory_id, leg, None, None) for leg in legs for memory_id in memory_ids]


def _rank(order: Sequence[str], memory_id: str, last: int) -> int | None:
    """Return a memory's rank in an order, from 1; None if it is missing or its rank is worse than `last`."""
    rank = order.index(memory_id) + 1 if memory_id in order else None
    return rank if rank is not None and rank <= last else None
