"""A finished recall in, a packed receipt out, and back: everything an explanation needs, and no text of a memory.

Layout: the length of the deflated part as four bytes; deflated, the header (JSON, with the pool's head), a NUL and the
pool's smooth bytes (`pool`); the pool's rough bytes; and the query in UTF-8, followed by the words of filters. The
deflater knows the words of a header beforehand (`receipt.dict`). The query is the only text: history stores it apart,
and a receipt can be read without it. Version 1 had the query in the header; up to version 4 the columns followed a
header that was deflated by itself (`before`).
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json

from pellucid.clock import epoch_ms, ms_if_any
from pellucid.errors import StoreError, step
from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import CutTrace, EpisodeTrace, FilterTrace, LegHealth, PassTrace, StageTrace
from pellucid.model.wire import Wire
from pellucid.recall.legs.graph_paths import pack_paths, unpack_paths
from pellucid.recall.query.edges import AskedEdges
from pellucid.recall.receipt.before import FIFTH, FIRST, pool_before, pool_of_fifth
from pellucid.recall.receipt.pool import pack_pairs, pack_pool, unpack_pairs, unpack_pool
from pellucid.recall.receipt.words import place_of_word, query_bytes, spelled, split_query
from pellucid.recall.score.ladder import RUNGS
from pellucid.recall.state import (
    Abstention,
    Context,
    Corpus,
    Omission,
    Period,
    Plan,
    Pool,
    Request,
    State,
    Tier,
)
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import Filters

VERSION = 6
_Trace = TypeVar("_Trace", bound=Wire)
_LEG_FIELDS = 5
"""How many fields of a leg's health are packed: all but what rungs made of its hits, which the pool tells."""


@cache
def _deflate_dictionary() -> bytes:
    """Return the preset dictionary of the deflater; it must never change, or written receipts become unreadable."""
    return files("pellucid.recall").joinpath("receipt.dict").read_bytes()


@dataclass(frozen=True, slots=True)
class Receipt:
    """One recall as it was recorded: the state after its last stage, less every text; `state.served` is empty.

    `served_ids` are the served memories, best first; `op_ids` name the operation that wrote each of these versions.
    """

    state: State
    served_ids: tuple[str, ...]
    op_ids: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """The contents of the receipt of a finished recall, before any byte of it is written."""

    header: dict[str, Any]
    pool: Pool
    request: Request

    @property
    def query(self) -> bytes:
        """Return the words of the request, which history stores apart: what `query_bytes` makes of it."""
        return query_bytes(self.request)

    def receipt(self) -> Receipt:
        """Return the receipt that `unpack` would make of the packed bytes with the query's after them."""
        header, count, query = self.header, len(self.pool), self.query
        zeros = np.zeros(count)
        rows = np.arange(count, dtype=np.int64)
        pool = replace(self.pool, rows=rows, terms={}, newer_than={}, penalty=zeros, final=zeros)
        return _receipt_of(header, pool, self.request.settings, query)

    def packed(self) -> bytes:
        """Return the receipt in bytes, without the words of its query."""
        head, smooth, rough = pack_pool(self.pool)
        header = to_json(self.header | {"pool": head, "body": len(rough)}, inf_nan_mode="constants")
        settings = _settings_text(self.request.settings)
        deflater = zlib.compressobj(*_DEFLATER, zdict=_deflate_dictionary())
        parts = (header[:-1], b',"settings":', settings, b"}\0", smooth)
        text = b"".join([*map(deflater.compress, parts), deflater.flush()])
        return b"".join([len(text).to_bytes(4, "big"), text, rough])


def _settings_text(settings: RecallSettings) -> bytes:
    """Return the settings as JSON; cached for the last settings object, which most recalls share."""
    last = _last_settings[0]
    if not (last and last[0] is settings):
        last = _last_settings[0] = settings, settings.model_dump_json().encode()
    return last[1]


def pack(state: State) -> bytes:
    """Return the receipt of a finished recall in bytes, the words of its query included."""
    drafted = draft(state)
    return drafted.packed() + drafted.query


def draft(state: State) -> Draft:
    """Return the contents of the receipt of a finished recall, ready to be packed later; `state.served` must still be
    there."""
    pool, request, plan = state.pool, state.request, state.plan
    position = {each.memory.id: int(at) for each, at in zip(state.served, state.kept, strict=True)}
    header: dict[str, object] = {
        "v": VERSION,
        **_pack_request(request),
        "words": [place_of_word(request, word) for word in plan.words],
        "frequencies": plan.frequencies,
        "telling": plan.telling,
        "searched": plan.searched,
        "said": _pack_plan(request, plan),
        "asked": [plan.asked and _field_values(plan.asked), plan.timeless, *([plan.answers] if plan.answers else [])],
        "paths": pack_paths(state.paths, pool.ids.tolist()),
        "subPlans": [
            (place_of_word(request, each.text), [place_of_word(request, word) for word in each.words])
            for each in state.sub_plans
        ],
        "rerank": state.rerank_backend,
        "tier": state.tier and _field_values(state.tier),
        "abstention": state.abstention and _field_values(state.abstention),
        "corpus": _field_values(state.corpus),
        "reports": [_trace_values(leg)[:_LEG_FIELDS] for leg in state.legs],
        "rungs": [_trace_values(rung) for rung in state.rungs],
        "stages": [(stage.name, round(stage.ms, 3), stage.note or "") for stage in state.stages],
        "served": [(position[each.memory.id], each.op_id) for each in state.served],
        "context": (
            state.context.length,
            [position[memory_id] for memory_id in state.context.included],
            [(position[each.memory_id], each.reason, each.rung) for each in state.context.omitted],
        ),
        "cuts": [(position[each.memory_id], each.shown, each.of) for each in state.context.cuts],
        "repeats": [*state.repeats.items()],
        "ladder": RUNGS,
        "episodes": [_trace_values(each) for each in state.context.episodes],
        "passes": [_trace_values(each) for each in state.context.passes],
        "pairs": [(a, b, similarity) for (a, b), similarity in pool.pairs.items()],
        **({"quotes": pack_pairs(state.context.quotes, pool)} if state.context.quotes else {}),
        **({"replaced": pool.replaced} if pool.replaced else {}),
        **({"retold": pool.retold} if pool.retold else {}),
        **({"own": True} if plan.own else {}),
        **({"unknown": [place_of_word(request, name) for name in plan.unknown]} if plan.unknown else {}),
    }
    return Draft(header, pool, request)


_last_settings: list[tuple[RecallSettings, bytes] | None] = [None]
_DEFLATER = (1, zlib.DEFLATED, 14, 7)
"""Level, method, window and memory: a receipt is small, and room for a large one costs more time than it saves."""


def inflate(packed: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the header (JSON), the pool's smooth bytes (empty before version 5), and all that follows: the pool's
    rough bytes and, if it is there, the query.

    Raises zlib.error if the bytes are not a receipt.
    """
    start = 4 + int.from_bytes(packed[:4], "big")
    inflater = zlib.decompressobj(zdict=_deflate_dictionary())
    header, _, smooth = (inflater.decompress(packed[4:start]) + inflater.flush()).partition(b"\0")
    return header, smooth, packed[start:]


def _pack_request(request: Request) -> dict[str, object]:
    """Return the JSON-ready request, without its words and settings."""
    return {
        "recallId": request.recall_id,
        "at": epoch_ms(request.at),
        "asOf": [ms_if_any(request.as_of), ms_if_any(request.as_known_at)],
        "namespace": request.namespace,
        "session": request.session_id,
        "agent": request.agent,
        "scopes": request.scopes,
        "without": sorted(request.without),
        "chosen": sorted(request.chosen),
        "made": [request.filters.since, request.filters.until],
        **({"leftOut": request.filters.not_ids} if request.filters.not_ids else {}),
    }


def _pack_plan(request: Request, plan: Plan) -> list[object]:
    """Return what the plan says beside its words, JSON-ready; names and phrases as places (start, length) in the query.

    A list: class, depth, reason, number of entities, places of the entities and then of the `named`, and the period
    (since, until, place of its phrase, whether it dates what was said) or None."""
    period = plan.period
    spans = [place_of_word(request, text) for text in (*plan.entities, *plan.named.values())]
    dated = period and (period.since, period.until, place_of_word(request, period.phrase), period.asserts)
    return [plan.query_class, plan.depth, plan.reason, len(plan.entities), spans, dated]


def _datetime_of(millis: int | None) -> datetime | None:
    """Return the UTC instant of epoch milliseconds; None for None."""
    return None if millis is None else datetime.fromtimestamp(millis / 1000, UTC)


def _field_values(record: Corpus | Tier | Abstention | AskedEdges) -> list[object]:
    """Return the values of a record's fields, in the order of its `__slots__`."""
    return [getattr(record, name) for name in record.__slots__]


def _trace_values(trace: Wire) -> list[object]:
    """Return the values of a trace's fields, in order; a reason or note that it does not have is an empty one."""
    return ["" if value is None else value for _, value in trace]


def _trace_of(kind: type[_Trace], values: Sequence[object]) -> _Trace:
    """Return a trace of type `kind` from its first values, as `_trace_values` returns them; "" means the default."""
    return kind(**{name: value for name, value in zip(kind.model_fields, values, strict=False) if value != ""})


def unpack(packed: bytes) -> Receipt:
    """Return the recall that a receipt records; the words of its query are empty if `packed` ends without them.

    StoreError if the bytes are not a receipt that this version can read.
    """
    try:
        text, smooth, rest = inflate(packed)
        header = json.loads(text)
        if header["v"] not in (*FIRST, FIFTH, VERSION):
            raise StoreError(f"a receipt has version {header['v']}", next_step="install a newer pellucid")
        is_first = header["v"] == 1
        query = (header["query"] or "").encode("utf-8", "surrogatepass") if is_first else rest[header["body"] :]
        settings = RecallSettings.model_validate(header["settings"])
        return _receipt_of(header, _unpack_pool(header, smooth, rest), settings, query)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError("a receipt could not be read", next_step=f"run {step('home.doctor')}") from error


def stages_of(packed: bytes) -> tuple[StageTrace, ...]:
    """Return only the stage reports of a receipt, much cheaper than all of it.

    StoreError if the bytes are no receipt.
    """
    try:
        return tuple(_trace_of(StageTrace, stage) for stage in json.loads(inflate(packed)[0])["stages"])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise StoreError("a receipt could not be read", next_step=f"run {step('home.doctor')}") from error


def _receipt_of(header: dict[str, Any], pool: Pool, settings: RecallSettings, words_as_bytes: bytes) -> Receipt:
    """Return a receipt from its parts; `words_as_bytes` are those of `query_bytes`, empty if they are not stored."""
    query, filter_words = split_query(words_as_bytes.decode("utf-8", "surrogatepass"))
    words = tuple(header["words"]) if header["v"] == 1 else spelled(query, header["words"])
    state, served = _state_of(header, pool, settings, (query, filter_words), words), header["served"]
    raw: Any = pool.ids.tolist()
    return Receipt(state, tuple(unpack_id(raw[place]) for place, _ in served), tuple(op for _, op in served))


def _renumber_rungs(header: dict[str, Any], numbers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return numbers of filters as `RUNGS` counts them (1 + the index; 0: none), from `numbers` that count the names in
    the header's `ladder` or, in old receipts, those of its `rungs` that are in `RUNGS`."""
    names = header.get("ladder") or [name for name, *_ in header["rungs"] if name in RUNGS]
    new_numbers = [0, *(1 + RUNGS.index(name) for name in names)]
    return np.array(new_numbers, dtype=np.uint8)[numbers]


def _unpack_pool(header: dict[str, Any], smooth: bytes, rest: bytes) -> Pool:
    """Return the candidates of a receipt of any version, their verdicts numbered as in `RUNGS`, and their pairs."""
    if header["v"] in FIRST:
        bare = pool_before(header, rest)
    else:
        bare = (pool_of_fifth if header["v"] == FIFTH else unpack_pool)(header["pool"], smooth, rest[: header["body"]])
    return replace(
        bare,
        rejected=_renumber_rungs(header, bare.rejected),
        soft=_renumber_rungs(header, bare.soft),
        pairs={(a, b): similarity for a, b, similarity in header["pairs"]},
        replaced=tuple((a, b) for a, b in header.get("replaced", ())),
        retold=tuple((a, b) for a, b in header.get("retold", ())),
    )


def _sub_plan(query: str, text: tuple[int, int], word_places: list[tuple[int, int]]) -> Plan:
    """Return the plan of a sub-question: its text is that at the place `text` of the query or, if nothing is there, its
    words.

    `word_places` are the places of its words in the query. A place is a start and a length, as for `spelled`; (0, 0) is
    no text."""
    words = spelled(query, word_places)
    return Plan(spelled(query, [text])[0] or " ".join(words), words=words)


def _lists_as_tuples(row: Any) -> list[Any]:
    """Return the values in `row`, a record unpacked from JSON, in order, lists among them as tuples."""
    return [tuple(cast("list[Any]", value)) if isinstance(value, list) else value for value in row]


def _unpack_plan(header: dict[str, Any], query: str, words: tuple[str, ...]) -> Plan:
    """Return the recorded plan with its `words`; names and phrases are cut out of `query`, empty if it is not kept."""
    asked, timeless, *answers = header.get("asked", (None, False))
    query_class, depth, reason, entities, places, dated = header.get("said", ("other", "full", "", 0, (), None))
    names = spelled(query, places)
    return Plan(
        query,
        words=words,
        frequencies=tuple(header["frequencies"]),
        telling=tuple(header["telling"]),
        searched=tuple(header["searched"]),
        query_class=query_class,
        depth=depth,
        reason=reason,
        entities=names[:entities],
        named=dict(enumerate(names[entities:])),
        period=dated and Period(dated[0], dated[1], spelled(query, [dated[2]])[0], dated[3]),
        asked=asked and AskedEdges(*_lists_as_tuples(asked)),
        answers=sum(answers),
        timeless=timeless,
        own=header.get("own", False),
        unknown=spelled(query, header.get("unknown", ())),
    )


def _request_of(header: dict[str, Any], settings: RecallSettings, query: str, filter_words: list[Any]) -> Request:
    """Return the request as it was recorded; `filter_words` are those of its filters and its review."""
    as_of, as_known_at = header.get("asOf", (None, None))
    return Request(
        query=query,
        namespace=header["namespace"],
        recall_id=header["recallId"],
        at=datetime.fromtimestamp(header["at"] / 1000, UTC),
        settings=settings,
        session_id=header["session"],
        agent=header["agent"],
        scopes=tuple(header["scopes"]),
        without=frozenset(header["without"]),
        filters=Filters(
            *(*_lists_as_tuples(filter_words)[:4], *header.get("made", (None, None))),
            not_session=filter_words[5],
            not_ids=tuple(header.get("leftOut", ())),
        ),
        review=tuple(filter_words[4]),
        chosen=frozenset(header.get("chosen", ())),
        as_of=_datetime_of(as_of),
        as_known_at=_datetime_of(as_known_at),
    )


def _state_of(
    header: dict[str, Any],
    pool: Pool,
    settings: RecallSettings,
    query_and_filters: tuple[str, list[Any]],
    words: tuple[str, ...],
) -> State:
    """Return the finished state that a header records.

    `query_and_filters` is from `split_query`; `words` are the plan's.
    """
    query, _ = query_and_filters
    length, included, omitted = header["context"]
    ids: Any = pool.ids.tolist()
    tier, abstention = header.get("tier"), header.get("abstention")
    return State(
        _request_of(header, settings, *query_and_filters),
        plan=_unpack_plan(header, query, words),
        sub_plans=tuple(_sub_plan(query, text, rest) for text, rest in header.get("subPlans", ())),
        rerank_backend=header.get("rerank", "late-interaction"),
        tier=tier and Tier(*_lists_as_tuples(tier)),
        abstention=abstention and Abstention(*_lists_as_tuples(abstention)),
        corpus=Corpus(*header["corpus"]),
        legs=tuple(_trace_of(LegHealth, leg) for leg in header["reports"]),
        pool=pool,
        kept=np.array([place for place, _ in header["served"]], dtype=np.int64),
        repeats=dict(header.get("repeats", ())),
        paths=unpack_paths(header.get("paths"), ids),
        rungs=tuple(_trace_of(FilterTrace, rung) for rung in header["rungs"]),
        context=Context(
            length=length,
            included=tuple(unpack_id(ids[place]) for place in included),
            omitted=tuple(Omission(unpack_id(ids[place]), *rest) for place, *rest in omitted),
            cuts=tuple(
                _trace_of(CutTrace, (unpack_id(ids[place]), *counts)) for place, *counts in header.get("cuts", ())
            ),
            episodes=tuple(_trace_of(EpisodeTrace, row) for row in header.get("episodes", ())),
            passes=tuple(_trace_of(PassTrace, row) for row in header.get("passes", ())),
            quotes=unpack_pairs(header.get("quotes", ()), pool),
        ),
        stages=tuple(_trace_of(StageTrace, stage) for stage in header["stages"]),
    )
