"""Edge types and statuses in, what is stored of them and what they mean out."""

import pytest

from pellucid.graph.audit import EDGE_PHRASES
from pellucid.graph.svg_marks import COLOURS
from pellucid.model.entity import EDGE_TYPES, IDENTITY, event_between, is_retired, node_key
from pellucid.recall.legs.graph_walk import WEIGHTS


def test_edge_types_keep_their_places_which_indexes_and_receipts_hold() -> None:
    assert EDGE_TYPES[:11] == (
        "DEPENDS_ON",
        "IMPLEMENTS",
        "EXTENDS",
        "REFERENCES",
        "SUPERSEDES",
        "RELATES_TO",
        "MENTIONS",
        "ALIAS_OF",
        "ABOUT",
        "DERIVED_FROM",
        "PART_OF",
    )


@pytest.mark.parametrize("table", [WEIGHTS, COLOURS, EDGE_PHRASES], ids=["weights", "colours", "words"])
def test_every_table_by_edge_type_has_all_of_them(table: dict[str, object]) -> None:
    assert set(table) == set(EDGE_TYPES)


@pytest.mark.parametrize(
    "status",
    [
        "Withdrawn",
        "retired",
        "Abandoned",
        "deprecated (2026)",
        "Rejected",
        "ARCHIVED",
        "obsolete",
        "Removed",
        "superseded by SPEC-2",
        "Replaced",
        "Ｒｅｍｏｖｅｄ",
        "ｗｉｔｈｄｒａｗｎ",
    ],
)
def test_a_status_that_ends_something_is_told_in_any_letters_and_its_state_says_so(status: str) -> None:
    assert is_retired(status)
    assert event_between({"status": "Final"}, {"status": status}) in {"retired", "superseded"}


@pytest.mark.parametrize("status", ["", "Final", "Draft", "Moved", "not withdrawn", "unreplaced"])
def test_any_other_status_ends_nothing(status: str) -> None:
    assert not is_retired(status)
    assert event_between({"status": "Accepted"}, {"status": status}) not in {"retired", "superseded"}


def test_a_successor_that_is_named_supersedes_and_one_that_is_taken_out_again_does_not() -> None:
    alone, followed = {"status": "Final"}, {"status": "Final", "superseded-by": "SPEC-2"}
    assert event_between(alone, followed) == "superseded"
    assert event_between(followed, alone) == "changed"


@pytest.mark.parametrize("prefix", ["mem", "ep"])
def test_the_key_of_a_memory_is_its_id_and_that_of_no_name(prefix: str) -> None:
    own = f"{prefix}_{'0a' * 16}"
    assert IDENTITY.fullmatch(own)
    assert not IDENTITY.fullmatch(node_key(own))
