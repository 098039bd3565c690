"""Headings and rows in, aligned lines out; and the words of a memory beside its id, wherever text names one."""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pellucid.app import App
    from pellucid.model.memory import Memory

_PIPED = 100
"""Cells of the last column where no terminal says how wide it is."""
_LEAST = 24
"""Cells of the last column in the narrowest terminal."""
_BESIDE = 60
"""Characters of a memory's words beside its id."""
_TERMINAL: ContextVar[bool] = ContextVar("terminal", default=False)
_MEMORY_ID = re.compile(r"\bmem_[0-9a-f]{32}\b")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A line of headings and a line a row; none without rows. Columns stand two blanks apart.

    The last column is cut to what is left of the terminal; in a pipe it may take 100 characters. The others are whole.
    """
    if not rows:
        return []
    from rich.cells import cell_len, set_cell_size

    plain = [[visible(" ".join(cell.split())) for cell in row] for row in rows]
    widths = [max(cell_len(row[column]) for row in (headings, *plain)) for column in range(len(headings) - 1)]
    room = _width_left(sum(widths) + 2 * len(widths))

    def line(row: Sequence[str]) -> str:
        """One line of the table, each cell as wide as its column."""
        *first, last = row
        if cell_len(last) > room:
            last = set_cell_size(last, room - 1).rstrip() + "…"
        return "  ".join([*map(set_cell_size, first, widths), last]).rstrip()

    return [line(headings), *map(line, plain)]


def _width_left(taken: int) -> int:
    if not is_for_terminal():
        return _PIPED
    return max(shutil.get_terminal_size().columns - taken, _LEAST)


@contextmanager
def fitting_terminal() -> Generator[None]:
    """What is told within the block goes to standard output, and fits the terminal if that is one."""
    before = _TERMINAL.set(sys.stdout.isatty())
    try:
        yield
    finally:
        _TERMINAL.reset(before)


def is_for_terminal() -> bool:
    """Whether what is told now goes to a terminal: on every other way it is the same everywhere."""
    return _TERMINAL.get()


def with_words(app: App, text: str) -> str:
    """A text with each memory's words, shortened, at the end of every line that names it by its id.

    A memory whose words stand in the text already gets none, nor does one that is no longer there. The words of one in
    quarantine or of certain scopes are not told by the way: `pellucid show` shows them to who asks for them.
    """
    named = list(dict.fromkeys(_MEMORY_ID.findall(text)))
    told = " ".join(text.split())
    memories = (each.memory for each in app.index.memories(app.settings.namespace, named)) if named else ()
    words = {
        each.id: _excerpt_or_state(each, short) for each in memories if (short := _short(each)).rstrip("…") not in told
    }

    def line(each: str) -> str:
        here = dict.fromkeys(_MEMORY_ID.findall(each))
        return "  ".join([each, *(words[memory_id] for memory_id in here if memory_id in words)])

    return "\n".join(map(line, text.split("\n"))) if words else text


def _short(memory: Memory) -> str:
    words = " ".join(memory.content.split())
    return words if len(words) <= _BESIDE else words[: _BESIDE - 1].rstrip() + "…"


def _excerpt_or_state(memory: Memory, short: str) -> str:
    if memory.trust_zone == "quarantine":
        return "(in quarantine)"
    return "(kept to its scopes)" if memory.scopes else f"“{short}”"
