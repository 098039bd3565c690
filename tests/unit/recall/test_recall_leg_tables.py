"""Every leg in, an entry of it in each table that names legs out: what a new leg lacks fails here by its name."""

from collections.abc import Collection
from typing import get_args

import pytest

from pellucid.model.snapshot import ScoreDecomposition, ServedBy
from pellucid.recall.legs.nominate import FALLBACK, LEGS
from pellucid.recall.score.equation import TERMS
from pellucid.settings.sections import LegWeights
from pellucid.xray.shown import ALONE, TERM_KEYS
from pellucid.xray.words.sentence import BY_LEG, LARGEST, by

EVERY = (*LEGS, FALLBACK)
TABLES: dict[str, Collection[str]] = {
    "LegWeights": LegWeights.model_fields,
    "equation.TERMS": TERMS,
    "sentence.BY_LEG": BY_LEG,
}
TERM_TABLES: dict[str, Collection[str]] = {
    "ScoreDecomposition": ScoreDecomposition.model_fields,
    "sentence.LARGEST": LARGEST,
}
"""Tables by the name that a score calls the leg's term."""


@pytest.mark.parametrize("leg", [each.name for each in EVERY])
@pytest.mark.parametrize("table", TABLES)
def test_a_leg_stands_in_every_table_of_legs(leg: str, table: str) -> None:
    assert leg in TABLES[table], f"the leg {leg} has no entry in {table}"


@pytest.mark.parametrize("leg", [each.name for each in EVERY])
@pytest.mark.parametrize("table", TERM_TABLES)
def test_the_term_of_a_leg_stands_in_every_table_of_terms(leg: str, table: str) -> None:
    term = TERM_KEYS.get(leg, leg)
    assert term in TERM_TABLES[table], f"the term {term} of the leg {leg} has no entry in {table}"


def test_no_table_of_legs_names_one_that_is_gone() -> None:
    names = {each.name for each in EVERY}
    assert set(BY_LEG) == names
    assert set(ALONE) <= names


@pytest.mark.parametrize("leg", [each.name for each in EVERY if not each.searches])
def test_a_leg_that_does_not_search_says_what_it_serves_alone(leg: str) -> None:
    assert ALONE.get(leg) in get_args(ServedBy), f"the leg {leg} has no entry in shown.ALONE"


def test_a_leg_that_searches_serves_as_a_hybrid() -> None:
    assert not {each.name for each in EVERY if each.searches} & set(ALONE)


def test_no_two_legs_are_told_alike() -> None:
    assert len(set(BY_LEG.values())) == len({LARGEST[TERM_KEYS.get(name, name)] for name in BY_LEG}) == len(EVERY)


def test_a_leg_of_a_sub_question_is_told_with_its_number() -> None:
    assert by("lexical") == "by words"
    assert by("lexical@2") == "by words in sub-question 1"
    assert by("vector@4") == "by meaning in sub-question 3"
