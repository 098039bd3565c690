"""Heads of the record in, index rows out: the one way by which the index learns anything.

A write, a crash recovery, a person's edit in an editor and a rebuild all end here: read the newest bytes of some
paths, parse them (`filed`, loaded when a file changed), reuse or compute their encodings, and replace those paths'
rows; then read on in the ledger.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import cast

from pellucid.documents.names.naming import Naming
from pellucid.encoders.port import Embedder
from pellucid.errors import InputError, NoRoomError, StoreError
from pellucid.memory.encoding import EncodingCache, EncodingSource, words_digest
from pellucid.model.ledger import FoldRow, LifecycleRow, TombstoneRow
from pellucid.store.index_changes import IndexedFile, IndexState, LedgerChange, PathChange
from pellucid.store.index_port import Index
from pellucid.store.ledger_gaps import Gaps, Span
from pellucid.store.records import FileHead, Ledger, LedgerRow, OperationRow, Records, RecordState, Stamp

BATCH = 256
"""Files folded in one index transaction."""
LEDGER = ".pellucid/ledger"
"""Where what cannot be read of the ledger is said to stand."""
Kept = FoldRow | TombstoneRow | LifecycleRow
_KEPT: dict[object, type[Kept]] = {"fold": FoldRow, "tombstone": TombstoneRow, "lifecycle": LifecycleRow}
"""The kinds of ledger rows that the index keeps."""
_STANDING = frozenset({"status", "trustZone", "validAt", "invalidAt", "expiresAt"})
"""What a change of a memory must touch for the index to keep it: it decides who may answer."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How the files differ from what the index last saw."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that differs."""
        return (*self.added, *self.edited, *self.deleted)


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold did: rows written, files that could not be read and why, and why rows have no vector, if so."""

    memories: int = 0
    unreadable: tuple[tuple[str, str], ...] = ()
    encoder_problem: str = ""

    def __add__(self, other: "Folded") -> "Folded":
        """The outcome of two folds, this one before `other`."""
        return Folded(
            self.memories + other.memories,
            self.unreadable + other.unreadable,
            other.encoder_problem or self.encoder_problem,
        )


@dataclass(slots=True)
class _LedgerReading:
    """What a read of the ledger gave: the numbers that were passed over, rows the index keeps, what is damaged."""

    gaps: Gaps
    changes: list[LedgerChange] = field(default_factory=list[LedgerChange])
    damage: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    state: RecordState | None = None
    """What is lost or damaged of the whole ledger, where it was looked through."""

    @property
    def last(self) -> int:
        """The number of the last row that was read, or after which reading began."""
        return self.gaps.last

    @property
    def missing(self) -> tuple[Span, ...]:
        """The ranges of the numbers of rows that could not be read."""
        return self.gaps.missing()

    def add(self, row: LedgerRow) -> None:
        """Keep a row if the index wants its kind, or note that it is damaged."""
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
        """What is damaged or missing, as the outcome of a fold."""
        lost = self.state or RecordState(missing=self.missing)
        return Folded(unreadable=(*self.damage, *((LEDGER, why) for why in lost.problems)))


@dataclass(frozen=True, slots=True)
class _Task:
    """One fold: where the index then stands, who brought the bytes, whence encodings come, the ledger's share."""

    state: IndexState
    op_id: str | None
    encodings: EncodingSource
    ledger: Sequence[LedgerChange] = ()
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Indexer:
    """Keeps an index equal to its record. `namespace` and `key` complete files that a person wrote by hand.

    The threads of a process fold one at a time: whoever is next files and folds what all those behind acknowledged, so
    that they find it done.
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
        """Encode contents of memories that are likely to be folded soon, before anybody waits for it."""
        self._cache.encode_ahead({words_digest(text): text for text in texts})

    def encode_edits(self, paths: Collection[str] | None = None) -> None:
        """Encode, before anybody waits for it, what others wrote into the vault (None), or into these of its paths."""
        from pellucid.memory import filed

        drift = self.drift(paths)
        heads = readable(self.records, [*drift.added, *drift.edited])[0]
        files = [filed.parse_head(head, self.namespace, self.key) for head in heads]
        self._cache.encode_ahead(filed.encodable_texts(files))

    def drop_encoded_ahead(self) -> None:
        """Forget what was encoded ahead, and not used yet."""
        self._cache.drop_encoded_ahead()

    def catch_up(self, changed: Iterable[str] = (), op_id: str | None = None) -> Folded:
        """File what still waits in the journal, then fold every operation and ledger row the index has not seen.

        `changed` are paths somebody else changed; their bytes are indexed in the name of operation `op_id`. An index
        that stands at no operation, as a new version of it does, also folds again whatever it holds. What the disk has
        no space for keeps waiting in the journal, and is folded from there.

        Raises:
            NoRoomError: the index could not be written.
        """
        with self._one_at_a_time:
            state = self.index.state()
            rows = self.records.operations(after=state.applied_seq)
            with suppress(
                NoRoomError
            ):  # after the rows are read: what is acknowledged meanwhile has no file, and waits
                self.records.drain()
            paths = {path for row in rows for path, _ in row.paths} | set(changed)
            if not state.applied_seq:
                paths |= self.index.files().keys()
            read = self._read_ledger(state)
            if not state.ledger_seq and read.last:  # an index that begins anew: a changed tombstone would be believed
                read.state = self.ledger.state(thorough=True)
            if not (rows or paths or read.last > state.ledger_seq or read.missing != state.ledger_gaps):
                return read.folded + Folded(encoder_problem=self._cache.problem)  # another thread's turn folded ours
            here = {stamp.path for stamp in self.records.walk(paths)}
            ordered = [*sorted(paths - here), *sorted(here)]  # what is gone gives its ids back before others take them
            reached = _state_after(state, rows, read)
            return self._fold_paths(ordered, self._task_for(reached, op_id, read)) + read.folded

    def drift(self, paths: Collection[str] | None = None) -> Drift:
        """How the vault, or these of its paths, differ from what the index last saw, by stamps; no file is read."""
        indexed = self.index.files(paths)
        stamps = {stamp.path: stamp for stamp in self.records.walk(paths)}
        return Drift(
            added=tuple(path for path in stamps if path not in indexed),
            edited=tuple(path for path, stamp in stamps.items() if path in indexed and _differs(stamp, indexed[path])),
            deleted=tuple(path for path in indexed if path not in stamps),
        )

    def holds_removed(self) -> bool:
        """Whether the index may hold something that was acknowledged as forgotten, or a file whose removal was."""
        rows = self.records.operations(after=self.index.state().applied_seq)
        if any(row.kind in {"forget", "purge"} for row in rows):
            return True
        paths = {path for row in rows for path, _ in row.paths}
        held = self.index.files(paths)
        return any(head.data is None for head in self.records.heads(sorted(held)))

    def rebuild(self, op_id: str | None = None) -> Folded:
        """Fold every file and ledger row anew; the same text under the same model keeps its encoding."""
        with self._one_at_a_time:
            self.records.drain()
            state = self.index.state()
            newer = self.records.operations(after=state.applied_seq)
            here = [stamp.path for stamp in self.records.walk()]
            gone = sorted(set(self.index.files()) - set(here))
            reuse = self.embedder is None or state.model == self.embedder.model
            read = self._read_ledger(IndexState(0, "", ""))
            reached = _state_after(state, newer, read)
            encodings = EncodingSource(self.embedder, reuse=reuse, problem="no encoder")
            whole = self.ledger.state(thorough=True)
            anew = whole.settled and not read.damage  # of a ledger that lost rows, the index keeps what it last knew
            task = _Task(self._with_our_model(reached), op_id, encodings, read.changes, anew)
            return self._fold_paths([*gone, *here], task) + replace(read, state=whole).folded

    def _task_for(self, state: IndexState, op_id: str | None, read: _LedgerReading) -> _Task:
        """The task that leads to this state; where the index holds vectors of another model, nothing is encoded."""
        if self.embedder is not None and state.model not in {"", self.embedder.model}:
            stale = f"the index holds vectors of {state.model}: run `pellucid rebuild`"
            return _Task(state, op_id, EncodingSource(None, reuse=True, problem=stale), read.changes)
        encodings = EncodingSource(self.embedder, reuse=True, problem="no encoder")
        return _Task(self._with_our_model(state), op_id, encodings, read.changes)

    def _with_our_model(self, state: IndexState) -> IndexState:
        """The state with the model of our encoder as that of the vectors, if we have one."""
        if self.embedder is None:
            return state
        return replace(state, model=self.embedder.model, basis=self.embedder.basis)

    def _read_ledger(self, state: IndexState) -> _LedgerReading:
        """The rows of the ledger that an index in this state has not seen, and all behind its first gap."""
        after = min([state.ledger_seq, *(first - 1 for first, _ in state.ledger_gaps)])
        read = _LedgerReading(Gaps(after))
        for row in self.ledger.rows(after=after):
            read.add(row)
        return read

    def _fold_paths(self, paths: Sequence[str], task: _Task) -> Folded:
        """Fold files in batches; with the last the index reaches the task's state, so that a crash loses none."""
        before = self.index.state()
        held_back = replace(
            task.state, applied_seq=before.applied_seq, ledger_seq=before.ledger_seq, ledger_gaps=before.ledger_gaps
        )
        early = replace(task, state=held_back, ledger=(), anew=False)
        done, last = Folded(), max((len(paths) - 1) // BATCH, 0)
        for number in range(last + 1):
            batch = paths[number * BATCH : (number + 1) * BATCH]
            done += self._fold_batch(batch, task if number == last else early)
        return done

    def _fold_batch(self, paths: Sequence[str], task: _Task) -> Folded:
        """Read files and replace their rows; read again, eight times at most, where another process folded meanwhile.

        Raises:
            StoreError: others folded each time.
        """
        state = task.state
        for _ in range(8):
            heads, unreadable = readable(self.records, paths)
            changes, done = self._changes_of(heads, task.op_id, task.encodings)
            refused = self.index.apply(changes, state, task.ledger, anew=task.anew)
            if refused is not None:
                return done + unreadable + _refused_memories(changes, refused)
            ahead = self.index.state().applied_seq  # another process folded more: what was read may be old by now
            state = replace(state, applied_seq=ahead)
        raise StoreError(
            "the index kept changing while it was being written", next_step="repeat, or stop other writers"
        )

    def _changes_of(
        self, heads: Iterable[FileHead], op_id: str | None, source: EncodingSource
    ) -> tuple[list[PathChange], Folded]:
        """What the index is to hold of these files, encoded where that can be.

        `Folded` counts memories and tells problems.
        """
        from pellucid.memory import filed

        found = [filed.parse_head(head, self.namespace, self.key) for head in heads]
        encodings, problem = self._cache.encodings_of(filed.encodable_texts(found), source)
        changes = [filed.path_change(each, encodings, op_id, self.naming) for each in found]
        unreadable = tuple((each.head.path, each.problem) for each in found if each.problem)
        return changes, Folded(sum(len(each.held.memories) for each in found), unreadable, problem)


def _state_after(state: IndexState, rows: Sequence[OperationRow], read: _LedgerReading) -> IndexState:
    """The state of an index that has also seen these operations, and what was read of the ledger."""
    last = max(state.ledger_seq, read.last)
    applied = rows[-1].seq if rows else state.applied_seq
    return replace(state, applied_seq=applied, ledger_seq=last, ledger_gaps=read.missing)


def readable(records: Records, paths: Iterable[str]) -> tuple[list[FileHead], Folded]:
    """The heads of the files that can be read; and, as the outcome of a fold, those that cannot, with the reason.

    Of these (no permission, a failing disk) the index keeps what it last knew.
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
    """The memories that the index refused (id: path of the file that has this id, too), as the outcome of a fold."""
    out = [
        (change.path, f"{change.path}: its id {record.memory.id} stands in {refused[record.memory.id]}, too")
        for change in changes
        for record in change.records
        if record.memory.id in refused
    ]
    return Folded(-len(out), tuple(out))


def _differs(stamp: Stamp, indexed: IndexedFile) -> bool:
    """Whether a file's size or time of modification is not what the index saw."""
    return (stamp.size, stamp.mtime_ns) != (indexed.size, indexed.mtime_ns)


def _is_state_change(row: LedgerRow) -> bool:
    """Whether a lifecycle row changes who may be recalled: a memory's status, zone or validity."""
    before = row.get("before")
    return isinstance(before, dict) and not _STANDING.isdisjoint(cast("dict[str, object]", before))


def _kept_row(row: LedgerRow) -> Kept:
    """The checked form of a row that the index keeps; ValueError if a value of it is missing or cannot be."""
    kept = _KEPT[row["kind"]].model_validate({name: value for name, value in row.items() if name != "seq"})
    for key in kept.keys if isinstance(kept, TombstoneRow) else ():
        bytes.fromhex(key)
    return kept
