"""A memory and what somebody did with it in, a row of its use out: the only place that records uses.

If a recall of the same occasion had served the memory, its use is a citation, too.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time
from itertools import count

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import StoreError
from pellucid.store.history.citations_port import CitationKind, CitationRow, Evidence
from pellucid.store.history.uses_port import UseKind

KINDS: Mapping[Evidence, CitationKind] = {
    "opened": "used",
    "copied": "used",
    "updated": "used",
    "file": "used",
    "rewrote": "rewrote",
    "quoted": "cited",
    "id": "cited",
}
"""Maps the sign by which a use was observed to the kind of its citation."""


def note_use(
    app: App, namespace: str, memory_ids: Collection[str], kind: UseKind, session_id: str | None = None
) -> None:
    """Record that somebody deliberately used memories, in a session or else on this day (UTC); each `kind` of use, such
    as `opened`, counts once for each memory there. A `StoreError` is ignored, and a read-only home is left alone: then
    nothing is recorded. The next lifecycle pass uses these records for heat and tier."""
    if app.read_only or not memory_ids:
        return
    now = app.clock.now()
    with suppress(StoreError):
        app.uses.note(namespace, memory_ids, kind, occasion_of(session_id, now), epoch_ms(now))


def served_texts(app: App, namespace: str, session_id: str) -> dict[str, str]:
    """Return a map from the ids of active memories (no passages) that recalls served to a session to their contents;
    empty if history or index cannot be read."""
    with suppress(StoreError):
        recalls = app.citations.served(namespace, session_id)
        ids = list(dict.fromkeys(memory_id for each in recalls for memory_id in each.memory_ids))
        found = [each.memory for each in app.index.memories(namespace, ids)] if ids else []
        return {each.id: each.content for each in found if each.status == "active" and each.category != "moment"}
    return {}


def served_ids(app: App, namespace: str, recall_id: str) -> Iterator[str]:
    """Yield the ids of the memories that a recall served, best first; nothing if the namespace has no such recall."""
    for place in count(1):
        row = app.history.audit(recall_id, place, namespace)
        if row is None:
            return
        yield row.memory_id


def occasion_of(session_id: str | None, now: datetime) -> str:
    """Return the occasion of a use or citation, on which each kind counts once: the session's id, else the day of
    `now`, which must be in UTC, as YYYY-MM-DD."""
    return session_id or f"{now:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """One use of a memory: the sign by which it was observed, its session (else it counts for the day), and its agent.

    `words` are the evidence of it, stored with the citation; `at` is its time (None: now); `recall_id` is the recall
    that served the memory (None: the newest recall that did).
    """

    evidence: Evidence
    session_id: str | None = None
    agent: str | None = None
    words: str = ""
    at: datetime | None = None
    recall_id: str | None = None


def occasion_start_ms(session_id: str | None, now: datetime) -> int:
    """Return the start of an occasion in epoch milliseconds: 0 in a session, else the last midnight up to `now`, which
    must be in UTC."""
    return 0 if session_id else epoch_ms(datetime.combine(now.date(), time(), UTC))


def cite_if_served(app: App, namespace: str, memory_id: str, deed: MemoryUse) -> str | None:
    """Store a citation of a memory for the use `deed`, if a recall of the same occasion had served the memory, or if
    `deed` names the recall. Return the recall's id, also if the memory already had a citation of that kind from that
    occasion; None if there is no such recall, or nothing could be written (as in `note_use`, no error)."""
    if app.read_only:
        return None
    session_id, now = deed.session_id, deed.at or app.clock.now()
    with suppress(StoreError):
        span = occasion_start_ms(session_id, now), epoch_ms(now)
        if recall_id := deed.recall_id or app.citations.serving(namespace, session_id, memory_id, *span):
            kind, occasion = KINDS[deed.evidence], occasion_of(session_id, now)
            details = deed.agent, span[1], deed.words, "automatic", deed.evidence
            row = CitationRow(memory_id, kind, recall_id, occasion, *details)
            app.citations.put(namespace, app.clock.new_id("cit"), row)
            return recall_id
    return None
