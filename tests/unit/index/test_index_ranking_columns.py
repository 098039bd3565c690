"""Memories in, what the index works out for ranking out: whom they are by, whether they ask, what stands beside."""

from datetime import timedelta

import numpy as np
import pytest

from kits.vault import ELSEWHERE, HERE, NOON, Opener, a_memory, file_memories
from pellucid.app import App
from pellucid.language.sentences import ends_in_question
from pellucid.store.index_port import Admission, Filters
from pellucid.store.local.index.folding import about, direct_bits

AT = Admission(int((NOON + timedelta(hours=1)).timestamp() * 1000))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"category": "moment", "content": "Ada Lovelace: I went home"}, "ada-lovelace"),
        ({"category": "moment", "content": "No Name: but text"}, "no-name"),
        ({"category": "moment", "content": "http://example.org"}, None),
        ({"category": "fact", "content": "Note: the crane is old"}, None),
        ({"category": "fact", "content": "the crane is old", "entity_ref": "Harbour Crane"}, "harbour-crane"),
        ({"category": "moment", "content": "Ada: hello", "entity_ref": "Bo"}, "bo"),
    ],
)
def test_who_a_memory_is_by_or_about(given: dict[str, str], name: str | None) -> None:
    assert about(a_memory(1, **given)) == name


@pytest.mark.parametrize(
    ("content", "only_asks"),
    [
        ("When do we sail?", True),
        ("We sail at nine. Do you come?", True),
        ("何時に出ますか\uff1f", True),
        ("Do we sail? Yes.", False),
        ("We sail at nine", False),
        ("What is this? [shares image: a crane]", True),
        ("The page /a?b=c is gone", False),
        ("", False),
    ],
)
def test_a_memory_asks_if_its_last_words_are_a_question(content: str, only_asks: bool) -> None:
    assert ends_in_question(content) == only_asks


def test_what_can_answer_directly_is_told_by_its_bits() -> None:
    assert direct_bits(a_memory(1, "x", category="decision", asserted_by="user")) == 7
    assert direct_bits(a_memory(1, "x", category="decision", trust_zone="trusted")) == 3
    assert direct_bits(a_memory(1, "x", category="moment")) == 0


@pytest.fixture
def talk(house: Opener) -> App:
    """Seven turns of one session, one alone, one elsewhere."""
    app = house()
    said = ["Ada: good morning", "Bo: morning", "Ada: the crane?", "Bo: repaired on Monday", "Ada: good", "Bo: lunch?"]
    turns = [
        a_memory(n, text, category="moment", session_id="s", evidence=(f"s:{n}-{n}",)) for n, text in enumerate(said, 1)
    ]
    late = a_memory(20, "Bo: the crane again", category="moment", session_id="s", evidence=("s:20-20",))
    file_memories(app, [*turns, late, a_memory(30, "the crane stands alone", session_id=None)])
    file_memories(app, [a_memory(40, "Zoe: here", category="moment", namespace=ELSEWHERE)])
    return app


def numbers(app: App, rows: np.ndarray) -> list[int | None]:
    with app.index.reading(HERE) as reader:
        there = reader.memories(rows[rows >= 0])
    found = iter(int(each.memory.id[4:], 16) for each in there)
    return [next(found) if row >= 0 else None for row in rows.tolist()]


def test_what_stands_beside_a_turn_is_a_turn_away_at_most(talk: App) -> None:
    with talk.index.reading(HERE) as reader:
        rows = reader.select(Filters())
        before, after = reader.beside(rows, AT)
    order = numbers(talk, rows)
    beside = dict(zip(order, zip(numbers(talk, before), numbers(talk, after), strict=True), strict=True))
    assert beside[1] == (None, 2)
    assert beside[3] == (2, 4)
    assert beside[6] == (5, None)
    assert beside[20] == (None, None)
    assert beside[30] == (None, None)


def test_a_passage_is_found_by_the_words_beside_it(talk: App) -> None:
    with talk.index.reading(HERE) as reader:
        alone = reader.lexical(["crane"], AT, 50, 0)
        around = reader.lexical(["crane"], AT, 50, 0, passages=True)
    assert set(numbers(talk, alone.rows)) == {3, 20, 30}
    assert set(numbers(talk, around.rows)) == {2, 3, 4, 20, 30}


def test_a_passage_counts_as_bm25_of_the_texts_together(talk: App) -> None:
    from math import log1p

    with talk.index.reading(HERE) as reader:
        hits = reader.lexical(["crane"], AT, 50, 0, passages=True)
    scores = dict(zip(numbers(talk, hits.rows), hits.scores.tolist(), strict=True))
    lengths = {1: 3 + 2, 2: 3 + 2 + 3, 3: 2 + 3 + 4, 4: 3 + 4 + 2, 5: 4 + 2 + 2, 6: 2 + 2, 20: 4, 30: 4}
    mean = sum(lengths.values()) / len(lengths)
    idf = log1p((8 - 5 + 0.5) / (5 + 0.5))
    for number, score in scores.items():
        assert number is not None
        assert score == pytest.approx(idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * lengths[number] / mean)), rel=1e-5)


def test_a_name_is_found_in_the_words_of_a_text_and_no_name_of_another_namespace(talk: App) -> None:
    with talk.index.reading(HERE) as reader:
        assert set(reader.survey("what did Ada's crane do for bo?").named.values()) == {"Ada", "bo"}
        assert reader.survey("what did Zoe say").named == {}
        assert reader.survey("what about adage").named == {}


def test_files_are_found_by_path_its_end_or_their_name(app: App) -> None:
    file_memories(
        app,
        [
            a_memory(1, "in src/render/thumbs.py the lock comes first"),
            a_memory(2, "thumbs.py is slow"),
            a_memory(3, "docs/thumbs.py is another one"),
            a_memory(4, "nothing of it"),
            a_memory(5, "render/thumbs.py was split", status="superseded"),
        ],
    )
    with app.index.reading(HERE) as reader:
        hits = reader.mentioning(["./src/render/thumbs.py", "src/render/thumbs.py"], AT, 50, 50)
        none = reader.mentioning(["other.py"], AT, 50, 50)
    assert dict(zip(numbers(app, hits.rows), hits.scores.tolist(), strict=True)) == {1: 1.0, 2: 0.5, 3: 0.5}
    assert numbers(app, hits.open_rows) == [5]
    assert len(none.rows) == 0


def test_that_somebody_is_known_from_private_memories_alone_is_not_told(app: App) -> None:
    file_memories(
        app, [a_memory(1, "Falconer flies", entity_ref="Falconer", scopes=("private",)), a_memory(2, "A crane")]
    )
    with app.index.reading(HERE) as reader:
        assert reader.survey("what did Falconer say").named == {}
