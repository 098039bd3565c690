"""What somebody did with a memory in, rows of `history.db` out; and how often memories were used and served."""

from collections.abc import Callable, Collection, Mapping

import apsw

from pellucid.store.local.database import execute, execute_many, immediate
from pellucid.store.uses_port import Times, UseKind


class LocalUses:
    """See `Uses`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    def note(self, namespace: str, memory_ids: Collection[str], kind: UseKind, occasion: str, at: int) -> None:
        rows = [(namespace, memory_id, kind, occasion, at) for memory_id in dict.fromkeys(memory_ids)]
        connection = self._connection()
        with immediate(connection):
            execute_many(connection, self._queries["put_use"], rows)

    def uses(self, namespace: str, since: int = 0) -> list[Times]:
        return self._times("uses", namespace, since)

    def exposure(self, namespace: str, since: int = 0) -> list[Times]:
        return self._times("exposure", namespace, since)

    def _times(self, query: str, namespace: str, since: int) -> list[Times]:
        return [Times(*row) for row in execute(self._connection(), self._queries[query], (namespace, since))]
