"""A finished recall in, a packed receipt out, and back: everything an explanation needs, and no text of a memory.

Layout: zlib of one line of JSON (the header) and then the pool's columns, each little-endian, in the order of
`COLUMNS` and of the header's `legs`. About sixty bytes a candidate before compression.
"""

import json
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import StoreError
from pellucid.recall.state import (
    Context,
    Corpus,
    LegReport,
    Omission,
    Plan,
    Pool,
    Request,
    Rung,
    StageReport,
    State,
)
from pellucid.settings import RecallSettings

VERSION = 1
COLUMNS: tuple[tuple[str, str], ...] = (
    ("ids", "S16"), ("created", "<i8"), ("session", "<i2"), ("ordinal", "<i4"), ("flags", "u1"), ("boundary", "u1"),
    ("importance", "<f4"), ("cosine", "<f4"), ("matched", "<u8"), ("rerank_score", "<f4"), ("rejected", "u1"),
)  # fmt: skip
LEG_COLUMNS: tuple[tuple[str, str], ...] = (("ranks", "<u2"), ("open_ranks", "<u2"), ("scores", "<f4"))
FLAGS = ("active", "valid", "trusted", "pinned")


@dataclass(frozen=True, slots=True)
class Receipt:
    """One recall as it was recorded: the state after its last stage, less every text; `state.served` is empty.

    `served_ids` are the first topK of the ranking; `op_ids` name the operation that wrote each version served.
    """

    state: State
    served_ids: tuple[str, ...]
    op_ids: tuple[str | None, ...]


def pack(state: State) -> bytes:
    """The receipt of a finished recall."""
    pool, request, plan = state.pool, state.request, state.plan
    keep = request.settings.store_query_text
    header = {
        "v": VERSION,
        "recallId": request.recall_id,
        "at": int(request.at.timestamp() * 1000),
        "namespace": request.namespace,
        "session": request.session_id,
        "agent": request.agent,
        "scopes": request.scopes,
        "without": sorted(request.without),
        "query": request.query if keep else None,
        "words": plan.words if keep else [""] * len(plan.words),
        "frequencies": plan.frequencies,
        "searched": plan.searched,
        "settings": request.settings.model_dump(),
        "corpus": _row(state.corpus),
        "reports": [_row(leg) for leg in state.legs],
        "rungs": [_row(rung) for rung in state.rungs],
        "stages": [(stage.name, round(stage.millis, 3), stage.note) for stage in state.stages],
        "served": [(each.memory.id, each.op_id) for each in state.served],
        "context": (state.context.length, state.context.included, [_row(each) for each in state.context.omitted]),
        "pairs": [(a, b, similarity) for (a, b), similarity in pool.pairs.items()],
        "legs": list(pool.ranks),
        "n": len(pool),
    }
    columns = [_column(pool, name).astype(kind).tobytes() for name, kind in COLUMNS]
    columns += [getattr(pool, name)[leg].astype(kind).tobytes() for leg in pool.ranks for name, kind in LEG_COLUMNS]
    text = json.dumps(header, separators=(",", ":")).encode()
    return zlib.compress(b"\n".join((text, b"".join(columns))), 1)


def _row(record: LegReport | Rung | Corpus | Omission) -> list[object]:
    return [getattr(record, name) for name in record.__slots__]


def _column(pool: Pool, name: str) -> NDArray[Any]:
    if name == "flags":
        return np.packbits([getattr(pool, flag) for flag in FLAGS], axis=0, bitorder="little")[0]
    if name == "session":
        numbers = np.unique(pool.session, return_inverse=True)[1]
        return np.where(pool.session < 0, -1, numbers)
    return getattr(pool, name)


def unpack(packed: bytes) -> Receipt:
    """The recall a receipt records.

    Raises:
        StoreError: the bytes are not a receipt this version can read.
    """
    try:
        text, _, body = zlib.decompress(packed).partition(b"\n")
        header = json.loads(text)
        if header["v"] != VERSION:
            raise StoreError(f"a receipt has version {header['v']}", next_step="install a newer pellucid")
        served = header["served"]
        state = _state(header, _pool(header, body))
        return Receipt(state, tuple(memory for memory, _ in served), tuple(op for _, op in served))
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise StoreError("a receipt could not be read", next_step="run `pellucid doctor`") from error


def _pool(header: dict[str, Any], body: bytes) -> Pool:
    count, at = int(header["n"]), 0

    def take(kind: str) -> NDArray[Any]:
        nonlocal at
        column = np.frombuffer(body, dtype=kind, count=count, offset=at)
        at += column.nbytes
        return column

    held: dict[str, NDArray[Any]] = {name: take(kind) for name, kind in COLUMNS}
    flags = held["flags"]
    legs = {leg: {name: take(kind) for name, kind in LEG_COLUMNS} for leg in header["legs"]}
    return Pool(
        rows=np.arange(count, dtype=np.int64), ids=held["ids"], created=held["created"],
        session=held["session"].astype(np.int64), ordinal=held["ordinal"].astype(np.int64), boundary=held["boundary"],
        importance=held["importance"], cosine=held["cosine"], matched=held["matched"],
        rerank_score=held["rerank_score"], rejected=held["rejected"],
        active=(flags & 1) > 0, valid=(flags & 2) > 0, trusted=(flags & 4) > 0, pinned=(flags & 8) > 0,
        ranks={leg: columns["ranks"].astype(np.int64) for leg, columns in legs.items()},
        open_ranks={leg: columns["open_ranks"].astype(np.int64) for leg, columns in legs.items()},
        scores={leg: columns["scores"] for leg, columns in legs.items()},
        pairs={(a, b): similarity for a, b, similarity in header["pairs"]},
        penalty=np.zeros(count), final=np.zeros(count),
    )  # fmt: skip


def _state(header: dict[str, Any], pool: Pool) -> State:
    length, included, omitted = header["context"]
    request = Request(
        query=header["query"] or "",
        namespace=header["namespace"],
        recall_id=header["recallId"],
        at=datetime.fromtimestamp(header["at"] / 1000, UTC),
        settings=RecallSettings.model_validate(header["settings"]),
        session_id=header["session"],
        agent=header["agent"],
        scopes=tuple(header["scopes"]),
        without=frozenset(header["without"]),
    )
    return State(
        request,
        plan=Plan(
            request.query,
            words=tuple(header["words"]),
            frequencies=tuple(header["frequencies"]),
            searched=tuple(header["searched"]),
        ),
        corpus=Corpus(*header["corpus"]),
        legs=tuple(LegReport(*leg) for leg in header["reports"]),
        pool=pool,
        rungs=tuple(Rung(*rung) for rung in header["rungs"]),
        context=Context("", length, tuple(included), tuple(Omission(*each) for each in omitted)),
        stages=tuple(StageReport(*stage) for stage in header["stages"]),
    )
