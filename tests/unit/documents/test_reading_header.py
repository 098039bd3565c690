"""Headers in the many ways in which documents have them in, one flat mapping of words out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.documents.header_yaml import _on_one_line, _values_by_line, frontmatter_values
from pellucid.documents.reading import ReadDocument, read_document
from pellucid.errors import InputError
from pellucid.vault import frontmatter


def md(text: str, path: str = "docs/storage-notes.md") -> ReadDocument:
    return read_document(path, text.encode())


def front(yaml: str) -> dict[str, str]:
    return md(f"---\n{yaml}\n---\n\nText.\n").header


@pytest.mark.parametrize(
    ("yaml", "header"),
    [
        ("eip: 20\nrequires: 1, 7", {"eip": "20", "requires": "1, 7"}),
        ("Superseded_By: ADR-2\nlast updated: 2024-01-02", {"superseded-by": "ADR-2", "last-updated": "2024-01-02"}),
        ("version: 1.10\ndraft: yes\nid: 007", {"version": "1.10", "draft": "yes", "id": "007"}),
        ("tags: [a, 'b', 1.10]", {"tags": "a, b, 1.1"}),
        ("tags: [a, b]\nrequires:\n  - SPEC-1\n  - SPEC-2", {"tags": "a, b", "requires": "SPEC-1, SPEC-2"}),
        ("requires:\n- 1.10\n- 0x1f", {"requires": "1.10, 0x1f"}),
        ("title: 'It''s'\nstatus: \"a \\u0041\"", {"title": "It's", "status": "a A"}),
        ("title: >\n  one\n  two\nstatus: ok", {"title": "one two", "status": "ok"}),
        ("author:\n  name: A\n  mail: b", {"author": "name: A, mail: b"}),
        ("status:\ndate: null\nversion: ~\ntype: x", {"type": "x"}),
        ("# a remark\ntitle: x # y", {"title": "x"}),
    ],
)
def test_yaml_is_read_with_its_values_as_written(yaml: str, header: dict[str, str]) -> None:
    assert front(yaml) == header


@pytest.mark.parametrize(
    ("yaml", "kept"),
    [
        ("title: Wells: a story\nstatus: draft", {"title": "Wells: a story", "status": "draft"}),
        ("title: [unclosed\nstatus: draft", {"title": "[unclosed", "status": "draft"}),
        ("base: &a x\nstatus: *a\ndate: 2024", {"base": "&a x", "status": "*a", "date": "2024"}),
        ("flag: !!bool x\nstatus: draft", {"flag": "!!bool x", "status": "draft"}),
        ("status: draft\nstatus: final", {"status": "final"}),
        ("nonsense\n  - of: [\nstatus: draft", {"status": "draft"}),
        ("number: 0x" + "f" * 9000 + "\nlist: [0x" + "f" * 9000 + ", 'a']\nstatus: ok", {"status": "ok"}),
        ("a: " + "{b: " * 300 + "}" * 300 + "\nstatus: draft", {"status": "draft"}),
    ],
)
def test_a_broken_frontmatter_never_fails_the_document(yaml: str, kept: dict[str, str]) -> None:
    document = md(f"---\n{yaml}\n---\n\nText.\n")
    assert kept.items() <= document.header.items()
    assert [each.text for each in document.sections] == ["Text."]


def test_values_and_their_number_are_bounded() -> None:
    header = front("title: " + "word " * 1000 + "\n" + "\n".join(f"k{n}: v" for n in range(1000)))
    assert len(header["title"]) <= 500
    assert len(header) == 200


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA text.\n\n---\n\nMore.\n",
        "---\ntitle: not closed\n\nMore.\n",
        "---\n- a\n---\n",
        "---\n# A remark\n---\n",
    ],
)
def test_a_rule_at_the_top_is_no_frontmatter(text: str) -> None:
    document = md(text)
    assert document.header == {}
    assert document.sections[0].first == 1


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c d", "e.f"]), st.text("ab1.:-#'\"[], xe_\u00e9~", max_size=8)),
        max_size=5,
    )
)
def test_where_lines_are_read_without_yaml_it_says_the_same(pairs: list[tuple[str, str]]) -> None:
    text = "".join(f"{key}: {value}\n" for key, value in pairs)
    quick = _values_by_line(text, strict=True)
    if quick is None:
        frontmatter_values(text)
        return
    try:
        slow = frontmatter._parse_yaml(text)
    except InputError:
        pytest.fail(f"YAML refuses {text!r}")
    for key, value in slow.items():
        if isinstance(value, str) or value is None:
            assert quick[key] == (value or "").strip()
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            assert quick[key] == _on_one_line(value, "")


def test_a_header_in_the_style_of_mail_takes_continuations() -> None:
    text = (
        "PEP: 8\nTitle: Style\nAuthor: Ann <a@b.c>,\n        Bob\nStatus: Active\n\n\nIntroduction\n============\n\nx\n"
    )
    document = read_document("peps/pep-0008.rst", text.encode())
    assert document.header == {"pep": "8", "title": "Style", "author": "Ann <a@b.c>, Bob", "status": "Active"}
    assert [(each.heading, each.first) for each in document.sections] == [("Introduction", 8)]


def test_two_remarks_with_colons_are_no_header() -> None:
    document = md("Note: this is old\nWarning: beware\n\n# Wells\n")
    assert document.header == {}
    assert document.sections[0].text.startswith("Note:")


@pytest.mark.parametrize("before", ["", "Wells\n=====\n\n"])
def test_an_rst_field_list_at_the_top_or_below_the_title_is_a_header(before: str) -> None:
    text = f"{before}:Author: Ann\n:Status: Draft\n   for now\n:Requires:\n   - SPEC-1\n   - SPEC-2\n\nText.\n"
    document = read_document("a.rst", text.encode())
    assert document.header == {"author": "Ann", "status": "Draft for now", "requires": "SPEC-1, SPEC-2"}
    assert [each.text for each in document.sections] == ["Text."]


@pytest.mark.parametrize(
    "block",
    [
        "- **Status:** accepted\n- **Deciders**: Ann, Bob",
        "* Status: accepted\n* Deciders:\n  - Ann\n  - Bob",
        "Status: accepted\nDeciders: Ann, Bob",
        "**Status**: accepted  \n**Deciders**: Ann, Bob",
        "> **Status:** accepted\n> **Deciders:** Ann, Bob",
        "**Status:** accepted | **Deciders:** Ann, Bob",
        "| Status | accepted |\n|---|---|\n| Deciders | Ann, Bob |",
        "status: accepted deciders: Ann, Bob",
        "```yaml\nstatus: accepted\ndeciders: Ann, Bob\n```",
        "<!-- a remark -->\n\n[![badge](x)](y)\n\nStatus: accepted\nDeciders: Ann, Bob",
    ],
)
def test_what_stands_about_the_document_below_its_title_is_header_and_text(block: str) -> None:
    document = md(f"# Wells\n\n{block}\n\n## Context\n\nx\n")
    assert document.header == {"status": "accepted", "deciders": "Ann, Bob"}
    assert document.sections[0].text == block


def test_a_line_of_pairs_before_the_title_is_a_header() -> None:
    document = md("spec_id: SPEC-059 version: v0.1 status: draft authored_by: Ann\n\n# SPEC-059 — Wells\n")
    assert document.header == {"spec-id": "SPEC-059", "version": "v0.1", "status": "draft", "authored-by": "Ann"}
    assert (document.entity, document.title) == ("SPEC-059", "Wells")


@pytest.mark.parametrize(
    "block", ["- **Fast:** very\n- **Small:** tiny", "Note: old", "It is: what it is.", "```\ntype: x\n```"]
)
def test_remarks_below_the_title_are_no_header(block: str) -> None:
    assert md(f"# Wells\n\n{block}\n").header == {}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Accepted", "Accepted"),
        ("Draft — for review. This is a plan.", "Draft"),
        ("**In review**, by Ann", "In review"),
        ("* accepted\n* later more", "accepted"),
        ("Accepted on 2024-01-02", "Accepted"),
        ("Accepted and implemented in the second release", "Accepted"),
        ("Status: proposed", "proposed"),
        ("Superseded by [5. Rope](0005-rope.md)", "Superseded"),
        ("{proposed | accepted}", None),
        ("This document has none that anybody would know of", None),
    ],
)
def test_a_section_named_status_gives_the_status(text: str, status: str | None) -> None:
    assert md(f"# 1. Wells\n\n## Status\n\n{text}\n\n## Context\n", "adr/0001-wells.md").header.get("status") == status
    assert read_document("a.rst", f"Wells\n=====\n\nStatus\n------\n\n{text}\n".encode()).header.get("status") == status


def test_what_a_decision_replaces_is_called_by_the_number_of_the_file_that_is_linked() -> None:
    document = md(
        "# 4. Chain\n\n## Status\n\nAccepted\n\n"
        "Supersedes [2. Rope](0002-rope.md)\n\nAmended by [7. Oil](./0007-oil.md)\n",
        "docs/adr/0004-chain.md",
    )
    assert document.header == {"status": "Accepted", "supersedes": "ADR-2", "amended-by": "ADR-7"}
    madr = md('---\nstatus: "superseded by [ADR-0005](0005-oil.md)"\n---\n# Chain\n', "docs/decisions/0004-chain.md")
    assert madr.header == {"status": "superseded by [ADR-0005](0005-oil.md)", "superseded-by": "ADR-5"}


def test_the_header_itself_is_believed_before_the_text() -> None:
    assert md("---\nstatus: final\n---\n# Wells\n\nStatus: draft\n\n## Status\n\nOld\n").header == {"status": "final"}
