"""Ranked memories in, those that only repeat a better one out."""

import pytest
from vault_kit import a_memory

from pellucid.model.memory import Memory
from pellucid.recall.repeats import repeats

SAID = "The lock is taken before the file is written"


def memory(number: int, content: str, evidence: str = "one:4-4", session: str | None = "one") -> Memory:
    return a_memory(number, content).model_copy(update={"evidence": (evidence,), "session_id": session})


def test_what_a_better_one_of_the_same_turn_says_whole_is_a_repetition_of_it() -> None:
    better, worse = memory(1, f"{SAID}, since two writers tore one apart"), memory(2, SAID)
    assert repeats([better, worse]) == {worse.id: better.id}


def test_the_longer_one_stays_where_it_says_more_than_the_better_one() -> None:
    short, long = memory(1, SAID), memory(2, f"{SAID}, since two writers once tore one picture of a client apart")
    assert repeats([short, long]) == {}


@pytest.mark.parametrize(("evidence", "session"), [("one:5-5", "one"), ("two:4-4", "two")])
def test_what_a_better_one_of_other_turns_holds_whole_is_a_repetition(evidence: str, session: str) -> None:
    better, worse = memory(1, f"Committed: {SAID}, always"), memory(2, f"{SAID}.", evidence, session)
    assert repeats([better, worse]) == {worse.id: better.id}


@pytest.mark.parametrize(
    ("better", "other"),
    [
        (f"{SAID} on port 8080", f"{SAID} on port 9090"), (f"{SAID} by Alice", f"{SAID} by Bob"),
        (SAID, "The lock is not taken before the file is written"), (f"{SAID} always", f"{SAID} except for links"),
        (SAID, "The lock isn't taken before the file is written"), ("the lock is written", "The lock was written"),
    ],
)  # fmt: skip
def test_what_changed_or_says_little_in_another_turn_is_no_repetition(better: str, other: str) -> None:
    assert repeats([memory(1, better), memory(2, other, "two:4-4", "two")]) == {}


def test_a_memory_of_several_turns_meets_each_of_them() -> None:
    wide, narrow = memory(1, f"{SAID}, always", "one:3-5"), memory(2, SAID, "one:4-4")
    assert repeats([wide, narrow]) == {narrow.id: wide.id}


def test_without_session_or_readable_evidence_nothing_is_a_repetition() -> None:
    assert repeats([memory(1, SAID, session=None), memory(2, SAID, session=None)]) == {}
    assert repeats([memory(1, SAID, "one:x-y"), memory(2, SAID, "one:x-y")]) == {}
