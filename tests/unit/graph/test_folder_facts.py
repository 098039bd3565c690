"""Folders of documents in, the edges that their files state out: real files, the real reader, real vault files."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pellucid.clock import uuid7
from pellucid.documents.formats.suffixes import format_of
from pellucid.documents.names.naming import Naming
from pellucid.documents.reading import ReadDocument, read_document
from pellucid.documents.sections import ReadSection
from pellucid.graph.extract import facts_of
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import FOREVER, Edge, GraphFacts
from pellucid.vault.documents import render_document
from pellucid.vault.markdown import FileIdentity, parse

START = datetime(2026, 1, 1, tzinfo=UTC)
LATER = START + timedelta(days=30)
NAMING = Naming(("SPEC", "ADR"))
SEVEN = "# 7. Use a rope\n\n## Status\n\nAccepted\n\nSuperseded by [8. Use a chain](0008-use-a-chain.md)\n"
ONE, TWO, CODE = ("IMPLEMENTS", "spec-1"), ("IMPLEMENTS", "spec-2"), ("MENTIONS", "spec-2")
EIGHT = "# 8. Use a chain\n\n## Status\n\nAccepted\n\nSupersedes [7. Use a rope](0007-use-a-rope.md)\n"


def identifier(number: int, prefix: str = "mem") -> str:
    return f"{prefix}_{uuid7(START, number).hex}"


def kept(sections: tuple[ReadSection, ...], first: int, since: datetime, until: datetime | None) -> list[Section]:
    return [
        Section(
            id=identifier(first + number),
            number=number,
            heading=each.heading,
            trail=each.trail,
            level=each.level,
            lines=f"{each.first}-{each.last}",
            valid_from=since,
            valid_until=until,
            content=each.text,
        )
        for number, each in enumerate(sections, 1)
    ]


def facts(path: str, read: ReadDocument, sections: list[Section]) -> GraphFacts:
    """What the vault file of a document says."""
    version = HeaderVersion(id=identifier(900), valid_from=START, values=read.header)
    document = Document(
        id=identifier(1, "doc"),
        namespace="local/default",
        created=START,
        updated=START,
        path=path,
        root="/docs",
        format=read.format,
        digest="0",
        title=read.title,
        entity=read.entity,
        entity_type=read.entity_type,
        aliases=read.aliases,
        versions=(version,),
    )
    data = render_document(document, sections)
    return facts_of(parse("documents/a.md", data, FileIdentity("local/default", b"k" * 32, START)), NAMING)


def told(root: Path) -> list[Edge]:
    """The edges that the files below a folder state, of each that is a document, in the order of their names."""
    out: list[Edge] = []
    for file in sorted(each for each in root.rglob("*") if format_of(each.name)):
        path = file.relative_to(root).as_posix()
        read = read_document(path, file.read_bytes(), root.name)
        out += facts(path, read, kept(read.sections, 1, START, None)).edges
    return out


def arrows(edges: list[Edge]) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.type, edge.target) for edge in edges]


def write(root: Path, **files: str) -> Path:
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        file = root / name.replace("__", "/").replace("_md", ".md").replace("_rst", ".rst")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root


def decisions(root: Path) -> Path:
    root.mkdir(parents=True)
    (root / "0007-use-a-rope.md").write_text(SEVEN)
    (root / "0008-use-a-chain.md").write_text(EIGHT)
    return root


@pytest.mark.parametrize("folder", ["adr", "decisions"])
def test_decisions_are_numbered_by_the_folder_that_is_indexed_itself(tmp_path: Path, folder: str) -> None:
    root = decisions(tmp_path / folder)
    eight = read_document("0008-use-a-chain.md", EIGHT.encode(), folder)
    assert (eight.entity, eight.entity_type, eight.title) == ("ADR-8", "Decision", "Use a chain")
    assert eight.header["supersedes"] == "ADR-7"
    assert arrows(told(root)) == [("adr-8", "SUPERSEDES", "adr-7")] * 2


def test_the_folder_that_is_indexed_numbers_its_files_as_one_below_it_does(tmp_path: Path) -> None:
    decisions(tmp_path / "doc" / "adr")
    assert arrows(told(tmp_path / "doc")) == arrows(told(tmp_path / "doc" / "adr"))


def test_decisions_of_a_folder_that_says_no_series_are_known_by_their_links(tmp_path: Path) -> None:
    root = decisions(tmp_path / "choices")
    assert arrows(told(root)) == [("0008-use-a-chain.md", "SUPERSEDES", "0007-use-a-rope.md")] * 2


@pytest.mark.parametrize(
    ("line", "value", "target"),
    [
        ('- **Supersedes:** [Old](../old_r_x.md "t")', '[Old](../old_r_x.md "t")', "old-r-x.md"),
        ("Supersedes: [[Old rope]], by all", "[[Old rope]], by all", "old-rope"),
        ("| Supersedes | [SPEC-5](five.md) |", "SPEC-5", "spec-5"),
        ("| Supersedes | [the fifth](SPEC-005-five.md) |", "SPEC-005", "spec-5"),
        ("Supersedes: ~~[Old](a%20b.md#part)~~", "[Old](a%20b.md#part)", "docs/a-b.md"),
    ],
)
def test_a_line_about_the_document_keeps_the_links_that_only_their_targets_explain(
    tmp_path: Path, line: str, value: str, target: str
) -> None:
    text = f"# Wells\n\n{line}\n\nDeciders: [Ann](people/ann.md)\n\nText.\n"
    read = read_document("docs/a.md", text.encode())
    assert (read.header["supersedes"], read.header["deciders"]) == (value, "Ann")
    found = told(write(tmp_path / "r", docs__a_md=text))
    assert arrows([edge for edge in found if edge.confidence == 1.0]) == [("docs/a.md", "SUPERSEDES", target)]


def test_a_status_is_read_without_the_links_in_it() -> None:
    read = read_document("a.md", b"# Wells\n\n## Status\n\nAccepted [see the notes](notes.md)\n")
    assert read.header == {"status": "Accepted see the notes"}


@pytest.mark.parametrize(
    ("link", "target"),
    [
        (":doc:`c`", "guide/c.rst"),
        (":doc:`Text here </sub/c>`", "sub/c.rst"),
        (":doc:`../c`", "c.rst"),
        (":doc:`c.md`", "guide/c.md"),
        ("`Beta text <other.rst>`_", "guide/other.rst"),
        ("`Beta <other.md#part>`__", "guide/other.md"),
        ("See b_.", "guide/beta.rst"),
        ("`The second`_, too", "guide/two.rst"),
    ],
)
def test_links_of_restructuredtext_lead_to_files(tmp_path: Path, link: str, target: str) -> None:
    text = (
        f"Wells\n=====\n\nText.\n\nDepends on\n----------\n\n- {link}\n\nMore\n----\n\n"
        ".. _b: beta.rst\n.. _The second: two.rst\n"
    )
    assert arrows(told(write(tmp_path / "r", guide__a_rst=text))) == [("guide/a.rst", "DEPENDS_ON", target)]


def test_a_document_role_means_a_file_of_the_kind_that_it_stands_in() -> None:
    text = b"Wells\n=====\n\n:Requires: :doc:`c`\n\nText.\n"
    for path, target in (("a.rst", "c.rst"), ("a.rest", "c.rest")):
        read = read_document(path, text)
        assert arrows(list(facts(path, read, []).edges)) == [(path, "DEPENDS_ON", target)]


@pytest.mark.parametrize(
    "use", ["[the rope][R]", "[r][]", "[r]", "[R]: what it hangs on", "- [r]: what it hangs on", "see [a\nrope][r]"]
)
@pytest.mark.parametrize("definition", ["[r]: g.md", "[R]: <./g.md#part> 'A rope'", "  [r]:\n  g.md"])
def test_a_label_leads_to_what_another_section_defines_it_as(tmp_path: Path, use: str, definition: str) -> None:
    used = f"- {use}" if use.startswith("[R]:") else use
    text = f"# Wells\n\n## Depends on\n\n{used}\n\n## Notes\n\n[other]: h.md\n{definition}\n"
    assert arrows(told(write(tmp_path / "r", a_md=text))) == [("a.md", "DEPENDS_ON", "g.md")]


@pytest.mark.parametrize(
    "text",
    [
        "[r]: g.md",
        "\\[r]",
        "[r](https://example.org)",
        "[[x] [r]",
        "[^r]\n\n[^r]: g.md",
        "[other]",
        "- [ ] rope",
        "```text\n[r]\n```",
        "<!-- [r] -->",
    ],
)
def test_a_label_that_is_not_used_leads_nowhere(tmp_path: Path, text: str) -> None:
    body = f"# Wells\n\n## Depends on\n\n{text}\n\n## Notes\n\n```\n[other]: h.md\n```\n\n[r]: g.md\n"
    expected = [("a.md", "DEPENDS_ON", "g.md")] if text == "[[x] [r]" else []
    assert arrows(told(write(tmp_path / "r", a_md=body))) == expected


def test_a_label_whose_text_is_a_name_is_that_name_alone(tmp_path: Path) -> None:
    text = "# Wells\n\n## Depends on\n\n[SPEC-5][r]\n\n[r]: g.md\n"
    assert arrows(told(write(tmp_path / "r", a_md=text))) == [("a.md", "DEPENDS_ON", "spec-5")]


def test_a_label_leads_to_a_file_while_the_document_defines_it_so() -> None:
    base = "# Wells\n\n## Depends on\n\n[rope][r] and [chain](h.md)\n\n## Links\n\n"
    before, after = (read_document("a.md", f"{base}{more}\n".encode()) for more in ("[r]: g.md", "[r]: k.md"))
    depends, old = kept(before.sections, 1, START, None)
    new = kept(after.sections, 20, LATER, None)[1]
    found = facts("a.md", after, [depends, new, old.model_copy(update={"valid_until": LATER})])
    spans = {edge.target: (edge.valid_from, edge.valid_until) for edge in found.edges}
    start, later = (int(each.timestamp()) * 1000 for each in (START, LATER))
    assert spans == {"g.md": (start, later), "h.md": (start, FOREVER), "k.md": (later, FOREVER)}


def test_a_label_that_was_only_written_down_elsewhere_leads_there_all_the_time() -> None:
    text = "# Wells\n\n## Depends on\n\n[rope][r]\n\n## Links\n\n[r]: g.md\n"
    read = read_document("a.md", text.encode())
    depends, old = kept(read.sections, 1, START, None)
    new = kept(read.sections, 20, LATER, None)[1]
    (edge,) = facts("a.md", read, [depends, new, old.model_copy(update={"valid_until": LATER})]).edges
    assert (edge.valid_from, edge.valid_until) == (int(START.timestamp()) * 1000, FOREVER)


@pytest.mark.parametrize(
    ("name", "text", "edges"),
    [
        ("a_md", "<!-- SPEC-81 -->\n\nSPEC-1", {ONE}),
        ("a_md", "SPEC-1 <!-- SPEC-81\nSPEC-82 --> SPEC-2", {ONE, TWO}),
        ("a_md", "SPEC-1\n\n<!-- SPEC-81\n\n[x](x.md)", {ONE}),
        ("a_md", "`<!--` SPEC-1 `-->`", {ONE}),
        ("a_md", "`SPEC-1`\n\n```\nSPEC-2\n[x](x.md)\n```", {ONE, CODE}),
        ("a_md", "~~~ <!--\nSPEC-2 <!-- x -->\n~~~\nSPEC-1", {ONE, CODE}),
        ("a_md", "```\n<!-- SPEC-2 -->\n```", {CODE}),
        ("a_md", "As in\n\n    SPEC-2\n\nSPEC-1", {ONE, CODE}),
        ("a_md", "- that\n\n    SPEC-1\n    - SPEC-2", {ONE, TWO}),
        ("a_md", "```\nSPEC-1\n```\n\nSPEC-1", {ONE}),
        ("a_rst", "SPEC-1\n\n.. SPEC-81\n   SPEC-82\n\nSPEC-2", {ONE, TWO}),
        ("a_rst", "..\n   SPEC-81\n\n   SPEC-82\n\n..\n\n   SPEC-1", {ONE}),
        ("a_rst", ".. code:: text\n\n   SPEC-2\n\nSPEC-1", {ONE, CODE}),
        ("a_rst", "As in::\n\n  SPEC-2\n\nSPEC-1", {ONE, CODE}),
        ("a_rst", ".. note:: SPEC-1\n\n   SPEC-2\n\n   .. SPEC-81\n", {ONE, TWO}),
        ("a_rst", "``SPEC-1``\n.. SPEC-2", {ONE, TWO}),
        ("a_rst", "[1]_ ``x``\n\n.. [1] SPEC-1\n.. _x: https://example.org/SPEC-2", {ONE, TWO}),
    ],
)
def test_comments_say_nothing_and_code_only_mentions(
    tmp_path: Path, name: str, text: str, edges: set[tuple[str, str]]
) -> None:
    head = "# Wells\n\n### Implements\n\n" if name == "a_md" else "Wells\n=====\n\nImplements\n----------\n\n"
    found = told(write(tmp_path / "r", **{name: f"{head}{text}\n"}))
    assert {(edge.type, edge.target) for edge in found} == edges
    assert all(edge.confidence == (0.5 if edge.type == "MENTIONS" else 0.95) for edge in found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a_md", "# Wells\n\n## Plan\n\nText <!-- as SPEC-81 says -->.\n\n```\nSPEC-2\n```\n"),
        ("a_rst", "Wells\n=====\n\nPlan\n----\n\nText.\n\n.. as SPEC-81 says\n\n::\n\n   SPEC-2\n"),
        ("a_md", "# Wells\n\n## Relationships\n\n<!--\nExtends SPEC-81\n-->\n\n```\nRequires SPEC-2\n```\n"),
    ],
)
def test_a_comment_mentions_nothing_wherever_it_stands(tmp_path: Path, name: str, text: str) -> None:
    assert [(edge.type, edge.target) for edge in told(write(tmp_path / "r", **{name: text}))] == [CODE]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "# Wells\n\n## Status\n\nAccepted\n\n<!--\n\nSuperseded by SPEC-9\n\n-->\n"),
        ("a.md", "# Wells\n\n## Status\n\nAccepted\n<!--\nSuperseded by SPEC-9\n-->\n"),
        ("a.md", "# Wells\n\nStatus: Accepted\n\n<!--\n\nSuperseded-by: SPEC-9\nDate: 2024\n\n-->\n"),
        ("a.rst", "Wells\n=====\n\nStatus\n------\n\nAccepted\n\n.. if it is:\n   Superseded by SPEC-9\n"),
    ],
)
def test_a_comment_is_no_header(path: str, text: str) -> None:
    assert read_document(path, text.encode()).header == {"status": "Accepted"}


def test_a_comment_with_blank_lines_is_not_cut_in_two(tmp_path: Path) -> None:
    lines = "\n\n".join(f"SPEC-9{number} is commented out" for number in range(10))
    text = f"# Wells\n\n## Depends on\n\n{'A rope. ' * 280}\n\n<!--\n{lines}\n-->\n\nSPEC-1\n"
    assert len(read_document("a.md", text.encode()).sections) == 2
    assert arrows(told(write(tmp_path / "r", a_md=text))) == [("a.md", "DEPENDS_ON", "spec-1")]
