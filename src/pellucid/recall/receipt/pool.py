"""A pool of candidates in, few bytes out, and back to the last bit: the columns that scores and verdicts depend on.

Whole numbers become rows of 64 bits less the row's least value, of which only those bytes are stored that are not 0 in
the whole row. Bytes that repeat themselves (smooth) are deflated with the head; others (rough) are stored as they are:
ids, the lower bytes of dates and scores. The time with which an id begins, and its session, become steps from the
candidate before, a date its distance from the time of its id, a place its distance from the ordinal, an importance of
two decimals a whole number. A leg is the positions of its candidates in the order of their ranks; a leg score that is
the cosine is not written twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pellucid.model.memory import unpack_id
from pellucid.recall.state import Pool

FLAGS = ("active", "valid", "trusted", "pinned", "wanted", "dated", "named", "asks", "cold")
_SCORED = ("rerank_score", "passage_score")
"""Columns that are missing (NaN) if nobody asked for them: a flag says which candidates have a value."""
_LOW, _HIGH, _SINCE, _HUNDREDTHS, _SESSION, _ORDINAL, _PLACE = range(7)
_NUMBERS = ("session", "ordinal", "place", "boundary", "matched", "rejected", "soft", "direct", "reinforcement")
_TIME = 4 + len(_NUMBERS)
"""The last row, with the times of ids; before it two rows of flags, dates, importance, and `_NUMBERS`."""
_STEPS = (_SESSION, _TIME)
_ROUGH = np.zeros((_TIME + 1, 8), dtype=np.bool_)
"""A mask of the bytes of rows that are hardly ever worth deflating."""
_ROUGH[[_HUNDREDTHS, _SESSION + _NUMBERS.index("matched"), _TIME, _TIME], [0, 0, 0, 1]] = True
_ID, _TIME_BYTES = 16, 6
"""Bytes of an id, and of the milliseconds that an id begins with."""
_EXPONENT = 3
"""The byte of a little-endian float32 that repeats itself."""
_BYTE, _MOST = 256, 2**63 - 1

Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Rows = NDArray[np.int64]


def pack_pool(pool: Pool) -> tuple[dict[str, object], bytes, bytes]:
    """Return a pool as a JSON-ready head, smooth bytes (to be deflated) and rough bytes (which deflate badly)."""
    is_scored = [~np.isnan(getattr(pool, name)) for name in _SCORED]
    hundredths = np.rint(pool.importance * np.float32(100)).astype(np.int64)
    is_plain, is_hot = bool((_from_hundredths(hundredths) == pool.importance).all()), bool(pool.heat.any())
    rows, begin = _rows_of(pool, is_scored)
    rows[_HUNDREDTHS] = hundredths if is_plain else 0
    legs, gaps, positions, scores = _leg_columns(pool)
    floats = [pool.cosine, *(getattr(pool, name)[there] for name, there in zip(_SCORED, is_scored, strict=True))]
    floats += [pool.importance] if not is_plain else []
    floats += [pool.heat] if is_hot else []
    float_bytes = np.concatenate([*floats, scores]).astype("<f4", copy=False).view(np.uint8).reshape(-1, 4)
    minimum = rows.min(axis=1, initial=_MOST)
    rows -= minimum[:, None]
    varied = np.bitwise_or.reduce(rows, axis=1).view(np.uint8).reshape(-1, 8) > 0
    planes = rows.view(np.uint8).reshape(len(rows), len(pool), 8).transpose(0, 2, 1)
    head: dict[str, object] = {"n": len(pool), "legs": legs, "gaps": gaps, "apart": [is_plain, is_hot], "from": begin}
    smooth = minimum.tobytes(), np.packbits(varied).tobytes(), planes[varied & ~_ROUGH].tobytes()
    ids = pool.ids.view(np.uint8).reshape(-1, _ID)[:, _TIME_BYTES:]
    rough = ids.tobytes(), planes[varied & _ROUGH].tobytes(), positions, float_bytes[:, :_EXPONENT].tobytes()
    return head, b"".join([*smooth, float_bytes[:, _EXPONENT].tobytes()]), b"".join(rough)


def _rows_of(pool: Pool, scored: Sequence[Bools]) -> tuple[Rows, list[int]]:
    """Return a row of whole numbers for each integer column and flag, and the first values of the rows stored as steps.

    Sessions and the times of ids are stored as steps. The row of the importance is left for the caller to fill.
    `scored` are the masks for `_SCORED`.
    """
    rows = np.empty((_TIME + 1, len(pool)), dtype=np.int64)
    marks = np.concatenate([*(getattr(pool, flag) for flag in FLAGS), *scored]).reshape(len(FLAGS) + len(scored), -1)
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
    """Return the time, in epoch ms, with which each packed id of 16 bytes begins."""
    return (ids.view(">u8")[::2] >> np.uint64(8 * (8 - _TIME_BYTES))).astype(np.int64)


def _from_hundredths(numbers: Rows) -> NDArray[np.float32]:
    """Return whole numbers of hundredths as floats: 0.75 for 75."""
    return (numbers / 100).astype(np.float32)


def _leg_columns(pool: Pool) -> tuple[list[object], list[int], bytes, NDArray[np.float32]]:
    """Return the legs, their gaps, their positions as bytes, and their own scores.

    A leg is (name, number ranked in its admitted search, the same of its open search, whether all its scores are the
    cosines). The rest is in order of leg, search and rank: gaps say how far ranks are from 1, 2, 3 … (empty if none
    is), positions are those in the pool, and scores are those of legs whose scores are not all cosines.
    """
    if not pool.ranks:
        return [], [], b"", np.zeros(0, dtype=np.float32)
    arms = np.concatenate([arm for name, ranks in pool.ranks.items() for arm in (ranks, pool.open_ranks[name])])
    at = arms.nonzero()[0]
    arm, ranks = at // len(pool), arms[at]
    order = (arm * (ranks.max(initial=0) + 1) + ranks).argsort()
    positions, ranks = (at - arm * len(pool))[order], ranks[order]  # `arm` is in order already
    sizes = np.bincount(arm, minlength=2 * len(pool.ranks))
    gaps = ranks - np.arange(1, len(arm) + 1) + (np.cumsum(sizes) - sizes)[arm]
    leg = arm >> 1
    raw = np.concatenate([*pool.scores.values()])[leg * len(pool) + positions]
    differs = raw.view(np.uint32) != pool.cosine[positions].view(np.uint32)
    has_own_scores = np.bincount(leg[differs], minlength=len(pool.ranks)) > 0
    counts = zip(pool.ranks, sizes[::2].tolist(), sizes[1::2].tolist(), (~has_own_scores).tolist(), strict=True)
    places = positions.astype(_position_dtype(len(pool))).tobytes()
    return [*counts], gaps.tolist() if gaps.any() else [], places, raw[has_own_scores[leg]]


def _position_dtype(count: int) -> str:
    """Return the NumPy type of a position in a pool of `count` candidates: `<u1` for up to 256 of them, else `<u4`."""
    return "<u1" if count <= _BYTE else "<u4"


def unpack_pool(head: Mapping[str, Any], smooth: bytes, rough: bytes) -> Pool:
    """Undo `pack_pool`; ValueError if the bytes do not fit the head.

    `rows` count from 0, since a receipt has no index rows; penalty and final score are 0, terms and pairs empty.
    """
    count, ranked = int(head["n"]), sum(each[1] + each[2] for each in head["legs"])
    smooth_reader, rough_reader = ColumnReader(smooth), ColumnReader(rough)
    ids = np.zeros((count, _ID), dtype=np.uint8)
    ids[:, _TIME_BYTES:] = rough_reader.take(count * (_ID - _TIME_BYTES)).reshape(count, _ID - _TIME_BYTES)
    rows = _unpack_rows(smooth_reader, rough_reader, count, head["from"])
    ids[:, :_TIME_BYTES] = rows[_TIME].astype(">i8").view(np.uint8).reshape(-1, 8)[:, 8 - _TIME_BYTES :]
    kind = np.dtype(_position_dtype(count))
    positions = rough_reader.take(ranked * kind.itemsize).view(kind).astype(np.int64)
    float_bytes = np.empty((len(smooth_reader.left), 4), dtype=np.uint8)
    float_bytes[:, _EXPONENT], float_bytes[:, :_EXPONENT] = smooth_reader.left, rough_reader.left.reshape(-1, _EXPONENT)
    gaps = np.array(head["gaps"] or [0] * ranked, dtype=np.int64)
    return pool_of(head, ids.tobytes(), rows, positions, gaps, float_bytes.tobytes())


@dataclass(slots=True)
class ColumnReader:
    """Reads columns of numbers from `data`, in the order in which they were packed."""

    data: bytes
    at: int = 0

    def take(self, count: int, kind: str = "u1") -> NDArray[Any]:
        """Return the next `count` values of a NumPy type, read-only, and move on; ValueError if fewer are left."""
        found = np.frombuffer(self.data, dtype=kind, count=count, offset=self.at)
        self.at += found.nbytes
        return found

    def take_masked(self, present: Bools, kind: str = "<f4") -> NDArray[Any]:
        """Return the next column, of which only the values in the mask `present` were packed, and move on; the other
        values are NaN. `kind` is its NumPy type. ValueError if fewer are left."""
        column = np.full(len(present), np.nan, dtype=kind)
        column[present] = self.take(int(present.sum()), kind)
        return column

    @property
    def left(self) -> Bytes:
        """Return all bytes not read yet."""
        return np.frombuffer(self.data, dtype=np.uint8)[self.at :]


def _unpack_rows(smooth: ColumnReader, rough: ColumnReader, count: int, begin: Sequence[int]) -> Rows:
    """Undo `_rows_of`: return the rows as a pool's columns have them, with the times of the ids last.

    The row of `created` stays the distance from the id's time, that of the importance stays hundredths, and flags stay
    packed. `begin` are the first values of the rows stored as steps. Reads on in both readers.
    """
    minimum = smooth.take(8 * (_TIME + 1)).view("<i8")
    varied = np.unpackbits(smooth.take(_TIME + 1)).reshape(-1, 8).astype(np.bool_)
    planes = np.zeros((_TIME + 1, 8, count), dtype=np.uint8)
    for is_here, data in ((varied & ~_ROUGH, smooth), (varied & _ROUGH, rough)):
        size = int(is_here.sum())
        planes[is_here] = data.take(size * count).reshape(size, count)
    rows = np.ascontiguousarray(planes.transpose(0, 2, 1)).view("<i8")[:, :, 0] + minimum[:, None]
    for each, first in zip(_STEPS, begin, strict=True):
        rows[each, :1] = first
        rows[each] = rows[each].cumsum()
    rows[_PLACE] += rows[_ORDINAL]
    return rows


def pool_of(head: Mapping[str, Any], ids: bytes, rows: Rows, positions: Rows, gaps: Rows, float_bytes: bytes) -> Pool:
    """Return a pool from its unpacked parts; ValueError if they do not fit the head.

    `ids` are 16 bytes each, `rows` are from `_unpack_rows`, `positions` the pool positions that each leg ranked, `gaps`
    how far their ranks are from 1, 2, 3 …, and `float_bytes` the float columns, in the order in which `pack_pool`
    writes them.
    """
    count, legs = int(head["n"]), cast("list[Any]", head["legs"])
    flags, floats = rows[_LOW] | rows[_HIGH] << 8, ColumnReader(float_bytes)
    marks = {flag: (flags >> number & 1) > 0 for number, flag in enumerate((*FLAGS, *_SCORED))}
    columns: dict[str, Any] = dict(zip(_NUMBERS, rows[_SESSION:], strict=False)) | {"cosine": floats.take(count, "<f4")}
    columns |= {name: floats.take_masked(marks.pop(name)) for name in _SCORED}
    is_plain, is_hot = head["apart"]
    columns["importance"] = _from_hundredths(rows[_HUNDREDTHS]) if is_plain else floats.take(count, "<f4")
    columns["heat"] = floats.take(count, "<f4") if is_hot else np.zeros(count, dtype=np.float32)
    columns |= {name: columns[name].astype(np.uint8) for name in ("boundary", "rejected", "soft", "direct")}
    arms: dict[str, Any] = {"ranks": {}, "open_ranks": {}, "scores": {}}
    start = 0
    for name, ranked, opened, cosine in legs:
        first = start
        for arm, size in (("ranks", ranked), ("open_ranks", opened)):
            of_arm = slice(start, start := start + size)
            arms[arm][name] = np.zeros(count, dtype=np.int64)
            arms[arm][name][positions[of_arm]] = gaps[of_arm] + np.arange(1, size + 1)
        of_arm = positions[first:start]
        arms["scores"][name] = np.full(count, np.nan, dtype=np.float32)
        arms["scores"][name][of_arm] = columns["cosine"][of_arm] if cosine else floats.take(len(of_arm), "<f4")
    id_column = np.frombuffer(ids, dtype=f"S{_ID}")
    return Pool(
        rows=np.arange(count, dtype=np.int64),
        ids=id_column,
        created=rows[_SINCE] + _id_times(id_column),
        penalty=np.zeros(count),
        final=np.zeros(count),
        **(columns | {"matched": columns["matched"].astype(np.uint64)}),
        **marks,
        **arms,
    )


def pack_pairs(pairs: Sequence[tuple[str, str]], pool: Pool) -> list[tuple[int, int]]:
    """Return pairs of ids of candidates as pairs of their positions in the pool.

    An id that is not in the pool raises KeyError.
    """
    position = {unpack_id(raw): at for at, raw in enumerate(pool.ids)}
    return [(position[one], position[other]) for one, other in pairs]


def unpack_pairs(pairs: Sequence[Sequence[int]], pool: Pool) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ids of which `pack_pairs` returned the positions."""
    return tuple((unpack_id(pool.ids[one]), unpack_id(pool.ids[other])) for one, other in pairs)
