"""Rows of the ledger in, the numbers that nobody can show any more out: what was lost and not given up."""

from collections.abc import Iterable, Iterator
from typing import cast

LOSS = "loss"
"""The kind of the row by which a person gives up what the ledger lost (`model.ledger.LossRow`)."""
Span = tuple[int, int]
"""The first and the last of some numbers in a row."""


def seq_of(row: dict[str, object]) -> int:
    """The number of a row; 0 if it has none."""
    seq = row.get("seq", 0)
    return seq if isinstance(seq, int) else 0


class Gaps:
    """The numbers passed over by rows that come in their order, less those that were given up."""

    def __init__(self, after: int = 0) -> None:
        self.last = after
        """The number of the last row."""
        self._passed: list[Span] = []
        self._given_up: list[Span] = []

    def take(self, row: dict[str, object]) -> None:
        """Look at the next row, in the order of numbers: what it leaves out, and what it gives up."""
        number = seq_of(row)
        if number > self.last + 1:
            self._passed.append((self.last + 1, number - 1))
        self.last = max(self.last, number)
        if row.get("kind") == LOSS:
            self._given_up += _spans_given_up(row.get("missing"))

    def missing(self, given: int = 0) -> tuple[Span, ...]:
        """What is missing up to the last row, or up to the last number that was `given`."""
        end = [(self.last + 1, given)] if given > self.last else []
        return tuple(_spans_without([*self._passed, *end], self._given_up))


def gaps_text(spans: Iterable[Span]) -> str:
    """`3, 7-9`."""
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans)


def spans(text: str) -> tuple[Span, ...]:
    """The spans that a text of `gaps_text` names; parts that are something else are passed over."""
    out: list[Span] = []
    for each in text.split(", "):
        first, _, last = each.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            out.append((int(first), int(last or first)))
    return tuple(out)


def _spans_without(spans: Iterable[Span], given_up: Iterable[Span]) -> Iterator[Span]:
    """What is left of spans where others are taken out."""
    gone = sorted(given_up)
    for span in spans:
        first, end = span
        for start, stop in gone:
            if stop < first or start > end:
                continue
            if start > first:
                yield first, start - 1
            first = stop + 1
        if first <= end:
            yield first, end


def _spans_given_up(value: object) -> list[Span]:
    """What a row says it gives up; nothing where it says nonsense."""
    out: list[Span] = []
    for each in cast("list[object]", value) if isinstance(value, list) else []:
        match each:
            case [int(first), int(last)] if 0 < first <= last:
                out.append((first, last))
            case _:
                pass
    return out
