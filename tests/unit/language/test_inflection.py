"""Forms of one word, of one tense."""

import pytest

from pellucid.language.inflection import find_form


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("stores", ["store", "log"], "store"),
        ("deploying", ["deploy"], "deploy"),
        ("deployed", ["deploys"], ""),
        ("8080", ["808"], ""),
        ("über", ["üb"], ""),
    ],
)
def test_a_form_of_a_known_word_has_another_ending_of_the_same_tense(word: str, known: list[str], found: str) -> None:
    assert find_form(word, known) == found
