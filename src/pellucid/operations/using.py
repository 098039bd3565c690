"""A memory and what somebody did with it in, a row of its use out: the one way in which a use is noted.

Where a recall of the same occasion had served the memory, what is done with it then is a citation, too.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, time

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
    """Note that somebody used memories on purpose: in a session, or else on this day (UTC).

    What is asked for never fails for it: where nothing can be written, nothing is noted. It reaches heat and tier with
    the next lifecycle pass.
    """
    if app.read_only or not memory_ids:
        return
    now = app.clock.now()
    with suppress(StoreError):
        app.uses.note(namespace, memory_ids, kind, occasion_of(session_id, now), epoch_ms(now))


def served_texts(app: App, namespace: str, session_id: str) -> dict[str, str]:
    """What the recalls of a session gave it, by the ids of the memories: those that still stand, and no passages.

    Nothing where history cannot be read: it is never needed to take turns in.
    """
    with suppress(StoreError):
        recalls = app.citations.served(namespace, session_id)
        ids = list(dict.fromkeys(memory_id for each in recalls for memory_id in each.memory_ids))
        found = [each.memory for each in app.index.memories(namespace, ids)] if ids else []
        return {each.id: each.content for each in found if each.status == "active" and each.category != "moment"}
    return {}


def occasion_of(session_id: str | None, now: datetime) -> str:
    """On which occasion something is done: in a session, or else on this day (UTC)."""
    return session_id or f"{now:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class Deed:
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


def begin_of(session_id: str | None, now: datetime) -> int:
    """From when on recalls are of this occasion (epoch milliseconds): of a session always, of none since midnight."""
    return 0 if session_id else epoch_ms(datetime.combine(now.date(), time(), UTC))


def credit(app: App, namespace: str, memory_id: str, deed: Deed) -> str | None:
    """Cite a memory for what was done with it, if a recall of this occasion had served it before: which.

    Nothing fails for it, as in `note_use`.
    """
    if app.read_only:
        return None
    session_id, now = deed.session_id, deed.at or app.clock.now()
    with suppress(StoreError):
        span = begin_of(session_id, now), epoch_ms(now)
        if recall_id := deed.recall_id or app.citations.serving(namespace, session_id, memory_id, *span):
            kind, occasion = KINDS[deed.evidence], occasion_of(session_id, now)
            said = deed.agent, span[1], deed.words, "automatic", deed.evidence
            app.citations.put(
                namespace, app.clock.new_id("cit"), CitationRow(memory_id, kind, recall_id, occasion, *said)
            )
            return recall_id
    return None
