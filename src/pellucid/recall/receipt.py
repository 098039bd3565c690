"""A finished recall in, a packed receipt out, and back: everything an explanation needs, and no text of a memory.

Layout: the length of the header as four bytes, the header (JSON, deflated), the pool's columns (`packing`), and the
query in UTF-8. Ids and scores are noise that does not compress, so the columns are not deflated. The query is the only
text: history keeps it apart, and a receipt without it is whole but for the words. Version 1 held it in the header.
"""

import json
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import StoreError
from pellucid.model.memory import unpack_id
from pellucid.recall.packing import pack_columns, unpack_columns
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

VERSION = 2
COLUMNS = ("ids", "ordinal", "boundary", "importance", "cosine", "matched", "rerank_score", "rejected")
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
    place = {each.memory.id: int(at) for each, at in zip(state.served, state.order, strict=False)}
    header: dict[str, object] = {
        "v": VERSION,
        "recallId": request.recall_id,
        "at": int(request.at.timestamp() * 1000),
        "namespace": request.namespace,
        "session": request.session_id,
        "agent": request.agent,
        "scopes": request.scopes,
        "without": sorted(request.without),
        "words": [_place(request, word) for word in plan.words],
        "frequencies": plan.frequencies,
        "telling": plan.telling,
        "searched": plan.searched,
        "settings": request.settings.model_dump(),
        "corpus": _row(state.corpus),
        "reports": [_row(leg) for leg in state.legs],
        "rungs": [_row(rung) for rung in state.rungs],
        "stages": [(stage.name, round(stage.millis, 3), stage.note) for stage in state.stages],
        "served": [(place[each.memory.id], each.op_id) for each in state.served],
        "context": (
            state.context.length,
            [place[memory_id] for memory_id in state.context.included],
            [(place[each.memory_id], each.reason) for each in state.context.omitted],
        ),
        "pairs": [(a, b, similarity) for (a, b), similarity in pool.pairs.items()],
        "legs": list(pool.ranks),
        "n": len(pool),
    }
    dated = request.settings.leg_weights.temporal > 0 or request.settings.renewal_weight > 0
    header["layout"], body = pack_columns(_columns(pool, dated=dated))
    header["body"] = len(body)
    text = zlib.compress(json.dumps(header, separators=(",", ":")).encode(), 1)
    return len(text).to_bytes(4, "big") + text + body + query_bytes(request)


def _place(request: Request, word: str) -> tuple[int, int]:
    """Where a word stands in the query, and its length; zeros if the query is withheld."""
    kept = request.settings.store_query_text and word in request.query
    return (request.query.index(word), len(word)) if kept else (0, 0)


def query_bytes(request: Request) -> bytes:
    """The end of the receipt of a request: its query, or nothing if that is not to be kept."""
    return request.query.encode("utf-8", "surrogatepass") if request.settings.store_query_text else b""


def _row(record: LegReport | Rung | Corpus) -> list[object]:
    return [getattr(record, name) for name in record.__slots__]


def _columns(pool: Pool, *, dated: bool) -> dict[str, NDArray[Any]]:
    """The columns that scores and verdicts depend on; dates only if something ranked by them."""
    out: dict[str, NDArray[Any]] = {name: getattr(pool, name) for name in COLUMNS}
    out["session"] = pool.session + 1
    out["flags"] = np.packbits([getattr(pool, flag) for flag in FLAGS], axis=0, bitorder="little")[0]
    if dated:
        out["created"] = pool.created
    for leg, ranks in pool.ranks.items():
        out |= {f"{leg} ranks": ranks, f"{leg} open": pool.open_ranks[leg], f"{leg} scores": pool.scores[leg]}
    return out


def unpack(packed: bytes) -> Receipt:
    """The recall a receipt records.

    Raises:
        StoreError: the bytes are not a receipt this version can read.
    """
    try:
        start = 4 + int.from_bytes(packed[:4], "big")
        header = json.loads(zlib.decompress(packed[4:start]))
        if header["v"] not in {1, VERSION}:
            raise StoreError(f"a receipt has version {header['v']}", next_step="install a newer pellucid")
        served = header["served"]
        state = _state(header, _pool(header, packed[start:]), *_words(header, packed[start:]))
        raw: Any = state.pool.ids.tolist()
        return Receipt(state, tuple(unpack_id(raw[place]) for place, _ in served), tuple(op for _, op in served))
    except (zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError("a receipt could not be read", next_step="run `pellucid doctor`") from error


def _words(header: dict[str, Any], rest: bytes) -> tuple[str, tuple[str, ...]]:
    """The query and those of its words that were asked for; empty strings where it is withheld."""
    if header["v"] == 1:
        return header["query"] or "", tuple(header["words"])
    query = rest[header["body"] :].decode("utf-8", "surrogatepass")
    return query, tuple(query[start : start + length] for start, length in header["words"])


def _pool(header: dict[str, Any], body: bytes) -> Pool:
    count = int(header["n"])
    held = unpack_columns(header["layout"], body, count)
    flags, legs = held["flags"], header["legs"]
    return Pool(
        rows=np.arange(count, dtype=np.int64), ids=held["ids"],
        created=held.get("created", np.zeros(count)).astype(np.int64),
        session=held["session"].astype(np.int64) - 1, ordinal=held["ordinal"].astype(np.int64),
        boundary=held["boundary"], importance=held["importance"], cosine=held["cosine"],
        matched=held["matched"].astype(np.uint64), rerank_score=held["rerank_score"], rejected=held["rejected"],
        active=(flags & 1) > 0, valid=(flags & 2) > 0, trusted=(flags & 4) > 0, pinned=(flags & 8) > 0,
        ranks={leg: held[f"{leg} ranks"].astype(np.int64) for leg in legs},
        open_ranks={leg: held[f"{leg} open"].astype(np.int64) for leg in legs},
        scores={leg: held[f"{leg} scores"] for leg in legs},
        pairs={(a, b): similarity for a, b, similarity in header["pairs"]},
        penalty=np.zeros(count), final=np.zeros(count),
    )  # fmt: skip


def _state(header: dict[str, Any], pool: Pool, query: str, words: tuple[str, ...]) -> State:
    length, included, omitted = header["context"]
    ids: Any = pool.ids.tolist()
    request = Request(
        query=query,
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
            words=words,
            frequencies=tuple(header["frequencies"]),
            telling=tuple(header["telling"]),
            searched=tuple(header["searched"]),
        ),
        corpus=Corpus(*header["corpus"]),
        legs=tuple(LegReport(*leg) for leg in header["reports"]),
        pool=pool,
        rungs=tuple(Rung(*rung) for rung in header["rungs"]),
        context=Context(
            length=length,
            included=tuple(unpack_id(ids[place]) for place in included),
            omitted=tuple(Omission(unpack_id(ids[place]), reason) for place, reason in omitted),
        ),
        stages=tuple(StageReport(*stage) for stage in header["stages"]),
    )
