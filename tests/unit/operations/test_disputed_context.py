"""Memories that dispute each other in, what a reader of the context is told of it out."""

import re

import pytest

from kits.intake import HERE
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.recalling import RecallInput, recall

ASKED = "when do we cut releases?"


@pytest.fixture
def pair(whole: App) -> tuple[Memory, Memory]:
    said = ("We cut releases every Tuesday", "We cut releases every Thursday")
    older, newer = (remember(whole, RememberInput(content=each, namespace=HERE)).memory for each in said)
    return older, newer


def _context(app: App, top_k: int = 5) -> str:
    return recall(app, RecallInput(query=ASKED, namespace=HERE, top_k=top_k)).context


def test_each_of_two_that_cannot_both_hold_names_the_number_of_the_other(
    whole: App, pair: tuple[Memory, Memory]
) -> None:
    found = dict(re.findall(r"\[(\d)\] \(disputed: see \[(\d)\]\) We cut", _context(whole)))
    assert found == {"1": "2", "2": "1"}
    assert pair[1].disputed_with == (pair[0].id,)


def test_what_is_not_in_the_context_is_named_by_its_id_and_its_words(whole: App, pair: tuple[Memory, Memory]) -> None:
    shown = _context(whole, top_k=1)
    absent = next(each for each in pair if f") {each.content}" not in shown)
    assert f"(disputed: see {absent.id[-10:]} “{absent.content}”) We cut" in shown


def test_a_dispute_ends_with_one_of_the_two(whole: App, pair: tuple[Memory, Memory]) -> None:
    apply_verb(whole, "archive", VerbInput(namespace=HERE, memory_id=pair[0].id))
    assert "[1] We cut releases every Thursday" in _context(whole)


def test_a_third_statement_that_says_what_holds_now_supersedes(whole: App, pair: tuple[Memory, Memory]) -> None:
    third = remember(whole, RememberInput(content="We cut releases every Monday now", namespace=HERE)).memory
    assert set(third.supersedes) == {each.id for each in pair}
    assert "disputed" not in _context(whole)


def test_what_only_some_callers_may_see_disputes_nothing(whole: App) -> None:
    remember(whole, RememberInput(content="We cut releases every Tuesday", namespace=HERE, scopes=("private",)))
    other = remember(whole, RememberInput(content="We cut releases every Thursday", namespace=HERE)).memory
    assert other.disputed_with == ()
    assert "disputed" not in _context(whole)
