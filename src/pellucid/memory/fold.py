"""Heads of the record in, index rows out: the one way by which the index learns anything.

A write, a crash recovery, a person's edit in an editor and a rebuild all end here: read the newest bytes of some
paths, parse them, reuse or compute their encodings, and replace those paths' rows.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from pellucid.encoders.port import Embedder, Encoding
from pellucid.errors import EncoderError, InputError, StoreError
from pellucid.model.memory import Memory
from pellucid.store.index_port import Index, IndexedFile, IndexRecord, IndexState, PathChange
from pellucid.store.records import Head, Records, Stamp, content_digest
from pellucid.vault.markdown import Identity, parse

BATCH = 256
"""Files folded in one index transaction."""


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
        return Folded(
            self.memories + other.memories,
            self.unreadable + other.unreadable,
            other.encoder_problem or self.encoder_problem,
        )


@dataclass(frozen=True, slots=True)
class _Encodings:
    """Where the encodings of one fold come from: an encoder, rows of the same model, or nowhere, and why."""

    encoder: Embedder | None
    reuse: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """Keeps an index equal to its record. `namespace` and `key` complete files that a person wrote by hand."""

    records: Records
    index: Index
    embedder: Embedder | None
    namespace: str
    key: bytes

    def catch_up(self, changed: Iterable[str] = (), op_id: str | None = None) -> Folded:
        """File what still waits in the journal, then fold every operation the index has not seen.

        `changed` are paths somebody else changed; their bytes are indexed in the name of operation `op_id`.
        """
        self.records.drain()
        rows = self.records.operations(after=self.index.state().applied_seq)
        paths = {path for row in rows for path, _ in row.paths} | set(changed)
        here = {stamp.path for stamp in self.records.walk(paths)}
        ordered = [*sorted(paths - here), *sorted(here)]  # what is gone gives its ids back before others take them
        return self.paths(ordered, rows[-1].seq if rows else None, op_id) if rows or paths else Folded()

    def drift(self, paths: Collection[str] | None = None) -> Drift:
        """Compare stamps, of every file or of these, with what the index last saw; no file is read."""
        indexed = self.index.files(paths)
        stamps = {stamp.path: stamp for stamp in self.records.walk(paths)}
        return Drift(
            added=tuple(path for path in stamps if path not in indexed),
            edited=tuple(path for path, stamp in stamps.items() if path in indexed and _differs(stamp, indexed[path])),
            deleted=tuple(path for path in indexed if path not in stamps),
        )

    def paths(self, paths: Sequence[str], seq: int | None = None, op_id: str | None = None) -> Folded:
        """Fold these paths; the index then stands at operation `seq`, or where it stood."""
        state = self.index.state()
        seq = state.applied_seq if seq is None else seq
        if self.embedder is not None and state.model not in ("", self.embedder.model):
            stale = f"the index holds vectors of {state.model}: run `pellucid rebuild`"
            return self._fold(
                paths, replace(state, applied_seq=seq), op_id, _Encodings(None, reuse=True, problem=stale)
            )
        return self._fold(paths, self._state(seq), op_id, _Encodings(self.embedder, reuse=True, problem="no encoder"))

    def rebuild(self, op_id: str | None = None) -> Folded:
        """Fold every file anew, whatever the index holds; the same text under the same model keeps its encoding."""
        self.records.drain()
        state = self.index.state()
        newer = self.records.operations(after=state.applied_seq)
        here = [stamp.path for stamp in self.records.walk()]
        gone = sorted(set(self.index.files()) - set(here))
        reuse = self.embedder is None or state.model == self.embedder.model
        encodings = _Encodings(self.embedder, reuse=reuse, problem="no encoder")
        return self._fold([*gone, *here], self._state(newer[-1].seq if newer else state.applied_seq), op_id, encodings)

    def _state(self, seq: int) -> IndexState:
        if self.embedder is None:
            return replace(self.index.state(), applied_seq=seq)
        return IndexState(seq, self.embedder.model, self.embedder.basis)

    def _fold(self, paths: Sequence[str], state: IndexState, op_id: str | None, encodings: _Encodings) -> Folded:
        done, pending = Folded(), iter(paths)
        while batch := list(islice(pending, BATCH)):
            done += self._batch(batch, state, op_id, encodings)
        if not paths:
            self.index.apply([], state)
        return done

    def _batch(self, paths: list[str], state: IndexState, op_id: str | None, encodings: _Encodings) -> Folded:
        for _ in range(8):
            heads, unreadable = readable(self.records, paths)
            changes, done = self._changes(heads, op_id, encodings)
            refused = self.index.apply(changes, state)
            if refused is not None:
                return done + unreadable + _refusals(changes, refused)
            ahead = self.index.state().applied_seq  # another process folded more: what was read may be old by now
            state = replace(state, applied_seq=ahead)
        raise StoreError(
            "the index kept changing while it was being written", next_step="repeat, or stop other writers"
        )

    def _changes(self, heads: Iterable[Head], op_id: str | None, source: _Encodings) -> tuple[list[PathChange], Folded]:
        unreadable: list[tuple[str, str]] = []
        parsed: list[tuple[Head, tuple[tuple[Memory, int], ...]]] = []
        for head in heads:
            try:
                parsed.append((head, _memories(head, self.namespace, self.key)))
            except InputError as error:
                unreadable.append((head.path, str(error)))
                parsed.append((head, ()))
        encodings, problem = self._encode((memory for _, found in parsed for memory, _ in found), source)
        changes = [_change(head, found, encodings, op_id) for head, found in parsed]
        return changes, Folded(sum(len(found) for _, found in parsed), tuple(unreadable), problem)

    def _encode(self, memories: Iterator[Memory], source: _Encodings) -> tuple[dict[bytes, Encoding], str]:
        texts = {text_digest(memory): memory.content for memory in memories}
        known = self.index.encodings(texts) if source.reuse else {}
        missing = [digest for digest in texts if digest not in known]
        if not missing:
            return known, ""
        if source.encoder is None:
            return known, source.problem
        try:
            fresh = list(source.encoder.encode([texts[digest] for digest in missing]))
        except EncoderError as error:
            return known, str(error)
        return {**known, **dict(zip(missing, fresh, strict=True))}, ""


def readable(records: Records, paths: Iterable[str]) -> tuple[list[Head], Folded]:
    """The heads that can be read; of the others (no permission, a failing disk) the index keeps what it last knew."""
    heads: list[Head] = []
    unreadable: list[tuple[str, str]] = []
    for path in paths:
        try:
            heads += records.heads([path])
        except InputError as error:
            unreadable.append((path, str(error)))
    return heads, Folded(unreadable=tuple(unreadable))


def _refusals(changes: Iterable[PathChange], refused: dict[str, str]) -> Folded:
    """The memories that were left out because another file holds their id."""
    out = [
        (change.path, f"{change.path}: its id {record.memory.id} stands in {refused[record.memory.id]}, too")
        for change in changes
        for record in change.records
        if record.memory.id in refused
    ]
    return Folded(-len(out), tuple(out))


def text_digest(memory: Memory) -> bytes:
    """Sixteen bytes that name the exact text an encoding was computed from."""
    return hashlib.sha256(memory.content.encode()).digest()[:16]


def _memories(head: Head, namespace: str, key: bytes) -> tuple[tuple[Memory, int], ...]:
    if head.data is None:
        return ()
    at = datetime.fromtimestamp(head.stamp.mtime_ns / 1e9, UTC) if head.stamp else datetime.now(UTC)
    return parse(head.path, head.data, Identity(namespace, key, at)).memories


def _change(
    head: Head, found: Iterable[tuple[Memory, int]], encodings: dict[bytes, Encoding], op_id: str | None
) -> PathChange:
    records = tuple(
        IndexRecord(memory, ordinal, digest := text_digest(memory), encodings.get(digest)) for memory, ordinal in found
    )
    stamp = head.stamp or Stamp(head.path, -1, -1)
    digest = "" if head.data is None else content_digest(head.data)
    return PathChange(head.path, digest, stamp.size, stamp.mtime_ns, head.op_id or op_id, records)


def _differs(stamp: Stamp, indexed: IndexedFile) -> bool:
    return (stamp.size, stamp.mtime_ns) != (indexed.size, indexed.mtime_ns)
