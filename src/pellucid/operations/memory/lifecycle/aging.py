"""A namespace in, its lifecycle pass out: every memory's heat, decay and tier, computed anew, written to the ledger."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pellucid.app import App
from pellucid.errors import step
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
from pellucid.operations.operation import DryRun, Operation, Surfaces, Text, in_home
from pellucid.operations.remains import finish_erasures_if_possible
from pellucid.recall.recaller import trim_history
from pellucid.settings.sections import LifecycleSettings
from pellucid.store.history.uses_port import Times

ROWS_A_COMMIT = 5_000
"""Rows that are committed together; the next pass does what a crash left undone."""
NAMED = 50
"""The maximum number of tier changes, and of proposals, that an output names; its counts are of all."""
OVERDUE = 2.0
"""A pass is due after its interval of days, and overdue after this many intervals."""
_DAY = timedelta(days=1)
_OPERATIONS = {"lifecycle": "lifecycle.run", "consolidate": "lifecycle.consolidate", "report": "lifecycle.report"}
"""Maps passes to the operations that run them."""


class LifecycleInput(Wire):
    """The namespace of the pass, and whether it is a dry run, which writes nothing."""

    namespace: str
    dry_run: DryRun = False


class TierChange(Wire):
    """A memory that moved from one tier to the other."""

    memory_id: str
    before: Tier
    after: Tier
    tier_value: float
    why: Why


class Proposed(Wire):
    """A memory that could be archived, and why; nothing was done to it."""

    memory_id: str
    reason: Archival


class LifecycleOutput(Wire):
    """The counts of a pass, and the rows that it wrote or, in a dry run, would have written."""

    namespace: str
    dry_run: bool
    memories: int = 0
    """The number of memories that age: those that are active or disputed, and neither invalid nor expired."""
    folds: int = 0
    """The number of memories whose heat, decay or tier changed and was written."""
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
    """The records of the use of a namespace's memories; each field maps memory ids to records."""

    uses: dict[str, Times]
    exposure: dict[str, Times]
    again: dict[str, Sessions]
    folds: dict[str, FoldRow]

    def signs(self, memory: Memory) -> Signs:
        """Return the signs of one memory's use: how often it was used, served and said again, and when last. Without a
        record, it counts as never."""
        key = memory.id
        return signs_of(memory, self.uses.get(key), self.exposure.get(key), self.again.get(key), self.folds.get(key))


@dataclass(slots=True)
class _PassTally:
    """The counts of a pass so far."""

    settings: LifecycleSettings
    memories: int = 0
    tiers: dict[Tier, int] = field(default_factory=lambda: {"hot": 0, "cold": 0})
    protected: int = 0
    stale: int = 0
    moves: dict[Tier, int] = field(default_factory=lambda: {"hot": 0, "cold": 0})
    """Maps tiers to the number of memories that moved there."""
    changes: list[TierChange] = field(default_factory=list[TierChange])
    proposals: int = 0
    proposed: list[Proposed] = field(default_factory=list[Proposed])

    def add(self, memory: Memory, aged: Aged, signs: Signs, before: Tier) -> None:
        """Count one memory by its new values (`aged`), by its tier `before`, and by whether it is proposed for
        archiving, which `signs` (of its use) help to decide. The first 50 (`NAMED`) tier changes and proposals are
        listed."""
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
        """Return a map from the names of the counts in the ledger's row of a pass, such as `demoted`, to the counts."""
        moves = {"demoted": self.moves["cold"], "promoted": self.moves["hot"]}
        return {"memories": self.memories, **moves, "stale": self.stale, "proposals": self.proposals}


@dataclass(slots=True)
class _FoldWriter:
    """Writes the ledger's rows of heat, decay and tier (`FoldRow`) in batches; in a dry run it only counts them."""

    app: App
    request: LifecycleInput
    folds: int = 0
    op_ids: list[str] = field(default_factory=list[str])
    _waiting: list[FoldRow] = field(default_factory=list[FoldRow])
    _seen: int = field(init=False)
    """The number of the last ledger row that was read; the values that the pass started from include it."""
    _folded_by_others: set[str] = field(default_factory=set[str])
    """The ids of memories for which concurrent passes wrote rows since."""

    def __post_init__(self) -> None:
        """Remember the ledger's last row, to find the rows that a concurrent pass writes after it."""
        self._seen = self.app.index.state().ledger_seq

    def add(self, row: FoldRow) -> None:
        """Add a row to the batch, and commit the batch if it is full (one below `ROWS_A_COMMIT`); in a dry run, only
        count the row."""
        if self.request.dry_run:
            self.folds += 1
            return
        self._waiting.append(row)
        if len(self._waiting) == ROWS_A_COMMIT - 1:
            self._commit()

    def finish(self, tally: _PassTally, started: datetime) -> None:
        """Write the last batch, and a ledger row with the counts of the complete pass, which began at `started`;
        nothing in a dry run."""
        if not self.request.dry_run:
            self._commit((tally, started))

    def _commit(self, ending: tuple[_PassTally, datetime] | None = None) -> None:
        """Commit the batch of rows of heat, decay and tier, without memories for which a concurrent pass has written
        rows; with `ending` (counts and start), also the row of the complete pass. Counts the rows in `folds`, and
        empties the batch."""
        namespace = self.request.namespace
        with self.app.unit_of_work.exclusive(WAIT_S, namespace, self.app.deadline):
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
                committed = self.app.unit_of_work.commit("lifecycle", [], ledger=[row.to_wire() for row in rows])
                self.op_ids.append(committed.op_id)
        self._waiting = []

    def _not_written_by_another(self) -> Iterator[FoldRow]:
        """Yield the rows of the batch, except those of memories for which a concurrent pass has written rows."""
        seen, self._seen = self._seen, self.app.index.state().ledger_seq
        newer = typed(self.app.ledger.rows(after=seen), self.request.namespace, ("fold",))
        self._folded_by_others |= {row.memory_id for row in newer if isinstance(row, FoldRow)}
        return (row for row in self._waiting if row.memory_id not in self._folded_by_others)


def run_lifecycle(app: App, request: LifecycleInput) -> LifecycleOutput:
    """Recompute heat (how much it is in use), decay (how old, unused or doubtful it is) and tier (`hot`, or `cold`,
    which recalls rank lower) of every memory that is active or disputed, and neither invalid nor expired. Write to the
    ledger those whose tier or counts changed, or one of their values by at least .05 (`moved`), and a row that says
    that the pass ran: a repeated pass adds that row only.

    Rows are written in batches, so that other writers do not wait long. Also finishes interrupted erasures, and trims
    the receipts, events and citations of all namespaces past their retention. A dry run writes nothing.

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
    """Load what is on record of the use of a namespace's memories: their uses, how often recalls served them, the
    sessions that said them again, and their last ledger rows of heat, decay and tier (`FoldRow`)."""
    return UseRecords(
        {each.memory_id: each for each in app.uses.uses(namespace)},
        {each.memory_id: each for each in app.uses.exposure(namespace)},
        recurrences(typed(app.ledger.rows(), namespace, ("lifecycle",))),
        app.lookup.folds(namespace),
    )


@dataclass(frozen=True, slots=True)
class DuePass:
    """A pass that is due: the `days` since it last ran (else since the oldest memory), and its interval `every` in
    days; `ran` is false if it never ran."""

    name: str
    days: float
    every: float
    ran: bool

    def __str__(self) -> str:
        """Return a sentence that says how late the pass is, and the command that runs it."""
        word = "overdue" if self.days >= OVERDUE * self.every else "due"
        last = f"last ran {self.days:.1f} days ago" if self.ran else "never ran"
        how = f"run {step(_OPERATIONS[self.name])}"
        return f"{self.name} is {word}: it {last}, and is due every {self.every:g} days; {how}"


def due_passes(app: App, namespace: str, now: datetime) -> list[DuePass]:
    """Return the passes (`lifecycle`, `consolidate`, `report`, in this order) that have not run for at least as many
    days as the settings say. The days of a pass that never ran count from when the first of the namespace's memories
    was written; in an empty namespace no such pass is due."""
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
    if every.keys() - last.keys():  # only a pass that never ran needs the age of the oldest memory
        first = min((kept_since(each.memory) for each in app.index.memories(namespace)), default=now)
    days = {name: (now - last.get(name, first)) / _DAY for name in every}
    return [DuePass(name, days[name], each, name in last) for name, each in every.items() if days[name] >= each]


def _fold_rows(app: App, namespace: str, now: datetime, tally: _PassTally) -> Iterator[FoldRow]:
    """Yield the new ledger rows of those memories whose heat, decay, tier or counts changed enough to be written
    (`moved`); count every memory that ages (active or disputed, neither invalid nor expired) in `tally`. `now` is the
    instant of the pass."""
    records = load_use_records(app, namespace)
    for memory in (each.memory for each in app.index.memories(namespace) if ages(each.memory, now)):
        signs, before = records.signs(memory), records.folds.get(memory.id)
        aged = age_memory(memory, signs, before, now, tally.settings)
        tally.add(memory, aged, signs, before.tier if before else "hot")
        if moved(aged.row, before):
            yield aged.row


LIFECYCLE = Operation(
    "lifecycle.run",
    "Fold every memory's use into its heat, decay and tier. Safe to repeat; meant for once a day.",
    LifecycleInput,
    LifecycleOutput,
    in_home(run_lifecycle),
    "change",
    Surfaces("lifecycle run", http=("POST /v1/lifecycle/run",)),
    text=Text("memory.lifecycle.pass_text", excerpts=True),
)
