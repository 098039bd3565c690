"""Turns of a coding session in, what is kept of them out."""

from datetime import UTC, datetime

from pellucid.model.turn import Role, Segment, Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.setting import turn_contexts
from pellucid.observe.work.parts import WorkTurn, work_turns

AT = datetime(2026, 4, 23, 15, 0, tzinfo=UTC)


def turns(*said: tuple[Role, str]) -> tuple[Turn, ...]:
    """A coding agent's session, one turn each."""
    return tuple(
        Turn("s", number, role, text, at=AT, agent="claude-code", tool="Bash" if role == "tool" else None)
        for number, (role, text) in enumerate(said, start=1)
    )


def played(*said: tuple[Role, str]) -> list[WorkTurn]:
    segment = Segment("s", turns(*said), "session_end")
    return work_turns(segment, turn_contexts(segment))


def told(*said: tuple[Role, str]) -> list[str]:
    facts = HeuristicExtractor().extract(Segment("s", turns(*said), "session_end"))
    return [fact.content for fact in facts]
