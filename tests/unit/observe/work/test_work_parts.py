"""A coding session in, the part that each spoken turn plays out."""

from kits.work import played

CAUSE = (
    "The uploads fail because the signer reads the clock of the container, which drifts by minutes while the laptop "
    "sleeps, so the signature is from the past and the bucket refuses it."
)


def test_what_an_agent_says_between_two_tool_calls_is_narration() -> None:
    said = played(("user", "why do uploads fail?"), ("assistant", "Let me look at the signer."), ("tool", "def sign"))
    assert [each.part for each in said] == ["person", "narration"]


def test_its_last_words_before_a_person_speaks_are_its_conclusion() -> None:
    said = played(("tool", "ok"), ("assistant", CAUSE), ("user", "thanks"))
    assert [each.part for each in said] == ["conclusion", "person"]
    assert played(("tool", "ok"), ("assistant", "All green now."), ("user", "thanks"))[0].part == "narration"


def test_much_prose_in_the_middle_of_its_work_is_a_conclusion_too() -> None:
    assert played(("assistant", CAUSE), ("tool", "ok"))[0].part == "narration"
    assert played(("assistant", f"{CAUSE} {CAUSE}"), ("tool", "ok"))[0].part == "conclusion"


def test_code_and_logs_are_no_prose() -> None:
    code = "```\n" + "value = compute(value)\n" * 40 + "```"
    assert played(("assistant", f"Here it is:\n{code}"), ("tool", "ok"))[0].part == "narration"


def test_each_turn_knows_what_the_other_side_said_last() -> None:
    said = played(("user", "one"), ("assistant", "two"), ("tool", "x"), ("assistant", "three"), ("user", "four"))
    before = [each.before.turn.content if each.before else None for each in said]
    assert before == [None, "one", "one", "three"]
