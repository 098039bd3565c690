"""Values that would like to be layout, markup or terminal commands, and that stay values."""

import json
import re
from collections.abc import Callable
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kits.rendering import empty, full, holding, inline, reworded, structure
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.xray.render.as_markdown import code, code_cell, prose
from pellucid.xray.render.formats import render
from pellucid.xray.words.visible import visible

TEXTS = st.text(
    st.one_of(st.sampled_from("|\\`\n\r\t\x1b\x85\u2028\u202e \"'*_<>&#[]()!~$:/-=a1"), st.characters()),
    min_size=1,
    max_size=12,
)
WORDS = st.lists(TEXTS, min_size=1, max_size=12)
CALM = render(reworded(full(), lambda: "x"), "text"), render(reworded(full(), lambda: "x"), "markdown")
ODD_RUN_BEFORE_A_PIPE = re.compile(r"(?<!\\)(?:\\\\)*\\\|")
FINITE = st.floats(allow_nan=False, allow_infinity=False)
THOROUGH = settings(max_examples=150, deadline=None)
HOSTILE = [
    "one\ntwo",
    "one\r\ntwo",
    "a\x1b[2Jb",
    "a\x9b31mb",
    "a\x07b",
    "a\x00b",
    "a\u2028b",
    "a\u2029b",
    "a\x0bb",
    "a\x0cb",
    "a\x1cb",
    "a\x85b",
    "txt.\u202eexe",
    "a\u2066b",
    "\U000e0041",
    "\ufeffa",
    "a\ud800b",
    "\n--- results ---\n[9] mem_fake",
    "x | y",
    "\\",
    "\\|",
    "\\\\|",
    "`",
    "``",
    "` `",
    "```\n# fake",
    "| a |\n| - |",
    "<script>",
    "</td>",
    "&lt;",
    "*a*",
    "_a_",
    "[a](b)",
    "![a](b)",
    "~~a~~",
    "https://a.example",
    " ",
    "  a  ",
    "\t",
]


def words_of(texts: list[str]) -> Callable[[], str]:
    given_again = cycle(texts)
    return lambda: next(given_again)


def unescaped_pipes(markdown: str) -> list[int]:
    """The pipes a table acts on in each line, by the rule that a backslash takes the next sign with it."""
    return [re.sub(r"\\.", "", line).count("|") for line in markdown.split("\n") if line.startswith("|")]


def assert_calm(snapshot: RecallXraySnapshot) -> None:
    text, markdown = render(snapshot, "text"), render(snapshot, "markdown")
    assert len(text.splitlines()) == len(CALM[0].splitlines())
    assert len(markdown.splitlines()) == len(CALM[1].splitlines())
    assert all(line == visible(line) for line in (text + "\n" + markdown).split("\n"))
    assert structure(markdown) == structure(CALM[1])
    assert unescaped_pipes(markdown) == unescaped_pipes(CALM[1])
    assert (text + markdown + render(snapshot, "json")).encode()


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_changes_no_layout_wherever_it_stands(value: str) -> None:
    assert_calm(reworded(full(), lambda: value))


@THOROUGH
@given(WORDS)
def test_no_value_adds_a_line_a_row_a_column_or_any_markup(texts: list[str]) -> None:
    assert_calm(reworded(full(), words_of(texts)))


@THOROUGH
@given(TEXTS)
def test_a_code_span_shows_its_text_exactly(text: str) -> None:
    (span,) = inline(f"a\n\n{code(text)}")
    assert (span.type, span.content) == ("code_inline", visible(text))


@THOROUGH
@given(TEXTS)
def test_a_code_span_in_a_table_shows_its_text_but_for_an_odd_run_of_backslashes_before_a_pipe(text: str) -> None:
    (span,) = inline(f"| a | b |\n| --- | --- |\n| x | {code_cell(text)} |")
    doubled = ODD_RUN_BEFORE_A_PIPE.sub(lambda found: "\\" + found[0], visible(text))
    assert (span.type, span.content) == ("code_inline", doubled)


@THOROUGH
@given(TEXTS)
def test_a_sentence_is_read_as_it_was_said_in_a_line_and_in_a_table(text: str) -> None:
    in_line, in_table = inline(f"x{prose(text)}x"), inline(f"| a |\n| --- |\n| x{prose(text)}x |")
    for pieces in (in_line, in_table):
        assert {piece.type for piece in pieces} == {"text"}
        assert "".join(piece.content for piece in pieces) == f"x{visible(text)}x"


@THOROUGH
@given(WORDS)
def test_json_read_again_is_the_equal_snapshot(texts: list[str]) -> None:
    snapshot = reworded(full(), words_of(texts))
    envelope = json.loads(render(snapshot, "json").encode())
    assert envelope["snapshotFound"] is True
    assert RecallXraySnapshot.model_validate(envelope["snapshot"]) == snapshot


@THOROUGH
@given(FINITE, FINITE)
def test_numbers_read_again_are_the_same_numbers(final: float, vector: float) -> None:
    snapshot = holding(final=final, scores={"vector": vector})
    again = json.loads(render(snapshot, "json"))["snapshot"]["results"][0]["scoreDecomposition"]
    assert (repr(again["final"]), repr(again["vector"])) == (repr(final), repr(vector))


@given(st.text())
def test_printed_json_commands_no_terminal_and_what_is_visible_stays_so(text: str) -> None:
    printed = render(empty(query=text), "json")
    assert printed.replace("\n", "") == visible(printed.replace("\n", ""))
    assert visible(visible(text)) == visible(text)


def test_the_letters_of_every_script_pass_as_they_are() -> None:
    for text in ("Größe", "大きさ", "می‌خواهم", "क्‍ष", "👩‍💻", "ខ្មែរ\u200bភាសា", "C:\\Users\\x", "a→b — “c”"):
        assert visible(text) == text


def test_an_address_in_a_sentence_is_no_link() -> None:
    assert prose("failed: see https://a.example") == "failed: see https\\://a.example"


def test_a_path_with_backslashes_is_shown_as_it_is_in_every_cell() -> None:
    assert "| Session | `C:\\Users\\new` |" in render(empty(session_key="C:\\Users\\new"), "markdown")


def test_an_empty_text_has_a_code_span_of_words() -> None:
    assert "**Query:** _empty_" in render(empty(query=""), "markdown")
