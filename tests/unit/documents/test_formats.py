"""Names of files in, what of Pellucid knows their suffix out: each suffix that is indexed is known everywhere."""

from typing import get_args

import pytest

from pellucid.documents.formats.suffixes import FORMATS, format_of
from pellucid.documents.names.links import find_links, find_paths
from pellucid.documents.names.naming import Naming
from pellucid.documents.names.numbered import stem
from pellucid.documents.reading import read_document
from pellucid.errors import InputError
from pellucid.model.document import FormatName

ENDED_OTHERWISE = ["other.rstx", "other.mdown", "other.md.bak", "other.md_old", "other.markdown2", "other.rest.txt"]


def test_a_vault_file_may_name_every_format_and_no_other() -> None:
    assert {each.name for each in FORMATS.values()} == set(get_args(FormatName))


@pytest.mark.parametrize("suffix", [*FORMATS, ".MD", ".Rest"])
def test_a_suffix_that_is_indexed_is_known_wherever_a_name_is_read(suffix: str) -> None:
    other, target = f"other{suffix}", f"docs/other{suffix}"
    text = f"See [x]({other}#part), `y <{other}>`_ and SPEC-037{suffix}#part."
    assert [(each.name, each.anchor) for each in find_links(text, "docs/a.md")] == [(target, "part"), (target, "")]
    assert [each.name for each in find_paths(f"SPEC-1, {other}", "docs/a.md")] == [target]
    assert [(each.name, each.anchor) for each in Naming(("SPEC",)).find(text)] == [("SPEC-037", "part")]
    assert stem(target) == "other"
    assert format_of(target) is FORMATS[suffix.lower()]
    assert read_document(target, b"Wells\n=====\n\nDeep.\n").title == "Wells"


@pytest.mark.parametrize("name", ENDED_OTHERWISE)
def test_a_link_to_a_file_that_only_begins_like_a_document_names_none(name: str) -> None:
    assert list(find_links(f"See [x]({name}), [y]({name}#part) and `z <{name}>`_.", "docs/a.md")) == []
    assert list(find_paths(name, "docs/a.md")) == []


def test_a_file_whose_name_begins_with_two_dots_is_inside_and_one_above_the_root_is_not() -> None:
    text = "[a](..notes.md), [b](../..notes.md), [c](../..old/x.md), [d](../../out.md), [e](/../..notes.md)"
    assert [each.name for each in find_links(text, "docs/a.md")] == ["docs/..notes.md", "..notes.md", "..old/x.md"]


@pytest.mark.parametrize("name", [*ENDED_OTHERWISE, "notes.txt", "md", "docs.md/notes"])
def test_a_file_of_no_known_suffix_is_no_document(name: str) -> None:
    assert format_of(name) is None
    with pytest.raises(InputError, match="no Markdown or reStructuredText") as refused:
        read_document(name, b"# Wells\n")
    assert ".mdx" in refused.value.next_step
