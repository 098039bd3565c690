"""Texts in, the names of documents found in them out."""

import re
from itertools import pairwise
from random import Random

import pytest

from pellucid.documents.names.naming import Naming, own_series
from pellucid.errors import InputError

NAMING = Naming(("SPEC", "ADR", "EIP", "PEP"))


def names(text: str, naming: Naming = NAMING, *, listed: bool = False) -> list[str]:
    return [named.name for named in naming.find(text, in_lists=listed)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SPEC-054 stands on SPEC 037.", ["SPEC-054", "SPEC-037"]),
        ("SPEC #54, ADR #18 and ADR#19", ["SPEC-54", "ADR-18", "ADR-19"]),
        ("eip-1559, Spec-9 and spec_010", ["EIP-1559", "SPEC-9", "SPEC-010"]),
        ("ADR-020/21/22 were proposed", ["ADR-020", "ADR-021", "ADR-022"]),
        ("EIP-20/165", ["EIP-20", "EIP-165"]),
        ("EIPs 1559, 2718 and 2930.", ["EIP-1559", "EIP-2718", "EIP-2930"]),
        ("EIP1559 in capitals needs no joint", ["EIP-1559"]),
        ("read ./eip-1559.md and adr/adr-018-rank-fusion.md", ["EIP-1559", "ADR-018"]),
        ("https://example.org/EIPS/eip-4844#parameters", ["EIP-4844"]),
        (":pep:`484` beside :pep:`PEP 8 <8>`", ["PEP-484", "PEP-8"]),
        ("_SPEC-054_, **SPEC-055** and `SPEC-056`", ["SPEC-054", "SPEC-055", "SPEC-056"]),
        ("一SPEC-034を参照", ["SPEC-034"]),
        ("SPEC‑054 with a hyphen that does not break", ["SPEC-054"]),
    ],
)
def test_a_name_is_found_however_it_is_written(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "spec 54 written small might be anything",
        "Spec 54 in passing",
        "spec54",
        "SPEC 3.1 is a version",
        "MYSPEC-054",
        "test_spec_054_port",
        "SPEC-054a",
        "SPEC-2024-01-05",
        "SPEC 100% done",
        "SPEC-12345678901",
        "the spec - 54 of them",
        "receipt 7",
        "",
        "SPEC",
    ],
)
def test_what_only_looks_like_a_name_is_none(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("SPEC-037 §3", "3"),
        ("SPEC-037 § 3.2, and more", "3.2"),
        ("SPEC-037, section 3.", "3"),
        ("SPEC-037 (§4)", "4"),
        ("SPEC-037#dedup-contract", "dedup-contract"),
        ("./spec-037.md#dedup-contract", "dedup-contract"),
        ("[SPEC-037](spec-037.md) §3", "3"),
        ("[SPEC-037](../specs/spec-037-dedup.md#dedup-contract)", "dedup-contract"),
        ("SPEC-037 has sections 3", ""),
        ("SPEC-037. Section 3 begins", ""),
        ("SPEC-037 #tag", ""),
    ],
)
def test_the_part_that_is_meant_is_kept_as_the_anchor(text: str, anchor: str) -> None:
    assert [named.anchor for named in NAMING.find(text)] == [anchor]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SPEC-034, 044 and 052", ["SPEC-034", "SPEC-044", "SPEC-052"]),
        ("SPEC-037 §3, 034 & 044.", ["SPEC-037", "SPEC-034", "SPEC-044"]),
        ("SPEC-034 (signals), 044", ["SPEC-034", "SPEC-044"]),
        ("PEP 8, 20", ["PEP-8", "PEP-20"]),
        ("SPEC-034, 2026 was the year", ["SPEC-034"]),
        ("ADR-018, 2026-04-17", ["ADR-018"]),
        ("EIP-20, 3 functions", ["EIP-20"]),
    ],
)
def test_numbers_that_follow_in_a_list_belong_to_the_series_where_asked(text: str, found: list[str]) -> None:
    assert names(text, listed=True) == found
    assert names(text)[0] == found[0]
    assert len(names(text)) == 1


def test_a_link_names_its_document_once() -> None:
    text = "see [SPEC-37: dedup](specs/spec-037.md) and `SPEC-38 <spec-038.rst>`_ or [SPEC-39](spec-040.md)"
    found = NAMING.find(text)
    assert [named.key for named in found] == ["spec-37", "spec-38", "spec-39", "spec-40"]
    assert text[found[0].start : found[0].end] == "SPEC-37: dedup](specs/spec-037"


def test_a_document_adds_its_own_series() -> None:
    assert names("KIP-7 and SPEC-1") == ["SPEC-1"]
    assert names("KIP-7 and SPEC-1", NAMING.with_series("kip")) == ["KIP-7", "SPEC-1"]
    assert NAMING.with_series("SPEC") is NAMING
    assert NAMING.with_series("") is NAMING
    assert [own_series(each) for each in ("EIP-4844", "ADR #18", "docs/a.md", "Pump House")] == ["EIP", "ADR", "", ""]


def test_patterns_name_what_they_match_and_the_longest_of_two_wins() -> None:
    naming = Naming(("SPEC",), (r"TICKET-\d+", r"SPEC-\d+-[A-Z]\b"))
    assert names("TICKET-12 blocks SPEC-1 and SPEC-1-B", naming) == ["TICKET-12", "SPEC-1", "SPEC-1-B"]
    assert [named.key for named in naming.find("TICKET-012")] == ["ticket-12"]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "no regular expression"),
        ("[A-Z]*", "empty text"),
        ("x" * 201, "longer than"),
        (r"([a-z]+)+\d", "holds a repeat"),
        (r"(?:a|ab)*c", "an alternative"),
        (r"(T)\1-\d+", "refers back"),
        (r"\w+\w+\w+\w+-\d", "open repeats"),
        (r"x?" * 7 + "y", "options"),
        (r"(?:a?){30}b", "holds a repeat"),
        (r"(?P<t>T)(?P=t)", "refers back"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_the_reason(pattern: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)) as failure:
        Naming(("SPEC",), (pattern,))
    assert "graph.patterns" in failure.value.message
    assert failure.value.next_step


@pytest.mark.parametrize(
    "pattern",
    [
        r"TICKET-\d+",
        r"[A-Z]{2,5}-\d{1,6}",
        r"(?i)case\s#\d+",
        r"(?:BUG|FIX)-\d+",
        r"(?<!\w)№\s?\d+(?:-[a-z])?",
        r"a[+*)]b",
    ],
)
def test_ordinary_patterns_are_taken(pattern: str) -> None:
    assert Naming((), (pattern,)).patterns == (pattern,)


@pytest.mark.parametrize("series", ["", "SPEC-", "54", "A B", "X1"])
def test_a_series_that_is_no_word_is_refused(series: str) -> None:
    with pytest.raises(InputError, match="no series"):
        Naming((series,))


def test_long_runs_take_no_more_than_their_length() -> None:
    naming = Naming(("SPEC", "ADR"), (r"[A-Z]+-\d+", r"\w+\s*\d+x"))
    for text in ("A" * 30_000, "SPEC-" * 6_000, "SPEC-1/" * 4_000, "SPEC-1, " * 4_000, "[SPEC-1](" * 3_000):
        naming.find(text, in_lists=True)
    assert names("A" * 300 + "-1 then TICKET-7", Naming((), (r"[A-Z]+-\d+",)))[-1] == "TICKET-7"


def test_every_name_stands_where_it_is_said_to() -> None:
    random = Random(7)
    pieces = [
        "SPEC-034",
        " and ",
        "[",
        "](",
        ")",
        "eip-20",
        "/21",
        ", 044",
        "§3",
        "#part",
        "\n",
        "ADR #18",
        "word ",
        "`",
    ]
    for _ in range(300):
        text = "".join(random.choices(pieces, k=25))
        found = NAMING.find(text, in_lists=True)
        assert [named.start for named in found] == sorted({named.start for named in found})
        assert all(one.end <= other.start for one, other in pairwise(found))
        assert all(named.name.rpartition("-")[2].lstrip("0")[:1] in text[named.start : named.end] for named in found)
