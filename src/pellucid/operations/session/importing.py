"""Transcripts in, memories out: read, redacted, cut into segments, then extracted, or kept word for word."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.capture.identity import new_turns
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.detect import Format
from pellucid.errors import DeadlineError, EncoderError, NotFoundError, field_name, step
from pellucid.model.memory import SourceClass
from pellucid.model.project import DEFAULT
from pellucid.model.turn import Turn
from pellucid.model.wire import Wire
from pellucid.operations.extraction import open_extraction
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.session.filing import SessionFiling
from pellucid.operations.session.intake import Intake, Mode, distribute, purpose_of
from pellucid.operations.session.tally import IntakeTally, sum_tallies
from pellucid.operations.settling import require_settled


class ImportInput(Wire):
    """The transcripts to import, the mode and the namespace."""

    paths: Annotated[tuple[Path, ...], Argument("Transcripts, folders of them, or notes as plain text.")]
    mode: Annotated[Mode, Flag("both: memories, and the turns behind them; extract; verbatim.")] = "both"
    """`extract`: memories alone; `verbatim`: turns alone."""
    namespace: str
    said_by: SourceClass = "manual"
    """The source of the call: turns that a program brings are not trusted as a person's words."""
    by_folder: bool = False
    """Whether sessions that name a folder are filed under its project, and only others in `namespace`."""
    transcript_format: Annotated[
        Format | None,
        Flag(
            "claude-code, codex, cursor, openai-chat, plain-jsonl, markdown-chat, plain-text; else detected.",
            "--format",
        ),
    ] = None


class FiledSessions(Wire):
    """Counts of what an import took into one namespace."""

    namespace: str
    root: str | None = None
    """The root of its project; None if the namespace is not a project's."""
    sessions: int
    turns: int
    memories: int
    passages: int


class ImportOutput(Wire):
    """The counts and problems of an import; every turn that was read is taken, or dropped for a counted reason."""

    mode: Mode
    namespace: str
    """The namespace of the request; sessions with folders can be in others, see `filed`."""
    files: int
    turns_read: int
    turns_taken: int
    memories: int
    episodes: int
    passages: int = 0
    """Passages that were kept; `memories` counts them only in the mode `verbatim`."""
    passages_in_quarantine: int = 0
    """Those of them that wait in quarantine; of memories `verdicts` counts it, as `accept:quarantined`."""
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
    formats: dict[str, int] = Field(default_factory=dict)
    """Maps formats to the number of files that were read."""
    notes: tuple[str, ...] = ()
    """Plain text files that the request names, in which nobody speaks to an assistant."""
    undo: dict[str, str] = Field(default_factory=dict)
    """Maps namespaces to the argument of `undo` that reverts the import there."""
    redactions: dict[str, int] = Field(default_factory=dict)
    turns_cut: int = 0
    """Turns that were too long, and lost their middle."""
    characters_cut: int = 0
    """The characters that these turns lost."""
    malformed: int = 0
    problems: tuple[str, ...] = ()
    encoder_problem: str | None = None
    """Why the new memories have no vectors yet; None if they have."""
    filed: tuple[FiledSessions, ...] = ()
    """Counts for each namespace with new turns, if sessions were filed by their folders."""
    extractor_problem: str | None = None
    """Why the import stopped before its end; repeating it takes the remaining turns."""


def import_transcripts(app: App, request: ImportInput) -> ImportOutput:
    """Import transcripts, without the turns that were imported before; repeating an interrupted import continues it. If
    a model that extracts or judges fails on the way, the import ends there, and `extractor_problem` says why; if the
    encoder fails, it goes on without vectors (`encoder_problem`). The app's `progress` gets the bytes read and the
    bytes of all files.

    Raises:
        InputError: a file that the request names does not exist, cannot be read, has no turn or an unknown format; or
            a setting of the extractor or judge is missing or not valid.
        ChatError: the program of the settings does not exist.
        StoreBusyError: others have been writing in the namespace for a minute; what was kept before stays.
        UnhealthyError: the vault's key or the ledger is lost, so that forgotten turns would not be recognised; of the
            batch at hand nothing is taken.
        DeadlineError: the time of the call was over, or it was cancelled. The error says what was kept until then and
            how to undo that.
    """
    require_settled(app)  # before anything is read or filed; each batch checks again, for an import can take hours
    report = CaptureReport()
    turns = read(
        request.paths,
        app.settings.capture,
        report,
        transcript_format=request.transcript_format,
        on_progress=app.progress,
    )
    intakes = _Intakes(app, request, report)
    problem = ""
    try:
        intakes.take(turns)
    except EncoderError as error:
        problem = f"{error}; nothing is lost: repeat the import to go on"
    except DeadlineError as error:
        raise _stopped_error(error, intakes) from error
    return _outcome(request, intakes, report, problem)


class _Intakes:
    """The intakes of one import, one for each namespace that sessions go to."""

    def __init__(self, app: App, request: ImportInput, report: CaptureReport) -> None:
        """Prepare an import; nothing is read or written yet, except the registry of projects. `report` is filled while
        turns are read. InputError if a setting of a model is missing or not valid, ChatError if its program does not
        exist."""
        self._app, self._request, self._report = app, request, report
        self._filing = SessionFiling(app, request.namespace, report.folders) if request.by_folder else None
        self._extraction = open_extraction(app.settings, app.deadline)
        self._by_namespace: dict[str, Intake] = {}
        self._sessions: dict[str, set[str]] = {}

    def take(self, turns: Iterable[Turn]) -> None:
        """Make memories of each new turn in the namespace of its session; turns that are left out are counted in the
        report. If the caller is a program, turns are marked as `relayed`: they are not trusted as a person's words.
        EncoderError if the encoder or a model fails, DeadlineError if the time of the call is over, UnhealthyError if
        the key or the ledger is lost meanwhile; what was kept before stays."""
        if self._request.said_by != "manual":
            turns = (replace(turn, relayed=True) for turn in turns)

        def purpose(turn: Turn) -> str:
            """Return the namespace and mode that a turn is imported with, as part of its key."""
            return purpose_of(self._namespace(turn.session_id), self._request.mode)

        # turns arrive here after their session's namespace was chosen, which `purpose` and `_intake_of` then look up
        filed = self._filing.with_known_namespace(turns) if self._filing else turns
        fresh = new_turns(filed, self._app.key, purpose, self._app.records.already_seen, self._report)
        distribute(self._app.deadline.over(fresh), self._intake_of)

    def _namespace(self, session_id: str) -> str:
        """Return the namespace of a session: by its folder if sessions are filed by folder, else the request's."""
        return self._filing.namespace_of(session_id) if self._filing else self._request.namespace

    def _intake_of(self, session_id: str) -> Intake:
        """Return the intake of a session's namespace, making it for the first session there, and count the session."""
        namespace = self._namespace(session_id)
        self._sessions.setdefault(namespace, set()).add(session_id)
        if namespace not in self._by_namespace:
            elsewhere = (DEFAULT,) if self._filing else ()
            self._by_namespace[namespace] = Intake(
                self._app, namespace, self._request.mode, shared=self._extraction, forgotten_in=elsewhere
            )
        return self._by_namespace[namespace]

    def tally(self) -> IntakeTally:
        """Return the sum of the tallies of all intakes."""
        return sum_tallies(each.tally for each in self._by_namespace.values())

    def undo(self) -> dict[str, str]:
        """Return a map from namespaces to the argument of `undo` that reverts the import there: the id of its only
        operation, or `first..last`. Namespaces without an operation are left out."""
        operations = {namespace: intake.tally.operations for namespace, intake in sorted(self._by_namespace.items())}
        return {name: ids[0] if len(ids) == 1 else f"{ids[0]}..{ids[-1]}" for name, ids in operations.items() if ids}

    def filed(self) -> Iterator[FiledSessions]:
        """Yield the counts of each namespace, in order of name; nothing if sessions are not filed by folder."""
        if self._filing is None:
            return
        for namespace, intake in sorted(self._by_namespace.items()):
            tally = intake.tally
            yield FiledSessions(
                namespace=namespace,
                root=self._filing.root_of(namespace),
                sessions=len(self._sessions[namespace]),
                turns=tally.turns,
                memories=tally.memories,
                passages=tally.passages,
            )


def _stopped_error(error: DeadlineError, intakes: _Intakes) -> DeadlineError:
    """Return the error of an import that ran out of time (`error`), with what was kept so far, how to go on, and how to
    undo what was kept, if anything was."""
    tally = intakes.tally()
    if not tally.operations:
        return DeadlineError(f"{error.message}; nothing was kept yet", next_step="repeat the import to begin anew")
    undoing = "; ".join(
        f"{step('change.undo', target=target)} with {field_name('namespace')} {namespace}"
        for namespace, target in intakes.undo().items()
    )
    return DeadlineError(
        f"{error.message}; kept before that: {tally.memories:,} memories of {tally.turns:,} turns",
        next_step=f"repeat the import to go on; to put away what was kept: {undoing}",
    )


def _outcome(request: ImportInput, intakes: _Intakes, report: CaptureReport, extractor_problem: str) -> ImportOutput:
    """Return the output of an import; `extractor_problem` is why it stopped early, "" if it did not."""
    tally = intakes.tally()
    dropped = report.dropped + Counter({"already-imported": tally.overtaken, "forgotten": tally.forgotten})
    ratio = round(tally.characters_in / tally.characters_out, 1) if tally.characters_out else None
    return ImportOutput(
        mode=request.mode,
        namespace=request.namespace,
        files=report.files,
        turns_read=report.turns_read,
        turns_taken=tally.turns,
        memories=tally.memories,
        episodes=tally.episodes,
        passages=tally.passages,
        passages_in_quarantine=tally.passages_in_quarantine,
        characters_in=tally.characters_in,
        characters_out=tally.characters_out,
        compression_ratio=ratio,
        verdicts=dict(tally.verdicts.most_common()),
        unkept=dict(tally.unkept.most_common()),
        dropped=dict(dropped.most_common()),
        formats=dict(report.formats.most_common()),
        notes=tuple(map(str, report.notes)),
        undo=intakes.undo(),
        redactions=dict(report.redactions.most_common()),
        turns_cut=report.turns_cut,
        characters_cut=report.characters_cut,
        malformed=report.malformed,
        problems=tuple(f"{each.path}:{each.line}: {each.reason}" for each in report.problems),
        encoder_problem=tally.encoder_problem or None,
        filed=tuple(intakes.filed()),
        extractor_problem=extractor_problem or None,
    )


IMPORT = Operation(
    "session.import",
    "Turn transcripts into memories. Secrets are redacted first; what was imported before is left out.",
    ImportInput,
    ImportOutput,
    in_home(import_transcripts),
    "append",
    Surfaces("import", http=("POST /v1/import",)),
    text=Text("imports.import_text"),
    failure=lambda output: None if output.files else NotFoundError("no transcript was found"),
    span="upsert_memory",
)
