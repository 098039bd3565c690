"""A turn's text in, the units that can each be a memory out."""

from pellucid.observe.prose import blocks
from pellucid.observe.work.units import Unit, units


def units_of(text: str) -> list[Unit]:
    return list(units(blocks(text)))


def test_list_items_stand_behind_the_line_that_announces_them() -> None:
    found = units_of("The cache is skipped in two cases:\n- reports read the ledger\n- admin pages")
    assert [unit.whole for unit in found] == [
        "The cache is skipped in two cases: reports read the ledger",
        "The cache is skipped in two cases: admin pages",
    ]
    assert {unit.block for unit in found} == {found[0].block}


def test_a_heading_announces_the_list_under_it_and_is_no_unit() -> None:
    found = units_of("## Constraints\n\n- names have at most 63 characters")
    assert [unit.whole for unit in found] == ["Constraints: names have at most 63 characters"]


def test_sentences_of_a_paragraph_are_units_of_one_block() -> None:
    found = units_of("The signer reads the clock. It drifts while the laptop sleeps.\n\nNothing else does.")
    assert [unit.text for unit in found] == [
        "The signer reads the clock.",
        "It drifts while the laptop sleeps.",
        "Nothing else does.",
    ]
    assert found[0].block == found[1].block != found[2].block


def test_code_and_tables_are_no_units() -> None:
    assert units_of("```\nx = 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |") == []
