"""A folder in, the root of the repository it stands in out: `.git` entries are looked at, and nothing is run.

A linked worktree belongs to its main checkout. That a `.git` file says so is not enough, for it may be a stranger's:
the repository itself must name the worktree, too.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pellucid.plain_file import open_to_read

_SMALL = 4096


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder that holds `.git`, and the main checkout of its repository: the same, but for a linked worktree."""

    top: Path
    main: Path


def checkout_of(folder: Path) -> Checkout | None:
    """The checkout that a folder stands in; None if no folder above it holds `.git`. It need not exist itself."""
    for each in (folder, *folder.parents):
        if os.path.lexists(each / ".git"):
            return Checkout(each, _main_checkout(each) or each)
    return None


def _main_checkout(top: Path) -> Path | None:
    """The main checkout of a linked worktree, if its repository agrees that it is one."""
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
    """The first 4 KiB of a plain file; nothing of a pipe, which would be waited for, nor of a link, out of it."""
    try:
        with open_to_read(path, follow=False) as file:
            plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            said = file.read(_SMALL) if plain else b""
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in said else os.fsdecode(said)
