"""A memory file in, its text or its JSON entries out: bounded, decoded, counted."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import find_secrets, redact
from pellucid.capture.transcripts.json_values import as_instant
from pellucid.capture.transcripts.numbering import clean_text
from pellucid.capture.transcripts.source import Source

MAX_TEXT = 4 * 1024 * 1024  # bytes of a Markdown or text file that is read whole; JSON is streamed, whatever its size


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One memory file that is being read; files that it imports must be below `root`.

    `claim` returns whether an imported file is to be read: each is read only once.
    """

    path: Path
    root: Path
    report: CaptureReport
    claim: Callable[[Path], bool]

    shown_path: str = field(init=False)  # the path relative to `root`, in one line

    def __post_init__(self) -> None:
        relative = os.path.relpath(self.path, self.root).replace(os.sep, "/")
        object.__setattr__(self, "shown_path", clean_text(relative).replace("\n", " "))

    @property
    def source(self) -> Source:
        """The file as a source of lines, JSON objects or chunks."""
        return Source(self.path, self.report)

    @property
    def modified(self) -> datetime:
        """The time of the file's last change, in UTC; 1970-01-01 if it lies outside the years 1000 to 9998. `OSError`
        if the file is gone.
        """
        return as_instant(self.path.stat().st_mtime) or datetime.fromtimestamp(0, UTC)

    def text(self) -> str:
        """Return the whole text, decoded, without secrets, Pellucid's own output and control characters.

        Return "", and count a problem, if the file is larger than 4 MiB or contains a NUL byte; other bytes that are
        not UTF-8 become U+FFFD. The whole text is redacted at once, because half a secret no longer looks like one.
        `OSError` if the file cannot be read.
        """
        if self.path.stat().st_size > MAX_TEXT:
            self.add_problem(1, "larger than 4 MiB")
            return ""
        raw = self.path.read_bytes()
        self.report.bytes_read += len(raw)
        if b"\0" in raw:
            self.add_problem(1, "not text")
            return ""
        text = raw.decode("utf-8-sig", "replace")
        return self.redacted(without_own_output(clean_text(text), self.report))

    def redacted(self, text: str) -> str:
        """Return the text with each secret replaced by `[redacted:<type>]`, and count the secrets in the report; a
        secret's line ends stay, so that the numbers of lines do not change.
        """
        redacted = redact(text)
        self.report.redactions.update(redacted.counts)
        if redacted.text.count("\n") == text.count("\n"):
            return redacted.text
        parts: list[str] = []
        at = 0
        for span in sorted(found for found in find_secrets(text) if "\n" in text[found.start : found.end]):
            if span.start >= at:
                lines = "\n" * text.count("\n", span.start, span.end)
                parts += [redact(text[at : span.start]).text, f"[redacted:{span.type}]{lines}"]
                at = span.end
        return "".join([*parts, redact(text[at:]).text])

    def add_problem(self, line: int, reason: str) -> None:
        """Count a place of this file that could not be read in the report, as `CaptureReport.cannot_read` does; `line`
        is its line, or in JSON the number of the entry, and `reason` says why.
        """
        self.report.cannot_read(self.path, line, reason)


def is_file(path: Path) -> bool:
    """Whether a path leads to a regular file, also by a link; False, not an error, for a path that cannot be looked at
    or is too long.
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
