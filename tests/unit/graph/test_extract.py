"""What vault files hold in, the graph facts read from it out."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from pellucid.clock import uuid7
from pellucid.documents.names.naming import Naming
from pellucid.graph.extract import facts_of
from pellucid.model.document import Document, HeaderVersion, Section
from pellucid.model.entity import FOREVER, NO_FACTS, Edge, GraphFacts
from pellucid.model.memory import Memory
from pellucid.vault.markdown import Parsed

NAMING = Naming(("SPEC", "ADR"))
START = datetime(2026, 1, 1, tzinfo=UTC)
LATER = START + timedelta(days=30)
WRITTEN = datetime(2026, 3, 1, tzinfo=UTC)


def ms(at: datetime) -> int:
    return int(at.timestamp()) * 1000


def identifier(number: int, prefix: str = "mem") -> str:
    return f"{prefix}_{uuid7(WRITTEN, number).hex}"


def header(number: int = 900, since: datetime = START, until: datetime | None = None, **values: str) -> HeaderVersion:
    named = {name.replace("_", "-"): value for name, value in values.items()}
    return HeaderVersion(id=identifier(number), valid_from=since, valid_until=until, values=named)


def section(number: int, heading: str, content: str, trail: tuple[str, ...] = (), **fields: object) -> Section:
    filled = {"level": 2 + len(trail), "lines": f"{number}-{number}", "valid_from": START} | fields
    return Section.model_validate(
        {"id": identifier(number), "number": number, "heading": heading, "trail": trail, "content": content} | filled
    )


def facts(*sections: Section, naming: Naming = NAMING, **fields: object) -> GraphFacts:
    document = Document.model_validate(
        {
            "id": identifier(1, "doc"),
            "namespace": "local/default",
            "created": START,
            "updated": START,
            "path": "specs/SPEC-054.md",
            "root": "/docs",
            "format": "markdown",
            "digest": "0",
            "title": "Harbour bell",
            "entity": "SPEC-054",
            "entity_type": "Specification",
        }
        | fields
    )
    return facts_of(Parsed((), document=document, sections=sections), naming)


def arrows(found: GraphFacts) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.type, edge.target) for edge in found.edges]


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("References", "REFERENCES"),
        ("Related", "REFERENCES"),
        ("Reference:", "REFERENCES"),
        ("Implements", "IMPLEMENTS"),
        ("Depends on", "DEPENDS_ON"),
        ("Depends-on", "DEPENDS_ON"),
        ("3. DEPENDS ON:", "DEPENDS_ON"),
        ("Dependencies", "DEPENDS_ON"),
        ("Requires", "DEPENDS_ON"),
        ("Extends", "EXTENDS"),
        ("Supersedes", "SUPERSEDES"),
        ("Complements", "RELATES_TO"),
        ("Informs", "RELATES_TO"),
    ],
)
def test_a_section_of_references_gives_edges_of_its_kind(heading: str, kind: str) -> None:
    found = facts(section(1, heading, "- SPEC-037 §3, the dedup contract\n- SPEC 34, 044 and 52"))
    assert arrows(found) == [("spec-54", kind, f"spec-{number}") for number in (34, 37, 44, 52)]
    edge = next(edge for edge in found.edges if edge.target == "spec-37")
    assert edge == Edge("spec-54", "spec-37", kind, identifier(1), heading, 0.95, ms(START), FOREVER, ms(WRITTEN), "3")  # type: ignore[arg-type]


def test_a_heading_counts_at_levels_two_and_three_and_for_what_stands_below_it() -> None:
    assert arrows(facts(section(1, "Depends on", "SPEC-1", level=4))) == [("spec-54", "MENTIONS", "spec-1")]
    below = section(2, "Signals", "SPEC-2", trail=("Depends on",))
    assert arrows(facts(below)) == [("spec-54", "DEPENDS_ON", "spec-2")]
    other = section(3, "Reference implementation", "SPEC-3")
    assert arrows(facts(other)) == [("spec-54", "MENTIONS", "spec-3")]


def test_an_outermost_heading_is_a_list_of_references_and_the_sections_below_it_are_a_chapter() -> None:
    own = section(1, "References", "SPEC-1", level=1)
    assert arrows(facts(own)) == [("spec-54", "REFERENCES", "spec-1")]
    for trail, level in ((("References",), 2), (("References", "Calls"), 3)):
        assert arrows(facts(section(2, "Errors", "SPEC-2", trail=trail, level=level))) == [
            ("spec-54", "MENTIONS", "spec-2")
        ]
    inner = section(3, "Books", "SPEC-3", trail=("Sources", "References"), level=3)
    assert arrows(facts(inner)) == [("spec-54", "REFERENCES", "spec-3")]
    needed = section(4, "At run time", "SPEC-4", trail=("Dependencies",), level=2)
    assert arrows(facts(needed)) == [("spec-54", "DEPENDS_ON", "spec-4")]


def test_a_relationships_block_is_read_by_its_verbs() -> None:
    text = (
        "- **Depends on:** SPEC-034, SPEC-037 §3\n  and also\n  - SPEC-044\n- Superseded by SPEC-099\n"
        "- SPEC-010 in general\n\n**Implements**\n\n- ADR-018\n- ADR-019\n"
    )
    found = facts(section(1, "Relationships", text))
    assert arrows(found) == [
        ("spec-54", "IMPLEMENTS", "adr-18"),
        ("spec-54", "IMPLEMENTS", "adr-19"),
        ("spec-54", "RELATES_TO", "spec-10"),
        *(("spec-54", "DEPENDS_ON", f"spec-{number}") for number in (34, 37, 44)),
        ("spec-99", "SUPERSEDES", "spec-54"),
    ]
    by_heading = section(2, "Extends", "SPEC-7", trail=("Relationships",))
    assert arrows(facts(by_heading)) == [("spec-54", "EXTENDS", "spec-7")]


def test_a_name_in_passing_is_a_mention_once_a_section_unless_a_stronger_edge_says_more() -> None:
    text = "As SPEC-037 says, and SPEC-037 again, SPEC-054 itself not.\n\n```\nread(SPEC-040)\n```"
    found = facts(section(1, "Plan", text), section(2, "Depends on", "SPEC-037"), section(3, "ADR-7 and us", "Text."))
    assert [(edge.type, edge.target, edge.memory_id, edge.confidence) for edge in found.edges] == sorted(
        [
            ("MENTIONS", "adr-7", identifier(3), 0.5),
            ("MENTIONS", "spec-37", identifier(1), 0.5),
            ("MENTIONS", "spec-40", identifier(1), 0.5),
            ("DEPENDS_ON", "spec-37", identifier(2), 0.95),
        ],
        key=lambda row: (row[1], row[0]),
    )
    both = facts(section(1, "Relationships", "Depends on: SPEC-037"))
    assert [edge.type for edge in both.edges] == ["DEPENDS_ON"]


@pytest.mark.parametrize(
    ("key", "said", "successors"),
    [
        ("withdrawal_reason", "Superseded by EIP-7702.", ["eip-7702"]),
        ("withdrawal_reason", "Withdrawn in favor of [EIP-2681](./eip-2681.md); EIP-5 stays", ["eip-2681"]),
        ("withdrawal_reason", "The authors prefer [EIP-2200](./eip-2200.md)", ["eip-2200"]),
        ("rejection_reason", "material moved to EIP-2315", ["eip-2315"]),
        ("status", "Replaced by 12 and 13", ["eip-12", "eip-13"]),
        ("withdrawal_reason", "Not superseded by EIP-9", []),
        ("withdrawal_reason", "Policy is documented in EIP-1 and EIP-5069.", []),
        ("withdrawal_reason", "Superseded by the EOF proposals. See EIP-9.", []),
        ("description", "Superseded by EIP-9", []),
    ],
)
def test_a_status_or_a_reason_names_a_successor(key: str, said: str, successors: list[str]) -> None:
    found = facts(entity="EIP-3074", title="Calls", versions=(header(**{key: said}),))
    assert arrows(found) == [(each, "SUPERSEDES", "eip-3074") for each in successors]


def test_header_keys_give_edges_and_bare_numbers_are_of_the_documents_own_series() -> None:
    version = header(
        requires="20, 1559", superseded_by="EIP-9", replaces="[5, 6]", status="Final", updates="none", refs="PEP 8"
    )
    found = facts(entity="EIP-4844", title="Blobs", versions=(version,))
    assert arrows(found) == [
        ("eip-4844", "DEPENDS_ON", "eip-1559"),
        ("eip-4844", "DEPENDS_ON", "eip-20"),
        ("eip-4844", "SUPERSEDES", "eip-5"),
        ("eip-4844", "SUPERSEDES", "eip-6"),
        ("eip-9", "SUPERSEDES", "eip-4844"),
    ]
    assert {(edge.section, edge.confidence) for edge in found.edges if edge.type == "DEPENDS_ON"} == {("requires", 1.0)}
    assert {fact.name for fact in found.entities} == {"EIP-4844", "EIP-20", "EIP-1559", "EIP-5", "EIP-6", "EIP-9"}


def test_a_list_in_a_header_goes_on_in_the_series_that_it_names() -> None:
    version = header(Requires="PEP 8, 20", depends_on="ADR-018 (fusion), python 3, 3.11, SPEC-37 §3")
    found = facts(versions=(version,), naming=NAMING.with_series("PEP"))
    assert [edge.target for edge in found.edges] == ["adr-18", "pep-20", "pep-8", "spec-37"]
    assert found.edges[-1].anchor == "3"


def test_header_values_become_claims_over_their_interval() -> None:
    first = header(901, START, LATER, Status="Draft", requires="SPEC-1")
    second = header(902, LATER, None, Status="Final", Spec_Version="2")
    found = facts(versions=(first, second))
    assert [(claim.attribute, claim.value, claim.valid_from, claim.valid_until) for claim in found.claims] == [
        ("requires", "SPEC-1", ms(START), ms(LATER)),
        ("spec-version", "2", ms(LATER), FOREVER),
        ("status", "Draft", ms(START), ms(LATER)),
        ("status", "Final", ms(LATER), FOREVER),
        ("title", "Harbour bell", ms(START), ms(LATER)),
        ("title", "Harbour bell", ms(LATER), FOREVER),
    ]
    assert {(edge.valid_from, edge.valid_until) for edge in found.edges} == {(ms(START), ms(LATER))}
    assert all(claim.recorded == ms(WRITTEN) for claim in found.claims)


def test_a_removed_document_ends_with_all_it_said() -> None:
    found = facts(section(1, "Depends on", "SPEC-1"), versions=(header(status="Draft"),), removed_at=LATER)
    assert {edge.valid_until for edge in found.edges} == {claim.valid_until for claim in found.claims} == {ms(LATER)}
    assert next(fact for fact in found.entities if fact.defines).until == ms(LATER)


def test_a_document_is_defined_with_its_other_names_and_its_sections_are_its_home() -> None:
    version = header(formerly="SPEC-012", aliases="The Bell, none")
    found = facts(section(1, "Plan", "Ring it."), versions=(version,), aliases=("Harbour bell", "specs/SPEC-054.md"))
    assert found.aliases == tuple(
        (alias, "spec-54") for alias in ("harbour-bell", "spec-12", "specs/spec-054.md", "the-bell")
    )
    assert found.homes == ((identifier(1), "spec-54"), (identifier(900), "spec-54"))
    (entity,) = found.entities
    assert (entity.key, entity.name, entity.type, entity.defines) == ("spec-54", "SPEC-054", "Specification", True)
    assert (entity.since, entity.until) == (ms(START), FOREVER)
    assert arrows(facts(section(1, "References", "SPEC-012 and SPEC-0054"), versions=(version,))) == []


def test_documents_without_ids_are_named_by_links_and_paths() -> None:
    text = "- [Storage](../storage.md#rows)\n- [[Tide Table|tides]]\n- [site](https://example.org/a.md)\n- ![x](x.png)"
    found = facts(
        section(1, "Depends on", text),
        section(2, "Notes", "[Storage](../storage.md)"),
        entity="docs/guide/bell.md",
        path="docs/guide/bell.md",
        versions=(header(superseded_by="new-bell.md, ../../../etc/x.md"),),
    )
    assert arrows(found) == [
        ("docs/guide/bell.md", "DEPENDS_ON", "docs/storage.md"),
        ("docs/guide/bell.md", "DEPENDS_ON", "tide-table"),
        ("docs/guide/new-bell.md", "SUPERSEDES", "docs/guide/bell.md"),
    ]
    assert found.edges[0].anchor == "rows"


def test_a_link_leads_to_the_file_with_its_whole_suffix_or_to_none() -> None:
    text = "- [a](other.mdx)\n- [b](other.rest)\n- [c](other.rstx)\n- [d](other.md.bak)\n- [e](last.md)."
    found = facts(section(1, "References", text), entity="docs/a.md", path="docs/a.md")
    assert [target for _, _, target in arrows(found)] == ["docs/last.md", "docs/other.mdx", "docs/other.rest"]


def test_a_quarantined_section_says_nothing() -> None:
    found = facts(section(1, "Depends on", "SPEC-1", quarantined=True))
    assert (found.edges, found.homes) == ((), ())


def remember(number: int, content: str, **fields: object) -> Memory:
    filled = {
        "id": identifier(number),
        "category": "fact",
        "namespace": "local/default",
        "created": START,
        "updated": START,
        "source": "manual",
        "content": content,
    } | fields
    return Memory.model_validate(filled)


def told(*memories: Memory) -> GraphFacts:
    return facts_of(Parsed(tuple((memory, 0) for memory in memories)), NAMING)


def test_a_memory_is_about_its_entity_and_mentions_whom_it_names() -> None:
    me, episode = identifier(5), "ep_" + "a" * 32
    found = told(
        remember(
            5,
            "Pump House reads SPEC-037 and SPEC-037 again",
            entity_ref="Pump House",
            episode_id=episode,
            supersedes=(identifier(2),),
            derived_from=(identifier(3),),
            structured_attributes={"port": "81", "AKA": "PH"},
            invalid_at=LATER,
            expires_at=LATER + timedelta(days=1),
        )
    )
    assert {(edge.type, edge.target, edge.confidence, edge.section) for edge in found.edges} == {
        ("ABOUT", "pump-house", 1.0, "entityRef"),
        ("MENTIONS", "spec-37", 0.8, ""),
        ("SUPERSEDES", identifier(2), 1.0, "supersedes"),
        ("DERIVED_FROM", identifier(3), 1.0, "derivedFrom"),
        ("PART_OF", episode, 0.5, "episodeId"),
    }
    assert {(edge.source, edge.valid_from, edge.valid_until, edge.recorded) for edge in found.edges} == {
        (me, ms(START), ms(LATER), ms(WRITTEN))
    }
    assert [(claim.entity, claim.attribute, claim.value) for claim in found.claims] == [
        ("pump-house", "aka", "PH"),
        ("pump-house", "port", "81"),
    ]
    assert found.aliases == (("ph", "pump-house"),)
    assert found.homes == ((me, me),)
    assert [(fact.key, fact.name, fact.defines) for fact in found.entities] == [
        ("pump-house", "Pump House", False),
        ("spec-37", "SPEC-037", False),
    ]


@pytest.mark.parametrize("fields", [{"status": "forgotten"}, {"invalid_at": START}])
def test_a_memory_that_never_holds_says_nothing(fields: dict[str, object]) -> None:
    found = told(remember(5, "SPEC-037 holds", entity_ref="Pump House", structured_attributes={"a": "b"}, **fields))
    assert (found.entities, found.edges, found.claims, found.aliases) == ((), (), (), ())


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "rejected"},
        {"status": "pending_review"},
        {"status": "quarantined"},
        {"status": "archived"},
        {"trust_zone": "quarantine"},
        {"scopes": ("private",)},
    ],
)
def test_what_is_not_in_force_now_may_have_been_but_gives_no_other_name(fields: dict[str, object]) -> None:
    """When it was in force the ledger tells; a name that it gave would be told to everybody."""
    stated = {"a": "b", "alias": "the pumps"}
    found = told(remember(5, "SPEC-037 holds", entity_ref="Pump House", structured_attributes=stated, **fields))
    assert {edge.type for edge in found.edges} == {"ABOUT", "MENTIONS"}
    assert len(found.claims) == 2
    assert found.aliases == ()


def test_moments_count_where_they_name_something_and_cost_nothing_elsewhere() -> None:
    episode = "ep_" + "a" * 32
    plain = remember(1, "the tide was low today", category="moment", episode_id=episode)
    assert told(plain, plain) is NO_FACTS
    named = remember(2, "as ADR #18 says", category="moment", episode_id=episode)
    assert [(edge.type, edge.target) for edge in told(plain, named).edges] == [
        ("MENTIONS", "adr-18"),
        ("PART_OF", episode),
    ]


def test_the_same_file_gives_the_same_facts_each_once_and_sorted() -> None:
    random = Random(3)
    words = ["SPEC-1", "spec-001", "ADR #2", "SPEC-054", "Depends on:", "- ", "\n", "§3", "text", "[SPEC-3](spec-3.md)"]
    headings = ["References", "Depends on", "Relationships", "Plan", ""]
    for _ in range(60):
        sections = [
            section(number, random.choice(headings), " ".join(random.choices(words, k=20))) for number in range(1, 6)
        ]
        versions = (header(requires="7, SPEC-8", supersedes="SPEC-1"),)
        found = facts(*sections, versions=versions)
        assert found == facts(*sections, versions=versions)
        keys = [(edge.source, edge.target, edge.type, edge.memory_id, edge.section) for edge in found.edges]
        assert keys == sorted(set(keys))
        assert all(edge.source != edge.target for edge in found.edges)
        spoken = {end for edge in found.edges for end in (edge.source, edge.target)} | {"spec-54"}
        assert {fact.key for fact in found.entities} == spoken
        reordered = facts(*reversed(sections), versions=versions)
        assert [edge for edge in reordered.edges if not edge.anchor] == [
            edge for edge in found.edges if not edge.anchor
        ]


def test_a_name_that_a_header_gave_up_is_free_for_others() -> None:
    before, after = header(901, until=LATER, also_known_as="the bell"), header(902, since=LATER, status="final")
    assert facts(versions=(before, after)).aliases == ()
    assert facts(versions=(header(901, also_known_as="the bell"),)).aliases == (("the-bell", "spec-54"),)


def test_a_link_whose_words_name_its_target_is_one_edge() -> None:
    assert arrows(facts(section(1, "References", "- [SPEC-5](five.md#sec) and [another](six.md)"))) == [
        ("spec-54", "REFERENCES", "spec-5"),
        ("spec-54", "REFERENCES", "specs/six.md"),
    ]
    assert arrows(facts(versions=(header(requires="[SPEC-5](five.md)"),))) == [("spec-54", "DEPENDS_ON", "spec-5")]


def test_a_paragraph_in_a_relationships_block_does_not_go_on_with_the_verb_above() -> None:
    text = "- **Superseded by:** SPEC-13\n\nBackground on pumps is in SPEC-14."
    assert arrows(facts(section(1, "Relationships", text))) == [
        ("spec-13", "SUPERSEDES", "spec-54"),
        ("spec-54", "RELATES_TO", "spec-14"),
    ]


def test_a_word_with_letters_like_those_of_a_verb_is_no_verb() -> None:
    text = "- ımplements: SPEC-1\n- İmplements: SPEC-2\n- ſupersedes: SPEC-3\n- Depends\u00a0on: SPEC-4"
    assert arrows(facts(section(1, "Relationships", text))) == [
        *(("spec-54", "RELATES_TO", f"spec-{number}") for number in (1, 2, 3)),
        ("spec-54", "DEPENDS_ON", "spec-4"),
    ]


def test_what_was_redacted_is_no_name() -> None:
    assert arrows(facts(section(1, "Depends on", "[[redacted:github-token]] and SPEC-2"))) == [
        ("spec-54", "DEPENDS_ON", "spec-2")
    ]
