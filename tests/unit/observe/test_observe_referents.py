"""A pronoun inside a sentence in, whether something before it explains it out; and what becomes of the sentence."""

import pytest

from kits.extraction import accepted_of
from pellucid.clock import SystemClock
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.extract.referents import points_outside, solid_words
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.language import load_language
from pellucid.observe.pipeline import observe

ENGLISH = load_language("en")


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm a fan of them",
        "Feeding them takes me an hour",
        "A neighbour built it for my birthday",
        "I really admire his patience",
        "I read that book and loved it",
        "I chatted with my brother about it",
    ],
)
def test_a_pronoun_that_nothing_explains_points_outside(sentence: str) -> None:
    assert points_outside(sentence, ENGLISH)


@pytest.mark.parametrize(
    "sentence",
    [
        "I bought a kayak and I love it",
        "My sister sold her car",
        "I think it's important to vote",
        "We keep the archive and back it up nightly",
        "I finished that report you asked for",
    ],
)
def test_a_pronoun_with_a_noun_before_it_stays_inside(sentence: str) -> None:
    assert not points_outside(sentence, ENGLISH)


def test_feelings_and_wishes_are_no_solid_words() -> None:
    assert solid_words("I'm gonna keep chasing my dreams", ENGLISH) == 0
    assert solid_words("I sold the kayak in Porto", ENGLISH) == 3


def test_enthusiasm_without_news_is_not_kept() -> None:
    assert not accepted_of("I'm gonna keep chasing my dreams and stay positive!")


def test_the_sentence_before_explains_an_inner_pronoun() -> None:
    (only,) = accepted_of("I restored an old kayak last winter. My uncle made it for my birthday in Porto.")
    assert "kayak" in only.fact.content
    assert "My uncle made it" in only.fact.content


def test_the_turn_before_explains_an_inner_pronoun_and_is_evidence_too() -> None:
    turns = (
        Turn("s", 1, "user", "The cedar kayak on your porch looks handmade.", speaker="Ines"),
        Turn("s", 2, "user", "My uncle made it for my birthday in Porto.", speaker="Farid"),
    )
    found = observe(Segment("s", turns, "session_end"), HeuristicExtractor(), HeuristicJudge(), SystemClock())
    (kept,) = [each.fact for each in found if each.judge_accepted and "made it" in each.fact.content]
    assert kept.content.startswith("Ines: The cedar kayak")
    assert [(part.start, part.end) for part in kept.evidence] == [(1, 2)]
