"""A folder in, the checkout that it is in out: `.git` entries are read, and nothing is run.

A linked worktree belongs to its main checkout. A `.git` file that says so is not enough, because it can be a
stranger's: the repository must name the worktree in return.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from pellucid.plain_file import read_plain_file


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder that contains `.git`, and the main checkout of its repository; they differ only for a linked
    worktree."""

    top: Path
    main: Path


def checkout_of(folder: Path) -> Checkout | None:
    """Return the checkout of the nearest folder, this one or one above it, with a `.git` entry; None if there is none.

    `top` is that folder; `main` is the main checkout (or the bare repository) if it is a linked worktree (see
    `_main_checkout`), else the same folder. The folder given need not exist itself."""
    for each in (folder, *folder.parents):
        if os.path.lexists(each / ".git"):
            return Checkout(each, _main_checkout(each) or each)
    return None


def _main_checkout(top: Path) -> Path | None:
    """Return the main checkout, or the bare repository, of the linked worktree at `top`.

    None if `top` is not a linked worktree, or if its repository does not name it in return.
    """
    marker, target = small_file_text(top / ".git", follow=False).partition("gitdir:")[1:]
    if not marker or not target.strip():
        return None
    own = Path(os.path.realpath(top / target.strip()))
    back = small_file_text(own / "gitdir", follow=False).strip()
    if own.parent.name != "worktrees" or not back or os.path.realpath(own / back) != os.path.realpath(top / ".git"):
        return None
    repository = own.parent.parent
    return repository.parent if repository.name == ".git" else repository


def small_file_text(path: Path, *, follow: bool = True) -> str:
    """Return the first 64 KiB of a regular file as text; empty for binary data, for a pipe, or if it cannot be read.

    A symbolic link is read only with `follow`.
    """
    try:
        data = read_plain_file(path, 1 << 16, follow=follow) or b""
    except (OSError, ValueError):
        return ""
    return "" if b"\0" in data else os.fsdecode(data)
