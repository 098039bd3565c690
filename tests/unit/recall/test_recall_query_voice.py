"""Questions in, whether they ask for the asker's own words out; and what that is worth to whom."""

import pytest

from kits.vault import HERE, Opener, a_memory, ask, contents, file_memories, keep, ranking, run
from pellucid.app import App
from pellucid.model.turn import Turn
from pellucid.operations.recall.recalling import xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.session.intake import Intake
from pellucid.recall.ablate import ablate
from pellucid.recall.query.plan import asks_own
from pellucid.recall.receipt.record import pack, unpack

OWN = """
    Where did I park the car?
    where did i put the spare key
    What's my dog's name?
    Who called me yesterday?
    Remind me where I parked
    How long is my daily commute to work?
    Can you suggest something I can do in the evening, as I usually like?
    What did I tell Ada about the trip?
    Wie heißt mein Hund?
    Was habe ich über den Umzug gesagt?
    ¿Dónde aparqué mi coche?
    Comment s'appelle mon chien ?
    我的狗叫什么名字
"""
NOT_OWN = """
    Which port does staging use?
    What did you recommend to me for dinner?
    What was the name of the hostel that you recommended last time I asked?
    I remember you told me to dilute it. What was the ratio?
    What was your advice for my garden?
    Have you ever told me why I should wait?
    What did the assistant change in my settings?
    I'm looking back at our previous conversation about the crane. What colour was it?
    How do I deploy my branch?
    What happens if I press the button twice?
    Tell me which port staging uses
    Can you tell me what the crane lifts?
    Which results did Phase I bring?
    Who do we notify before a release?
    你给我推荐了什么餐厅
"""


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize("query", _lines(OWN))
def test_a_question_about_the_asker_asks_for_the_askers_words(query: str) -> None:
    assert asks_own(query)


@pytest.mark.parametrize("query", _lines(NOT_OWN))
def test_a_question_after_another_side_or_a_way_does_not(query: str) -> None:
    assert not asks_own(query)


def talk(app: App, *said: tuple[str, str, str | None]) -> App:
    """A session of turns: role, words, speaker's name."""
    turns = [
        Turn("talk", n, role, words, speaker=name, fingerprint=b"k%d" % n)  # pyright: ignore[reportArgumentType]
        for n, (role, words, name) in enumerate(said, 1)
    ]
    Intake(app, HERE, "verbatim").take(turns)
    return app


ADVICE = "A guitar case protects your guitar; check that your guitar fits, and where your guitar will be stored."


def test_what_the_user_said_is_worth_the_weight_where_the_question_is_about_the_user(house: Opener) -> None:
    app = talk(house(voice_weight=0.75), ("user", "I keep the guitar in the attic", None), ("assistant", ADVICE, None))
    state = run(app, "Where do I keep my guitar?")
    assert sorted(state.pool.terms["voice"].tolist()) == [0.0, 0.75]
    first = xray_new_recall(app, RecallInput(query="Where do I keep my guitar?", namespace=HERE)).results[0]
    assert contents(ask(app, "Where do I keep my guitar?"))[0] == "I keep the guitar in the attic"
    assert first.score_decomposition.voice == 0.75
    assert "in the words of the user, whom the question is about (+0.75)" in first.why
    for query in ("Where is a guitar kept?", "Where did you tell me to keep my guitar?"):
        assert "voice" not in run(app, query).pool.terms
    assert "voice" not in run(app, "Where do I keep my guitar?", without=("voice",)).pool.terms


def test_a_user_who_asks_for_something_tells_of_themself_too(house: Opener) -> None:
    said = (
        ("user", "I keep my guitar in the attic. Is that too damp?", None),
        ("assistant", f"{ADVICE} Do you agree?", None),
    )
    app = talk(house(), *said)
    asking = run(app, "Where do I keep my guitar?").pool.terms["asking"]
    assert sorted(asking.tolist()) == [-0.2, 0.0]
    assert run(app, "Where is a guitar kept?").pool.terms["asking"].tolist() == [-0.2, -0.2]


def test_leaving_the_voice_out_of_the_receipt_is_what_a_recall_without_it_gives(house: Opener) -> None:
    app = talk(house(), ("user", "I keep the guitar in the attic", None), ("assistant", ADVICE, None))
    state = run(app, "Where do I keep my guitar?")
    recorded = unpack(pack(state)).state
    assert ranking(ablate(recorded, ["voice"])) == ranking(run(app, "Where do I keep my guitar?", without=("voice",)))
    assert ranking(ablate(recorded, [])) == ranking(state)


def test_among_people_with_names_nobody_is_the_user(house: Opener) -> None:
    long = "Ada: I keep the guitar in the attic. " + "It is an old guitar, and it has a long story to tell. " * 60
    app = talk(house(), ("user", long, "Ada"), ("user", "Bo: my guitar hangs on the wall", "Bo"))
    state = run(app, "Where do I keep my guitar?")
    assert len(state.pool) > 2
    assert "voice" not in state.pool.terms


def test_a_note_that_somebody_gave_by_hand_is_their_own_word_and_a_document_is_not(house: Opener) -> None:
    app = house()
    keep(app, "my guitar stands in the hall")
    section = a_memory(2, "my guitar: a manual of guitars", category="section", asserted_by="user")
    file_memories(app, [section, a_memory(3, "guitars are made of wood", source_class="assistant_output")])
    state = run(app, "Where is my guitar?")
    assert sorted(state.pool.terms["voice"].tolist()) == [0.0, 0.0, 1.0]
