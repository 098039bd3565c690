"""Texts of every script in, stems that both sides agree on and true places out."""

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.vault import SCRIPTS, Opener, ask, contents, keep
from pellucid.store.local.index.analysis import Analyzer, _fold_width, count, term, with_joined_words

ANALYZER = Analyzer(apsw.Connection(":memory:"))
VOCABULARY = [word for _, words in SCRIPTS for word in words.split()]
TEXTS = st.lists(st.sampled_from(VOCABULARY) | st.text(max_size=6), max_size=8).map(" ".join) | st.lists(
    st.sampled_from([*VOCABULARY, " ", "\n", "🚢", "a", "中"]), max_size=12
).map("".join)
SAFE = TEXTS.filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text))


@settings(max_examples=400, deadline=None)
@given(SAFE)
def test_every_place_of_a_query_word_is_true(text: str) -> None:
    for stem, start, end in ANALYZER.places(text):
        assert 0 <= start < end <= len(text)
        alone = [found for found, _, _ in ANALYZER.places(text[start:end])]
        assert alone == [stem], (text[start:end], stem)


@settings(max_examples=400, deadline=None)
@given(SAFE)
def test_a_text_holds_every_word_of_itself_as_a_query(text: str) -> None:
    assert {stem for stem, _, _ in ANALYZER.places(text)} <= set(ANALYZER.stems(text))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_is_analysed_the_same_way_by_both_paths(text: str) -> None:
    assert ANALYZER.stems(text) == [stem for stem, _, _ in ANALYZER._pieces_of(with_joined_words(text), singles=True)]


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Releases, released; RELEASING!", ["releas", "releas", "releas"]),
        ("café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("港口", ["港", "口", "港口"]),
        ("a港口b", ["a", "港", "口", "港口", "b"]),
        ("cache_ttl=300", ["cach", "ttl", "300"]),
        ("call HookAgent()", ["call", "hookag", "hook", "agent"]),
        ("паром", ["паром"]),
        ("ＡＢＣ１２", ["abc12"]),
        ("🚢", []),
        ("", []),
        ("中", ["中"]),
    ],
)
def test_the_stems_of_a_memory(text: str, stems: list[str]) -> None:
    assert ANALYZER.stems(text) == stems


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("the 港口起 ok", [("the", 0, 3), ("港口", 4, 6), ("口起", 5, 7), ("ok", 8, 10)]),
        ("🚢 Ships", [("ship", 2, 7)]),
        ("中", [("中", 0, 1)]),
        ("naïve x", [("naiv", 0, 5), ("x", 6, 7)]),
    ],
)
def test_the_places_of_a_query(text: str, places: list[tuple[str, int, int]]) -> None:
    assert ANALYZER.places(text) == places


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_width_is_folded_without_moving_anything(text: str) -> None:
    assert len(_fold_width(text)) == len(text)


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        ("我们每周二发布新版本", "发布"),
        ("我们每周二发布新版本", "什么时候发布新版本？"),
        ("港口的起重机叫 crane-7", "起重机"),
        ("フェリーは九時に出発します", "出発"),
        ("ﾌｪﾘｰは九時", "フェリー"),
        ("항구의 크레인은 매일", "크레인"),
        ("ท่าเรือเปิดทุกวัน", "ท่าเรือ"),
        ("Das Übergabeprotokoll liegt im Büro", "übergabeprotokoll"),
        ("cafe\u0301 opens", "café"),
        ("Το πλοίο φεύγει τον Μαΐου", "μαΐου"),
        ("паром уходит в девять", "ПАРОМ"),
    ],
)
def test_a_query_finds_its_words_in_every_script(house: Opener, memory: str, query: str) -> None:
    app = house(encoder=None)
    keep(app, memory)
    for n in range(3):
        keep(app, f"something else entirely number {n}")
    answer = ask(app, query, without=("vector", "recent"))
    assert contents(answer)[:1] == [memory]
    assert [each.health for each in answer.legs if each.name == "lexical"] == ["ok"]


def test_words_are_counted_under_their_numbers() -> None:
    words = count(["b", "a", "b", *["c"] * 300])
    assert words.length == 303
    assert dict(zip(words.terms.tolist(), words.counts.tolist(), strict=True)) == {
        term("a"): 1,
        term("b"): 2,
        term("c"): 255,
    }
    assert (np.diff(words.terms.astype(np.int64)) > 0).all()
    assert count([]).length == 0
    assert len(count([]).terms) == 0


@pytest.mark.parametrize("query", ["which hook agent is it", "where is getHookAgent called"])
def test_a_question_finds_a_name_of_code_by_its_words_and_by_itself(house: Opener, query: str) -> None:
    app = house(encoder=None)
    kept = "use `getHookAgent()`, not the first that is found"
    keep(app, kept)
    for n in range(3):
        keep(app, f"something else entirely number {n}")
    assert contents(ask(app, query, without=("vector", "recent")))[:1] == [kept]
