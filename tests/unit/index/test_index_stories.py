"""Episodes in; those found by their own words, and what of their memories vouches for them, out."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from test_index_reader import AT, plain_bm25
from test_index_scrub import on_disk

from kits.stories import an_episode, file_episode, tell
from kits.vault import ELSEWHERE, HERE, NOON, Opener, a_memory, drop_index, file_memories
from pellucid.app import App
from pellucid.encoders.port import Vector
from pellucid.memory.encoding import text_digest, topic_digest
from pellucid.model.artifact import Artifact
from pellucid.store.episode_port import NearEpisode
from pellucid.store.index_port import Admission
from pellucid.store.local.health import integrity, totals
from pellucid.store.local.index.analysis import Analyzer
from pellucid.store.local.index.local_index import LocalIndex

MUTE: tuple[dict[str, Any], ...] = (
    {"status": "superseded"},
    {"status": "quarantined"},
    {"trust_zone": "quarantine"},
    {"scopes": ("private",)},
    {"expires_at": NOON - timedelta(days=1)},
    {"valid_at": NOON + timedelta(days=9)},
)
TOPICS = ("harbour crane repair", "ferry timetable for winter", "lighthouse paint and the harbour", "customs forms")


def stems_of(app: App, text: str) -> list[str]:
    with app.index.reading(HERE) as reader:
        return [term.stem for term in reader.survey(text).terms]


def vector_of(app: App, text: str) -> Vector:
    return app.embedder.encode_query(text).vector


def searched(app: App, text: str, count: int = 9, namespace: str = HERE) -> list[NearEpisode]:
    stems, query = stems_of(app, text), vector_of(app, text)
    with app.index.reading(namespace) as reader:
        return reader.episodes.search(query, stems, count)


def answering(app: App, text: str, admission: Admission = AT) -> list[NearEpisode]:
    stems, query = stems_of(app, text), vector_of(app, text)
    with app.index.reading(HERE) as reader:
        near = reader.episodes.search(query, stems, 9)
        return [each for each, rows in reader.episodes.answering(near, stems, admission) if rows]


def told(app: App, *ids: str) -> list[tuple[str, tuple[str, ...]]]:
    with app.index.reading(HERE) as reader:
        return [(filed.episode.id, said) for filed, said in reader.episodes.readable(ids, AT)]


def four(app: App) -> list[str]:
    return [tell(app, n, topic, f"we spoke of {topic}").id for n, topic in enumerate(TOPICS, start=1)]


def test_an_episode_is_found_by_the_meaning_and_the_words_of_its_topic(app: App) -> None:
    ids = four(app)
    hits = {hit.id: hit for hit in searched(app, "repairing the harbour crane")}
    assert set(hits) == set(ids)
    topics = dict(zip(ids, TOPICS, strict=True))
    query = vector_of(app, "repairing the harbour crane").astype(np.float64)
    for encoding, (name, _) in zip(app.embedder.encode(TOPICS), topics.items(), strict=True):
        vector = encoding.vector.astype(np.float16).astype(np.float64)
        assert hits[name].cosine == pytest.approx(float(vector @ query), abs=1e-6)
    analyzer = Analyzer(apsw.Connection(":memory:"))
    stems = stems_of(app, "repairing the harbour crane")
    expected = plain_bm25({name: analyzer.stems(topic) for name, topic in topics.items()}, stems)
    assert {name: hit.bm25 for name, hit in hits.items()} == pytest.approx(expected)
    assert [hit.id for hit in searched(app, "repairing the harbour crane", count=1)] == [ids[0]]
    assert [stems[bit] for bit in range(len(stems)) if hits[ids[2]].matched >> bit & 1] == ["the", "harbour"]


def test_the_nearest_are_exact_however_few_are_asked_for(app: App) -> None:
    for n in range(1, 40):
        tell(app, n, f"{TOPICS[n % 4]} {n}", "nothing of the kind")
    every = searched(app, "the winter timetable", count=50)
    for count in (1, 3, 10):
        assert searched(app, "the winter timetable", count)[:1] == every[:1]
        nearest = [hit.id for hit in every][:count]
        assert set(nearest) <= {hit.id for hit in searched(app, "the winter timetable", count)}


@pytest.mark.requirement("STORE-7")
def test_episodes_of_another_namespace_are_neither_found_nor_told_nor_counted(app: App) -> None:
    ids = four(app)
    before = searched(app, "harbour crane")
    for n in range(11, 30):
        tell(app, n, "harbour crane repair", "we spoke of the harbour crane repair", namespace=ELSEWHERE)
    assert searched(app, "harbour crane") == before
    assert {hit.id for hit in searched(app, "harbour crane", 50, ELSEWHERE)} == {f"ep_{n:032x}" for n in range(11, 30)}
    assert told(app, f"ep_{11:032x}") == []
    assert searched(app, "harbour crane", namespace="no/body") == []
    assert [each for each, _ in told(app, *ids)] == ids


def test_without_an_encoder_words_alone_find_it_until_one_is_there(house: Opener) -> None:
    app = house(encoder=None)
    four(app)
    stems = stems_of(app, "harbour crane")
    with app.index.reading(HERE) as reader:
        hits = reader.episodes.search(None, stems, 9)
        assert reader.episodes.search(None, [], 9) == reader.episodes.search(None, stems, 0) == []
    assert [hit.cosine for hit in hits] == [0.0, 0.0]
    later = house()
    later.indexer.rebuild()
    assert max(hit.cosine for hit in searched(later, "harbour crane")) > 0.5


def test_what_vouches_for_a_topic_are_the_memories_that_hold_its_words(app: App) -> None:
    split = tell(app, 1, "harbour crane repair", "the crane moved", "no word", "its repair took a day", "the harbour")
    plain = tell(app, 2, "customs forms", "customs forms in three copies", "and customs duties")
    lacking = tell(app, 3, "lighthouse paint", "the lighthouse is white")
    turns = an_episode(4, "when does the ferry leave in …")
    file_episode(app, turns, turns=["when does the ferry leave in winter, and from where?", "at nine"])
    assert told(app, lacking.id, turns.id, "ep_none", split.id, plain.id) == [
        (lacking.id, ()),
        (turns.id, ("when does the ferry leave in winter, and from where?",)),
        (split.id, ("the crane moved", "its repair took a day", "the harbour")),
        (plain.id, ("customs forms in three copies",)),
    ]


def test_a_topic_of_signs_must_be_said_as_it_is(app: App) -> None:
    said, unsaid = tell(app, 1, "🚢 ⚓", "look: 🚢 ⚓ !"), tell(app, 2, "🏗️", "look: 🚢 !")
    assert told(app, said.id, unsaid.id) == [(said.id, ("look: 🚢 ⚓ !",)), (unsaid.id, ())]


@pytest.mark.requirement("REC-6")
@pytest.mark.parametrize("state", MUTE)
def test_a_memory_that_may_not_answer_vouches_for_nothing(app: App, state: dict[str, Any]) -> None:
    mute = tell(app, 1, "harbour crane repair", "harbour crane repair", states=[state])
    half = tell(app, 2, "harbour crane paint", "the harbour crane", "paint", states=[{}, state])
    assert told(app, mute.id, half.id) == [(mute.id, ()), (half.id, ())]
    assert [hit.id for hit in answering(app, "harbour crane repair")] == [half.id]


@pytest.mark.requirement("REC-6")
def test_an_artifact_of_a_memory_that_may_not_answer_counts_only_if_another_has_it(app: App) -> None:
    made = Artifact(kind="file", name="ops/zeppelin.toml", role="made")
    came: dict[str, Any] = {"artifact_ids": (made.id(HERE),)}
    private: dict[str, Any] = {**came, "scopes": ("private",)}
    for n, states in enumerate(([{}, private], [{}, {"status": "archived"}], [came, private], [{}, {}]), start=1):
        said = "ops/zeppelin.toml was changed" if n == 2 else "a setting was changed"
        tell(app, n, "crane repair", "crane repair", said, states=states, artifacts=(str(made),))
    tell(app, 5, "crane repair", "crane repair", artifacts=("mentioned link https://zeppelin.example.org",))
    hits = {hit.id[-1]: hit for hit in answering(app, "zeppelin crane")}
    raw = {hit.id[-1]: hit for hit in searched(app, "zeppelin crane")}
    assert [raw[n].matched for n in "12345"] == [3, 3, 3, 3, 2]
    assert all(hits[n] == raw[n] for n in "345")
    assert [(hits[n].matched, hits[n].bm25) for n in "12"] == [(2, 0.0), (2, 0.0)]
    with app.index.reading(HERE) as reader:
        shown = [
            filed.episode.artifacts for filed, _ in reader.episodes.readable([f"ep_{n:032x}" for n in range(1, 5)], AT)
        ]
    assert shown == [(), (), (str(made),), (str(made),)]


@pytest.mark.requirement("REC-6")
def test_a_specification_that_only_a_silenced_turn_names_is_left_out(app: App) -> None:
    spec = "mentioned spec SPEC-731"
    for n, others in enumerate(("nothing", "SPEC-731 says so"), start=1):
        tell(app, n, "a", "see SPEC-731", others, states=[{"scopes": ("temporary",)}, {}], artifacts=(spec,))
    with app.index.reading(HERE) as reader:
        assert [
            filed.episode.artifacts for filed, _ in reader.episodes.readable([f"ep_{n:032x}" for n in (1, 2)], AT)
        ] == [
            (),
            (spec,),
        ]


def test_filters_of_the_caller_hold_for_episodes_too(app: App) -> None:
    four(app)
    with app.index.reading(HERE) as reader:
        (row,) = [int(row) for row in reader.lexical(["custom"], AT, 5, 5).rows]
    only = Admission(AT.at, only=np.array([row]))
    assert [hit.id[-1] for hit in answering(app, "harbour", only)] == ["4"]
    assert answering(app, "harbour", Admission(AT.at, since=AT.at)) == []
    assert len(answering(app, "harbour")) == 4


def test_of_two_files_with_one_id_the_first_is_the_episode(app: App) -> None:
    first, second = an_episode(1, "a ferry"), an_episode(1, "z crane", session_id="another")
    file_episode(app, second)
    file_episode(app, first, turns=["a ferry and a crane"])
    assert sorted(hit.matched for hit in searched(app, "crane ferry")) == [1, 2]
    assert [hit.matched for hit in answering(app, "crane ferry")] == [2]
    assert told(app, first.id) == [(first.id, ("a ferry and a crane",))]


@pytest.mark.requirement("FORGET-1")
def test_no_byte_of_a_topic_that_is_gone_stays_and_no_warm_column_of_it(house: Opener, tmp_path: Path) -> None:
    app, other = house(), house()
    four(app)
    episode = an_episode(9, "vermilion kayak beneath staircase")
    path = file_episode(app, episode, turns=["the vermilion kayak beneath staircase 7734"])
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as index:
        vec, terms = index.execute("SELECT vec, terms FROM stories WHERE path = ?", (path,)).fetchall()[0]
    needles = (b"vermilion", b"kayak", vec, terms, vec[100:132])
    assert all(needle in on_disk(tmp_path) for needle in needles)
    for each in (app, other):
        assert searched(each, "vermilion kayak")[0].id == episode.id
    (tmp_path / "vault" / path).unlink()
    app.unit_of_work.take_over_edits()
    app.scrubber.scrub()
    assert [needle for needle in needles if needle in on_disk(tmp_path)] == []
    assert isinstance(app.index, LocalIndex)
    assert app.index._warm.held == {}
    for each in (app, other):
        assert episode.id not in {hit.id for hit in searched(each, "vermilion kayak")}
        assert told(each, episode.id) == []


def kept(home: Path) -> list[tuple[Any, ...]]:
    with closing(apsw.Connection(str(home / "index.db"))) as index:
        return index.execute("SELECT path, digest, vec, terms, counts, length FROM stories ORDER BY path").fetchall()


@pytest.mark.requirement("STORE-4")
def test_a_rebuilt_index_finds_the_same_with_the_same_numbers(house: Opener, tmp_path: Path) -> None:
    app = house()
    four(app)
    before, rows = searched(app, "harbour crane in winter"), kept(tmp_path)
    app.indexer.rebuild()
    assert kept(tmp_path) == rows
    app.close()
    drop_index(tmp_path)
    anew = house()
    anew.unit_of_work.take_over_edits()
    assert kept(tmp_path) == rows
    again = searched(anew, "harbour crane in winter")
    assert [(hit.id, hit.cosine, hit.bm25) for hit in again] == [(hit.id, hit.cosine, hit.bm25) for hit in before]


def test_nothing_but_the_search_for_episodes_sees_them(app: App, tmp_path: Path) -> None:
    memory = a_memory(1, TOPICS[0])
    file_memories(app, [memory])
    episode = an_episode(1, TOPICS[0])
    file_episode(app, episode, turns=["something else"])
    assert totals(tmp_path) == (2, 2)
    assert list(integrity(tmp_path)) == []
    assert len(app.index.memories(HERE)) == 2
    assert topic_digest(episode) != text_digest(memory)
    digests = [text_digest(memory), topic_digest(episode)]
    encoded = app.index.encodings(digests)
    assert len(encoded[digests[0]].tokens) > len(encoded[digests[1]].tokens) == 0
    with app.index.reading(HERE) as reader:
        assert reader.survey("crane").corpus.rows == 2
        assert reader.survey("crane").terms[0].frequency == 1


@pytest.mark.parametrize("there", [True, False])
def test_an_index_of_no_bytes_has_no_memories(tmp_path: Path, *, there: bool) -> None:
    if there:
        (tmp_path / "index.db").touch()
    assert totals(tmp_path) == (0, 0)
