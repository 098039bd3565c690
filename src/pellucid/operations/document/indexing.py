"""Folders of documents in, a vault file for each document out, with counts of changes and the problems.

Each batch of files is one operation: acknowledged as a whole, then searchable. A file that cannot be indexed is
reported and does not stop the others.
"""

import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.capture.walk import is_excluded
from pellucid.clock import truncate
from pellucid.documents.changes import Counts, DocumentDraft, SeenDocument, draft_document, draft_removal, is_redefined
from pellucid.documents.files import DocumentProblem, FoundFile, Search, find_documents, is_gone
from pellucid.documents.history import Departure, FileCommits, HeaderHistory, Histories
from pellucid.documents.moves import Moves
from pellucid.documents.reading import CleanDocument, read_document
from pellucid.errors import InputError
from pellucid.model.wire import Wire
from pellucid.operations.document.cleaning import ReadingTally, clean_document, clean_older_header
from pellucid.operations.document.held import known_documents, original_file, read_kept, stored_file, stored_path
from pellucid.operations.document.rows import HistoryRowsOutput, history_file, load_history
from pellucid.operations.document.writing import commit_drafts, vault_path, withhold_and_quarantine
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.settling import require_settled
from pellucid.settings import Settings
from pellucid.store.graph_port import FiledDocument
from pellucid.vault.documents import header_text, section_text

FILES_A_COMMIT = 200
SECTIONS_A_COMMIT = 2_000
"""Sections read after which a batch ends early, since other writers wait while they are encoded."""


class IndexDocsInput(Wire):
    """The files or folders to index, and whether to read the history of their headers, too."""

    namespace: str
    paths: Annotated[tuple[Path, ...], Argument("Markdown and reStructuredText files, or folders of them.")] = ()
    """Can be empty if `history_file` is given: then only its rows are loaded."""
    history: Annotated[bool, Flag("Turn the git history of their headers into states over time.")] = False
    """Versions are valid from the time of their commits."""
    history_file: Annotated[Path | None, Flag("JSON lines {doc, date, commit, field, old, new} that tell it.")] = None
    """Loaded when the files are indexed; see `document.rows`."""
    glob: Annotated[str | None, Flag("Of folders, only files whose path fits; * matches across /.")] = None
    dry_run: Annotated[bool, Flag("Say what would be done, and write nothing.")] = False


class IndexDocsOutput(Wire):
    """The counts and problems of a run, or of a dry run; `files` is the number of files that could be read."""

    namespace: str
    written: bool
    files: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    """Documents whose file is gone: closed, and kept for questions about the past."""
    renamed: int = 0
    """Of the changed documents, those whose file has another path."""
    returned: int = 0
    """Of the changed documents, those whose file had been gone."""
    refused: int = 0
    """The number of `problems`."""
    excluded: int = 0
    """Files that `capture.excludePaths` keeps out."""
    sections_opened: int = 0
    sections_closed: int = 0
    header_versions: int = 0
    """New header versions."""
    quarantined: int = 0
    """New sections, titles and header values that read as instructions to an assistant."""
    off_the_record: int = 0
    withheld: int = 0
    """Sections and header versions that were left out because their text was forgotten."""
    redactions: dict[str, int] = Field(default_factory=dict)
    problems: tuple[DocumentProblem, ...] = ()
    notes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    encoder_problem: str | None = None
    loaded: HistoryRowsOutput | None = None


def index_docs(app: App, request: IndexDocsInput) -> IndexDocsOutput:
    """Index the new and changed files at or below the request's paths, and close the documents of files gone from there
    (they count for the past only). Then load the rows of `history_file`. A dry run only counts.

    Raises:
        InputError: no path and no history file is given; with `history`, no file is in a git checkout, or git is not
            installed; or the history file cannot be read.
        StoreBusyError: another process has been writing for too long; what was acknowledged before is kept.
        UnhealthyError: the vault's key or the ledger is lost, so that forgotten text would not be recognised; nothing
            is written.
    """
    if not request.dry_run:
        require_settled(app)
    if not request.paths and request.history_file is None:
        raise InputError("nothing says what to index", code="missing_path", next_step="name files or folders")
    # read as a whole before anything is written: a fault in it leaves all as it was
    rows = tuple(history_file(request.history_file)) if request.history_file is not None else ()
    if request.paths:
        outcome = _Indexing(app, request).run()
    else:
        outcome = IndexDocsOutput(namespace=request.namespace, written=not request.dry_run)
    if request.history_file is None:
        return outcome
    loaded = load_history(app, request.namespace, rows, dry_run=request.dry_run)
    return outcome.model_copy(update={"loaded": loaded})


@dataclass(slots=True)
class _Indexing:
    """The state of one run over some paths."""

    app: App
    request: IndexDocsInput
    counts: Counts = field(default_factory=Counts)
    unread: int = 0
    """Files that could not be indexed."""
    foreign: list[int] = field(default_factory=list[int])
    """For each file with committed headers that define another entity, the number of these headers."""
    tally: ReadingTally = field(default_factory=ReadingTally)
    problems: list[DocumentProblem] = field(default_factory=list[DocumentProblem])
    notes: list[str] = field(default_factory=list[str])
    operations: list[str] = field(default_factory=list[str])
    encoder_problem: str = ""
    known: dict[Path, FiledDocument] = field(default_factory=dict[Path, FiledDocument])
    """Maps files to the documents that were read from them."""
    moves: Moves = field(default_factory=Moves)
    gone: dict[Path, Departure] = field(default_factory=dict[Path, Departure])
    """Maps files to the commits that removed them, if a history is asked for."""
    applied: int = -1
    """The number of the last operation that `known` reflects."""

    def run(self) -> IndexDocsOutput:
        """Index the request's files, close documents gone from its paths, return the outcome; a dry run only counts."""
        self._refresh()
        # not `document.root`: secrets in a folder's name are redacted in what is stored
        roots = {file: file.parents[each.document.path.count("/")] for file, each in self.known.items()}
        found = find_documents(self.request.paths, search_for(self.app.settings, self.request.glob, roots))
        self.problems += found.problems
        self.counts.excluded = found.excluded
        self.notes += found.notes
        missing = [file for file in sorted(self.known) if is_gone(file)]
        self.moves = Moves.of(self.known, missing)
        files = [found.files[file] for file in sorted(found.files)]
        if self.request.history:
            paths = {each.file: stored_path(each.path, self.app.key) for each in files}
            with Histories.of(paths, partial(clean_older_header, settings=self.app.settings)) as histories:
                self._read_removals(histories, [file for file in missing if found.covers(file)])
                self._take_all(files, histories)
            self.notes += histories.notes
            if self.foreign:
                counts = f"{sum(self.foreign)} committed headers of {len(self.foreign)} files define something else"
                self.notes.append(f"{counts} and are left out: a history is that of one id")
        else:
            self._take_all(files, None)
        self._close_documents([file for file in missing if found.covers(file)])
        self._close_displaced()
        return self._outcome(len(files) - self.unread)

    def _read_removals(self, histories: Histories, missing: Sequence[Path]) -> None:
        """Set `gone` and `moves.moved_to` from the git history: when the `missing` files were removed, and to which
        paths they moved. Files whose documents are closed already are left out."""
        documents = {file: self.known[file].document for file in missing}
        self.gone = histories.departures(
            {file: each.digest for file, each in documents.items() if each.removed_at is None}
        )
        self.moves.moved_to = {each.to: file for file, each in self.gone.items() if each.to}

    def _refresh(self) -> None:
        """Load the namespace's documents into `known` again, if the index was changed since they were last loaded."""
        applied = self.app.index.state().applied_seq
        if applied != self.applied:
            self.known = known_documents(self.app, self.request.namespace)
            self.applied = applied

    def _take_all(self, files: Sequence[FoundFile], histories: Histories | None) -> None:
        """Read the files, with their git `histories` if given, and write those that changed, a batch at a time; after
        each file, call the app's `progress` with the bytes done and the bytes of all files."""
        batch: list[SeenDocument] = []
        sections, done, total = 0, 0, sum(each.size for each in files)
        for file in files:
            if seen := self._seen_document(file, histories):
                batch.append(seen)
                sections += len(seen.clean.sections)
            if sections >= SECTIONS_A_COMMIT or len(batch) == FILES_A_COMMIT:
                self._keep_batch(batch)
                batch, sections = [], 0
            done += file.size
            self.app.progress(done, total)
        if batch:
            self._keep_batch(batch)

    def _seen_document(self, place: FoundFile, histories: Histories | None) -> SeenDocument | None:
        """Read and clean the file at `place`, counting what was removed. Return None if it is unchanged and has no git
        history in `histories` (it is counted), or if it cannot be read, was emptied or is refused, which is added to
        `problems`."""
        try:
            data = place.file.read_bytes()
        except OSError as error:
            self._refuse_unread(place, f"it cannot be read: {error.strerror}", "check its permissions")
            return None
        # for its history alone: `_draft_file` asks which document it is, once, as the answer leaves `known`
        filed_here = self.known.get(place.file)
        filed_before = filed_here or self.known.get(self.moves.former_path(place.file))
        last_digest = filed_before.document.digest if filed_before else ""
        history = histories.history_of_file(place.file, data, last_digest) if histories else None
        digest = hashlib.sha256(data).hexdigest()
        known = filed_here.document if filed_here and filed_here.document.removed_at is None else None
        if history is None and known and known.digest == digest:
            self.counts.unchanged += 1
            return None
        is_empty = not data.removeprefix(b"\xef\xbb\xbf").strip()
        if is_empty and known and digest != known.digest:
            self._refuse_unread(place, "it is empty now: what it said is kept as it was", "delete the file to close it")
            return None
        key = self.app.key
        path = stored_path(place.path, key)
        try:
            clean, tally = clean_document(read_document(path, data, place.root.name), path, data, self.app.settings)
        except InputError as error:
            self._refuse_unread(place, error.message, error.next_step)
            return None
        self.tally.add(tally)
        self.counts.quarantined += tally.instructions
        # only now that the file is read is it known which entity it defines
        history = self._history_of_entity(history, clean) if history else None
        since = _last_written(place.mtime_ns, self.app.clock.now())
        return SeenDocument(place, path, stored_path(place.root.as_posix(), key), digest, clean, since, history)

    def _history_of_entity(self, history: HeaderHistory, clean: CleanDocument) -> HeaderHistory:
        """Return the history of those header versions of a file that define the entity that the file defines now; the
        number of the others is added to `foreign`."""
        own = history.of_entity(clean.entity)
        if own.others:
            self.foreign.append(own.others)
        return own

    def _refuse_unread(self, place: FoundFile, why: str, next_step: str) -> None:
        """Add the problem that a file cannot be indexed to `problems`, and count the file as unread."""
        self.unread += 1
        self._refuse(place.file, why, next_step)

    def _refuse_damaged(self, filed: FiledDocument, error: InputError) -> None:
        """Add the problem that the vault file of a document cannot be read to `problems`."""
        why = f"its vault file {filed.path} cannot be read: {error.message}"
        self._refuse(stored_file(filed.document), why, error.next_step)

    def _refuse(self, file: Path, why: str, next_step: str) -> None:
        """Add a problem with a file, and its next step, to `problems`."""
        self.problems.append(DocumentProblem(path=str(file), why=why, next_step=next_step))

    @contextmanager
    def _deciding(self, batch: Iterable[SeenDocument] = ()) -> Generator[datetime]:
        """Encode the batch's texts, hold the namespace's write lock for a `with` block, bring `known` up to date, and
        yield the current time; in a dry run, only yield the time."""
        if self.request.dry_run:
            yield self.app.clock.now()
            return
        with self.app.unit_of_work.deciding(self.request.namespace, self._texts_of(batch)):
            self._refresh()
            yield self.app.clock.now()

    def _texts_of(self, batch: Iterable[SeenDocument]) -> Iterator[str]:
        """Yield the texts that a batch would store if all its documents were new, to encode them before the lock."""
        clock, namespace = self.app.clock, self.request.namespace
        for draft in (draft_document(None, seen, namespace, clock.now(), clock) for seen in batch):
            yield from (header_text(draft.document, each) for each in draft.document.versions)
            yield from (section_text(draft.document, each) for each in draft.sections)

    def _keep_batch(self, batch: Sequence[SeenDocument]) -> None:
        """Write a batch as one operation, without forgotten texts, instructions quarantined; a dry run only counts."""
        with self._deciding(batch) as now:
            drafts = [draft for each in batch for draft in self._draft_file(each, now)]
            verdict = withhold_and_quarantine(self.app, drafts)
            self.counts.withheld += verdict.withheld
            self.counts.quarantined += verdict.quarantined
            self._write_drafts(drafts)

    def _close_documents(self, files: Sequence[Path]) -> None:
        """Close the documents of these files, which are gone, a batch at a time; a file without one is skipped."""
        for first in range(0, len(files), FILES_A_COMMIT):
            with self._deciding() as now:
                batch = [file for file in files[first : first + FILES_A_COMMIT] if file in self.known]
                self._write_drafts(
                    [draft for file in batch for draft in self._closing_drafts(self.known[file], now, file)]
                )

    def _close_displaced(self) -> None:
        """Close the documents whose files were overwritten by other documents' files."""
        if self.moves.displaced:
            with self._deciding() as now:
                filed = self.moves.displaced.items()
                self._write_drafts([draft for file, each in filed for draft in self._closing_drafts(each, now, file)])

    def _closing_drafts(self, filed: FiledDocument, now: datetime, file: Path) -> list[DocumentDraft]:
        """Return a list with the draft that closes the document of `file`; empty if the document is closed already, or
        its vault file is gone or unreadable (this is added to `problems`)."""
        if filed.document.removed_at is not None:
            return []
        try:
            kept = read_kept(self.app, filed)
        except InputError as error:
            self._refuse_damaged(filed, error)
            return []
        gone = self.gone.get(file)
        return [draft_removal(kept, now, gone.changes if gone else None)] if kept else []

    def _draft_file(self, seen: SeenDocument, now: datetime) -> list[DocumentDraft]:
        """Return the drafts for a file: usually one; none if the document's vault file is damaged, which is added to
        `problems`. If the file defines another entity now, a draft closes the old document (unless it is closed), and
        another is of the new document. A document that moved is removed from `known` at its old path."""
        make = partial(draft_document, namespace=self.request.namespace, now=now, clock=self.app.clock)
        filed = self.moves.match_stored_document(
            seen.place.file, seen.digest, self.known, has_history=seen.history is not None
        )
        if filed is None:
            return [make(None, seen)]
        try:
            old = read_kept(self.app, filed)  # from the vault file, so that edits there are kept
        except InputError as error:
            self.unread += 1
            self._refuse_damaged(filed, error)
            return []
        if old is None or not is_redefined(old, seen):
            return [make(old, seen)]
        since = seen.history.defined_since if seen.history else None
        # the commit since which the file defines the new entity is the one that ended the old
        changes = FileCommits((since,)) if since else None
        closing = [] if old.document.removed_at else [draft_removal(old, now, changes)]
        # since now, not since the file was last written: until now it was read as the old document
        return [*closing, make(None, replace(seen, since=now))]

    def _write_drafts(self, drafts: Sequence[DocumentDraft]) -> None:
        """Count the drafts, commit those that change something (not in a dry run), and add these to `known`: in a dry
        run, too, so that the files after them are compared with what would be there."""
        # what `take` counts as a change, too: there the counts, here the drafts themselves
        changing = [draft for draft in drafts if draft.changed and not (draft.stored is None and draft.empty)]
        for draft in drafts:
            self.counts.take(draft)
        if changing and not self.request.dry_run:
            committed = commit_drafts(self.app, changing)
            self.operations.append(committed.op_id)
            self.encoder_problem = committed.folded.encoder_problem or self.encoder_problem
            self.applied = self.app.index.state().applied_seq
        for draft in changing:  # by the file on disk: of a closed document the draft has only the path as stored
            self.known[original_file(self.app, draft.document)] = FiledDocument(draft.document, vault_path(draft))

    def _outcome(self, files: int) -> IndexDocsOutput:
        """Return the output of the run; `files` is the number of files that were read."""
        return IndexDocsOutput(
            namespace=self.request.namespace,
            written=not self.request.dry_run,
            files=files,
            **asdict(self.counts),
            refused=len(self.problems),
            off_the_record=self.tally.off_the_record,
            redactions=dict(self.tally.redactions.most_common()),
            problems=tuple(self.problems),
            notes=tuple(self.notes),
            operations=tuple(self.operations),
            encoder_problem=self.encoder_problem or None,
        )


def search_for(settings: Settings, glob: str | None, roots: Mapping[Path, Path] | None = None) -> Search:
    """Make the search that `find_documents` carries out. `glob` is the pattern of paths in folders (None: all); `roots`
    maps the files of known documents to the folders that they were found in."""
    excluded = partial(is_excluded, patterns=settings.capture.exclude_paths)
    return Search(settings.home.resolve(), excluded, glob, roots or {})


def _last_written(mtime_ns: int, now: datetime) -> datetime:
    """Return a file's modification time, to the millisecond: `now` if the time lies in the future, the start of 1970 if
    it lies before that."""
    seconds = min(max(mtime_ns // 1_000_000, 0) / 1000, now.timestamp())
    return truncate(datetime.fromtimestamp(seconds, UTC))


INDEX_DOCS = Operation(
    "document.index",
    "Take documents in by heading, or what changed in them. What is gone is closed.",
    IndexDocsInput,
    IndexDocsOutput,
    in_home(index_docs),
    "append",
    Surfaces("index docs"),
    text=Text("index.indexing_text"),
    span="upsert_memory",
)
