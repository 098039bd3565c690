"""The names of files in, the names under which their documents are kept out: without secrets, and each its own.

A name that holds a secret is kept as `[redacted:<type>]-<digest>.md`; the digest is keyed, so that it tells the same
name again, tells two apart, and proves nothing to somebody who guesses the secret.
"""

import hashlib
import os
from pathlib import Path

from pellucid.capture.secrets.redact import redact
from pellucid.documents.formats.suffixes import format_of

_MARK = "[redacted:"


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


def located(stored: Path, key: bytes) -> Path:
    """Where the file of a stored path stands; the stored path itself where no such file is found."""
    if _MARK not in str(stored):
        return stored
    real = Path()
    for part in stored.parts:
        real /= _located(real, part, key) if _MARK in part else part
    return real


def _located(folder: Path, part: str, key: bytes) -> str:
    try:
        names = os.listdir(folder)
    except OSError:
        return part
    return next((name for name in names if stored_name(name, key) == part), part)
