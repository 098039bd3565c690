"""Rows of the ledger in, the numbers of lost rows out, except those that a person gave up."""

from collections.abc import Iterable, Iterator
from typing import cast

LOSS = "loss"
"""The kind of the row by which a person gives up lost rows of the ledger (`model.ledger.LossRow`)."""
Span = tuple[int, int]  # the first and the last of some numbers in a row


def seq_of(row: dict[str, object]) -> int:
    """Return the sequence number of a ledger row; 0 if it has none, or none that is an integer."""
    seq = row.get("seq", 0)
    return seq if isinstance(seq, int) else 0


class Gaps:
    """Collects the sequence numbers missing from ledger rows read in order, less those given up by LOSS rows."""

    def __init__(self, after: int = 0) -> None:
        """Begin after the row number `after`: it and the numbers before it never count as missing."""
        self.last = after
        """The number of the last row."""
        self._passed: list[Span] = []
        self._given_up: list[Span] = []

    def take(self, row: dict[str, object]) -> None:
        """Take note of the next row, in order of numbers: those between the last row's and its own are missing.

        Numbers that a row of the kind `loss` names in `missing` are given up: the method `missing` leaves them out.
        """
        number = seq_of(row)
        if number > self.last + 1:
            self._passed.append((self.last + 1, number - 1))
        self.last = max(self.last, number)
        if row.get("kind") == LOSS:
            self._given_up += _spans_given_up(row.get("missing"))

    def missing(self, last_given: int = 0) -> tuple[Span, ...]:
        """Return the spans (first, last) of the numbers missing up to the last row read, or up to `last_given` if that
        is greater, in order; empty if none is.

        `last_given` is the last number assigned. Numbers given up are left out.
        """
        end = [(self.last + 1, last_given)] if last_given > self.last else []
        return tuple(_spans_without([*self._passed, *end], self._given_up))


def gaps_text(spans: Iterable[Span]) -> str:
    """Render spans of numbers as text such as `3, 7-9`."""
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans)


def spans(text: str) -> tuple[Span, ...]:
    """Parse a text such as `3, 7-9` (see `gaps_text`) into (first, last) spans; parts that are no spans are skipped."""
    out: list[Span] = []
    for each in text.split(", "):
        first, _, last = each.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            out.append((int(first), int(last or first)))
    return tuple(out)


def _spans_without(spans: Iterable[Span], given_up: Iterable[Span]) -> Iterator[Span]:
    """Yield the parts of the spans that hold no number of `given_up` (spans, too, in any order)."""
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
    """Return the (first, last) spans in the `missing` field of a LOSS row; malformed pairs are skipped."""
    out: list[Span] = []
    for each in cast("list[object]", value) if isinstance(value, list) else []:
        match each:
            case [int(first), int(last)] if 0 < first <= last:
                out.append((first, last))
            case _:
                pass
    return out
