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
    """A line of a ledger file: its number (from 1 if the file was read from its start), and its row if it is valid."""

    number: int
    row: LedgerRow | None


def encode(row: Mapping[str, object]) -> str:
    """Render a row that has no number yet as JSON text; raise InputError if it is not JSON or has a `seq` already."""
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InputError(f"a ledger row is not JSON: {error}", code="invalid_ledger_row") from error
    if "seq" in row:
        raise InputError("a ledger row may not bring its own seq: the store numbers it", code="invalid_ledger_row")
    return text


def file_name(month: str) -> str:
    """Return the name of a month's ledger file: `2026-04.jsonl` for `2026-04`."""
    return f"{month}.jsonl"


def months(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the size (bytes) and modification time (ns) of each ledger file, by month `2026-04`.

    Empty without a folder.
    """
    found = ((path.stem, path.stat()) for path in sorted(folder.glob(_MONTHS)))
    return {month: (status.st_size, status.st_mtime_ns) for month, status in found}


def append(folder: int, rows: Sequence[WaitingRow], recorded: FiledMonth | None) -> FiledMonth | None:
    """Append rows, at least one, all of one month, to its file in `folder` (an open descriptor), except those whose
    number the file has already. Not synced.

    An incomplete last line gets its line end if it is a row, else it is cut. `recorded` is the file's state as last
    written. Return its new state; None if `recorded` is None and the file was not empty. If `recorded` is `wanting`
    (the file was found changed), or the file was shorter than it says, return `recorded` as `wanting`.
    """
    month = rows[0].month
    with open(os.open(file_name(month), _OPEN, 0o600, dir_fd=folder), "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        recorded = recorded or (FiledMonth(month, 0, b"") if size == 0 else None)
        _, torn = _tail(file)
        if torn and _parsed_row(torn):
            file.write(b"\n")
        else:
            file.truncate(file.seek(-len(torn), os.SEEK_END))
        written_numbers = _numbers_in(file, rows[0].seq)
        file.seek(0, os.SEEK_END)
        file.writelines(_line(row) for row in rows if row.seq not in written_numbers)
        file.flush()
        if recorded is None:
            return None
        if recorded.wanting or recorded.size > size:
            return replace(recorded, wanting=True)
        file.seek(recorded.size)  # read back: lines that a crashed process appended count, too
        new_state = recorded.with_lines_added(file.read())
        return replace(new_state, mtime_ns=os.fstat(file.fileno()).st_mtime_ns)


def read(folder: Path, waiting: Sequence[WaitingRow] = (), after: int = 0) -> Iterator[LedgerRow]:
    """Yield the ledger rows with a `seq` above `after`, in order of `seq`, each once: those of the files, and the
    `waiting` ones, which are still in the journal.

    Lines that are no rows, and rows out of order (`_in_order`), are skipped. With `after`, only the end of each file is
    read.
    """
    files = sorted(folder.glob(_MONTHS))
    sources = [(line.row for line in lines(path, after) if line.row is not None) for path in files]
    last = after
    for row in merge(*sources, map(_numbered_row, waiting), key=seq_of):
        if seq_of(row) > last:  # a row may both stand in its file and wait, if a crash came in between
            last = seq_of(row)
            yield row


def lines(path: Path, after: int = 0) -> Iterator[LedgerLine]:
    """Return the lines of a ledger file, which is read at once; OSError if it cannot be read. Those with a row come in
    order; one without a row can come before the row that precedes it.

    With `after`, lines before the row of that number can be left out; `number` then counts from the first line read.
    Bytes after the last line end count only if they are a row. A line that is no row, or whose row is out of order
    (`_in_order`), has a `row` of None.
    """
    with path.open("rb") as file:
        file.seek(_start_after(file, after))
        *whole, torn = file.read().split(b"\n")
    return _in_order(_parsed_lines(whole, torn))


def last_seq(folder: Path) -> int:
    """Return the greatest of the numbers with which the ledger files end; 0 if there is none."""
    greatest = 0
    for path in folder.glob(_MONTHS):
        with path.open("rb") as file:
            greatest = max(greatest, _tail(file)[0])
    return greatest


def _parsed_lines(whole: Sequence[bytes], torn: bytes) -> Iterator[LedgerLine]:
    """Yield the complete lines `whole`, numbered from 1, each with its row, or None if it is no row; then `torn`, the
    bytes after the last line end, if they are a row.
    """
    for number, line in enumerate(whole, 1):
        yield LedgerLine(number, _parsed_row(line))
    if row := _parsed_row(torn):
        yield LedgerLine(len(whole) + 1, row)


def _in_order(parsed: Iterable[LedgerLine]) -> Iterator[LedgerLine]:
    """Yield the lines, that of a row out of order with a `row` of None; a line without a row can come before the row
    that precedes it.

    Of two successive rows whose numbers do not rise, the first is out of order (its number is too high) if the second's
    number lies between those of the row before and of the first; else the second is.
    """
    # a row is yielded only after the next: one with a lower number shows that its own number was too high
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


def _numbers_in(file: IO[bytes], first: int) -> set[int]:
    """Return the numbers of the rows in an open file that are at least `first`; some lower ones can be among them.
    Moves the file's position.
    """
    file.seek(_start_after(file, first - 1))
    return {seq_of(row) for line in file.read().split(b"\n") if (row := _parsed_row(line))}


def _tail(file: IO[bytes]) -> tuple[int, bytes]:
    """Return the number of the last valid row (0 if there is none), and the bytes after the last line end; the file's
    position is then its end.
    """
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
    """Return the offset of a line before which no row has a number above `after`: numbers grow within a file.

    It is 0 if `after` is 0, or if no such line is found.
    """
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
    """Return the row that a line of a ledger file contains; None if it is not a JSON object with a positive integer as
    `seq`.
    """
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("LedgerRow", row) if isinstance(row, dict) and seq_of(cast("LedgerRow", row)) > 0 else None


def _numbered_row(waiting: WaitingRow) -> LedgerRow:
    """Return a waiting row as a dictionary, with its number as `seq` in front."""
    # parsed though the text is ours: the journal gave the number after it, and the number stands in front
    return {"seq": waiting.seq, **json.loads(waiting.row)}


def _line(waiting: WaitingRow) -> bytes:
    """Render a waiting row as a line of the ledger file."""
    return json.dumps(_numbered_row(waiting), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
