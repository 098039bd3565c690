"""Plain Python calls in, operations' answers out: `Pellucid`, one object around one home."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from pellucid.app import open_app
from pellucid.capture.transcripts.detect import Format
from pellucid.clock import Clock
from pellucid.errors import InputError
from pellucid.facade_options import ListOptions, LookOptions, Purged, RecallOptions, RememberOptions, Updated
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.model.turn import Insistent
from pellucid.operations import browsing
from pellucid.operations.admin import health
from pellucid.operations.document import indexing
from pellucid.operations.graph import backfilling, graphing, states
from pellucid.operations.memory import changing, forgetting, remembering, reverifying, storytelling, undoing
from pellucid.operations.operation import Call
from pellucid.operations.recall import auditing, explaining, leg_lift, recalling, request, why
from pellucid.operations.recall.kept import snapshots
from pellucid.operations.session import importing, observing
from pellucid.operations.session.projects import MOVE, PROJECTS, ProjectRow, ProjectsOutput, located
from pellucid.operations.upkeep import look_after
from pellucid.settings import load
from pellucid.xray.words.visible import visible


class Pellucid:
    """Memory in one home and one namespace. Use it as a context manager, or close it.

    Every method may raise `InputError` (the request is off), `NotFoundError`, `StoreError` or `EncoderError`.
    """

    def __init__(
        self,
        home: Path | str | None = None,
        *,
        namespace: str | None = None,
        clock: Clock | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        """Open a home, creating it if needed, and take over what others did to its vault since.

        From the first recall on, NumPy's matrix products run in one thread in this process.

        Args:
            home: where everything is kept; else `PELLUCID_HOME`, else `~/.pellucid`.
            namespace: the isolation unit, `tenant/project`; else the settings', else that of the project of the
                working folder, else `local/default`.
            clock: where time and ids come from; tests bring their own.
            report: told about slow first-time work, such as fetching the model.
        """
        settings = load(home=home, namespace=namespace)
        for each in settings.notes:
            warnings.warn(visible(each), stacklevel=2)
        self._app = located(open_app(settings, clock=clock, report=report))
        self._call = Call.over(self._app)
        self.vault = self._app.settings.home / "vault"
        """The folder of the Markdown files."""
        look_after(self._app)

        self.projects = Projects(self._call)
        """The projects that sessions are filed under."""

    @property
    def edit(self) -> "Edits":
        """The verbs: update, archive, retract, dispute, pin, undo, forget, purge."""
        return Edits(self._call)

    @property
    def home(self) -> "HomeView":
        """Looking behind things: history, episodes, audit, ledger, doctor, rebuild."""
        return HomeView(self._call)

    @property
    def graph(self) -> "Graph":
        """Documents, the edges between what they and memories name, and what was true of it when."""
        return Graph(self._call)

    @property
    def namespace(self) -> str:
        """The namespace that every call reads and writes; only sessions that tell their folder go to its project's."""
        return self._app.settings.namespace

    def import_transcripts(
        self, paths: Iterable[Path | str], *, mode: importing.Mode = "both", transcript_format: Format | None = None
    ) -> importing.ImportOutput:
        """Turn transcripts into memories; turns imported before are left out.

        Where nobody named a namespace, a session that tells its folder is filed under the project of that.
        """
        each = tuple(Path(path) for path in paths)
        return importing.IMPORT(self._call, paths=each, mode=mode, transcript_format=transcript_format)

    def observe(
        self, *turns: dict[str, object], session_id: str | None = None, flush: Insistent | None = None
    ) -> observing.ObserveOutput:
        """Take turns `{role, content, ts?, session?, name?, id?}` of a live session: on disk when this returns.

        `flush` (`before_reset` or `session_end`) makes memories of all that waits of the session; else that happens by
        itself, see docs/flush.md.
        """
        return observing.OBSERVE(self._call, session_id=session_id, turns=turns, flush=flush)

    def remember(self, content: str, **options: Unpack[RememberOptions]) -> remembering.RememberOutput:
        """Keep one memory in the user's own words."""
        return remembering.REMEMBER(self._call, content=content, **options)

    def list(self, **options: Unpack[ListOptions]) -> browsing.ListOutput:
        """Memories that fit the filters, newest first."""
        return browsing.LIST(self._call, **options)

    def show(self, memory_id: str) -> browsing.Listed:
        """One memory by its id."""
        return browsing.SHOW(self._call, memory_id=memory_id)

    def recall(self, query: str, **options: Unpack[RecallOptions]) -> recalling.RecallOutput:
        """Answer a question from memory inside a budget; the receipt is kept under its `recall_id`."""
        return recalling.RECALL(self._call, query=query, **options)

    def xray(self, recall_id: str) -> RecallXraySnapshot:
        """Why each memory of an earlier recall surfaced, why others did not, and what it cost."""
        return recalling.XRAY(self._call, recall_id=recall_id)

    def call(self, operation: str, **fields: object) -> Any:
        """Do any operation of the table by its name, such as `tier.list`; docs/cli.md names the command of each.

        Args:
            operation: its name; `pellucid.table.OPERATIONS` has them all.
            fields: those of its input.

        Returns:
            What the operation answers with: a record, or lines.
        """
        from pellucid.table import OPERATIONS  # all of them are needed only here

        row = next((each for each in OPERATIONS if each.name == operation), None)
        if row is None:
            close = get_close_matches(operation, [each.name for each in OPERATIONS], n=1)
            raise InputError(
                f"no operation is called {operation!r}",
                code="invalid_operation",
                next_step=f"did you mean {close[0]}?" if close else "pellucid.table.OPERATIONS names them",
            )
        return row(self._call, **fields)

    def close(self) -> None:
        """Settle and let go of every file."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Edits:
    """What changes memories. Everything but `forget` and `purge` can be undone by the operation it returns."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def update(self, memory_id: str, content: str | None = None, **what: Unpack[Updated]) -> changing.ChangedOutput:
        """Say something else in a memory's place; the old version stays in its history."""
        return changing.UPDATE(self._call, memory_id=memory_id, content=content, **what)

    def archive(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Put a memory away: it is kept, and answers nothing."""
        return changing.ARCHIVE(self._call, memory_id=memory_id, reason=reason)

    def retract(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Take a memory back: it was not, or is not, true."""
        return changing.RETRACT(self._call, memory_id=memory_id, reason=reason)

    def dispute(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Call a memory into question: it answers nothing until that is undone."""
        return changing.DISPUTE(self._call, memory_id=memory_id, reason=reason)

    def pin(self, memory_id: str, *, pinned: bool = True) -> changing.ChangedOutput:
        """Prefer a memory in recalls, and never let it fade; or take the pin out."""
        return changing.PIN(self._call, memory_id=memory_id, pinned=pinned)

    def reverify(self, *memory_ids: str) -> reverifying.ReverifyOutput:
        """Say that memories still hold: the date of their last verification is now, and nothing else changes."""
        return reverifying.REVERIFY(self._call, memory_ids=memory_ids)

    def undo(self, target: str) -> undoing.UndoOutput:
        """Put back what an operation (`op_…`) changed, or the last change of a memory."""
        return undoing.UNDO(self._call, target=target)

    def forget(self, *memory_ids: str, chain: bool = False, preview: bool = True) -> forgetting.ForgetOutput:
        """Say what forgetting memories would take; with `preview=False`, forget them for good."""
        return forgetting.FORGET(self._call, memory_ids=memory_ids, chain=chain, preview=preview)

    def purge(self, *, preview: bool = True, **fitting: Unpack[Purged]) -> forgetting.ForgetOutput:
        """Say which memories fit all of the filters; with `preview=False`, forget them for good."""
        return forgetting.PURGE(self._call, preview=preview, **fitting)


class Graph:
    """What hangs together with what, and since when: docs/documents.md, docs/graph.md, docs/time.md."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def index_docs(
        self, *paths: Path | str, glob: str | None = None, history: bool = False, dry_run: bool = False
    ) -> indexing.IndexDocsOutput:
        """Read Markdown and reStructuredText files, new and changed ones; with `history`, their past in git, too."""
        each = tuple(Path(path) for path in paths)
        return indexing.INDEX_DOCS(self._call, paths=each, glob=glob, history=history, dry_run=dry_run)

    def show(self, name: str, **options: Unpack[LookOptions]) -> graphing.GraphShowOutput:
        """An entity with what lies around it, and who says so."""
        return graphing.GRAPH_SHOW(self._call, name=name, **options)

    def states(
        self, name: str, *, as_of: datetime | None = None, as_known_at: datetime | None = None
    ) -> states.EntityHistoryOutput:
        """What was true of an entity, from when to when; with `as_of`, what was true then."""
        app = self._call.app
        return states.history_of_entity(app, app.settings.namespace, name, as_of=as_of, as_known_at=as_known_at)

    def audit(self) -> graphing.GraphAuditOutput:
        """What is not in order: targets nobody defines, contradictions, supersessions that only one side names."""
        return graphing.GRAPH_AUDIT(self._call)

    def backfill(self, *, apply: bool = False) -> backfilling.BackfillOutput:
        """What would be read otherwise with the settings of today; with `apply`, read so."""
        return backfilling.BACKFILL(self._call, apply=apply)

    def lift(self, *legs: str, limit: int = 100) -> leg_lift.LiftOutput:
        """What legs were worth in the newest recalls, from their receipts."""
        return leg_lift.LIFT(self._call, limit=limit, **({"legs": legs} if legs else {}))


class HomeView:
    """What stands behind the memories, and its condition."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def history(
        self, memory_id: str, *, as_of: datetime | None = None, as_known_at: datetime | None = None
    ) -> storytelling.HistoryOutput:
        """A memory's versions, what changed it and why, its evidence; with `as_of`, which version held then."""
        app = self._call.app
        return storytelling.history(app, app.settings.namespace, memory_id, as_of, as_known_at)

    def episodes(
        self, query: str = "", session_id: str | None = None, limit: int = 20, after: str | None = None
    ) -> storytelling.EpisodesOutput:
        """Episodes, newest first; with words, those that hold them, best first; `after` is the `next` of a page."""
        return storytelling.EPISODES(self._call, query=query, session_id=session_id, limit=limit, after=after)

    def episode(self, episode_id: str) -> storytelling.EpisodeView:
        """One episode with what came of it."""
        return storytelling.EPISODE(self._call, episode_id=episode_id)

    def ledger(self, kind: storytelling.LedgerKind) -> Iterator[str]:
        """The rows of one kind, as JSON lines."""
        return storytelling.LEDGER(self._call, kind=kind)

    def audit(self, entry: str) -> auditing.AuditOutput:
        """The operation that wrote the version of a memory that was served."""
        return auditing.AUDIT(self._call, entry=entry)

    def explain(self, session_id: str | None = None) -> RecallXraySnapshot:
        """The X-ray of the last recall, of a session or of all."""
        return snapshots.EXPLAIN(self._call, session_id=session_id)

    def why(
        self, memory: str, query: str = "", *, recall_id: str | None = None, **options: Unpack[RecallOptions]
    ) -> why.WhyOutput:
        """Why a memory is, or is not, among the answers to a question, or to an earlier recall; what would admit it."""
        asked = self._call.input_of(request.RecallInput, {"query": query, **options}) if query else None
        return why.WHY(self._call, memory=memory, question=asked, recall_id=recall_id)

    def replay(self, recall_id: str, *, live: bool = False) -> explaining.ReplayOutput:
        """A recall once more from its receipt; with `live`, also asked again today, with every reason to differ."""
        return explaining.REPLAY(self._call, recall_id=recall_id, live=live)

    def diff(self, a: str, b: str) -> explaining.RecallDiff:
        """What entered, left and moved between two recalls, and which term moved it."""
        return explaining.DIFF(self._call, a=a, b=b)

    def ablate(self, recall_id: str, *parts: str) -> explaining.AblateOutput:
        """What a recall would have been without these legs, stages or terms; without each leg if none is named."""
        return explaining.ABLATE(self._call, recall_id=recall_id, without=parts)

    def doctor(self) -> health.DoctorOutput:
        """The condition of the home."""
        return health.examine(self._call.app)

    def rebuild(self) -> health.RebuildOutput:
        """Make the index anew from the vault."""
        return health.rebuild(self._call.app)


class Projects:
    """The projects that sessions are filed under: docs/projects.md."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list(self) -> ProjectsOutput:
        """Every project with its folders and what it holds, the one with the newest session first."""
        return PROJECTS(self._call)

    def move(self, namespace: str, folder: Path | str) -> ProjectRow:
        """Say that a project's repository was moved: its memories answer in the new folder from now on."""
        return MOVE(self._call, namespace=namespace, folder=Path(folder))
