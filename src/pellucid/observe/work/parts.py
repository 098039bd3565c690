"""The turns of a coding session in, the part each spoken one plays out: a person, narration, a conclusion, a record.

An agent speaks between its tool calls all day: what it is about to do. What it found stands where it stops to tell it:
in its last words before a person speaks again, and wherever it says much at once. That holds in any language.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.model.turn import Segment, Turn
from pellucid.observe.prose import blocks
from pellucid.observe.setting import Hearing

Part = Literal["person", "narration", "conclusion", "record"]
MUCH = 250
"""Characters of prose from which an agent's words between two tool calls tell more than what it does next."""
ENOUGH = 100
"""The same for its last words before a person speaks."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A spoken turn, the part it plays, and what the other side had said last before it."""

    hearing: Hearing
    part: Part
    before: Hearing | None = None
    closes: bool = False
    """Whether a person speaks next, or nobody: an agent's last words."""


def parts(segment: Segment, heard: Sequence[Hearing]) -> list[Spoken]:
    """Each spoken turn of a segment with the part it plays in the work: person, narration, conclusion or record."""
    following = dict(zip((turn.ordinal for turn in segment.turns), (*segment.turns[1:], None), strict=True))
    out: list[Spoken] = []
    last: dict[str, Hearing] = {}
    for hearing in heard:
        coming = following[hearing.turn.ordinal]
        closes = coming is None or coming.role == "user"
        part = _recorded_part(hearing.turn) or (
            "person" if hearing.voice == "person" else _of_agent(hearing, closes=closes)
        )
        other = "assistant" if hearing.voice == "person" else "person"
        out.append(Spoken(hearing, part, last.get(other), closes))
        if part != "record":
            last[hearing.voice] = hearing
    return out


def _recorded_part(turn: Turn) -> Part | None:
    """What a harness says a turn is: a plan that was accepted and a summary of what went before conclude."""
    if turn.kind in ("plan", "recap"):
        return "conclusion"
    return "record" if turn.kind in ("answer", "commit", "title") else None


def _of_agent(hearing: Hearing, *, closes: bool) -> Part:
    length = sum(len(block.text) for block in blocks(hearing.turn.content))
    return "conclusion" if length > MUCH or (closes and length > ENOUGH) else "narration"
