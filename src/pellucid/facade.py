"""Plain Python calls in, operations' answers out: `Pellucid`, one object around one home."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, Unpack

from pellucid.app import open_app
from pellucid.capture.transcripts.detect import Format
from pellucid.clock import Clock
from pellucid.errors import InputError
from pellucid.facade_options import (
    ListOptions,
    LookOptions,
    PurgeOptions,
    RecallOptions,
    RememberOptions,
    UpdateOptions,
)
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.model.turn import Insistent
from pellucid.operations import browsing
from pellucid.operations.admin import health
from pellucid.operations.data import ledger_rows
from pellucid.operations.document import indexing
from pellucid.operations.graph import backfilling, graphing, states
from pellucid.operations.memory import changing, forgetting, remembering, reverifying, storytelling, undoing
from pellucid.operations.operation import Call
from pellucid.operations.recall import auditing, explaining, leg_lift, recalling, request, why
from pellucid.operations.recall.kept import snapshots
from pellucid.operations.session import importing, observing
from pellucid.operations.session.projects import MOVE, PROJECTS, ProjectRow, ProjectsOutput, app_in_project
from pellucid.operations.upkeep import run_opening_jobs
from pellucid.settings import load
from pellucid.xray.words.visible import visible


class Pellucid:
    """Memory in one home and one namespace. Use it as a context manager, or close it.

    Every method can raise `InputError` (the request is off), `NotFoundError`, `StoreError` or `EncoderError`.
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

        Notes on the working folder's `pellucid.toml` become warnings. From the first recall or encoding on, NumPy's
        matrix products run in one thread in this process.

        Args:
            home: the folder where everything is kept; default `PELLUCID_HOME`, else `~/.pellucid`.
            namespace: the isolation unit, `tenant/project`; default the settings', else that of the project of the
                working folder, else `local/default`.
            clock: the source of time and ids, for tests.
            report: called with lines for the user, such as that the model is being downloaded.
        """
        settings = load(home=home, namespace=namespace)
        for note in settings.notes:
            warnings.warn(visible(note), stacklevel=2)
        self._app = app_in_project(open_app(settings, clock=clock, report=report))
        self._call = Call.over(self._app)
        self.vault = self._app.settings.home / "vault"
        """The folder of the Markdown files."""
        run_opening_jobs(self._app)

        self.projects = Projects(self._call)
        """The projects that sessions are filed under."""

    @property
    def edit(self) -> "Edits":
        """Operations that change memories: update, archive, retract, dispute, pin, reverify, undo, forget, purge."""
        return Edits(self._call)

    @property
    def home(self) -> "HomeView":
        """Operations that inspect or repair the home: history, episodes, ledger, audit, doctor, rebuild; and those that
        explain recalls: explain, why, replay, diff, ablate.
        """
        return HomeView(self._call)

    @property
    def graph(self) -> "Graph":
        """Operations on documents and on the graph of the entities that documents and memories name."""
        return Graph(self._call)

    @property
    def namespace(self) -> str:
        """Return the namespace of the calls, such as `local/default`. If it is not set, but found by the working folder
        or the default, then `import_transcripts` and `observe` file a session that names a folder under that folder's
        project, and `recall` also searches the namespaces of the setting `projects.alsoAsk`.
        """
        return self._app.settings.namespace

    def import_transcripts(
        self, paths: Iterable[Path | str], *, mode: importing.Mode = "both", transcript_format: Format | None = None
    ) -> importing.ImportOutput:
        """Turn transcripts into memories, leaving out turns that were imported before; secrets are redacted first.

        If no namespace was given, a session that names its folder is filed under that folder's project. If a model
        fails, `extractor_problem` of the answer says why the import stopped early; repeat it to go on.

        Args:
            paths: files, or folders of them; `InputError` for a file that is missing or of an unknown format.
            mode: `extract` keeps the memories found, `verbatim` the turns word for word as passages, `both` keeps both.
            transcript_format: the format of all files; None: each is recognised by its content.
        """
        files = tuple(Path(path) for path in paths)
        return importing.IMPORT(self._call, paths=files, mode=mode, transcript_format=transcript_format)

    def observe(
        self, *turns: dict[str, object], session_id: str | None = None, flush: Insistent | None = None
    ) -> observing.ObserveOutput:
        """Store turns `{role, content, ts?, session?, name?, id?, tool?}` of a session; they are on disk on return.

        `session_id` is the session of turns that name none (None: `default`). With `flush` (`before_reset` or
        `session_end`) all waiting turns of that session, of these turns' sessions and of their sub-agents become
        memories now; without, only those that are due, and the others later: docs/flush.md."""
        return observing.OBSERVE(self._call, session_id=session_id, turns=turns, flush=flush)

    def remember(self, content: str, **options: Unpack[RememberOptions]) -> remembering.RememberOutput:
        """Store one statement of at most 20,000 characters, in the user's own words, as a memory; secrets are redacted.
        If the same words are stored, of the same entity and boundary scopes (`private` etc.), that memory is returned,
        with the tags, pin and axiom status that it lacked, and `created` is false. What the statement contradicts is
        superseded (`replaced`). InputError for empty content, and for the categories `moment` and `section`.
        """
        return remembering.REMEMBER(self._call, content=content, **options)

    def list(self, **options: Unpack[ListOptions]) -> browsing.ListOutput:
        """List the memories that pass every filter in `options`, newest first, a page of `limit` (50) of them.

        Without `status`, only active ones; with `status=None`, of any status. Passages are listed only if a `category`
        is given, or if nothing else passes.
        """
        return browsing.LIST(self._call, **options)

    def show(self, memory_id: str) -> browsing.Listed:
        """Return one memory of the namespace by its id `mem_…`, the id's last ten characters, or its file's path;
        record a use of it. `NotFoundError` if no memory fits, `InputError` if several do.
        """
        return browsing.SHOW(self._call, memory_id=memory_id)

    def recall(self, query: str, **options: Unpack[RecallOptions]) -> recalling.RecallOutput:
        """Answer a question (at most 20,000 characters) from memory inside a budget of characters; the receipt is kept
        under its `recall_id`. `memories` is empty if nothing here answers (abstention), and the context says so.
        `InputError` for an empty question, and for an option that is not valid."""
        return recalling.RECALL(self._call, query=query, **options)

    def xray(self, recall_id: str) -> RecallXraySnapshot:
        """Explain an earlier recall (`rec_…`, or `last`, `last~1` and so on): why each memory surfaced, why others did
        not, and what the recall cost. `NotFoundError` if there is no such recall, or its receipt is gone.
        """
        return recalling.XRAY(self._call, recall_id=recall_id)

    def call(self, operation: str, **fields: object) -> Any:
        """Run any operation of `pellucid.table.OPERATIONS` by its name, such as `tier.list`.

        `fields` are the fields of the operation's input. Returns a record, or an iterator of JSON lines; see
        docs/cli.md. `InputError` if no operation has that name, or a field is unknown or not valid.
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
        """Close the home's databases and files, and send what telemetry has not sent yet."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Operations:
    """Operations of one home, all run in the same call."""

    def __init__(self, call: Call) -> None:
        self._call = call


class Edits(_Operations):
    """Operations that change memories. All but `forget` and `purge` can be undone by the operation id they return."""

    def update(
        self, memory_id: str, content: str | None = None, **changes: Unpack[UpdateOptions]
    ) -> changing.ChangedOutput:
        """Replace a memory by a new version with other content or fields; the old version stays in its history.

        What is not given stays, but other content drops the evidence. If nothing differs, nothing is written.
        `ConflictError` if the memory was replaced already, or another memory says the same; `NotFoundError` if there is
        none; `InputError` for empty content, a passage or a section."""
        return changing.UPDATE(self._call, memory_id=memory_id, content=content, **changes)

    def archive(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Archive a memory: it is kept, but no recall of the present returns it. `reason` is a code for the ledger, at
        most 64 characters without spaces. `NotFoundError` if there is no such memory; `InputError` for another reason,
        a section of a document, or an id that fits several memories."""
        return changing.ARCHIVE(self._call, memory_id=memory_id, reason=reason)

    def retract(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Mark a memory as not true, valid until now; no recall of the present returns it. `reason`: see `archive`."""
        return changing.RETRACT(self._call, memory_id=memory_id, reason=reason)

    def dispute(self, memory_id: str, reason: str = "") -> changing.ChangedOutput:
        """Mark a memory as disputed; no recall of the present returns it, until undone. `reason`: see `archive`."""
        return changing.DISPUTE(self._call, memory_id=memory_id, reason=reason)

    def pin(self, memory_id: str, *, pinned: bool = True) -> changing.ChangedOutput:
        """Pin a memory (recalls prefer it, and it never ages into the cold tier) or, with `pinned=False`, unpin it.
        Errors: see `archive`."""
        return changing.PIN(self._call, memory_id=memory_id, pinned=pinned)

    def reverify(self, *memory_ids: str) -> reverifying.ReverifyOutput:
        """Confirm that memories still hold: set the date of their last verification to now. If one is a passage, a
        section, archived, retracted or superseded (`InputError`) or unknown (`NotFoundError`), none is changed."""
        return reverifying.REVERIFY(self._call, memory_ids=memory_ids)

    def undo(self, target: str) -> undoing.UndoOutput:
        """Revert an operation (`op_…`), an import (`op_…` or `op_…..op_…`, whose memories are archived), or the last
        change of a memory (`mem_…`). `NotFoundError` if it changed nothing here or what it changed was forgotten,
        `ConflictError` if a memory was changed again since."""
        return undoing.UNDO(self._call, target=target)

    def forget(self, *memory_ids: str, chain: bool = False, preview: bool = True) -> forgetting.ForgetOutput:
        """Report what forgetting memories would erase; with `preview=False`, erase it for good.

        An id can also be a document's (`doc_…`, or its path): all of it goes. `chain` includes the memories' other
        versions. `remains` names places that still contain their bytes; later commands erase them. `NotFoundError` if
        nothing has an id, `InputError` if several memories have it."""
        return forgetting.FORGET(self._call, memory_ids=memory_ids, chain=chain, preview=preview)

    def purge(self, *, preview: bool = True, **filters: Unpack[PurgeOptions]) -> forgetting.ForgetOutput:
        """Report which memories pass every filter in `filters`; with `preview=False`, erase them for good. `InputError`
        without a filter.
        """
        return forgetting.PURGE(self._call, preview=preview, **filters)


class Graph(_Operations):
    """Operations on documents and the graph of entities: docs/documents.md, docs/graph.md, docs/time.md."""

    def index_docs(
        self, *paths: Path | str, glob: str | None = None, history: bool = False, dry_run: bool = False
    ) -> indexing.IndexDocsOutput:
        """Index new and changed Markdown and reStructuredText files of `paths` (files, or folders of them), and close
        the documents whose files are gone from there.

        `glob` picks files of folders by path (`*` matches across `/`). With `history`, the git history of their headers
        is read, too. With `dry_run`, nothing is written. A file that cannot be indexed, and a path that is missing, is
        reported in `problems`. `InputError` without any path."""
        files = tuple(Path(path) for path in paths)
        return indexing.INDEX_DOCS(self._call, paths=files, glob=glob, history=history, dry_run=dry_run)

    def show(self, name: str, **options: Unpack[LookOptions]) -> graphing.GraphShowOutput:
        """Return an entity (by its name or alias; or a memory or document, by its id or path), its neighbours in the
        graph, and the memories or sections that state each edge. `NotFoundError` if nothing has the name, `InputError`
        if several do."""
        return graphing.GRAPH_SHOW(self._call, name=name, **options)

    def states(
        self, name: str, *, as_of: datetime | None = None, as_known_at: datetime | None = None
    ) -> states.EntityHistoryOutput:
        """Return the properties of an entity over time, one state per interval, oldest first; with `as_of`, only the
        state then, if any; with `as_known_at`, by what was recorded until then. An instant without zone is UTC.
        `NotFoundError` if nothing has the name, or the entity has no state; `InputError` if several things have it."""
        app = self._call.app
        return states.history_of_entity(app, app.settings.namespace, name, as_of=as_of, as_known_at=as_known_at)

    def audit(self) -> graphing.GraphAuditOutput:
        """Report problems of the graph: undefined targets, orphans, contradictions, supersessions that only one side
        states.
        """
        return graphing.GRAPH_AUDIT(self._call)

    def backfill(self, *, apply: bool = False) -> backfilling.BackfillOutput:
        """Report how the graph would change if the indexed files were read with today's settings; with `apply`, change
        it.
        """
        return backfilling.BACKFILL(self._call, apply=apply)

    def lift(self, *legs: str, limit: int = 100) -> leg_lift.LiftOutput:
        """Measure how much search legs (ways of searching) or score terms changed the results of the newest `limit`
        recalls (1 to 10,000; those without a receipt do not count). `legs` are names such as `vector`; default: `graph`
        and `temporal`. `InputError` for an unknown name."""
        return leg_lift.LIFT(self._call, limit=limit, **({"legs": legs} if legs else {}))


class HomeView(_Operations):
    """Operations that inspect where memories and recalls come from, and that check and repair the home."""

    def history(
        self, memory_id: str, *, as_of: datetime | None = None, as_known_at: datetime | None = None
    ) -> storytelling.HistoryOutput:
        """Return a memory's versions, oldest first, with their changes and evidence, and record a use of it; with
        `as_of`, also which version held then; with `as_known_at`, only what was recorded by then. An instant without
        zone is UTC. Of a forgotten memory there are no versions, only changes and `forgotten_at`. `NotFoundError` if
        there was no such memory (by then), `InputError` if several fit or an instant lies in the future."""
        app = self._call.app
        return storytelling.history_of_memory(app, app.settings.namespace, memory_id, as_of, as_known_at)

    def episodes(
        self, query: str = "", session_id: str | None = None, limit: int = 20, after: str | None = None
    ) -> storytelling.EpisodesOutput:
        """List a page of `limit` (1 to 1,000) episodes, of one session if `session_id` is given, newest first; with a
        `query`, only those with a content word of it, best first (`InputError` without any). `after` is the `next` of
        the page before."""
        return storytelling.EPISODES(self._call, query=query, session_id=session_id, limit=limit, after=after)

    def episode(self, episode_id: str) -> storytelling.EpisodeView:
        """Return an episode (by its id, the id's last ten characters or its path) and the memories made from it.
        `NotFoundError` if no episode fits, `InputError` if several do."""
        return storytelling.EPISODE(self._call, episode_id=episode_id)

    def ledger(self, kind: ledger_rows.LedgerKind) -> Iterator[str]:
        """Yield the ledger's rows of one kind, of this namespace or of none in particular, each as a line of JSON."""
        return ledger_rows.LEDGER(self._call, kind=kind)

    def audit(self, entry: str) -> auditing.AuditOutput:
        """Return which operation wrote the version of a memory that a recall returned (`operation`; None if not on
        record). `entry` is an id `aud_…` from that recall's X-ray; `NotFoundError` for an unknown one.
        """
        return auditing.AUDIT(self._call, entry=entry)

    def explain(self, session_id: str | None = None) -> RecallXraySnapshot:
        """Return the X-ray of the last recall of a session; without `session_id`, of the last recall of the namespace.
        `NotFoundError` if there is none, or its receipt is gone."""
        return snapshots.EXPLAIN(self._call, session_id=session_id)

    def why(
        self, memory: str, query: str = "", *, recall_id: str | None = None, **options: Unpack[RecallOptions]
    ) -> why.WhyOutput:
        """Explain why a memory was or was not returned, and what would change that.

        `memory` is an id (or its first 8 or last 10 digits), a path, or words of it. With a `query`, a new recall with
        these `options` is explained, but not recorded; with a `recall_id`, that earlier recall (`InputError` for both);
        with neither, the memories with these words are named, or why none was kept is said (`InputError` for an id or
        path). `NotFoundError` if nothing fits."""
        question = self._call.input_of(request.RecallInput, {"query": query, **options}) if query else None
        return why.WHY(self._call, memory=memory, question=question, recall_id=recall_id)

    def replay(self, recall_id: str, *, live: bool = False) -> explaining.ReplayOutput:
        """Recompute a recall from its receipt; with `live`, also ask its question again now, and say what differs.
        `recall_id` and errors: see `Pellucid.xray`.
        """
        return explaining.REPLAY(self._call, recall_id=recall_id, live=live)

    def diff(self, a: str, b: str) -> explaining.RecallDiff:
        """Compare recall `b` with recall `a`: the memories that entered, left or moved, and the score terms that caused
        this. Ids and errors: see `Pellucid.xray`.
        """
        return explaining.DIFF(self._call, a=a, b=b)

    def ablate(self, recall_id: str, *parts: str) -> explaining.AblateOutput:
        """Compute how a recall's results change without all of these legs, stages or terms together; without `parts`,
        without each of its legs in turn that found something. `InputError` for a part that cannot be left out.
        """
        return explaining.ABLATE(self._call, recall_id=recall_id, without=parts)

    def doctor(self) -> health.DoctorOutput:
        """Report the health of the home: counts, sizes, and problems with their next steps."""
        return health.examine_home(self._call.app)

    def rebuild(self) -> health.RebuildOutput:
        """Take over edits of the vault, and rebuild the search index; `unreadable` names files that cannot be read."""
        return health.rebuild(self._call.app)


class Projects(_Operations):
    """The projects that sessions are filed under: docs/projects.md."""

    def list(self) -> ProjectsOutput:
        """List every project with its folders and counts, the project with the newest session first; then the other
        namespaces that are not empty, by name.
        """
        return PROJECTS(self._call)

    def move(self, namespace: str, folder: Path | str) -> ProjectRow:
        """Record that a project's repository was moved: its memories belong to the new folder from now on. `InputError`
        for a folder that is missing or too wide (a disk's root; the user's home, or one around it), `ConflictError` if
        another project there is not empty, `NotFoundError` if no project has this namespace."""
        return MOVE(self._call, namespace=namespace, folder=Path(folder))
