"""A segment in, each of its spoken turns with its context out: work or chat, person or assistant, debugging or not."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from pellucid.model.turn import Segment, Turn
from pellucid.observe.language import Language, detect_language

Manner = Literal["work", "chat"]
Voice = Literal["person", "assistant"]

_FAILURE = re.compile(
    r"Traceback \(|\bFAILED\b|\bAssertionError\b|^E   |\b[1-9]\d* (?:failed|failures?|errors?)\b|\bpanicked at\b"
    r"|\b\w+(?:Error|Exception)\b[:(]|^[ \t]++at [^\n(]++\([^\n)]+:\d+\)|Failure/Error"
    r"|\bsegmentation fault\b|exit (?:code|status) [1-9]",
    re.MULTILINE,
)
_HEADING = re.compile(r"(?:#{1,6} )?(\d{4})-(\d\d)-(\d\d)\b")
_SECTION = re.compile(r"^(?=\d\. \**[A-Z])", re.MULTILINE)
_HANDED_OVER = re.compile(r"\d\. \**(?:Primary Request and Intent|Pending Tasks|Current Work|Optional Next Step)\b")
_HEADED = re.compile(r"\d\. \**(?:Key Technical Concepts|Files and Code Sections|Errors and fixes|Problem Solving)\b")
_DEBUGGING_TURNS = 4
"""Spoken turns after a failing output that belong to its debugging."""


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A spoken turn with the facts about its surroundings that extraction needs."""

    turn: Turn
    language: Language
    manner: Manner
    voice: Voice
    debugging: bool
    listener: str | None = None
    """The other speaker's name if exactly two named speakers talk; else None."""
    at: datetime | None = None
    """The turn's own time, else the last date at the beginning of a turn (dated notes); None if there is none."""


def turn_contexts(segment: Segment) -> tuple[TurnContext, ...]:
    """Return the turns of persons and agents, in order, each with its context; other roles are left out.

    A recap, which is a summary in place of earlier turns, is cut to its findings (`_findings_of_recap`).
    """
    manner = session_manner(segment.turns)
    debugging = _debugging_turns(segment.turns)
    names = sorted({turn.speaker for turn in segment.turns if turn.speaker})
    contexts: list[TurnContext] = []
    heading_date: datetime | None = None
    usual = ""
    for each in segment.turns:
        if each.role not in {"user", "assistant"}:
            continue
        turn = replace(each, content=_findings_of_recap(each.content)) if each.kind == "recap" else each
        heading_date = _date_heading(turn.content) or heading_date
        language = detect_language(turn.content, usual)
        usual = language.code
        contexts.append(
            TurnContext(
                turn=turn,
                language=language,
                manner=manner,
                voice="person" if turn.role == "user" or turn.speaker else "assistant",
                debugging=turn.ordinal in debugging,
                listener=next(name for name in names if name != turn.speaker) if len(names) == 2 else None,
                at=turn.at or heading_date,
            )
        )
    return tuple(contexts)


def _findings_of_recap(recap: str) -> str:
    """Return a recap without the sections on what was requested, is pending, is current work, or comes next.

    A recap is the summary that a coding agent writes in place of earlier turns; the requests stand in the turns
    themselves. What follows such a section is left out up to the next section of findings (`_HEADED`). Unchanged if it
    has no numbered sections of these names.
    """
    kept, is_left_out = list[str](), False
    for section in _SECTION.split(recap):
        is_left_out = bool(_HANDED_OVER.match(section)) or (is_left_out and not _HEADED.match(section))
        kept += [] if is_left_out else [section]
    return "".join(kept)


def session_manner(turns: tuple[Turn, ...]) -> Manner:
    """Return `work` if a turn is a tool's or comes from a coding agent's transcript (it has an `agent` and no speaker's
    name); else `chat`.
    """
    if any(turn.role == "tool" for turn in turns):
        return "work"
    return "work" if any(turn.agent and not turn.speaker for turn in turns) else "chat"


def _date_heading(content: str) -> datetime | None:
    """Return the date (`2026-04-20`) that begins a text, also as a heading, at midnight UTC; None if there is none, or
    no such day.
    """
    found = _HEADING.match(content.lstrip())
    try:
        return datetime(*map(int, found.groups()), tzinfo=UTC) if found else None
    except ValueError:  # 2026-02-31 is a typo, and no date
        return None


def _debugging_turns(turns: tuple[Turn, ...]) -> frozenset[int]:
    """Return the ordinals of turns in which a failure is looked into: the four turns, not of tools, after a failing
    output.

    A tool's output fails by its words (`Traceback`, `2 failed`); another failing one starts the count anew.
    """
    inside: set[int] = set()
    left = 0
    for turn in turns:
        if turn.role == "tool":
            left = _DEBUGGING_TURNS if _FAILURE.search(turn.content) else left
        elif left > 0:
            inside.add(turn.ordinal)
            left -= 1
    return frozenset(inside)
