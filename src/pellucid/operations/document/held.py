"""A namespace in, the documents that are kept of it out, with the files they were read from and their vault files."""

from pathlib import Path

from pellucid.app import App
from pellucid.documents.changes import KeptDocument
from pellucid.model.document import Document
from pellucid.operations.document.names import located
from pellucid.store.graph_port import FiledDocument
from pellucid.vault.markdown import FileIdentity, parse


def file_of(document: Document) -> Path:
    """Where the file stands, or stood, that a document was read from; names without secrets."""
    return Path(document.root) / document.path


def place_of(app: App, document: Document) -> Path:
    """The same, where a name was kept without its secret: as the file is really called, if it is there."""
    return located(file_of(document), app.key)


def root_of(file: Path, document: Document) -> Path:
    """The root of a document whose file stands there, as it is really called."""
    return file.parents[document.path.count("/")]


def known_documents(app: App, namespace: str) -> dict[Path, FiledDocument]:
    """The documents of a namespace by their files; of several that one file was, the one that it is, or was last."""
    found = app.graph.documents(namespace)
    found.sort(key=lambda each: (each.document.removed_at is None, each.document.updated))
    return {place_of(app, each.document): each for each in found}


def held(app: App, filed: FiledDocument) -> KeptDocument | None:
    """A document as its vault file has it now, whoever edited it; None if the file is gone.

    Raises:
        InputError: somebody edited it so that it cannot be read.
    """
    data = app.records.heads([filed.path])[0].data
    if data is None:
        return None
    identity = FileIdentity(filed.document.namespace, app.key, app.clock.now())
    parsed = parse(filed.path, data, identity)
    if parsed.document is None:
        return None
    return KeptDocument(parsed.document, parsed.sections, filed.path, data)
