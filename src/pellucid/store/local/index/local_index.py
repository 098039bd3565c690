"""Folded records in, `index.db` out: the local index, deletable at any moment.

Modules that read columns or write rows are loaded with the first reading or fold: they take NumPy, which a list does
not need.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import apsw

from pellucid.deadline import Deadline
from pellucid.encoders.port import Encoding
from pellucid.model.entity import entity_id
from pellucid.process import multiply_in_one_thread
from pellucid.settings.sections import StoreSettings
from pellucid.store.index_changes import IndexedFile, IndexState, LedgerChange, PathChange
from pellucid.store.index_port import Served
from pellucid.store.ledger_gaps import spans
from pellucid.store.local import database
from pellucid.store.local.erasing import erase_remains
from pellucid.store.local.index.lookup import LocalLookup, boundary_scopes, served

if TYPE_CHECKING:
    from pellucid.store.local.graph.columns import GraphCache
    from pellucid.store.local.graph.lookup import LocalGraph
    from pellucid.store.local.index.columns import ColumnCache
    from pellucid.store.local.index.reader import LocalIndexReader

_UNKNOWN = 0  # no namespace: they are numbered from 1


@dataclass(slots=True)
class WarmNamespace:
    """The columns of one namespace: its memories, its episodes, its graph. Each loads under a lock of its own."""

    columns: "ColumnCache"
    stories: "ColumnCache"
    graph: "GraphCache"
    users: int = 0  # readings that are under way

    @property
    def size(self) -> int:
        """The size in memory, in bytes, about."""
        return self.columns.size + self.stories.size + self.graph.size


@dataclass(slots=True)
class Warm:
    """The warm namespaces by number; beyond `most_bytes` the least recently used is evicted, if not in use."""

    make: Callable[[], WarmNamespace]
    most_bytes: int
    held: dict[int, WarmNamespace] = field(default_factory=dict[int, WarmNamespace])  # the most recently used last
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def using(self, ns: int) -> Generator[WarmNamespace]:
        """Yield the caches of a namespace (by number), made on first use; they stay for the block.

        After it, namespaces that nobody reads can be evicted.
        """
        with self._lock:
            warm = self.held[ns] = self.held.pop(ns, None) or self.make()
            warm.users += 1
        try:
            yield warm
        finally:
            with self._lock:
                warm.users -= 1
                self._make_room()

    def _make_room(self) -> None:
        """Evict namespaces that nobody reads, least recently used first, until the rest fits into `most_bytes`."""
        over = sum(each.size for each in self.held.values()) - self.most_bytes
        for ns, each in list(self.held.items()):
            if over <= 0:
                return
            if not each.users:
                over -= self.held.pop(ns).size

    def clear(self) -> None:
        """Evict everything; it is loaded again when needed."""
        with self._lock:
            self.held.clear()


class LocalIndex:
    """See `Index`. One file, one connection a thread, warm columns shared by all threads."""

    def __init__(self, path: Path, secret: bytes = b"", warm_mb: int = StoreSettings().warm_mb) -> None:
        """Prepare to use the file at `path`, without opening it.

        `secret` keys the ids of graph nodes in receipts (`entity_id`); `warm_mb` limits the warm columns, in MiB.
        """
        self._path, self._secret = path, secret
        self._connections = database.ThreadConnections(self._open)
        self._queries = database.Queries(self._connections.get, database.queries_of("index"))
        self._warm = Warm(self._cold_namespace, warm_mb << 20)

    def _cold_namespace(self) -> WarmNamespace:
        """Make the caches of a namespace; they load on first use."""
        from pellucid.store.local.graph.columns import GraphCache
        from pellucid.store.local.index.columns import ColumnCache

        multiply_in_one_thread()
        return WarmNamespace(ColumnCache("block_rows"), ColumnCache("story_rows"), GraphCache())

    def _open(self) -> apsw.Connection:
        """Open and migrate the database, and register the SQL function `casefold`."""
        connection = database.connect(self._path, synchronous="NORMAL")
        database.migrate(connection, database.sql_folder("index"))
        connection.create_scalar_function("casefold", _casefold, 1, deterministic=True)  # pyright: ignore[reportUnknownMemberType]
        return connection

    def state(self) -> IndexState:
        """Return the state up to which the index was built; zeros and "" for a new one."""
        stored: dict[str, str] = dict(self._queries.run("state"))
        numbers = int(stored.get("appliedSeq", 0)), int(stored.get("ledgerSeq", 0))
        gaps = spans(stored.get("ledgerGaps", ""))
        return IndexState(numbers[0], stored.get("model", ""), stored.get("basis", ""), numbers[1], gaps)

    def files(self, paths: Collection[str] | None = None) -> dict[str, IndexedFile]:
        """Return the indexed files by path: all, or those of `paths` that are indexed."""
        if paths is None:
            rows = self._queries.run("files")
        else:
            rows = [row for path in paths for row in self._queries.run("file", path)]
        return {path: IndexedFile(digest, size, mtime_ns) for path, digest, size, mtime_ns in rows}

    def encodings(self, digests: Collection[bytes]) -> dict[bytes, Encoding]:
        """Return, by digest, the stored encodings (vector and token codes) of texts with these digests; digests without
        one are left out.

        The encoding of an episode's topic has no token codes.
        """
        import numpy as np

        out: dict[bytes, Encoding] = {}
        for digest in digests:
            for vec, codes in self._queries.run("encodings", digest):
                vector = np.frombuffer(vec, dtype=np.float16).astype(np.float32)
                out[digest] = Encoding(vector, np.frombuffer(codes, dtype=np.uint8).reshape(-1, 16))
        return out

    def apply(
        self,
        changes: Iterable[PathChange],
        state: IndexState,
        ledger: Iterable[LedgerChange] = (),
        *,
        anew: bool = False,
    ) -> dict[str, str] | None:
        """Index the changed files and ledger rows in one transaction, and store `state` as what the index has reached.

        A memory whose id another file has is left out: the result maps each such id to the path of the other file,
        which keeps it. It is None, with nothing done, if the index is already ahead of `state`. Rows of `ledger` that
        were indexed before are skipped. With `anew`, `ledger` is the whole ledger, whose older rows in the index are
        dropped first, and files that did not change are written, too."""
        from pellucid.store.local.index.folding import Fold

        with database.immediate(self._connections.get()):
            before = self.state()
            if before.applied_seq > state.applied_seq:
                return None
            fold = Fold(self._queries, skip_unchanged=before.applied_seq > 0 and not anew)
            for change in sorted(
                changes, key=lambda change: bool(change.file_digest)
            ):  # gone first: some went only as they were read
                fold.put_file(change)
            if anew:
                fold.forget_ledger()
            after = 0 if anew else _ledger_row_reached(before, state)
            fold.keep_ledger_rows(each for each in ledger if each.seq > after)
            fold.graph.finish()  # last: files and ledger rows change standings, which the database noted for it
            fold.finish(replace(state, ledger_seq=max(0 if anew else before.ledger_seq, state.ledger_seq)))
            return fold.refused

    @contextmanager
    def reading(self, namespace: str, deadline: Deadline | None = None) -> Generator["LocalIndexReader"]:
        """Open a snapshot of a namespace for the block, an empty one if it is unknown.

        Raises DeadlineError when the deadline interrupts a query.
        """
        from pellucid.store.local.graph.reader import LocalGraphReader
        from pellucid.store.local.index.columns import story_space
        from pellucid.store.local.index.past_view import RowsInView
        from pellucid.store.local.index.reader import LocalIndexReader
        from pellucid.store.local.index.stories import LocalEpisodeReader

        connection = self._connections.get()
        queries, until = self._queries.on(connection), deadline or Deadline()
        with database.interrupted_by(deadline, connection), database.read_transaction(connection):
            numbers = queries.run("namespace", namespace)
            ns = int(numbers[0][0]) if numbers else _UNKNOWN
            with self._warm.using(ns) as warm:
                view = warm.columns.view(queries, ns, dict(queries.run("row_blocks", ns)), until)
                stories = warm.stories.view(queries, ns, dict(queries.run("row_blocks", story_space(ns))), until)
                in_view = RowsInView(queries, view, ns)
                episodes = LocalEpisodeReader(in_view, stories)
                identity = partial(entity_id, namespace, secret=self._secret)
                graph = LocalGraphReader(warm.graph, in_view, identity, until)
                yield LocalIndexReader(in_view, episodes, graph, self.state().applied_seq)

    def memories(self, namespace: str, ids: Sequence[str] | None = None) -> list[Served]:
        """Return the memories of a namespace, newest first; or those with these ids, in the order given, without
        unknown ones.
        """
        if ids is None:
            return [served(row) for row in self._queries.run("browse", namespace)]
        return [served(row) for memory_id in ids for row in self._queries.run("lookup", memory_id, namespace)]

    def holding(self, namespace: str, hashes: Collection[str]) -> dict[str, dict[frozenset[str], str]]:
        """Return the memories with these content hashes that are now active, trusted and not past their validity.

        The result maps each hash to {boundary scopes: id of the oldest such memory with exactly these scopes}; hashes
        that no memory has are left out.
        """
        found = {each: self._queries.run("holding", each, namespace) for each in hashes}
        return {each: {boundary_scopes(bits): held for bits, held in rows} for each, rows in found.items() if rows}

    @property
    def lookup(self) -> LocalLookup:
        """Exact queries by key on memories, episodes, lifecycle folds and tombstones."""
        return LocalLookup(self._queries)

    @property
    def graph(self) -> "LocalGraph":
        """Exact queries on nodes, states, edges and documents of the graph, which need no snapshot."""
        from pellucid.store.local.graph.lookup import LocalGraph

        return LocalGraph(self._queries, self._secret)

    def scrub(self, wait_s: float = 10.0) -> None:
        """Leave no byte of a deleted row in the file, its log or the warm columns of this process.

        Raises StoreBusyError if the file stays in use for `wait_s` seconds, NoRoomError if the disk is full. Not to be
        called inside `reading`.
        """
        self._warm.clear()
        erase_remains(self._connections.get(), wait_s)

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()


def _casefold(*text: Any) -> str:
    """Return the only text in `text` casefolded: the SQL function `casefold`. SQLite's `lower` knows ASCII alone."""
    return str(text[0]).casefold()


def _ledger_row_reached(before: IndexState, after: IndexState) -> int:
    """Return the number up to which ledger rows need not be indexed again: that of the last row indexed `before`.

    If the gaps (rows that could not be read) of the index `before` differ from those of the state `after`, it is the
    number before the first gap of `before`: rows that were missing may be there again.
    """
    filled = before.ledger_gaps if before.ledger_gaps != after.ledger_gaps else ()
    return min(before.ledger_seq, *(first - 1 for first, _ in filled)) if filled else before.ledger_seq
