"""Sentences in, what a session of them leaves in a home out."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pellucid.app import App
from pellucid.capture.identity import turn_fingerprint
from pellucid.model.memory import Memory
from pellucid.model.turn import Role, Turn
from pellucid.operations.session.intake import Intake, Mode
from pellucid.operations.session.tally import IntakeTally

HERE = "local/default"
START = datetime(2026, 4, 20, 10, tzinfo=UTC)
DECIDED = "We cut releases every Tuesday, Priya agreed."
LINES = (
    f'{{"session":"s1","role":"user","content":"{DECIDED}"}}\n'
    '{"session":"s1","role":"assistant","content":"Noted."}\n'
)
FACT: dict[str, Any] = {
    "category": "decision",
    "content": "Releases are cut every Tuesday",
    "confidence": 0.9,
    "tags": ["releases"],
    "entity": None,
    "attributes": [],
    "turns": [1, 1],
    "quote": "We cut releases every Tuesday",
    "resolves": None,
}
"""What a model makes of these lines."""
INVENTED = {**FACT, "content": "Releases are cut every Friday at 17:00", "quote": "every Friday at 17:00"}


def session(
    *said: str | tuple[Role, str], name: str = "s1", start: datetime = START, tool: str | None = None
) -> list[Turn]:
    """Turns a minute apart; a plain sentence is the user's."""
    pairs = [("user", each) if isinstance(each, str) else each for each in said]
    return [
        Turn(name, number, role, content, at=start + timedelta(minutes=number), tool=tool if role == "tool" else None)
        for number, (role, content) in enumerate(pairs, 1)
    ]


def take(app: App, turns: Iterable[Turn], mode: Mode = "extract", namespace: str = HERE) -> IntakeTally:
    """Put turns through the ordinary intake."""
    intake = Intake(app, namespace, mode)
    intake.take(replace(turn, fingerprint=turn_fingerprint(turn, app.key, f"{namespace} {mode}")) for turn in turns)
    return intake.tally


def held(app: App, status: str | None = "active") -> dict[str, Memory]:
    """The memories of a status, by content."""
    found = (each.memory for each in app.index.memories(HERE))
    return {memory.content: memory for memory in found if status in (None, memory.status)}
