"""The turns of a coding session in, the part of each spoken turn out: a person, narration, a conclusion, a record.

An agent speaks between its tool calls all day about its next step. Its findings are in its last words before a person
speaks again, and in long messages. That holds in any language.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.model.turn import Segment
from pellucid.observe.prose import blocks
from pellucid.observe.setting import TurnContext

Part = Literal["person", "narration", "conclusion", "record"]
MUCH = 250
"""Characters of prose from which an agent's words between two tool calls tell more than its next step."""
ENOUGH = 100
"""The same for an agent's last words before a person speaks."""


@dataclass(frozen=True, slots=True)
class WorkTurn:
    """A spoken turn of a coding session, the part it plays, and the other side's last turn before it."""

    context: TurnContext
    part: Part
    before: TurnContext | None = None
    closes: bool = False
    """Whether a person speaks next, or nobody: of an agent, its last words."""


def work_turns(segment: Segment, contexts: Sequence[TurnContext]) -> list[WorkTurn]:
    """Return a `WorkTurn` for each context, in order: its part, and the other side's last turn before it (None if there
    is none).

    `contexts` are those of the segment's spoken turns. What the harness recorded (part `record`) is never the turn
    before. A turn closes if the next turn of the segment is a user's, or there is no next.
    """
    following = dict(zip((turn.ordinal for turn in segment.turns), (*segment.turns[1:], None), strict=True))
    out: list[WorkTurn] = []
    last: dict[str, TurnContext] = {}
    for context in contexts:
        coming = following[context.turn.ordinal]
        closes = coming is None or coming.role == "user"
        part = _part_of_turn(context, closes=closes)
        other = "assistant" if context.voice == "person" else "person"
        out.append(WorkTurn(context, part, last.get(other), closes))
        if part != "record":
            last[context.voice] = context
    return out


def _part_of_turn(context: TurnContext, *, closes: bool) -> Part:
    """Return the part of a turn: `record` (an answer, a commit or a title), `person`, `conclusion` or `narration`.

    A plan that was accepted and a recap are conclusions, as is an agent's turn with over 250 characters of prose, or
    over 100 if these are its last words before a person speaks (`closes`). Its other turns are narration.
    """
    if context.turn.kind in ("plan", "recap"):
        return "conclusion"
    if context.turn.kind in ("answer", "commit", "title"):
        return "record"
    if context.voice == "person":
        return "person"
    length = sum(len(block.text) for block in blocks(context.turn.content))
    return "conclusion" if length > MUCH or (closes and length > ENOUGH) else "narration"
