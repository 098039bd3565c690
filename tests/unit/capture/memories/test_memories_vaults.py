"""Notes of a basic-memory vault and files of a Remnic vault in; memories with their kin, times and statuses out."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kits.memories import Read, read, written
from pellucid.model.memory import Category, Status

NOTE = """---
title: Quote Cache
type: note
tags: [cache, quotes]
permalink: systems/quote-cache
created: 2026-03-02T10:00:00+02:00
modified: 2026-03-05
---

# Quote Cache

The cache stands between the pricing service and the web shop. See [[Pricing Service]].

## Observations
- [decision] Entries live for 300 seconds #ttl (measured in February)
- [owner] Mira
- [requirement] No quote may outlive its price list by more than a minute
- [ ] write the runbook
- [00:12:30] a transcript line about nothing at all in particular

## Relations
- depends_on [[Pricing Service]]
- "was proposed in" [[Capacity Review]] (April)
- [[Web Shop]]
"""


def note(folder: Path, text: str = NOTE) -> Read:
    return read(written(folder, "notes/quote-cache.md", text).parent)


def test_an_observation_is_a_memory_about_its_note_with_its_category_and_tags(tmp_path: Path) -> None:
    found = note(tmp_path)
    decision = found.one("300 seconds")
    assert decision.content == "Quote Cache › Entries live for 300 seconds (measured in February)"
    assert (decision.category, decision.entity_ref) == ("decision", "Quote Cache")
    assert decision.tags == ("cache", "quotes", "ttl", "decision")
    assert decision.foreign_id == "systems/quote-cache"
    assert decision.evidence == "quote-cache.md:15-15"
    assert decision.created == datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert decision.updated == datetime(2026, 3, 5, tzinfo=UTC)
    assert found.one("outlive").category == "rule"
    assert found.one("Mira").content == "Quote Cache › owner: Mira"


def test_a_relation_is_a_sentence_about_the_two(tmp_path: Path) -> None:
    related = [memory.content for memory in note(tmp_path).memories if memory.category == "relationship"]
    assert related == [
        "Quote Cache depends on Pricing Service",
        "Quote Cache was proposed in Capacity Review (April)",
        "Quote Cache links to Web Shop",
    ]


def test_prose_tasks_and_clock_marks_are_plain_statements(tmp_path: Path) -> None:
    found = note(tmp_path)
    assert found.one("stands between").content.endswith("See Pricing Service.")
    assert found.one("runbook").category == "rule"
    assert "00:12:30" not in str([memory.tags for memory in found.memories])
    assert found.one("transcript line")


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("preference", "preference"),
        ("convention", "rule"),
        ("todo", "commitment"),
        ("reasoning trace", "reasoning_trace"),
    ],
)
def test_a_label_we_know_is_the_category(tmp_path: Path, label: str, category: Category) -> None:
    assert note(tmp_path, f"- [{label}] the crane rests at night\n").memories[0].category == category


def test_a_note_without_frontmatter_is_known_by_its_lists_and_named_after_its_file(tmp_path: Path) -> None:
    found = note(tmp_path, "- [fact] the crane rests at night\n")
    assert found.report.formats == {"basic-memory": 1}
    assert found.memories[0].entity_ref == "quote-cache"


def test_plain_prose_is_a_note_only_when_the_format_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "plain.md", "The crane was built in 1962 by the harbour's own workshop.\n")
    assert read(tmp_path).dropped == {"no-memory-file": 1}
    assert len(read(path, kind="basic-memory").contents) == 1


def test_broken_yaml_is_counted_and_what_can_be_read_of_it_is_used(tmp_path: Path) -> None:
    text = (
        '---\ntitle: "Tide: tables\npermalink: tides\ntags: [a, "b]\nanchor: &x 1\n---\n- [fact] high water at noon\n'
    )
    found = note(tmp_path, text)
    assert found.memories[0].foreign_id == "tides"
    assert [(problem.line, problem.reason) for problem in found.report.problems] == [(1, "frontmatter is not YAML")]


def test_an_unclosed_frontmatter_is_counted_and_the_text_read(tmp_path: Path) -> None:
    found = read(written(tmp_path, "n.md", "---\ntitle: Tide\n- [fact] high water at noon\n"), kind="basic-memory")
    assert found.report.malformed == 1
    assert found.one("high water")


def test_the_prose_of_one_note_is_bounded(tmp_path: Path) -> None:
    text = "---\npermalink: big\n---\n" + "\n\n".join(f"The crane lifted load number {n} today." for n in range(250))
    found = note(tmp_path, text)
    assert len(found.contents) == 200
    assert found.dropped == {"prose-beyond-200": 50}


def fact(folder: Path, name: str, body: str = "The cluster has five nodes.", **given: str) -> Path:
    keys = {"id": name, "category": "fact", "created": "2026-04-20T08:00:00.000Z", "confidence": "0.9"} | given
    head = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return written(folder, f"facts/2026-04-20/{name}.md", f"---\n{head}---\n\n{body}\n")


def test_a_remnic_memory_keeps_what_its_frontmatter_says(tmp_path: Path) -> None:
    path = fact(
        tmp_path,
        "fact-1-a",
        "The cluster has five nodes.\n[Attributes: nodes: five; zone: a: b]",
        entityRef="cluster",
        tags='["search", "ops"]',
        importanceScore="0.7",
        structuredAttributes='{"nodes": "five"}',
        status="superseded",
        supersededBy="fact-2-b",
        supersedes="fact-0-z",
        validAt="2026-04-19T00:00:00Z",
        invalidAt="2026-04-22T00:00:00Z",
        expiresAt="2027-01-01T00:00:00Z",
        updated="2026-04-21T08:00:00Z",
    )
    memory = read(path).memories[0]
    assert memory.content == "The cluster has five nodes."
    assert memory.attributes == {"nodes": "five", "zone": "a: b"}
    assert (memory.entity_ref, memory.tags, memory.category) == ("cluster", ("search", "ops"), "fact")
    assert (memory.confidence, memory.importance, memory.status) == (0.9, 0.7, "superseded")
    assert (memory.foreign_id, memory.supersedes, memory.superseded_by) == ("fact-1-a", ("fact-0-z",), "fact-2-b")
    times = (memory.created, memory.updated, memory.valid_at, memory.invalid_at)
    assert [at and at.day for at in times] == [20, 21, 19, 22]
    assert memory.evidence == "fact-1-a.md:19-19"


def test_blanks_before_a_remnic_memory_do_not_count_as_its_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "x1.md", "---\nid: x1\ncategory: fact\n---\n  \n\t\n  The port is 80\nor 81\n \n")
    assert read(path).memories[0].evidence == "x1.md:7-8"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({}, "active"),
        ({"status": "archived"}, "archived"),
        ({"status": "pending_review"}, "pending_review"),
        ({"verificationState": "disputed"}, "disputed"),
    ],
)
def test_a_status_is_ours_under_the_same_name(tmp_path: Path, given: dict[str, str], status: Status) -> None:
    assert read(fact(tmp_path, "fact-1-a", **given)).memories[0].status == status


def test_forgotten_rejected_and_split_memories_stay_behind_and_are_counted(tmp_path: Path) -> None:
    fact(tmp_path, "fact-1-a", status="forgotten")
    fact(tmp_path, "fact-2-b", status="rejected")
    fact(tmp_path, "fact-3-c", parentId="fact-9-z", chunkIndex="0")
    found = read(tmp_path)
    assert found.contents == []
    assert found.dropped == {"forgotten": 1, "rejected": 1, "part-of-another": 1}


def test_a_memory_that_cannot_be_understood_is_counted_with_its_place(tmp_path: Path) -> None:
    fact(tmp_path, "fact-1-a", status="sideways")
    fact(tmp_path, "fact-2-b", body="")
    fact(tmp_path, "fact-3-c", tags='["a "quoted" b"]', confidence="very")
    found = read(tmp_path)
    assert [problem.reason for problem in found.report.problems] == [
        "unknown status",
        "no content",
        "frontmatter is not YAML",
    ]
    assert found.memories[0].confidence is None
    assert found.memories[0].foreign_id == "fact-3-c"


def test_a_category_without_a_name_of_ours_stays_as_a_tag_and_a_moment_is_a_fact(tmp_path: Path) -> None:
    fact(tmp_path, "a-1", category="daydream")
    fact(tmp_path, "b-2", category="moment")
    found = read(tmp_path)
    assert [(memory.category, memory.tags) for memory in found.memories] == [(None, ("daydream",)), ("fact", ())]


def test_pages_without_a_memory_are_counted_and_our_own_files_are_no_memory_files(tmp_path: Path) -> None:
    written(tmp_path, "profile.md", "# Profile\n\nLikes cranes.\n")
    written(tmp_path, "own.md", f"---\nid: mem_{'0' * 32}\ncategory: fact\n---\n\nours\n")
    assert read(tmp_path).dropped == {"no-memory-file": 2}
    assert read(tmp_path, kind="remnic").dropped == {"no-memory-frontmatter": 2}
