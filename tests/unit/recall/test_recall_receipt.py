"""Finished recalls in, packed receipts and what can be worked out from them alone out."""

import hashlib
import random
import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from kits.receipts_before import as_version_4, as_version_5, assembled, columns_before, header_of
from kits.vault import (
    HERE,
    SESSIONS,
    Opener,
    ask,
    bare_receipt,
    bring_in,
    file_memories,
    keep,
    queries,
    run,
    salad_memories,
)
from pellucid.app import App
from pellucid.errors import StoreError
from pellucid.operations.recall.recalling import xray_by_id
from pellucid.recall.ablate import ablate
from pellucid.recall.pipeline import run as run_stages
from pellucid.recall.receipt.record import Receipt, draft, pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.state import Pool, World
from pellucid.settings.sections import LegWeights, RecallSettings
from pellucid.xray.build import build


def with_header(header: bytes) -> bytes:
    """A receipt with this header and no columns."""
    text = zlib.compress(header)
    return len(text).to_bytes(4, "big") + text


@pytest.fixture
def salted(house: Opener) -> App:
    app = house()
    file_memories(app, salad_memories(random.Random(8), 60))
    return app


def test_a_receipt_is_small(salted: App) -> None:
    sizes = [len(pack(run(salted, query))) for query in queries(random.Random(1), ["crane tide ferry"], 10)]
    assert max(sizes) < 3_600


def test_everything_but_texts_comes_back(salted: App) -> None:
    state = run(salted, "crane 港口 ferry", session_id="s", agent="a", scopes=("private",), without=("boost",))
    back = unpack(pack(state))
    assert back.state.request == replace(state.request, at=back.state.request.at)
    assert abs(back.state.request.at - state.request.at).total_seconds() < 0.001
    assert back.served_ids == tuple(each.memory.id for each in state.served)
    assert back.op_ids == tuple(each.op_id for each in state.served)
    assert back.state.context == replace(state.context, text="")
    known: list[str] = []
    for column in fields(state.pool):
        here, there = getattr(state.pool, column.name), getattr(back.state.pool, column.name)
        if column.name in ("rows", "terms", "penalty", "final"):  # a place in an index, and what is worked out again
            continue
        known.append(column.name)
        if isinstance(here, np.ndarray):
            here, there = {"": here}, {"": there}
        if isinstance(here, Mapping) and column.name != "pairs":
            here = {leg: (each.dtype, each.tobytes()) for leg, each in here.items()}
            there = {leg: (each.dtype, each.tobytes()) for leg, each in there.items()}
        assert there == here, column.name
    assert {"ids", "created", "importance", "open_ranks", "scores", "pairs", "cold"} <= {*known}


def test_what_is_told_of_a_recall_before_it_is_kept_is_what_its_receipt_says(salted: App) -> None:
    """Of any question, of one that finds nothing, and of one whose words are not kept."""
    silent = RecallSettings(store_query_text=False)
    for query, settings in (("crane 港口 ferry", None), ("thanks!", None), ("crane\0[1,2] on Monday", silent)):
        state = run(salted, query, tags=("x",)) if settings is None else run(salted, query)
        request = replace(state.request, settings=settings or state.request.settings)
        made = draft(replace(state, request=request))
        told, read = made.receipt(), unpack(made.packed() + made.query)
        assert build(told, {}) == build(read, {})
        assert (told.served_ids, told.op_ids) == (read.served_ids, read.op_ids)
        unlike = {"pool": None, "kept": None, "order": None}
        assert replace(told.state, **unlike) == replace(read.state, **unlike)
        for column in fields(Pool):
            here, there = (_as_bytes(getattr(each.state.pool, column.name)) for each in (told, read))
            assert here == there, column.name


def _as_bytes(column: Any) -> Any:
    """A column of a pool so that `==` says whether two are the same to the last bit; anything else as it is."""
    if isinstance(column, np.ndarray):
        return column.dtype, column.tobytes()
    return {name: _as_bytes(each) for name, each in column.items()} if isinstance(column, Mapping) else column


def test_what_is_no_simple_number_comes_back_to_the_last_bit(salted: App) -> None:
    """Importance beyond two decimals, heat, dates before the id, ranks with gaps, scores that are not the cosine."""
    state = run(salted, "crane ferry tide")
    pool, rng = state.pool, np.random.default_rng(3)
    odd = replace(
        pool,
        importance=rng.random(len(pool), dtype=np.float32),
        heat=rng.random(len(pool), dtype=np.float32),
        created=pool.created - rng.integers(0, 2**40, len(pool)),
        reinforcement=rng.integers(0, 2**33, len(pool)),
        matched=rng.integers(0, 2**63, len(pool), dtype=np.uint64) * np.uint64(2) + np.uint64(1),
        session=rng.integers(-1, 70_000, len(pool)),
        ranks={leg: ranks * 3 for leg, ranks in pool.ranks.items()},
        scores={leg: scores * np.float32(1.1) for leg, scores in pool.scores.items()},
    )
    back = unpack(pack(replace(state, pool=odd))).state.pool
    for name in ("importance", "heat", "created", "reinforcement", "matched", "session"):
        assert getattr(back, name).tobytes() == getattr(odd, name).tobytes(), name
    for leg, ranks in odd.ranks.items():
        assert back.ranks[leg].tolist() == ranks.tolist()
        assert back.scores[leg].tobytes() == odd.scores[leg].tobytes()


def test_what_the_deflater_knows_beforehand_stays_as_it_is() -> None:
    """A receipt can be read only with the bytes it was written with: other words need another version and file."""
    known = files("pellucid.recall").joinpath("receipt.dict").read_bytes()
    assert hashlib.sha256(known).hexdigest() == "5a929a15f787910fe747601657e624990d6cc46877ff17aff987d93bfaa8aa96"


def test_the_order_comes_out_of_the_receipt_alone(salted: App) -> None:
    for query in queries(random.Random(4), [each.memory.content for each in salted.index.memories(HERE)], 20):
        state = run(salted, query, top_k=5, budget=700)
        pool, order = rescore(unpack(pack(state)).state)
        assert order.tolist() == state.order.tolist()
        assert pool.final.tobytes() == state.pool.final.tobytes()
        assert list(pool.terms) == [name for name in pool.terms if name in state.pool.terms]


def test_dates_come_back_where_something_was_ranked_by_them(house: Opener) -> None:
    app = house(leg_weights=LegWeights(temporal=0.5))
    file_memories(app, salad_memories(random.Random(8), 40))
    state = run(app, "crane ferry tide")
    packed = unpack(pack(state)).state
    assert packed.pool.created.tolist() == state.pool.created.tolist()
    assert rescore(packed)[0].final.tobytes() == state.pool.final.tobytes()


def test_a_query_may_be_withheld(house: Opener) -> None:
    app = house(store_query_text=False)
    keep(app, "the harbour crane lifts forty tonnes")
    answer = ask(app, "crane zyzzyva")
    packed = app.history.receipt(answer.recall_id, HERE)
    assert packed
    assert b"zyzzyva" not in bare_receipt(packed)
    assert b"crane" not in bare_receipt(packed)
    state = unpack(packed).state
    assert state.request.query == ""
    assert state.plan.words == ("", "")


def test_a_query_is_kept_apart_from_its_receipt_and_can_be_erased(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    answer = ask(app, "Which crane, zyzzyva \ud83d or 港口?", session_id="s")
    before = xray_by_id(app, HERE, answer.recall_id)
    assert before.query_terms[1:3] == ("crane", "zyzzyva")
    assert app.history.erase(HERE, ["Zyzzyva"]) == 1
    after = xray_by_id(app, HERE, answer.recall_id)
    assert after.query == ""
    assert set(after.query_terms) == {""}
    assert before.results[0].why.replace(" key words: crane)", " key words)") == after.results[0].why
    changed = {"query": "", "query_terms": after.query_terms, "results": after.results}
    assert after == before.model_copy(update=changed)
    whys = [each.model_copy(update={"why": ""}) for each in before.results]
    assert [each.model_copy(update={"why": ""}) for each in after.results] == whys
    packed = app.history.receipt(answer.recall_id, HERE)
    assert packed
    assert not [word for word in (b"zyzzyva", b"crane", "港口".encode()) if word in bare_receipt(packed)]


def as_version_1(packed: bytes, query: str, words: tuple[str, ...]) -> bytes:
    """The same receipt with its query inside, as it was kept first."""
    header = header_of(packed) | {"v": 1, "query": query, "words": words}
    return assembled(header, columns_before(unpack(packed).state.pool), b"")


def test_receipts_of_earlier_versions_are_read_all_the_same(salted: App) -> None:
    state = run(salted, "crane 港口 ferry")
    new = pack(state)
    fourth, fifth = as_version_4(new), as_version_5(new)
    for old in (as_version_1(fourth, state.request.query, state.plan.words), fourth, fifth):
        assert build(unpack(old), {}) == build(unpack(new), {})
        assert ablate(unpack(old).state, ("vector",)).order.tolist() == (
            ablate(unpack(new).state, ("vector",)).order.tolist()
        )


@pytest.mark.parametrize("packed", [b"", b"junk", with_header(b"no json"), with_header(b'{"v":99}')], ids=repr)
def test_what_is_no_receipt_of_ours_is_said_to_be_none(packed: bytes) -> None:
    with pytest.raises(StoreError) as caught:
        unpack(packed)
    assert caught.value.next_step


@pytest.mark.parametrize("header", [b"[]", b"{}", b'{"v":1}', b'{"v":1,"n":3,"served":[],"layout":[],"legs":[]}'])
def test_a_receipt_that_lacks_its_parts_is_said_to_be_unreadable(header: bytes) -> None:
    with pytest.raises(StoreError):
        unpack(with_header(header))


class _Broken:
    """A reader one of whose questions fails."""

    def __init__(self, reader: object, question: str) -> None:
        self._reader, self._question = reader, question

    def __getattr__(self, name: str) -> object:
        if name == self._question:
            raise RuntimeError(f"{name} is broken")
        return getattr(self._reader, name)


def test_a_stage_that_failed_is_recorded_and_its_share_is_not_made_up_later(salted: App) -> None:
    bring_in(salted, SESSIONS / "onboarding-chat.json", mode="verbatim")
    request = run(salted, "who is the manager of Tomás?").request
    with salted.index.reading(HERE) as reader:
        state = run_stages(request, World(_Broken(reader, "neighbours"), salted.embedder))
    notes = {stage.name: stage.note for stage in state.stages}
    assert notes["expand"].startswith("failed: RuntimeError")
    assert state.order.size
    pool, order = rescore(unpack(pack(state)).state)
    assert order.tolist() == state.order.tolist()
    assert pool.final.tobytes() == state.pool.final.tobytes()


def test_a_stage_that_was_switched_off_says_so(salted: App) -> None:
    notes = {stage.name: stage.note for stage in run(salted, "crane", without=("expand", "rerank", "boost")).stages}
    assert {name for name, note in notes.items() if note == "switched off"} == {"expand", "rerank", "boost"}
    assert list(notes) == [
        "plan",
        "legs",
        "fuse",
        "expand",
        "measure",
        "ladder",
        "rerank",
        "boost",
        "renew",
        "direct",
        "diversify",
        "assemble",
    ]


def test_a_receipt_does_not_lean_on_the_defaults_of_the_program_that_reads_it(
    salted: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = run(salted, "crane ferry tide")
    packed = pack(state)
    for kind, name, value in ((RecallSettings, "rrf_k", 60), (LegWeights, "lexical", 0.1)):
        monkeypatch.setattr(kind.model_fields[name], "default", value)
        kind.model_rebuild(force=True)
    try:
        pool, order = rescore(unpack(packed).state)
    finally:
        monkeypatch.undo()
        for kind in (LegWeights, RecallSettings):
            kind.model_rebuild(force=True)
    assert order.tolist() == state.order.tolist()
    assert pool.final.tobytes() == state.pool.final.tobytes()


def test_the_snapshot_needs_no_memory_to_be_there(salted: App) -> None:
    state = run(salted, "crane ferry tide")
    receipt = unpack(pack(state))
    assert isinstance(receipt, Receipt)
    snapshot = build(receipt, {})
    assert len(snapshot.results) == len(state.context.included) > 0
    assert all(result.path == "" and result.provenance is None for result in snapshot.results)
    assert [r.score_decomposition.final for r in snapshot.results] == [
        float(state.pool.final[at]) for at in state.order[: len(snapshot.results)]
    ]
    assert not np.isnan([r.score_decomposition.final for r in snapshot.results]).any()


@pytest.mark.requirement("FORGET-1")
def test_what_filters_and_a_review_name_goes_with_the_words_of_the_query(house: Opener) -> None:
    app = house()
    keep(app, "the crane", tags=("zanzibarquux",))
    asked = {"tags": ("zanzibarquux",), "in_session": "plumbob", "review": "src/zanzibarquux/plumbob.py"}
    answer = ask(app, "crane", **asked)
    packed = app.history.receipt(answer.recall_id, HERE)
    assert packed
    request = unpack(packed).state.request
    assert (request.filters.tags, request.filters.session_id) == (("zanzibarquux",), "plumbob")
    assert request.review == ("src/zanzibarquux/plumbob.py",)
    assert request.query == "crane"
    assert app.history.erase(HERE, ["zanzibarquux"]) == 1
    emptied = app.history.receipt(answer.recall_id, HERE)
    assert emptied
    assert b"zanzibarquux" not in bare_receipt(emptied)
    assert b"plumbob" not in bare_receipt(emptied)
    again = unpack(emptied).state
    assert (again.request.query, again.request.filters.tags, again.request.review) == ("", (), ())


def test_a_query_with_a_nul_and_brackets_comes_back_whole(house: Opener) -> None:
    app = house()
    keep(app, "the crane")
    for query in ("crane\0[1,2]", "crane\0[[],[],null,null]", "crane\0"):
        state = run(app, query, tags=("x",))
        assert unpack(pack(state)).state.request.query == query
        assert unpack(pack(state)).state.request.filters.tags == ("x",)
        plain = run(app, query)
        assert unpack(pack(plain)).state.request.query == query
