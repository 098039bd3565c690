"""A line of Markdown in, the role whose words it opens out: the headings that exports of chats put over each message.

Known: `_**User (2026-03-01 09:00Z)**_` (SpecStory), `## User`, `**You:** …`, `> **Human**`, `###### ChatGPT said:`.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from pellucid.capture.transcripts.json_values import as_instant
from pellucid.model.turn import Role

_ASSISTANTS = (
    "assistant,agent,ai,bot,model,response,claude,claude code,chatgpt,gpt,gpt-4,copilot,github copilot,cursor,gemini,"
    "codex"
)
ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "you", "me", "prompt"), "user"),
    **dict.fromkeys(_ASSISTANTS.split(","), "assistant"),
    "system": "system",
    "tool": "tool",
}
_NAME = "|".join(sorted(map(re.escape, ROLES), key=len, reverse=True))
_HEADING = re.compile(
    rf"(?P<quote>>[ ]?)?(?P<level>#{{1,6}}[ ]+)?(?:[^\w\s*_<>`\[(#-]{{1,4}}[ ])?(?P<mark>_\*\*|\*\*|__)?"
    rf"(?:[^\w\s*_<>`\[(#-]{{1,4}}[ ])?(?P<name>{_NAME})(?P<said> said)?(?:: [^()*_:\n]{{1,60}}?)?"
    r"(?P<note>(?: - sidechain)?(?:[ ]*[(\[][^()\[\]\n]{1,160}[)\]]){0,2})"
    r"(?P<colon>:)?(?(mark)(?:\*\*_|\*\*|__))(?P<after>:)?"
    r"(?:[ ]*[(\[](?P<later>[^()\[\]\n]{1,160})[)\]])?(?:[ \t]+(?P<words>\S.*))?[ \t]*",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")

Style = tuple[str, str, str]  # what makes two headings of one file alike: quote, level and mark


@dataclass(frozen=True, slots=True)
class TurnHeading:
    """A heading over a message: the speaker's role, the time, and `words` of the message on the same line.

    `note` is what the export adds to the speaker's name: `(some-model 2026-03-01 09:00Z)`, ` - sidechain`.
    """

    role: Role
    style: Style
    at: datetime | None = None
    words: str = ""
    note: str = ""


def turn_heading(line: str) -> TurnHeading | None:
    """Parse a line as the heading of a message; None for any other line, and for a bare name without a mark."""
    found = _HEADING.fullmatch(line.rstrip()) if line[:1] in "#>*_" else None
    if found is None or not (found["level"] or found["mark"]):
        return None
    words = found["words"] or ""
    if words and not (found["mark"] and (found["colon"] or found["after"])):
        return None  # `## User interface`, `**User** accounts are …`
    at = time_in(found["note"]) or time_in(found["later"] or "")
    style = (found["quote"] or "", (found["level"] or "").strip(), found["mark"] or "")
    return TurnHeading(ROLES[found["name"].lower()], style, at, words, found["note"])


def time_in(text: str) -> datetime | None:
    """Return the first ISO 8601 time in a text; None if there is none."""
    found = _TIME.search(text)
    return as_instant(found[0].replace(" ", "T")) if found else None
