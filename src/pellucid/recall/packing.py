"""Aligned columns in, compact bytes out, and back: what is the same everywhere is said once, numbers in what they need.

A column is stored as one value if all are equal, integers in the narrowest type that holds them, and numbers that are
mostly missing (NaN) as a bit mask and the others.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Layout = list[tuple[str, str, str]]
"""Name, NumPy type, and how it is stored: `same`, `all` or `some`."""

_UNSIGNED = tuple((np.dtype(f"<u{size}"), 256**size - 1) for size in (1, 2, 4, 8))


def pack_columns(columns: Mapping[str, NDArray[Any]]) -> tuple[Layout, bytes]:
    """The layout and the bytes of columns of one length."""
    layout: Layout = []
    parts: list[bytes] = []
    for name, column in columns.items():
        kind, how, data = _encode(column)
        layout.append((name, kind, how))
        parts.append(data)
    return layout, b"".join(parts)


def unpack_columns(layout: Layout, body: bytes, count: int) -> dict[str, NDArray[Any]]:
    """The columns again; integers in the type they were stored in.

    Raises:
        ValueError: the bytes are shorter than the layout says.
    """
    out: dict[str, NDArray[Any]] = {}
    at = 0

    def take(kind: str, number: int) -> NDArray[Any]:
        nonlocal at
        found = np.frombuffer(body, dtype=kind, count=number, offset=at)
        at += found.nbytes
        return found

    for name, kind, how in layout:
        if how == "same":
            out[name] = np.repeat(take(kind, min(count, 1)), count)
        elif how == "all":
            out[name] = take(kind, count)
        else:
            there = np.unpackbits(take("u1", (count + 7) // 8), count=count).astype(np.bool_)
            out[name] = np.full(count, np.nan, dtype=kind)
            out[name][there] = take(kind, int(there.sum()))
    return out


def _encode(column: NDArray[Any]) -> tuple[str, str, bytes]:
    if column.dtype.kind in "iu" and column.dtype.itemsize > 1:
        highest = int(column.max()) if len(column) else 0
        if column.dtype.kind == "u" or not len(column) or column.min() >= 0:
            column = column.astype(next(kind for kind, most in _UNSIGNED if highest <= most))
    kind, data = column.dtype.str, column.tobytes()
    size = column.dtype.itemsize
    if data == data[:size] * len(column):
        return kind, "same", data[:size]
    if column.dtype.kind == "f":
        there = ~np.isnan(column)
        if 2 * int(there.sum()) < len(column):
            return kind, "some", np.packbits(there).tobytes() + column[there].tobytes()
    return kind, "all", data
