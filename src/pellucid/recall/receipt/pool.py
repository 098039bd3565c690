"""A pool of candidates in, few bytes out, and back to the last bit: the columns that scores and verdicts depend on.

Whole numbers are rows less their least value, in the narrowest type that holds the rest. They repeat themselves, so
they are deflated with the header; scores and ids are noise and stay as they are. A leg is the places of its candidates
in the order of their ranks; a leg score that is the cosine is not written twice, a date stands as its distance from
the time that its id begins with, an importance of two decimals as a whole number.
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
_NUMBERS = ("session", "ordinal", "place", "boundary", "matched", "rejected", "soft", "direct", "reinforcement")
_ROWS = 4 + len(_NUMBERS)
"""Two of flags, dates, importance, and these."""
_WIDTHS = np.array([0, 1, 2, 4, 8])
_MOST = np.array([0, 2**8 - 1, 2**16 - 1, 2**32 - 1])
_ID, _TIME = 16, 6
"""The bytes of an id, and of the milliseconds it begins with."""

Bools = NDArray[np.bool_]


def pack_pool(pool: Pool) -> tuple[dict[str, object], bytes, bytes]:
    """What a header must say of a pool (JSON-ready), its whole numbers, which are to be deflated, and its noise."""
    count = len(pool)
    ids = pool.ids.tobytes()
    known = [~np.isnan(getattr(pool, name)) for name in _SCORED]
    marks = np.packbits([*(getattr(pool, flag) for flag in FLAGS), *known], axis=0, bitorder="little")
    hundredths = np.rint(pool.importance * np.float32(100)).astype(np.int64)
    plain, heated = bool((_from_hundredths(hundredths) == pool.importance).all()), bool(pool.heat.any())
    rows = np.zeros((_ROWS, count), dtype=np.int64)
    rows[0], rows[1], rows[2] = *marks, pool.created - _times_of_ids(ids)
    rows[3] = hundredths if plain else 0
    for at, name in enumerate(_NUMBERS, start=4):
        rows[at] = getattr(pool, name)
    noise = [pool.cosine, *(getattr(pool, name)[there] for name, there in zip(_SCORED, known, strict=True))]
    noise += [] if plain else [pool.importance]
    noise += [pool.heat] if heated else []
    legs, places, scores = _leg_columns(pool)
    described, numbers = _pack_rows(rows)
    further, more = _pack_rows(places)
    head: dict[str, object] = {
        "n": count,
        "rows": described,
        "places": further,
        "legs": legs,
        "apart": [plain, heated],
    }
    return head, numbers + more, b"".join([ids, *(each.tobytes() for each in (*noise, *scores))])


def _times_of_ids(ids: bytes) -> NDArray[np.int64]:
    wide = np.zeros((len(ids) // _ID, 8), dtype=np.uint8)
    wide[:, 8 - _TIME :] = np.frombuffer(ids, dtype=np.uint8).reshape(-1, _ID)[:, :_TIME]
    return wide.view(">i8")[:, 0].astype(np.int64)


def _from_hundredths(numbers: NDArray[np.int64]) -> NDArray[np.float32]:
    return (numbers / 100).astype(np.float32)


def _leg_columns(pool: Pool) -> tuple[list[object], NDArray[np.int64], list[NDArray[np.float32]]]:
    """Each leg as its name, how many it ranked in either arm, and whether it scored by the cosine.

    And, leg by leg and arm by arm, best first: whom they ranked, how far that rank is from 1, 2, 3 …; and the scores.
    """
    if not pool.ranks:
        return [], np.zeros((2, 0), dtype=np.int64), []
    arms = np.array([arm for name, ranks in pool.ranks.items() for arm in (ranks, pool.open_ranks[name])])
    arm, where = arms.nonzero()
    ranks = arms[arm, where]
    order = np.lexsort((ranks, arm))
    arm, where, ranks = arm[order], where[order], ranks[order]
    sizes = np.bincount(arm, minlength=len(arms))
    ends = np.cumsum(sizes)
    simply = np.arange(1, len(arm) + 1) - (ends - sizes)[arm]
    raw = np.array(list(pool.scores.values()))[arm >> 1, where]
    alike = raw.view(np.uint32) == pool.cosine[where].view(np.uint32)
    legs: list[object] = []
    scores: list[NDArray[np.float32]] = []
    start = 0
    for name, (ranked, opened) in zip(pool.ranks, sizes.reshape(-1, 2).tolist(), strict=True):
        mine = slice(start, start := start + ranked + opened)
        cosine = bool(alike[mine].all())
        legs.append([name, ranked, opened, int(cosine)])
        scores += [] if cosine else [raw[mine]]
    return legs, np.array([where, ranks - simply]), scores


def _pack_rows(rows: NDArray[np.int64]) -> tuple[list[object], bytes]:
    """The least value and the width in bytes of each row (0: all are equal), and the rows, the narrowest first."""
    if not rows.shape[1]:
        return [[0] * len(rows), [0] * len(rows)], b""
    least = rows.min(axis=1)
    above = rows - least[:, None]
    widths = _WIDTHS[np.searchsorted(_MOST, above.max(axis=1))]
    parts = [above[widths == width].astype(f"<u{width}").tobytes() for width in np.unique(widths).tolist() if width]
    return [least.tolist(), widths.tolist()], b"".join(parts)


def _unpack_rows(described: Sequence[Any], count: int, data: bytes) -> tuple[NDArray[np.int64], bytes]:
    """The rows again, and the bytes behind them.

    Raises:
        ValueError: there are fewer bytes than the rows need.
    """
    widths = np.array(described[1], dtype=np.int64)
    above = np.zeros((len(widths), count), dtype=np.int64)
    for width in np.unique(widths[widths > 0]).tolist():
        mine = widths == width
        number = int(mine.sum()) * count
        above[mine] = np.frombuffer(data, dtype=f"<u{width}", count=number).reshape(-1, count).astype(np.int64)
        data = data[number * width :]
    return above + np.array(described[0], dtype=np.int64)[:, None], data


@dataclass(slots=True)
class _Floats:
    """Columns of float32, one behind the other in `data`, taken in the order in which they were packed."""

    data: bytes
    at: int

    def take(self, count: int) -> NDArray[np.float32]:
        found = np.frombuffer(self.data, dtype="<f4", count=count, offset=self.at)
        self.at += found.nbytes
        return found

    def where(self, there: Bools) -> NDArray[np.float32]:
        """A column of which only the places that are `there` were packed; the others are NaN."""
        column = np.full(len(there), np.nan, dtype=np.float32)
        column[there] = self.take(int(there.sum()))
        return column


def unpack_pool(head: Mapping[str, Any], numbers: bytes, noise: bytes) -> Pool:
    """The pool again, as `pack_pool` was given it, less its rows and what is worked out from the others.

    Raises:
        ValueError: the bytes are not what the header says.
    """
    count, legs = int(head["n"]), cast("list[Any]", head["legs"])
    rows, rest = _unpack_rows(head["rows"], count, numbers)
    (places, beyond), _ = _unpack_rows(head["places"], sum(each[1] + each[2] for each in legs), rest)
    low, high, since, hundredths, *others = rows
    flags = low | high << 8
    ids = noise[: _ID * count]
    marks = {flag: (flags >> number & 1) > 0 for number, flag in enumerate((*FLAGS, *_SCORED))}
    floats = _Floats(noise, len(ids))
    held: dict[str, Any] = dict(zip(_NUMBERS, others, strict=True)) | {"cosine": floats.take(count)}
    held |= {name: floats.where(marks.pop(name)) for name in _SCORED}
    held["importance"] = _from_hundredths(hundredths) if head["apart"][0] else floats.take(count)
    held["heat"] = floats.take(count) if head["apart"][1] else np.zeros(count, dtype=np.float32)
    held |= {name: held[name].astype(np.uint8) for name in ("boundary", "rejected", "soft", "direct")}
    arms: dict[str, Any] = {"ranks": {}, "open_ranks": {}, "scores": {}}
    start = 0
    for name, ranked, opened, cosine in legs:
        first = start
        for arm, size in (("ranks", ranked), ("open_ranks", opened)):
            mine = slice(start, start := start + size)
            arms[arm][name] = np.zeros(count, dtype=np.int64)
            arms[arm][name][places[mine]] = beyond[mine] + np.arange(1, size + 1)
        where = places[first:start]
        arms["scores"][name] = np.full(count, np.nan, dtype=np.float32)
        arms["scores"][name][where] = held["cosine"][where] if cosine else floats.take(len(where))
    return Pool(
        rows=np.arange(count, dtype=np.int64),
        ids=np.frombuffer(ids, dtype=f"S{_ID}"),
        created=since + _times_of_ids(ids),
        penalty=np.zeros(count),
        final=np.zeros(count),
        **(held | {"matched": held["matched"].astype(np.uint64)}),
        **marks,
        **arms,
    )
