"""Ranked memories in, those that only repeat a better one of the same turns out."""

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


def test_the_same_words_of_another_turn_or_session_are_no_repetition() -> None:
    first = memory(1, SAID)
    assert repeats([first, memory(2, SAID, "one:5-5")]) == {}
    assert repeats([first, memory(2, SAID, "two:4-4", "two")]) == {}


def test_a_memory_of_several_turns_meets_each_of_them() -> None:
    wide, narrow = memory(1, f"{SAID}, always", "one:3-5"), memory(2, SAID, "one:4-4")
    assert repeats([wide, narrow]) == {narrow.id: wide.id}


def test_without_session_or_readable_evidence_nothing_is_a_repetition() -> None:
    assert repeats([memory(1, SAID, session=None), memory(2, SAID, session=None)]) == {}
    assert repeats([memory(1, SAID, "one:x-y"), memory(2, SAID, "one:x-y")]) == {}
