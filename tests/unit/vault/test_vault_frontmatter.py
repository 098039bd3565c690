"""Values and frontmatter texts in, the same values out again, whichever of the two readers reads them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.errors import InputError
from pellucid.vault import frontmatter
from pellucid.vault.frontmatter import _parse_yaml, edit, parse, render, split

NOTE = "# a comment of the user\n"
KEYS = st.from_regex(r"[a-z][A-Za-z0-9]{0,8}", fullmatch=True)
# what a file can hold: no lone surrogates; the two Unicode line separators and C1 controls have tests of their own
UNREADABLE = [*map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029", "\ufffe", "\uffff"]
WORDS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters=UNREADABLE), max_size=20)
ODD_WORDS = """
    1 1.5 1e5 0x1f 0o7 1_000 12:30 2026-04-20 yes no on off null ~ true True NULL .inf .nan - -- --- ... [] {} * & ! %
    @ ` ' " # : a: :a a:b a#b ? | > = << +1 -1 .5 5. 0 00 007 +.inf NaN Infinity -Infinity 1. y n
    """
ODD = st.sampled_from(ODD_WORDS.split())
SCALARS = WORDS | ODD | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(0, 1)
VALUES = SCALARS | st.lists(WORDS | ODD, min_size=1, max_size=4) | st.dictionaries(WORDS, WORDS, min_size=1, max_size=3)


def by_yaml(text: str) -> dict[str, object]:
    """What the slow reader makes of it: what happens once the user adds a comment."""
    return _parse_yaml(NOTE + text)


@pytest.mark.requirement("STORE-2")
@settings(max_examples=400, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_is_rendered_is_read_back_the_fast_way(values: dict[str, object]) -> None:
    text = render(values)
    assert parse(text) == values
    assert all(frontmatter._LINE.fullmatch(line) for line in text.splitlines()), "one key and value a line"


@pytest.mark.requirement("STORE-2")
@pytest.mark.parametrize(
    "word",
    [
        "1E5",
        "7E10",
        "12e3",
        "0b101",
        "0x1f",
        "0o17",
        "1_000",
        "1.5",
        "12:30:45",
        "2026-04-20",
        "y",
        "on",
        "null",
        "2026-04-20T17:30:00Z",
        "2026-04-20T17:30:00.000Z",
        "2026-04-20t17:30:00+02:00",
        "1.",
        "1e5",
        "007",
        "+1",
    ],
)
def test_a_word_stays_a_word_once_a_comment_is_added(word: str) -> None:
    text = render({"sessionId": word, "tags": [word]})
    assert parse(text) == {"sessionId": word, "tags": [word]}
    assert by_yaml(text) == {"sessionId": word, "tags": [word]}


@pytest.mark.requirement("STORE-2")
@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        KEYS, WORDS | st.booleans() | st.integers(-99, 99) | st.lists(WORDS, min_size=1), min_size=1, max_size=3
    )
)
def test_the_slow_reader_reads_the_same(values: dict[str, object]) -> None:
    text = render(values)
    assert by_yaml(text) == parse(text) == values


@pytest.mark.requirement("STORE-2")
@pytest.mark.parametrize("character", ["\x7f", "\x80", "\x85", "\x9f", "\u2028", "\u2029", "\ufffe", "\uffff"])
def test_a_character_that_yaml_does_not_take_is_escaped(character: str) -> None:
    values = {"agent": f"a{character}b", "tags": [f"{character}x"]}
    text = render(values)
    assert parse(text) == values
    assert by_yaml(text) == values


def test_what_we_render_looks_as_a_person_would_write_it() -> None:
    assert render({"id": "mem_1", "tags": ["a b"], "pinned": True, "at": None, "n": 0.5, "s": "with space"}) == (
        'id: mem_1\ntags: ["a b"]\npinned: true\nn: 0.5\ns: "with space"\n'
    )


@pytest.mark.parametrize(
    ("text", "head", "body"),
    [
        ("---\na: 1\n---\nbody\n", "a: 1\n", "body\n"),
        ("---\r\na: 1\r\n---\r\nbody\r\n", "a: 1\r\n", "body\r\n"),
        ("---  \na: 1\n--- \t\nbody", "a: 1\n", "body"),
        ("---\n---\nbody", "", "body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("no front\n---\na: 1\n---\n", None, "no front\n---\na: 1\n---\n"),
        ("---\na: 1\n---\nx\n---\ny\n", "a: 1\n", "x\n---\ny\n"),
        ("---\na: '---'\n---\nx", "a: '---'\n", "x"),
        ("", None, ""),
        ("----\na: 1\n----\n", None, "----\na: 1\n----\n"),
    ],
)
def test_the_fences_part_the_keys_from_the_body(text: str, head: str | None, body: str) -> None:
    assert split(text) == (head, body)


@pytest.mark.parametrize("text", ["---\na: 1\n", "---\na: 1\n--\nbody\n", "---\n\nwords under a rule\n"])
def test_a_fence_that_is_never_closed_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not closed"):
        split(text)


def test_a_byte_order_mark_before_the_fence_hides_nothing() -> None:
    assert split("\ufeff---\na: 1\n---\nbody\n") == ("a: 1\n", "body\n")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("tags:\n  - a\n  - b\n", {"tags": ["a", "b"]}),
        ("tags: [a, b]\n", {"tags": ["a", "b"]}),
        ("note: |\n  two\n  lines\n", {"note": "two\nlines\n"}),
        ("a: 'it''s'  # why\n", {"a": "it's"}),
        ("country: no\nanswer: yes\n", {"country": "no", "answer": "yes"}),
        ("n: 0.5\nm: 3\nb: true\nz: null\n", {"n": 0.5, "m": 3, "b": True, "z": None}),
        ("a: b: c\n", None),
        ("a: [\n", None),
        ("- a\n- b\n", None),
        ("just words\n", None),
        ("a: 1\na: 2\n# twice\n", None),
        ("a: !foo b\n", None),
        ("a: !!python/object/apply:os.system ['true']\n", None),
        ("a: 2026-13-45\nb: 2026-04-20\n", {"a": "2026-13-45", "b": "2026-04-20"}),
        ("{[a]: b\n", None),
    ],
)
def test_what_a_person_writes_is_read_as_yaml_or_refused(text: str, values: dict[str, object] | None) -> None:
    if values is None:
        with pytest.raises(InputError):
            parse(text)
    else:
        assert parse(text) == values


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_a_frontmatter_without_keys_is_empty(text: str) -> None:
    assert parse(text) == {}


@pytest.mark.parametrize(
    "text", ["a: &x 1\nb: *x\n", "a: &x [1]\n", "a: *x\n", "a:\n  - &y z\n", "x: &a [1]\ny: [*a, *a]\n"]
)
def test_anchors_and_aliases_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="anchor or alias"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["a: " + "[" * 1_100 + "\n", "a: " + "{x: " * 1_500 + "\n", "- " * 1_500 + "\n"], ids=len
)
def test_a_frontmatter_nested_beyond_reason_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse(text)


USERS = """\
# written by hand
id: mem_1   # never change
status: active
tags:
- a
- b
myOwn: {keep: me}
structuredAttributes:
  colour: blue
  size: 3
pinned: false

# the end
"""


@pytest.mark.requirement("STORE-2")
@pytest.mark.parametrize(
    ("changes", "gone", "new"),
    [
        ({"status": "archived"}, "status: active\n", "status: archived\n"),
        ({"tags": None}, "tags:\n- a\n- b\n", ""),
        (
            {"structuredAttributes": {"a": "b"}},
            "structuredAttributes:\n  colour: blue\n  size: 3\n",
            'structuredAttributes: {"a": "b"}\n',
        ),
        ({"pinned": True}, "pinned: false\n", "pinned: true\n"),
    ],
)
def test_an_edit_changes_its_keys_and_no_other_byte(changes: dict[str, object], gone: str, new: str) -> None:
    assert edit(USERS, changes) == USERS.replace(gone, new)


def test_an_edit_appends_what_was_not_there_and_needs_no_final_newline() -> None:
    assert edit(USERS, {"agent": "x"}) == USERS + "agent: x\n"
    assert edit("a: 1", {"b": 2}) == "a: 1\nb: 2\n"
    assert edit("", {"b": "c"}) == "b: c\n"
    assert edit(USERS, {"absent": None}) == USERS


@pytest.mark.parametrize("text", ["{a: 1, b: 2}\n", '"a": 1\n', "a:\n\n  b: 1\n"])
def test_what_cannot_be_edited_line_by_line_is_refused_not_mangled(text: str) -> None:
    with pytest.raises(InputError):
        edit(text, {"a": 5})


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.dictionaries(KEYS, VALUES | st.none(), max_size=3))
def test_an_edit_of_our_own_text_gives_the_values_meant(before: dict[str, object], changes: dict[str, object]) -> None:
    after = {key: value for key, value in {**before, **changes}.items() if value is not None}
    assert parse(edit(render(before), changes)) == after
