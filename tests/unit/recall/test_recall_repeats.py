"""Ranked memories in, those that only repeat a better one out."""

import pytest

from kits.vault import Opener, a_memory, file_memories, run
from pellucid.language.words import words
from pellucid.model.memory import Memory
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.score.repeats import AlreadyTold, covered_by_later
from pellucid.xray.replay import replay_receipt

SAID = "The lock is taken before the file is written"


def memory(number: int, content: str, evidence: str = "one:4-4", session: str | None = "one") -> Memory:
    return a_memory(number, content).model_copy(update={"evidence": (evidence,), "session_id": session})


def repeats(ranked: list[Memory]) -> dict[str, str]:
    """The ids of those that another says as well, each with that one's id."""
    told = AlreadyTold()
    settled = [told.take(each, number) for number, each in enumerate(ranked)]
    return {ranked[worse].id: ranked[better].id for each in settled for worse, better in each.items()}


def test_a_memory_that_ranks_first_stands_for_the_short_turn_that_says_little_else() -> None:
    read = memory(1, SAID)
    turn = memory(2, f"Right. {SAID}, since two writers once met").model_copy(update={"category": "moment"})
    more = memory(3, f"{SAID}, since two writers once tore one picture of a client apart, and nobody saw it for a week")
    more = more.model_copy(update={"category": "moment"})
    long = turn.model_copy(update={"content": f"{turn.content}. " * 8})
    assert repeats([read, turn]) == {turn.id: read.id}
    assert repeats([read, long]) == {}
    assert repeats([read, more]) == {}  # what else it says would be lost
    assert repeats([turn, read]) == {read.id: turn.id}


def test_what_a_better_one_of_the_same_turn_says_whole_is_a_repetition_of_it() -> None:
    better, worse = memory(1, f"{SAID}, since two writers tore one apart"), memory(2, SAID)
    assert repeats([better, worse]) == {worse.id: better.id}


def test_a_fuller_one_of_the_same_session_stands_for_the_one_right_before_it() -> None:
    short, long = memory(1, SAID), memory(2, f"{SAID}, since two writers once tore a picture")
    between = memory(3, "Thumbnails stay in the cache for a day")
    quoting = long.model_copy(update={"content": f"{SAID}? No, after it", "evidence": ("one:5-5",)})
    elsewhere = long.model_copy(update={"session_id": "two", "evidence": ("two:4-4",)})
    assert repeats([short, long]) == {short.id: long.id}
    assert (
        repeats([short, between, long]) == {}
    )  # what ranks between them is nearer to the question than the rest of it
    assert repeats([short, quoting]) == {short.id: quoting.id}  # a person's turn that takes up what was said
    assert repeats([short, elsewhere]) == {}


def test_what_names_or_counts_something_that_the_better_one_does_not_is_no_repetition() -> None:
    moved = "Staging postgres moved to port 6432 last week, it is behind the pooler now"
    better = memory(1, moved)
    rest = memory(2, "Staging postgres moved to the port last week, forget 5433")
    named = memory(3, "Staging postgres moved to port 6432 last week, Mara did it")
    turn = memory(4, f"No, I told you wrong: {moved}. forget 5433").model_copy(update={"category": "moment"})
    plain = memory(5, "Staging postgres moved to port 6432 last week")
    assert repeats([better, rest, named, turn, plain]) == {plain.id: better.id}


@pytest.mark.parametrize(
    "named",
    [
        "Guidance on parallel tests was added to CLAUDE.md",
        "Of the lines that stayed the report counts 100% as the agent's and ~71.4% is right",
        "The lock is held while Agent.ProtectedDirs() of each factory runs",
        "A rewind of logs writes the transcript to Claude's folder",
    ],
)
def test_the_same_words_with_a_name_or_a_number_that_a_sign_joins_are_a_repetition(named: str) -> None:
    better, worse = memory(1, f"{named}, always"), memory(2, f"{named}.")
    assert repeats([better, worse]) == {worse.id: better.id}


def test_a_text_with_code_that_the_better_one_does_not_have_is_no_repetition() -> None:
    better = memory(1, "The count of running jobs of the shell is wrong since it counts the jobs that are done")
    shown = memory(2, "The count of running jobs of the shell is wrong: it counts the jobs that are done: `jobs -s`")
    block = memory(3, f"{better.content}:\n```sh\njobs -r | wc -l\n```")
    assert repeats([better, shown]) == {}
    assert repeats([better, block]) == {better.id: block.id}  # the fuller one stands for the other
    assert repeats([shown, better]) == {better.id: shown.id}


def test_the_very_same_words_are_a_repetition_however_few() -> None:
    one, again, other = memory(1, "Commit"), memory(2, "commit.", "two:4-4", "two"), memory(3, "Push", "two:5-5", "two")
    assert repeats([one, again, other]) == {again.id: one.id}


def test_a_place_in_a_list_is_no_number_that_says_something() -> None:
    better, other = memory(1, f"### 5. Locks\n{SAID}"), memory(2, f"### 6. Locks\n{SAID}", "two:4-4", "two")
    assert repeats([better, other]) == {other.id: better.id}


def test_what_a_better_one_denies_beside_what_both_say_is_no_other_side() -> None:
    better, other = memory(1, f"{SAID} (no callers of it are left)"), memory(2, SAID, "two:4-4", "two")
    assert repeats([better, other]) == {other.id: better.id}


@pytest.mark.parametrize(("evidence", "session"), [("one:5-5", "one"), ("two:4-4", "two")])
def test_what_a_better_one_of_other_turns_holds_whole_is_a_repetition(evidence: str, session: str) -> None:
    better, worse = memory(1, f"Committed: {SAID}, always"), memory(2, f"{SAID}.", evidence, session)
    assert repeats([better, worse]) == {worse.id: better.id}


@pytest.mark.parametrize(
    ("better", "other"),
    [
        (f"{SAID} on port 8080", f"{SAID} on port 9090"),
        (f"{SAID} by Alice", f"{SAID} by Bob"),
        (SAID, "The lock is not taken before the file is written"),
        (f"{SAID} always", f"{SAID} except for links"),
        (SAID, "The lock isn't taken before the file is written"),
        ("the lock is written", "The lock was written"),
    ],
)
def test_what_changed_or_says_little_in_another_turn_is_no_repetition(better: str, other: str) -> None:
    assert repeats([memory(1, better), memory(2, other, "two:4-4", "two")]) == {}


def test_a_memory_of_several_turns_meets_each_of_them() -> None:
    wide, narrow = memory(1, f"{SAID}, always", "one:3-5"), memory(2, SAID, "one:4-4")
    assert repeats([wide, narrow]) == {narrow.id: wide.id}


def test_without_session_or_readable_evidence_nothing_is_a_repetition() -> None:
    assert repeats([memory(1, SAID, session=None), memory(2, SAID, session=None)]) == {}
    assert repeats([memory(1, SAID, "one:x-y"), memory(2, SAID, "one:x-y")]) == {}


def test_a_place_that_a_repetition_would_have_taken_goes_to_the_next_best(house: Opener) -> None:
    app = house()
    for place, turn in ((1, 4), (2, 4), (3, 9), (4, 12)):
        said = SAID if place < 3 else f"{SAID} of harbour number {place}, says the third keeper of the lighthouse"
        file_memories(app, [memory(place, said, f"one:{turn}-{turn}")])
    state = run(app, SAID, top_k=2)
    assert len(state.context.included) == 2
    assert [(each.name, each.considered, each.admitted) for each in state.rungs[-3:]] == [
        ("repeats", 4, 3),
        ("top-k", 3, 2),
        ("budget-fit", 2, 2),
    ]
    receipt = unpack(pack(state))
    assert replay_receipt(receipt).identical
    assert receipt.state.repeats == state.repeats


def test_who_repeats_what_a_fuller_one_stands_for_repeats_the_fuller_one(house: Opener) -> None:
    app = house()
    again = SAID.replace("The lock", "A lock")
    for place, said in ((1, SAID), (2, again), (3, f"{SAID}, since two writers tore a picture apart")):
        file_memories(app, [memory(place, said, "one:4-4")])
    state = run(app, SAID)
    assert len(state.context.included) == 1
    assert {*state.repeats.values()} == {*state.kept.tolist()}
    assert replay_receipt(unpack(pack(state))).identical


def test_a_memory_stands_for_the_short_turn_right_before_it_that_it_was_read_from() -> None:
    turn = memory(1, f"All done. Here is a summary: {SAID}").model_copy(update={"category": "moment"})
    read = memory(2, f"{SAID}, since two writers once tore a picture apart")
    between = memory(3, "Thumbnails stay in the cache for a day")
    assert repeats([turn, read]) == {turn.id: read.id}
    assert repeats([turn, between, read]) == {}


def test_nothing_stands_for_what_is_pinned_or_answers_by_itself(house: Opener) -> None:
    app = house()
    pinned = memory(1, SAID).model_copy(update={"pinned": True})
    file_memories(app, [pinned, memory(2, f"{SAID}, since two writers once tore a picture apart")])
    state = run(app, SAID)
    assert len(state.context.included) == 2
    assert not state.repeats


def test_what_one_further_down_says_whole_is_found_of_the_same_turns_alone() -> None:
    read, turn = memory(1, SAID), memory(2, f"{SAID}, since two writers once tore a picture of a client apart")
    part, other = memory(3, f"{SAID} on port 9090"), memory(4, turn.content, "two:4-4", "two")
    assert [*covered_by_later([read, part, turn, other])] == [(0, 1), (0, 2)]
    assert [*covered_by_later([turn, read])] == []  # that one better says it is settled before


def section(number: int, heading: str, body: str) -> Memory:
    named = a_memory(number, f"SPEC-1: The gate › {heading}\n{body}")
    return named.model_copy(update={"category": "section", "session_id": "gate"})


@pytest.mark.parametrize(
    ("heading", "asked", "told"),
    [
        ("Copyright", "gate", False),
        ("Copyright", "waived", True),
        ("Copyright", "copyright", True),
        ("References › Tide tables", "gate", True),
    ],
    ids=["nothing of it", "its words", "its heading", "a part of another name"],
)
def test_a_licence_behind_a_better_section_of_its_document_is_told_only_where_it_is_asked_for(
    heading: str, asked: str, told: bool
) -> None:
    settled = AlreadyTold({asked}, lambda text: set(words(text.lower())))
    assert settled.take(section(1, "Opening", "The gate opens at dawn."), 1) == {}
    assert settled.take(section(2, heading, "All rights are waived."), 2) == ({} if told else {2: 1})
