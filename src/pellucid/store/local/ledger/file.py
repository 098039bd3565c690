"""Numbered rows in, `ledger/YYYY-MM.jsonl` out: one JSON object a line, each exactly once, whatever crashed."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from pathlib import Path
from typing import IO, cast

from pellucid.errors import InputError
from pellucid.store.ledger_gaps import seq_of
from pellucid.store.local.journal import FiledMonth, WaitingRow
from pellucid.store.records import LedgerRow

_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_WINDOW = 1 << 14
_MONTHS = "????-??.jsonl"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A line of a file: where it stands (from 1 where the file was read from its start), and its row if it is one."""

    number: int
    row: LedgerRow | None


def encode(row: Mapping[str, object]) -> str:
    """The JSON text of a row that has no number yet.

    Raises:
        InputError: a value is not JSON, or the row brings a `seq` of its own.
    """
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InputError(f"a ledger row is not JSON: {error}", code="invalid_ledger_row") from error
    if "seq" in row:
        raise InputError("a ledger row may not bring its own seq: the store numbers it", code="invalid_ledger_row")
    return text


def file_name(month: str) -> str:
    """`2026-04` → `2026-04.jsonl`."""
    return f"{month}.jsonl"


def months(folder: Path) -> dict[str, tuple[int, int]]:
    """The size of each month's file, by month, and when it was written, in nanoseconds."""
    found = ((path.stem, path.stat()) for path in sorted(folder.glob(_MONTHS)))
    return {month: (status.st_size, status.st_mtime_ns) for month, status in found}


def append(folder: int, rows: Sequence[WaitingRow], known: FiledMonth | None) -> FiledMonth | None:
    """Add rows of one month to its file in an open folder, except those a crash let in before; not yet synced.

    A torn last line is cut first: its row still waits, and is written again. `known` is what the file held when it was
    last written; what it holds now is returned, None where nobody knew and it was not new.
    """
    month = rows[0].month
    with open(os.open(file_name(month), _OPEN, 0o600, dir_fd=folder), "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        known = known or (FiledMonth(month, 0, b"") if size == 0 else None)
        _, torn = _tail(file)
        if torn and _parsed_row(torn):
            file.write(b"\n")
        else:
            file.truncate(file.seek(-len(torn), os.SEEK_END))
        there = _numbers_in(file, rows[0].seq)
        file.seek(0, os.SEEK_END)
        file.writelines(_line(row) for row in rows if row.seq not in there)
        file.flush()
        if known is None:
            return None
        if known.wanting or known.size > size:
            return replace(known, wanting=True)
        file.seek(known.size)
        grown = known.with_lines_added(file.read())
        return replace(grown, mtime_ns=os.fstat(file.fileno()).st_mtime_ns)


def read(folder: Path, waiting: Sequence[WaitingRow] = (), after: int = 0) -> Iterator[LedgerRow]:
    """Every row of the ledger whose `seq` is greater, in that order, those that still wait included.

    A line that is no row is passed over (`survey` names it), as is a row whose number does not stand between those of
    its neighbours. Only the end of a file is read, from a little before the first such row.
    """
    sources = [_rows(lines(path, after)) for path in sorted(folder.glob(_MONTHS))]
    last = after
    for row in merge(*sources, map(_number, waiting), key=seq_of):
        if seq_of(row) > last:  # a row may both stand in its file and wait, if a crash came in between
            last = seq_of(row)
            yield row


def lines(path: Path, after: int = 0) -> Iterator[LedgerLine]:
    """The lines of a file, in order of their numbers: those up to the row `after` may be left out.

    What stands behind the last line end is a line only if it is a row: else its row still waits.
    """
    with path.open("rb") as file:
        file.seek(_start_after(file, after))
        *whole, torn = file.read().split(b"\n")
    return _in_order(_parsed_lines(whole, torn))


def last_seq(folder: Path) -> int:
    """The greatest number in the files; 0 if there are none."""
    greatest = 0
    for path in folder.glob(_MONTHS):
        with path.open("rb") as file:
            greatest = max(greatest, _tail(file)[0])
    return greatest


def _parsed_lines(whole: Sequence[bytes], torn: bytes) -> Iterator[LedgerLine]:
    for number, line in enumerate(whole, 1):
        yield LedgerLine(number, _parsed_row(line))
    if row := _parsed_row(torn):
        yield LedgerLine(len(whole) + 1, row)


def _in_order(parsed: Iterable[LedgerLine]) -> Iterator[LedgerLine]:
    """The lines, without the row of one whose number is not greater than the last, or hides the next.

    One line that says a number too high would otherwise make every row behind it look old.
    """
    last, held = 0, None
    for line in parsed:
        if line.row is None:
            yield line
        elif held is None or held.row is None or seq_of(line.row) > seq_of(held.row):
            if held is not None and held.row is not None:
                last = seq_of(held.row)
                yield held
            held = line
        elif seq_of(held.row) > seq_of(line.row) > last:
            yield LedgerLine(held.number, None)
            held = line
        else:
            yield LedgerLine(line.number, None)
    if held is not None:
        yield held


def _rows(found: Iterable[LedgerLine]) -> Iterator[LedgerRow]:
    return (line.row for line in found if line.row is not None)


def _numbers_in(file: IO[bytes], first: int) -> set[int]:
    """The numbers from `first` on that stand in a file."""
    file.seek(_start_after(file, first - 1))
    return {seq_of(row) for line in file.read().split(b"\n") if (row := _parsed_row(line))}


def _tail(file: IO[bytes]) -> tuple[int, bytes]:
    """The number of the last sound line, and what stands after the last line end; leaves the file at its end."""
    size = file.seek(0, os.SEEK_END)
    window = _WINDOW
    while True:
        start = max(0, size - window)
        file.seek(start)
        *ended, torn = file.read().split(b"\n")
        whole = ended[1:] if start else ended
        last = next((seq_of(row) for line in reversed(whole) if (row := _parsed_row(line))), 0)
        if last or not start:
            return max(last, seq_of(_parsed_row(torn) or {})), torn
        window *= 8


def _start_after(file: IO[bytes], after: int) -> int:
    """Where a line starts before which no row has a number greater than `after`: numbers grow within a file."""
    size = file.seek(0, os.SEEK_END)
    window = _WINDOW
    while after and window < size:
        file.seek(size - window)
        file.readline()  # the rest of a line
        start = file.tell()
        row = _parsed_row(file.readline().rstrip(b"\n"))
        if row and seq_of(row) <= after:
            return start
        window *= 4
    return 0


def _parsed_row(line: bytes) -> LedgerRow | None:
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("LedgerRow", row) if isinstance(row, dict) and seq_of(cast("LedgerRow", row)) > 0 else None


def _number(waiting: WaitingRow) -> LedgerRow:
    return {"seq": waiting.seq, **json.loads(waiting.row)}


def _line(waiting: WaitingRow) -> bytes:
    return json.dumps(_number(waiting), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
