"""A memory and what somebody did with it in, a row of its use out: the one way in which a use is noted.

Where a recall of the same occasion had served the memory, what is done with it then is a citation, too.
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
"""What became of a memory, by the sign of it."""


def note_use(
    app: App, namespace: str, memory_ids: Collection[str], kind: UseKind, session_id: str | None = None
) -> None:
    """Record that somebody deliberately used memories, in a session or, without one, on this day (UTC). It never fails:
    where nothing can be written, nothing is recorded. The next lifecycle pass reads it for heat and tier."""
    if app.read_only or not memory_ids:
        return
    now = app.clock.now()
    with suppress(StoreError):
        app.uses.note(namespace, memory_ids, kind, occasion_of(session_id, now), epoch_ms(now))


def served_texts(app: App, namespace: str, session_id: str) -> dict[str, str]:
    """Return the contents, by id, of active memories (no passages) that recalls served to a session; empty if history
    cannot be read."""
    with suppress(StoreError):
        recalls = app.citations.served(namespace, session_id)
        ids = list(dict.fromkeys(memory_id for each in recalls for memory_id in each.memory_ids))
        found = [each.memory for each in app.index.memories(namespace, ids)] if ids else []
        return {each.id: each.content for each in found if each.status == "active" and each.category != "moment"}
    return {}


def served_ids(app: App, namespace: str, recall_id: str) -> Iterator[str]:
    """Yield the ids of the memories that a recall served, in their order; none if the namespace has no such recall."""
    for place in count(1):
        row = app.history.audit(recall_id, place, namespace)
        if row is None:
            return
        yield row.memory_id


def occasion_of(session_id: str | None, now: datetime) -> str:
    """Return the key under which uses and citations count once: the session, else the day (UTC) as YYYY-MM-DD."""
    return session_id or f"{now:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """What was done with a memory: the sign of it, in which session or else on this day, by which agent.

    `words` are evidence of it, and kept as long as the notes of citations; `at` is when it was done, if not now;
    `recall_id` the recall that served it, where that is known: else the newest that did.
    """

    evidence: Evidence
    session_id: str | None = None
    agent: str | None = None
    words: str = ""
    at: datetime | None = None
    recall_id: str | None = None


def occasion_start_ms(session_id: str | None, now: datetime) -> int:
    """Return from when on recalls count for this occasion, in epoch milliseconds: 0 in a session, else midnight."""
    return 0 if session_id else epoch_ms(datetime.combine(now.date(), time(), UTC))


def cite_if_served(app: App, namespace: str, memory_id: str, deed: MemoryUse) -> str | None:
    """Cite a memory for how it was used, if a recall of the same occasion had served it, or `deed` names the recall.
    Return that recall's id, else None. It never fails, like `note_use`."""
    if app.read_only:
        return None
    session_id, now = deed.session_id, deed.at or app.clock.now()
    with suppress(StoreError):
        span = occasion_start_ms(session_id, now), epoch_ms(now)
        if recall_id := deed.recall_id or app.citations.serving(namespace, session_id, memory_id, *span):
            kind, occasion = KINDS[deed.evidence], occasion_of(session_id, now)
            said = deed.agent, span[1], deed.words, "automatic", deed.evidence
            app.citations.put(
                namespace, app.clock.new_id("cit"), CitationRow(memory_id, kind, recall_id, occasion, *said)
            )
            return recall_id
    return None
