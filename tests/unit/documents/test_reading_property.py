"""Any text in: no line is lost, none stands twice, and no word either."""

import re
from contextlib import suppress

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pellucid.documents.reading import ReadDocument, read_document
from pellucid.documents.sections import MOST_CHARACTERS
from pellucid.errors import InputError

_PIECES = """
# a;## b;### c d;###### e;#;## f ##;a;b c;===;---;***;> q;- item;  - nested;1. one;   - deep;```;~~~;````;~~~~~;
    x = 1;\ttab;<!--;-->;<!-- one -->;<pre>;</pre>;<div>;<h1>h</h1>;| a | b |;|---|---|;[a]: http://b;key: value;
Status: x;- **Status:** x;::;.. note::;   literal;=====  =====;====;~~~~;:Status: x;Title: t;Date: d"""
PIECES = st.sampled_from([piece.strip("\n") for piece in _PIECES.split(";")])
LONG = st.builds(lambda word, count: " ".join([word] * count), st.sampled_from(["long", "w"]), st.integers(1, 700))
LINES = st.lists(PIECES | st.just("") | LONG | st.text("ab #-=`~<>:*\t\x0b\u2028é", max_size=9), max_size=40)
PATHS = st.sampled_from(["docs/of.md", "adr/0001-of.md", "of.rst", "of.rest"])


def read(path: str, lines: list[str]) -> tuple[list[str], ReadDocument]:
    text = "\n".join(lines)
    return text.replace("\r", "\n").split("\n"), read_document(path, text.encode())


def in_order(lines: list[str], document: ReadDocument) -> list[int]:
    """The covered lines; asserts that only a line that was cut stands in two sections."""
    covered: list[int] = []
    for section in document.sections:
        assert 1 <= section.first <= section.last <= len(lines)
        inside = range(section.first, section.last + 1)
        shared = set(inside) & set(covered[-1:])
        assert not shared or len(lines[min(shared) - 1]) > MOST_CHARACTERS
        assert not covered or section.first >= covered[-1]
        covered += [line for line in inside if line not in shared]
    return covered


@given(PATHS, LINES)
@settings(max_examples=300, deadline=None)
def test_every_line_is_in_one_section_or_header_or_heads_a_section_that_is_left_out(
    path: str, lines: list[str]
) -> None:
    source, document = read(path, ["# Start" if not path.endswith("rst") else "", "", *lines])
    covered = set(in_order(source, document))
    missing = [line for number, line in enumerate(source, 1) if line.strip() and number not in covered]
    known = " ".join([document.title, *document.header.values(), *(" ".join(each.trail) for each in document.sections)])
    for line in missing:
        if not re.match(r"\s*(:[\w ]+:|\w+:|title)", line):
            assert set(re.findall(r"\w+", line)) <= set(re.findall(r"\w+", known)) | {"h1"}


@given(PATHS, LINES)
@settings(max_examples=300, deadline=None)
def test_no_word_is_lost_and_no_section_is_too_long(path: str, lines: list[str]) -> None:
    source, document = read(path, lines)
    assume(source[0].rstrip() != "---" or not document.header)  # a remark in YAML is no word of the document
    said = [document.title, *document.header, *document.header.values()]
    for section in document.sections:
        assert len(section.text) <= MOST_CHARACTERS
        assert section.text == section.text.rstrip()
        said += [section.heading, *section.trail, section.text]
        inside = "\n".join(source[section.first - 1 : section.last])
        assert all(line.strip() in inside for line in section.text.split("\n"))
    words = set(re.findall(r"\w+", " ".join(said).casefold())) | {"h1", "title", "status", "date"}
    assert set(re.findall(r"\w+", "\n".join(source).casefold())) <= words


@given(PATHS, st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(path: str, data: bytes) -> None:
    with suppress(InputError):
        read_document(path, data)


@given(LINES)
@settings(max_examples=100, deadline=None)
def test_reading_does_not_depend_on_line_ends_or_a_mark(lines: list[str]) -> None:
    text = "\n".join(lines)
    marked = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    assert read_document("docs/a.md", marked) == read_document("docs/a.md", text.encode())
