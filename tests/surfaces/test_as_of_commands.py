"""Dates on the command line in, answers of the past out; old hits, and how they are verified."""

import json
from pathlib import Path

from kits.cli import Cli

TURNS = [
    ("2024-03-04T09:00:00Z", "We decided to deploy the billing service every Tuesday."),
    ("2024-05-06T09:00:00Z", "Remember: the on-call phone number ends in 4711."),
]


def _imported(cli: Cli) -> None:
    lines = [json.dumps({"role": "user", "content": content, "timestamp": at}) for at, content in TURNS]
    Path("notes.jsonl").write_text("\n".join(lines) + "\n")
    cli("import", "notes.jsonl", "--mode", "extract")


def test_a_list_of_the_past_holds_what_held_and_says_when_that_was(cli: Cli) -> None:
    _imported(cli)
    march = cli("list", "--as-of", "2024-03-04")
    assert "billing" in march.out
    assert "4711" not in march.out
    assert march.out.rstrip().endswith("1 of 1 memories as of 2024-03-04T23:59:59.999Z")
    assert cli("list", "--as-of", "2024-03-04T08:59:59Z", "--json").json["total"] == 0
    assert cli("list", "--as-of", "2024-12-31T00:00+02:00", "--json").json["total"] == 2
    assert cli("list", "--as-known-at", "2024-12-31", "--json").json["total"] == 0


def test_dates_that_cannot_be_are_refused_by_the_name_of_their_flag(cli: Cli) -> None:
    assert "--as-of expects a date" in cli("list", "--as-of", "soon", code=2).err
    assert "--as-known-at 2999-01-01" in cli("list", "--as-known-at", "2999-01-01", code=2).err
    assert "--as-of expects a date" in cli("history", "x", "--as-of", "soon", code=2).err
    assert "--as-of expects a date" in cli("graph", "show", "x", "--as-of", "soon", code=2).err
    for flag in ("--as-of", "--as-known-at"):
        for command in (
            ("list",),
            ("history", "x"),
            ("graph", "show", "x"),
            ("recall", "x"),
            ("why", "x", "--query", "x"),
        ):
            assert f'{flag} expects a date or a date-time; got ""' in cli(*command, flag, "", code=2).err
    assert "--as-of 9999-12-31T23:59:59.999Z lies in the future" in cli("list", "--as-of", "9999-12-31", code=2).err
    assert "--status" in cli("list", "--as-of", "2024-01-01", "--status", "archived", code=2).err


def test_the_story_of_a_memory_says_what_held_then(cli: Cli) -> None:
    _imported(cli)
    memory_id = cli("list", "--contains", "billing", "--json").json["memories"][0]["memory"]["id"]
    said = cli("history", memory_id, "--as-of", "2024-03-31").out
    assert said.startswith(f"as of 2024-03-31T23:59:59.999Z: {memory_id} [2024-03-04T")
    assert ", in force\n" in said
    assert "no version held" in cli("history", memory_id, "--as-of", "2024-01-31").out


def test_an_old_hit_is_offered_for_verification_and_the_offer_works(cli: Cli) -> None:
    _imported(cli)
    assert "reverify" not in cli("recall", "when do we deploy the billing service").out
    said = cli("recall", "when do we deploy the billing service", "--verbose").out
    offer = next(line for line in said.splitlines() if "`pellucid reverify " in line)
    ids = offer.split("`pellucid reverify ")[1].rstrip("`").split()
    done = cli("reverify", *ids)
    assert done.out.count("verified: mem_") == len(ids)
    assert "back: pellucid undo op_" in done.out
    again = cli("recall", "when do we deploy the billing service")
    assert "reverify" not in again.out
    seen = cli("recall", "when do we deploy the billing service", "--json").json
    assert seen["stale"] == []
    assert seen["memories"]
    assert all(each["staleness"]["ageDays"] == 0 for each in seen["memories"])


def test_verifying_nothing_that_is_here_is_an_error(cli: Cli) -> None:
    assert "no memory" in cli("reverify", "mem_" + "0" * 32, code=3).err
