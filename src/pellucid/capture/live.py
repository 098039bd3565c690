"""Lines of a live session in, its turns out: the same readers as for a file, chunk by chunk, from memory."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.detect import READERS, Format, format_of, object_of
from pellucid.capture.transcripts.formats.chat_messages import session_of
from pellucid.capture.transcripts.json_values import as_object, text_at
from pellucid.capture.transcripts.source import MAX_LINE, NumberedObject, Source, SourceLine
from pellucid.capture.transcripts.thread import Thread
from pellucid.errors import InputError
from pellucid.model.turn import Turn

_MESSAGES: Format = "plain-jsonl"
UNNAMED = "default"
"""The session of a stream that names none."""
STREAM = Path("observed")
_CHUNK = 64 * 1024
_PIECE = re.compile(rb"[^\n]*\n|[^\n]+")
_TOO_LONG = "(a line longer than 16 MiB was skipped)\n"
"""No JSON, so that it is counted as what could not be read, with its number."""


@dataclass(frozen=True, slots=True)
class LiveSource(Source):
    """Lines that are here already; `session` is that of objects which name none."""

    given: tuple[str, ...] = ()
    session: str = UNNAMED
    first: int = 1

    def head(self) -> str:
        return "\n".join(self.given[:2])

    def lines(self) -> Iterator[SourceLine]:
        for number, text in enumerate(self.given, self.first):
            self.report.bytes_read += len(text.encode("utf-8", "replace"))
            yield SourceLine(number, text.rstrip("\r\n"), text.endswith("\n"))

    def objects(self) -> Iterator[NumberedObject]:
        for number, value in Source.objects(self):
            yield NumberedObject(number, value if session_of(value) else {"sessionId": self.session} | value)

    def chunks(self) -> Iterator[str]:
        return iter(self.given)


class LiveTranscript:
    """Reads one stream, however it is cut into chunks: remembers its format, its line numbers and its session."""

    def __init__(self, report: CaptureReport, session: str | None, transcript_format: Format | None) -> None:
        """Begin a stream.

        Raises:
            InputError: the format has no lines that stand for themselves.
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
        """The turns of the next lines. Their sessions' names hold no secret; their ordinals count this chunk only."""
        objects = [object_of(line) for line in lines]
        known: Iterator[Format] = (name for value in objects if value and (name := format_of(value)))
        self._format = self._format or next(known, None)  # else the next chunk is asked
        rollout = [line for line in objects if line.get("type") == "session_meta"]
        if self._format == "codex" and rollout and not self._rollout:
            self._session = self._rollout = text_at(as_object(rollout[0].get("payload")), "id") or self._session
        self._thread.session = ""  # each chunk names it anew: the line that does may come after others
        session = self._session or UNNAMED
        first = self._lines + 1
        self._lines += len(lines)
        if self._format == "codex" and not rollout:  # the reader knows a rollout's session from its first line alone
            named = json.dumps({"type": "session_meta", "payload": {"id": session}}) + "\n"
            lines, first = [named, *lines], first - 1
        source = LiveSource(
            STREAM,
            self._report,
            given=tuple(lines),
            session=redact(session).text,
            first=first,
            thread=self._thread,
            ends=False,
        )
        return list(READERS[self._format or _MESSAGES](source))


def arriving(read: Callable[[int], bytes], report: CaptureReport, most: int = 100) -> Iterator[list[str]]:
    """Lines as they arrive, those that came together in one list of at most `most`; never waits for more to come.

    Args:
        read: waits for bytes and returns what is there, at most so many; empty at the end (`os.read` of a pipe).
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
                waiting.append(_TOO_LONG if too_long else _decoded_line(bytes(line), report))
                too_long = False
                line.clear()
            if len(waiting) == most:
                yield waiting
                waiting = []
        if waiting:
            yield waiting
            waiting = []
    if line:
        yield [_decoded_line(bytes(line), report)]


def _decoded_line(line: bytes, report: CaptureReport) -> str:
    """A line's text; bytes that are not UTF-8 become U+FFFD, and such a line is counted."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        report.encoding_errors += 1
        return line.decode("utf-8-sig", "replace")
