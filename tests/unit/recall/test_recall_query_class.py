"""Queries of six languages in, their class out; measured on the labelled set."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.recall.query.classes import CLASSES, QueryClass, classify

GOLDEN = Path(__file__).parents[2] / "golden" / "query_class"
LABELS = Path(__file__).parents[3] / "bench" / "labels" / "queries"
LEAST = 0.90


def tagged(minilm: MiniLM, query: str) -> QueryClass:
    return classify(query, minilm.encode_query(query).vector)


def share_right(minilm: MiniLM, half: str) -> tuple[float, dict[str, str]]:
    """The share of a half that is tagged as labelled, and per class how many of how many: numbers only."""
    rows = tomllib.loads((GOLDEN / f"{half}.toml").read_text("utf-8"))["query"]
    asked = Counter(str(row["class"]) for row in rows)
    right = Counter(str(row["class"]) for row in rows if tagged(minilm, row["text"]) == row["class"])
    return sum(right.values()) / len(rows), {name: f"{right[name]}/{asked[name]}" for name in sorted(asked)}


def test_the_half_that_the_rules_never_saw_is_tagged_as_a_person_would(minilm: MiniLM) -> None:
    accuracy, _ = share_right(minilm, "held_out")
    print(f"held out: {accuracy:.3f}")
    if accuracy < LEAST:
        pytest.fail(f"held out: {accuracy:.3f}", pytrace=False)


def test_the_half_that_the_rules_were_written_from_is_tagged_so(minilm: MiniLM) -> None:
    accuracy, by_class = share_right(minilm, "seen")
    print(f"seen: {accuracy:.3f}", by_class)
    assert accuracy >= 0.95


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("what did we use for logs before the move?", "historical"),
        ("how does the importer know which rows are new", "architectural"),
        ("which port does the proxy listen on right now", "current_state"),
        ("did we agree on a name for the boat", "decision"),
        ("write a limerick about tea", "other"),
        ("Wer hat früher die Rechnungen geschrieben?", "historical"),
        ("Warum läuft der Index in einem eigenen Prozess?", "architectural"),
        ("¿Qué decidimos sobre el seguro?", "decision"),
        ("Où en est le chantier ?", "current_state"),
        ("なぜ二つのキューがあるのですか", "architectural"),
        ("我们最后选了哪个方案", "decision"),
    ],
)
def test_a_plain_question_of_each_class_and_language_is_tagged(minilm: MiniLM, query: str, name: str) -> None:
    assert tagged(minilm, query) == name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("is the legacy exporter still running", "current_state"),
        ("what was the current sprint goal back in June?", "historical"),
        ("how does the decision engine rank offers", "architectural"),
        ("rename previous_total to old_total", "other"),
        ("did we decide to keep the old logo", "decision"),
        ("why is the previous-page token hashed", "architectural"),
        ('Is the "why did we fail" page live?', "current_state"),
        ("clear my search history", "other"),
        ("which architecture did we finally choose", "decision"),
        ("state of the parser three sprints ago", "historical"),
    ],
)
def test_a_word_of_another_class_does_not_mislead(minilm: MiniLM, query: str, name: str) -> None:
    assert tagged(minilm, query) == name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("how often do we cut releases", "current_state"),
        ("who do we notify before the launch?", "current_state"),
        ("when do we cut releases", "current_state"),
        ("when do we report in January?", "current_state"),
        ("how long does it usually take to report in January", "current_state"),
        ("when did we report in January?", "historical"),
        ("how often did they paint the railing", "historical"),
        ("when did we cut the first release", "historical"),
        ("what do we know of how they worked before the merger", "historical"),
    ],
)
def test_what_is_asked_in_the_present_tense_is_not_about_the_past(minilm: MiniLM, query: str, name: str) -> None:
    assert tagged(minilm, query) == name


def test_a_missing_apostrophe_or_a_curly_one_changes_nothing(minilm: MiniLM) -> None:
    names = {tagged(minilm, f"why can{mark}t the client write to the store") for mark in ("'", "’", "")}
    assert names == {"architectural"}


def test_of_a_long_text_the_beginning_is_read(minilm: MiniLM) -> None:
    assert tagged(minilm, f"what did we decide about this? {'lorem ipsum ' * 1_500}") == "decision"


def test_no_phrasing_is_in_two_classes_or_twice() -> None:
    every = [line for name in CLASSES for line in (LABELS / f"{name}.txt").read_text("utf-8").splitlines()]
    assert len(every) == len(set(every))
    assert all(phrasing == phrasing.strip() and phrasing for phrasing in every)


@given(st.text(max_size=300))
def test_any_text_has_a_class(text: str) -> None:
    assert classify(text) in CLASSES


@pytest.mark.parametrize("unit", ["a", " ", "what did we do ", "a.", '"a ', "did ", "why ", "为什么", "\n", "is the "])
def test_a_text_of_twenty_thousand_characters_is_no_trouble(unit: str) -> None:
    assert classify((unit * 20_000)[:20_000]) in CLASSES
