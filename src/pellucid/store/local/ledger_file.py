"""Numbered rows in, `ledger/YYYY-MM.jsonl` out: one JSON object a line, each exactly once, whatever crashed."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from pathlib import Path
from typing import IO, cast

from pellucid.errors import InputError, StoreError
from pellucid.store.local.journal import WaitingRow
from pellucid.store.records import LedgerRow

_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_WINDOW = 1 << 14


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


def append(folder: int, month: str, rows: Sequence[WaitingRow]) -> None:
    """Add rows to a month's file in an open folder, except those a crash let in before; not yet synced.

    A torn last line is cut first: its row still waits, and is written again.
    """
    with open(os.open(file_name(month), _OPEN, 0o600, dir_fd=folder), "r+b") as file:
        last, torn = _tail(file)
        if torn and _parse(torn):
            file.write(b"\n")
        else:
            file.truncate(file.seek(-len(torn), os.SEEK_END))
        file.writelines(_line(row) for row in rows if row.seq > last)


def read(folder: Path, waiting: Sequence[WaitingRow] = (), after: int = 0) -> Iterator[LedgerRow]:
    """Every row of the ledger whose `seq` is greater, in that order, those that still wait included.

    Only the end of a file is read, from a little before the first such row.

    Raises:
        StoreError: a line of what was read is damaged; names the file and the line.
    """
    sources = [_read_file(path, after) for path in sorted(folder.glob("????-??.jsonl"))]
    last = after
    for row in merge(*sources, map(_number, waiting), key=_seq):
        if _seq(row) > last:  # a row may both stand in its file and wait, if a crash came in between
            last = _seq(row)
            yield row


def last_seq(folder: Path) -> int:
    """The greatest number in the files; 0 if there are none."""
    greatest = 0
    for path in folder.glob("????-??.jsonl"):
        with path.open("rb") as file:
            last, torn = _tail(file)
            greatest = max(greatest, last, _seq(_parse(torn) or {}))
    return greatest


def _tail(file: IO[bytes]) -> tuple[int, bytes]:
    """The number of the last sound line, and what stands after the last line end; leaves the file at its end."""
    size = file.seek(0, os.SEEK_END)
    window = _WINDOW
    while True:
        start = max(0, size - window)
        file.seek(start)
        *lines, torn = file.read().split(b"\n")
        whole = lines[1:] if start else lines
        last = next((_seq(row) for line in reversed(whole) if (row := _parse(line))), 0)
        if last or not start:
            return max(last, _seq(_parse(torn) or {})), torn
        window *= 8


def _read_file(path: Path, after: int) -> Iterator[LedgerRow]:
    with path.open("rb") as file:
        start = _start(file, after)
        file.seek(start)
        *lines, torn = file.read().split(b"\n")
    for number, line in enumerate(lines, 1):
        row = _parse(line)
        if row is None:
            raise _damaged(path, start, number)
        yield row
    if row := _parse(torn):
        yield row


def _start(file: IO[bytes], after: int) -> int:
    """Where a line starts before which no row has a number greater than `after`: numbers grow within a file."""
    size = file.seek(0, os.SEEK_END)
    window = _WINDOW
    while after and window < size:
        file.seek(size - window)
        file.readline()  # the rest of a line
        start = file.tell()
        row = _parse(file.readline().rstrip(b"\n"))
        if row and _seq(row) <= after:
            return start
        window *= 4
    return 0


def _damaged(path: Path, start: int, number: int) -> StoreError:
    with path.open("rb") as file:
        number += file.read(start).count(b"\n")
    return StoreError(
        f"{path}: line {number} is not a ledger row", next_step="restore or remove that line, then repeat"
    )


def _parse(line: bytes) -> LedgerRow | None:
    try:
        row: object = json.loads(line)
    except ValueError:
        return None
    return cast("LedgerRow", row) if isinstance(row, dict) and _seq(cast("LedgerRow", row)) else None


def _seq(row: LedgerRow) -> int:
    seq = row.get("seq", 0)
    return seq if isinstance(seq, int) else 0


def _number(waiting: WaitingRow) -> LedgerRow:
    return {"seq": waiting.seq, **json.loads(waiting.row)}


def _line(waiting: WaitingRow) -> bytes:
    return json.dumps(_number(waiting), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
