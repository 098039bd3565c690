"""A memory and what somebody did with it in, a row of its use out; and what a session was served."""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import StoreError
from pellucid.store.uses_port import UseKind


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
    """What the recalls of a session gave it, by the ids of the memories: those that still stand, and no passages."""
    recalls = app.citations.served(namespace, session_id)
    ids = list(dict.fromkeys(memory_id for _, served in recalls for memory_id in served))
    found = [each.memory for each in app.index.memories(namespace, ids)] if ids else []
    return {each.id: each.content for each in found if each.status == "active" and each.category != "moment"}


def occasion_of(session_id: str | None, now: datetime) -> str:
    """On which occasion something is done: in a session, or else on this day (UTC)."""
    return session_id or f"{now:%Y-%m-%d}"
