"""A namespace in, what a person should look at out: what is kept back, called into question, flagged or grown old."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.memory.lifecycle import STALE_AT, ages, stale
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import TRANSCRIBED, Memory
from pellucid.model.wire import Wire
from pellucid.operations.browsing import Listed
from pellucid.operations.instants import of_ms
from pellucid.operations.memory.trusting import quarantine_reason
from pellucid.operations.operation import Flag, Limit, Operation, Surfaces
from pellucid.operations.paging import After, Place, page
from pellucid.store.history.citations_port import CitationRow
from pellucid.xray.provenance import staleness

ReviewKind = Literal["flagged", "waiting", "quarantined", "disputed", "stale"]
_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)
"""In the order of a review: what somebody complained of first, what only grew old last."""


class ReviewInput(Wire):
    """What to look at: of one kind, or all of it."""

    namespace: str
    kind: Annotated[ReviewKind | None, Flag("Only flagged, waiting, quarantined, disputed or stale ones.")] = None
    limit: Limit = Field(default=50, ge=1, le=10_000)
    after: After = None


class ReviewReason(Wire):
    """One reason why a memory should be looked at."""

    kind: ReviewKind
    text: str


class ToReview(Listed):
    """A memory that should be looked at, and why: the gravest reason first."""

    reasons: tuple[ReviewReason, ...]


class ReviewOutput(Wire):
    """What a person should look at, the gravest first and the newest of it first; and how many there are of each."""

    items: tuple[ToReview, ...]
    total: int
    counts: dict[ReviewKind, int]
    """Of every kind, whichever is asked for; a memory of two kinds counts in both."""
    next: str | None = None
    """Where the page ends, if there is more behind it: the `after` of the next."""


@dataclass(frozen=True, slots=True)
class _Reasons:
    """What is known beside the memories themselves, from which the reasons follow."""

    now: datetime
    after_days: float
    folds: Mapping[str, FoldRow]
    against: Mapping[str, Sequence[CitationRow]]
    in_force: Collection[str]

    def of(self, memory: Memory) -> tuple[ReviewReason, ...]:
        said: dict[ReviewKind, Iterator[str]] = {
            "flagged": self._flags(memory),
            "waiting": self._waits(memory),
            "quarantined": self._kept_back(memory),
            "disputed": self._doubted(memory),
            "stale": self._grown_old(memory),
        }
        return tuple(ReviewReason(kind=kind, text=text) for kind in _KINDS for text in said[kind])

    def _flags(self, memory: Memory) -> Iterator[str]:
        """What was said against it since somebody last stood behind it."""
        since = epoch_ms(memory.last_verified_at) if memory.last_verified_at else 0
        for row in self.against.get(memory.id, ()):
            if row.at > since and memory.id in self.in_force:
                said = "no longer true" if row.kind == "flagged_stale" else "wrong"
                by, note = row.agent or "somebody", f": “{row.note}”" if row.note else ""
                yield f"{by} found it {said} on {of_ms(row.at):%Y-%m-%d}{note}"

    def _waits(self, memory: Memory) -> Iterator[str]:
        if memory.status in ("pending_review", "quarantined"):
            yield f"its file calls it {memory.status.replace('_', ' ')}: it answers nothing until that is changed"

    def _kept_back(self, memory: Memory) -> Iterator[str]:
        if memory.status == "active" and memory.trust_zone == "quarantine":
            yield quarantine_reason(memory) or "it was put into quarantine"

    def _doubted(self, memory: Memory) -> Iterator[str]:
        if memory.status == "disputed":
            yield "it was called into question: it answers nothing until that is undone"
        rivals = [each for each in memory.disputed_with if each in self.in_force]
        if memory.id in self.in_force and rivals:
            yield f"it cannot hold together with {', '.join(rivals)}"

    def _grown_old(self, memory: Memory) -> Iterator[str]:
        if memory.id not in self.in_force or memory.category in TRANSCRIBED or memory.trust_zone == "quarantine":
            return
        age, fold = staleness(memory, self.now, self.after_days), self.folds.get(memory.id)
        if age.due:
            yield f"nobody stood behind it for {age.age_days} days"
        if fold and stale(memory, fold.decay):
            yield f"it decayed to {fold.decay:.2f}, stale from {STALE_AT:g}: old, seldom used, or little believed"


def to_review(app: App, request: ReviewInput) -> ReviewOutput:
    """What a person should look at: what was flagged since it was verified, waits, is quarantined, disputed or old."""
    held, now = app.index.memories(request.namespace), app.clock.now()
    against: defaultdict[str, list[CitationRow]] = defaultdict(list)
    for row in app.citations.against(request.namespace):
        against[row.memory_id].append(row)
    in_force = {each.memory.id for each in held if each.memory.status == "active" and ages(each.memory, now)}
    known = _Reasons(
        now, app.settings.lifecycle.stale_after_days, app.lookup.folds(request.namespace), against, in_force
    )
    found = [
        ToReview(memory=each.memory, path=each.path, op_id=each.op_id, reasons=reasons)
        for each in held
        if (reasons := known.of(each.memory))
    ]
    counts = Counter(kind for each in found for kind in {reason.kind for reason in each.reasons})
    if request.kind:
        found = [each for each in found if any(reason.kind == request.kind for reason in each.reasons)]
    found.sort(key=_place)
    shown, following = page(app, request, found, _place)
    return ReviewOutput(
        items=tuple(shown), total=len(found), counts={kind: counts[kind] for kind in _KINDS}, next=following
    )


def _place(item: ToReview) -> Place:
    return _KINDS.index(item.reasons[0].kind), -epoch_ms(item.memory.created), item.memory.id


REVIEW = Operation(
    "memory.review",
    """List what a person should look at, and why.

What was flagged, waits, is in quarantine, is disputed, or grew old; the gravest first.
""",
    ReviewInput,
    ReviewOutput,
    lambda call, asked: to_review(call.app, asked),
    "read",
    Surfaces("review", http=("GET /v1/review",)),
)
