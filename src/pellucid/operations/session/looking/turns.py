"""A session in, its available turns out: from its transcript, or from its passages and the spool."""

from collections.abc import Mapping
from pathlib import Path

from pellucid.app import App
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.model.memory import Memory
from pellucid.model.turn import Role, Turn
from pellucid.operations.browsing import ids_in_force
from pellucid.operations.session.looking.sessions import last_turn
from pellucid.store.local.hooked import HookedSessions

_SPEAKERS: Mapping[str, Role] = {"assistant_output": "assistant", "tool_output": "tool"}
"""Maps the sources of passages to roles; other sources are the user's."""


def turns_at_hand(app: App, namespace: str, session_id: str) -> list[Turn]:
    """Return the turns of a session: from its transcript if a hook named one that exists; else turns made of its
    passages, followed by those that wait in the spool. Empty if there are none of these. InputError if the transcript
    cannot be read."""
    for each in HookedSessions(app.settings.home).known():
        if each.session_id == session_id and each.namespace == namespace and each.transcript:
            report, path = CaptureReport(), Path(each.transcript)
            if path.exists():
                found = read([path], app.settings.capture, report)
                return [turn for turn in found if turn.session_id == session_id]
    waiting = [each.turn for each in app.spool.held(namespace, session_id) if each.turn.content]
    return [*_kept_turns(app, namespace, session_id), *waiting]


def _kept_turns(app: App, namespace: str, session_id: str) -> list[Turn]:
    """Return the turns of a session, in order, made of its passages that are in force now: one for each turn, with its
    passages a line each.
    """
    by_turn, ids = dict[int, list[Memory]](), ids_in_force(app, namespace, None)
    for memory in (each.memory for each in app.index.memories(namespace)):
        if memory.session_id == session_id and memory.category == "moment" and memory.id in ids:
            by_turn.setdefault(last_turn(memory), []).append(memory)
    return [
        Turn(
            session_id,
            ordinal,
            _SPEAKERS.get(passages[0].source_class or "", "user"),
            "\n".join(each.content for each in sorted(passages, key=lambda each: each.id)),
            at=passages[0].valid_at,
        )
        for ordinal, passages in sorted(by_turn.items())
    ]
