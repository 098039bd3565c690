"""Ledger rows, use and memories of a period in, the compounding report out: recurrences, use, changes and aging.

The report is ids and numbers. It is computed anew each time and stored nowhere, so that no report names what is
forgotten.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import get_args

from pellucid.memory.ledger_rows import Row, Sessions, recurrences, row_time
from pellucid.memory.lifecycle import STALE_AT, ages, kept_since, protection
from pellucid.model.ledger import Event, FlushRow, FoldRow, LifecycleRow, VerdictRow
from pellucid.model.memory import Memory
from pellucid.model.wire import Instant, Wire
from pellucid.store.history.uses_port import Times

UNUSED_DAYS = 30.0
"""Days after which a memory that was never served or used is listed as unused."""
LISTED = 10
"""The most memories that a section of the report lists; its total counts all."""
CHANGES: frozenset[Event] = frozenset(get_args(Event)) - {"created", "corroborated", "redated", "reverified"}
"""Events that change what is known; all others only add to it."""


class ReportEntry(Wire):
    """A memory in a section of the report; `content` is read from the memory when the report is shown."""

    memory_id: str
    times: int = 0
    sessions: int = 0
    used: int = 0
    """Of a memory that was served: how often it was ever used."""
    event: Event | None = None
    at: Instant | None = None
    related_memory_ids: tuple[str, ...] = ()
    category: str | None = None
    content: str | None = None


class ReportSection(Wire):
    """One section of the report: the number of memories in it, and the first of them."""

    total: int = 0
    entries: tuple[ReportEntry, ...] = ()


class Compression(Wire):
    """The sums over all segments: turns and characters of trace, judged observations, new memories."""

    sessions: int = 0
    segments: int = 0
    turns: int = 0
    characters: int = 0
    observations: int = 0
    accepted: int = 0
    turns_per_memory: float | None = None
    """None if no memory was kept."""


class Report(Wire):
    """The compounding report of a period `[since, until)`."""

    namespace: str
    since: Instant
    until: Instant
    created: dict[str, int]
    """Counts of new memories by category."""
    recurred: ReportSection
    used: ReportSection
    served: ReportSection
    changed: ReportSection
    changes: dict[str, int]
    """Counts of changes by event: superseded, retracted, …"""
    went_cold: ReportSection
    warmed: ReportSection
    went_stale: ReportSection
    unused: ReportSection
    compression: Compression


@dataclass(slots=True)
class _Aging:
    """The last fold of a memory before the period, and its last one in the period."""

    before: FoldRow | None = None
    after: FoldRow | None = None

    def moved_tier(self, old: str, new: str) -> bool:
        """Whether the memory's tier was `old` before the period (hot without an earlier row) and is `new` by its last
        fold row (`FoldRow`: heat, decay and tier of a memory) in the period; False without a row in the period.
        """
        return self.after is not None and (self.before.tier if self.before else "hot", self.after.tier) == (old, new)

    def went_stale(self) -> bool:
        """Whether the memory's decay was below `STALE_AT` (.65), or not known, before the period, and is not below it
        by the last fold row (`FoldRow`) in the period. False without a fold row in the period.
        """
        return self.after is not None and self.after.decay >= STALE_AT > (self.before.decay if self.before else 0.0)


@dataclass(slots=True)
class _PeriodTally:
    """Collects the rows of the ledger that matter for the report of a period."""

    since: datetime
    until: datetime
    fresh: set[str] = field(default_factory=set[str])
    events: list[LifecycleRow] = field(default_factory=list[LifecycleRow])
    aging: dict[str, _Aging] = field(default_factory=dict[str, _Aging])
    flushes: list[FlushRow] = field(default_factory=list[FlushRow])

    def add(self, row: Row) -> None:
        """Add one row of the ledger to this tally; rows must come oldest first.

        Of the rows in the period, lifecycle and flush rows are kept, each memory's last fold row (`FoldRow`: heat,
        decay, tier), and the ids of memories that verdicts created. Of those outside, only each memory's last fold row
        before it is.
        """
        inside = self.since <= (at := row_time(row)) < self.until
        if isinstance(row, FoldRow):
            aging = self.aging.setdefault(row.memory_id, _Aging())
            if inside:
                aging.after = row
            elif at < self.since:
                aging.before = row
        elif inside and isinstance(row, FlushRow):
            self.flushes.append(row)
        elif inside and isinstance(row, LifecycleRow):
            self.events.append(row)
        elif inside and isinstance(row, VerdictRow) and row.resulting_primitive_id and _made_a_memory(row):
            self.fresh.add(row.resulting_primitive_id)

    def served_or_used(self) -> set[str]:
        """Return the ids of the memories that were ever served or used, according to the counts in each one's last fold
        row (`FoldRow`) before the end of the period.
        """
        folds = ((memory_id, aged.after or aged.before) for memory_id, aged in self.aging.items())
        return {memory_id for memory_id, row in folds if row and (row.access_count or row.use_count)}


@dataclass(frozen=True, slots=True)
class Use:
    """How often memories were used and served, in the period and of all time."""

    used: Sequence[Times] = ()
    ever_used: Sequence[Times] = ()
    served: Sequence[Times] = ()
    ever_served: Sequence[Times] = ()


def compile_report(
    period: tuple[datetime, datetime], namespace: str, rows: Iterable[Row], use: Use, memories: Mapping[str, Memory]
) -> Report:
    """Compile the report of a period `[since, until)`, two aware instants, of a namespace.

    `rows` are all rows of the ledger about this namespace (others are not filtered out), oldest first; `use` are the
    history's counts; `memories` maps the ids of the namespace's memories to them. Each section counts all its entries
    and lists the first ten; `changed` has an entry for each change, the others for each memory. A memory that is gone
    is named by its id alone, and left out of the sections about aging. No entry has a `content` yet."""
    since, until = period
    tally = _PeriodTally(since, until)
    for row in rows:
        tally.add(row)
    changed = [row for row in tally.events if row.event_type in CHANGES]
    created = tally.fresh | {each.id for each in memories.values() if since <= each.created < until}
    by_category = Counter(memories[each].category for each in created if each in memories)
    aged = {memory_id: aging for memory_id, aging in tally.aging.items() if aging.after and memory_id in memories}
    touched = tally.served_or_used() | {each.memory_id for each in (*use.ever_used, *use.ever_served)}
    times_used = {each.memory_id: each.times for each in use.ever_used}
    return Report(
        namespace=namespace,
        since=since,
        until=until,
        created=dict(sorted(by_category.items())),
        recurred=_recurrence_section(recurrences(tally.events), memories),
        used=_counted_section(use.used, {}),
        served=_counted_section(use.served, times_used),
        changed=_changes_section(changed),
        changes=dict(sorted(Counter(row.event_type for row in changed).items())),
        went_cold=_aging_section({k: v for k, v in aged.items() if v.moved_tier("hot", "cold")}, memories),
        warmed=_aging_section({k: v for k, v in aged.items() if v.moved_tier("cold", "hot")}, memories),
        went_stale=_aging_section(
            {k: v for k, v in aged.items() if v.went_stale() and not protection(memories[k])}, memories
        ),
        unused=_unused_section([each for each in memories.values() if each.id not in touched], until),
        compression=_compression(tally.flushes),
    )


def _made_a_memory(row: VerdictRow) -> bool:
    """Whether a verdict made a new memory: it accepts, and is no retraction, whose memory existed before."""
    return row.verdict == "accept" and not row.reason.startswith("retraction")


def _recurrence_section(repeats: Mapping[str, Sessions], memories: Mapping[str, Memory]) -> ReportSection:
    """Make a section (it counts all and lists ten) of the memories that were said again in sessions other than their
    own, the most sessions first; an entry's `at` is the last time.

    `repeats` maps memory ids to all sessions in which they were said again, with the times; `memories` ids to memories.
    """
    own = {memory_id: memories[memory_id].session_id for memory_id in repeats if memory_id in memories}
    times = {each: [at for name, at in found.items() if name != own.get(each)] for each, found in repeats.items()}
    ordered = sorted(times.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return _section([ReportEntry(memory_id=each, sessions=len(at), at=max(at)) for each, at in ordered if at])


def _counted_section(counts: Iterable[Times], times_used: Mapping[str, int]) -> ReportSection:
    """Make a section (see `_section`) of the memories in `counts`, which says how often each was used (or served). They
    are sorted by number of sessions, then of times, the highest first, then by id; an entry's `at` is the last time.

    `times_used` maps memory ids to how often each was ever used; empty if the section does not show that (`used` is
    then 0)."""
    ordered = sorted(counts, key=lambda each: (-each.sessions, -each.times, each.memory_id))
    return _section(
        [
            ReportEntry(
                memory_id=each.memory_id,
                times=each.times,
                sessions=each.sessions,
                used=times_used.get(each.memory_id, 0),
                at=datetime.fromtimestamp(each.last / 1000, UTC),
            )
            for each in ordered
        ]
    )


def _changes_section(rows: Iterable[LifecycleRow]) -> ReportSection:
    """Make a section (it counts all and lists ten) of these rows, the newest first: an entry a row, so that a memory
    can be in it several times.
    """
    newest = sorted(rows, key=lambda row: (row.timestamp, row.event_id), reverse=True)
    entries = [
        ReportEntry(
            memory_id=row.memory_id, event=row.event_type, at=row.timestamp, related_memory_ids=row.related_memory_ids
        )
        for row in newest
    ]
    return _section(entries)


def _aging_section(aged: Mapping[str, _Aging], memories: Mapping[str, Memory]) -> ReportSection:
    """Make a section (it counts all and lists ten) of the memories of `aged`, which maps their ids to their fold rows
    (`FoldRow`) before and in the period, the most important first; all must be in `memories`.

    An entry's `at` is the time of the last row in the period, its `times` are the uses that this row counts.
    """
    ordered = sorted(aged, key=lambda memory_id: (-memories[memory_id].importance_score, memory_id))
    rows = [row for memory_id in ordered if (row := aged[memory_id].after)]
    return _section([ReportEntry(memory_id=row.memory_id, times=row.use_count or 0, at=row.at) for row in rows])


def _unused_section(untouched: Iterable[Memory], until: datetime) -> ReportSection:
    """Make a section (it counts all and lists ten) of those memories of `untouched` that were last written 30 days or
    more before `until` and still age then (see `lifecycle.ages`), the oldest first; an entry's `at` is when it was last
    written. That none was served or used, the caller has checked.
    """
    latest = until - timedelta(days=UNUSED_DAYS)
    found = sorted((kept_since(each), each.id) for each in untouched if ages(each, until))
    return _section([ReportEntry(memory_id=memory_id, at=kept) for kept, memory_id in found if kept <= latest])


def _section(entries: Sequence[ReportEntry]) -> ReportSection:
    """Make a section that counts all entries and lists the first ten."""
    return ReportSection(total=len(entries), entries=tuple(entries[:LISTED]))


def _compression(flushes: Sequence[FlushRow]) -> Compression:
    """Sum up the flushed segments; `turns_per_memory` has one decimal, and is None if nothing was accepted."""
    turns, accepted = sum(row.turns for row in flushes), sum(row.accepted for row in flushes)
    return Compression(
        sessions=len({row.session_id for row in flushes}),
        segments=len(flushes),
        turns=turns,
        characters=sum(row.characters for row in flushes),
        observations=sum(row.observations for row in flushes),
        accepted=accepted,
        turns_per_memory=round(turns / accepted, 1) if accepted else None,
    )
