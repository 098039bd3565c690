"""A receipt as it is packed now in, the same recall as earlier versions kept it out: that they stay readable."""

import json
import zlib
from collections.abc import Mapping
from importlib.resources import files
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


def as_version_5(packed: bytes) -> bytes:
    """The same recall as a receipt of the fifth version."""
    pool, header = unpack(packed).state.pool, header_of(packed)
    described, numbers, noise = _pool_as_fifth(pool)
    text = json.dumps(header | {"v": 5, "pool": described, "body": len(noise)}).encode() + b"\0" + numbers
    deflater = zlib.compressobj(zdict=files("pellucid.recall").joinpath("receipt.dict").read_bytes())
    deflated = deflater.compress(text) + deflater.flush()
    return len(deflated).to_bytes(4, "big") + deflated + noise + said_in(packed)


def _pool_as_fifth(pool: Pool) -> tuple[dict[str, Any], bytes, bytes]:
    """What version 5 kept of a pool: rows less their least value in the narrowest type, and float32 whole."""
    known = [~np.isnan(getattr(pool, name)) for name in ("rerank_score", "passage_score")]
    marks = np.packbits([*(getattr(pool, flag) for flag in FLAGS), *known], axis=0, bitorder="little")
    ids, times = pool.ids.tobytes(), [int.from_bytes(each[:6], "big") for each in pool.ids.tolist()]
    whole = ("session", "ordinal", "place", "boundary", "matched", "rejected", "soft", "direct", "reinforcement")
    nothing = np.zeros(len(pool))
    rows = np.array([*marks, pool.created - times, nothing, *(getattr(pool, name) for name in whole)], dtype=np.int64)
    legs, places, beyond = [], list[int](), list[int]()
    noise = [pool.cosine, pool.rerank_score[known[0]], pool.passage_score[known[1]], pool.importance, pool.heat]
    for name, ranks in pool.ranks.items():
        ranked = [np.flatnonzero(arm)[np.argsort(arm[arm > 0])] for arm in (ranks, pool.open_ranks[name])]
        for arm, where in zip((ranks, pool.open_ranks[name]), ranked, strict=True):
            places += where.tolist()
            beyond += (arm[where] - np.arange(1, len(where) + 1)).tolist()
        legs.append([name, *map(len, ranked), 0])
        noise += [pool.scores[name][where] for where in ranked]
    described, numbers = _narrowed(rows)
    further, more = _narrowed(np.array([places, beyond], dtype=np.int64))
    head = {"n": len(pool), "rows": described, "places": further, "legs": legs, "apart": [False, True]}
    return head, numbers + more, ids + b"".join(each.astype("<f4").tobytes() for each in noise)


def _narrowed(rows: NDArray[np.int64]) -> tuple[list[list[int]], bytes]:
    least = rows.min(axis=1)
    above = rows - least[:, None]
    widths = [next(size for size in (0, 1, 2, 4, 8) if int(row.max()) < 256**size) for row in above]
    sized = [(size, row) for size in (1, 2, 4, 8) for row, width in zip(above, widths, strict=True) if width == size]
    return [least.tolist(), widths], b"".join(row.astype(f"<u{size}").tobytes() for size, row in sized)
