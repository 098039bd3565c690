"""Paths, headers and titles as they occur in, the name, type and other names of the document out."""

import pytest

from pellucid.documents.names.identity import identify


@pytest.mark.parametrize(
    ("path", "header", "heading", "entity", "kind"),
    [
        ("EIPS/eip-4844.md", {"eip": "4844"}, "", "EIP-4844", "Specification"),
        ("ERCS/erc-20.md", {"eip": "20"}, "", "EIP-20", "Specification"),
        ("peps/pep-0008.rst", {"pep": "8"}, "", "PEP-8", "Specification"),
        ("pep-0008.rst", {}, "", "PEP-8", "Specification"),
        ("rfc2119.txt", {}, "", "RFC-2119", "Specification"),
        ("specs/SPEC-054-node-port.md", {}, "Node port", "SPEC-054", "Specification"),
        ("specs/054-node-port.md", {}, "Node port", "SPEC-54", "Specification"),
        ("specs/spec-054.md", {}, "SPEC-054: Node port", "SPEC-054", "Specification"),
        ("a.md", {"spec-id": "SPEC-059"}, "Tri-graph", "SPEC-059", "Specification"),
        ("a.md", {"title": "x", "id": "REQ-AUTH-001"}, "", "REQ-AUTH-001", "Specification"),
        ("a.md", {}, "SPEC-059 — Tri-graph", "SPEC-059", "Specification"),
        ("a.md", {}, "[RFC-0007] Rope", "RFC-0007", "Specification"),
        ("widgets/widget-7.md", {"widget": "7"}, "", "WIDGET-7", "Specification"),
        ("proposals/0001-labels.md", {"proposal": "SE-0001"}, "", "SE-0001", "Specification"),
        ("ADR-018.md", {}, "Use RRF", "ADR-018", "Decision"),
        ("docs/adr/0018-use-rrf.md", {}, "18. Use RRF", "ADR-18", "Decision"),
        ("docs/adr/0018-use-rrf.md", {}, "ADR-0018: Use RRF", "ADR-0018", "Decision"),
        ("doc/architecture/decisions/0003-x.md", {}, "", "ADR-3", "Decision"),
        ("decisions/use-rrf.md", {}, "18. Use RRF", "ADR-18", "Decision"),
        ("decisions/use-rrf.md", {"id": "18"}, "", "ADR-18", "Decision"),
        ("a.md", {}, "ADR #18: Use RRF", "ADR-18", "Decision"),
        ("adr/20240102-use-rrf.md", {"status": "accepted"}, "Use RRF", "adr/20240102-use-rrf.md", "Decision"),
    ],
)
def test_a_document_is_called_by_the_id_that_it_gives_itself(
    path: str, header: dict[str, str], heading: str, entity: str, kind: str
) -> None:
    who = identify(path, header, heading)
    assert (who.entity, who.entity_type) == (entity, kind)


@pytest.mark.parametrize(
    ("path", "header", "heading"),
    [
        ("docs/storage.md", {}, "Storage"),
        ("book/chapter-3.md", {}, "Chapter 3: Rope"),
        ("notes-2024.md", {}, "Notes 2024"),
        ("log4j2.md", {}, "PR12: Rope"),
        ("decisions/2024-01-02-rope.md", {}, "Rope"),
        ("adr/0000-template.md", {}, "Title"),
        ("docs/http.md", {"version": "2", "order": "3", "sidebar-position": "4"}, "HTTP"),
        ("docs/python-guide.md", {"python": "3"}, "A guide to Python"),
        ("docs/keywords.md", {}, "RFC 2119 keywords explained"),
        ("tasks/rope.md", {"title": "Rope", "spec": "SPEC-054", "adr": "ADR-12", "parent-id": "SPEC-3"}, "Rope"),
        ("docs/intro.md", {"id": "step-1"}, "Step 1: Begin"),
        ("a.md", {"eip": "<to be assigned>"}, ""),
        ("SPEC-1.2.md", {}, ""),
    ],
)
def test_numbers_that_are_no_ids_leave_a_document_its_path(path: str, header: dict[str, str], heading: str) -> None:
    who = identify(path, header, heading)
    assert (who.entity, who.entity_type) == (path, "Document")


@pytest.mark.parametrize(
    ("path", "header", "heading", "title"),
    [
        ("a.md", {"title": '"Rope"'}, "Chain", "Rope"),
        ("a.md", {}, "SPEC-059 — Tri-graph memory", "Tri-graph memory"),
        ("adr/0018-x.md", {}, "18. Use RRF", "Use RRF"),
        ("adr/0018-x.md", {}, "0018 - Use RRF", "Use RRF"),
        ("adr/0018-x.md", {}, "ADR 018 Use RRF", "Use RRF"),
        ("eip-20.md", {}, "EIP-20", "EIP-20"),
        ("a.md", {}, "3 ways to dig", "3 ways to dig"),
        ("adr/0018-use-rrf.md", {}, "", "use rrf"),
        ("docs/deep_wells.md", {}, "", "deep wells"),
        ("docs/wells/README.md", {}, "", "wells"),
        (".md", {}, "", ".md"),
    ],
)
def test_the_title_is_the_headers_or_the_headings_or_the_files(
    path: str, header: dict[str, str], heading: str, title: str
) -> None:
    assert identify(path, header, heading).title == title


@pytest.mark.parametrize(
    ("path", "heading", "aliases"),
    [
        (
            "specs/SPEC-054-node-port.md",
            "SPEC-054: Node port",
            ("Node port", "specs/SPEC-054-node-port.md", "SPEC-054-node-port"),
        ),
        ("eips/eip-20.md", "Tokens", ("eips/eip-20.md",)),
        ("docs/deep_wells.md", "Of deep wells", ("Of deep wells", "deep_wells")),
        ("docs/storage.md", "Storage", ()),
        ("docs/index.md", "Of deep wells", ("Of deep wells",)),
        ("docs/part-1.md", "Begin", ()),
        ("2024-01-02.md", "Begin", ()),
    ],
)
def test_other_names_are_the_title_the_path_and_a_telling_file_name(
    path: str, heading: str, aliases: tuple[str, ...]
) -> None:
    assert identify(path, {}, heading).aliases == aliases


@pytest.mark.parametrize(
    ("heading", "named"),
    [("冷却計画", True), ("신호", False), ("แผนงาน", True), ("水", False), ("Storage", False), ("Cooling plan", True)],
)
def test_a_title_is_a_name_if_it_is_two_words_or_two_characters_of_a_script_without_spaces(
    heading: str, named: bool
) -> None:
    assert (heading in identify("docs/x.md", {}, heading).aliases) is named
