"""A namespace or the names of documents in, its documents or one in full out; or documents closed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Annotated

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.documents.changes import draft_removal
from pellucid.documents.files import named_file
from pellucid.errors import InputError, NotFoundError, step
from pellucid.graph.lines import anchor_text
from pellucid.model.document import HeaderVersion, Section
from pellucid.model.entity import node_key
from pellucid.model.wire import Instant, Wire
from pellucid.operations.document.held import read_kept, stored_file, stored_path
from pellucid.operations.document.writing import commit_drafts
from pellucid.operations.graph.states import document_names
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.store.graph_port import FiledDocument


class DocumentRow(Wire):
    """A document in a list: the entity that it defines, and counts of its parts; `sections` counts those of today."""

    id: str
    entity: str
    entity_type: str
    title: str
    path: str
    root: str
    sections: int
    header_versions: int
    edges: int
    """The number of edges in force today that the document itself states."""
    updated: Instant
    removed_at: Instant | None = None
    vault_path: str


class DocumentsOutput(Wire):
    """The documents of a namespace, sorted by entity; `removed` counts those whose file is gone."""

    documents: tuple[DocumentRow, ...]
    removed: int


class SectionRow(Wire):
    """One section of today, or a former one."""

    id: str
    anchor: str
    heading: str
    """Its heading, after the headings above it."""
    valid_from: Instant
    valid_until: Instant | None = None
    quarantined: bool = False
    excerpt: str


class DocumentOutput(Wire):
    """A document in full: its header over time, its sections, and the edges that it states today."""

    document: DocumentRow
    aliases: tuple[str, ...]
    versions: tuple[HeaderVersion, ...]
    """Newest first."""
    sections: tuple[SectionRow, ...]
    closed: tuple[SectionRow, ...]
    """Former sections, the section that ended last first."""
    edges: tuple[str, ...]
    """Each as `SPEC-054 DEPENDS_ON SPEC-037 §3`."""


class RemovedOutput(Wire):
    """The documents that were closed, and the id of the operation; None if nothing was to close."""

    removed: tuple[DocumentRow, ...]
    op_id: str | None = None


_SHOWN = {"id", "entity", "entity_type", "title", "path", "root", "updated", "removed_at"}
"""The fields of a document that are copied to its row in a list."""


class DocumentsInput(Wire):
    """A namespace, and whether to list closed documents, too."""

    namespace: str
    gone: Annotated[bool, Flag("Those whose file is gone, too.")] = False


class DocumentInput(Wire):
    """The document to show."""

    namespace: str
    name: Annotated[str, Argument("A document's path, its entity such as SPEC-054, or its id.")]


class RemoveInput(Wire):
    """The documents to close."""

    namespace: str
    names: Annotated[tuple[str, ...], Argument("Paths, entities such as SPEC-054, or ids of documents.")]


def list_documents(app: App, request: DocumentsInput) -> DocumentsOutput:
    """List the documents of a namespace, sorted by entity, then path; with `gone`, also those whose file is gone, of
    which the output has the number (`removed`) in any case."""
    found = app.graph.documents(request.namespace)
    shown = [each for each in found if request.gone or each.document.removed_at is None]
    rows = _document_rows(app, request.namespace, shown, _count_sections(app, request.namespace, shown))
    return DocumentsOutput(
        documents=tuple(sorted(rows, key=lambda row: (node_key(row.entity), row.path))),
        removed=sum(each.document.removed_at is not None for each in found),
    )


def show_document(app: App, request: DocumentInput) -> DocumentOutput:
    """Show one document, found by its path, its entity, an alias or its id.

    Raises:
        NotFoundError: no document of the namespace has that name, or its vault file is gone.
        InputError: several documents have that name, or the vault file cannot be read.
    """
    filed = _find_document(app, request.namespace, request.name)
    kept = read_kept(app, filed)
    if kept is None:
        raise NotFoundError(f"{filed.path} is gone: somebody deleted it", next_step="index the document again")
    rows = [
        SectionRow(
            id=each.id,
            anchor=f"{kept.document.path}:{each.lines}",
            heading=" › ".join(filter(None, (*each.trail, each.heading))),
            valid_from=each.valid_from,
            valid_until=each.valid_until,
            quarantined=each.quarantined,
            excerpt=" ".join(each.content.split())[:80],
        )
        for each in kept.sections
    ]
    return DocumentOutput(
        document=_document_rows(app, request.namespace, [filed], {filed.document.id: _count_open(kept.sections)})[0],
        aliases=kept.document.aliases,
        versions=tuple(reversed(kept.document.versions)),
        edges=_edges_in_file(app, request.namespace, filed.path),
        sections=tuple(row for row in rows if row.valid_until is None),
        closed=tuple(sorted((row for row in rows if row.valid_until), key=attrgetter("valid_until"), reverse=True)),
    )


def _edges_in_file(app: App, namespace: str, path: str) -> tuple[str, ...]:
    """Return the edges that a vault file states and that have not ended by now, sorted, each as a line
    `SOURCE TYPE TARGET`, followed by the part of the target that is meant, such as `§3`, if one is."""
    names, now = {each.key: each.name for each in app.graph.entities(namespace)}, epoch_ms(app.clock.now())
    lines = {
        f"{names.get(edge.source, edge.source)} {edge.type} {names.get(edge.target, edge.target)}"
        + (f" {anchor_text(edge.anchor)}" if edge.anchor else "")
        for edge in app.graph.facts(path).edges
        if edge.valid_until > now
    }
    return tuple(sorted(lines))


def remove_documents(app: App, request: RemoveInput) -> RemovedOutput:
    """Close documents as if their files were gone, and return those that were closed.

    They are valid until now, and stay for questions about the past; indexing an existing file again reopens its
    document. Documents that are closed already, or whose vault file is gone, are skipped. Each name is the path of a
    file or a folder (all documents in it), or a document's id (or the id's last ten digits), entity or alias.

    Raises:
        NotFoundError: no document of the namespace has one of the names; nothing is closed.
        InputError: several documents have one of the names, or a vault file cannot be read; nothing is closed.
    """
    with app.unit_of_work.deciding(request.namespace):
        chosen = {
            each.document.id: each for name in request.names for each in _documents_named(app, request.namespace, name)
        }
        open_ones = [each for each in chosen.values() if each.document.removed_at is None]
        kept = [document for each in open_ones if (document := read_kept(app, each))]
        drafts = [draft_removal(each, app.clock.now()) for each in kept]
        op_id = commit_drafts(app, drafts).op_id if drafts else None
    closed = {draft.document.id: _count_open(draft.sections) for draft in drafts}
    found = [each for each in app.graph.documents(request.namespace) if each.document.id in closed]
    return RemovedOutput(removed=tuple(_document_rows(app, request.namespace, found, closed)), op_id=op_id)


def _documents_named(app: App, namespace: str, name: str) -> list[FiledDocument]:
    """Return the documents whose files are at or below the path `name`; if there are none, a list with the document of
    that name. NotFoundError if there is no such document either, InputError if several have the name."""
    place = _stored_place(app, name)
    found = app.graph.documents(namespace)
    below = [each for each in found if place and stored_file(each.document).is_relative_to(place)]
    return below or [_find_document(app, namespace, name)]


def _find_document(app: App, namespace: str, name: str) -> FiledDocument:
    """Return the document of this id (or its last ten digits), path or entity, else of this alias. Of several, the one
    whose file is not gone; if all are gone, the last of them. NotFoundError if there is no such document, InputError if
    several have files."""
    documents, place = app.graph.documents(namespace), _stored_place(app, name)
    found = [
        each
        for each in documents
        if name in (*document_names(each), each.document.entity) or stored_file(each.document) == place
    ] or [each for each in documents if node_key(name) in map(node_key, (each.document.entity, *each.document.aliases))]
    fitting = [each for each in found if each.document.removed_at is None] or found[-1:]
    if not fitting:
        raise NotFoundError(f"no document {name} in {namespace}", next_step=f"{step('document.list')} shows them")
    if len(fitting) > 1:
        raise InputError(
            f"{len(fitting)} documents are called {name}", code="ambiguous_id", next_step="give a path or an id"
        )
    return fitting[0]


def _stored_place(app: App, name: str) -> Path | None:
    """Return the path of a file or folder as it is stored; None if the name cannot be a path."""
    place = named_file(name)
    return place and Path(stored_path(place.as_posix(), app.key))


def _count_sections(app: App, namespace: str, filed: Sequence[FiledDocument]) -> dict[str, int]:
    """Return a map from the ids of these documents to the number of their sections that are valid today."""
    memories = Counter(
        each.memory.session_id
        for each in app.index.memories(namespace)
        if each.memory.category == "section" and each.memory.status == "active"
    )
    documents = [each.document for each in filed]
    return {each.id: max(memories[each.id] - _count_open(each.versions), 0) for each in documents}


def _document_rows(
    app: App, namespace: str, filed: Sequence[FiledDocument], sections: Mapping[str, int]
) -> list[DocumentRow]:
    """Return the documents as rows of a list, in the same order, with the number of edges valid now that their files
    state; `sections` maps the id of each of these documents to the number of its sections that are valid today."""
    now = epoch_ms(app.clock.now())
    edges = Counter(each.path for each in app.graph.edges(namespace) if each.edge.valid_until > now)
    return [
        DocumentRow(
            **each.document.model_dump(include=_SHOWN),
            sections=sections[each.document.id],
            header_versions=len(each.document.versions),
            edges=edges[each.path],
            vault_path=each.path,
        )
        for each in filed
    ]


def _count_open(parts: Iterable[Section | HeaderVersion]) -> int:
    """Count the sections or header versions that are valid today."""
    return sum(each.valid_until is None for each in parts)


DOCUMENTS = Operation(
    "document.list",
    "List the documents that are indexed. Of each: what it defines, its title, path, sections and edges.",
    DocumentsInput,
    DocumentsOutput,
    in_home(list_documents),
    "read",
    Surfaces("index list", http=("GET /v1/documents",), mcp="memory_search:documents"),
    text=Text("index.documents_text"),
)
DOCUMENT = Operation(
    "document.show",
    """Show one document: its header over time, and its sections.

And the edges it says, and what stood in it before.
""",
    DocumentInput,
    DocumentOutput,
    in_home(show_document),
    "read",
    Surfaces("index show", http=("GET /v1/documents/{name}",)),
    text=Text("index.document_text"),
)
REMOVE = Operation(
    "document.remove",
    "Close documents as if their files were gone. What they said stays for questions about the past.",
    RemoveInput,
    RemovedOutput,
    in_home(remove_documents),
    "change",
    Surfaces("index remove", http=("POST /v1/documents/remove",)),
    text=Text("index.removal_text"),
    needs="admin",  # a document is a person's
)
