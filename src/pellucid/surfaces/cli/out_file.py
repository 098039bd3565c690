"""A path and text in, a private file, written as a whole, out: where `--out` and `--svg` write."""

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkstemp

from pellucid.errors import InputError
from pellucid.surfaces.cli.session import note, write
from pellucid.xray.words.visible import visible


def deliver(text: str | Iterable[str], target: Path | None, home: Path, prefix: str = "") -> None:
    """Print a text, or lines one by one as they are made, to standard output; with a `target`, write them to that file
    instead, and note `wrote …` on standard error.

    An iterable gives lines, each of which gets a line end; a string stays as it is in a file. `prefix` is put before
    the file's name in the note. `InputError` if the file is in `home`, Pellucid's own folder, or cannot be written.
    """
    if target is None:
        for each in (text,) if isinstance(text, str) else text:
            write(each)
    else:
        write_out(target, text if isinstance(text, str) else (f"{each}\n" for each in text), home)
        note(f"wrote {prefix}{target}")


def out_file(option: str | None) -> Path | None:
    """Return the path that `--out` names, with `~` expanded; None for standard output: `-`, blank or not given.
    `InputError` for a text that cannot be a path.
    """
    name = (option or "").strip()
    if name in ("", "-"):
        return None
    try:
        if "\0" not in name:
            return Path(name).expanduser()
        reason = "a path cannot hold a NUL character"
    except RuntimeError as error:  # a `~name` that is no user here
        reason = str(error)
    raise InputError(
        f'--out cannot be "{visible(name)}": {visible(reason)}', code="invalid_out", next_step="name another file"
    )


def write_out(path: Path, text: str | Iterable[str], home: Path) -> None:
    """Write a text, or its pieces as they come, to a file with mode 0600 that replaces the old one as a whole.

    A link is followed to the file it names; the file's folder must exist. Folders, devices, pipes and everything in
    `home` are refused.

    Raises:
        InputError: `invalid_out`: the file could not be written, and is unchanged.
    """
    target = Path(os.path.realpath(path))
    try:
        if os.path.lexists(target) and not target.is_file():
            raise _unwritable_error(path, "it is not a regular file")
        if any(each.exists() and home.exists() and each.samefile(home) for each in target.parents):
            raise InputError(
                f"--out: {visible(str(path))} lies in Pellucid's home {visible(str(home))}, which keeps memories alone",
                code="invalid_out",
                next_step="name a file elsewhere, or - for standard output",
            )
        _replace(target, (text,) if isinstance(text, str) else text)
    except OSError as error:
        raise _unwritable_error(path, error.strerror or str(error)) from error


def _replace(target: Path, pieces: Iterable[str]) -> None:
    """Write the pieces to a temporary file (mode 0600) beside the target, then move it to the target's place."""
    descriptor, name = mkstemp(dir=target.parent, prefix=".xray-")  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.writelines(piece.encode() for piece in pieces)
            file.flush()
            os.fsync(descriptor)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)  # only there if something failed


def _unwritable_error(path: Path, reason: str) -> InputError:
    """Return the error that the file of `--out` could not be written; `reason` ends its message."""
    return InputError(
        f"--out: {visible(str(path))} could not be written: {reason}",
        code="invalid_out",
        next_step="name a file in a folder that exists and that you may write to",
    )
