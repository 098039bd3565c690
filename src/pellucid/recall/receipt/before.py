"""The pool of a receipt of an earlier version in, the same candidates out. No version writes these receipts any more.

Up to version 4, a column was stored as one value if all were equal, integers in the narrowest type that fitted, and
numbers that were mostly missing (NaN) as a bit mask and the other numbers. In version 5, whole numbers were rows less
their least value, in the narrowest type that fitted the rest.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.receipt.pool import FLAGS, ColumnReader, pool_of
from pellucid.recall.state import Pool

FIRST, FIFTH = (1, 2, 3, 4), 5
_LATER = 1 << FLAGS.index("wanted") | 1 << FLAGS.index("dated")
"""Flags that every candidate has in receipts of versions before the one that brought the flags."""
_MARKED = 3
"""The first version with these flags."""
_ID = 16


def pool_before(header: Mapping[str, Any], body: bytes) -> Pool:
    """Return the candidates of a receipt before version 5; ValueError if the bytes are too few.

    `header` is the receipt's JSON, `body` the bytes of its columns. Columns that its version did not have get defaults.
    """
    count = int(header["n"])
    columns = _read_columns(header["layout"], body, count)
    flags, legs = columns["flags"].astype(np.uint16), header["legs"]
    none, unscored = np.zeros(count, dtype=np.uint8), np.full(count, np.nan, dtype=np.float32)
    implied_flags = _LATER if header["v"] < _MARKED else 0
    marks: dict[str, Any] = {flag: ((flags | implied_flags) >> number & 1) > 0 for number, flag in enumerate(FLAGS)}
    return Pool(
        rows=np.arange(count, dtype=np.int64),
        ids=columns["ids"],
        created=columns.get("created", none).astype(np.int64),
        session=columns["session"].astype(np.int64) - 1,
        ordinal=columns["ordinal"].astype(np.int64),
        place=columns.get("place", none).astype(np.int64),
        boundary=columns["boundary"],
        importance=columns["importance"],
        direct=columns.get("direct", none),
        heat=columns.get("heat", none.astype(np.float32)),
        reinforcement=columns.get("reinforcement", none).astype(np.int64),
        cosine=columns["cosine"],
        matched=columns["matched"].astype(np.uint64),
        rerank_score=columns["rerank_score"],
        passage_score=columns.get("passage_score", unscored),
        rejected=columns["rejected"],
        soft=columns.get("soft", none),
        ranks={leg: columns[f"{leg} ranks"].astype(np.int64) for leg in legs},
        open_ranks={leg: columns[f"{leg} open"].astype(np.int64) for leg in legs},
        scores={leg: columns[f"{leg} scores"] for leg in legs},
        penalty=np.zeros(count),
        final=np.zeros(count),
        **marks,
    )


def _read_columns(layout: Sequence[tuple[str, str, str]], body: bytes, count: int) -> dict[str, NDArray[Any]]:
    """Map the names of columns to their values; ValueError if the bytes are too few.

    `layout` gives each column's name, its NumPy type and how it is stored: one value for all (`same`), `all` values, or
    else a bit mask and the values of the candidates in it (the others get NaN). `count` is the number of candidates.
    """
    out: dict[str, NDArray[Any]] = {}
    reader = ColumnReader(body)
    for name, kind, how in layout:
        if how == "same":
            out[name] = np.repeat(reader.take(min(count, 1), kind), count)
        elif how == "all":
            out[name] = reader.take(count, kind)
        else:
            present = np.unpackbits(reader.take((count + 7) // 8), count=count).astype(np.bool_)
            out[name] = reader.take_masked(present, kind)
    return out


def pool_of_fifth(head: Mapping[str, Any], smooth: bytes, rough: bytes) -> Pool:
    """Return the candidates of a receipt of version 5; ValueError if the bytes are fewer than the pool's JSON `head`
    says. `smooth` has the whole numbers, `rough` the ids and then the other numbers."""
    count = int(head["n"])
    rows, rest = _unpack_rows(head["rows"], count, smooth)
    (where, beyond), _ = _unpack_rows(head["places"], sum(each[1] + each[2] for each in head["legs"]), rest)
    return pool_of(head, rough[: _ID * count], rows, where, beyond, rough[_ID * count :])


def _unpack_rows(described: Sequence[Any], count: int, data: bytes) -> tuple[NDArray[np.int64], bytes]:
    """Return the rows of `count` whole numbers each, and the bytes after them; ValueError if the bytes are too few.

    `described` is two lists: the least value of each row, and the bytes that each number less this value takes (0 if
    all are equal). `data` begins with the narrowest rows.
    """
    widths = np.array(described[1], dtype=np.int64)
    above = np.zeros((len(widths), count), dtype=np.int64)
    for width in np.unique(widths[widths > 0]).tolist():
        has_width = widths == width
        number = int(has_width.sum()) * count
        above[has_width] = np.frombuffer(data, dtype=f"<u{width}", count=number).reshape(-1, count).astype(np.int64)
        data = data[number * width :]
    return above + np.array(described[0], dtype=np.int64)[:, None], data
