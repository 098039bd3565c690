"""Lines of one file or stream in, what later lines need of them out: open calls, queued messages, titles, the folder.

A live stream carries its thread from chunk to chunk, so that it is read like a file of the same lines.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from pellucid.capture.transcripts.tools.calls import PendingCalls

_MAX_WAITING = 1024
_MAX_LINES = 65_536
_NOTICE = re.compile(r"\s*<[a-z]+(?:[-_][a-z]+)+[\s>]")
_COMMAND = re.compile(r"\s*/[\w:.-]+(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that the user typed while the agent worked; `at` is its time, None if unknown."""

    text: str
    session: str
    at: datetime | None


class Queue:
    """The messages waiting for the agent, and the delivered messages, which a later line can repeat."""

    def __init__(self) -> None:
        self._waiting: list[Queued] = []
        self._delivered = Counter[str]()

    def append(self, message: Queued) -> bool:
        """Append a message to the queue; return False, and append nothing, for a blank text, a program's notice
        (`<task-notification>`) or a slash command.

        With 1,024 messages waiting, a further one is dropped, though True is returned.
        """
        if not message.text.strip() or _NOTICE.match(message.text) or _COMMAND.match(message.text):
            return False
        if len(self._waiting) < _MAX_WAITING:
            self._waiting.append(message)
        return True

    def take_delivered(self, text: str | None) -> Queued | None:
        """Remove and return the waiting message that was given to the agent: the first with this text or, without a
        text, the oldest; None, and nothing removed, if there is no such message.

        The message is noted as delivered (`note_delivered`). Differences in white space do not count.
        """
        named = next((each for each in self._waiting if text and _normalised(each.text) == _normalised(text)), None)
        if text and named is None:
            return None
        message = named or (self._waiting[0] if self._waiting else None)
        if message:
            self._waiting.remove(message)
            self.note_delivered(message.text)
        return message

    def note_delivered(self, text: str) -> None:
        """Note that a message was given to the agent, so that a later line that repeats it can be told (`take_repeat`);
        do nothing if 1,024 different ones are noted.
        """
        if len(self._delivered) < _MAX_WAITING:
            self._delivered[_normalised(text)] += 1

    def drop_oldest(self) -> None:
        """Remove the oldest waiting message, without noting it as delivered: the transcript has it again as an ordinary
        user message. Do nothing if none waits.
        """
        del self._waiting[:1]

    def clear(self) -> None:
        """Remove all waiting messages: the user took them back to edit, and sends them anew."""
        self._waiting.clear()

    def take_repeat(self, text: str) -> bool:
        """Return whether a message repeats one that was noted as delivered to the agent (`note_delivered`); if so,
        forget one delivery of it.

        Waiting messages with this text are removed in any case. Differences in white space do not count.
        """
        words = _normalised(text)
        self._waiting = [each for each in self._waiting if _normalised(each.text) != words]
        is_repeat = self._delivered[words] > 0
        if is_repeat:
            self._delivered[words] -= 1
            if not self._delivered[words]:
                del self._delivered[words]  # it would take the place of another
        return is_repeat

    def waiting_count(self) -> int:
        """Return the number of messages that still wait."""
        return len(self._waiting)


class Titles:
    """Session titles that name a line by its id; a title belongs to that line's session, if the file has the line."""

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}
        self._waiting: dict[str, list[str]] = {}

    def note_line(self, line_id: str | None, session: str) -> list[str]:
        """Note the session of a line, given the line's id; return, and forget, the titles that waited for that line, in
        order.

        For the id None nothing is noted, and the list is empty. Beyond 65,536 lines, the line noted first is forgotten.
        """
        if line_id is None:
            return []
        self._lines[line_id] = session
        if len(self._lines) > _MAX_LINES:
            del self._lines[next(iter(self._lines))]
        return self._waiting.pop(line_id, [])

    def session_for(self, line_id: str, title: str) -> str | None:
        """Return the session of the line that a title names by its id; None if that line was not noted yet: the title
        then waits for it.

        With titles waiting for 1,024 lines, a further title is dropped.
        """
        if line_id in self._lines:
            return self._lines[line_id]
        if len(self._waiting) < _MAX_WAITING:
            self._waiting.setdefault(line_id, []).append(title)
        return None

    def waiting_count(self) -> int:
        """Return the number of titles that wait for a line not noted yet."""
        return sum(map(len, self._waiting.values()))


@dataclass(slots=True)
class Thread:
    """What a reader remembers from line to line; `plan` is a proposed plan, "" if there is none or it was accepted."""

    calls: PendingCalls = field(default_factory=PendingCalls)
    queue: Queue = field(default_factory=Queue)
    titles: Titles = field(default_factory=Titles)
    plan: str = ""
    session: str = ""
    folder: str | None = None
    branch: str | None = None
    placed: str = ""  # the session that `folder` and `branch` belong to

    def note_place(self, session: str, folder: str | None, branch: str | None) -> None:
        """Set `folder` and `branch` to those of a line's session; None or "" leaves what is known of the same session.

        At the first line of another session, both are forgotten first. A line without a session ("") belongs to the
        last one.
        """
        if session and session != self.placed:
            self.placed, self.folder, self.branch = session, None, None
        self.folder = folder or self.folder
        self.branch = branch or self.branch


def _normalised(text: str) -> str:
    """Return the text with every run of white space as one space, to compare messages."""
    return " ".join(text.split())
