"""Lines of one file or stream in, what later lines need of them out: open calls, queued messages, titles, the place.

A live stream carries its thread from chunk to chunk, so that it is read as the file of the same lines would be.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from pellucid.capture.transcripts.tools.calls import PendingCalls

_MOST = 1024
_MOST_LINES = 65_536
_NOTICE = re.compile(r"\s*<[a-z]+(?:[-_][a-z]+)+[\s>]")
_COMMAND = re.compile(r"\s*/[\w:.-]+(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Queued:
    """A message typed while the agent worked."""

    text: str
    session: str
    at: datetime | None


class Queue:
    """The messages that wait, and those that were let through and may still be repeated by a line of their own."""

    def __init__(self) -> None:
        self._waiting: list[Queued] = []
        self._said = Counter[str]()

    def enter(self, message: Queued) -> bool:
        """Append a message to the queue; False for what is no message: a harness's notice or a command."""
        if not message.text.strip() or _NOTICE.match(message.text) or _COMMAND.match(message.text):
            return False
        if len(self._waiting) < _MOST:
            self._waiting.append(message)
        return True

    def let_through(self, text: str | None) -> Queued | None:
        """Take out the message handed to the agent at work: that of these words, else the oldest; None if none."""
        named = next((each for each in self._waiting if text and _form(each.text) == _form(text)), None)
        if text and named is None:
            return None
        message = named or (self._waiting[0] if self._waiting else None)
        if message:
            self._waiting.remove(message)
            self.repeatable(message.text)
        return message

    def repeatable(self, text: str) -> None:
        """Note that a message has been read, which another line may say again."""
        if len(self._said) < _MOST:
            self._said[_form(text)] += 1

    def next_prompt(self) -> None:
        """The oldest message becomes a prompt of its own, on a line that follows."""
        del self._waiting[:1]

    def taken_back(self) -> None:
        """All that waits goes back to be edited, and comes again if it is sent."""
        self._waiting.clear()

    def is_repeated(self, text: str) -> bool:
        """Whether a user's line only repeats a message that was let through; each is taken as repeated once at most."""
        form = _form(text)
        self._waiting = [each for each in self._waiting if _form(each.text) != form]
        if self._said[form] <= 0:
            return False
        self._said[form] -= 1
        return True

    def left(self) -> int:
        """How many still wait."""
        return len(self._waiting)


class Titles:
    """Titles that name a line by its id; a title belongs to a file only if that line stands in it."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}
        self._waiting: dict[str, list[str]] = {}

    def note_line(self, line: str | None, session: str) -> list[str]:
        """Note which session a line is of; returns the titles that waited for that line."""
        if line is None:
            return []
        self._lines[line] = session
        if len(self._lines) > _MOST_LINES:
            del self._lines[next(iter(self._lines))]
        return self._waiting.pop(line, [])

    def session_of(self, line: str, title: str) -> str | None:
        """The session of the line that a title names; None if it has not been seen, and the title waits for it."""
        if line in self._lines:
            return self._lines[line]
        if len(self._waiting) < _MOST:
            self._waiting.setdefault(line, []).append(title)
        return None

    def left(self) -> int:
        """How many titles named no line that was seen."""
        return sum(map(len, self._waiting.values()))


@dataclass(slots=True)
class Thread:
    """Everything a reader remembers. `plan` is one that was proposed and not yet accepted."""

    calls: PendingCalls = field(default_factory=PendingCalls)
    queue: Queue = field(default_factory=Queue)
    titles: Titles = field(default_factory=Titles)
    plan: str = ""
    session: str = ""
    folder: str | None = None
    branch: str | None = None
    placed: str = ""
    """The session whose folder and branch these are."""

    def note_place(self, session: str, folder: str | None, branch: str | None) -> None:
        """Note where a line's session works; what the line leaves out is as before, but never another session's."""
        if session and session != self.placed:
            self.placed, self.folder, self.branch = session, None, None
        self.folder = folder or self.folder
        self.branch = branch or self.branch


def _form(text: str) -> str:
    return " ".join(text.split())
