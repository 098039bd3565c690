"""Paths in, storable turns out: the entrance of the room. Detects, streams, guards and counts."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pellucid.capture.guard import Guard
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.detect import FORMATS, MARKDOWN, READERS, Format, detect
from pellucid.capture.transcripts.formats import plain_text
from pellucid.capture.transcripts.source import Source
from pellucid.capture.walk import FileWalk, WalkedFile
from pellucid.errors import InputError, field_name, step
from pellucid.model.turn import Turn
from pellucid.settings.sections import CaptureSettings

SUFFIXES = MARKDOWN | {".jsonl", ".json", ".txt"}
Progress = Callable[[int, int], None]  # called with the bytes read so far and the total, over all files


def read(
    paths: Iterable[Path],
    settings: CaptureSettings,
    report: CaptureReport,
    *,
    transcript_format: Format | None = None,
    on_progress: Progress | None = None,
) -> Iterator[Turn]:
    """Yield the turns of transcript files, redacted, as they can be stored.

    Args:
        paths: files, and folders that are searched in sorted order for files with one of `SUFFIXES`. Plain text found
            in a folder is read only if it is a dialogue of user and assistant; a named plain text is read in any case.
        settings: which paths are excluded, how long a turn may be, and the marks of off-the-record stretches.
        report: filled while turns are drawn; complete when they are exhausted.
        transcript_format: read every file as this format instead of detecting it.
        on_progress: called as the files are read, with the bytes read so far and the bytes of all files.

    Raises:
        InputError: a named file does not exist, cannot be read, is in no known format, or has no readable turn; a
            named folder cannot be listed. Such a file or folder found in a folder is skipped and counted.
    """
    files = list(FileWalk(settings, report, SUFFIXES).files(paths))
    total = sum(file.path.stat().st_size for file in files)
    read_before = report.bytes_read
    guard = Guard(settings, report)

    def on_bytes(_: int) -> None:  # called for each piece; the report has the bytes of all files so far
        """Tell `on_progress`, if it is given, how many bytes this call has read so far, and how many there are."""
        if on_progress:
            on_progress(report.bytes_read - read_before, total)

    for file in files:
        folder = file.path.resolve().parent
        for turn in _file_turns(file, Source(file.path, report, on_bytes), transcript_format):
            report.turns_read += 1
            for stored in guard.admit(turn):
                report.turns_kept += 1
                report.folders.setdefault(stored.session_id, folder)
                yield stored


def _file_turns(file: WalkedFile, source: Source, forced: Format | None) -> Iterator[Turn]:
    """Yield the raw turns of one file, in the format `forced` or, if that is None, the detected one; file and format
    are counted in the source's report.

    A file of unknown format, with nothing to read in it, or that cannot be read raises InputError if the caller named
    it, else it is counted as left out. A file detected as plain text that is no dialogue is read only if the caller
    named it, and is then added to the report's `notes`.
    """
    report = source.report
    try:
        head = "" if forced else source.head()
        format_name = forced or detect(file.path, head)
        if format_name == "plain-text" and not (forced or plain_text.is_chat(head)):
            if not file.asked_for:
                report.drop("plain-text")
                return
            report.notes.append(file.path)
        if format_name is None:
            _refuse_unreadable(file, "unknown-format" if head.strip() else "empty-file", report)
            return
        report.files += 1
        report.formats[format_name] += 1
        # `read` counts each turn as it draws it, the format what it drops: if neither moves, the file gave nothing
        before = (report.turns_read, report.dropped.total())
        yield from READERS[format_name](source)
    except OSError as error:
        if file.asked_for:
            raise InputError(
                f"{file.path} cannot be read: {error.strerror}", next_step="check its permissions"
            ) from error
        report.drop("unreadable-file")
        return
    if before == (report.turns_read, report.dropped.total()):
        _refuse_unreadable(file, "nothing-readable", report)


def _refuse_unreadable(file: WalkedFile, reason: str, report: CaptureReport) -> None:
    """Raise InputError with an explanation if a file without turns was named by the caller; else count it in the report
    as left out for `reason`.

    `reason` is `unknown-format`, `empty-file` or `nothing-readable`.
    """
    if not file.asked_for:
        report.drop(reason)
        return
    message, next_step = f"{file.path} is empty", "name a file with turns in it"
    if problem := next((each for each in report.problems if each.path == file.path), None):
        message = f"{file.path} holds no turn that can be read; line {problem.line}: {problem.reason}"
        next_step = "mend that line, or leave the file out"
    elif reason == "unknown-format" and file.path.suffix.lower() in MARKDOWN:
        message = (
            f"{file.path} is a Markdown document and no chat: it has no headings such as `## User` and `## Assistant`"
        )
        next_step = f"take notes in with {step('memory.adopt')}, documents with {step('document.index')}"
    elif reason != "empty-file":
        what = "is in no known format" if reason == "unknown-format" else "holds no turn that can be read"
        message = f"{file.path} {what}"
        how = f"name one with {field_name('transcript_format')} if it was not recognised"
        next_step = f"known formats: {', '.join(FORMATS)}; {how}"
    raise InputError(message, code="unreadable_transcript", next_step=next_step)
