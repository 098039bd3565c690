"""A pool of candidates in, few bytes out, and back to the last bit: the columns that scores and verdicts depend on.

Whole numbers are rows of 64 bits less their least value, of which those bytes are kept that are not 0 all along. What
repeats itself is deflated with the header; what is noise stays as it is: ids, the lower bytes of dates and scores. The
time with which an id begins, and its session, stand as steps from the candidate before, a date as its distance from the
time of its id, a place as its distance from the ordinal, an importance of two decimals as a whole number. A leg is the
places of its candidates in the order of their ranks; a leg score that is the cosine is not written twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.state import Pool

FLAGS = ("active", "valid", "trusted", "pinned", "wanted", "dated", "named", "asks", "cold")
_SCORED = ("rerank_score", "passage_score")
"""Missing where nobody asked: a flag of its own says of whom it is known."""
_LOW, _HIGH, _SINCE, _HUNDREDTHS, _SESSION, _ORDINAL, _PLACE = range(7)
_NUMBERS = ("session", "ordinal", "place", "boundary", "matched", "rejected", "soft", "direct", "reinforcement")
_TIME = 4 + len(_NUMBERS)
"""The rows: two of flags, dates, importance, these, and the times of ids."""
_STEPS = (_SESSION, _TIME)
_ROUGH = np.zeros((_TIME + 1, 8), dtype=np.bool_)
"""Bytes of rows that are hardly ever worth deflating."""
_ROUGH[[_HUNDREDTHS, _SESSION + _NUMBERS.index("matched"), _TIME, _TIME], [0, 0, 0, 1]] = True
_ID, _TIME_BYTES = 16, 6
"""The bytes of an id, and of the milliseconds it begins with."""
_EXPONENT = 3
"""The byte of a little-endian float32 that repeats itself."""
_BYTE, _MOST = 256, 2**63 - 1

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Rows = NDArray[np.int64]


def pack_pool(pool: Pool) -> tuple[dict[str, object], bytes, bytes]:
    """A pool as a JSON-ready head, the whole numbers (to be deflated), and the noise (floats, which deflate badly)."""
    known = [~np.isnan(getattr(pool, name)) for name in _SCORED]
    hundredths = np.rint(pool.importance * np.float32(100)).astype(np.int64)
    plain, heated = bool((_from_hundredths(hundredths) == pool.importance).all()), bool(pool.heat.any())
    rows, begin = _rows_of(pool, known)
    rows[_HUNDREDTHS] = hundredths if plain else 0
    legs, gaps, where, scores = _leg_columns(pool)
    floats = [pool.cosine, *(getattr(pool, name)[there] for name, there in zip(_SCORED, known, strict=True))]
    floats += [pool.importance] if not plain else []
    floats += [pool.heat] if heated else []
    noise = np.concatenate([*floats, scores]).astype("<f4", copy=False).view(np.uint8).reshape(-1, 4)
    least = rows.min(axis=1, initial=_MOST)
    rows -= least[:, None]
    varied = np.bitwise_or.reduce(rows, axis=1).view(np.uint8).reshape(-1, 8) > 0
    planes = rows.view(np.uint8).reshape(len(rows), len(pool), 8).transpose(0, 2, 1)
    head: dict[str, object] = {"n": len(pool), "legs": legs, "gaps": gaps, "apart": [plain, heated], "from": begin}
    smooth = least.tobytes(), np.packbits(varied).tobytes(), planes[varied & ~_ROUGH].tobytes()
    ids = pool.ids.view(np.uint8).reshape(-1, _ID)[:, _TIME_BYTES:]
    rough = ids.tobytes(), planes[varied & _ROUGH].tobytes(), where, noise[:, :_EXPONENT].tobytes()
    return head, b"".join([*smooth, noise[:, _EXPONENT].tobytes()]), b"".join(rough)


def _rows_of(pool: Pool, known: Sequence[Bools]) -> tuple[Rows, list[int]]:
    """The pool's whole numbers as rows, times and sessions as steps, but the importance; and the steps' starts."""
    rows = np.empty((_TIME + 1, len(pool)), dtype=np.int64)
    marks = np.concatenate([*(getattr(pool, flag) for flag in FLAGS), *known]).reshape(len(FLAGS) + len(known), -1)
    rows[_LOW : _HIGH + 1] = np.packbits(marks, axis=0, bitorder="little")
    rows[_TIME] = _id_times(pool.ids)
    rows[_SINCE] = pool.created - rows[_TIME]
    for at, name in enumerate(_NUMBERS, start=_SESSION):
        rows[at] = getattr(pool, name)
    rows[_PLACE] -= rows[_ORDINAL]
    begin = [int(rows[each, 0]) for each in _STEPS] if len(pool) else [0, 0]
    for each in _STEPS:
        rows[each, 1:] -= rows[each, :-1]
        rows[each, :1] = 0
    return rows, begin


def _id_times(ids: NDArray[np.bytes_]) -> Rows:
    """The time, in epoch ms, with which each id begins."""
    return (ids.view(">u8")[::2] >> np.uint64(8 * (8 - _TIME_BYTES))).astype(np.int64)


def _from_hundredths(numbers: Rows) -> NDArray[np.float32]:
    """Whole numbers of hundredths as floats."""
    return (numbers / 100).astype(np.float32)


def _leg_columns(pool: Pool) -> tuple[list[object], list[int], bytes, NDArray[np.float32]]:
    """Each leg as (name, number ranked in its admitted and in its open search, whether all its scores are cosines).

    And, leg by leg, search by search, best first: how far their ranks are from 1, 2, 3 … (empty if they are not), the
    positions of whom they ranked; and the scores.
    """
    if not pool.ranks:
        return [], [], b"", np.zeros(0, dtype=np.float32)
    arms = np.concatenate([arm for name, ranks in pool.ranks.items() for arm in (ranks, pool.open_ranks[name])])
    at = arms.nonzero()[0]
    arm, ranks = at // len(pool), arms[at]
    order = (arm * (ranks.max(initial=0) + 1) + ranks).argsort()
    where, ranks = (at - arm * len(pool))[order], ranks[order]  # `arm` is in order already
    sizes = np.bincount(arm, minlength=2 * len(pool.ranks))
    beyond = ranks - np.arange(1, len(arm) + 1) + (np.cumsum(sizes) - sizes)[arm]
    leg = arm >> 1
    raw = np.concatenate([*pool.scores.values()])[leg * len(pool) + where]
    other = raw.view(np.uint32) != pool.cosine[where].view(np.uint32)
    apart = np.bincount(leg[other], minlength=len(pool.ranks)) > 0
    counts = zip(pool.ranks, sizes[::2].tolist(), sizes[1::2].tolist(), (~apart).tolist(), strict=True)
    places = where.astype(_position_dtype(len(pool))).tobytes()
    return [*counts], beyond.tolist() if beyond.any() else [], places, raw[apart[leg]]


def _position_dtype(count: int) -> str:
    """The NumPy type of a position in a pool of `count` candidates."""
    return "<u1" if count <= _BYTE else "<u4"


def unpack_pool(head: Mapping[str, Any], smooth: bytes, rough: bytes) -> Pool:
    """`pack_pool` undone, without index rows and derived columns; ValueError if the bytes do not fit the head."""
    count, ranked = int(head["n"]), sum(each[1] + each[2] for each in head["legs"])
    even, uneven = ColumnReader(smooth), ColumnReader(rough)
    ids = np.zeros((count, _ID), dtype=np.uint8)
    ids[:, _TIME_BYTES:] = uneven.take(count * (_ID - _TIME_BYTES)).reshape(count, _ID - _TIME_BYTES)
    rows = _unpack_rows(even, uneven, count, head["from"])
    ids[:, :_TIME_BYTES] = rows[_TIME].astype(">i8").view(np.uint8).reshape(-1, 8)[:, 8 - _TIME_BYTES :]
    kind = np.dtype(_position_dtype(count))
    where = uneven.take(ranked * kind.itemsize).view(kind).astype(np.int64)
    noise = np.empty((len(even.left), 4), dtype=np.uint8)
    noise[:, _EXPONENT], noise[:, :_EXPONENT] = even.left, uneven.left.reshape(-1, _EXPONENT)
    beyond = np.array(head["gaps"] or [0] * ranked, dtype=np.int64)
    return pool_of(head, ids.tobytes(), rows, where, beyond, noise.tobytes())


@dataclass(slots=True)
class ColumnReader:
    """Reads columns of numbers from `data`, in the order in which they were packed."""

    data: bytes
    at: int = 0

    def take(self, count: int, kind: str = "u1") -> NDArray[Any]:
        """The next `count` values of a NumPy type."""
        found = np.frombuffer(self.data, dtype=kind, count=count, offset=self.at)
        self.at += found.nbytes
        return found

    def take_masked(self, there: Bools, kind: str = "<f4") -> NDArray[Any]:
        """A column of which only the values in the mask `there` were packed; the others are NaN."""
        column = np.full(len(there), np.nan, dtype=kind)
        column[there] = self.take(int(there.sum()), kind)
        return column

    @property
    def left(self) -> Bytes:
        """All bytes not read yet."""
        return np.frombuffer(self.data, dtype=np.uint8)[self.at :]


def _unpack_rows(smooth: ColumnReader, rough: ColumnReader, count: int, begin: Sequence[int]) -> Rows:
    """The whole numbers as a pool's columns have them, the times of the ids behind them: `_rows_of` undone."""
    least = smooth.take(8 * (_TIME + 1)).view("<i8")
    varied = np.unpackbits(smooth.take(_TIME + 1)).reshape(-1, 8).astype(np.bool_)
    planes = np.zeros((_TIME + 1, 8, count), dtype=np.uint8)
    for mine, data in ((varied & ~_ROUGH, smooth), (varied & _ROUGH, rough)):
        kept = int(mine.sum())
        planes[mine] = data.take(kept * count).reshape(kept, count)
    rows = np.ascontiguousarray(planes.transpose(0, 2, 1)).view("<i8")[:, :, 0] + least[:, None]
    for each, first in zip(_STEPS, begin, strict=True):
        rows[each, :1] = first
        rows[each] = rows[each].cumsum()
    rows[_PLACE] += rows[_ORDINAL]
    return rows


def pool_of(head: Mapping[str, Any], ids: bytes, rows: Rows, where: Rows, beyond: Rows, noise: bytes) -> Pool:
    """A pool of its unpacked parts; ValueError if they do not fit the head.

    `where` are the positions that each leg ranked, `beyond` how far those ranks are from 1, 2, 3 …, `noise` the floats.
    """
    count, legs = int(head["n"]), cast("list[Any]", head["legs"])
    flags, floats = rows[_LOW] | rows[_HIGH] << 8, ColumnReader(noise)
    marks = {flag: (flags >> number & 1) > 0 for number, flag in enumerate((*FLAGS, *_SCORED))}
    held: dict[str, Any] = dict(zip(_NUMBERS, rows[_SESSION:], strict=False)) | {"cosine": floats.take(count, "<f4")}
    held |= {name: floats.take_masked(marks.pop(name)) for name in _SCORED}
    plain, heated = head["apart"]
    held["importance"] = _from_hundredths(rows[_HUNDREDTHS]) if plain else floats.take(count, "<f4")
    held["heat"] = floats.take(count, "<f4") if heated else np.zeros(count, dtype=np.float32)
    held |= {name: held[name].astype(np.uint8) for name in ("boundary", "rejected", "soft", "direct")}
    arms: dict[str, Any] = {"ranks": {}, "open_ranks": {}, "scores": {}}
    start = 0
    for name, ranked, opened, cosine in legs:
        first = start
        for arm, size in (("ranks", ranked), ("open_ranks", opened)):
            mine = slice(start, start := start + size)
            arms[arm][name] = np.zeros(count, dtype=np.int64)
            arms[arm][name][where[mine]] = beyond[mine] + np.arange(1, size + 1)
        mine = where[first:start]
        arms["scores"][name] = np.full(count, np.nan, dtype=np.float32)
        arms["scores"][name][mine] = held["cosine"][mine] if cosine else floats.take(len(mine), "<f4")
    found = np.frombuffer(ids, dtype=f"S{_ID}")
    return Pool(
        rows=np.arange(count, dtype=np.int64),
        ids=found,
        created=rows[_SINCE] + _id_times(found),
        penalty=np.zeros(count),
        final=np.zeros(count),
        **(held | {"matched": held["matched"].astype(np.uint64)}),
        **marks,
        **arms,
    )
