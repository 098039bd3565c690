"""Stretches of time are known by the same words to what is kept and to what is asked."""

from datetime import UTC, datetime

import pytest

from pellucid.observe.dates import resolve_dates
from pellucid.observe.language import load_language
from pellucid.recall.context.model.faithfulness import flaw
from pellucid.recall.query.dates.period import window

NOW = datetime(2026, 4, 22, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("code", "said", "dated"),
    [
        ("en", "I left the day before yesterday", "I left the day before yesterday (2026-04-20)"),
        ("en", "we froze it this quarter", "we froze it this quarter (2026-Q2)"),
        ("en", "I ran in the past week", "I ran in the past week (since 2026-04-15)"),
        ("en", "I moved twenty years ago", "I moved twenty years ago (2006)"),
        ("en", "Yesterday's build broke", "Yesterday's (2026-04-21) build broke"),
        ("de", "Ich kam diese Woche an", "Ich kam diese Woche (week of 2026-04-20) an"),
        ("es", "Llegué por la mañana", "Llegué por la mañana"),
        ("ja", "昨日着きました", "昨日(2026-04-21)着きました"),
    ],
)
def test_a_statement_has_the_dates_of_what_it_calls_otherwise(code: str, said: str, dated: str) -> None:
    assert resolve_dates(said, NOW, load_language(code)) == dated


@pytest.mark.parametrize("question", ["what did I say the day before yesterday", "was habe ich vorgestern gesagt"])
def test_a_question_means_the_same_day(question: str) -> None:
    found = window(question, NOW)
    assert found is not None
    assert found.start is not None
    assert f"{found.start:%Y-%m-%d}" == "2026-04-20"


def test_a_question_about_tomorrow_is_no_period_of_the_past() -> None:
    assert window("what is due tomorrow", NOW) is None


def test_a_contraction_has_the_tense_of_what_it_stands_for() -> None:
    assert flaw("I was on call", "I'm on call") == "it speaks of another time"
    assert not flaw("They have moved the relay", "They've moved the relay")
