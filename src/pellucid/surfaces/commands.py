"""A command in, the same as it must be typed where it is read out: at the home and the namespace of the call."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Spelling = Callable[[str], str]


def _as_it_is(words: str) -> str:
    return words


_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_as_it_is)


@contextmanager
def spelled_by(spelling: Spelling) -> Generator[None]:
    """Commands are spelled like this until the end of the block."""
    before = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(before)


def command(words: str) -> str:
    """A command to type, such as `undo op_1`, with the program's name before it."""
    return _SPELLING.get()(f"pellucid {words}")
