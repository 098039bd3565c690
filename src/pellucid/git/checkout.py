"""A folder in, the root of the repository it stands in out: `.git` entries are looked at, and nothing is run.

A linked worktree belongs to its main checkout. That a `.git` file says so is not enough, for it may be a stranger's:
the repository itself must name the worktree, too.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from pellucid.plain_file import read_plain_file

_SMALL = 4096


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder that holds `.git`, and the main checkout of its repository; they differ for a linked worktree only."""

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
    """Return the main checkout (or the bare repository) of the linked worktree at `top`.

    None if `top` is no linked worktree, or if its repository does not name it in return.
    """
    named, target = _small_file_text(top / ".git").partition("gitdir:")[1:]
    if not named or not target.strip():
        return None
    own = Path(os.path.realpath(top / target.strip()))
    back = _small_file_text(own / "gitdir").strip()
    if own.parent.name != "worktrees" or not back or os.path.realpath(own / back) != os.path.realpath(top / ".git"):
        return None
    shared = own.parent.parent
    return shared.parent if shared.name == ".git" else shared


def _small_file_text(path: Path) -> str:
    """Return the first 4 KiB of a regular file as text; "" for anything else, for a link, or for binary data."""
    try:
        data = read_plain_file(path, _SMALL, follow=False) or b""
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in data else os.fsdecode(data)
