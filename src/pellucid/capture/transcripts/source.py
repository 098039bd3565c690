"""A transcript file in, its lines, objects or chunks out: streamed, decoded, counted."""

import codecs
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.json_values import JsonObject, as_object
from pellucid.capture.transcripts.thread import Thread

MAX_LINE = 16 * 1024 * 1024
_CHUNK = 64 * 1024
_HEAD = 256 * 1024


class SourceLine(NamedTuple):
    """One line without its end; `finished` is false for a last line that lacks its newline."""

    number: int
    text: str
    finished: bool


class NumberedObject(NamedTuple):
    """One JSON object and the number of its line."""

    number: int
    value: JsonObject


def decode_line(raw: bytes) -> str:
    """Return a line as text, without a byte order mark at its start; bytes that are not UTF-8 become U+FFFD."""
    return raw.decode("utf-8-sig", "replace")


def head_of(path: Path) -> str:
    """Return the first 256 KiB of a file as text, to detect its format; its bytes are not counted as read.

    A byte order mark is left out; bytes that are not UTF-8 become U+FFFD."""
    with path.open("rb") as stream:
        return stream.read(_HEAD).decode("utf-8-sig", "replace")


@dataclass(frozen=True, slots=True)
class Source:
    """One transcript file that is being read. `on_bytes` is called with the number of bytes of each read.

    `thread` has what a reader remembers of earlier lines; `ends` is False if more lines of the same stream will follow.
    """

    path: Path
    report: CaptureReport
    on_bytes: Callable[[int], None] = lambda _: None
    thread: Thread = field(default_factory=Thread)
    ends: bool = True

    def head(self) -> str:
        """Return the first 256 KiB as text."""
        return head_of(self.path)

    def begins_with_long_line(self) -> bool:
        """Whether the file is JSON lines whose first line has more than 256 KiB and less than 16 MiB: that line ends
        with `}`, and the text after it begins with `{`.

        The head alone does not show then that another line follows.
        """
        with self.path.open("rb") as stream:
            size, last = 0, b""
            while (raw := stream.readline(_CHUNK)) and size < MAX_LINE:
                size, last = size + len(raw), last[-2:] + raw
                if raw.endswith(b"\n"):
                    break
            # in a JSON document of one object, no `{` follows its first line
            is_whole = _HEAD < size < MAX_LINE and last.rstrip().endswith(b"}")
            return is_whole and stream.read(_CHUNK).lstrip().startswith(b"{")

    def lines(self) -> Iterator[SourceLine]:
        """Yield every line without its end, with its number from 1 and with U+FFFD for bytes that are not UTF-8; a line
        longer than 16 MiB is left out, and counted in the report as unreadable. The bytes read are counted, too.
        """
        with self.path.open("rb") as stream:
            number = 0
            while raw := stream.readline(MAX_LINE):
                number += 1
                self._count(raw)
                if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
                    self._skip_line(stream)
                    self.report.cannot_read(self.path, number, "longer than 16 MiB, and not read")
                    continue
                yield SourceLine(number, decode_line(raw).rstrip("\r\n"), raw.endswith(b"\n"))

    def objects(self) -> Iterator[NumberedObject]:
        """Yield the JSON object of every line, with the line's number; blank lines are passed over.

        A line that is not JSON, no object, or an empty one, is counted in the report as unreadable (`malformed`); a
        last line without its newline that is not valid JSON as `unfinished-line`, as its writer may still be at work.
        """
        for line in self.lines():
            if not line.text.strip():
                continue
            try:
                value = as_object(json.loads(line.text))
            except (ValueError, RecursionError):
                if line.finished:
                    self.report.cannot_read(self.path, line.number, "not valid JSON")
                else:  # the writer is still at it: the next import reads the whole line
                    self.report.drop("unfinished-line")
                continue
            if value:
                yield NumberedObject(line.number, value)
            else:
                self.report.cannot_read(self.path, line.number, "not a JSON object")

    def chunks(self) -> Iterator[str]:
        """Yield the decoded text in pieces of at most 64 KiB of the file, for documents that are not read by lines,
        without a byte order mark, with U+FFFD for bytes that are not UTF-8; the bytes read are counted.
        """
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        with self.path.open("rb") as stream:
            while raw := stream.read(_CHUNK):
                self._count(raw)
                yield decoder.decode(raw)
            yield decoder.decode(b"", final=True)

    def _count(self, raw: bytes) -> None:
        """Add the number of bytes just read to the report's `bytes_read`, and call `on_bytes` with it."""
        self.report.bytes_read += len(raw)
        self.on_bytes(len(raw))

    def _skip_line(self, stream: BinaryIO) -> None:
        """Read and count bytes up to the end of the current line, which is too long to be read whole."""
        while raw := stream.readline(_CHUNK):
            self._count(raw)
            if raw.endswith(b"\n"):
                return
