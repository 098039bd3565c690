"""Uses, citations and events of recalls in, sums of them by memory, day and panel out."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from pellucid.model.entity import FOREVER
from pellucid.store.history.citations_port import AGAINST, FAVOURABLE, CitationRow, ServedRecall
from pellucid.store.history.telemetry_port import Grouping, LiftRow, RecallEvent, RecallFailure
from pellucid.store.history.uses_port import Times, UseKind
from pellucid.store.local.database import Queries, execute, immediate

_SUMS = "SELECT {by}, {sums} FROM {view} WHERE namespace = ? AND day BETWEEN ? AND ? GROUP BY 1 ORDER BY 1"
"""The names in braces are those of views and columns, never words of a caller."""


@dataclass(frozen=True, slots=True)
class LocalUses:
    """See `Uses`."""

    queries: Queries

    def note(self, namespace: str, memory_ids: Collection[str], kind: UseKind, occasion: str, at: int) -> None:
        """Store in the database that memories were used at `at` (epoch ms).

        The same kind of use of a memory on one `occasion` (a session id, or a day) counts once, at its latest.
        """
        rows = [(namespace, memory_id, kind, occasion, at) for memory_id in dict.fromkeys(memory_ids)]
        with immediate(self.queries.connection()):
            self.queries.run_many("put_use", rows)

    def uses(self, namespace: str, since: int = 0) -> list[Times]:
        """Return how often and when last each memory was used at or after `since` (epoch ms), sorted by memory id.

        Each kind of use counts once per occasion; the field `sessions` is the number of occasions. Memories that were
        not used are left out.
        """
        return [Times(*row) for row in self.queries.run("uses", namespace, since)]

    def exposure(self, namespace: str, since: int = 0) -> list[Times]:
        """Return how often and when last recalls served each memory at or after `since` (epoch ms), sorted by memory
        id; memories that were not served are left out.

        A recall without a session does not count in the field `sessions`.
        """
        return [Times(*row) for row in self.queries.run("exposure", namespace, since)]

    def served_since(self, namespace: str, day: str) -> set[str]:
        """Return the ids of the memories that a recall served on or after a UTC day, such as `2026-04-20`."""
        return {memory_id for (memory_id,) in self.queries.run("served_since", namespace, day)}


@dataclass(frozen=True, slots=True)
class LocalCitations:
    """See `Citations`."""

    queries: Queries

    def put(self, namespace: str, citation_id: str, row: CitationRow) -> bool:
        """Store the citation `row` under the new id `citation_id`; return False, with nothing stored, if the memory has
        one of its kind from the same occasion.

        An explicit citation first deletes automatic ones of its memory and occasion: those of its kind or, if it is not
        in `FAVOURABLE`, of any kind. After an explicit one not in `FAVOURABLE`, automatic ones are refused (False).
        """
        what = (namespace, row.memory_id, row.occasion)
        with immediate(self.queries.connection()):
            if row.source == "explicit":
                replaced = self.queries.run("outdone", *what, row.kind, row.kind not in FAVOURABLE)
                self.queries.run_many("drop_query", replaced)
            elif self.queries.run("refused", *what, json.dumps(sorted(FAVOURABLE)))[0][0]:
                return False
            values = (row.kind, row.occasion, citation_id, row.recall_id, row.agent, row.at, row.source, row.evidence)
            is_new = bool(self.queries.run("put_citation", namespace, row.memory_id, *values))
            if is_new and row.note:
                self.queries.run("put_query", citation_id, row.note.encode())
        return is_new

    def on(self, namespace: str, occasion: str) -> list[CitationRow]:
        """Return the citations made on an occasion (a session id, or a day), oldest first."""
        return self._rows("citations", namespace, occasion)

    def of(self, namespace: str, memory_id: str) -> list[CitationRow]:
        """Return the citations of a memory, oldest first."""
        return self._rows("citations_of_memory", namespace, memory_id)

    def of_recall(self, namespace: str, recall_id: str) -> list[CitationRow]:
        """Return the citations that were made of a recall (`recall_id`): of memories that it served, and of the recall
        as a whole, oldest first.
        """
        return self._rows("citations_of_recall", namespace, recall_id)

    def against(self, namespace: str) -> list[CitationRow]:
        """Return a namespace's citations that call a memory wrong or outdated (kinds `AGAINST`), oldest first."""
        return self._rows("citations_against", namespace, json.dumps(sorted(AGAINST)))

    def _rows(self, query: str, *bindings: str) -> list[CitationRow]:
        """Return the citations that a named query selects, in its order."""
        return [
            CitationRow(*row, note=note.decode("utf-8", "replace"), source=source, evidence=evidence)
            for *row, note, source, evidence in self.queries.run(query, *bindings)
        ]

    def served(self, namespace: str, session_id: str | None, since: int = 0) -> list[ServedRecall]:
        """Return the recalls of a session (None: of no session) at or after `since` (epoch ms), newest first, each with
        the memories that it served.
        """
        found = self.queries.run("served", namespace, since, session_id)
        return [
            ServedRecall(recall_id, at, query, tuple(memory_id for *_, memory_id in rows if memory_id))
            for (recall_id, at, query), rows in groupby(found, key=lambda row: row[:3])
        ]

    def serving(
        self, namespace: str, session_id: str | None, memory_id: str, since: int = 0, until: int = FOREVER
    ) -> str | None:
        """Return the id of a session's newest recall that served a memory; None if none did.

        The recall was made from `since` to `until` (epoch ms, both included). A `session_id` of None means recalls of
        no session.
        """
        found = self.queries.run("serving", namespace, since, until, session_id, memory_id)
        return found[0][0] if found else None


@dataclass(frozen=True, slots=True)
class LocalTelemetry:
    """See `Telemetry`."""

    queries: Queries

    def sums(
        self, view: str, measures: Sequence[str], by: Grouping, namespace: str, since: str, until: str
    ) -> list[tuple[str | None, tuple[int, ...]]]:
        """Return the sums of the columns `measures` of an SQL view, by group, as (group, sums in the order of
        `measures`), sorted by group.

        Groups are the values of the column `by`, None for what has no value there. `since` and `until` are the first
        and the last day that count, as `2026-04-20`. `view`, `measures` and `by` go into the SQL as they are, and so
        must never be words of a caller.
        """
        sql = _SUMS.format(by=by, sums=", ".join(f"sum({each})" for each in measures), view=view)
        found = execute(self.queries.connection(), sql, (namespace, since, until))
        return [(group, tuple(sums)) for group, *sums in found]

    def event(self, recall_id: str, namespace: str) -> RecallEvent | None:
        """Return the measurements of a recall; None if this namespace has none of it (any more)."""
        found = self.queries.run("event", recall_id, namespace)
        if not found:
            return None
        *values, degraded, legs, code, place = found[0]
        failure = RecallFailure(code, place) if code is not None else None
        return RecallEvent(*values, degraded=bool(degraded), legs=json.loads(legs), failure=failure)

    def lifts_due(self, namespace: str) -> dict[str, list[str]]:
        """Return, by recall id, the ids (sorted) of cited memories whose ranks with and without each leg (way of
        searching, `LiftRow`) are still to be stored.

        The newest recall comes first.
        """
        due: dict[str, list[str]] = {}
        for recall_id, memory_id in self.queries.run("lifts_due", namespace):
            due.setdefault(recall_id, []).append(memory_id)
        return due

    def put_leg_lifts(self, namespace: str, recall_id: str, rows: Sequence[LiftRow]) -> None:
        """Store how cited memories of a recall ranked with and without each leg (way of searching); `lifts_due` then
        returns these memories no longer.

        If the measurements (event) of the recall are gone, no ranks are stored. Raises StoreError if it cannot be
        written.
        """
        lifts = [(each.leg, each.memory_id, each.rank_with, each.rank_without, recall_id, namespace) for each in rows]
        with immediate(self.queries.connection()):
            self.queries.run_many("put_lift", lifts)
            self.queries.run_many("lift_done", [(namespace, recall_id, each.memory_id) for each in rows])
