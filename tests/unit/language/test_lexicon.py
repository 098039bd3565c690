"""What is known of languages is said once, in a table a language, and read by who needs it."""

import subprocess
import sys

import pytest

from pellucid.language import lexicon
from pellucid.language.contractions import spell_out
from pellucid.language.numbers import amounts, figures
from pellucid.language.statements.frames import frames

CODES = (*lexicon.LATIN, *lexicon.EAST)


@pytest.mark.parametrize("code", lexicon.LATIN)
def test_a_language_has_twelve_months_seven_days_and_numbers_to_twelve(code: str) -> None:
    assert set(lexicon.months(code).values()) == set(range(1, 13))
    assert set(lexicon.weekdays(code).values()) == set(range(7))
    assert set(lexicon.numbers(code).values()) >= set(range(1, 13))


@pytest.mark.parametrize("code", CODES)
def test_no_word_stands_twice_in_a_class_and_no_class_is_unknown_to_the_others(code: str) -> None:
    table = lexicon.lexicon(code)
    for kind, text in table.get("words", {}).items():
        assert len(text.split()) == len(set(text.split())), kind
    assert table.get("words", {}).keys() <= {*lexicon.lexicon("en")["words"], "telltale", "asking", "concord"}


def test_a_kind_that_no_language_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        lexicon.words("artikles")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("where is the relay", "en"),
        ("wie geht es dem Server und was ist mit dem Relais", "de"),
        ("dónde está el servidor y por qué", "es"),
        ("relay", ""),
    ],
)
def test_a_language_is_known_by_its_small_words(text: str, code: str) -> None:
    assert lexicon.likeliest_language(text.split()) == code


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("I'm sure we can't, you won't", "I am sure we can not, you will not"),
        ("They've said it’ll hold", "They have said it will hold"),
        ("Anna's cat isn't mine", "Anna's cat is not mine"),
    ],
)
def test_contractions_are_spelled_out_where_it_is_plain_what_they_are(text: str, full: str) -> None:
    assert spell_out(text) == full


def test_numbers_are_read_as_figures_or_with_what_belongs_to_them() -> None:
    text = "from −5 to 1,000 rows for $30, ≤ 2.5%"
    assert figures(text) == ["5", "1000", "30", "2.5"]
    assert amounts(text) == ["-5", "1,000", "$30", "≤2.5%"]


def test_have_switched_to_tells_of_a_change_as_switched_to_does() -> None:
    one, other = (frames(f"We {said} Podman")[0].words for said in ("switched to", "have switched to"))
    assert one == other


def test_no_table_is_read_before_it_is_asked_for() -> None:
    script = (
        "from pellucid.table import OPERATIONS; from pellucid.language.lexicon import lexicon; "
        "print(lexicon.cache_info().currsize)"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["0"]
