"""Documents as people write them in, their sections with line ranges out."""

import pytest

from pellucid.documents.formats.markdown import markdown_markup
from pellucid.documents.reading import ReadDocument, read_document
from pellucid.documents.sections import MOST_CHARACTERS
from pellucid.errors import InputError


def md(text: str, path: str = "docs/storage-notes.md") -> ReadDocument:
    return read_document(path, text.encode())


def rst(text: str, path: str = "docs/storage-notes.rst") -> ReadDocument:
    return read_document(path, text.encode())


def heads(document: ReadDocument) -> list[tuple[str, tuple[str, ...], int]]:
    return [(each.heading, each.trail, each.level) for each in document.sections]


def lines(document: ReadDocument) -> list[tuple[int, int]]:
    return [(each.first, each.last) for each in document.sections]


def test_sections_have_their_heading_the_trail_above_it_and_the_lines_of_the_file() -> None:
    document = md(
        "---\ntitle: Wells\n---\n# Wells\n\nOn water.\n\n"
        "## Digging\n\nDig.\n\n### Depth\n\nTen feet.\n\n\n## Rope\nLong.\n"
    )
    assert heads(document) == [("", (), 1), ("Digging", (), 2), ("Depth", ("Digging",), 3), ("Rope", (), 2)]
    assert lines(document) == [(4, 6), (8, 10), (12, 14), (17, 18)]
    assert [each.text for each in document.sections] == ["On water.", "Dig.", "Ten feet.", "Long."]


def test_text_before_the_first_heading_is_a_section_without_one() -> None:
    document = md("\nFirst words.\n\n# Wells\n\nOn water.\n")
    assert heads(document) == [("", (), 0), ("", (), 1)]
    assert lines(document) == [(2, 2), (4, 6)]


def test_a_heading_with_only_other_headings_below_it_is_no_section_but_stands_in_their_trail() -> None:
    document = md("# Wells\n\n## Tools\n\n### Rope\nLong.\n\n## Costs\n")
    assert heads(document) == [("Rope", ("Tools",), 3), ("Costs", (), 2)]
    assert document.sections[1].text == ""


def test_several_headings_of_level_one_are_all_sections_where_the_header_has_the_title() -> None:
    document = md("---\ntitle: Of Wells\n---\n# Digging\na\n\n## Depth\nb\n\n# Rope\nc\n")
    assert heads(document) == [("Digging", (), 1), ("Depth", ("Digging",), 2), ("Rope", (), 1)]


def test_a_title_heading_that_says_more_than_the_header_keeps_its_words() -> None:
    document = md("---\ntitle: Wells\n---\n# All about wells\nText.\n\n## Rope\nLong.\n")
    assert heads(document) == [("All about wells", (), 1), ("Rope", (), 2)]
    bare = md("---\ntitle: Wells\n---\n# All about wells\n\n## Rope\nLong.\n")
    assert heads(bare) == [("All about wells", (), 1), ("Rope", (), 2)]


def test_the_first_of_several_releases_is_not_the_title() -> None:
    document = md("# Version 2\na\n\n# Version 1\nb\n", "docs/CHANGES.md")
    assert document.title == "CHANGES"
    assert [each.heading for each in document.sections] == ["Version 2", "Version 1"]


def test_a_heading_in_html_is_one_wherever_its_line_stands_in_the_block() -> None:
    document = md("# Wells\n\n<div align=center>\n<h2>Depth</h2>\n</div>\n\n<pre>\n<h2>no</h2>\n</pre>\n\nx\n")
    assert [each.heading for each in document.sections] == ["", "Depth"]


def test_code_in_a_quotation_is_code() -> None:
    text = "> Call it so:\n>\n> ```js\n> see(SPEC-12)\n> ```\n"
    (span,) = markdown_markup(text).code
    assert text[slice(*span)] == "> ```js\n> see(SPEC-12)\n> ```"


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# not a heading\n```\n",
        "~~~~\n# not a heading\n~~~\n# nor this\n~~~~\n",
        "   ```\n# not a heading\n   ```\n",
        "1. Do\n\n    ```sh\n    # not a heading\n    ```\n\n2. More\n",
        "- ```sh\n  # not a heading\n  ```\n",
        "<!--\n# not a heading\n-->\n",
        "<pre>\n# not a heading\n</pre>\n",
        "    # not a heading\n",
        "\t# not a heading\n",
        "#hashtag\n",
        "####### seven\n",
        "> # quoted\n",
        "- item\n\n  # in the item\n",
        "- item\n---\n",
        "> quoted\n---\n",
        "| a |\n---\n",
        "[a]: http://b\n---\n",
        "a\n\n---\n\nb\n",
    ],
)
def test_what_only_looks_like_a_heading_is_text(text: str) -> None:
    document = md(f"# Wells\n\n{text}\n## Real\n\nx\n")
    assert [each.heading for each in document.sections] == ["", "Real"]
    assert document.sections[0].text.strip() == text.strip()


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("## Rope ##", "Rope"),
        ("## C#", "C#"),
        ("   ##\tRope   ", "Rope"),
        ("Rope\n---", "Rope"),
        ("Rope\nand chain\n  ---  ", "Rope and chain"),
        ("## [Rope](rope.md) and `chain_of_x`", "Rope and chain_of_x"),
        ("## **Bold** *and* _thin_ ~~gone~~ snake_case_name", "Bold and thin gone snake_case_name"),
        ("## A &amp; B \\*c\\* <a name='x'></a>", "A & B *c*"),
        ("## [![badge](b.svg)](c) Rope {#rope}", "badge Rope"),
        ("## `__init__` and [[Wells|the wells]]", "__init__ and the wells"),
        ('<h2 align="center">Rope</h2>', "Rope"),
    ],
)
def test_headings_are_read_as_a_reader_sees_them(line: str, heading: str) -> None:
    document = md(f"# Wells\n\n{line}\n\ntext\n")
    assert heads(document) == [(heading, (), 2)]
    assert document.sections[0].first == 3


def test_a_paragraph_before_a_rule_is_no_heading() -> None:
    document = md("# Wells\n\n" + "many words " * 30 + "\n---\n\nmore\n")
    assert len(document.sections) == 1


def test_an_endless_heading_is_cut_and_its_line_stays_in_the_text() -> None:
    document = md("# Wells\n\n## " + "word " * 100 + "\n\ntext\n")
    (section,) = document.sections
    assert len(section.heading) <= 302
    assert section.text.startswith("## word")
    assert (section.first, section.last) == (3, 5)


def test_a_long_section_is_cut_between_paragraphs_into_parts_of_similar_length() -> None:
    paragraph = "Water is deep. " * 20
    document = md("# Wells\n\n## Depth\n\n" + f"{paragraph}\n\n" * 10)
    assert {(each.heading, each.level) for each in document.sections} == {("Depth", 2)}
    assert [each.text.count("\n\n") + 1 for each in document.sections] == [5, 5]
    assert lines(document) == [(3, 13), (15, 23)]


def test_code_and_tables_are_not_cut_unless_alone_too_long() -> None:
    code = "```\n" + "x = 1\n\n" * 200 + "```"
    document = md(f"# Wells\n\n{'Water is deep. ' * 100}\n\n{code}\n\n{'Rope is long. ' * 100}\n")
    assert [each.text for each in document.sections][1] == code
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 150
    assert any(table.strip() in each.text for each in md("Water is deep. " * 80 + f"\n\n{table}").sections)
    long = md("```\n" + "x = 1\n" * 1000 + "```\n")
    assert all(len(each.text) <= MOST_CHARACTERS for each in long.sections)
    assert "".join(each.text for each in long.sections).count("x = 1") == 1000


def test_one_endless_line_is_cut_between_words() -> None:
    document = md("word " * 2000)
    assert all(len(each.text) <= MOST_CHARACTERS and not each.text.strip("word ") for each in document.sections)
    assert " ".join(each.text for each in document.sections).split() == ["word"] * 2000
    assert set(lines(document)) == {(1, 1)}


def test_rst_titles_get_their_level_from_the_order_in_which_styles_appear() -> None:
    document = rst(
        "=====\nWells\n=====\n\nOn water.\n\nDigging\n=======\n\na\n\nDepth\n~~~~~\n\nb\n\n1. Rope\n=======\n\n``c``\n"
    )
    assert document.title == "Wells"
    assert heads(document) == [("", (), 1), ("Digging", (), 2), ("Depth", ("Digging",), 3), ("1. Rope", (), 2)]
    assert lines(document) == [(1, 5), (7, 10), (12, 15), (17, 20)]


@pytest.mark.parametrize(
    "text",
    [
        "Code::\n\n    Not a title\n    ===========\n",
        ".. note::\n\n   Not a title\n   -----------\n",
        "=====  =====\nA      B\n=====  =====\nLeft\n------------\n1      2\n=====  =====\n",
        "- item\n------\n",
        "a line\nanother line\n------------\n",
        "above\n\n----------\n\nbelow\n",
        "far too long\n--\n",
        "Literal follows\n::\n\n   x\n",
    ],
)
def test_what_only_looks_like_an_rst_title_is_text(text: str) -> None:
    document = rst(f"Wells\n=====\n\n{text}\nReal\n----\n\nx\n")
    assert [each.heading for each in document.sections] == ["", "Real"]


def test_rst_titles_are_read_as_a_reader_sees_them() -> None:
    document = rst("Wells\n=====\n\nThe ``x`` of *a* and :pep:`rope <7>`, `b <c>`_\n------------------------\n\nx\n")
    assert document.sections[0].heading == "The x of a and rope, b"


def test_line_ends_marks_and_tabs_of_other_systems_do_not_move_the_lines() -> None:
    plain = md("---\ntitle: Wells\n---\n# Wells\n\n## Rope\n\n\tlong\n")
    for data in (
        b"\xef\xbb\xbf---\r\ntitle: Wells\r\n---\r\n# Wells\r\n\r\n## Rope\r\n\r\n\tlong\r\n",
        b"---\rtitle: Wells\r---\r# Wells\r\r## Rope\r\r\tlong\r",
    ):
        assert read_document("docs/storage-notes.md", data) == plain


def test_separators_that_no_editor_counts_do_not_end_a_line() -> None:
    document = md("a\u2028b\x0bc\x0cd\x85e\n\n# Wells\n\nx\n")
    assert lines(document) == [(1, 1), (3, 5)]


@pytest.mark.parametrize("data", [b"\xff\xfe#\x00", b"# a\n\x00", "# é".encode("latin-1"), b"a\xed\xa0\x80"])
def test_what_is_not_utf_8_text_is_refused(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_document("a.md", data)
    assert caught.value.code == "invalid_document"
    assert caught.value.next_step


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"# Wells\n", b"---\ntitle: Wells\n---\n"])
def test_a_document_without_text_has_no_sections(data: bytes) -> None:
    assert read_document("wells.md", data).sections == ()


def test_a_hundred_thousand_headings_are_as_many_sections() -> None:
    assert len(md("# a\n## b\n" * 50_000).sections) == 50_000 + 50_000 - 50_000
