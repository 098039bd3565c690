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

MAX_TEXT = 4 * 1024 * 1024
"""Bytes of a Markdown or text file that is read whole; JSON is streamed, whatever its size."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file being read; nothing may be imported from outside of `root`.

    `claim` is asked before a file is read because another one imports it: each file is read once.
    """

    path: Path
    root: Path
    report: CaptureReport
    claim: Callable[[Path], bool]

    shown: str = field(init=False)
    """The path below `root`, as evidence names it."""

    def __post_init__(self) -> None:
        relative = os.path.relpath(self.path, self.root).replace(os.sep, "/")
        object.__setattr__(self, "shown", clean_text(relative).replace("\n", " "))

    @property
    def source(self) -> Source:
        """Its lines, objects and chunks."""
        return Source(self.path, self.report)

    @property
    def modified(self) -> datetime:
        """When the file was last written."""
        return as_instant(self.path.stat().st_mtime) or datetime.fromtimestamp(0, UTC)

    def text(self) -> str:
        """The whole text as it may be stored, with plain line ends; "" if it is too large.

        Context that we recalled once is cut out, and secrets are redacted before anything else looks at the text:
        half a secret no longer looks like one. A secret's lines stay as blank lines, so that line numbers hold.
        """
        if self.path.stat().st_size > MAX_TEXT:
            self.problem(1, "larger than 4 MiB")
            return ""
        raw = self.path.read_bytes()
        self.report.bytes_read += len(raw)
        if b"\0" in raw:
            self.problem(1, "not text")
            return ""
        text = raw.decode("utf-8-sig", "replace")
        self.report.encoding_errors += int("\ufffd" in text)
        return self.safe(without_own_output(clean_text(text), self.report))

    def safe(self, text: str) -> str:
        """The text without its secrets, which are counted, on as many lines as before."""
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

    def problem(self, line: int, reason: str) -> None:
        """Count a place that could not be read."""
        self.report.cannot_read(self.path, line, reason)


def is_file(path: Path) -> bool:
    """Whether a path that somebody wrote leads to a regular file; False, not an error, for an impossible one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
