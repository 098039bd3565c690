"""What became of a memory that was served in, rows of `history.db` out."""

from collections.abc import Callable, Mapping

import apsw

from pellucid.store.citations_port import CitationRow
from pellucid.store.local.database import execute, immediate


class LocalCitations:
    """See `Citations`."""

    def __init__(self, connection: Callable[[], apsw.Connection], queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    def put(self, namespace: str, citation_id: str, row: CitationRow) -> bool:
        connection = self._connection()
        values = (namespace, row.memory_id, row.kind, row.occasion, citation_id, row.recall_id, row.agent, row.at)
        with immediate(connection):
            is_new = bool(execute(connection, self._queries["put_citation"], values))
            if is_new and row.note:
                execute(connection, self._queries["put_query"], (citation_id, row.note.encode()))
        return is_new

    def on(self, namespace: str, occasion: str) -> list[CitationRow]:
        found = execute(self._connection(), self._queries["citations"], (namespace, occasion))
        return [
            CitationRow(memory_id, kind, recall_id, occasion, agent, at, note.decode("utf-8", "replace"))
            for memory_id, kind, recall_id, agent, at, note in found
        ]

    def served(self, namespace: str, session_id: str | None, since: int = 0) -> list[tuple[str, list[str]]]:
        recalls: dict[str, list[str]] = {}
        for recall_id, memory_id in execute(
            self._connection(), self._queries["served"], (namespace, since, session_id)
        ):
            recalls.setdefault(recall_id, []).extend([memory_id] if memory_id else [])
        return list(recalls.items())
