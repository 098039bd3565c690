"""A turn's text in, its passages out: nothing is lost, nothing is longer than a reader of a context can bear."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pellucid.memory.passages import PASSAGE_CHARS, passages, undrawn

PARAGRAPH = "The lock is taken before the file is written, because two writers once tore a picture apart. "


def bare(text: str) -> str:
    return "".join(text.split())


@given(st.text(st.sampled_from("ab .\n`#:-\u3002語"), max_size=3000))
def test_the_passages_of_a_text_hold_every_sign_of_it_in_its_order(text: str) -> None:
    assert bare("".join(passages(text))) == bare(text)


@given(st.text(st.sampled_from("ab .\n`#:-"), max_size=4000))
def test_no_passage_is_longer_than_twice_the_aim(text: str) -> None:
    assert all(len(each) <= 2 * PASSAGE_CHARS for each in passages(text))


def test_a_short_text_is_one_passage() -> None:
    assert passages("Two lines,\nand no more.") == ["Two lines,\nand no more."]


def test_a_long_line_is_cut_between_sentences() -> None:
    found = passages(PARAGRAPH * 8)
    assert len(found) > 2
    assert all(each.endswith("apart.") for each in found)


def test_a_heading_stands_with_what_it_announces() -> None:
    text = f"{PARAGRAPH * 2}\n\n## Root cause\n\n{PARAGRAPH}\n\nWhat follows from it:\n- {PARAGRAPH}"
    found = passages(text)
    assert not any(each.rstrip().endswith(("Root cause", "it:")) for each in found)
    assert any(each.startswith("## Root cause") for each in found)


def test_a_short_block_of_code_is_not_torn() -> None:
    code = "```python\nwith lock:\n    write(path, data)\n```"
    (holding,) = [each for each in passages(f"{PARAGRAPH * 3}\n\n{code}\n\n{PARAGRAPH * 2}") if "```" in each]
    assert code in holding


_DRAWING = """Phases:
┌─────────┐    ┌────────┐
│ ACTIVE  │───►│  IDLE  │
└────┬────┘    └────────┘
     │
├── cmd/
│   └── main.go   entry
█████░░░ 60%

a | b ends it"""


def test_of_a_drawing_the_words_are_kept_and_the_lines_are_not() -> None:
    assert undrawn(_DRAWING).split("\n") == [
        "Phases:",
        "ACTIVE | ► | IDLE",
        "cmd/",
        "main.go entry",
        "60%",
        "",
        "a | b ends it",
    ]


@given(st.text(alphabet="ab \n|-+►▼─│┌█", max_size=80))
def test_no_word_of_a_drawing_is_lost_and_what_is_drawn_once_stays(text: str) -> None:
    assert re.findall(r"\w+", undrawn(text)) == re.findall(r"\w+", text)
    assert undrawn(undrawn(text)) == undrawn(text)
