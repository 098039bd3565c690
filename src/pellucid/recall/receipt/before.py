"""The pool of a receipt of an earlier version in, the same candidates out. Nothing writes these receipts any more.

Up to version 4, a column was stored as one value if all are equal, integers in the narrowest type that held them, and
numbers that were mostly missing (NaN) as a bit mask and the others. In version 5, whole numbers were rows less their
least value, in the narrowest type that held the rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.receipt.pool import FLAGS, ColumnReader, pool_of
from pellucid.recall.state import Pool

FIRST, FIFTH = (1, 2, 3, 4), 5
_LATER = 1 << FLAGS.index("wanted") | 1 << FLAGS.index("dated")
"""Flags that everything has in receipts from before the version that brought them."""
_MARKED = 3
_ID = 16


def pool_before(header: Mapping[str, Any], body: bytes) -> Pool:
    """The candidates of a receipt before version 5; columns it did not have get defaults. ValueError if too short."""
    count = int(header["n"])
    held = _read_columns(header["layout"], body, count)
    flags, legs = held["flags"].astype(np.uint16), header["legs"]
    none, unscored = np.zeros(count, dtype=np.uint8), np.full(count, np.nan, dtype=np.float32)
    known = _LATER if header["v"] < _MARKED else 0
    marks: dict[str, Any] = {flag: ((flags | known) >> number & 1) > 0 for number, flag in enumerate(FLAGS)}
    return Pool(
        rows=np.arange(count, dtype=np.int64),
        ids=held["ids"],
        created=held.get("created", none).astype(np.int64),
        session=held["session"].astype(np.int64) - 1,
        ordinal=held["ordinal"].astype(np.int64),
        place=held.get("place", none).astype(np.int64),
        boundary=held["boundary"],
        importance=held["importance"],
        direct=held.get("direct", none),
        heat=held.get("heat", none.astype(np.float32)),
        reinforcement=held.get("reinforcement", none).astype(np.int64),
        cosine=held["cosine"],
        matched=held["matched"].astype(np.uint64),
        rerank_score=held["rerank_score"],
        passage_score=held.get("passage_score", unscored),
        rejected=held["rejected"],
        soft=held.get("soft", none),
        ranks={leg: held[f"{leg} ranks"].astype(np.int64) for leg in legs},
        open_ranks={leg: held[f"{leg} open"].astype(np.int64) for leg in legs},
        scores={leg: held[f"{leg} scores"] for leg in legs},
        penalty=np.zeros(count),
        final=np.zeros(count),
        **marks,
    )


def _read_columns(layout: Sequence[tuple[str, str, str]], body: bytes, count: int) -> dict[str, NDArray[Any]]:
    """The columns by name; `layout` gives for each its NumPy type, and whether one value, all, or some are stored."""
    out: dict[str, NDArray[Any]] = {}
    reader = ColumnReader(body)
    for name, kind, how in layout:
        if how == "same":
            out[name] = np.repeat(reader.take(min(count, 1), kind), count)
        elif how == "all":
            out[name] = reader.take(count, kind)
        else:
            there = np.unpackbits(reader.take((count + 7) // 8), count=count).astype(np.bool_)
            out[name] = reader.take_masked(there, kind)
    return out


def pool_of_fifth(head: Mapping[str, Any], numbers: bytes, noise: bytes) -> Pool:
    """The candidates of a receipt of version 5; ValueError if the bytes are shorter than the header says."""
    count = int(head["n"])
    rows, rest = _unpack_rows(head["rows"], count, numbers)
    (where, beyond), _ = _unpack_rows(head["places"], sum(each[1] + each[2] for each in head["legs"]), rest)
    return pool_of(head, noise[: _ID * count], rows, where, beyond, noise[_ID * count :])


def _unpack_rows(described: Sequence[Any], count: int, data: bytes) -> tuple[NDArray[np.int64], bytes]:
    """The rows of whole numbers, column by column as `described`, and the bytes behind them; ValueError if too few."""
    widths = np.array(described[1], dtype=np.int64)
    above = np.zeros((len(widths), count), dtype=np.int64)
    for width in np.unique(widths[widths > 0]).tolist():
        mine = widths == width
        number = int(mine.sum()) * count
        above[mine] = np.frombuffer(data, dtype=f"<u{width}", count=number).reshape(-1, count).astype(np.int64)
        data = data[number * width :]
    return above + np.array(described[0], dtype=np.int64)[:, None], data
