"""Folded records in, `index.db` out: the local index, deletable at any moment.

What reads columns or writes rows is loaded with the first reading or fold: it takes NumPy, which a list does not need.
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
from pellucid.store.local.database import (
    ThreadConnections,
    connect,
    execute,
    immediate,
    interrupted_by,
    load_queries,
    migrate,
    read_transaction,
    sql_folder,
)
from pellucid.store.local.erasing import erase_remains
from pellucid.store.local.index.lookup import LocalLookup, boundary_scopes, served

if TYPE_CHECKING:
    from pellucid.store.local.graph.columns import GraphCache
    from pellucid.store.local.graph.lookup import LocalGraph
    from pellucid.store.local.index.columns import ColumnCache
    from pellucid.store.local.index.reader import LocalIndexReader

_UNKNOWN = 0
"""No namespace: they are numbered from 1."""


@dataclass(slots=True)
class WarmNamespace:
    """The columns of one namespace: its memories, its episodes, its graph. Each loads under a lock of its own."""

    columns: "ColumnCache"
    stories: "ColumnCache"
    graph: "GraphCache"
    users: int = 0
    """Readings that are under way."""

    @property
    def size(self) -> int:
        """Bytes, about."""
        return self.columns.size + self.stories.size + self.graph.size


@dataclass(slots=True)
class Warm:
    """The warm namespaces of a process by number. Whoever loads one keeps nobody else waiting.

    Beyond `most_bytes` the least recently used goes first, and never one in use.
    """

    make: Callable[[], WarmNamespace]
    most_bytes: int
    held: dict[int, WarmNamespace] = field(default_factory=dict[int, WarmNamespace])
    """The most recently used last."""
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def using(self, ns: int) -> Generator[WarmNamespace]:
        """What is kept of a namespace, for a reading; it stays for as long as the block."""
        with self._lock:
            one = self.held[ns] = self.held.pop(ns, None) or self.make()
            one.users += 1
        try:
            yield one
        finally:
            with self._lock:
                one.users -= 1
                self._make_room()

    def _make_room(self) -> None:
        """Let go of namespaces that nobody reads, the longest unused first, until the rest fits."""
        over = sum(each.size for each in self.held.values()) - self.most_bytes
        for ns, each in list(self.held.items()):
            if over <= 0:
                return
            if not each.users:
                over -= self.held.pop(ns).size

    def clear(self) -> None:
        """Let go of everything; what a reading needs is read again."""
        with self._lock:
            self.held.clear()


class LocalIndex:
    """See `Index`. One file, one connection a thread, warm columns shared by all threads."""

    def __init__(self, path: Path, secret: bytes = b"", warm_mb: int = StoreSettings().warm_mb) -> None:
        """`secret` keys the ids by which receipts speak of what is in the graph (`model.entity.entity_id`)."""
        self._path, self._secret = path, secret
        self._queries = load_queries("pellucid.store.local", "sql/index/queries.sql")
        self._connections = ThreadConnections(self._open)
        self._warm = Warm(self._cold_namespace, warm_mb << 20)

    def _cold_namespace(self) -> WarmNamespace:
        """A namespace of which nothing is loaded yet."""
        from pellucid.store.local.graph.columns import GraphCache
        from pellucid.store.local.index.columns import ColumnCache

        multiply_in_one_thread()
        columns, stories = (ColumnCache(self._queries[rows]) for rows in ("segment_rows", "story_rows"))
        return WarmNamespace(columns, stories, GraphCache(self._queries))

    def _open(self) -> apsw.Connection:
        connection = connect(self._path, synchronous="NORMAL")
        migrate(connection, sql_folder("index"))
        connection.create_scalar_function("casefold", _casefold, 1, deterministic=True)  # pyright: ignore[reportUnknownMemberType]
        return connection

    def state(self) -> IndexState:
        return self._state(self._connections.get())

    def _state(self, connection: apsw.Connection) -> IndexState:
        held: dict[str, str] = dict(execute(connection, self._queries["state"]))
        numbers = int(held.get("appliedSeq", 0)), int(held.get("ledgerSeq", 0))
        gaps = spans(held.get("ledgerGaps", ""))
        return IndexState(numbers[0], held.get("model", ""), held.get("basis", ""), numbers[1], gaps)

    def files(self, paths: Collection[str] | None = None) -> dict[str, IndexedFile]:
        connection = self._connections.get()
        if paths is None:
            rows = execute(connection, self._queries["files"])
        else:
            rows = [row for path in paths for row in execute(connection, self._queries["file"], (path,))]
        return {path: IndexedFile(digest, size, mtime_ns) for path, digest, size, mtime_ns in rows}

    def encodings(self, digests: Collection[bytes]) -> dict[bytes, Encoding]:
        import numpy as np

        connection = self._connections.get()
        out: dict[bytes, Encoding] = {}
        for digest in digests:
            for vec, codes in execute(connection, self._queries["encodings"], (digest,)):
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
        from pellucid.store.local.index.folding import Fold

        connection = self._connections.get()
        with immediate(connection):
            held = self._state(connection)
            if held.applied_seq > state.applied_seq:
                return None
            fold = Fold(connection, self._queries, keeps=held.applied_seq > 0 and not anew)
            for change in sorted(changes, key=lambda change: bool(change.file_digest)):  # what is gone makes room first
                fold.put_file(change)
            if anew:
                fold.forget_ledger()
            after = 0 if anew else _ledger_row_reached(held, state)
            fold.keep_ledger_rows(each for each in ledger if each.seq > after)
            fold.graph.finish()
            fold.finish(replace(state, ledger_seq=max(0 if anew else held.ledger_seq, state.ledger_seq)))
            return fold.refused

    @contextmanager
    def reading(self, namespace: str, deadline: Deadline | None = None) -> Generator["LocalIndexReader"]:
        from pellucid.store.local.graph.reader import LocalGraphReader
        from pellucid.store.local.index.past_view import RowsInView
        from pellucid.store.local.index.reader import LocalIndexReader
        from pellucid.store.local.index.stories import LocalEpisodeReader

        connection = self._connections.get()
        until = deadline or Deadline()
        with interrupted_by(deadline, connection), read_transaction(connection):
            numbers = execute(connection, self._queries["namespace"], (namespace,))
            ns = int(numbers[0][0]) if numbers else _UNKNOWN
            with self._warm.using(ns) as warm:
                view = warm.columns.view(connection, ns, self._versions(connection, ns), until)
                stories = warm.stories.view(connection, ns, self._versions(connection, -ns), until)
                in_view = RowsInView(connection, self._queries, view, ns)
                episodes = LocalEpisodeReader(connection, self._queries, in_view, stories)
                identity = partial(entity_id, namespace, secret=self._secret)
                graph = LocalGraphReader(connection, self._queries, warm.graph, in_view, identity, until)
                seq = self._state(connection).applied_seq
                yield LocalIndexReader(connection, self._queries, in_view, episodes, graph, seq)

    def _versions(self, connection: apsw.Connection, ns: int) -> dict[int, int]:
        """The segments of a namespace's memories; of its episodes with a minus before the number."""
        return dict(execute(connection, self._queries["segments"], (ns,)))

    def memories(self, namespace: str, ids: Sequence[str] | None = None) -> list[Served]:
        connection = self._connections.get()
        if ids is None:
            return [served(row) for row in execute(connection, self._queries["browse"], (namespace,))]
        sql = self._queries["lookup"]
        return [served(row) for memory_id in ids for row in execute(connection, sql, (memory_id, namespace))]

    def holding(self, namespace: str, hashes: Collection[str]) -> dict[str, dict[frozenset[str], str]]:
        connection, sql = self._connections.get(), self._queries["holding"]
        found = {each: execute(connection, sql, (each, namespace)) for each in hashes}
        return {each: {boundary_scopes(bits): held for bits, held in rows} for each, rows in found.items() if rows}

    @property
    def lookup(self) -> LocalLookup:
        """Exact questions to the same rows, over the same connections."""
        return LocalLookup(self._connections, self._queries)

    @property
    def graph(self) -> "LocalGraph":
        """Exact questions about the graph, over the same connections."""
        from pellucid.store.local.graph.lookup import LocalGraph

        return LocalGraph(self._connections, self._queries, self._secret)

    def scrub(self, wait_s: float = 10.0) -> None:
        self._warm.clear()
        erase_remains(self._connections.get(), wait_s)

    def close(self) -> None:
        self._connections.close()


def _casefold(*text: Any) -> str:
    """What SQLite calls `casefold`: its own `lower` knows ASCII alone."""
    return str(text[0]).casefold()


def _ledger_row_reached(held: IndexState, state: IndexState) -> int:
    """Up to which row the ledger need not be folded again: where a gap was filled, all after it comes once more."""
    filled = held.ledger_gaps if held.ledger_gaps != state.ledger_gaps else ()
    return min(held.ledger_seq, *(first - 1 for first, _ in filled)) if filled else held.ledger_seq
