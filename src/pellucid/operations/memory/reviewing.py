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
from pellucid.operations.browsing import Listed, memories_by_id
from pellucid.operations.instants import datetime_of_ms
from pellucid.operations.memory.trusting import quarantine_reason
from pellucid.operations.operation import Flag, Limit, Operation, Surfaces
from pellucid.operations.paging import After, SortKey, page
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
class _ReviewRules:
    """What decides why memories need review: citations `against` them, which are `in_force`, and lifecycle `folds`."""

    now: datetime
    after_days: float
    folds: Mapping[str, FoldRow]
    against: Mapping[str, Sequence[CitationRow]]
    in_force: Collection[str]
    old: Collection[str]
    """What is to be looked at because it is stale."""

    def of(self, memory: Memory) -> tuple[ReviewReason, ...]:
        """Return every reason to review a memory, the gravest first; empty if there is none."""
        said: dict[ReviewKind, Iterator[str]] = {
            "flagged": self._complaints(memory),
            "waiting": self._waiting(memory),
            "quarantined": self._quarantined(memory),
            "disputed": self._disputed(memory),
            "stale": self._stale(memory),
        }
        return tuple(ReviewReason(kind=kind, text=text) for kind in _KINDS for text in said[kind])

    def _complaints(self, memory: Memory) -> Iterator[str]:
        """Yield what agents and people said against the memory since it was last verified; nothing if it is not in
        force."""
        since = epoch_ms(memory.last_verified_at) if memory.last_verified_at else 0
        for row in self.against.get(memory.id, ()):
            if row.at > since and memory.id in self.in_force:
                said = "no longer true" if row.kind == "flagged_stale" else "wrong"
                by, note = row.agent or "somebody", f": “{row.note}”" if row.note else ""
                yield f"{by} found it {said} on {datetime_of_ms(row.at):%Y-%m-%d}{note}"

    def _waiting(self, memory: Memory) -> Iterator[str]:
        """Yield that the memory's status waits for somebody's decision, if so."""
        if memory.status in ("pending_review", "quarantined"):
            yield f"its file calls it {memory.status.replace('_', ' ')}: it answers nothing until that is changed"

    def _quarantined(self, memory: Memory) -> Iterator[str]:
        """Yield why the memory is in quarantine, if it is active and there."""
        if memory.status == "active" and memory.trust_zone == "quarantine":
            yield quarantine_reason(memory) or "it was put into quarantine"

    def _disputed(self, memory: Memory) -> Iterator[str]:
        """Yield that the memory was disputed, if so; and, if it is in force, which others in force it contradicts, if
        any."""
        if memory.status == "disputed":
            yield "it was called into question: it answers nothing until that is undone"
        rivals = [each for each in memory.disputed_with if each in self.in_force]
        if memory.id in self.in_force and rivals:
            yield f"it cannot hold together with {', '.join(rivals)}"

    def _stale(self, memory: Memory) -> Iterator[str]:
        """Yield that the memory has not been verified for long, and that it has decayed, if so; nothing if not in
        `old`."""
        if memory.id not in self.old:
            return
        age, fold = staleness(memory, self.now, self.after_days), self.folds.get(memory.id)
        if age.due:
            yield f"nobody stood behind it for {age.age_days} days"
        if fold and stale(memory, fold.decay):
            yield f"it decayed to {fold.decay:.2f}, stale from {STALE_AT:g}: old, seldom used, or little believed"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A memory to review with its sort key; one that is only stale was not read."""

    place: SortKey
    memory_id: str
    kinds: Collection[ReviewKind]


def list_to_review(app: App, request: ReviewInput) -> ReviewOutput:
    """List memories that need review: flagged since verified, waiting, quarantined, disputed or stale; the gravest
    first, a page of `limit`. Stale ones that no recall has served lately, as after an import of old sessions, are only
    counted unless `resting` is asked for."""
    namespace, now, after_days = request.namespace, app.clock.now(), app.settings.lifecycle.stale_after_days
    against = defaultdict[str, list[CitationRow]](list)
    for row in app.citations.against(namespace):
        against[row.memory_id].append(row)
    began = now - timedelta(days=after_days)
    aged = app.lookup.aged(namespace, Aging(now, began, STALE_AT, TRANSCRIBED, PROTECTED))
    old = aged if request.resting else aged.keys() & app.uses.served_since(namespace, f"{began:%Y-%m-%d}")
    grave = memories_by_id(app, namespace, {*against, *app.lookup.doubted(namespace)})
    known = _review_rules(app, request, against, grave, old)
    due = [
        _Entry(_sort_key(memory, reasons), memory.id, {each.kind for each in reasons})
        for memory in (each.memory for each in grave.values())
        if (reasons := known.of(memory))
    ]
    seen = {each.memory_id for each in due}
    due += [_Entry((_KINDS.index("stale"), -aged[each], each), each, {"stale"}) for each in old if each not in seen]
    counts = Counter(kind for each in due for kind in each.kinds)
    wanted = sorted((each for each in due if request.kind in (None, *each.kinds)), key=lambda each: each.place)
    shown, following = page(app, request, wanted, lambda each: each.place)
    held = grave | memories_by_id(app, namespace, [each.memory_id for each in shown if each.memory_id not in grave])
    known = _review_rules(app, request, against, held, old)
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


def _review_rules(
    app: App,
    request: ReviewInput,
    against: Mapping[str, Sequence[CitationRow]],
    held: Mapping[str, Served],
    old: Collection[str],
) -> _ReviewRules:
    """Gather what decides about the memories `held`; `old` are the ids of all that are stale, `against` the
    citations."""
    now, rivals = app.clock.now(), {rival for each in held.values() for rival in each.memory.disputed_with}
    around = {**held, **memories_by_id(app, request.namespace, rivals - held.keys())}
    in_force = {name for name, each in around.items() if each.memory.status == "active" and ages(each.memory, now)}
    folds = app.lookup.folds(request.namespace, held.keys() & old)
    return _ReviewRules(now, app.settings.lifecycle.stale_after_days, folds, against, in_force, old)


def _sort_key(memory: Memory, reasons: Sequence[ReviewReason]) -> SortKey:
    """Return the key that lists the gravest reason first, then the newest memory; there must be a reason."""
    return _KINDS.index(reasons[0].kind), -epoch_ms(memory.created), memory.id


REVIEW = Operation(
    "memory.review",
    "List what a person should look at, and why.\n\n"
    "What was flagged, waits, is in quarantine, is disputed, or is stale and still given by recalls; "
    "the gravest first.\n",
    ReviewInput,
    ReviewOutput,
    lambda call, asked: list_to_review(call.app, asked),
    "read",
    Surfaces("review", http=("GET /v1/review",)),
)
