"""The EIP set's files in, documents, header changes, truth and questions out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pellucid.clock import in_utc
from pellucid.lab.datasets.files import find, rows
from pellucid.lab.metrics.graph import Requires

Field = Literal["requires", "status"]
FIELDS: tuple[Field, ...] = ("requires", "status")
MOVED = "Moved"  # the status of a stub: its document lives elsewhere now, and requires nothing here


@dataclass(frozen=True, slots=True)
class EipDocument:
    """One document as it is today: `path` is relative to the repository, `text` the whole file."""

    number: int
    status: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class HeaderChange:
    """The change of a header value of a document by a commit; `value` is None if it was removed."""

    number: int
    at: datetime
    field: str
    before: str | None
    value: str | None
    commit: str


@dataclass(frozen=True, slots=True)
class AsOfQuestion:
    """The question which value a header field of a document had at an instant, with the true answer."""

    number: int
    field: Field
    text: str
    at: datetime
    answer: str


def documents(data: Path) -> list[EipDocument]:
    """Read every document of the file `docs.jsonl[.xz]` in the folder `data`, or one below, in the file's order; raise
    InputError if it is missing or a line is no JSON or lacks a field, ValueError for a malformed number.
    """
    return [
        EipDocument(int(row["id"]), str(row["status"]), str(row["path"]), str(row["text"]))
        for row in rows(find(data, "docs.jsonl*"), ("id", "status", "path", "text"))
    ]


def requires(data: Path) -> Requires:
    """Read each document's direct requirements from `edges.tsv` (in the folder `data`, or one below), of which the
    first line is a header: a map from its number to the numbers that it requires, without documents that require
    nothing. Raise InputError if the file is missing, ValueError if a line is malformed.
    """
    out: dict[int, set[int]] = {}
    for line in find(data, "edges.tsv").read_text("utf-8").splitlines()[1:]:
        source, relation, target = line.split("\t")
        if relation == "requires":
            out.setdefault(int(source), set()).add(int(target))
    return {source: frozenset(targets) for source, targets in out.items()}


def changes(data: Path) -> list[HeaderChange]:
    """Read every change of `status_history.jsonl[.xz]` (the file `data` itself, or one in the folder `data` or below),
    oldest first, their times in UTC; raise InputError if the file is missing or a line is no JSON or lacks a field,
    ValueError for a malformed number or date."""
    found = [
        HeaderChange(
            int(row["doc"]), _instant(row["date"]), str(row["field"]), row["old"], row["new"], str(row["commit"])
        )
        for row in rows(find(data, "status_history.jsonl*"), ("doc", "date", "field", "old", "new", "commit"))
    ]
    return sorted(found, key=lambda change: change.at)


def headers_only(documents: Sequence[EipDocument], history: Sequence[HeaderChange]) -> list[EipDocument]:
    """Return a document for each number that only the history names, sorted by number: a frontmatter with the last
    value of each field, and nothing else.

    `history` has the oldest change first; numbers in `documents` are left out. The path is `EIPS/eip-<number>.md`.
    """
    headers: dict[int, dict[str, str | None]] = {}
    numbers = {document.number for document in documents}
    for change in history:
        if change.number not in numbers:
            headers.setdefault(change.number, {})[change.field] = change.value
    return [
        EipDocument(number, str(values.get("status") or ""), f"EIPS/eip-{number}.md", _header(number, values))
        for number, values in sorted(headers.items())
    ]


def _header(number: int, values: Mapping[str, str | None]) -> str:
    """Render a document that is only a frontmatter; fields without a value are left out."""
    lines = [f"{field}: {value}" for field, value in values.items() if value]
    return "\n".join(["---", f"eip: {number}", *lines, "---", ""])


def questions(data: Path, field: Field) -> list[AsOfQuestion]:
    """Read the questions of `asof_<field>_questions.jsonl[.xz]` (in the folder `data`, or one below), in the file's
    order, about instants in UTC; raise InputError if the file is missing or a line is no JSON or lacks a field,
    ValueError for a malformed number or date.
    """
    return [
        AsOfQuestion(int(row["doc"]), field, str(row["question"]), _instant(row["as_of"]), str(row["answer"]))
        for row in rows(find(data, f"asof_{field}_questions.jsonl*"), ("doc", "question", "as_of", "answer"))
    ]


def _instant(text: object) -> datetime:
    """Parse an ISO 8601 instant into UTC; one without a zone is of UTC. ValueError if it is malformed."""
    return in_utc(datetime.fromisoformat(str(text)))
