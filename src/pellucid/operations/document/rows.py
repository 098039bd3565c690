"""Rows of header changes in, versions of the headers of known documents out: a history without a git repository.

A row says that a field of a document changed at an instant. Before the last row, a header had only the fields that the
rows give; from the last row on it has its fields of today, and until it was indexed those that no row ended.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.documents.changes import DocumentDraft, draft_with_versions
from pellucid.documents.files import DocumentProblem
from pellucid.documents.header import key_name
from pellucid.documents.versions import HeaderState, history_before_versions, versions_of
from pellucid.errors import InputError
from pellucid.model.document import Document
from pellucid.model.entity import node_key
from pellucid.model.wire import Instant, Wire
from pellucid.operations.document.cleaning import ReadingTally, clean_header
from pellucid.operations.document.held import read_kept
from pellucid.operations.document.writing import commit_drafts, withhold_and_quarantine
from pellucid.operations.settling import require_settled
from pellucid.store.graph_port import FiledDocument

DOCUMENTS_A_COMMIT = 200
_MOST_NAMED = 20
_NUMBER = re.compile(r"#?0*(\d+)")

Row = Mapping[str, object]
Value = str | int | float | bool | list[str | int] | None


class HistoryRow(BaseModel):
    """One change of a field in a document's header; `doc` is the document's id, number in its series, or path."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    doc: str | int
    date: Instant
    field: str = Field(min_length=1)
    old: Value = None
    new: Value = None
    commit: str | None = None


class HistoryRowsOutput(Wire):
    """Counts of a load: `documents` is the number of documents that got a new history, `unchanged` of those that had it
    already."""

    namespace: str
    written: bool
    rows: int
    documents: int
    unchanged: int
    header_versions: int
    """New header versions."""
    unknown_rows: int
    """Rows whose document is not indexed here, or whose name several documents have."""
    unknown: tuple[str, ...] = ()
    """The names of such documents, those with the most rows first, twenty at most."""
    ahead: int = 0
    """Rows dated in the future, which are left out."""
    withheld: int = 0
    problems: tuple[DocumentProblem, ...] = ()
    operations: tuple[str, ...] = ()


def history_file(path: Path) -> Iterator[dict[str, object]]:
    """Yield the rows of a file of JSON lines; blank lines are skipped.

    Raises:
        InputError: the file cannot be read, or a line is not a JSON object.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _json_object(path, number, line)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {error}", code="invalid_history", next_step="name a file of JSON lines"
        ) from error


def _json_object(path: Path, number: int, line: str) -> dict[str, object]:
    """Parse one line of the history file at `path` as a JSON object; InputError, with the line's `number`, if it is not
    one."""
    try:
        row: object = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(
            f"{path}:{number} is no JSON object", code="invalid_history", next_step="write one object a line"
        )
    return {str(key): value for key, value in row.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def load_history(app: App, namespace: str, rows: Iterable[Row], *, dry_run: bool = False) -> HistoryRowsOutput:
    """Give documents the header history that rows `{doc, date, commit, field, old, new}` describe, in any order.

    Rows that cannot be used are told in the output. Loading the same rows again changes nothing; a dry run only counts.

    Raises:
        StoreBusyError: another process has been writing for too long; what was acknowledged before is kept.
        UnhealthyError: the vault's key or the ledger is lost, so that forgotten text would not be recognised; nothing
            is written.
    """
    if not dry_run:
        require_settled(app)
    loading = _Loading(app, namespace, write=not dry_run)
    loading.read(rows)
    loading.write_all()
    return loading.outcome()


@dataclass(slots=True)
class _Loading:
    """The state of one load."""

    app: App
    namespace: str
    write: bool
    counts: Counter[str] = field(default_factory=Counter[str])
    by_document: dict[str, list[HistoryRow]] = field(default_factory=dict[str, list[HistoryRow]])
    """Maps the ids of documents to their rows."""
    filed: dict[str, FiledDocument] = field(default_factory=dict[str, FiledDocument])
    unknown: Counter[str] = field(default_factory=Counter[str])
    problems: list[DocumentProblem] = field(default_factory=list[DocumentProblem])
    operations: list[str] = field(default_factory=list[str])

    def read(self, rows: Iterable[Row]) -> None:
        """Check the rows, and add them to `by_document`; rows that are not valid are added to `problems`, rows of
        unknown documents are counted in `unknown`."""
        finder = _DocumentFinder(self.app.graph.documents(self.namespace))
        now = self.app.clock.now()
        for number, row in enumerate(rows, start=1):
            self.counts["rows"] += 1
            checked = self._checked_row(number, row, now)
            if checked is None:
                continue
            filed = finder.find(checked.doc)
            if filed is None:
                self.unknown[str(checked.doc)] += 1
            else:
                self.filed[filed.document.id] = filed
                self.by_document.setdefault(filed.document.id, []).append(checked)

    def _checked_row(self, number: int, row: Row, now: datetime) -> HistoryRow | None:
        """Return the row with secrets redacted in its field and commit. If the row is not valid or its date is after
        `now`, return None and add a problem with the row's `number`; a row after `now` is also counted as `ahead`."""
        try:
            checked = HistoryRow.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            self._leave_out(number, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
            return None
        if checked.date > now:
            self.counts["ahead"] += 1
            self._leave_out(number, f"date: {checked.date:%Y-%m-%d} is not here yet")
            return None
        commit = redact(checked.commit).text if checked.commit else None
        return checked.model_copy(update={"field": redact(checked.field).text, "commit": commit})

    def _leave_out(self, number: int, why: str) -> None:
        """Add the problem that the row of this number (from 1) is not used, and why, to `problems`."""
        self.problems.append(DocumentProblem(path=f"row {number}", why=why, next_step="correct that row"))

    def write_all(self) -> None:
        """Commit the header versions that the rows give to all documents' vault files, a batch at a time; without
        `write`, only count.
        """
        ids = list(self.by_document)
        for first in range(0, len(ids), DOCUMENTS_A_COMMIT):
            deciding = self.app.unit_of_work.deciding(self.namespace) if self.write else nullcontext()
            with deciding:
                self._write_batch(ids[first : first + DOCUMENTS_A_COMMIT])

    def _write_batch(self, ids: Sequence[str]) -> None:
        """Write the histories of the documents with these ids as one operation, and count the changes; without `write`,
        only count."""
        drafts = [draft for each in ids if (draft := self._draft(each))]
        self.counts["withheld"] += withhold_and_quarantine(self.app, drafts).withheld
        changing = [draft for draft in drafts if draft.changed]
        self.counts["documents"] += len(changing)
        self.counts["unchanged"] += len(drafts) - len(changing)
        self.counts["versions"] += sum(len(draft.fresh) for draft in changing)
        if changing and self.write:
            self.operations.append(commit_drafts(self.app, changing).op_id)

    def _draft(self, document_id: str) -> DocumentDraft | None:
        """Return the draft of a document with the history of its rows; None if its vault file is gone, or cannot be
        read, which is added to `problems`."""
        filed = self.filed[document_id]
        try:
            kept = read_kept(self.app, filed)
        except InputError as error:
            self.problems.append(DocumentProblem(path=filed.path, why=error.message, next_step=error.next_step))
            return None
        if kept is None:
            return None
        document, clock, settings = kept.document, self.app.clock, self.app.settings
        states = [
            HeaderState(each.at, clean_header(each.values or {}, settings, ReadingTally()), each.commit)
            for each in header_states(self.by_document[document_id])
        ]
        earlier = history_before_versions(states, document.versions)
        return draft_with_versions(kept, versions_of(earlier, document.versions, document.title, clock), clock.now())

    def outcome(self) -> HistoryRowsOutput:
        """Return the counts and problems of the load so far, as its output."""
        counts = self.counts
        return HistoryRowsOutput(
            namespace=self.namespace,
            written=self.write,
            rows=counts["rows"],
            documents=counts["documents"],
            unchanged=counts["unchanged"],
            header_versions=counts["versions"],
            withheld=counts["withheld"],
            ahead=counts["ahead"],
            unknown_rows=self.unknown.total(),
            unknown=tuple(name for name, _ in self.unknown.most_common(_MOST_NAMED)),
            problems=tuple(self.problems),
            operations=tuple(self.operations),
        )


def header_states(rows: Iterable[HistoryRow]) -> list[HeaderState]:
    """Return the header of a document after each date of its rows, oldest first. The header before the first row is
    that of the rows' `old` values."""
    ordered = sorted(rows, key=lambda row: row.date)
    header: dict[str, str] = {}
    for row in reversed(ordered):  # undoing all rows leads to the header before the first
        header.pop(name := key_name(row.field), None)
        if text := _text(row.old):
            header[name] = text
    states: list[HeaderState] = []
    for row in ordered:
        header.pop(name := key_name(row.field), None)
        if text := _text(row.new):
            header[name] = text
        if states and states[-1].at == row.date:
            states.pop()
        states.append(HeaderState(row.date, dict(header), row.commit))
    return states


def _text(value: Value) -> str:
    """Return the value of a field as header text: a list joined by commas, "" for None."""
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value).strip()


class _DocumentFinder:
    """Finds documents by the names in rows: an id, entity, path, alias, or number in a series."""

    def __init__(self, documents: Sequence[FiledDocument]) -> None:
        """Add these documents, without those whose file is gone if another document defines the same entity."""
        self._by_name: dict[str, dict[str, FiledDocument]] = defaultdict(dict)
        self._by_number: dict[str, dict[str, FiledDocument]] = defaultdict(dict)
        present = {each.document.entity for each in documents if each.document.removed_at is None}
        for each in documents:
            if each.document.removed_at is None or each.document.entity not in present:
                self._add(each)

    def _add(self, filed: FiledDocument) -> None:
        """Add a document under each of its names, and under its number in a series."""
        document = filed.document
        for name in {document.id, *map(node_key, (document.entity, document.path, *document.aliases))}:
            self._by_name[name][document.id] = filed
        if number := _series_number(document):
            self._by_number[number][document.id] = filed

    def find(self, name: str | int) -> FiledDocument | None:
        """Return the document with this number in its series (`42` for `SPEC-42`), or, if none has it, with this name;
        None unless exactly one has it.
        """
        text = str(name).strip()
        number = _NUMBER.fullmatch(text)
        found = self._by_number.get(number[1].lstrip("0") or "0", {}) if number else {}
        found = found or self._by_name.get(text) or self._by_name.get(node_key(text)) or {}
        return next(iter(found.values())) if len(found) == 1 else None


def _series_number(document: Document) -> str:
    """Return the number at the end of the `node_key` of a document's entity (`42` of `SPEC-042`); "" if the key does
    not end in a number after a hyphen that follows no digit, or the entity is the document's path."""
    has_name = document.entity != document.path
    found = re.fullmatch(r".*[^0-9]-(\d+)", node_key(document.entity)) if has_name else None
    return found[1].lstrip("0") or "0" if found else ""
