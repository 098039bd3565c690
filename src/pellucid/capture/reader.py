"""Paths in, storable turns out: the room's door. Detects, streams, guards and counts."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pellucid.capture.guard import Guard
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.detect import FORMATS, MARKDOWN, READERS, Format, detect
from pellucid.capture.transcripts.source import Source, head_of
from pellucid.errors import InputError, field_name
from pellucid.model.turn import Turn
from pellucid.settings.sections import CaptureSettings

SUFFIXES = MARKDOWN | {".jsonl", ".json", ".txt"}
Progress = Callable[[int, int], None]
"""Told the bytes read so far and the bytes there are, over all files."""


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A file to read; `asked_for` if the caller named it, rather than a folder above it."""

    path: Path
    asked_for: bool
    size: int


def read(
    paths: Iterable[Path],
    settings: CaptureSettings,
    report: CaptureReport,
    *,
    transcript_format: Format | None = None,
    on_progress: Progress | None = None,
) -> Iterator[Turn]:
    """Stream the turns of transcript files, as they may be stored.

    Args:
        paths: files, and folders that are walked for `.jsonl`, `.json`, `.txt` and Markdown, in sorted order.
        report: filled while the turns are drawn; complete when they are exhausted.
        transcript_format: read every file as this format instead of detecting it.
        on_progress: called after each read.

    Raises:
        InputError: a named file does not exist, is in no known format, or holds nothing readable. A file found in a
            folder is skipped instead, with the reason counted.
    """
    files = find_files(paths, settings, report)
    total = sum(file.size for file in files)
    begun = report.bytes_read
    guard = Guard(settings, report)

    def on_bytes(_: int) -> None:
        if on_progress:
            on_progress(report.bytes_read - begun, total)

    for file in files:
        turns = _file_turns(file, Source(file.path, report, on_bytes), transcript_format)
        for turn in turns:
            report.turns_read += 1
            for kept in guard.admit(turn):
                report.turns_kept += 1
                yield kept


def find_files(paths: Iterable[Path], settings: CaptureSettings, report: CaptureReport) -> list[TranscriptFile]:
    """The files to read, each once; excluded ones are never opened and count `excluded-path`.

    Raises:
        InputError: a named path does not exist or cannot be listed.
    """
    found: dict[Path, TranscriptFile] = {}
    for given in paths:
        root = given.expanduser().absolute()
        for path in [root] if root.is_file() else _walk(root):
            if is_excluded(path, settings.exclude_paths):
                report.drop("excluded-path")
            else:
                found.setdefault(path, TranscriptFile(path, path == root, path.stat().st_size))
    return list(found.values())


def is_excluded(path: Path, patterns: Iterable[str]) -> bool:
    """Whether a glob matches the file, a folder above it, or its real place behind links.

    `*` matches across `/`; `~` is the home folder; a pattern without a leading `/` matches at any depth.
    """
    globs = [str(Path(pattern).expanduser()) for pattern in patterns]
    if not globs:
        return False
    places = {place for start in (path, path.resolve()) for place in (start, *start.parents)}
    globs += [f"*/{glob}" for glob in globs if not glob.startswith("/")]
    return any(fnmatchcase(place.as_posix(), glob) for place in places for glob in globs)


def _walk(root: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        raise InputError(
            f"{error.filename} cannot be read: {error.strerror}", next_step="check the path and its permissions"
        ) from error

    found = [Path(folder, name) for folder, _, names in os.walk(root, onerror=refuse) for name in names]
    return sorted(path for path in found if path.suffix.lower() in SUFFIXES and path.is_file())


def _file_turns(file: TranscriptFile, source: Source, forced: Format | None) -> Iterator[Turn]:
    report = source.report
    try:
        known = forced or detect(file.path)
        if known is None:
            _unreadable(file, "unknown-format" if head_of(file.path).strip() else "empty-file", report)
            return
        report.files += 1
        report.formats[known] += 1
        before = (report.turns_read, report.dropped.total())
        yield from READERS[known](source)
    except OSError as error:
        raise InputError(f"{file.path} cannot be read: {error.strerror}", next_step="check its permissions") from error
    if before == (report.turns_read, report.dropped.total()):
        _unreadable(file, "nothing-readable", report)


def _unreadable(file: TranscriptFile, reason: str, report: CaptureReport) -> None:
    if file.asked_for and reason == "empty-file":
        raise InputError(
            f"{file.path} is empty", code="unreadable_transcript", next_step="name a file with turns in it"
        )
    if file.asked_for:
        told = f"holds no turn that can be read ({reason})"
        next_step = f"name one with {field_name('transcript_format')} if it was not recognised"
        if reason == "unknown-format" and file.path.suffix.lower() in MARKDOWN:
            told = "is a Markdown document and no chat: it has no headings such as `## User` and `## Assistant`"
            next_step = "take notes in with `pellucid adopt`, documents with `pellucid index docs`"
        raise InputError(
            f"{file.path} {told}",
            code="unreadable_transcript",
            next_step=f"known formats: {', '.join(FORMATS)}; {next_step}",
        )
    report.drop(reason)
