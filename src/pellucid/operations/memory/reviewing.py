"""A namespace in, what a person should look at out: what is kept back, called into question, flagged or grown old."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal, get_args

from pydantic import Field

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.memory.lifecycle import PROTECTED, STALE_AT, ages, stale
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import TRANSCRIBED, Memory
from pellucid.model.wire import Wire
from pellucid.operations.browsing import Listed
from pellucid.operations.instants import of_ms
from pellucid.operations.memory.trusting import quarantine_reason
from pellucid.operations.operation import Flag, Limit, Operation, Surfaces
from pellucid.operations.paging import After, Place, page
from pellucid.store.history.citations_port import CitationRow
from pellucid.store.index_port import Served
from pellucid.store.lookup_port import Aging
from pellucid.xray.provenance import staleness

ReviewKind = Literal["flagged", "waiting", "quarantined", "disputed", "stale"]
_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)
"""In the order of a review: what somebody complained of first, what only grew old last."""


class ReviewInput(Wire):
    """What to look at: of one kind, or all of it."""

    namespace: str
    kind: Annotated[ReviewKind | None, Flag("Only flagged, waiting, quarantined, disputed or stale ones.")] = None
    resting: Annotated[bool, Flag("Also what is stale, and no recall gave of late.")] = False
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
    resting: int = 0
    """How many more are stale that no recall gave within `lifecycle.staleAfterDays`: nobody is misled by them."""
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
    old: Collection[str]
    """What is to be looked at because it is stale."""

    def of(self, memory: Memory) -> tuple[ReviewReason, ...]:
        """Every reason why a person should look at a memory; none where all is well."""
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
        """That it was disputed, or cannot hold together with others in force."""
        if memory.status == "disputed":
            yield "it was called into question: it answers nothing until that is undone"
        rivals = [each for each in memory.disputed_with if each in self.in_force]
        if memory.id in self.in_force and rivals:
            yield f"it cannot hold together with {', '.join(rivals)}"

    def _grown_old(self, memory: Memory) -> Iterator[str]:
        """That nobody has verified it for long, or that it decayed."""
        if memory.id not in self.old:
            return
        age, fold = staleness(memory, self.now, self.after_days), self.folds.get(memory.id)
        if age.due:
            yield f"nobody stood behind it for {age.age_days} days"
        if fold and stale(memory, fold.decay):
            yield f"it decayed to {fold.decay:.2f}, stale from {STALE_AT:g}: old, seldom used, or little believed"


@dataclass(frozen=True, slots=True)
class _Due:
    """A memory to look at, in its place; without what it says where it is only stale."""

    place: Place
    memory_id: str
    kinds: Collection[ReviewKind]


def to_review(app: App, request: ReviewInput) -> ReviewOutput:
    """What a person should look at: what was flagged since it was verified, waits, is quarantined, disputed or stale.

    What is stale need not be looked at while no recall gives it, as after an import of old sessions: it is counted.
    """
    namespace, now, after_days = request.namespace, app.clock.now(), app.settings.lifecycle.stale_after_days
    against = defaultdict[str, list[CitationRow]](list)
    for row in app.citations.against(namespace):
        against[row.memory_id].append(row)
    began = now - timedelta(days=after_days)
    aged = app.lookup.aged(namespace, Aging(now, began, STALE_AT, TRANSCRIBED, PROTECTED))
    old = aged if request.resting else aged.keys() & app.uses.served_since(namespace, f"{began:%Y-%m-%d}")
    grave = _read(app, namespace, {*against, *app.lookup.doubted(namespace)})
    known = _known(app, request, against, grave, old)
    due = [
        _Due(_place(memory, reasons), memory.id, {each.kind for each in reasons})
        for memory in (each.memory for each in grave.values())
        if (reasons := known.of(memory))
    ]
    seen = {each.memory_id for each in due}
    due += [_Due((_KINDS.index("stale"), -aged[each], each), each, {"stale"}) for each in old if each not in seen]
    counts = Counter(kind for each in due for kind in each.kinds)
    wanted = sorted((each for each in due if request.kind in (None, *each.kinds)), key=lambda each: each.place)
    shown, following = page(app, request, wanted, lambda each: each.place)
    held = grave | _read(app, namespace, [each.memory_id for each in shown if each.memory_id not in grave])
    known = _known(app, request, against, held, old)
    return ReviewOutput(
        items=tuple(
            ToReview(memory=each.memory, path=each.path, op_id=each.op_id, reasons=known.of(each.memory))
            for each in (held[due.memory_id] for due in shown if due.memory_id in held)
        ),
        total=len(wanted),
        counts={kind: counts[kind] for kind in _KINDS},
        resting=len(aged) - len(old),
        next=following,
    )


def _read(app: App, namespace: str, ids: Collection[str]) -> dict[str, Served]:
    return {each.memory.id: each for each in app.index.memories(namespace, list(ids))}


def _known(
    app: App,
    request: ReviewInput,
    against: Mapping[str, Sequence[CitationRow]],
    held: Mapping[str, Served],
    old: Collection[str],
) -> _Reasons:
    """What the reasons of these memories follow from, theirs whom they cannot hold together with among it."""
    now, rivals = app.clock.now(), {rival for each in held.values() for rival in each.memory.disputed_with}
    around = {**held, **_read(app, request.namespace, rivals - held.keys())}
    in_force = {name for name, each in around.items() if each.memory.status == "active" and ages(each.memory, now)}
    folds = app.lookup.folds(request.namespace, held.keys() & old)
    return _Reasons(now, app.settings.lifecycle.stale_after_days, folds, against, in_force, old)


def _place(memory: Memory, reasons: Sequence[ReviewReason]) -> Place:
    return _KINDS.index(reasons[0].kind), -epoch_ms(memory.created), memory.id


REVIEW = Operation(
    "memory.review",
    """List what a person should look at, and why.

What was flagged, waits, is in quarantine, is disputed, or is stale and still given by recalls; the gravest first.
""",
    ReviewInput,
    ReviewOutput,
    lambda call, asked: to_review(call.app, asked),
    "read",
    Surfaces("review", http=("GET /v1/review",)),
)
