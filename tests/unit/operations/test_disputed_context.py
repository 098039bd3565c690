"""Memories that dispute each other in, what a reader of the context is told of it out."""

import re
from datetime import timedelta

import pytest

from kits.intake import HERE, START, session, take
from kits.vault import ask, keep
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.recall.recalling import RecallInput, recall

ASKED = "when do we cut releases?"


@pytest.fixture
def pair(whole: App) -> tuple[Memory, Memory]:
    said = ("We cut releases every Tuesday", "We cut releases every Thursday")
    older, newer = (keep(whole, each).memory for each in said)
    return older, newer


def _context(app: App, top_k: int = 5) -> str:
    return ask(app, ASKED, top_k=top_k).context


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
    third = keep(whole, "We cut releases every Monday now").memory
    assert set(third.supersedes) == {each.id for each in pair}
    assert "disputed" not in _context(whole)


def test_what_only_some_callers_may_see_disputes_nothing(whole: App) -> None:
    keep(whole, "We cut releases every Tuesday", scopes=("private",))
    other = keep(whole, "We cut releases every Thursday").memory
    assert other.disputed_with == ()
    assert "disputed" not in _context(whole)


def test_a_turn_that_says_what_was_replaced_since_names_the_newer_words(whole: App) -> None:
    before = (
        "fyi the staging postgres listens on port 5433",
        ("assistant", "Noted: staging Postgres is on port 5433."),
    )
    take(whole, session(*before, name="one"), "both")
    moved = "no, I told you wrong: the staging postgres moved to port 6432 last week"
    take(whole, session(moved, name="two", start=START + timedelta(days=9)), "both")
    asked = RecallInput(query="which port does the staging postgres listen on?", namespace=HERE)
    lines = [line for line in recall(whole, asked).context.splitlines() if line.startswith("[")]
    newer = next(line[:3] for line in lines if "6432" in line)
    outdated = [line for line in lines if "5433" in line and "6432" not in line]
    assert lines[0].startswith("[1]")
    assert outdated
    assert all(f"(newer words: see {newer})" in line for line in outdated), lines
