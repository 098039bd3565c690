"""A finished recall in, a packed receipt out, and back: everything an explanation needs, and no text of a memory.

Layout: the length of what is deflated as four bytes; deflated, the header (JSON), a NUL and the whole numbers of the
pool (`pool`); the pool's noise; and the query in UTF-8, with what filters name behind it. The deflater knows the words
of a header beforehand (`receipt.dict`). The query is the only text: history keeps it apart, and a receipt can be read
without it. Version 1 held it in the header; up to version 4 the columns followed a header that was deflated by itself
(`before`).
"""

import json
import zlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json

from pellucid.clock import epoch_ms, ms_if_any
from pellucid.errors import StoreError
from pellucid.model.memory import unpack_id
from pellucid.recall.context.records import CutMemory, NamedEpisode, PassReport
from pellucid.recall.legs.graph_paths import pack_paths, unpack_paths
from pellucid.recall.query.edges import AskedEdges
from pellucid.recall.receipt.before import FIFTH, FIRST, pool_before, pool_of_fifth
from pellucid.recall.receipt.pool import pack_pool, unpack_pool
from pellucid.recall.receipt.words import place_of_word, query_bytes, spelled, split_query
from pellucid.recall.score.ladder import RUNGS
from pellucid.recall.state import (
    Abstention,
    Context,
    Corpus,
    LegReport,
    Omission,
    Period,
    Plan,
    Pool,
    Request,
    Rung,
    StageReport,
    State,
    Tier,
)
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import Filters

VERSION = 6


@cache
def _deflate_dictionary() -> bytes:
    """The preset dictionary of the deflater; it must stay byte for byte as it was when a receipt was written."""
    return files("pellucid.recall").joinpath("receipt.dict").read_bytes()


@dataclass(frozen=True, slots=True)
class Receipt:
    """One recall as it was recorded: the state after its last stage, less every text; `state.served` is empty.

    `served_ids` are the first topK of the ranking; `op_ids` name the operation that wrote each version served.
    """

    state: State
    served_ids: tuple[str, ...]
    op_ids: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """All that the receipt of a finished recall will say, before any byte of it is written."""

    header: dict[str, Any]
    pool: Pool
    request: Request

    @property
    def query(self) -> bytes:
        """The words of the request, which history keeps apart; see `query_bytes`."""
        return query_bytes(self.request)

    def receipt(self) -> Receipt:
        """The receipt that `unpack` would make of the bytes."""
        header, count, query = self.header, len(self.pool), self.query
        zeros = np.zeros(count)
        rows = np.arange(count, dtype=np.int64)
        pool = replace(self.pool, rows=rows, terms={}, penalty=zeros, final=zeros)
        return _receipt_of(header, pool, self.request.settings, query)

    def packed(self) -> bytes:
        """The receipt in bytes, without the words of its query."""
        described, smooth, noise = pack_pool(self.pool)
        said = to_json(self.header | {"pool": described, "body": len(noise)}, inf_nan_mode="constants")
        settings = _settings_text(self.request.settings)
        deflater = zlib.compressobj(*_DEFLATER, zdict=_deflate_dictionary())
        parts = (said[:-1], b',"settings":', settings, b"}\0", smooth)
        text = b"".join([*map(deflater.compress, parts), deflater.flush()])
        return b"".join([len(text).to_bytes(4, "big"), text, noise])


def _settings_text(settings: RecallSettings) -> bytes:
    """The settings as JSON; kept from the last call, as recalls mostly share one settings object."""
    last = _last_settings[0]
    if not (last and last[0] is settings):
        last = _last_settings[0] = settings, settings.model_dump_json().encode()
    return last[1]


def pack(state: State) -> bytes:
    """The receipt of a finished recall in bytes, the words of its query included."""
    drafted = draft(state)
    return drafted.packed() + drafted.query


def draft(state: State) -> Draft:
    """The receipt of a finished recall, ready to be packed later."""
    pool, request, plan = state.pool, state.request, state.plan
    place = {each.memory.id: int(at) for each, at in zip(state.served, state.kept, strict=True)}
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
        "reports": [_field_values(leg) for leg in state.legs],
        "rungs": [_field_values(rung) for rung in state.rungs],
        "stages": [(stage.name, round(stage.millis, 3), stage.note) for stage in state.stages],
        "served": [(place[each.memory.id], each.op_id) for each in state.served],
        "context": (
            state.context.length,
            [place[memory_id] for memory_id in state.context.included],
            [(place[each.memory_id], each.reason, each.rung) for each in state.context.omitted],
        ),
        "cuts": [(place[each.memory_id], each.shown, each.of) for each in state.context.cuts],
        "repeats": [*state.repeats.items()],
        "ladder": RUNGS,
        "episodes": [_field_values(each) for each in state.context.episodes],
        "passes": [_field_values(each) for each in state.context.passes],
        "pairs": [(a, b, similarity) for (a, b), similarity in pool.pairs.items()],
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
    """The header, the pool's whole numbers (none before version 5) and the rest of a receipt; may raise zlib.error."""
    start = 4 + int.from_bytes(packed[:4], "big")
    inflater = zlib.decompressobj(zdict=_deflate_dictionary())
    header, _, numbers = (inflater.decompress(packed[4:start]) + inflater.flush()).partition(b"\0")
    return header, numbers, packed[start:]


def _pack_request(request: Request) -> dict[str, object]:
    """The JSON-ready request, without its words and settings."""
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
    """What was read in the query beside its words, JSON-ready; names and phrases as places in it."""
    period = plan.period
    spans = [place_of_word(request, text) for text in (*plan.entities, *plan.named.values())]
    dated = period and (period.since, period.until, place_of_word(request, period.phrase), period.asserts)
    return [plan.query_class, plan.depth, plan.reason, len(plan.entities), spans, dated]


def _datetime_of(millis: int | None) -> datetime | None:
    """The UTC instant of epoch ms, if any."""
    return None if millis is None else datetime.fromtimestamp(millis / 1000, UTC)


def _field_values(
    record: LegReport | Rung | Corpus | Tier | Abstention | NamedEpisode | PassReport | AskedEdges,
) -> list[object]:
    """The values of a record's fields, in order."""
    return [getattr(record, name) for name in record.__slots__]


def unpack(packed: bytes) -> Receipt:
    """The recall that a receipt records; StoreError if the bytes are not a receipt this version can read."""
    try:
        text, numbers, rest = inflate(packed)
        header = json.loads(text)
        if header["v"] not in (*FIRST, FIFTH, VERSION):
            raise StoreError(f"a receipt has version {header['v']}", next_step="install a newer pellucid")
        inside = header["v"] == 1
        said = (header["query"] or "").encode("utf-8", "surrogatepass") if inside else rest[header["body"] :]
        settings = RecallSettings.model_validate(header["settings"])
        return _receipt_of(header, _unpack_pool(header, numbers, rest), settings, said)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError("a receipt could not be read", next_step="run `pellucid doctor`") from error


def stages_of(packed: bytes) -> tuple[StageReport, ...]:
    """The stage reports of a receipt alone, much cheaper than all of it; StoreError if the bytes are no receipt."""
    try:
        return tuple(StageReport(*stage) for stage in json.loads(inflate(packed)[0])["stages"])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise StoreError("a receipt could not be read", next_step="run `pellucid doctor`") from error


def _receipt_of(header: dict[str, Any], pool: Pool, settings: RecallSettings, kept_words: bytes) -> Receipt:
    """A receipt of its parts; `kept_words` are the bytes of `query_bytes`."""
    query, beside = split_query(kept_words.decode("utf-8", "surrogatepass"))
    words = tuple(header["words"]) if header["v"] == 1 else spelled(query, header["words"])
    state, served = _state_of(header, pool, settings, (query, beside), words), header["served"]
    raw: Any = pool.ids.tolist()
    return Receipt(state, tuple(unpack_id(raw[place]) for place, _ in served), tuple(op for _, op in served))


def _renumber_rungs(header: dict[str, Any], numbers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Numbers of rungs as `RUNGS` counts them now, from those by which the receipt counts."""
    names = header.get("ladder") or [name for name, *_ in header["rungs"] if name in RUNGS]
    now = [0, *(1 + RUNGS.index(name) for name in names)]
    return np.array(now, dtype=np.uint8)[numbers]


def _unpack_pool(header: dict[str, Any], numbers: bytes, rest: bytes) -> Pool:
    """The candidates of a receipt of any version, their verdicts as rungs of today, and their pairs."""
    if header["v"] in FIRST:
        bare = pool_before(header, rest)
    else:
        bare = (pool_of_fifth if header["v"] == FIFTH else unpack_pool)(header["pool"], numbers, rest[: header["body"]])
    return replace(
        bare,
        rejected=_renumber_rungs(header, bare.rejected),
        soft=_renumber_rungs(header, bare.soft),
        pairs={(a, b): similarity for a, b, similarity in header["pairs"]},
        replaced=tuple((a, b) for a, b in header.get("replaced", ())),
        retold=tuple((a, b) for a, b in header.get("retold", ())),
    )


def _sub_plan(query: str, text: tuple[int, int], word_places: list[tuple[int, int]]) -> Plan:
    """A sub-question, as a place in the query (`text`), or as some of its words."""
    words = spelled(query, word_places)
    return Plan(spelled(query, [text])[0] or " ".join(words), words=words)


def _lists_as_tuples(row: Any) -> list[Any]:
    """The values of a record, lists as the tuples they were."""
    return [tuple(cast("list[Any]", value)) if isinstance(value, list) else value for value in row]


def _unpack_plan(header: dict[str, Any], query: str, words: tuple[str, ...]) -> Plan:
    """What was read in the query, as recorded; names and phrases are cut out of `query`, empty if not kept."""
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


def _request_of(header: dict[str, Any], settings: RecallSettings, query: str, beside: list[Any]) -> Request:
    """The request as it was recorded; `beside` holds the words of its filters and its review."""
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
            *(*_lists_as_tuples(beside)[:4], *header.get("made", (None, None))),
            not_session=beside[5],
            not_ids=tuple(header.get("leftOut", ())),
        ),
        review=tuple(beside[4]),
        chosen=frozenset(header.get("chosen", ())),
        as_of=_datetime_of(as_of),
        as_known_at=_datetime_of(as_known_at),
    )


def _state_of(
    header: dict[str, Any],
    pool: Pool,
    settings: RecallSettings,
    query_and_names: tuple[str, list[Any]],
    words: tuple[str, ...],
) -> State:
    """The finished state that a header records; `query_and_names` is from `split_query`, empty where not kept."""
    query, _ = query_and_names
    length, included, omitted = header["context"]
    ids: Any = pool.ids.tolist()
    tier, abstention = header.get("tier"), header.get("abstention")
    return State(
        _request_of(header, settings, *query_and_names),
        plan=_unpack_plan(header, query, words),
        sub_plans=tuple(_sub_plan(query, text, said) for text, said in header.get("subPlans", ())),
        rerank_backend=header.get("rerank", "late-interaction"),
        tier=tier and Tier(*_lists_as_tuples(tier)),
        abstention=abstention and Abstention(*_lists_as_tuples(abstention)),
        corpus=Corpus(*header["corpus"]),
        legs=tuple(LegReport(*leg) for leg in header["reports"]),
        pool=pool,
        kept=np.array([place for place, _ in header["served"]], dtype=np.int64),
        repeats=dict(header.get("repeats", ())),
        paths=unpack_paths(header.get("paths"), ids),
        rungs=tuple(Rung(*rung) for rung in header["rungs"]),
        context=Context(
            length=length,
            included=tuple(unpack_id(ids[place]) for place in included),
            omitted=tuple(Omission(unpack_id(ids[place]), *said) for place, *said in omitted),
            cuts=tuple(CutMemory(unpack_id(ids[place]), *told) for place, *told in header.get("cuts", ())),
            episodes=tuple(NamedEpisode(*_lists_as_tuples(row)) for row in header.get("episodes", ())),
            passes=tuple(PassReport(*_lists_as_tuples(row)) for row in header.get("passes", ())),
        ),
        stages=tuple(StageReport(*stage) for stage in header["stages"]),
    )
