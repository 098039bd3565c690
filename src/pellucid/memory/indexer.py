"""Heads of the record in, index rows out: the one way by which the index is filled.

A write, a crash recovery, a person's edit in an editor and a rebuild all end here: read the newest bytes of some paths,
parse them (`filed`, loaded when a file changed), reuse or compute their encodings, and replace those paths' rows; then
read on in the ledger.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import cast

from pellucid.deadline import Deadline
from pellucid.documents.names.naming import Naming
from pellucid.encoders.port import Embedder
from pellucid.errors import InputError, NoRoomError, StoreError, step
from pellucid.memory.encoding import EncodingCache, EncodingSource, words_digest
from pellucid.model.ledger import FoldRow, LifecycleRow, TombstoneRow
from pellucid.store.index_changes import IndexedFile, IndexState, LedgerChange, PathChange
from pellucid.store.index_port import Index
from pellucid.store.ledger_gaps import Gaps, Span
from pellucid.store.records import FileHead, Ledger, LedgerRow, OperationRow, Records, RecordState, Stamp

BATCH = 256
"""The most files folded in one index transaction."""
LEDGER = ".pellucid/ledger"
"""The place that is named for unreadable parts of the ledger."""
Kept = FoldRow | TombstoneRow | LifecycleRow
_KEPT: dict[object, type[Kept]] = {"fold": FoldRow, "tombstone": TombstoneRow, "lifecycle": LifecycleRow}
"""The kinds of ledger rows that the index keeps."""
_ADMISSION_KEYS = frozenset({"status", "trustZone", "validAt", "invalidAt", "expiresAt"})
"""The index keeps only changes of these keys: they decide whether a memory is admissible."""


@dataclass(frozen=True, slots=True)
class Drift:
    """The paths of files that differ from what the index last read."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that differs: added, edited, then deleted."""
        return (*self.added, *self.edited, *self.deleted)


@dataclass(frozen=True, slots=True)
class Folded:
    """The outcome of a fold: how many memories were written, unreadable files and why, and why encodings lack."""

    memories: int = 0
    unreadable: tuple[tuple[str, str], ...] = ()
    encoder_problem: str = ""

    def __add__(self, other: "Folded") -> "Folded":
        """Return the outcome of two folds, this one before `other`."""
        return Folded(
            self.memories + other.memories,
            self.unreadable + other.unreadable,
            other.encoder_problem or self.encoder_problem,
        )


@dataclass(slots=True)
class _LedgerReading:
    """A reading of the ledger: missing numbers, rows for the index, damaged rows."""

    gaps: Gaps
    changes: list[LedgerChange] = field(default_factory=list[LedgerChange])
    damage: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    state: RecordState | None = None
    """The losses and damage of the whole ledger, if it was checked."""

    @property
    def last(self) -> int:
        """The number of the last row that was read; before any, the number after which reading began."""
        return self.gaps.last

    @property
    def missing(self) -> tuple[Span, ...]:
        """The ranges of numbers whose rows could not be read."""
        return self.gaps.missing()

    def add(self, row: LedgerRow) -> None:
        """Take the next row: add it to `changes` if it is a fold row (heat, decay and tier of a memory), a tombstone,
        or a change of whether a memory may be recalled (`_is_state_change`), or to `damage` if such a row is
        unreadable. The number of any row counts as read.
        """
        kind = row.get("kind")
        self.gaps.take(row)
        if kind not in _KEPT or (kind == "lifecycle" and not _is_state_change(row)):
            return
        try:
            self.changes.append(LedgerChange(self.last, _kept_row(row)))
        except ValueError:
            self.damage.append((LEDGER, f"row {self.last} of the ledger is no {kind} that can be read"))

    @property
    def folded(self) -> Folded:
        """The damaged and missing rows of the ledger as a `Folded` without memories: its `unreadable` pairs of place
        and problem.
        """
        lost = self.state or RecordState(missing=self.missing)
        return Folded(unreadable=(*self.damage, *((LEDGER, why) for why in lost.problems)))


@dataclass(frozen=True, slots=True)
class _Task:
    """A fold to be done: the state it leads to, who wrote the bytes, sources of encodings, ledger rows.

    With `anew`, the index first drops all its ledger rows.
    """

    state: IndexState
    op_id: str | None
    encodings: EncodingSource
    ledger: Sequence[LedgerChange] = ()
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Indexer:
    """Keeps an index equal to its record. `namespace` and `key` complete files that a person wrote by hand.

    The threads of a process fold one at a time: each files and folds all that was acknowledged, so that those waiting
    find it done. What was not encoded ahead is encoded meanwhile, or each of those waiting would encode it, too.
    """

    records: Records
    ledger: Ledger
    index: Index
    embedder: Embedder | None
    namespace: str
    key: bytes
    naming: Naming
    _cache: EncodingCache = field(init=False)
    _one_at_a_time: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cache", EncodingCache(self.index, self.embedder))

    def encode_ahead(self, texts: Iterable[str]) -> None:
        """Encode contents of memories that will probably be indexed soon, and keep their encodings in memory until
        then, so that nobody waits for that. Nothing is done without an encoder, nor if it fails, which raises nothing.
        """
        self._cache.encode_ahead({words_digest(text): text for text in texts})

    def encode_edits(self, paths: Collection[str] | None = None) -> None:
        """Encode the files that others added or edited in the vault (or at these of its paths), and keep the encodings
        in memory until the files are indexed.

        Nothing is indexed yet. What cannot be read or parsed is passed over; if the encoder fails, nothing is encoded.
        """
        from pellucid.memory import filed

        drift = self.drift(paths)
        heads = readable(self.records, [*drift.added, *drift.edited])[0]
        files = [filed.parse_head(head, self.namespace, self.key) for head in heads]
        self._cache.encode_ahead(filed.encodable_texts(files))

    def drop_encoded_ahead(self) -> None:
        """Drop all encodings that were made ahead and not used yet."""
        self._cache.drop_encoded_ahead()

    def catch_up(
        self, changed: Iterable[str] = (), op_id: str | None = None, deadline: Deadline | None = None
    ) -> Folded:
        """Write to the vault what still waits in the journal, then fold (read into the index) every operation and
        ledger row that the index has not seen; return the outcome.

        `changed` are further paths to fold, changed by others; operation `op_id` counts as their writer. An index
        without any operation, as a new version of it is, also folds all its files again. What does not fit on the disk
        stays in the journal, and is folded from there. Unreadable files are named in the outcome, and raise nothing.

        Raises:
            NoRoomError: the index could not be written.
            StoreError: other processes folded each time that this one tried, or waiting files are out of reach.
            DeadlineError: the time of `deadline` (None: it has no end) was over before other threads had folded.
        """
        with (deadline or Deadline()).holding(self._one_at_a_time):
            state = self.index.state()
            rows = self.records.operations(after=state.applied_seq)
            # only now that the rows are read: an operation acknowledged meanwhile is not filed, and waits its turn
            with suppress(NoRoomError):
                self.records.drain()
            paths = {path for row in rows for path, _ in row.paths} | set(changed)
            if not state.applied_seq:
                paths |= self.index.files().keys()
            reading = self._read_ledger(state)
            if not state.ledger_seq and reading.last:  # a new index would believe a changed tombstone
                reading.state = self.ledger.state(thorough=True)
            if not (rows or paths or reading.last > state.ledger_seq or reading.missing != state.ledger_gaps):
                return reading.folded + Folded(encoder_problem=self._cache.problem)  # another thread's turn folded ours
            existing = {stamp.path for stamp in self.records.walk(paths)}
            # first the files that are gone, so that others can take over their ids: over all batches here, and again
            # within each by the index, which goes by the bytes that were read
            ordered = [*sorted(paths - existing), *sorted(existing)]
            new_state = _state_after(state, rows, reading)
            return self._fold_paths(ordered, state, self._task_for(new_state, op_id, reading)) + reading.folded

    def drift(self, paths: Collection[str] | None = None) -> Drift:
        """Return how the vault, or these of its paths, differ from what the index last read.

        Only size and time of modification are compared; no file is read.
        """
        indexed = self.index.files(paths)
        stamps = {stamp.path: stamp for stamp in self.records.walk(paths)}
        return Drift(
            added=tuple(path for path in stamps if path not in indexed),
            edited=tuple(path for path, stamp in stamps.items() if path in indexed and _differs(stamp, indexed[path])),
            deleted=tuple(path for path in indexed if path not in stamps),
        )

    def holds_removed(self) -> bool:
        """Whether the index can still contain something that was forgotten, or whose file was removed, by an operation
        that the index has not taken in yet.

        Raises InputError if a file that was changed since cannot be read.
        """
        rows = self.records.operations(after=self.index.state().applied_seq)
        if any(row.kind in {"forget", "purge"} for row in rows):
            return True
        paths = {path for row in rows for path, _ in row.paths}
        indexed = self.index.files(paths)
        return any(head.data is None for head in self.records.heads(sorted(indexed)))

    def rebuild(self, op_id: str | None = None) -> Folded:
        """Write waiting files to the vault, fold (read into the index) every file and ledger row anew, and return the
        outcome. A text is encoded anew if the index has vectors of another model than the encoder's; else, and without
        an encoder, it keeps its encoding.

        `op_id` counts as the writer of files that no operation wrote. Waits for other threads without a limit.

        Raises:
            StoreError: the index or a waiting file could not be written, or other processes kept folding.
        """
        with self._one_at_a_time:
            self.records.drain()
            state = self.index.state()
            newer = self.records.operations(after=state.applied_seq)
            existing = [stamp.path for stamp in self.records.walk()]
            gone = sorted(set(self.index.files()) - set(existing))
            reuse = self.embedder is None or state.model == self.embedder.model
            reading = self._read_ledger(IndexState(0, "", ""))
            new_state = _state_after(state, newer, reading)
            encodings = EncodingSource(self.embedder, reuse=reuse, problem="no encoder")
            ledger_state = self.ledger.state(thorough=True)
            anew = ledger_state.settled and not reading.damage  # else the index keeps rows that the ledger lost
            task = _Task(self._with_our_model(new_state), op_id, encodings, reading.changes, anew)
            return self._fold_paths([*gone, *existing], state, task) + replace(reading, state=ledger_state).folded

    def _task_for(self, state: IndexState, op_id: str | None, read: _LedgerReading) -> _Task:
        """Make the task that brings the index to this state, with the ledger rows of `read`; `op_id` counts as writer
        of files that no operation wrote. Nothing is encoded anew if the index has vectors of another model.
        """
        if self.embedder is not None and state.model not in {"", self.embedder.model}:
            stale = f"the index holds vectors of {state.model}: run {step('home.rebuild')}"
            return _Task(state, op_id, EncodingSource(None, reuse=True, problem=stale), read.changes)
        encodings = EncodingSource(self.embedder, reuse=True, problem="no encoder")
        return _Task(self._with_our_model(state), op_id, encodings, read.changes)

    def _with_our_model(self, state: IndexState) -> IndexState:
        """Return the state with our encoder's model and basis as those of its vectors, if there is an encoder."""
        if self.embedder is None:
            return state
        return replace(state, model=self.embedder.model, basis=self.embedder.basis)

    def _read_ledger(self, state: IndexState) -> _LedgerReading:
        """Read the rows of the ledger that an index in this state has not seen, and again all rows after the first
        number that was missing, in case lost rows are back.
        """
        after = min([state.ledger_seq, *(first - 1 for first, _ in state.ledger_gaps)])
        reading = _LedgerReading(Gaps(after))
        for row in self.ledger.rows(after=after):
            reading.add(row)
        return reading

    def _fold_paths(self, paths: Sequence[str], before: IndexState, task: _Task) -> Folded:
        """Fold files (read them into the index) in batches of 256, and return the outcome. Only the last batch also
        writes the ledger rows of `task` and the numbers up to which journal and ledger are folded; until then the index
        keeps those of `before`, so that a fold that a crash interrupts is done again.
        """
        held_back = replace(
            task.state, applied_seq=before.applied_seq, ledger_seq=before.ledger_seq, ledger_gaps=before.ledger_gaps
        )
        early = replace(task, state=held_back, ledger=(), anew=False)
        outcome, last = Folded(), max((len(paths) - 1) // BATCH, 0)
        for number in range(last + 1):
            batch = paths[number * BATCH : (number + 1) * BATCH]
            outcome += self._fold_batch(batch, task if number == last else early)
        return outcome

    def _fold_batch(self, paths: Sequence[str], task: _Task) -> Folded:
        """Read files, replace their rows in the index as `task` says, and return the outcome; repeat all, eight times
        at most, if another process changed the index meanwhile.

        Raises:
            StoreError: others changed it each time.
        """
        state = task.state
        for _ in range(8):
            heads, unreadable = readable(self.records, paths)
            changes, outcome = self._changes_in(heads, task.op_id, task.encodings)
            refused = self.index.apply(changes, state, task.ledger, anew=task.anew)
            if refused is not None:
                return outcome + unreadable + _refused_memories(changes, refused)
            ahead = self.index.state().applied_seq  # another process folded more: what was read may be old by now
            state = replace(state, applied_seq=ahead)
        raise StoreError(
            "the index kept changing while it was being written", next_step="repeat, or stop other writers"
        )

    def _changes_in(
        self, heads: Iterable[FileHead], op_id: str | None, source: EncodingSource
    ) -> tuple[list[PathChange], Folded]:
        """Return the rows that the index is to have of these files, encoded as `source` allows, and the outcome so far.

        The outcome counts the memories, and names unreadable files and the encoder's problem. `op_id` counts as the
        writer of files that no operation wrote.
        """
        from pellucid.memory import filed

        files = [filed.parse_head(head, self.namespace, self.key) for head in heads]
        encodings, problem = self._cache.encodings_of(filed.encodable_texts(files), source)
        changes = [filed.path_change(each, encodings, op_id, self.naming) for each in files]
        unreadable = tuple((each.head.path, each.problem) for each in files if each.problem)
        return changes, Folded(sum(len(each.parsed.memories) for each in files), unreadable, problem)


def _state_after(state: IndexState, rows: Sequence[OperationRow], reading: _LedgerReading) -> IndexState:
    """Return the state of an index that has also seen these operations and this reading of the ledger."""
    ledger_seq = max(state.ledger_seq, reading.last)
    applied_seq = rows[-1].seq if rows else state.applied_seq
    return replace(state, applied_seq=applied_seq, ledger_seq=ledger_seq, ledger_gaps=reading.missing)


def readable(records: Records, paths: Iterable[str]) -> tuple[list[FileHead], Folded]:
    """Return the heads of the readable files; and a `Folded` that names the others, with the reason, as `unreadable`.

    Of unreadable files (no permission, a failing disk) the index keeps what it last read.
    """
    heads: list[FileHead] = []
    unreadable: list[tuple[str, str]] = []
    for path in paths:
        try:
            heads += records.heads([path])
        except InputError as error:
            unreadable.append((path, str(error)))
    return heads, Folded(unreadable=tuple(unreadable))


def _refused_memories(changes: Iterable[PathChange], refused: dict[str, str]) -> Folded:
    """Return an outcome that takes back the memories that the index refused: their number, negative, and a problem for
    the file of each.

    `refused` maps their ids to the path of the other file with that id.
    """
    problems = [
        (change.path, f"{change.path}: its id {record.memory.id} stands in {refused[record.memory.id]}, too")
        for change in changes
        for record in change.records
        if record.memory.id in refused
    ]
    return Folded(-len(problems), tuple(problems))


def _differs(stamp: Stamp, indexed: IndexedFile) -> bool:
    """Whether a file's size or time of modification differs from what the index saw."""
    return (stamp.size, stamp.mtime_ns) != (indexed.size, indexed.mtime_ns)


def _is_state_change(row: LedgerRow) -> bool:
    """Whether a lifecycle row changes whether its memory may be recalled: its `before` has the status, trust zone or an
    end or beginning of validity.
    """
    before = row.get("before")
    return isinstance(before, dict) and not _ADMISSION_KEYS.isdisjoint(cast("dict[str, object]", before))


def _kept_row(row: LedgerRow) -> Kept:
    """Return the checked form of a row that the index keeps; raise ValueError if a value is missing or invalid."""
    checked = _KEPT[row["kind"]].model_validate({name: value for name, value in row.items() if name != "seq"})
    for key in checked.keys if isinstance(checked, TombstoneRow) else ():
        bytes.fromhex(key)
    return checked
