"""A receipt as it is packed now in, the same recall as earlier versions kept it out: that they stay readable."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.receipt.pool import FLAGS
from pellucid.recall.receipt.record import inflate, unpack
from pellucid.recall.state import Pool

Columns = dict[str, NDArray[Any]]
_COLUMNS = (
    "ids",
    "ordinal",
    "place",
    "boundary",
    "importance",
    "cosine",
    "matched",
    "rerank_score",
    "passage_score",
    "rejected",
    "soft",
    "direct",
    "heat",
    "reinforcement",
    "created",
)
_UNSIGNED = tuple((np.dtype(f"<u{size}"), 256**size - 1) for size in (1, 2, 4, 8))


def header_of(packed: bytes) -> dict[str, Any]:
    """The header of a receipt."""
    return json.loads(inflate(packed)[0])


def said_in(packed: bytes) -> bytes:
    """The words at the end of a receipt."""
    return inflate(packed)[2][header_of(packed)["body"] :]


def assembled(header: Mapping[str, Any], columns: Columns, said: bytes) -> bytes:
    """A receipt of these parts, as versions 1 to 4 put them together."""
    layout: list[tuple[str, str, str]] = []
    body = b""
    for name, column in columns.items():
        kind, how, data = _encode(column)
        layout.append((name, kind, how))
        body += data
    text = zlib.compress(json.dumps({**header, "layout": layout, "body": len(body)}).encode(), 1)
    return len(text).to_bytes(4, "big") + text + body + said


def columns_before(pool: Pool) -> Columns:
    """The columns as they stood whole in versions 3 and 4."""
    out: Columns = {name: getattr(pool, name) for name in _COLUMNS}
    out["session"] = pool.session + 1
    out["flags"] = sum(getattr(pool, flag).astype(np.uint16) << number for number, flag in enumerate(FLAGS))
    for leg, ranks in pool.ranks.items():
        out |= {f"{leg} ranks": ranks, f"{leg} open": pool.open_ranks[leg], f"{leg} scores": pool.scores[leg]}
    return out


def as_version_4(packed: bytes) -> bytes:
    """The same recall as a receipt of the fourth version."""
    header, pool = header_of(packed), unpack(packed).state.pool
    del header["pool"]
    return assembled(header | {"v": 4, "n": len(pool), "legs": list(pool.ranks)}, columns_before(pool), said_in(packed))


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
