"""The recalls on record in, what a leg was worth in them out: from their receipts alone, nothing is asked again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.model.wire import Instant, Wire
from pellucid.operations.operation import Flag, Operation, Surfaces
from pellucid.operations.recall.recalling import recent_receipts
from pellucid.operations.recall.request import check_removable
from pellucid.recall.effect import Effect, effect
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.receipt.record import Receipt, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.equation import Ints
from pellucid.recall.state import Pool


class LiftInput(Wire):
    """Which legs, over which recalls."""

    namespace: str
    legs: Annotated[tuple[str, ...], Flag("A leg or term: graph and temporal, if none is named.")] = (
        "graph",
        "temporal",
    )
    limit: Annotated[int, Flag("Recalls looked at, the newest.", "--last")] = Field(default=100, ge=1, le=10_000)
    since: Annotated[Instant | None, Flag("Only recalls from then on (UTC).")] = None


class LegLift(Wire):
    """What one leg did over some recalls: how often it took part, and what leaving it out would have changed.

    A leg that takes part in nothing is empty or off; one that takes part and changes nothing is dead weight.
    """

    leg: str
    query_class: str | None = None
    """Of one class of query alone; None for all."""
    recalls: int = 0
    took_part: int = 0
    """Recalls in which it added to some score."""
    changed: int = 0
    """Recalls whose first topK would not be the same without it."""
    brought: int = 0
    """Memories among the first topK that would not be there without it."""
    pushed_out: int = 0
    """Memories that would be there without it."""
    raised: int = 0
    """Memories it put higher than they would stand, of those that stand there either way."""
    lowered: int = 0
    mean_places: float = 0.0
    """Places by which it raised these, on average over all of them; below 0 where it lowered them."""
    share: float = 0.0
    """The mean share of the final score of what was served that its term makes up, where it took part."""
    unknown: int = 0
    """Recalls whose receipt cannot tell."""


class LiftOutput(Wire):
    """What each leg changed in the rankings, first over all recalls, then by class of query."""

    recalls: int
    lifts: tuple[LegLift, ...]


@dataclass(frozen=True, slots=True)
class _LegInRecall:
    """What a leg did in one recall."""

    served: int
    """Memories that were served."""
    share: float = 0.0
    """The mean share of its term in their scores."""
    done: Effect | None = None
    """What leaving it out would change; None where it added to no score."""


@dataclass(slots=True)
class _LegTally:
    """What one leg did in the recalls added so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    places: int = 0
    stayed: int = 0
    shares: list[float] = field(default_factory=list[float])

    def add(self, seen: _LegInRecall) -> None:
        """Add what the leg did in one recall; where it took no part, or that cannot be told, it only counts the
        recall."""
        done = seen.done
        self.counts["recalls"] += 1
        if done is None:
            return
        if done.unknown:
            self.counts["unknown"] += 1
            return
        self.shares.append(seen.share)
        up = [move for move in done.moved if move.before < move.after]
        self.counts.update(
            took_part=1,
            changed=int(bool(done.entered or done.left or done.moved)),
            brought=len(done.left),
            pushed_out=len(done.entered),
            raised=len(up),
            lowered=len(done.moved) - len(up),
        )
        self.places += sum(move.after - move.before for move in done.moved)
        self.stayed += seen.served - len(done.left)

    def lift(self, leg: str, query_class: str | None) -> LegLift:
        """Return the sums and averages (0 without any) as output; `query_class` is None for all classes."""
        return LegLift(
            leg=leg,
            query_class=query_class,
            **self.counts,
            mean_places=round(self.places / self.stayed, 4) if self.stayed else 0.0,
            share=round(sum(self.shares) / len(self.shares), 4) if self.shares else 0.0,
        )


def lift(app: App, request: LiftInput) -> LiftOutput:
    """Show what legs were worth over the newest recalls of a namespace that are kept in full."""
    legs = tuple(dict.fromkeys(request.legs))
    check_removable(legs, "legs", "invalid_leg")
    sums: dict[tuple[str, str | None], _LegTally] = {(leg, None): _LegTally() for leg in legs}
    recalls = 0
    for packed in recent_receipts(app, request.namespace, request.since, request.limit):
        receipt = unpack(packed)
        recalls += 1
        for leg, seen in _legs_in_recall(receipt, legs):
            for group in (None, receipt.state.plan.query_class):
                sums.setdefault((leg, group), _LegTally()).add(seen)
    order = sorted(sums, key=lambda key: (key[1] is not None, key[1] or "", legs.index(key[0])))
    return LiftOutput(recalls=recalls, lifts=tuple(sums[key].lift(*key) for key in order))


def _legs_in_recall(receipt: Receipt, legs: Sequence[str]) -> Iterator[tuple[str, _LegInRecall]]:
    """Yield what each leg did in one recall; nothing is `done` by one that added to no score."""
    state = receipt.state
    pool, order = rescore(state)
    served = order[: state.request.settings.top_k_facts]
    for leg in legs:
        share = _mean_share(pool, served, leg)
        done = None if share is None else effect(state, (leg,))
        yield leg, _LegInRecall(len(served), share or 0.0, done)


def _mean_share(pool: Pool, served: Ints, leg: str) -> float | None:
    """Return a leg's mean share in the final scores of the `served` rows; None if it added to no score at all."""
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
    lambda call, asked: lift(call.app, asked),
    "read",
    Surfaces("lift", http=("GET /v1/lift",)),
)
