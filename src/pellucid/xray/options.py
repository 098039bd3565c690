"""The raw flags of an X-ray in, checked options out, before anything is recalled; and a rendered X-ray into a file."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp

from pellucid.errors import InputError
from pellucid.settings import NAMESPACE_PATTERN
from pellucid.xray.render import RENDERERS, Format
from pellucid.xray.visible import visible

BUDGET_AT_MOST = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly."""
_SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True)
class XrayOptions:
    """What one X-ray was asked for; None leaves the choice to the settings, or for `out` to the surface."""

    query: str
    format: Format = "text"
    budget: int | None = None
    """Characters of assembled context, for this recall only."""
    namespace: str | None = None
    out: Path | None = None


def parse(
    query: object,
    *,
    format: object = None,  # noqa: A002 - the flag's own name
    budget: object = None,
    namespace: object = None,
    out: object = None,
) -> XrayOptions:
    """The options, whichever surface they come from: words of a command line, a URL's strings, or JSON values.

    Raises:
        InputError: `missing_query`, `invalid_format`, `invalid_budget`, `invalid_namespace` or `invalid_out`.
    """
    return XrayOptions(
        query=parse_query(query),
        format=parse_format(format),
        budget=parse_budget(budget),
        namespace=parse_namespace(namespace),
        out=parse_out(out),
    )


def parse_query(value: object) -> str:
    """The query without the space around it."""
    if isinstance(value, str) and (query := value.strip()):
        return query
    raise InputError(
        "xray: <query> is required and must be non-empty",
        code="missing_query",
        next_step="say what to recall, in quotes",
    )


def recall_named(words: Sequence[str]) -> str | None:
    """The recall that is meant where a question could stand, if its id or `last` stands there alone; else None."""
    return words[0] if len(words) == 1 and re.fullmatch(r"rec_[0-9a-f]{32}|last(?:~\d+)?", words[0]) else None


def parse_format(value: object) -> Format:
    """One of the formats there are, in any case; text if none is asked for."""
    if value is None:
        return "text"
    name = value.strip().lower() if isinstance(value, str) else None
    for known in RENDERERS:
        if known == name:
            return known
    got = _shown(value) if isinstance(value, str) else _kind(value)
    raise InputError(
        f"--format expects one of {', '.join(RENDERERS)}; got {got}",
        code="invalid_format",
        next_step="name one of them, or leave it out for text",
    )


def parse_budget(value: object) -> int | None:
    """A positive whole number of characters, as a number or as digits."""
    if value is None:
        return None
    budget = _whole(value)
    if budget is not None and 0 < budget <= BUDGET_AT_MOST:
        return budget
    raise InputError(
        f"--budget expects a positive integer; got {_shown(value)}",
        code="invalid_budget",
        next_step=f"give characters, from 1 to {BUDGET_AT_MOST}, or leave it out",
    )


def parse_namespace(value: object) -> str | None:
    """`tenant/project`; blank is the same as not given."""
    namespace = _text_or_absent(value, "namespace")
    if namespace is None or re.fullmatch(NAMESPACE_PATTERN, namespace):
        return namespace
    raise InputError(
        f"--namespace expects tenant/project; got {_shown(namespace)}",
        code="invalid_namespace",
        next_step="use lower-case letters, digits, dots, dashes and underscores, as in local/default",
    )


def parse_out(value: object) -> Path | None:
    """The file to write, its `~` expanded; blank is the same as not given, and so is `-`, standard output."""
    name = _text_or_absent(os.fspath(value) if isinstance(value, Path) else value, "out")
    if name is None or name == "-":
        return None
    try:
        if "\0" not in name:
            return Path(name).expanduser()
        reason = "a path cannot hold a NUL character"
    except RuntimeError as error:  # a `~name` that is no user here
        reason = str(error)
    raise InputError(
        f"--out cannot be {_shown(name)}: {visible(reason)}", code="invalid_out", next_step="name another file"
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
                code="invalid_out", next_step="name a file elsewhere, or - for standard output",
            )  # fmt: skip
        _replace(target, (text,) if isinstance(text, str) else text)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def _replace(target: Path, pieces: Iterable[str]) -> None:
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


def _whole(value: object) -> int | None:
    """A whole number said as one; None for anything else. True and False are not numbers here."""
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"\s*\+?[0-9]{1,20}\s*", value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text_or_absent(value: object, flag: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or None
    raise InputError(
        f"--{flag} expects text; got {_kind(value)}", code=f"invalid_{flag}", next_step=f"leave {flag} out, or quote it"
    )


def _shown(value: object) -> str:
    """The value as JSON would write it, cut to a line; only its kind if it is no text, number or truth value."""
    if not isinstance(value, str | int | float):
        return _kind(value)
    shown = json.dumps(value, ensure_ascii=False)
    return visible(shown if len(shown) <= _SHOWN_CHARS else f"{shown[:_SHOWN_CHARS]}…")


def _kind(value: object) -> str:
    """The name JSON has for this kind of value."""
    kinds = ((bool, "boolean"), (int | float, "number"), (Mapping, "object"), (Sequence, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")
