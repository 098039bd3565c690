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
"""Matches a flag, and the `name=value` after it."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the surface in use (command line, HTTP, MCP, dashboard) writes commands and flags in its texts."""

    command: Callable[[str], str | None]
    """Takes a command without the program's name, such as `undo op_1`; returns None if the surface cannot run it."""
    flag: Callable[[str, str, Any], str] = lambda name, pair, _row: f"{name} {pair}".rstrip()
    """Takes a flag such as `--top-k`, the `name=value` after it or "", and the operation whose flag it is."""
    row: Any = None
    """The operation that is being answered, if any."""


_TYPED = Spelling(lambda words: f"pellucid {words}")
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_TYPED)


@contextmanager
def spelled_by(spelling: Spelling) -> Generator[None]:
    """Use this spelling in `command`, `quoted`, `flag` and `spell_commands` for the length of a `with` block."""
    before = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(before)


def command(words: str) -> str:
    """Return a command such as `undo op_1` as the surface in use writes it. `pellucid undo op_1 (in a shell)` if that
    surface cannot run it.
    """
    return _spelled(words) or f"pellucid {words} (in a shell)"


def quoted(words: str) -> str:
    """Return a command such as `undo op_1` in backticks, as the surface in use writes it. `in a shell` follows if that
    surface cannot run it.
    """
    spelled = _spelled(words)
    return f"`{spelled}`" if spelled else f"`pellucid {words}` in a shell"


def _spelled(words: str) -> str | None:
    """Return a command as the surface in use writes it; None if that surface cannot run it. None also if a value in it
    is invalid, as in `--limit N`: a hint must never make an answer fail.
    """
    try:
        return _SPELLING.get().command(words)
    except InputError:
        return None


def flag(name: str, pair: str = "") -> str:
    """Return a flag such as `--chain` as the surface in use writes it; `pair` is the `name=value` after it, or ""."""
    spelling = _SPELLING.get()
    return spelling.flag(name, pair, spelling.row)


@contextmanager
def answering(row: Any) -> Generator[None]:
    """Spell the flags of this operation in `flag`, for the length of a `with` block."""
    with spelled_by(replace(_SPELLING.get(), row=row)):
        yield


def spell_commands(text: str) -> str:
    """Write each command in backticks and each flag of a text as the surface in use does; other text is unchanged."""
    return _FLAG.sub(lambda found: flag(found[1], found[2] or ""), _COMMAND.sub(lambda found: quoted(found[1]), text))
