"""A context in, what it can spare: turns that tell nothing of what is asked, and what another line says whole."""

from kits.vault import HERE, Opener, a_memory, file_memories, run
from pellucid.app import App
from pellucid.model.memory import Memory
from pellucid.operations.recall.recalling import xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.recall.why import WhyInput, why
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
    app = house()
    file_memories(app, [turn(1, "go on", 1)])
    assert "go on" in run(app, "go where").context.text
    session(app, turn(2, ANSWER, 2), turn(3, "push it", 3, pinned=True), turn(4, "ship it", 4, category="rule"))
    text = run(app, QUESTION, budget=2_000).context.text
    assert ("push it" in text, "ship it" in text) == (True, True)


def test_what_another_line_of_the_same_turn_says_whole_is_told_once(house: Opener) -> None:
    app = house()
    read = turn(1, ANSWER, 1, category="fact", importance_score=0.9)
    between = turn(3, "Waves of the ferry terminal wet the quay", 7, session="two")
    session(app, read, turn(2, FULL, 1), between)
    state = run(app, QUESTION, budget=2_000)
    assert state.context.text.count(ANSWER) == 1
    assert turned_away(state, "said-already") == ["it is said in full by [1]"]


def test_the_best_line_gives_way_to_the_next_one_alone(house: Opener) -> None:
    app = house()
    answer = turn(1, "High waves: the ferry may not sail then", 1, category="fact", importance_score=0.9)
    fuller = turn(
        2, f"{answer.content}. Office hours are shown beside the gate, and lamps are lit from dusk to dawn", 1
    )
    nearer = turn(3, "How high the waves may be for the ferry is in the book of tides", 7, session="two")
    file_memories(app, [answer, fuller, nearer])
    state = run(app, QUESTION, budget=2_000)
    first = state.served[0].memory
    assert f"[1] {first.content}" in state.context.text


def test_a_double_stays_where_there_is_no_room_for_the_fuller_one(house: Opener) -> None:
    app = house()
    session(app, turn(1, ANSWER, 1, category="fact"), turn(2, FULL, 1))
    assert ANSWER in run(app, QUESTION, budget=260).context.text


def test_the_record_explains_both_and_gives_the_same_context_again(house: Opener) -> None:
    app = house()
    read = turn(1, ANSWER, 1, category="fact", importance_score=0.9)
    between = turn(3, "Waves of the ferry terminal wet the quay", 7, session="two")
    session(app, read, turn(2, FULL, 1), between)
    question = RecallInput(query=QUESTION, namespace=HERE, budget=2_000)
    shown = xray_new_recall(app, question)
    rejected = {each.rejected_by: each for each in shown.rejected}
    for rung, reason, words in (
        ("tells-nothing", "it tells nothing of what is asked", "telling nothing of what is asked"),
        ("said-already", "it is said in full by [1]", "it is said in full by [1]"),
    ):
        assert rejected[rung].reason == reason
        assert words in render_text(shown)
        found = why(app, WhyInput(namespace=HERE, memory=rejected[rung].memory_id, question=question)).finding
        assert found
        assert (found.stage, found.reason, found.margin) == (rung, reason, None)
    state = run(app, QUESTION, budget=2_000)
    receipt = unpack(pack(state))
    assert replay_receipt(receipt).identical
    file_memories(app, [turn(200 + at, said, 40 + at) for at, said in enumerate(["commit rarely", "review quay"])])
    with app.recaller.world(state.request) as world:
        again = rebuild_context(receipt, world)
    assert again.context.text == state.context.text
