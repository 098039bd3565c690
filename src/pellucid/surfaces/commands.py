"""A command in, the same as the surface in use writes it out: a shell command, an HTTP request, or a tool's call."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from pellucid.errors import InputError

_COMMAND = re.compile("`pellucid ([^`]+)`")
_FLAG = re.compile(r"(?<![\w`'-])(--[a-z][a-z-]*)(?: ([\w.]+=(?:'[^']*'|\[\]|[\w.-]*\w)))?")
"""A flag, and the `name=value` behind it."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the surface in use (command line, HTTP, MCP, dashboard) writes commands and flags in its texts."""

    command: Callable[[str], str | None]
    """Takes a command without the program's name, such as `undo op_1`; returns None if the surface cannot run it."""
    flag: Callable[[str, str, Any], str] = lambda name, pair, _row: f"{name} {pair}".rstrip()
    """Takes a flag such as `--top-k`, the `name=value` behind it or "", and the operation whose flag it is."""
    row: Any = None
    """The operation that is being answered, if any."""


_TYPED = Spelling(lambda words: f"pellucid {words}")
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_TYPED)


@contextmanager
def spelled_by(spelling: Spelling) -> Generator[None]:
    """Have `command`, `quoted`, `flag` and `spell_commands` use this spelling for the length of a `with` block."""
    before = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(before)


def command(words: str) -> str:
    """How the surface in use writes a command such as `undo op_1`; `pellucid undo op_1 (in a shell)` if it cannot run
    it.
    """
    return _spelled(words) or f"pellucid {words} (in a shell)"


def quoted(words: str) -> str:
    """How the surface in use writes a command such as `undo op_1`, in backticks; with ` in a shell` if it cannot run
    it.
    """
    here = _spelled(words)
    return f"`{here}`" if here else f"`pellucid {words}` in a shell"


def _spelled(words: str) -> str | None:
    """A command as the surface in use writes it; None if that cannot run it, or a value in it is none, as in a text
    that says `--limit N`: a hint is never why an answer fails.
    """
    try:
        return _SPELLING.get().command(words)
    except InputError:
        return None


def flag(name: str, pair: str = "") -> str:
    """How the surface in use writes a flag such as `--chain`; `pair` is the `name=value` behind it, "" for none."""
    here = _SPELLING.get()
    return here.flag(name, pair, here.row)


@contextmanager
def answering(row: Any) -> Generator[None]:
    """Have `flag` spell the flags of this operation for the length of a `with` block."""
    with spelled_by(replace(_SPELLING.get(), row=row)):
        yield


def spell_commands(text: str) -> str:
    """Write each command in backticks and each flag of a text as the surface in use writes them; other text stays."""
    return _FLAG.sub(lambda found: flag(found[1], found[2] or ""), _COMMAND.sub(lambda found: quoted(found[1]), text))
