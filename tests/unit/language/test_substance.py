"""What a text says by itself."""

import pytest

from pellucid.language.substance import is_narration, is_specific, says_little, without_announcement


@pytest.mark.parametrize(
    "text",
    [
        "commit this",
        "Let's get back to the review please",
        "Continuing from where we left off…",
        "Now add a test case for this:",
        "Both pass. Now the whole of the documentation and its index:",
        "现在运行测试：",
        "",
    ],
)
def test_an_order_of_the_moment_and_an_announcement_say_little(text: str) -> None:
    assert says_little(text)


@pytest.mark.parametrize(
    "text",
    [
        "Nobody deploys during the freeze",
        "fix #",
        "make it 40",
        "It was Mara",
        "Now run `make`:",
        "see docs/plan",
        "see plan.md",
        "fsync shields journals",
        "The cause is jitter. Now the test:\n\n- delays are exact",
    ],
)
def test_a_name_a_number_a_path_code_and_a_few_words_say_something(text: str) -> None:
    assert not says_little(text)


def test_what_announces_is_left_out_where_it_comes_last() -> None:
    assert without_announcement("Both pass. Now the documentation:") == "Both pass."
    assert without_announcement("The steps: first lint") == "The steps: first lint"
    assert (is_specific("Yes, Mara did"), is_specific("Mara did")) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "Let me see which callers of `open_gate` are left.",
        "Good idea. Now I'll add the tide tables to `docs/tides.md`:",
        "All pass. Next, let's look at the pump. I need to find where it starts.",
        "Ich werde jetzt die Schleuse prüfen.",
    ],
)
def test_a_text_that_only_says_what_its_speaker_does_next_is_narration(text: str) -> None:
    assert is_narration(text)


@pytest.mark.parametrize(
    "text",
    [
        "Let me check the pump, because it starts twice a day.",
        "Let me check the gate - its bolts were loose in March and nobody has fastened them.",
        "The pump starts twice a day. Let me see why.",
        "I'll note the cause: the valve sticks in frost.",
        "Letters go out on Friday.",
        "Redis, definitely.",
    ],
)
def test_a_text_that_says_something_beside_is_no_narration(text: str) -> None:
    assert not is_narration(text)
