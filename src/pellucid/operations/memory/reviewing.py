"""A namespace in, the memories that a person should look at out: flagged, waiting, quarantined, disputed or stale."""

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
from pellucid.operations.operation import Flag, Limit, Operation, Surfaces, Text, in_home
from pellucid.operations.paging import After, SortKey, page
from pellucid.store.history.citations_port import CitationRow
from pellucid.store.index_port import Served
from pellucid.store.lookup_port import Aging
from pellucid.xray.provenance import staleness

ReviewKind = Literal["flagged", "waiting", "quarantined", "disputed", "stale"]
_KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)
"""The kinds in the order of a review, the gravest first."""


class ReviewInput(Wire):
    """The kind of memories to review, or all kinds."""

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
    """A memory that should be looked at, with its reasons, the gravest first."""

    reasons: tuple[ReviewReason, ...]


class ReviewOutput(Wire):
    """A page of the memories to review, the gravest first, of these the newest first; and counts of each kind."""

    items: tuple[ToReview, ...]
    total: int
    counts: dict[ReviewKind, int]
    """Maps every kind to its number of memories, whichever kind is asked for; a memory of two kinds counts twice."""
    resting: int = 0
    """The number of further stale memories, which no recall gave within `lifecycle.staleAfterDays`."""
    next: str | None = None
    """The `after` of the next page; None if this is the last page."""


@dataclass(frozen=True, slots=True)
class _ReviewRules:
    """The data that decide why memories need review."""

    now: datetime
    after_days: float
    folds: Mapping[str, FoldRow]
    """Maps memory ids to the memories' last folds."""
    against: Mapping[str, Sequence[CitationRow]]
    """Maps memory ids to unfavourable citations."""
    in_force: Collection[str]
    """The ids of memories in force."""
    old: Collection[str]
    """The ids of memories to review because they are stale."""

    def reasons(self, memory: Memory) -> tuple[ReviewReason, ...]:
        """Return every reason to review a memory, the gravest first; empty if there is none."""
        texts: dict[ReviewKind, Iterator[str]] = {
            "flagged": self._complaints(memory),
            "waiting": self._waiting(memory),
            "quarantined": self._quarantined(memory),
            "disputed": self._disputed(memory),
            "stale": self._stale(memory),
        }
        return tuple(ReviewReason(kind=kind, text=text) for kind in _KINDS for text in texts[kind])

    def _complaints(self, memory: Memory) -> Iterator[str]:
        """Yield a sentence for each unfavourable citation (`flagged_stale`: no longer true; else wrong) since the
        memory was last verified; nothing if the memory is not in force (active, and neither invalid nor expired)."""
        since = epoch_ms(memory.last_verified_at) if memory.last_verified_at else 0
        for row in self.against.get(memory.id, ()):
            if row.at > since and memory.id in self.in_force:
                complaint = "no longer true" if row.kind == "flagged_stale" else "wrong"
                by, note = row.agent or "somebody", f": “{row.note}”" if row.note else ""
                yield f"{by} found it {complaint} on {datetime_of_ms(row.at):%Y-%m-%d}{note}"

    def _waiting(self, memory: Memory) -> Iterator[str]:
        """Yield a sentence if the memory's status is `pending_review` or `quarantined`, which waits for somebody's
        decision."""
        if memory.status in ("pending_review", "quarantined"):
            yield f"its file calls it {memory.status.replace('_', ' ')}: it answers nothing until that is changed"

    def _quarantined(self, memory: Memory) -> Iterator[str]:
        """Yield why the memory is in quarantine (a general sentence if nothing shows why); nothing unless it is active
        and in quarantine."""
        if memory.status == "active" and memory.trust_zone == "quarantine":
            yield quarantine_reason(memory) or "it was put into quarantine"

    def _disputed(self, memory: Memory) -> Iterator[str]:
        """Yield a sentence if the memory's status is `disputed`, and another if it is in force (active, and neither
        invalid nor expired) and one of the memories that it contradicts is, too; that names those in force."""
        if memory.status == "disputed":
            yield "it was called into question: it answers nothing until that is undone"
        rivals = [each for each in memory.disputed_with if each in self.in_force]
        if memory.id in self.in_force and rivals:
            yield f"it cannot hold together with {', '.join(rivals)}"

    def _stale(self, memory: Memory) -> Iterator[str]:
        """Yield a sentence if something replaced the memory, its document ended, or there was no verification for
        `after_days` days (`staleness`), and another if its decay is at least `STALE_AT` (0.65); nothing if its id is
        not in `old`.
        """
        if memory.id not in self.old:
            return
        age, fold = staleness(memory, self.now, self.after_days), self.folds.get(memory.id)
        if age.superseded or age.retired:
            yield f"its document is {age.retired}" if age.retired else "something newer has taken its place"
        elif age.due:
            yield f"nobody stood behind it for {age.age_days} days"
        if fold and stale(memory, fold.decay):
            yield f"it decayed to {fold.decay:.2f}, stale from {STALE_AT:g}: old, seldom used, or little believed"


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the review for one memory, whose file was not read if it is only stale."""

    sort_key: SortKey
    memory_id: str
    kinds: Collection[ReviewKind]


def list_to_review(app: App, request: ReviewInput) -> ReviewOutput:
    """List memories that need review, the gravest first, a page of `limit`; InputError for an `after` of another list.

    They are flagged as wrong or outdated since they were last verified, waiting, quarantined, disputed or stale. Stale
    memories that no recall has served within `lifecycle.staleAfterDays`, as after an import of old sessions, are only
    counted unless `resting` is asked for.
    """
    namespace, now, after_days = request.namespace, app.clock.now(), app.settings.lifecycle.stale_after_days
    against = defaultdict[str, list[CitationRow]](list)
    for row in app.citations.against(namespace):
        against[row.memory_id].append(row)
    began = now - timedelta(days=after_days)
    aged = app.lookup.aged(namespace, Aging(now, began, STALE_AT, TRANSCRIBED, PROTECTED))
    old = aged if request.resting else aged.keys() & app.uses.served_since(namespace, f"{began:%Y-%m-%d}")
    grave = memories_by_id(app, namespace, {*against, *app.lookup.to_review(namespace)})
    rules = _review_rules(app, request, against, grave, old)
    due = [
        _Entry(
            (_KINDS.index(reasons[0].kind), -epoch_ms(memory.created), memory.id),  # the gravest, then the newest first
            memory.id,
            {each.kind for each in reasons},
        )
        for memory in (each.memory for each in grave.values())
        if (reasons := rules.reasons(memory))
    ]
    seen = {each.memory_id for each in due}
    due += [_Entry((_KINDS.index("stale"), -aged[each], each), each, {"stale"}) for each in old if each not in seen]
    counts = Counter(kind for each in due for kind in each.kinds)
    wanted = sorted((each for each in due if request.kind in (None, *each.kinds)), key=lambda each: each.sort_key)
    shown, next_page = page(app, request, wanted, lambda each: each.sort_key)
    by_id = grave | memories_by_id(app, namespace, [each.memory_id for each in shown if each.memory_id not in grave])
    rules = _review_rules(app, request, against, by_id, old)
    return ReviewOutput(
        items=tuple(
            ToReview(memory=each.memory, path=each.path, op_id=each.op_id, reasons=rules.reasons(each.memory))
            for each in (by_id[due.memory_id] for due in shown if due.memory_id in by_id)
        ),
        total=len(wanted),
        counts={kind: counts[kind] for kind in _KINDS},
        resting=len(aged) - len(old),
        next=next_page,
    )


def _review_rules(
    app: App,
    request: ReviewInput,
    against: Mapping[str, Sequence[CitationRow]],
    memories: Mapping[str, Served],
    old: Collection[str],
) -> _ReviewRules:
    """Load the data that decide whether `memories`, a map from ids, need review; `old` are the ids of stale memories,
    `against` maps ids to unfavourable citations."""
    now, rivals = app.clock.now(), {rival for each in memories.values() for rival in each.memory.disputed_with}
    around = {**memories, **memories_by_id(app, request.namespace, rivals - memories.keys())}
    in_force = {name for name, each in around.items() if each.memory.status == "active" and ages(each.memory, now)}
    folds = app.lookup.folds(request.namespace, memories.keys() & old)
    return _ReviewRules(now, app.settings.lifecycle.stale_after_days, folds, against, in_force, old)


REVIEW = Operation(
    "memory.review",
    "List what a person should look at, and why.\n\n"
    "What was flagged, waits, is in quarantine, is disputed, or is stale and still given by recalls; "
    "the gravest first.\n",
    ReviewInput,
    ReviewOutput,
    in_home(list_to_review),
    "read",
    Surfaces("review", http=("GET /v1/review",)),
    text=Text("memory.changes.review_text"),
)
