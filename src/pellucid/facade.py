"""Plain Python calls in, operations' answers out: `Pellucid`, one object around one home."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

from pellucid.app import App, open_app
from pellucid.capture.transcripts.detect import Format
from pellucid.clock import Clock
from pellucid.facade_options import ListOptions, LookOptions, Purged, RecallOptions, RememberOptions, Updated
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.model.turn import FlushSignal
from pellucid.operations import (
    asking,
    backfilling,
    browsing,
    changing,
    explaining,
    forgetting,
    graphing,
    house,
    importing,
    lifting,
    observing,
    recalling,
    remembering,
    reverifying,
    snapshots,
    states,
    storytelling,
    why,
)
from pellucid.operations.document import indexing
from pellucid.operations.projects import ProjectRow, ProjectsOutput, list_projects, located, move_project
from pellucid.settings import load
from pellucid.validated import checked_calls
from pellucid.xray.visible import visible


@checked_calls
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
        self.vault = self._app.settings.home / "vault"
        """The folder of the Markdown files."""
        forgetting.finish_quietly(self._app)
        self._app.keeper.adopt()

        self.projects = Projects(self._app)
        """The projects that sessions are filed under."""

    @property
    def edit(self) -> "Edits":
        """The verbs: update, archive, retract, dispute, pin, undo, forget, purge."""
        return Edits(self._app)

    @property
    def house(self) -> "House":
        """Looking behind things: history, episodes, audit, ledger, doctor, rebuild."""
        return House(self._app)

    @property
    def graph(self) -> "Graph":
        """Documents, the edges between what they and memories name, and what was true of it when."""
        return Graph(self._app)

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
        request = importing.ImportInput(
            paths=tuple(Path(path) for path in paths),
            mode=mode,
            namespace=self.namespace,
            by_folder=not self._app.settings.namespace_is_given,
            transcript_format=transcript_format,
        )
        return importing.import_transcripts(self._app, request)

    def observe(
        self, *turns: dict[str, object], session_id: str | None = None, flush: FlushSignal | None = None
    ) -> observing.ObserveOutput:
        """Take turns `{role, content, ts?, session?, name?, id?}` of a live session: on disk when this returns.

        `flush` (`before_reset` or `session_end`) makes memories of all that waits of the session; else that happens by
        itself, see docs/flush.md.
        """
        by_folder = not self._app.settings.namespace_is_given
        request = observing.ObserveInput(
            namespace=self.namespace, by_folder=by_folder, session_id=session_id, turns=turns, flush=flush
        )
        return observing.observe_turns(self._app, request)

    def remember(self, content: str, **options: Unpack[RememberOptions]) -> remembering.RememberOutput:
        """Keep one memory in the user's own words."""
        request = remembering.RememberInput(content=content, namespace=self.namespace, **options)
        return remembering.remember(self._app, request)

    def list(self, **options: Unpack[ListOptions]) -> browsing.ListOutput:
        """Memories that fit the filters, newest first."""
        return browsing.list_memories(self._app, browsing.ListInput(namespace=self.namespace, **options))

    def show(self, memory_id: str) -> browsing.Listed:
        """One memory by its id."""
        return browsing.show_memory(self._app, self.namespace, memory_id)

    def recall(self, query: str, **options: Unpack[RecallOptions]) -> recalling.RecallOutput:
        """Answer a question from memory inside a budget; the receipt is kept under its `recall_id`."""
        request = asking.RecallInput(query=query, namespace=self.namespace, also=self._app.also, **options)
        return recalling.recall(self._app, request)

    def xray(self, recall_id: str) -> RecallXraySnapshot:
        """Why each memory of an earlier recall surfaced, why others did not, and what it cost."""
        return recalling.xray_of(self._app, self.namespace, recall_id)

    def close(self) -> None:
        """Settle and let go of every file."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@checked_calls
class Edits:
    """What changes memories. Everything but `forget` and `purge` can be undone by the operation it returns."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._here = app.settings.namespace

    def update(self, memory_id: str, content: str | None = None, **what: Unpack[Updated]) -> changing.ChangedOutput:
        """Say something else in a memory's place; the old version stays in its history."""
        request = changing.UpdateInput(namespace=self._here, memory_id=memory_id, content=content, **what)
        return changing.update(self._app, request)

    def archive(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Put a memory away: it is kept, and answers nothing."""
        return self._verb("archive", memory_id, reason)

    def retract(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Take a memory back: it was not, or is not, true."""
        return self._verb("retract", memory_id, reason)

    def dispute(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Call a memory into question: it answers nothing until that is undone."""
        return self._verb("dispute", memory_id, reason)

    def pin(self, memory_id: str, *, pinned: bool = True) -> changing.ChangedOutput:
        """Prefer a memory in recalls, and never let it fade; or take the pin out."""
        return self._verb("pin" if pinned else "unpin", memory_id, "")

    def _verb(self, verb: changing.Verb, memory_id: str, reason: str) -> changing.ChangedOutput:
        request = changing.VerbInput(namespace=self._here, memory_id=memory_id, reason=reason)
        return changing.apply_verb(self._app, verb, request)

    def reverify(self, *memory_ids: str) -> reverifying.ReverifyOutput:
        """Say that memories still hold: the date of their last verification is now, and nothing else changes."""
        request = reverifying.ReverifyInput(namespace=self._here, memory_ids=memory_ids)
        return reverifying.reverify(self._app, request)

    def undo(self, target: str) -> changing.UndoOutput:
        """Put back what an operation (`op_…`) changed, or the last change of a memory."""
        return changing.undo(self._app, changing.UndoInput(namespace=self._here, target=target))

    def forget(self, *memory_ids: str, chain: bool = False, preview: bool = False) -> forgetting.ForgetOutput:
        """Forget memories for good; with `preview`, only say what would go."""
        request = forgetting.ForgetInput(namespace=self._here, memory_ids=memory_ids, chain=chain)
        return (forgetting.preview_forget if preview else forgetting.forget)(self._app, request)

    def purge(self, *, preview: bool = False, **fitting: Unpack[Purged]) -> forgetting.ForgetOutput:
        """Forget every memory that fits all of the filters; with `preview`, only say which."""
        request = forgetting.PurgeInput(namespace=self._here, **fitting)
        return (forgetting.preview_purge if preview else forgetting.purge)(self._app, request)


@checked_calls
class Graph:
    """What hangs together with what, and since when: docs/documents.md, docs/graph.md, docs/time.md."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._here = app.settings.namespace

    def index_docs(
        self, *paths: Path | str, glob: str | None = None, history: bool = False, dry_run: bool = False
    ) -> indexing.IndexDocsOutput:
        """Read Markdown and reStructuredText files, new and changed ones; with `history`, their past in git, too."""
        request = indexing.IndexDocsInput(
            namespace=self._here, paths=tuple(Path(path) for path in paths), glob=glob, history=history, dry_run=dry_run
        )
        return indexing.index_docs(self._app, request)

    def show(self, name: str, **options: Unpack[LookOptions]) -> graphing.GraphShowOutput:
        """An entity with what lies around it, and who says so."""
        return graphing.show(self._app, graphing.GraphShowInput(namespace=self._here, name=name, **options))

    def states(
        self, name: str, *, as_of: datetime | None = None, as_known_at: datetime | None = None
    ) -> states.EntityHistoryOutput:
        """What was true of an entity, from when to when; with `as_of`, what was true then."""
        return states.history_of_entity(self._app, self._here, name, as_of=as_of, as_known_at=as_known_at)

    def audit(self) -> graphing.GraphAuditOutput:
        """What is not in order: targets nobody defines, contradictions, supersessions that only one side names."""
        return graphing.audit(self._app, self._here)

    def backfill(self, *, apply: bool = False) -> backfilling.BackfillOutput:
        """What would be read otherwise with the settings of today; with `apply`, read so."""
        return backfilling.backfill(self._app, backfilling.BackfillInput(namespace=self._here, apply=apply))

    def lift(self, *legs: str, limit: int = 100) -> lifting.LiftOutput:
        """What legs were worth in the newest recalls, from their receipts."""
        request = lifting.LiftInput(namespace=self._here, legs=legs or ("graph", "temporal"), limit=limit)
        return lifting.lift(self._app, request)


@checked_calls
class House:
    """What stands behind the memories, and its condition."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._here = app.settings.namespace

    def history(
        self, memory_id: str, *, as_of: datetime | None = None, as_known_at: datetime | None = None
    ) -> storytelling.HistoryOutput:
        """A memory's versions, what changed it and why, its evidence; with `as_of`, which version held then."""
        return storytelling.history(self._app, self._here, memory_id, as_of, as_known_at)

    def episodes(self, query: str = "", session_id: str | None = None, limit: int = 20) -> storytelling.EpisodesOutput:
        """Episodes, newest first; with words, those that hold them, best first."""
        request = storytelling.EpisodesInput(namespace=self._here, query=query, session_id=session_id, limit=limit)
        return storytelling.episodes(self._app, request)

    def episode(self, episode_id: str) -> storytelling.EpisodeView:
        """One episode with what came of it."""
        return storytelling.show_episode(self._app, self._here, episode_id)

    def ledger(self, kind: storytelling.LedgerKind) -> Iterator[str]:
        """The rows of one kind, as JSON lines."""
        return storytelling.export_ledger(self._app, kind, self._here)

    def audit(self, entry: str) -> recalling.AuditOutput:
        """The operation that wrote the version of a memory that was served."""
        return recalling.audit(self._app, self._here, entry)

    def explain(self, session_id: str | None = None) -> RecallXraySnapshot:
        """The X-ray of the last recall, of a session or of all."""
        request = snapshots.ExplainInput(namespace=self._here, session_id=session_id)
        return snapshots.explain(self._app, request)

    def why(
        self, memory: str, query: str = "", *, recall_id: str | None = None, **options: Unpack[RecallOptions]
    ) -> why.WhyOutput:
        """Why a memory is, or is not, among the answers to a question, or to an earlier recall; what would admit it."""
        asked = asking.RecallInput(query=query, namespace=self._here, **options) if query else None
        return why.why(self._app, why.WhyInput(namespace=self._here, memory=memory, asked=asked, recall_id=recall_id))

    def replay(self, recall_id: str, *, live: bool = False) -> explaining.ReplayOutput:
        """A recall once more from its receipt; with `live`, also asked again today, with every reason to differ."""
        return explaining.replay_recall(self._app, self._here, recall_id, live=live)

    def diff(self, a: str, b: str) -> explaining.RecallDiff:
        """What entered, left and moved between two recalls, and which term moved it."""
        return explaining.diff_recalls(self._app, self._here, a, b)

    def ablate(self, recall_id: str, *parts: str) -> explaining.AblateOutput:
        """What a recall would have been without these legs, stages or terms; without each leg if none is named."""
        return explaining.ablate_recall(self._app, self._here, recall_id, parts or None)

    def doctor(self) -> house.DoctorOutput:
        """The condition of the home."""
        return house.examine(self._app)

    def rebuild(self) -> house.RebuildOutput:
        """Make the index anew from the vault."""
        return house.rebuild(self._app)


@checked_calls
class Projects:
    """The projects that sessions are filed under: docs/projects.md."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self) -> ProjectsOutput:
        """Every project with its folders and what it holds, the one with the newest session first."""
        return list_projects(self._app)

    def move(self, namespace: str, folder: Path | str) -> ProjectRow:
        """Say that a project's repository was moved: its memories answer in the new folder from now on."""
        return move_project(self._app, namespace, Path(folder))
