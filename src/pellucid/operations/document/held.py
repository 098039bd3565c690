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


def stored_file(document: Document) -> Path:
    """Return the path of the file that a document was read from, as it is stored: secrets in names are replaced."""
    return Path(document.root) / document.path


def original_file(app: App, document: Document) -> Path:
    """Return the real path of the file that a document was read from, even where its stored name hides a secret; a part
    of it that is not on disk any more stays as stored."""
    stored = stored_file(document)
    if _MARK not in str(stored):
        return stored
    real = Path()
    for part in stored.parts:
        real /= _original_name(real, part, app.key) if _MARK in part else part
    return real


def known_documents(app: App, namespace: str) -> dict[Path, FiledDocument]:
    """Return the documents of a namespace by their real file; of several from one file, one whose file is there, else
    the last updated."""
    found = app.graph.documents(namespace)
    found.sort(key=lambda each: (each.document.removed_at is None, each.document.updated))
    return {original_file(app, each.document): each for each in found}  # a later one takes the place


def read_kept(app: App, filed: FiledDocument) -> KeptDocument | None:
    """Read a document from its vault file, with whatever somebody edited there; None if that file is gone or holds no
    document.

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
    """Return one part of a path as it is stored: unchanged, unless it holds a secret; that is redacted, with a keyed
    digest behind it."""
    stem, suffix = os.path.splitext(name) if format_of(name) else (name, "")
    found = redact(stem)
    if not found.counts:
        return name
    digest = hashlib.blake2b(os.fsencode(name), key=key, digest_size=4, person=b"document name")
    return f"{found.text}-{digest.hexdigest()}{suffix}"


def stored_path(path: str, key: bytes) -> str:
    """Return a path with `/` between its parts as it is stored, with as many parts; parts with secrets are replaced."""
    return "/".join(stored_name(part, key) for part in path.split("/"))


def _original_name(folder: Path, part: str, key: bytes) -> str:
    """Return the name of the file in a folder that is stored as `part`; `part` itself where there is none, or no
    folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return part
    return next((name for name in names if stored_name(name, key) == part), part)
