"""Rows in, aligned lines out; counts in words; and excerpts of memories beside their ids in a text."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pellucid.clock import isoformat
from pellucid.model.memory import MEMORY_ID
from pellucid.xray.words.headline import headline
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


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line of headings and a line for each row, in aligned columns; empty if there are no rows. In cells,
    whitespace becomes single spaces and unseen characters are spelled out. Only the last column is cut: while
    `is_for_terminal`, to the width left in the terminal (24 at least), else to 100 characters.
    """
    if not rows:
        return []
    from rich.cells import cell_len, set_cell_size

    plain = [[visible(" ".join(cell.split())) for cell in row] for row in rows]
    widths = [max(cell_len(row[column]) for row in (headings, *plain)) for column in range(len(headings) - 1)]
    free_width = shutil.get_terminal_size().columns - sum(widths) - 2 * len(widths)
    last_width = max(free_width, _LEAST_WIDTH) if is_for_terminal() else _PIPED_WIDTH

    def line(row: Sequence[str]) -> str:
        """Return one line of the table, each cell padded or cut to its column."""
        *first, last = row
        if cell_len(last) > last_width:
            last = set_cell_size(last, last_width - 1).rstrip() + "…"
        return "  ".join([*map(set_cell_size, first, widths), last]).rstrip()

    return [line(headings), *map(line, plain)]


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, with an `s` unless the number is 1: `1 row`, `0 rows`, `1000 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def largest_first(counts: Mapping[str, int]) -> str:
    """Return counts as `python 12, markdown 3`, the largest first, equal counts by name; "" if there are none."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def past_instants(as_of: datetime | None, as_known_at: datetime | None) -> str:
    """Return these instants as `as of 2026-…, as known at 2026-…`; an instant that is None is left out, "" if
    both are.
    """
    instants = (("as of", as_of), ("as known at", as_known_at))
    return ", ".join(f"{name} {isoformat(at)}" for name, at in instants if at)


@contextmanager
def fitting_terminal() -> Generator[None]:
    """Fit the tables that are made in a `with` block to the terminal's width, if standard output is a terminal; else
    they have the width for pipes.
    """
    before = _TERMINAL.set(sys.stdout.isatty())
    try:
        yield
    finally:
        _TERMINAL.reset(before)


def is_for_terminal() -> bool:
    """Whether text is rendered for a terminal, to whose width it can be fitted (see `fitting_terminal`)."""
    return _TERMINAL.get()


def with_excerpts(app: App, text: str) -> str:
    """Return the text, with an excerpt at the end of each line for every memory whose id the line contains.

    No excerpt for a memory that the text quotes already, or that no longer exists in the app's namespace; a remark
    instead for a memory in quarantine, or limited to some scopes.

    The ids are looked for in the finished text, not named by the presenters: some stand in sentences that the ledger or
    a receipt recorded, excerpts stand at the end of a line whatever its presenter wrote, and only the whole text shows
    which memories it quotes already.
    """
    memory_ids = list(dict.fromkeys(MEMORY_ID.findall(text)))
    flat_text = " ".join(text.split())
    memories = (each.memory for each in app.index.memories(app.settings.namespace, memory_ids)) if memory_ids else ()
    remarks = {each.id: _excerpt_or_state(each) for each in memories if not _is_quoted(each, flat_text)}

    def line(text_line: str) -> str:
        """Return a line with an excerpt, or a remark such as `(in quarantine)`, for each memory that it names."""
        ids = dict.fromkeys(MEMORY_ID.findall(text_line))
        return "  ".join([text_line, *(remarks[memory_id] for memory_id in ids if memory_id in remarks)])

    return "\n".join(map(line, text.split("\n"))) if remarks else text


def _is_quoted(memory: Memory, flat_text: str) -> bool:
    """Whether a text has the memory's first 60 characters or so, word for word or as a headline. `flat_text` is the
    text with each run of whitespace as a single space.
    """
    content = " ".join(memory.content.split())[: _EXCERPT_CHARS - 1].rstrip()
    return content in flat_text or headline(memory.content, _EXCERPT_CHARS).rstrip("…") in flat_text


def _excerpt_or_state(memory: Memory) -> str:
    """Return the memory's first 60 characters as a headline in quotes; `(in quarantine)` for a quarantined memory, and
    `(kept to its scopes)` for one with scopes, as these must not be shown.
    """
    if memory.trust_zone == "quarantine":
        return "(in quarantine)"
    return "(kept to its scopes)" if memory.scopes else f"“{headline(memory.content, _EXCERPT_CHARS)}”"
