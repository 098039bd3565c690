"""Lines of a live session in, its turns out: the same readers as for a file, chunk by chunk, from memory."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.detect import READERS, Format, format_of
from pellucid.capture.transcripts.formats.chat_messages import session_of
from pellucid.capture.transcripts.json_values import as_object, object_in, text_at
from pellucid.capture.transcripts.source import MAX_LINE, NumberedObject, Source, SourceLine, decode_line
from pellucid.capture.transcripts.thread import Thread
from pellucid.errors import InputError
from pellucid.model.turn import Turn

UNNAMED = "default"  # the session of a stream that does not name its session
STREAM = Path("observed")
_CHUNK = 64 * 1024
_BATCH = 100
_PIECE = re.compile(rb"[^\n]*\n|[^\n]+")
_TOO_LONG = "(a line longer than 16 MiB was skipped)\n"
"""The text in place of such a line: not JSON, so that it is counted as unreadable with its line number."""


@dataclass(frozen=True, slots=True)
class LiveSource(Source):
    """A source over lines in memory; `session` is given to objects that name no session."""

    given_lines: tuple[str, ...] = ()
    session: str = UNNAMED
    first_number: int = 1  # the number in the stream of the first of these lines

    def head(self) -> str:
        """Return the first two of the lines, joined by a line end; the format of the source is told by them."""
        return "\n".join(self.given_lines[:2])

    def begins_with_long_line(self) -> bool:
        """Return False: the lines in memory are whole, however long they are."""
        return False

    def lines(self) -> Iterator[SourceLine]:
        """Yield the lines without their ends, numbered from `first_number` on; add their bytes to the report."""
        for number, text in enumerate(self.given_lines, self.first_number):
            self.report.bytes_read += len(text.encode("utf-8", "replace"))
            yield SourceLine(number, text.rstrip("\r\n"), text.endswith("\n"))

    def objects(self) -> Iterator[NumberedObject]:
        """Yield the lines' JSON objects with the lines' numbers; an object that names no session gets a key `sessionId`
        with this source's `session`.

        A line that is no JSON object yields nothing, and is counted in the report as unreadable (see `Source.objects`).
        """
        for number, value in Source.objects(self):
            yield NumberedObject(number, value if session_of(value) else {"sessionId": self.session} | value)

    def chunks(self) -> Iterator[str]:
        """Yield the lines as they were given, one at a time."""
        return iter(self.given_lines)


class LiveTranscript:
    """Turns a stream's lines into turns, chunk by chunk; remembers its format, line number and session."""

    def __init__(self, report: CaptureReport, session: str | None, transcript_format: Format | None) -> None:
        """Begin a stream; a session or format of None is taken from the lines.

        Raises InputError if the format cannot be read line by line (plain text, Markdown).
        """
        if transcript_format in ("plain-text", "markdown-chat"):
            raise InputError(
                "plain text and Markdown cannot be observed line by line",
                code="invalid_format",
                next_step="send JSON lines of {role, content}, or import the file",
            )
        self._report = report
        self._session = session or ""
        self._rollout = ""
        self._format: Format | None = transcript_format
        self._lines = 0
        self._thread = Thread()

    def turns(self, lines: Sequence[str]) -> list[Turn]:
        """Return the turns of the next lines of the stream; their texts are not redacted yet.

        Without a format given for the stream, the first line with a known one decides it; until then `plain-jsonl` is
        tried. A line that names no session belongs to the stream's: in a Codex rollout the one that its first
        `session_meta` line names, else the one given (secrets redacted), else `default`. Ordinals begin at 1 in each
        call, line numbers go on. Lines that cannot be read are counted in the report.
        """
        objects = [object_in(line) for line in lines]
        formats: Iterator[Format] = (name for value in objects if value and (name := format_of(value)))
        self._format = self._format or next(formats, None)  # else the next chunk is asked
        rollout = [line for line in objects if line.get("type") == "session_meta"]
        if self._format == "codex" and rollout and not self._rollout:
            self._session = self._rollout = text_at(as_object(rollout[0].get("payload")), "id") or self._session
        self._thread.session = ""  # each chunk names it anew: the line that does may come after others
        session = self._session or UNNAMED
        first = self._lines + 1
        self._lines += len(lines)
        if self._format == "codex" and not rollout:  # the reader knows a rollout's session from its first line alone
            meta_line = json.dumps({"type": "session_meta", "payload": {"id": session}}) + "\n"
            lines, first = [meta_line, *lines], first - 1
        source = LiveSource(
            STREAM,
            self._report,
            given_lines=tuple(lines),
            session=redact(session).text,
            first_number=first,
            thread=self._thread,
            ends=False,
        )
        return list(READERS[self._format or "plain-jsonl"](source))


def line_batches(read: Callable[[int], bytes]) -> Iterator[list[str]]:
    """Yield decoded lines as they arrive, in lists of at most 100; a list does not wait until it is full.

    A line keeps its end; the last one may have none. One longer than 16 MiB is replaced by a note that is not JSON.
    `read` blocks until bytes have come, returns at most the given number of them, and b"" at the end of the stream, as
    `os.read` of a pipe does.
    """
    waiting: list[str] = []
    line = bytearray()
    too_long = False
    while data := read(_CHUNK):
        for piece in _PIECE.findall(data):
            line += piece if not too_long else b""
            if len(line) > MAX_LINE:
                too_long = True
                line.clear()
            if piece.endswith(b"\n"):
                waiting.append(_TOO_LONG if too_long else decode_line(bytes(line)))
                too_long = False
                line.clear()
        yield from (waiting[start : start + _BATCH] for start in range(0, len(waiting), _BATCH))
        waiting.clear()
    if line or too_long:
        yield [_TOO_LONG if too_long else decode_line(bytes(line))]
