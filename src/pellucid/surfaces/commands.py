"""A command in, the same as it is asked for here out: typed in a shell, sent to a server, or the call of a tool."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

_COMMAND = re.compile("`pellucid ([^`]+)`")
_FLAG = re.compile(r"(?<![\w`'-])(--[a-z][a-z-]*)(?: ([\w.]+=(?:'[^']*'|\[\]|[\w.-]*\w)))?")
"""A flag, and the `name=value` behind it."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a surface spells what the command line types; each gives None for what it does not offer."""

    command: Callable[[str], str | None]
    """Of a command without the program's name, such as `undo op_1`."""
    flag: Callable[[str, str, Any], str] = lambda name, pair, _row: f"{name} {pair}".rstrip()
    """Of a flag, such as `--top-k`, of the `name=value` behind it, if any, and of the operation that is asked."""
    row: Any = None
    """The operation that is asked."""


_TYPED = Spelling(lambda words: f"pellucid {words}")
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_TYPED)


@contextmanager
def spelled_by(spelling: Spelling) -> Generator[None]:
    """Commands are spelled like this until the end of the block."""
    before = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(before)


def command(words: str) -> str:
    """A command, such as `undo op_1`, at the end of a line; what is not offered here, a person types in a shell."""
    return _SPELLING.get().command(words) or f"pellucid {words} (in a shell)"


def quoted(words: str) -> str:
    """The same within a sentence."""
    here = _SPELLING.get().command(words)
    return f"`{here}`" if here else f"`pellucid {words}` in a shell"


def flag(name: str, pair: str = "") -> str:
    """A flag of the command that was asked, such as `--chain`, with the `name=value` behind it."""
    here = _SPELLING.get()
    return here.flag(name, pair, here.row)


@contextmanager
def answering(row: Any) -> Generator[None]:
    """Flags are those of this operation until the end of the block."""
    with spelled_by(replace(_SPELLING.get(), row=row)):
        yield


def respelled(text: str) -> str:
    """A text of our own, with the commands and flags in it as they are asked for here."""
    return _FLAG.sub(lambda found: flag(found[1], found[2] or ""), _COMMAND.sub(lambda found: quoted(found[1]), text))
