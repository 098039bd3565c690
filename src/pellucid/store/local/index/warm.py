"""Namespaces in, what is kept warm of each out: loaded once, whoever asks, and let go of by size and by rest."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pellucid.store.local.graph.columns import GraphCache
    from pellucid.store.local.index.columns import ColumnCache


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
