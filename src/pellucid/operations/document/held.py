"""A namespace in, the documents that are kept of it out, with the files they were read from and their vault files.

A name that holds a secret is kept as `[redacted:<type>]-<digest>.md`; the digest is keyed, so that it tells the same
name again, tells two apart, and proves nothing to somebody who guesses the secret.
"""

import hashlib
import os
from pathlib import Path

from pellucid.app import App
from pellucid.capture.secrets.redact import redact
from pellucid.documents.changes import KeptDocument
from pellucid.documents.formats.suffixes import format_of
from pellucid.model.document import Document
from pellucid.store.graph_port import FiledDocument
from pellucid.vault.markdown import FileIdentity, parse

_MARK = "[redacted:"


def file_of(document: Document) -> Path:
    """Where the file stands, or stood, that a document was read from; names without secrets."""
    return Path(document.root) / document.path


def place_of(app: App, document: Document) -> Path:
    """Where the file of a document stands, or stood, under its real name, of which a stored name keeps no secret."""
    return _located(file_of(document), app.key)


def root_of(file: Path, document: Document) -> Path:
    """The root of a document whose file stands there, as it is really called."""
    return file.parents[document.path.count("/")]


def known_documents(app: App, namespace: str) -> dict[Path, FiledDocument]:
    """The documents of a namespace by their files; of several that one file was, the one that it is, or was last."""
    found = app.graph.documents(namespace)
    found.sort(key=lambda each: (each.document.removed_at is None, each.document.updated))
    return {place_of(app, each.document): each for each in found}


def read_kept(app: App, filed: FiledDocument) -> KeptDocument | None:
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


def stored_name(name: str, key: bytes) -> str:
    """One part of a path as it may be stored: itself, unless it holds a secret."""
    stem, suffix = os.path.splitext(name) if format_of(name) else (name, "")
    found = redact(stem)
    if not found.counts:
        return name
    digest = hashlib.blake2b(os.fsencode(name), key=key, digest_size=4, person=b"document name")
    return f"{found.text}-{digest.hexdigest()}{suffix}"


def stored_path(path: str, key: bytes) -> str:
    """A path with slashes as it may be stored, as long as it was."""
    return "/".join(stored_name(part, key) for part in path.split("/"))


def _located(stored: Path, key: bytes) -> Path:
    """Where the file of a stored path stands; the stored path itself where no such file is found."""
    if _MARK not in str(stored):
        return stored
    real = Path()
    for part in stored.parts:
        real /= _named_in(real, part, key) if _MARK in part else part
    return real


def _named_in(folder: Path, part: str, key: bytes) -> str:
    """The name of the file in a folder that is stored as `part`; `part` itself where there is none."""
    try:
        names = os.listdir(folder)
    except OSError:
        return part
    return next((name for name in names if stored_name(name, key) == part), part)
