"""A context in, what it can spare: turns that tell nothing of what is asked, and what another line says whole."""

from collections.abc import Sequence
from pathlib import Path

from kits.vault import HERE, NOON, Opener, a_memory, file_memories, run
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.operations.recall.recalling import xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.recall.why import WhyInput, why
from pellucid.recall.context.builder import ContextBuilder, ContextLine
from pellucid.recall.context.sparing import fill_without_repeats
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.state import State
from pellucid.xray.given import rebuild_context
from pellucid.xray.render.as_text import render_text
from pellucid.xray.replay import replay_receipt

QUESTION = "how high may waves be for the ferry"
ANSWER = "The ferry sails while waves stay below two metres"
FULL = f"{ANSWER}. Above that the harbour office calls every passenger and moves all bookings to the next morning tide"
IDLE = ("commit this", "Good, and now the rest of it:", "let's get back to the review please")


def turn(number: int, content: str, at: int, session: str = "one", **given: object) -> Memory:
    said = {"category": "moment", "evidence": (f"{session}:{at}-{at}",), "session_id": session}
    return a_memory(number, content).model_copy(update={**said, **given})


def session(app: App, *further: Memory) -> None:
    """A session in which little is said of the ferry; everybody orders and announces the same all the time."""
    chatter = [turn(100 + at, said, 10 + at) for at, said in enumerate(IDLE * 3)]
    file_memories(app, [*further, *chatter])


def turned_away(state: State, rung: str) -> list[str]:
    return [each.reason for each in state.context.omitted if each.rung == rung]


def test_a_turn_that_tells_nothing_of_what_is_asked_is_left_out_and_said_to(house: Opener) -> None:
    app = house()
    session(app, turn(1, ANSWER, 1))
    state = run(app, QUESTION, budget=2_000)
    assert ANSWER in state.context.text
    assert not any(each in state.context.text for each in IDLE)
    assert {*turned_away(state, "tells-nothing")} == {"it tells nothing of what is asked"}
    rungs = {each.name: each for each in state.rungs}
    away = rungs["tells-nothing"].considered - rungs["tells-nothing"].admitted
    assert away == len(turned_away(state, "tells-nothing")) > 0


def test_what_an_agent_says_that_it_does_next_is_left_out_though_it_has_words_of_the_question(house: Opener) -> None:
    app = house()
    step = "Let me see where `quay.py` reads the waves."
    session(app, turn(1, ANSWER, 1), turn(2, step, 2, source_class="assistant_output"))
    state = run(app, QUESTION, budget=2_000)
    assert ANSWER in state.context.text
    assert step not in state.context.text
    assert turned_away(state, "tells-nothing")


def test_what_an_agent_does_next_is_left_out_as_the_best_line_too_unless_nothing_else_is_there(
    house: Opener, tmp_path: Path
) -> None:
    next_step = "Let me look at how high the waves may be for the ferry."
    said = turn(1, next_step, 1, source_class="assistant_output")
    alone, beside = house(tmp_path / "alone"), house(tmp_path / "beside")
    session(alone, said)
    session(beside, said, turn(2, "The ferry sails below two metres", 2))
    assert next_step in run(alone, QUESTION, budget=2_000, top_k=1).context.text
    state = run(beside, QUESTION, budget=2_000)
    assert state.served[0].memory.content == next_step
    assert next_step not in state.context.text
    assert "The ferry sails below two metres" in state.context.text


def test_what_a_person_says_that_they_do_next_stays(house: Opener) -> None:
    app = house()
    step = "I'll write down how high the waves may be for the ferry."
    session(app, turn(1, ANSWER, 1), turn(2, step, 2, source_class="user_input"))
    assert step in run(app, QUESTION, budget=2_000).context.text


def test_references_and_licences_of_other_documents_are_left_out_unless_asked_for(house: Opener) -> None:
    def section(number: int, text: str) -> Memory:
        return a_memory(number, text, category="section", session_id=f"doc-{number}")

    app = house()
    listed = ("SPEC-2: Tides › Related\n- SPEC-7", "SPEC-3: Moon › Copyright\nWaived by CC0.")
    file_memories(app, [section(1, f"SPEC-1: Ferry › Waves\n{ANSWER}."), *map(section, (2, 3), listed)])
    assert not any(each.partition("\n")[0] in run(app, QUESTION).context.text for each in listed)
    assert "SPEC-3: Moon › Copyright" in run(app, "under which licence is the moon published?").context.text


def test_what_names_or_counts_or_says_something_of_the_question_stays(house: Opener) -> None:
    app = house()
    said = (
        "sail with Mara",
        "make it 40",
        "see docs/tide.md",
        "waves?",
        "Passengers queue beside lighthouses overnight",
    )
    session(app, turn(1, ANSWER, 1), *(turn(at, each, at) for at, each in enumerate(said, 2)))
    text = run(app, QUESTION, budget=4_000).context.text
    assert [each for each in said if each not in text] == []


def test_the_best_line_what_is_pinned_and_what_is_a_memory_of_its_own_stay(house: Opener) -> None:
    app = house(min_fact_score=-1.0)
    file_memories(app, [turn(1, "go on", 1)])
    assert "go on" in run(app, "where to").context.text
    pinned, rule = turn(3, "commit it now", 3, pinned=True), turn(4, "commit at once", 4, category="rule")
    session(app, turn(2, ANSWER, 2), pinned, rule)
    text = run(app, QUESTION, budget=2_000, top_k=40).context.text
    assert ("commit it now" in text, "commit at once" in text, "commit this" in text) == (True, True, False)


def test_a_name_a_number_and_a_path_stay_though_everybody_says_them(house: Opener) -> None:
    app = house(min_fact_score=-1.0)
    said = ("ask Mara", "until 40", "see docs/tide")
    often = [turn(200 + at, f"{each}{'!' * (at // 3)}", 40 + at) for at, each in enumerate(said * 12)]
    session(app, turn(1, ANSWER, 1), *often)
    text = run(app, QUESTION, budget=8_000, top_k=100).context.text
    assert [each for each in said if each not in text] == []
    assert "commit this" not in text


def test_what_another_line_of_the_same_turn_says_whole_is_told_once(house: Opener) -> None:
    app = house()
    read = turn(1, ANSWER, 1, category="fact", importance_score=0.9)
    between = turn(3, "Waves of the ferry terminal wet the quay", 7, session="two")
    session(app, read, turn(2, FULL, 1), between)
    state = run(app, QUESTION, budget=2_000)
    assert state.context.text.count(ANSWER) == 1
    assert turned_away(state, "said-already") == ["it is said in full by [1]"]


def fill_lines(texts: Sequence[str], budget: int, *firm: str) -> tuple[list[str], dict[str, str]]:
    """What of one turn, and of another one (`~`), stands in a context of these lines, and who stands for whom."""
    memories = [turn(at, text, 7 if text.startswith("~") else 1) for at, text in enumerate(texts, 1)]
    lines = [ContextLine.of(each, place, NOON) for place, each in enumerate(memories)]
    said = {each.id: each.content for each in memories}

    def fill(lines: Sequence[ContextLine]) -> ContextBuilder:
        builder = ContextBuilder("rec_1", "none", len(lines))
        builder.fill(lines, budget)
        return builder

    builder, _, covered = fill_without_repeats(fill, lines, lambda line: line.memory.content in firm)
    return [said[each] for each in builder.included], {said[less]: said[more] for less, more in covered.items()}


def test_the_best_line_gives_way_to_the_next_one_alone() -> None:
    between = "~ How high the waves may be is in the book of tides"
    assert fill_lines((ANSWER, FULL, between), 2_000) == ([FULL, between], {ANSWER: FULL})
    assert fill_lines((ANSWER, between, FULL), 2_000) == ([ANSWER, between, FULL], {})
    assert fill_lines((between, ANSWER, FULL), 2_000) == ([between, FULL], {ANSWER: FULL})


def test_what_is_not_to_be_left_out_is_told_beside_what_says_it_whole() -> None:
    assert fill_lines((ANSWER, FULL), 2_000, ANSWER) == ([ANSWER, FULL], {})


def test_whoever_is_left_out_is_said_by_another_whatever_room_there_is() -> None:
    best, wide = "~ Waves are high today", f"~ The ferry waits {'and waits ' * 18}for the tide"
    left_out = set[bool]()
    for budget in range(200, 700):
        told, covered = fill_lines((best, ANSWER, wide, FULL), budget)
        assert FULL in told or not covered
        left_out.add(bool(covered))
    assert left_out == {True, False}


def test_a_double_stays_where_there_is_no_room_for_the_fuller_one(house: Opener) -> None:
    app = house()
    session(app, turn(1, ANSWER, 1, category="fact"), turn(2, FULL, 1))
    assert ANSWER in run(app, QUESTION, budget=260).context.text


LITTLE = "it holds none of the question's key words, and says little else"
LOWER = "it is said in full by [1], which scores lower, but says more"


def test_the_record_explains_both_and_gives_the_same_context_again(house: Opener) -> None:
    app = house()
    read = turn(1, ANSWER, 1, category="fact", importance_score=0.9)
    between = turn(3, "Waves of the ferry terminal wet the quay", 7, session="two")
    session(app, read, turn(2, FULL, 1), between, turn(4, "paint fences", 8, session="two"))
    question = RecallInput(query=QUESTION, namespace=HERE, budget=2_000)
    shown = xray_new_recall(app, question)
    rejected = {each.rejected_by: each for each in shown.rejected}
    for rung, reason, words in (
        ("tells-nothing", LITTLE, f"tells-nothing: {LITTLE}"),
        ("said-already", LOWER, f"said-already: {LOWER}"),
    ):
        assert rejected[rung].reason == reason
        assert words in render_text(shown)
        found = why(app, WhyInput(namespace=HERE, memory=rejected[rung].memory_id, question=question)).finding
        assert found
        assert (found.stage, found.reason, found.margin) == (rung, reason, None)
    state = run(app, QUESTION, budget=2_000)
    receipt = unpack(pack(state))
    assert replay_receipt(receipt).identical
    assert "paint fences" in state.context.text  # of which everybody speaks by and by
    file_memories(app, [turn(200 + at, f"paint fences{'!' * at}", 40 + at) for at in range(1, 30)])
    assert "paint fences\n" not in run(app, QUESTION, budget=2_000).context.text
    with app.recaller.world(state.request) as world:
        again = rebuild_context(receipt, world)
    assert again.context.text == state.context.text
