"""Recorded recalls in, the effect of a leg on their results out: from their receipts alone, without asking again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.model.wire import Instant, Wire
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.recall.recalling import recent_receipts
from pellucid.operations.recall.request import check_removable
from pellucid.recall.effect import Effect, effect
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.receipt.record import Receipt, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import Ints
from pellucid.recall.state import Pool


class LiftInput(Wire):
    """Some legs, and the recalls over which to measure them."""

    namespace: str
    legs: Annotated[tuple[str, ...], Flag("A leg or term: graph and temporal, if none is named.")] = (
        "graph",
        "temporal",
    )
    limit: Annotated[int, Flag("Recalls looked at, the newest.", "--last")] = Field(default=100, ge=1, le=10_000)
    since: Annotated[Instant | None, Flag("Only recalls from then on (UTC).")] = None


class LegLift(Wire):
    """The effect of one leg on some recalls: how often it took part, and what leaving it out would have changed.

    A leg that never takes part is empty or off; a leg that takes part and changes nothing is dead weight.
    """

    leg: str
    query_class: str | None = None
    """The class of query that is counted alone; None for all classes."""
    recalls: int = 0
    took_part: int = 0
    """Recalls in which the leg added to some score."""
    changed: int = 0
    """Recalls whose first topK would differ without the leg."""
    brought: int = 0
    """Memories that are among the first topK only because of the leg."""
    pushed_out: int = 0
    """Memories that would be among the first topK without the leg."""
    raised: int = 0
    """Memories that the leg raised, of those that are among the first topK either way."""
    lowered: int = 0
    mean_places: float = 0.0
    """The mean number of ranks by which the leg raised the memories that are among the first topK either way; below 0
    if it lowered them."""
    share: float = 0.0
    """The mean share of the leg's term in the final scores of the memories served, over the recalls that it took part
    in."""
    unknown: int = 0
    """Recalls whose receipt does not contain enough to compute this."""


class LiftOutput(Wire):
    """The effect of each leg on the rankings, first over all recalls, then by class of query."""

    recalls: int
    lifts: tuple[LegLift, ...]


@dataclass(frozen=True, slots=True)
class _LegInRecall:
    """The effect of a leg on one recall."""

    served: int
    """The number of memories served."""
    share: float = 0.0
    """The mean share of the leg's term in their scores."""
    removal: Effect | None = None
    """The effect of leaving the leg out; None if the leg added to no score."""


@dataclass(slots=True)
class _LegTally:
    """The summed effects of one leg on the recalls added so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    places: int = 0
    stayed: int = 0
    shares: list[float] = field(default_factory=list[float])

    def add(self, leg_in_recall: _LegInRecall) -> None:
        """Add the effect of the leg on one recall. If the leg took no part, only the recall is counted; if its effect
        is unknown, that is counted, too, and nothing else."""
        removal = leg_in_recall.removal
        self.counts["recalls"] += 1
        if removal is None:
            return
        if removal.unknown:
            self.counts["unknown"] += 1
            return
        self.shares.append(leg_in_recall.share)
        # without the leg their ranks would be worse, so the leg raised them
        raised = [move for move in removal.moved if move.before < move.after]
        self.counts.update(
            took_part=1,
            changed=int(bool(removal.entered or removal.left or removal.moved)),
            brought=len(removal.left),
            pushed_out=len(removal.entered),
            raised=len(raised),
            lowered=len(removal.moved) - len(raised),
        )
        self.places += sum(move.after - move.before for move in removal.moved)
        self.stayed += leg_in_recall.served - len(removal.left)

    def lift(self, leg: str, query_class: str | None) -> LegLift:
        """Return the sums and averages as output; an average is 0 if there is nothing to average. `query_class` is None
        for all classes."""
        return LegLift(
            leg=leg,
            query_class=query_class,
            **self.counts,
            mean_places=round(self.places / self.stayed, 4) if self.stayed else 0.0,
            share=round(sum(self.shares) / len(self.shares), 4) if self.shares else 0.0,
        )


def lift(app: App, request: LiftInput) -> LiftOutput:
    """Measure the effect of legs (ways of searching, or terms of a score) on those of a namespace's newest `limit`
    recalls whose receipts are kept in full: first over all classes of query, then for each class that occurs, by name;
    each time in the order of the request's legs. InputError for a leg that no recall can leave out, StoreError for a
    receipt that cannot be read."""
    legs = tuple(dict.fromkeys(request.legs))
    check_removable(legs, "legs", "invalid_leg")
    sums: dict[tuple[str, str | None], _LegTally] = {(leg, None): _LegTally() for leg in legs}
    recalls = 0
    for packed in recent_receipts(app, request.namespace, request.since, request.limit):
        receipt = unpack(packed)
        recalls += 1
        for leg, leg_in_recall in _legs_in_recall(receipt, legs):
            for group in (None, receipt.state.plan.query_class):
                sums.setdefault((leg, group), _LegTally()).add(leg_in_recall)
    order = sorted(sums, key=lambda key: (key[1] is not None, key[1] or "", legs.index(key[0])))
    return LiftOutput(recalls=recalls, lifts=tuple(sums[key].lift(*key) for key in order))


def _legs_in_recall(receipt: Receipt, legs: Sequence[str]) -> Iterator[tuple[str, _LegInRecall]]:
    """Yield pairs of a leg and its effect on the recall of this receipt, in the order of `legs`."""
    state = receipt.state
    pool, order = rescore(state)
    served = order[: state.request.settings.top_k_facts]
    for leg in legs:
        share = _mean_share(pool, served, leg)
        removal = None if share is None else effect(state, (leg,))
        yield leg, _LegInRecall(len(served), share or 0.0, removal)


def _mean_share(pool: Pool, served: Ints, leg: str) -> float | None:
    """Return a leg's mean share in the positive final scores of the `served` rows (0 if there are none); None if the
    leg added to no score of the pool."""
    terms = [term for name, term in pool.terms.items() if base_of(name) == leg]
    if not any(term.any() for term in terms):
        return None
    finals = pool.final[served]
    shares = sum((term[served] for term in terms), start=0.0 * finals)[finals > 0] / finals[finals > 0]
    return float(shares.mean()) if len(shares) else 0.0


LIFT = Operation(
    "recall.lift",
    "Show what each part of the search did for recent recalls.\n\n"
    "It is told from their receipts; nothing is asked again.\n",
    LiftInput,
    LiftOutput,
    in_home(lift),
    "read",
    Surfaces("lift", http=("GET /v1/lift",)),
    text=Text("recall.replay.lift_text"),
)
