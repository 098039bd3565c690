"""A path and text in, a file that is whole and its owner's alone out: where `--out` and `--svg` write."""

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkstemp

from pellucid.errors import InputError
from pellucid.surfaces.cli.session import note, write
from pellucid.xray.words.visible import visible


def deliver(text: str | Iterable[str], target: Path | None, home: Path, what: str = "") -> None:
    """Print text, or each piece of it as it is made; or write it to a file outside of the home, and say that."""
    if target is None:
        for each in (text,) if isinstance(text, str) else text:
            write(each)
    else:
        write_out(target, text if isinstance(text, str) else (f"{each}\n" for each in text), home)
        note(f"wrote {what}{target}")


def out_file(given: str | None) -> Path | None:
    """The file to write, its `~` expanded; blank is the same as not given, and so is `-`, standard output."""
    name = (given or "").strip()
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
    """Write `text` to a file that only its owner can read; whoever reads it sees the old one or the whole new one.

    Given in pieces, it is written as they come. A link is followed to the file it names. Folders, devices and pipes are
    refused, never replaced; so is everything in `home`, whichever way leads there: it is Pellucid's own.

    Raises:
        InputError: `invalid_out`: the file could not be written; what stood there before stands there still.
    """
    target = Path(os.path.realpath(path))
    try:
        if os.path.lexists(target) and not target.is_file():
            raise _unwritable(path, "it is not a regular file")
        if any(each.exists() and home.exists() and each.samefile(home) for each in target.parents):
            raise InputError(
                f"--out: {visible(str(path))} lies in Pellucid's home {visible(str(home))}, which keeps memories alone",
                code="invalid_out",
                next_step="name a file elsewhere, or - for standard output",
            )
        _replace(target, (text,) if isinstance(text, str) else text)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def _replace(target: Path, pieces: Iterable[str]) -> None:
    """Write beside the target, then put it in the target's place."""
    descriptor, name = mkstemp(dir=target.parent, prefix=".xray-")  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.writelines(piece.encode() for piece in pieces)
            file.flush()
            os.fsync(descriptor)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)  # only there if something failed


def _unwritable(path: Path, reason: str) -> InputError:
    return InputError(
        f"--out: {visible(str(path))} could not be written: {reason}",
        code="invalid_out",
        next_step="name a file in a folder that exists and that you may write to",
    )
