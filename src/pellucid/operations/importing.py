"""Transcripts in, memories out: read, redact, cut, then keep what is durable, or every turn as it was said."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from pellucid.app import App
from pellucid.capture.identity import unseen
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.detect import Format
from pellucid.errors import EncoderError
from pellucid.model.wire import Wire
from pellucid.operations.intake import Intake, Mode
from pellucid.operations.settling import require_settled

Progress = Callable[[int, int], None]


class ImportInput(Wire):
    """What to import, how, and where to."""

    paths: tuple[Path, ...]
    mode: Mode = "extract"
    """`extract`: memories alone; `verbatim`: turns alone; `both`: memories, and the turns behind them."""
    namespace: str
    transcript_format: Format | None = None


class ImportOutput(Wire):
    """What became of an import. Every turn that was read is kept, observed or dropped for a counted reason."""

    mode: Mode
    namespace: str
    files: int
    turns_read: int
    turns_taken: int
    memories: int
    episodes: int
    passages: int = 0
    """Stretches of turns that are kept word for word; `memories` counts them only where nothing else is kept."""
    characters_in: int
    """Characters of the turns taken."""
    characters_out: int
    """Characters of the memories written."""
    compression_ratio: float | None = None
    verdicts: dict[str, int] = Field(default_factory=dict)
    """Observations by verdict and reason, e.g. `reject:chatter`."""
    unkept: dict[str, int] = Field(default_factory=dict)
    """Sentences that looked like statements and became no observation, by reason, e.g. `no-sign`."""
    dropped: dict[str, int] = Field(default_factory=dict)
    redactions: dict[str, int] = Field(default_factory=dict)
    malformed: int = 0
    problems: tuple[str, ...] = ()
    encoder_problem: str | None = None
    extractor_problem: str | None = None
    """Why the import stopped before its end: the turns not taken are taken by repeating it."""


def import_transcripts(app: App, request: ImportInput, on_progress: Progress | None = None) -> ImportOutput:
    """Import transcripts. Turns that an earlier import took are left out; an interrupted import goes on when repeated.

    Raises:
        InputError: a named file does not exist or is in no known format.
        UnhealthyError: what was forgotten would not be known again; nothing is taken.
    """
    require_settled(app)
    report = CaptureReport()
    turns = read(
        request.paths,
        app.settings.capture,
        report,
        transcript_format=request.transcript_format,
        on_progress=on_progress,
    )
    intake = Intake(app, request.namespace, request.mode)
    problem = ""
    try:
        intake.take(unseen(turns, app.key, f"{request.namespace} {request.mode}", app.records.already_seen, report))
    except EncoderError as error:
        problem = f"{error}; nothing is lost: repeat the import to go on"
    return _outcome(intake, report, problem)


def _outcome(intake: Intake, report: CaptureReport, problem: str) -> ImportOutput:
    tally = intake.tally
    left_out = Counter({"already-imported": tally.overtaken, "forgotten": tally.forgotten})
    dropped = report.dropped + left_out
    ratio = round(tally.characters_in / tally.characters_out, 1) if tally.characters_out else None
    return ImportOutput(
        mode=intake.mode, namespace=intake.namespace, files=report.files, turns_read=report.turns_read,
        turns_taken=tally.turns, memories=tally.memories, episodes=tally.episodes, passages=tally.passages,
        characters_in=tally.characters_in, characters_out=tally.characters_out, compression_ratio=ratio,
        verdicts=dict(tally.verdicts.most_common()), unkept=dict(tally.unkept.most_common()),
        dropped=dict(dropped.most_common()), redactions=dict(report.redactions.most_common()),
        malformed=report.malformed,
        problems=tuple(f"{each.path}:{each.line}: {each.reason}" for each in report.problems),
        encoder_problem=tally.encoder_problem or None, extractor_problem=problem or None,
    )  # fmt: skip
