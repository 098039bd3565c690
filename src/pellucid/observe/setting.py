"""A segment in, how each of its turns is to be read out: work or chat, a person or an assistant, debugging or not."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from pellucid.model.turn import Segment, Turn
from pellucid.observe.language import LANGUAGES, Language, detect_language

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
_REACH = 4
"""How many spoken turns after a failing output still belong to the debugging of it."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """One turn with what is known of its surroundings."""

    turn: Turn
    language: Language
    manner: Manner
    voice: Voice
    debugging: bool
    listener: str | None = None
    """The other speaker's name, where exactly two named ones talk."""
    at: datetime | None = None
    """When it was said: the turn's own time, else the last date that stood at the head of a turn (dated notes)."""


def hear(segment: Segment) -> tuple[Hearing, ...]:
    """Each turn of a person or an agent with its setting: language, manner, voice, time; tools' turns are left out."""
    manner = manner_of(segment.turns)
    debugging = _debugging_turns(segment.turns)
    names = sorted({turn.speaker for turn in segment.turns if turn.speaker})
    heard: list[Hearing] = []
    headed: datetime | None = None
    usual = ""
    for each in segment.turns:
        if each.role not in {"user", "assistant"}:
            continue
        turn = replace(each, content=_found(each.content)) if each.kind == "recap" else each
        headed = _date_heading(turn.content) or headed
        language = detect_language(turn.content, LANGUAGES, usual)
        usual = language.code
        heard.append(
            Hearing(
                turn=turn,
                language=language,
                manner=manner,
                voice="person" if turn.role == "user" or turn.speaker else "assistant",
                debugging=turn.ordinal in debugging,
                listener=next(name for name in names if name != turn.speaker) if len(names) == 2 else None,
                at=turn.at or headed,
            )
        )
    return tuple(heard)


def _found(recap: str) -> str:
    """A summary after a compaction, less its sections on what was asked and what comes next.

    What was asked stands in the turns.
    """
    told, over = list[str](), False
    for section in _SECTION.split(recap):
        over = bool(_HANDED_OVER.match(section)) or (over and not _HEADED.match(section))
        told += [] if over else [section]
    return "".join(told)


def manner_of(turns: tuple[Turn, ...]) -> Manner:
    """Work if a tool was used or the transcript is a coding agent's; any other session is a chat."""
    if any(turn.role == "tool" for turn in turns):
        return "work"
    return "work" if any(turn.agent and not turn.speaker for turn in turns) else "chat"


def _date_heading(content: str) -> datetime | None:
    """The date at the head of a text, midnight UTC; None where there is none, or no such day."""
    found = _HEADING.match(content.lstrip())
    try:
        return datetime(*map(int, found.groups()), tzinfo=UTC) if found else None
    except ValueError:  # 2026-02-31 is a typo, and no date
        return None


def _debugging_turns(turns: tuple[Turn, ...]) -> frozenset[int]:
    """The ordinals of the turns spoken within reach of a failing tool output."""
    inside: set[int] = set()
    left = 0
    for turn in turns:
        if turn.role == "tool":
            left = _REACH if _FAILURE.search(turn.content) else left
        elif left > 0:
            inside.add(turn.ordinal)
            left -= 1
    return frozenset(inside)
