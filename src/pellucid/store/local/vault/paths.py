"""A vault path in, its parts out: names that are safe in the vault, and the names that belong to the store."""

import hashlib
import re
import secrets
import unicodedata
from typing import NoReturn

from pellucid.errors import InputError

OWN_FOLDER = ".pellucid"
TEMP = re.compile(r"\.pellucid-[0-9a-f]{16}\.tmp")
SWAP = re.compile(r"\.pellucid-(?P<key>[0-9a-f]{16})-[0-9a-f]{16}\.swap")
PARKED = re.compile(r"(?P<key>[0-9a-f]{16})-(?P<digest>[0-9a-f]{64})-[0-9a-f]{16}")
PSEUDONYM = re.compile(r"forgotten/[0-9a-f]{32}")
CONFLICT = re.compile(r"(?P<stem>.+)\.conflict-[0-9a-f]{8,64}\.md")

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\\\ud800-\udfff]")
_UNPORTABLE = re.compile(r'[<>:"|?*]|[ .]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)
_PART_BYTES = 170  # leaves room for `.conflict-<64 hex>` within the 255 bytes of a file name
_PATH_BYTES = 1024


def parts(path: str) -> tuple[str, ...]:
    """Split a vault-relative POSIX path into names.

    Raises InputError if a part is empty (as in an absolute path) or begins with a dot, or if the path has a control
    character, a line or paragraph separator, a backslash or a lone surrogate.
    """
    names = tuple(path.split("/"))
    if _FORBIDDEN.search(path):
        _refuse_path(path, "it holds a control character, a backslash or a lone surrogate")
    if any(not name or name.startswith(".") for name in names):
        _refuse_path(path, "each part must be a name that does not start with a dot")
    return names


def check_new(path: str) -> None:
    """Raise InputError if a new path is one that `parts` refuses, or not portable.

    It must end in `.md` and be NFC, and have at most 1024 bytes of UTF-8, 170 in a part. Names of conflict files, and
    those that Windows refuses, are not allowed.
    """
    names = parts(path)
    if not path.endswith(".md") or CONFLICT.fullmatch(names[-1]):
        _refuse_path(path, "it must end in .md and not be named like a conflict file")
    if not unicodedata.is_normalized("NFC", path):
        _refuse_path(path, "it must be in Unicode normal form C")
    if any(_UNPORTABLE.search(name) for name in names):
        _refuse_path(path, "a part of it is not portable between file systems")
    if len(path.encode()) > _PATH_BYTES or any(len(name.encode()) > _PART_BYTES for name in names):
        _refuse_path(path, f"it is longer than {_PATH_BYTES} bytes, or a part longer than {_PART_BYTES}")


def _refuse_path(path: str, why: str) -> NoReturn:
    """Raise the InputError for an unusable path; `why` completes the message."""
    raise InputError(
        f"{path[:200]!r} is no path in the vault: {why}",
        code="invalid_path",
        next_step="give a relative path such as facts/2026-04/name.md",
    )


def folded(path: str) -> str:
    """Return a path without differences of case and Unicode composition: paths that a file system can take for one."""
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def path_key(path: str) -> str:
    """Return the first 16 hex digits of a path's SHA-256, which stand for it in the store's own file names."""
    return hashlib.sha256(path.encode()).hexdigest()[:16]


def temp_name() -> str:
    """Return a name for an incomplete new file, which contains only our bytes and is deleted after a crash."""
    return f".pellucid-{secrets.token_hex(8)}.tmp"


def swap_name(path: str) -> str:
    """Return a name for a file about to be exchanged with `path`; it can contain the user's bytes after a crash."""
    return f".pellucid-{path_key(path)}-{secrets.token_hex(8)}.swap"


def parked_name(path: str, digest: str) -> str:
    """Return a name for a displaced file; it contains the path's key, and `digest`, which the file should have."""
    return f"{path_key(path)}-{digest}-{secrets.token_hex(8)}"


def conflict_names(name: str, digest: str) -> tuple[str, ...]:
    """Return the names to try for a conflict file of `name`: `<stem>.conflict-<8, 16, then 64 digits of digest>.md`."""
    return tuple(f"{conflict_stem(name)}.conflict-{digest[:length]}.md" for length in (8, 16, 64))


def conflict_stem(name: str) -> str:
    """Return what the names of conflict files of a file name start with: that without `.md`, cut to 170 bytes."""
    stem = name.removesuffix(".md")
    while len(stem.encode()) > _PART_BYTES:
        stem = stem[:-1]
    return stem


def pseudonym() -> str:
    """Return a random path to replace that of a forgotten file; matches `PSEUDONYM`."""
    return f"forgotten/{secrets.token_hex(16)}"
