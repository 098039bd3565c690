"""A namespace in, its lifecycle pass out: every memory's heat, decay and tier folded anew onto the ledger."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pellucid.app import App
from pellucid.memory.ledger_rows import Sessions, recurrences, typed
from pellucid.memory.lifecycle import (
    Aged,
    Archival,
    Signs,
    Tier,
    Why,
    age_memory,
    ages,
    kept_since,
    moved,
    proposal,
    signs_of,
    stale,
)
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.ledger import FoldRow, PassRow
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.operations.operation import DryRun, Operation, Surfaces
from pellucid.operations.remains import finish_erasures_if_possible
from pellucid.recall.recaller import trim_history
from pellucid.settings.sections import LifecycleSettings
from pellucid.store.history.uses_port import Times

ROWS_A_COMMIT = 5_000
"""Folds acknowledged together: what a crash in the middle of a pass leaves undone, and the next pass does."""
NAMED = 50
"""Tier changes and proposals an output names at most; its counts are of all."""
OVERDUE = 2.0
"""A pass is due after its days, and overdue after so many times as long."""
_DAY = timedelta(days=1)
_COMMANDS = {
    "lifecycle": "pellucid lifecycle run",
    "consolidate": "pellucid lifecycle consolidate",
    "report": "pellucid lifecycle report",
}


class LifecycleInput(Wire):
    """Which namespace to fold; a dry run writes nothing."""

    namespace: str
    dry_run: DryRun = False


class TierChange(Wire):
    """A memory that went from one tier to the other."""

    memory_id: str
    before: Tier
    after: Tier
    tier_value: float
    why: Why


class Proposed(Wire):
    """A memory that might be archived, and why; nothing was done to it."""

    memory_id: str
    reason: Archival


class LifecycleOutput(Wire):
    """What a pass found, and what it wrote (or, in a dry run, would have written)."""

    namespace: str
    dry_run: bool
    memories: int = 0
    """Memories that age: those that may still be recalled."""
    folds: int = 0
    """Folds that moved and were written."""
    hot: int = 0
    cold: int = 0
    protected: int = 0
    stale: int = 0
    demoted: int = 0
    promoted: int = 0
    changes: tuple[TierChange, ...] = ()
    proposals: int = 0
    proposed: tuple[Proposed, ...] = ()
    op_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UseRecords:
    """What is recorded of the use of a namespace's memories, by memory id."""

    uses: dict[str, Times]
    exposure: dict[str, Times]
    again: dict[str, Sessions]
    folds: dict[str, FoldRow]

    def signs(self, memory: Memory) -> Signs:
        """Return what is known of one memory's use; what was never recorded counts as never."""
        at = memory.id
        return signs_of(memory, self.uses.get(at), self.exposure.get(at), self.again.get(at), self.folds.get(at))


@dataclass(slots=True)
class _PassTally:
    """The counts of a pass so far."""

    settings: LifecycleSettings
    memories: int = 0
    tiers: dict[Tier, int] = field(default_factory=lambda: {"hot": 0, "cold": 0})
    protected: int = 0
    stale: int = 0
    moves: dict[Tier, int] = field(default_factory=lambda: {"hot": 0, "cold": 0})
    """Memories that came to each tier."""
    changes: list[TierChange] = field(default_factory=list[TierChange])
    proposals: int = 0
    proposed: list[Proposed] = field(default_factory=list[Proposed])

    def add(self, memory: Memory, aged: Aged, signs: Signs, before: Tier) -> None:
        """Count one memory: its new fold, its tier `before`, and a proposal if there is one. The first `NAMED` changes
        and proposals are kept by name."""
        row = aged.row
        self.memories += 1
        self.tiers[row.tier] += 1
        self.protected += aged.why == "protected"
        self.stale += stale(memory, row.decay)
        if row.tier != before:
            self.moves[row.tier] += 1
            if len(self.changes) < NAMED:
                change = TierChange(
                    memory_id=memory.id, before=before, after=row.tier, tier_value=row.tier_value, why=aged.why
                )
                self.changes.append(change)
        if reason := proposal(memory, aged, signs, row.at):
            self.proposals += 1
            if len(self.proposed) < NAMED:
                self.proposed.append(Proposed(memory_id=memory.id, reason=reason))

    def counts(self) -> dict[str, int]:
        """Return the counts that the ledger keeps of a pass, by name, such as `demoted`."""
        moves = {"demoted": self.moves["cold"], "promoted": self.moves["hot"]}
        return {"memories": self.memories, **moves, "stale": self.stale, "proposals": self.proposals}


@dataclass(slots=True)
class _FoldWriter:
    """Writes folds to the ledger in batches; in a dry run it only counts them."""

    app: App
    request: LifecycleInput
    folds: int = 0
    op_ids: list[str] = field(default_factory=list[str])
    _waiting: list[FoldRow] = field(default_factory=list[FoldRow])
    _seen: int = field(init=False)
    """The last row of the ledger that was looked at: the folds we started from hold those before."""
    _folded_by_others: set[str] = field(default_factory=set[str])
    """The memories that passes beside this one have folded since."""

    def __post_init__(self) -> None:
        """Note how far the ledger reaches, to find what a concurrent pass writes behind it."""
        self._seen = self.app.index.state().ledger_seq

    def add(self, row: FoldRow) -> None:
        """Add a changed fold; a full batch is written. In a dry run it is only counted."""
        if self.request.dry_run:
            self.folds += 1
            return
        self._waiting.append(row)
        if len(self._waiting) == ROWS_A_COMMIT - 1:
            self._commit()

    def finish(self, tally: _PassTally, started: datetime) -> None:
        """Write what is left, and that the pass ran to its end; nothing in a dry run."""
        if not self.request.dry_run:
            self._commit((tally, started))

    def _commit(self, ending: tuple[_PassTally, datetime] | None = None) -> None:
        """Write the waiting rows that no concurrent pass has written; with `ending`, also that the pass is over."""
        namespace = self.request.namespace
        with self.app.unit_of_work.exclusive(WAIT_S, namespace):
            rows: list[FoldRow | PassRow] = [*self._not_written_by_another()]
            self.folds += len(rows)
            if ending:
                tally, started = ending
                counts = {**tally.counts(), "folds": self.folds}
                finished = self.app.clock.now()
                rows.append(
                    PassRow(name="lifecycle", namespace=namespace, started=started, finished=finished, counts=counts)
                )
            if rows:
                kept = self.app.unit_of_work.commit("lifecycle", [], ledger=[row.to_wire() for row in rows])
                self.op_ids.append(kept.op_id)
        self._waiting = []

    def _not_written_by_another(self) -> Iterator[FoldRow]:
        """Return the waiting folds except those of memories that a concurrent pass has folded meanwhile."""
        seen, self._seen = self._seen, self.app.index.state().ledger_seq
        newer = typed(self.app.ledger.rows(after=seen), self.request.namespace, ("fold",))
        self._folded_by_others |= {row.memory_id for row in newer if isinstance(row, FoldRow)}
        return (row for row in self._waiting if row.memory_id not in self._folded_by_others)


def run_lifecycle(app: App, request: LifecycleInput) -> LifecycleOutput:
    """Recompute heat, decay and tier of every memory in force, and write changed ones to the ledger. Repeating it adds
    nothing.

    Writes in batches, so that nobody waits long for the lock. Also trims expired receipts and finishes interrupted
    erasures.

    Raises:
        StoreBusyError: another process is writing, and did not stop in a minute; what was acknowledged is kept.
    """
    if not request.dry_run:
        finish_erasures_if_possible(app)
    started, tally = app.clock.now(), _PassTally(app.settings.lifecycle)
    output = _FoldWriter(app, request)
    for row in _fold_rows(app, request.namespace, started, tally):
        output.add(row)
    output.finish(tally, started)
    if not request.dry_run:
        trim_history(app.history, app.settings.history, started)
    return LifecycleOutput(
        namespace=request.namespace,
        dry_run=request.dry_run,
        memories=tally.memories,
        folds=output.folds,
        hot=tally.tiers["hot"],
        cold=tally.tiers["cold"],
        protected=tally.protected,
        stale=tally.stale,
        demoted=tally.moves["cold"],
        promoted=tally.moves["hot"],
        changes=tuple(tally.changes),
        proposals=tally.proposals,
        proposed=tuple(tally.proposed),
        op_ids=tuple(output.op_ids),
    )


def load_use_records(app: App, namespace: str) -> UseRecords:
    """Load the uses, servings, recurrences and last folds of a namespace's memories."""
    return UseRecords(
        {each.memory_id: each for each in app.uses.uses(namespace)},
        {each.memory_id: each for each in app.uses.exposure(namespace)},
        recurrences(typed(app.ledger.rows(), namespace, ("lifecycle",))),
        app.lookup.folds(namespace),
    )


@dataclass(frozen=True, slots=True)
class DuePass:
    """A pass that is due: `days` since it last ran (or could first have run), and how often it should."""

    name: str
    days: float
    every: float
    ran: bool

    def __str__(self) -> str:
        """Say since when the pass is due (`overdue` when very late), and by which command to run it."""
        word = "overdue" if self.days >= OVERDUE * self.every else "due"
        last = f"last ran {self.days:.1f} days ago" if self.ran else "never ran"
        how = f"run `{_COMMANDS[self.name]}`"
        return f"{self.name} is {word}: it {last}, and is due every {self.every:g} days; {how}"


def due_passes(app: App, namespace: str, now: datetime) -> list[DuePass]:
    """Return the passes that are due: those not run for as many days as the settings say. One that never ran counts
    from the oldest memory; none is due in an empty namespace."""
    last: dict[str, datetime] = {}
    for row in typed(app.ledger.rows(), namespace, ("pass",)):
        if isinstance(row, PassRow):
            last[row.name] = row.finished
    settings = app.settings.lifecycle
    every = {
        "lifecycle": settings.fold_every_days,
        "consolidate": settings.consolidate_every_days,
        "report": settings.report_every_days,
    }
    first = now
    if every.keys() - last.keys():  # a pass that never ran is due when the oldest memory is as old as that
        first = min((kept_since(each.memory) for each in app.index.memories(namespace)), default=now)
    days = {name: (now - last.get(name, first)) / _DAY for name in every}
    return [DuePass(name, days[name], each, name in last) for name, each in every.items() if days[name] >= each]


def _fold_rows(app: App, namespace: str, now: datetime, tally: _PassTally) -> Iterator[FoldRow]:
    """Yield the folds that changed of all memories that age; `tally` counts every one, changed or not."""
    known = load_use_records(app, namespace)
    for memory in (each.memory for each in app.index.memories(namespace) if ages(each.memory, now)):
        signs, before = known.signs(memory), known.folds.get(memory.id)
        aged = age_memory(memory, signs, before, now, tally.settings)
        tally.add(memory, aged, signs, before.tier if before else "hot")
        if moved(aged.row, before):
            yield aged.row


LIFECYCLE = Operation(
    "lifecycle.run",
    "Fold every memory's use into its heat, decay and tier. Safe to repeat; meant for once a day.",
    LifecycleInput,
    LifecycleOutput,
    lambda call, asked: run_lifecycle(call.app, asked),
    "change",
    Surfaces("lifecycle run", http=("POST /v1/lifecycle/run",)),
)
