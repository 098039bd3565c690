"""The ledger's files and their recorded state in, losses and damage out; damaged lines are set aside."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from pathlib import Path

from pellucid.store.ledger_gaps import Gaps, Span, seq_of
from pellucid.store.local.journal import FiledMonth, WaitingRow
from pellucid.store.local.ledger import file as ledger_file
from pellucid.store.local.vault import files
from pellucid.store.records import LedgerRow

_ADD = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class LedgerSurvey:
    """The result of reading the whole ledger: losses and damage, the last number, and the state of each file."""

    missing: tuple[Span, ...]
    damaged: tuple[tuple[str, int], ...]
    altered: tuple[str, ...]
    last: int
    holds: tuple[FiledMonth, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is lost, damaged or changed."""
        return not (self.missing or self.damaged or self.altered)


def is_as_filed(folder: Path, known: Mapping[str, FiledMonth]) -> bool:
    """Whether the ledger files are exactly the months in `known` (from the journal), with the same sizes and times.

    False also if a month in `known` is `wanting`, that is, its file was found changed.
    """
    stamps = {month: each.stamp for month, each in known.items()}
    return ledger_file.months(folder) == stamps and not any(each.wanting for each in known.values())


def survey(
    folder: Path, waiting: Sequence[WaitingRow], known: Mapping[str, FiledMonth], last_assigned: int
) -> LedgerSurvey:
    """Read all ledger files and compare them with their recorded states `known`; return what is wrong, and new states.

    A number up to `last_assigned`, or to the last row read, is missing if its row is in no file, does not wait, and was
    not given up by a person (in a row of the kind `loss`). A file is altered if it does not begin any more as recorded;
    altered files are reported only if no number is missing, and only if they have no damaged line.
    """
    damaged: list[tuple[str, int]] = []
    altered: list[str] = []
    holds: list[FiledMonth] = []
    sources: list[Iterable[LedgerRow]] = []
    for month, (_, mtime_ns) in ledger_file.months(folder).items():
        path = folder / ledger_file.file_name(month)
        measured, is_as_known = _measured_file(path, month, known.get(month))
        altered += [] if is_as_known else [path.name]
        holds.append(replace(measured, mtime_ns=mtime_ns))
        sources.append(_sound_rows(path, damaged))
    gaps = Gaps()
    for row in merge(*sources, ({"seq": each.seq} for each in waiting), key=seq_of):
        gaps.take(row)
    missing = gaps.missing(last_assigned)
    named = {name for name, _ in damaged}
    unexplained = () if missing else (name for name in altered if name not in named)
    return LedgerSurvey(missing, tuple(damaged), tuple(unexplained), gaps.last, tuple(holds))


def set_aside(folder: int, place: Path, damaged: Iterable[tuple[str, int]]) -> None:
    """Move damaged lines (file name, line number) from their ledger files to the end of `YYYY-MM.damaged` beside them.

    `folder` is the open descriptor of the ledger folder at `place`; the caller has the drain lock.
    """
    bad: dict[str, set[int]] = {}
    for name, number in damaged:
        bad.setdefault(name, set()).add(number)
    for name, numbers in bad.items():
        *whole, torn = (place / name).read_bytes().split(b"\n")
        ended = list(enumerate((line + b"\n" for line in whole), 1))
        with open(os.open(f"{Path(name).stem}.damaged", _ADD, 0o600, dir_fd=folder), "ab") as file:
            file.writelines(line for number, line in ended if number in numbers)
            file.flush()
            os.fsync(file.fileno())
        files.sync(folder)
        sound = b"".join(line for number, line in ended if number not in numbers)
        files.replace_whole(folder, name, sound + torn)


def _measured_file(path: Path, month: str, recorded: FiledMonth | None) -> tuple[FiledMonth, bool]:
    """Return the state of a ledger file up to its last line end, and whether it still begins as `recorded`.

    If nothing is recorded, the latter is True. The state is without the file's time.
    """
    data = path.read_bytes()
    data = data[: data.rfind(b"\n") + 1]
    empty = FiledMonth(month, 0, b"")
    if recorded is None:
        return empty.with_lines_added(data), True
    old_part = empty.with_lines_added(data[: recorded.size])
    return old_part.with_lines_added(data[recorded.size :]), (old_part.size, old_part.chain) == (
        recorded.size,
        recorded.chain,
    )


def _sound_rows(path: Path, damaged: list[tuple[str, int]]) -> Iterator[LedgerRow]:
    """Yield the rows of a ledger file; append (file name, line number) of each other line to `damaged`.

    Lines with a number out of order count as damaged, too.
    """
    for line in ledger_file.lines(path):
        if line.row is None:
            damaged.append((path.name, line.number))
        else:
            yield line.row
