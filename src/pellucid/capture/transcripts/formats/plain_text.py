"""Plain text in, its turns out: `Name: words` lines, or paragraphs between blank lines.

The first line that is neither blank nor a date decides, so that a file that grows is read the same way again. A line
that is a date, or begins with one like the heading of a note, dates what follows it.
"""

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pellucid.capture.transcripts.json_values import YEARS, as_instant
from pellucid.capture.transcripts.numbering import UNNUMBERED, numbered
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Role, Turn, TurnKind

_MONTHS = {name.lower(): number for names in (month_name, month_abbr) for number, name in enumerate(names) if name}
_MONTH = rf"(?P<month>(?a:{'|'.join(sorted(_MONTHS, key=len, reverse=True))}))\.?"
_DAY = r"(?P<day>\d{1,2})(?!\d)"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_WEEKDAY = rf"(?:(?:{'|'.join((*day_name, *day_abbr))})\.?,? )?"
_FORMS = tuple(
    re.compile(rf"\s{{0,3}}(?P<mark>#{{1,6}} +|[-*+] |)(?P<open>[\[(*_]{{1,3}}|){_WEEKDAY}{form}", re.IGNORECASE)
    for form in (
        rf"(?P<year>\d{{4}})(?P<sep>[-/.])(?P<month>\d\d?)(?P=sep){_DAY}",
        rf"(?P<year>\d{{4}})年(?P<month>\d\d?)月{_DAY}日",
        rf"{_DAY}\.(?P<month>\d\d?)\.{_YEAR}",
        rf"{_MONTH} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}",
        rf"{_DAY}(?:st|nd|rd|th|\.)? {_MONTH},? {_YEAR}",
    )
)
_TIME = re.compile(r"[ T,]{1,2}(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:Z| UTC)?\b")
_LEADS_ON = re.compile(r"[\])*_]*+(?:,? \(?\w{2,10}\.?\)?)?[\])*_]*+\s*+(?:[:–—|-]|$)")

_SPEECH = re.compile(
    r"\s{0,8}(?:[-*>]\s)?(?:[\[(](?P<at>[^\])]{4,40})[\])]\s{0,3})?\**"
    r"(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [\w(][\w.'’)-]{0,30}){0,2})\**:\**(?:\s+(?P<words>.*))?$"
)
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "me", "you"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "claude", "chatgpt", "gpt", "codex"), "assistant"),
    "system": "system",
    "tool": "tool",
}
_LABELS = """
    note notes todo fixme warning error info debug example examples update edit ps re subject date from to cc tip
    hint question answer summary step steps result output input usage see also http https important conclusion title
    links
    """
_NOT_NAMES = frozenset(_LABELS.split())
_LONGEST = 1024 * 1024


@dataclass(slots=True)
class _OpenNote:
    """The message that is being read; `size` is its length in characters so far."""

    role: Role = "user"
    kind: TurnKind = "note"
    speaker: str | None = None
    at: datetime | None = None
    lines: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, line: str) -> None:
        """Append a line to the message."""
        self.lines.append(line)
        self.size += len(line) + 1

    def close(self) -> Turn:
        """Return the message as a turn without session and number; its content, the joined lines, can be empty."""
        content = "\n".join(self.lines).strip()
        return Turn("", UNNUMBERED, self.role, content, at=self.at, speaker=self.speaker, kind=self.kind)


def is_chat(head: str) -> bool:
    """Whether a text is a dialogue of user and assistant: the first line that is neither blank nor a date is `Name:
    words`, and both have a line that begins with one of their names in `_ROLES`.
    """
    lines = [line for line in head.splitlines() if line.strip()]
    first = next((line for line in lines if _speaker_start(line) or not date_at_head(line, begins=True)), "")
    roles = {begun.role for line in lines if (begun := _speaker_start(line)) and not begun.speaker}
    return _speaker_start(first) is not None and {"user", "assistant"} <= roles


@numbered
def read(source: Source) -> Iterator[Turn]:
    """Yield the turns of a text file: of a dialogue (`Name: words`), or of notes in paragraphs."""
    return (turn for turn in _turns(source) if turn.content)


def _turns(source: Source) -> Iterator[Turn]:
    """Yield the turns of a dialogue or of notes, some of them empty.

    It is a dialogue if the first line that is neither blank nor a date is `Name: words`; then each such line begins a
    turn, else each paragraph and dated line does. A turn without a time has the last date above it or, if there is
    none, the first date within it. A turn of more than 1 Mi characters is cut at the next line."""
    dialogue: bool | None = None  # undecided; until then, what is read waits in `before`
    day: datetime | None = None
    before: list[Turn] = []
    current = _OpenNote()
    for line in source.lines():
        text = line.text
        speech = _speaker_start(text)
        dated = None if speech else date_at_head(text, begins=not current.lines)
        day = dated or day
        if dialogue is None and text.strip() and not dated:
            dialogue = speech is not None
            if dialogue:  # the dates above it are not a turn
                before, current = [], _OpenNote()
            yield from before
        if dated and dialogue:
            continue
        begun = speech if dialogue else _paragraph_start(text, current, dated)
        if begun is None and current.size > _LONGEST:
            begun = _OpenNote(current.role, current.kind, current.speaker, current.at, [text], len(text))
        if begun is not None:
            if dialogue is None:
                before.append(current.close())
            else:
                yield current.close()
            current = begun
        else:
            current.add(text)
        current.at = current.at or (day if current.lines else None)
    yield from before if dialogue is None else ()
    yield current.close()


def _paragraph_start(line: str, current: _OpenNote, dated: datetime | None) -> _OpenNote | None:
    """Return the new message that a line begins: an empty one for a blank line, one with the line if it is dated.

    `dated` is the date at the line's head, else None. None for any other line, and for a dated line while the `current`
    message is still empty: it belongs to that message.
    """
    if not line.strip():
        return _OpenNote()
    if dated and current.lines:
        return _OpenNote(at=dated, lines=[line], size=len(line) + 1)
    return None


def _speaker_start(line: str) -> _OpenNote | None:
    """Return the message that a `Name: words` line begins; None for any other line. Its time is what stands in brackets
    before the name, if anything does.

    A name in `_ROLES` gives the role; any other is the speaker of a note in the user's role.
    """
    match = _SPEECH.match(line)
    if match is None or not _is_name(match["name"]):
        return None
    role = _ROLES.get(match["name"].lower())
    words, at = match["words"] or "", as_instant(match["at"])
    if role:
        return _OpenNote(role, "message", None, at, [words], len(words) + 1)
    return _OpenNote("user", "note", match["name"], at, [words], len(words) + 1)


def _is_name(name: str) -> bool:
    """Whether the text before a colon is a speaker's name: a role's, or one that begins with no small letter, and whose
    first word is no label (`_NOT_NAMES`: `Note`, `TODO`).
    """
    lowered = name.lower()
    # scripts without capitals are taken at their word
    return lowered in _ROLES or (lowered.split(" ")[0] not in _NOT_NAMES and not name[0].islower())


def date_at_head(line: str, *, begins: bool) -> datetime | None:
    """Return the date and any time of day, in UTC, at the head of a line that dates what follows it; else None.

    With `begins`, the line begins a paragraph, and whatever follows the date is dated by it. Any other line must be a
    heading or bracket the date, or have no time of day and then end or go on with a colon or a dash. A time without a
    date counts as none, and so does a date that does not exist or whose year is outside `YEARS`.
    """
    for form in _FORMS:
        if found := form.match(line):
            time = _TIME.match(line, found.end())
            marked = found["mark"].startswith("#") or bool(found["open"])
            if not (begins or marked or (time is None and _LEADS_ON.match(line, found.end()))):
                return None  # a sentence that goes on, or a line of a log
            month = _MONTHS.get(found["month"].lower()) or int(found["month"])
            clock = (int(time["hour"]), int(time["minute"])) if time else (0, 0)
            try:
                at = datetime(int(found["year"]), month, int(found["day"]), *clock, tzinfo=UTC)
                return at if at.year in YEARS else None
            except ValueError:  # 2026-02-31 is a typo, and no date
                return None
    return None
