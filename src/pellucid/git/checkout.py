"""A folder in, the checkout that it is in out: `.git` entries are read, and nothing is run.

A linked worktree belongs to its main checkout. A `.git` file that says so is not enough, because it can be a
stranger's: the repository must name the worktree in return.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from pellucid.plain_file import read_plain_file

_SMALL = 4096


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder that contains `.git`, and the main checkout of its repository; they differ only for a linked
    worktree."""

    top: Path
    main: Path


def checkout_of(folder: Path) -> Checkout | None:
    """Return the checkout of the nearest folder, this one or one above it, with a `.git` entry; None if there is none.

    The folder need not exist itself.
    """
    for each in (folder, *folder.parents):
        if os.path.lexists(each / ".git"):
            return Checkout(each, _main_checkout(each) or each)
    return None


def _main_checkout(top: Path) -> Path | None:
    """Return the main checkout, or the bare repository, of the linked worktree at `top`.

    None if `top` is not a linked worktree, or if its repository does not name it in return.
    """
    marker, target = _small_file_text(top / ".git").partition("gitdir:")[1:]
    if not marker or not target.strip():
        return None
    own = Path(os.path.realpath(top / target.strip()))
    back = _small_file_text(own / "gitdir").strip()
    if own.parent.name != "worktrees" or not back or os.path.realpath(own / back) != os.path.realpath(top / ".git"):
        return None
    repository = own.parent.parent
    return repository.parent if repository.name == ".git" else repository


def _small_file_text(path: Path) -> str:
    """Return the first 4 KiB of a regular file as text; empty for a link, for binary data, or for anything else."""
    try:
        data = read_plain_file(path, _SMALL, follow=False) or b""
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in data else os.fsdecode(data)
