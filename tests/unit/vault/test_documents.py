"""Documents and sections, hostile ones among them, in, vault files out, and the same again from the files."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.clock import truncate
from pellucid.errors import ConflictError, InputError
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.store.local.vault.paths import check_new
from pellucid.vault.documents import (
    document_path,
    edit_section,
    holds_section,
    render_document,
    unknown_keys,
    without_sections,
)
from pellucid.vault.markdown import FileIdentity, Parsed, edit_moment, parse, without_moments

HERE = "local/default"
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SOMEONE = FileIdentity(HERE, b"k" * 32, NOON)

CHARS = st.characters(exclude_categories=("Cs",), exclude_characters=["\r"])
WORDS = st.text(CHARS, min_size=1, max_size=15)
TEXT = st.text(CHARS, max_size=80).map(lambda text: text.strip("\n"))
MARKS = st.sampled_from(
    ["<!-- pellucid:section {} -->", '\\<!-- pellucid:section {"id":1} -->', "<!-- pellucid:moment x", "---", "--> {"]
)
CONTENT = TEXT | st.lists(MARKS | TEXT, max_size=4).map(lambda parts: "\n".join(parts).strip("\n"))
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda at: truncate(at.replace(tzinfo=UTC)))  # noqa: DTZ001
IDS = st.integers(0, 2**128 - 1).map(lambda n: f"mem_{n:032x}")
VERSIONS = st.fixed_dictionaries(
    {
        "id": IDS,
        "valid_from": INSTANTS,
        "valid_until": st.none() | INSTANTS,
        "values": st.dictionaries(WORDS, TEXT, max_size=3),
        "commit": st.none() | WORDS,
    }
).map(HeaderVersion.model_validate)
SECTIONS = st.fixed_dictionaries(
    {
        "id": IDS,
        "number": st.integers(1, 99),
        "heading": TEXT,
        "trail": st.lists(WORDS, max_size=2).map(tuple),
        "level": st.integers(0, 6),
        "lines": st.just("3-9"),
        "valid_from": INSTANTS,
        "valid_until": st.none() | INSTANTS,
        "quarantined": st.booleans(),
        "content": CONTENT,
    }
).map(Section.model_validate)


def document(**given_: Any) -> Document:
    known = {
        "id": f"doc_{7:032x}",
        "namespace": HERE,
        "created": NOON,
        "updated": NOON,
        "path": "docs/a.md",
        "root": "/somewhere",
        "format": "markdown",
        "digest": "0" * 64,
        "title": "Dedup contract",
        "entity": "SPEC-037",
    }
    return Document.model_validate({**known, **given_})


def version(number: int, **given_: Any) -> HeaderVersion:
    return HeaderVersion.model_validate({"id": f"mem_{number:032x}", "valid_from": NOON, **given_})


def section(number: int, content: str = "Text.", **given_: Any) -> Section:
    known = {"id": f"mem_{100 + number:032x}", "number": number, "lines": f"{number}-{number}", "valid_from": NOON}
    return Section.model_validate({**known, "content": content, **given_})


def read(data: bytes) -> Parsed:
    return parse("documents/a.md", data, SOMEONE)


@settings(max_examples=300)
@given(
    st.lists(SECTIONS, max_size=3, unique_by=lambda each: each.id),
    st.lists(VERSIONS, max_size=2, unique_by=lambda each: each.id),
    WORDS,
    WORDS,
    st.lists(WORDS, max_size=2),
    st.none() | INSTANTS,
)
def test_what_is_written_is_what_is_read(
    sections: list[Section], versions: list[HeaderVersion], title: str, path: str, aliases: list[str], gone: datetime
) -> None:
    taken = {each.id for each in sections}
    made = document(
        title=title,
        path=path,
        entity=path,
        aliases=tuple(aliases),
        removed_at=gone,
        versions=tuple(each for each in versions if each.id not in taken),
    )
    data = render_document(made, sections)
    parsed = read(data)
    assert (parsed.document, parsed.sections) == (made, tuple(sections))
    assert render_document(made, parsed.sections) == data


def test_a_section_is_a_memory_with_headings_anchor_and_interval() -> None:
    closed = section(2, "Old.", heading="Windows", trail=("Rules",), valid_until=NOON + timedelta(days=1), lines="4-9")
    parsed = read(render_document(document(), [section(1, quarantined=True), closed]))
    (first, one), (second, two) = parsed.memories
    assert (one, two) == (1, 2)
    assert first.content == "SPEC-037: Dedup contract\n\nText."
    assert (first.trust_zone, second.trust_zone) == ("quarantine", "working")
    assert second.content == "SPEC-037: Dedup contract › Rules › Windows\n\nOld."
    assert (second.category, second.source, second.asserted_by) == ("section", "document", "user")
    assert (second.evidence, second.session_id, second.entity_ref) == (("docs/a.md:4-9",), f"doc_{7:032x}", "SPEC-037")
    assert (second.valid_at, second.invalid_at, second.status) == (NOON, NOON + timedelta(days=1), "superseded")
    assert len(second.artifact_ids) == 2


def test_a_header_version_is_a_memory_of_its_values() -> None:
    made = document(versions=(version(1, values={"title": "Dedup", "status": "Draft", "requires": "34"}),))
    ((memory, ordinal),) = read(render_document(made, [])).memories
    assert (memory.content, ordinal) == ("SPEC-037: Dedup\nstatus: Draft\nrequires: 34", 0)
    assert memory.evidence == ("docs/a.md:1-1",)


@pytest.mark.parametrize(
    ("entity", "status", "said"),
    [
        ("SPEC-2", "Superseded by 54", "superseded by SPEC-54"),
        ("SPEC-2", "Superseded by 54, 055 and SPEC-7", "superseded by SPEC-54, SPEC-055 and SPEC-7"),
        ("SPEC-2", "Superseded by SPEC-54, 55.", "superseded by SPEC-54, SPEC-55."),
        ("SPEC-2", "Superseded by 2.0 of the guide", "superseded by 2.0 of the guide"),
        ("SPEC-2", "Superseded by SPEC-54, 2024-03-01", "superseded by SPEC-54, 2024-03-01"),
        ("SPEC-2", "Withdrawn, 2024-03-01", "withdrawn, 2024-03-01"),
        ("SPEC-2", "Withdrawn, 1 March 2024", "withdrawn, 1 March 2024"),
        ("SPEC-2", "Retired, 2024", "retired, 2024"),
        ("docs/api-v1.md", "Superseded by 2.0 of the guide", "superseded by 2.0 of the guide"),
        ("docs/api-v1.md", "Superseded by 54", "superseded by 54"),
    ],
)
def test_a_number_alone_in_what_replaced_a_document_is_of_its_own_series(entity: str, status: str, said: str) -> None:
    made = document(entity=entity, path="docs/api-v1.md", versions=(version(1, values={"status": status}),))
    ((memory, _),) = read(render_document(made, [])).memories
    assert memory.retired
    assert memory.retired.said == said


@pytest.mark.parametrize(
    ("entity", "title", "line"),
    [
        ("SPEC-037", "Dedup contract", "SPEC-037: Dedup contract"),
        ("SPEC-037", "spec-037 dedup", "spec-037 dedup"),
        ("docs/a.md", "Dedup", "Dedup"),
    ],
)
def test_the_entity_stands_before_a_title_that_does_not_say_it(entity: str, title: str, line: str) -> None:
    ((memory, _),) = read(render_document(document(entity=entity, title=title), [section(1)])).memories
    assert memory.content == f"{line}\n\nText."


def test_a_section_keeps_the_title_it_was_written_down_under() -> None:
    later = NOON + timedelta(days=2)
    versions = (
        version(1, values={"title": "Old"}, valid_until=later),
        version(2, values={"title": "New"}, valid_from=later),
    )
    made = document(title="New", versions=versions)
    parsed = read(render_document(made, [section(1), section(2, valid_from=later)]))
    assert [memory.content.split("\n")[0] for memory, number in parsed.memories if number] == [
        "SPEC-037: Old",
        "SPEC-037: New",
    ]


def test_taking_sections_and_versions_out_moves_nothing_else() -> None:
    made = document(versions=(version(1, values={"status": "secret"}), version(2)))
    data = render_document(made, [section(1, "One."), section(2, "Two."), section(3, "Three.")])
    edited = data.replace(b"One.", b"One,  by hand. ").replace(b"\n---\n\n#", b"\nnote: mine # kept\n---\n\n#", 1)
    rest = without_sections(edited, {section(2).id, version(1).id})
    parsed = read(rest)
    assert [each.content for each in parsed.sections] == ["One,  by hand. ", "Three."]
    assert parsed.document is not None
    assert [each.id for each in parsed.document.versions] == [version(2).id]
    assert b"secret" not in rest
    assert b"note: mine # kept" in rest
    assert without_sections(edited, {section(9).id}) == edited
    assert b"versions" not in without_sections(data, {version(1).id, version(2).id})


def test_a_marker_is_edited_in_place() -> None:
    data = render_document(document(), [section(1, heading="a > b --> c"), section(2)])
    edited = edit_section(data, section(1).id, {"quarantined": True})
    assert [each.quarantined for each in read(edited).sections] == [True, False]
    assert edit_section(edited, section(1).id, {"quarantined": False}) == data
    with pytest.raises(ConflictError):
        edit_section(data, section(9).id, {"quarantined": True})
    assert holds_section(data, section(1).id)
    assert not holds_section(data, section(9).id)


@pytest.mark.parametrize(
    "marker",
    ['{"id":"mem_1",}', '{"id":' + '{"a":' * 100_000 + "}", '{"id":' + "1" * 5000 + "}"],
    ids=["a comma too many", "too deep", "too long a number"],
)
def test_a_damaged_marker_is_named_by_whatever_reads_it_and_what_to_do(marker: str) -> None:
    there = section(2).id
    data = render_document(document(), [section(2)]) + f"\n<!-- pellucid:section {marker} -->\nOne.\n".encode()
    moments = data.replace(b"pellucid:section", b"pellucid:moment")
    for act in (
        lambda: read(data),
        lambda: edit_section(data, there, {"quarantined": True}),
        lambda: holds_section(data, section(9).id),
        lambda: without_sections(data, {there}),
        lambda: edit_moment(moments, there, {"quarantined": True}),
        lambda: without_moments(moments, {there}),
    ):
        with pytest.raises(InputError, match="marker is not JSON") as caught:
            act()
        assert marker[:70] in caught.value.message
        assert len(caught.value.message) < 200
        assert "restore that line" in caught.value.next_step


def test_keys_that_we_do_not_know_are_told_apart_and_written_back() -> None:
    data = render_document(document(), [section(1)], {"reviewer": "Ada", "level": 3})
    assert unknown_keys(data) == {"reviewer": "Ada", "level": 3}
    parsed = read(data)
    assert parsed.document is not None
    assert render_document(parsed.document, parsed.sections, unknown_keys(data)) == data


def test_a_file_that_an_editor_saved_with_its_own_line_ends_says_the_same() -> None:
    data = render_document(document(versions=(version(1),)), [section(1, "One.\nTwo."), section(2)])
    assert read(data.replace(b"\n", b"\r\n")) == read(data)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"number":2', '"number":0', "number"),
        ('{"id":"mem_', '{"id":mem_', "not JSON"),
        ("format: markdown", "format: word", "format"),
        (f"{102:032x}", f"{101:032x}", "twice"),
    ],
)
def test_damage_is_said(old: str, new: str, why: str) -> None:
    data = render_document(document(), [section(1), section(2)]).replace(old.encode(), new.encode())
    with pytest.raises(InputError, match=why):
        read(data)


@pytest.mark.parametrize("title", ["Dedup contract", "CON", "…", "名前の付け方", "a" * 300, "../../etc"])
def test_a_document_has_a_path_that_every_file_system_keeps(title: str) -> None:
    path = document_path(document(title=title))
    check_new(path)
    assert path.startswith("documents/")
    assert path.endswith("-0000000007.md")
