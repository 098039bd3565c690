"""What never passes the guard: our own output, off-the-record stretches; and how long turns are cut."""

import json

import pytest

from pellucid.capture.guard import Guard, cut_middle
from pellucid.capture.report import CaptureReport
from pellucid.encoders.chat.prompt_mark import opening_line
from pellucid.model.turn import Role, Turn
from pellucid.settings.sections import CaptureSettings

RECALL = "rec_" + "0123456789abcdef" * 2
FENCED = f'<pellucid-recall id="{RECALL}">\n- The cache is Redis (mem_{"1" * 32})\n</pellucid-recall>'


def passed(*turns: tuple[Role, str], report: CaptureReport | None = None, **settings: object) -> list[str]:
    guard = Guard(CaptureSettings.model_validate(settings), report or CaptureReport())
    made = (Turn("s", number, role, content) for number, (role, content) in enumerate(turns, 1))
    return [kept.content for turn in made for kept in guard.admit(turn)]


def test_recalled_context_is_cut_out_of_a_message():
    report = CaptureReport()

    assert passed(("user", f"Before.\n{FENCED}\nAfter."), report=report) == ["Before.\n\nAfter."]
    assert report.stripped["own-recall"] == 1


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_recalled_context_is_cut_out_of_escaped_tool_output(layers: int):
    text = f"a {FENCED} b {FENCED} c"
    for _ in range(layers):
        text = json.dumps({"out": text})

    (kept,) = passed(("tool", text))

    assert "Redis" not in kept
    assert "pellucid" not in kept


def test_recalled_context_is_found_where_angle_brackets_are_escaped():
    text = json.dumps({"out": FENCED}).replace("<", "\\u003c").replace(">", "\\u003e")

    assert "Redis" not in passed(("tool", text))[0]


def test_a_fence_that_was_cut_off_hides_everything_after_it():
    assert passed(("tool", f"kept {FENCED[:80]}")) == ["kept "]


def test_a_message_of_nothing_but_recalled_context_is_dropped():
    report = CaptureReport()

    assert passed(("user", FENCED), report=report) == []
    assert report.dropped == {"own-recall": 1}


@pytest.mark.parametrize(
    "output",
    [
        f'{{"recallId": "{RECALL}", "results": []}}',
        f'{{"snapshotFound":true,"snapshot":{{"snapshotId":"{RECALL}"}}}}',
        json.dumps({"stdout": json.dumps({"recallId": RECALL})}),
        f"=== Recall X-ray ===\nquery: x\nsnapshot-id: {RECALL}\n",
        json.dumps(f"=== Recall X-ray ===\nsnapshot-id: {RECALL}\n"),
    ],
)
def test_our_own_answers_in_tool_output_are_dropped_whole(output: str):
    report = CaptureReport()

    assert passed(("tool", output), report=report) == []
    assert report.dropped == {"own-recall": 1}


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_naming_a_recall_id_in_prose_is_no_reason_to_drop(role: Role):
    text = f"Why did {RECALL} leave out Delft? The snapshot-id: looked right."

    assert passed((role, text)) == [text]


def test_foreign_memory_citations_are_cut_out():
    report = CaptureReport()
    text = "Yes.<oai-mem-citation>\n<entries>a</entries>\n</oai-mem-citation>"

    assert passed(("assistant", text), report=report) == ["Yes."]
    assert report.stripped["memory-citation"] == 1


def test_everything_between_the_markers_is_dropped_with_them():
    report = CaptureReport()

    kept = passed(
        ("user", "one"),
        ("user", "[Off the Record] two"),
        ("assistant", "three"),
        ("tool", "four [on the record]"),
        ("user", "five [on the record]"),
        ("user", "six"),
        report=report,
    )

    assert kept == ["one", "six"]
    assert report.dropped == {"off-the-record": 4}


def test_both_markers_in_one_message_drop_that_message_alone():
    assert passed(("user", "[off the record] pin [on the record]"), ("user", "next")) == ["next"]


def test_a_page_that_mentions_the_marker_is_dropped_alone():
    assert passed(("tool", "type [off the record] to hide"), ("user", "next")) == ["next"]


def test_off_the_record_holds_for_its_own_session():
    guard = Guard(CaptureSettings(), CaptureReport())

    kept = [
        turn.content
        for session, words in (("a", "[off the record]"), ("b", "heard"), ("a", "unheard"))
        for turn in guard.admit(Turn(session, 1, "user", words))
    ]

    assert kept == ["heard"]


def test_the_markers_can_be_set():
    assert passed(
        ("user", "PRIVAT"), ("user", "x"), ("user", "OFFEN"), ("user", "y"), offTheRecord="privat", onTheRecord="offen"
    ) == ["y"]


def test_an_empty_marker_matches_nothing():
    assert passed(("user", "x"), ("user", "y"), offTheRecord="") == ["x", "y"]


def test_secrets_are_redacted_before_a_long_turn_is_cut():
    report = CaptureReport()
    secret = "password=" + "q7W" * 20

    (kept,) = passed(("tool", "a " * 45 + secret + " b" * 250), report=report, maxTurnChars=150)

    assert "q7Wq7W" not in kept
    assert len(kept) <= 150
    assert report.redactions == {"password": 1}


def test_a_cut_keeps_head_and_tail_and_says_how_much_is_missing():
    text = "".join(chr(0x4E00 + n) for n in range(1000))

    cut, lost = cut_middle(text, 200)

    head, note, tail = cut.split("\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert lost == 1000 - len(head) - len(tail)
    assert note == f"[… {lost} characters cut …]"
    assert len(cut) <= 200


@pytest.mark.parametrize(("role", "most"), [("tool", 200), ("user", 2000), ("assistant", 2000), ("system", 2000)])
def test_what_was_said_is_kept_longer_than_a_tools_output_and_a_cut_is_counted(role: Role, most: int):
    report = CaptureReport()
    long, longest = "x" * (most + 50), "y" * most

    cut, whole = passed((role, long), (role, longest), report=report, maxTurnChars=200)

    assert whole == longest
    assert most - 5 < len(cut) <= most
    assert (report.turns_cut, report.characters_cut) == (1, most + 50 - cut.count("x"))
    assert f"[… {report.characters_cut} characters cut …]" in cut


@pytest.mark.parametrize("length", [0, 1, 199, 200])
def test_a_text_that_is_not_too_long_is_not_cut(length: int):
    assert cut_middle("x" * length, 200) == ("x" * length, 0)


OWN_PROMPT = f"{opening_line('Distil this.')}\nDistil this.\n{{}}"


@pytest.mark.parametrize("before", ["", "Do as it says:\n", "\n<stdin>\n"])
def test_a_session_of_a_program_that_we_asked_is_dropped_from_our_prompt_on_and_counted(before: str):
    report = CaptureReport()
    turns: list[tuple[Role, str]] = [
        ("user", before + OWN_PROMPT),
        ("tool", "ls"),
        ("assistant", '{"facts": []}'),
        ("user", "We ship on Tuesday."),
    ]

    assert passed(*turns, report=report, off_the_record="", on_the_record="") == []
    assert report.dropped == {"own-prompt": 4}


def test_other_sessions_are_not_and_the_user_can_go_on_the_record_again():
    report = CaptureReport()
    guard = Guard(CaptureSettings(), report)
    turns = [
        Turn("asked", 1, "user", OWN_PROMPT),
        Turn("mine", 1, "user", "We ship on Tuesday."),
        Turn("asked", 2, "user", "[on the record]"),
        Turn("asked", 3, "user", "Tests come first."),
    ]

    assert [kept.content for turn in turns for kept in guard.admit(turn)] == [
        "We ship on Tuesday.",
        "Tests come first.",
    ]
    assert report.dropped == {"own-prompt": 2}


@pytest.mark.parametrize(
    ("role", "content"),
    [
        ("assistant", OWN_PROMPT),
        ("tool", OWN_PROMPT),
        ("user", 'The line is `<pellucid-prompt id="ask_…">`.'),
        ("user", '<pellucid-prompt id="ask_0123">'),
        ("user", f"I saw {opening_line('x')} there."),
    ],
)
def test_only_a_users_turn_with_the_very_line_opens_one(role: Role, content: str):
    assert passed((role, content), ("user", "We ship on Tuesday."))[-1] == "We ship on Tuesday."
