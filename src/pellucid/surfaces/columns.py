"""Rows in, aligned lines out; counts in words; and the words of a memory beside its id, wherever text names one."""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from datetime import datetime

    from pellucid.app import App
    from pellucid.model.memory import Memory

_PIPED_WIDTH = 100
"""Width of the last column if the output is no terminal."""
_LEAST_WIDTH = 24
"""Width of the last column in the narrowest terminal."""
_EXCERPT_CHARS = 60
"""Characters of a memory's excerpt beside its id."""
_TERMINAL: ContextVar[bool] = ContextVar("terminal", default=False)
_MEMORY_ID = re.compile(r"\bmem_[0-9a-f]{32}\b")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A line of headings and a line for each row, in aligned columns; no lines at all without rows.

    Only the last column is cut: to the width left in the terminal (24 at least), or to 100 characters in a pipe.
    """
    if not rows:
        return []
    from rich.cells import cell_len, set_cell_size

    plain = [[visible(" ".join(cell.split())) for cell in row] for row in rows]
    widths = [max(cell_len(row[column]) for row in (headings, *plain)) for column in range(len(headings) - 1)]
    left = shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths)
    last_width = max(left, _LEAST_WIDTH) if is_for_terminal() else _PIPED_WIDTH

    def line(row: Sequence[str]) -> str:
        """One line of the table, each cell padded or cut to its column."""
        *first, last = row
        if cell_len(last) > last_width:
            last = set_cell_size(last, last_width - 1).rstrip() + "…"
        return "  ".join([*map(set_cell_size, first, widths), last]).rstrip()

    return [line(headings), *map(line, plain)]


def count_of(number: int, noun: str) -> str:
    """A number with its noun, to which an `s` is added unless the number is 1: `1 row`, `0 rows`, `1000 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def largest_first(counts: Mapping[str, int]) -> str:
    """Counts by name as `python 12, markdown 3`, the largest first, equal ones by name; "" if there are none."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def past_instants(as_of: datetime | None, as_known_at: datetime | None) -> str:
    """The given instants as `as of 2026-…, as known at 2026-…`, without the one that is None; "" if both are."""
    instants = (("as of", as_of), ("as known at", as_known_at))
    return ", ".join(f"{name} {isoformat(at)}" for name, at in instants if at)


@contextmanager
def fitting_terminal() -> Generator[None]:
    """Have `table` fit the terminal for the length of a `with` block, if standard output is one."""
    before = _TERMINAL.set(sys.stdout.isatty())
    try:
        yield
    finally:
        _TERMINAL.reset(before)


def is_for_terminal() -> bool:
    """Whether the text rendered now goes to a terminal (see `fitting_terminal`) and may be fitted to it."""
    return _TERMINAL.get()


def with_excerpts(app: App, text: str) -> str:
    """The text, with an excerpt at the end of each line for every memory whose id the line names.

    A memory that the text quotes already, or that no longer exists in the app's namespace, gets none. Of one in
    quarantine, or limited to some scopes, only that is said.
    """
    named = list(dict.fromkeys(_MEMORY_ID.findall(text)))
    flat_text = " ".join(text.split())
    memories = (each.memory for each in app.index.memories(app.settings.namespace, named)) if named else ()
    remarks = {each.id: _excerpt_or_state(each) for each in memories if _excerpt(each).rstrip("…") not in flat_text}

    def line(each: str) -> str:
        """A line of the text with an excerpt, or a remark such as `(in quarantine)`, for each memory that it names."""
        here = dict.fromkeys(_MEMORY_ID.findall(each))
        return "  ".join([each, *(remarks[memory_id] for memory_id in here if memory_id in remarks)])

    return "\n".join(map(line, text.split("\n"))) if remarks else text


def _excerpt(memory: Memory) -> str:
    """The memory's content on one line, cut to 60 characters."""
    content = " ".join(memory.content.split())
    return content if len(content) <= _EXCERPT_CHARS else content[: _EXCERPT_CHARS - 1].rstrip() + "…"


def _excerpt_or_state(memory: Memory) -> str:
    """The memory's excerpt in quotes; if that may not be shown, `(in quarantine)` or `(kept to its scopes)`."""
    if memory.trust_zone == "quarantine":
        return "(in quarantine)"
    return "(kept to its scopes)" if memory.scopes else f"“{_excerpt(memory)}”"
