"""A namespace in, its stored documents out, with the files that they were read from and their vault files.

A file name that contains a secret is stored as `[redacted:<type>]-<digest>.md`. The digest is keyed, so that equal
names have equal digests, others do not, and somebody who guesses the secret cannot check the guess.
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
    """Return the path of the file that a document was read from, as it is stored: with secrets in names replaced."""
    return Path(document.root) / document.path


def original_file(app: App, document: Document) -> Path:
    """Return the real path of the file that a document was read from, also if a secret in the stored path was replaced.
    A part of the path that is not on disk any more stays as it is stored."""
    stored = stored_file(document)
    if _MARK not in str(stored):
        return stored
    real = Path()
    for part in stored.parts:
        real /= _original_name(real, part, app.key) if _MARK in part else part
    return real


def known_documents(app: App, namespace: str) -> dict[Path, FiledDocument]:
    """Return a map from real files to the documents of a namespace that were read from them. Of several documents from
    one file, it has the one last updated, of those that are not closed (as when their file was gone) if there are
    any."""
    found = app.graph.documents(namespace)
    found.sort(key=lambda each: (each.document.removed_at is None, each.document.updated))
    return {original_file(app, each.document): each for each in found}  # later documents replace earlier ones


def read_kept(app: App, filed: FiledDocument) -> KeptDocument | None:
    """Read a document from its vault file, with the edits that were made there; None if that file is gone or does not
    contain a document.

    Raises:
        InputError: the file cannot be parsed.
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
    """Return a file's or folder's name as it is stored: unchanged if it contains no secret, else redacted and followed
    by a digest of the whole name, keyed with `key` (the vault's)."""
    stem, suffix = os.path.splitext(name) if format_of(name) else (name, "")
    redacted = redact(stem)
    if not redacted.counts:
        return name
    digest = hashlib.blake2b(os.fsencode(name), key=key, digest_size=4, person=b"document name")
    return f"{redacted.text}-{digest.hexdigest()}{suffix}"


def stored_path(path: str, key: bytes) -> str:
    """Return a path, with `/` between its parts, as it is stored: each part that contains a secret is replaced as
    `stored_name` does, with a digest that `key` (the vault's) keys."""
    return "/".join(stored_name(part, key) for part in path.split("/"))


def _original_name(folder: Path, stored: str, key: bytes) -> str:
    """Return the name of the file in a folder whose stored name is `stored`; `stored` itself if there is no such file,
    or the folder cannot be read."""
    try:
        names = os.listdir(folder)
    except OSError:
        return stored
    return next((name for name in names if stored_name(name, key) == stored), stored)
