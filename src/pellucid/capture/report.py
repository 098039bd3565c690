"""The events of a capture in, their counts out: every drop, redaction and unreadable line is counted here."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

KEPT_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A place that could not be read; `line` is 1-based (the element number in a JSON document)."""

    path: Path
    line: int
    reason: str


@dataclass(slots=True)
class CaptureReport:
    """The running tally of one capture; pass it in, read it when the turns are exhausted.

    `dropped` counts turns, lines and files left out, by reason; `stripped` counts blocks cut out of stored turns.
    `problems` has the first 20 unreadable places; `malformed` counts all of them. No field contains transcript text.
    """

    files: int = 0
    bytes_read: int = 0
    turns_read: int = 0
    turns_kept: int = 0
    malformed: int = 0
    turns_cut: int = 0
    """Turns that were too long, and lost their middle."""
    characters_cut: int = 0
    """The characters that these turns lost."""
    dropped: Counter[str] = field(default_factory=Counter[str])
    stripped: Counter[str] = field(default_factory=Counter[str])
    redactions: Counter[str] = field(default_factory=Counter[str])
    formats: Counter[str] = field(default_factory=Counter[str])
    notes: list[Path] = field(default_factory=list[Path])
    """Files the caller named that are plain text without a conversation."""
    folders: dict[str, Path] = field(default_factory=dict[str, Path])
    """Maps sessions to the folder of the file in which each was met first: told here, since a session is filed by its
    folder, and a turn does not say its file.
    """
    problems: list[ReadProblem] = field(default_factory=list["ReadProblem"])

    def drop(self, reason: str, number: int = 1) -> None:
        """Add `number` turns, lines or files that were left out to the count of `reason` in `dropped`; 0 adds none."""
        if number > 0:
            self.dropped[reason] += number

    def cut(self, characters: int) -> None:
        """Add 1 to `turns_cut` and `characters` to `characters_cut`, for a turn that lost these; 0 adds nothing."""
        self.turns_cut += characters > 0
        self.characters_cut += characters

    def strip(self, reason: str, number: int) -> None:
        """Add `number` blocks that were cut out of turns to the count of `reason` in `stripped`; 0 adds nothing."""
        if number > 0:
            self.stripped[reason] += number

    def cannot_read(self, path: Path, line: int, reason: str) -> None:
        """Add 1 to `malformed`, and the place to `problems` as a `ReadProblem`, unless that has 20 already; `line` is
        the number of the line, or in a JSON document that of the element, from 1.
        """
        self.malformed += 1
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(ReadProblem(path, line, reason))
