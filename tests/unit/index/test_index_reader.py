"""Rows in the local index in; ranked lists, columns and features that plain arithmetic agrees with out."""

import random
from collections.abc import Mapping
from datetime import timedelta
from math import log

import apsw
import numpy as np
import pytest

from kits.vault import (
    ELSEWHERE,
    HERE,
    NOON,
    Opener,
    a_memory,
    file_memories,
    keep,
    may_answer,
    salad_memories,
    take_verbatim,
)
from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.errors import DeadlineError
from pellucid.model.memory import Memory, boundary_bits, unpack_id
from pellucid.store.index_changes import IndexRecord, IndexState, PathChange
from pellucid.store.index_port import EVERY_SCOPE, Admission, Filters
from pellucid.store.local.index.analysis import Analyzer
from pellucid.store.local.index.folding import search_text
from pellucid.store.local.index.local_index import LocalIndex

AT = Admission(int((NOON + timedelta(minutes=5)).timestamp() * 1000), granted=EVERY_SCOPE)


@pytest.fixture
def salted(house: Opener) -> App:
    app = house()
    file_memories(app, salad_memories(random.Random(12), 80))
    file_memories(app, salad_memories(random.Random(13), 30, ELSEWHERE))
    return app


def plain_bm25(texts: dict[str, list[str]], stems: list[str]) -> dict[str, float]:
    """Robertson's formula said slowly: k1 1.2, b 0.75, over the texts of one namespace."""
    count, mean = len(texts), sum(map(len, texts.values())) / len(texts)
    out = {}
    for name, words in texts.items():
        score = 0.0
        for stem in stems:
            holding = sum(stem in other for other in texts.values())
            often = min(words.count(stem), 255)
            if often:
                rarity = log(1 + (count - holding + 0.5) / (holding + 0.5))
                score += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(words) / mean))
        out[name] = score
    return out


def test_the_lexical_leg_is_bm25_over_the_namespaces_own_statistics(salted: App) -> None:
    analyzer = Analyzer(apsw.Connection(":memory:"))
    memories = {each.memory.id: each.memory for each in salted.index.memories(HERE)}
    texts = {name: analyzer.stems(search_text(memory)) for name, memory in memories.items()}
    for query in ("crane", "harbour tide 港口", "the of a", "never moved"):
        stems = list(dict.fromkeys(stem for stem, _, _ in analyzer.places(query)))
        expected = plain_bm25(texts, stems)
        order = best_first({name: score for name, score in expected.items() if score > 0}, memories)
        with salted.index.reading(HERE) as reader:
            hits = reader.lexical(stems, AT, 1000, 1000)
            admitted = [each.memory for each in reader.memories(hits.rows)]
            opened = [each.memory for each in reader.memories(hits.open_rows)]
        got = dict(zip([m.id for m in admitted + opened], [*hits.scores, *hits.open_scores], strict=True))
        assert got.keys() == set(order)
        assert all(got[name] == pytest.approx(expected[name], rel=1e-5) for name in order)
        assert [memory.id for memory in admitted] == [n for n in order if open_to(memories[n])]
        assert [memory.id for memory in opened] == [n for n in order if not open_to(memories[n])]


def best_first(scores: dict[str, float], memories: Mapping[str, Memory]) -> list[str]:
    """By score, of equals the newer first, then by id."""
    return sorted(scores, key=lambda name: (-np.float32(scores[name]), -memories[name].created.timestamp(), name))


def open_to(memory: Memory) -> bool:
    """Whether the admitted arm takes it: scopes are the ladder's."""
    return may_answer(memory.model_copy(update={"scopes": ()}))


@pytest.mark.parametrize("pool", [1, 5, 50, 1000])
def test_the_vector_leg_is_exact(salted: App, pool: int) -> None:
    memories = {each.memory.id: each.memory for each in salted.index.memories(HERE)}
    query = salted.embedder.encode_query("harbour crane tide")
    ids = list(memories)
    vectors = [
        e.vector.astype(np.float16).astype(np.float64)
        for e in salted.embedder.encode([memories[i].content for i in ids])
    ]
    cosine = {i: float((v * query.vector.astype(np.float64)).sum()) for i, v in zip(ids, vectors, strict=True)}
    with salted.index.reading(HERE) as reader:
        hits = reader.vector(query.vector, AT, pool, 20)
        got = [each.memory.id for each in reader.memories(hits.rows)]
        opened = [each.memory.id for each in reader.memories(hits.open_rows)]
    order = best_first({name: score for name, score in cosine.items() if open_to(memories[name])}, memories)
    assert got == order[:pool]
    assert hits.scores.tolist() == pytest.approx([cosine[i] for i in got], abs=1e-6)
    others = best_first({name: score for name, score in cosine.items() if not open_to(memories[name])}, memories)
    assert opened == others[:20]


def test_the_admitted_arm_takes_a_row_from_its_start_until_before_its_end(app: App) -> None:
    file_memories(app, [a_memory(1, "crane one", valid_at=NOON), a_memory(2, "crane two", invalid_at=NOON)])
    noon = int(NOON.timestamp() * 1000)
    query = app.embedder.encode_query("crane").vector
    with app.index.reading(HERE) as reader:
        for at, admitted, opened in ((noon - 1, 2, 1), (noon, 1, 2)):
            for hits in (
                reader.vector(query, Admission(at, granted=EVERY_SCOPE), 5, 5),
                reader.lexical(["crane"], Admission(at, granted=EVERY_SCOPE), 5, 5),
            ):
                assert [int(each.memory.id[4:], 16) for each in reader.memories(hits.rows)] == [admitted]
                assert [int(each.memory.id[4:], 16) for each in reader.memories(hits.open_rows)] == [opened]


def test_equal_scores_go_by_id(app: App) -> None:
    file_memories(app, [a_memory(n, "the very same words") for n in (5, 2, 9, 1)])
    query = app.embedder.encode_query("same words").vector
    with app.index.reading(HERE) as reader:
        for hits in (reader.vector(query, AT, 3, 0), reader.lexical(["same"], AT, 3, 0), reader.recent(AT, 3)):
            assert [int(each.memory.id[4:], 16) for each in reader.memories(hits.rows)] == [1, 2, 5]


def test_neighbours_are_the_turns_beside_and_no_others(app: App) -> None:
    take_verbatim(app, random.Random(1), "s", 12)
    take_verbatim(app, random.Random(2), "t", 12)
    keep(app, "stands alone")
    memories = app.index.memories(HERE)
    with app.index.reading(HERE) as reader:
        rows = np.arange(1, len(memories) + 1, dtype=np.int64)
        columns = reader.columns(rows, AT)
        turn = {row: (columns.session[i], columns.ordinal[i]) for i, row in enumerate(rows.tolist())}
        for row in rows.tolist():
            session, ordinal = turn[row]
            beside = reader.neighbours(np.array([row]), 2, AT).tolist()
            expected = [o for o, (s, n) in turn.items() if s == session >= 0 and 0 < abs(n - ordinal) <= 2]
            assert beside == sorted(expected)
        assert reader.neighbours(np.zeros(0, dtype=np.int64), 2, AT).tolist() == []


def test_rows_that_share_no_term_have_no_rare_one_in_common(salted: App) -> None:
    with salted.index.reading(HERE) as reader:
        rows = reader.select(Filters())
        assert reader.features(rows[:1], None, (), 0.5).rare == [frozenset()]
        assert reader.features(rows[:0], None, (), 0.5).rare == []


def test_features_are_those_of_the_rows_asked_in_their_order(salted: App) -> None:
    with salted.index.reading(HERE) as reader:
        hits = reader.vector(salted.embedder.encode_query("crane").vector, AT, 20, 0)
        rows, query = hits.rows[::-1].copy(), salted.embedder.encode_query("tide").vector
        features, held = reader.features(rows, query, ["crane", "tide", "zyzzyva"]), reader.codes(rows)
        texts = [each.memory.content for each in reader.memories(rows)]
    analyzer = Analyzer(apsw.Connection(":memory:"))
    ends = [0, *held.ends.tolist()]
    for i, (text, encoding) in enumerate(zip(texts, salted.embedder.encode(texts), strict=True)):
        assert held.codes[ends[i] : ends[i + 1]].tolist() == encoding.tokens.tolist()
        assert features.vectors[i].tolist() == encoding.vector.astype(np.float16).astype(np.float32).tolist()
        stems = analyzer.stems(text)
        assert int(features.matched[i]) == ("crane" in stems) + 2 * ("tide" in stems)
        assert features.cosine[i] == pytest.approx(float(features.vectors[i] @ query), abs=1e-5)


def test_the_corpus_is_that_of_the_namespace(salted: App) -> None:
    memories = [each.memory for each in salted.index.memories(ELSEWHERE)]
    with salted.index.reading(ELSEWHERE) as reader:
        known = reader.survey("crane Cranes 港口")
        corpus, terms = known.corpus, list(known.terms)
    assert corpus.rows == corpus.vectors == len(memories) == 30
    assert corpus.active == sum(memory.status == "active" for memory in memories)
    assert corpus.applied_seq == salted.index.state().applied_seq
    assert [(term.stem, term.start, term.end) for term in terms] == [
        ("crane", 0, 5),
        ("crane", 6, 12),
        ("港口", 13, 15),
    ]
    holding = sum("crane" in memory.content for memory in memories)
    assert [term.frequency for term in terms][:2] == [holding, holding]


def test_an_unknown_namespace_is_an_empty_one(salted: App) -> None:
    with salted.index.reading("no/body") as reader:
        known = reader.survey("crane")
        corpus, terms = known.corpus, list(known.terms)
        assert (corpus.rows, corpus.active, corpus.vectors) == (0, 0, 0)
        assert terms[0].frequency == 0
        assert len(reader.recent(AT, 5).rows) == 0
        assert len(reader.lexical(["crane"], AT, 5, 5).rows) == 0


def test_a_reader_sees_one_snapshot_whatever_is_written_meanwhile(house: Opener) -> None:
    import threading

    app = house()
    keep(app, "the harbour crane")
    with app.index.reading(HERE) as reader:
        writer = threading.Thread(target=lambda: keep(app, "the harbour crane again"))
        writer.start()
        writer.join()
        assert reader.survey("crane").terms[0].frequency == 1
        assert len(reader.lexical(["crane"], AT, 5, 5).rows) == 1
    with app.index.reading(HERE) as reader:
        assert reader.survey("crane").terms[0].frequency == 2


def test_warm_columns_follow_every_change_of_another_connection(house: Opener) -> None:
    reading, writing = house(), house()
    for n in range(4):
        path = keep(writing, f"the crane number {n}").path
        with reading.index.reading(HERE) as reader:
            assert reader.survey("crane").terms[0].frequency == n + 1
    (writing.settings.home / "vault" / path).unlink()
    writing.unit_of_work.take_over_edits()
    with reading.index.reading(HERE) as reader:
        known = reader.survey("crane")
        corpus, terms = known.corpus, list(known.terms)
        assert (corpus.rows, terms[0].frequency) == (3, 3)


class AfterSoManyLooks(Deadline):
    """Cancelled when it has been looked at so many times."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def check(self) -> None:
        self.looks -= 1
        if self.looks <= 0:
            self.cancel()
        super().check()


def many_blocks(app: App) -> LocalIndex:
    """An index of three blocks, each of a thousand rows or less."""
    index = LocalIndex(app.settings.home / "many.db")
    changes = [
        PathChange(f"{n}.md", "d", 1, 1, None, (IndexRecord(a_memory(n, f"word{n} shared"), 0, b"x" * 16, None),))
        for n in range(1, 2501)
    ]
    assert index.apply(changes, IndexState(1, "", "")) == {}
    return index


def test_what_a_deadline_left_of_a_cold_namespace_is_all_that_the_next_one_reads(house: Opener) -> None:
    index = many_blocks(house(encoder=None))
    with pytest.raises(DeadlineError, match="cancelled"), index.reading(HERE, AfterSoManyLooks(3)):
        pytest.fail("it was not all read")
    (warm,) = index._warm.held.values()
    read = dict(warm.columns._blocks)
    assert sorted(read) == [0, 1]
    with index.reading(HERE) as reader:
        assert reader.survey("shared").terms[0].frequency == 2500
    assert all(warm.columns._blocks[block] is each for block, each in read.items())
    index.close()


def test_rows_over_several_blocks_are_all_found(house: Opener) -> None:
    index = many_blocks(house(encoder=None))
    with index.reading(HERE) as reader:
        assert reader.survey("shared").terms[0].frequency == 2500
        for n in (1, 1023, 1024, 1025, 2047, 2048, 2500):
            hits = reader.lexical([f"word{n}"], AT, 5, 0)
            assert [each.memory.id for each in reader.memories(hits.rows)] == [f"mem_{n:032x}"]
    assert index.apply([], IndexState(0, "", "")) is None, "an index never goes back"
    index.close()


def test_scopes_are_bits_in_their_order() -> None:
    assert boundary_bits(()) == boundary_bits(("team-a",)) == 0
    assert boundary_bits(("private", "x", "temporary")) == 0b011
    assert boundary_bits(("do-not-use-outside-this-context",)) == 0b100


@pytest.mark.parametrize("number", [0, 1, 255, 256, 2**120, 2**128 - 1, 0xAB00])
def test_an_id_survives_sixteen_packed_bytes(number: int) -> None:
    memory_id = f"mem_{number:032x}"
    packed = np.array([bytes.fromhex(memory_id.removeprefix("mem_"))], dtype="S16")
    assert unpack_id(packed[0]) == memory_id


def test_holding_names_the_oldest_active_memory_of_these_words_behind_each_boundary(house: Opener) -> None:
    from pellucid.language.spelling import content_hash

    app = house()
    same = "We cut releases every Tuesday."
    older = NOON - timedelta(days=2)
    file_memories(
        app,
        [
            a_memory(1, same),
            a_memory(2, same.upper(), created=older),
            a_memory(3, same, status="archived", created=older),
            a_memory(4, same, namespace=ELSEWHERE, created=older),
            a_memory(5, same, entity_ref="x", created=older),
            a_memory(6, same, scopes=("private", "team-a"), created=older),
            a_memory(7, same, scopes=("private",)),
        ],
    )
    digest = content_hash(same)
    assert app.index.holding(HERE, [digest, "no"]) == {
        digest: {frozenset(): f"mem_{2:032x}", frozenset(["private"]): f"mem_{6:032x}"}
    }
    assert app.index.holding(ELSEWHERE, [digest]) == {digest: {frozenset(): f"mem_{4:032x}"}}
    assert app.index.holding("no/body", [digest]) == {}
