"""`graph show`, `graph audit`, `graph backfill` and `history` of a thing, as a person types them."""

import os
from pathlib import Path

import pytest

from kits.cli import Cli
from pellucid.app import open_app
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.settings import load

RELAY = """---
id: SPEC-901
title: Relay
also-known-as: the relay service
---
# Relay

## Depends on
- SPEC-902 §2
"""
MESSAGE = """---
id: SPEC-902
title: Messages
status: draft
requires: 903
---
# Messages

## Shape
A body.
"""
SPOKEN = 1_760_000_000
"""Both were written in that second: named before it is there, a thing has a state that says nothing."""


@pytest.fixture
def specs(cli: Cli) -> Cli:
    """Two documents that name a third which is not there."""
    Path("specs").mkdir()
    Path("specs/message.md").write_text(MESSAGE)
    Path("specs/relay.md").write_text(RELAY)
    os.utime("specs/message.md", (SPOKEN, SPOKEN))
    os.utime("specs/relay.md", (SPOKEN, SPOKEN))
    index()
    return cli


def index() -> None:
    """Index the folder, in the home of the command line."""
    app = open_app(load())
    index_docs(app, IndexDocsInput(namespace="local/default", paths=(Path("specs"),)))
    app.close()


def test_a_thing_is_shown_with_its_state_its_edges_and_where_they_are_said(specs: Cli) -> None:
    said = specs("graph", "show", "SPEC-902").out
    assert "status: draft" in said
    assert "SPEC-903" in said
    assert "relay.md:8-9" in said


def test_an_alias_is_said_to_be_one(specs: Cli) -> None:
    assert specs("graph", "show", "the relay service").out.startswith("the relay service is another name of SPEC-901\n")
    assert specs("graph", "show", "SPEC-901", "--json").json["entity"] == {
        "key": "spec-901",
        "name": "SPEC-901",
        "type": "Specification",
        "defined": True,
        "asked": "SPEC-901",
        "alias": False,
    }


def test_flags_bound_what_is_shown(specs: Cli) -> None:
    seen = specs(
        "graph", "show", "spec 901", "--hops", "1", "--type", "depends-on", "--direction", "out", "--json"
    ).json
    (edge,) = seen["edges"]
    assert (edge["source"], edge["type"], edge["target"], edge["anchor"]) == ("SPEC-901", "DEPENDS_ON", "SPEC-902", "2")
    assert "--hops expects" in specs("graph", "show", "SPEC-901", "--hops", "0", code=2).err
    assert "--direction expects" in specs("graph", "show", "SPEC-901", "--direction", "up", code=2).err
    assert "--type expects" in specs("graph", "show", "SPEC-901", "--type", "likes", code=2).err


def test_a_drawing_goes_to_a_file_or_to_the_terminal(specs: Cli) -> None:
    assert specs("graph", "show", "SPEC-901", "--svg", "-").out.startswith("<svg")
    done = specs("graph", "show", "SPEC-901", "--svg", "out.svg")
    assert "wrote out.svg" in done.err
    assert Path("out.svg").read_text().startswith("<svg")


def test_a_name_that_is_not_there_is_told_the_nearest(specs: Cli) -> None:
    assert "SPEC-901" in specs("graph", "show", "SPEC-9O1", code=3).err
    assert "SPEC-901" in specs("history", "SPEC-9O1", code=3).err


def test_a_name_that_two_things_have_is_told_both(specs: Cli) -> None:
    Path("specs/tower.md").write_text("---\nid: SPEC-904\naliases: [the relay service]\n---\n# Tower\n\nTall.\n")
    index()
    said = specs("graph", "show", "The Relay Service", code=2).err
    assert 'things are called "The Relay Service": SPEC-901, SPEC-904' in said
    assert "name the one that is meant" in said


def test_an_audit_names_what_dangles_and_ends_as_doctor_does(specs: Cli) -> None:
    done = specs("graph", "audit", code=specs("graph", "audit", "--json", code=7).code)
    assert "DANGLING" in done.out
    assert "SPEC-903" in done.out
    assert "next  " in done.out


def test_a_backfill_shows_first_and_does_on_request(specs: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the graph is what they say" in specs("graph", "backfill").out
    Path("specs/note.md").write_text("# Note\n\nSee TICKET-7.\n")
    index()
    monkeypatch.setenv("PELLUCID_GRAPH__SERIES", '["SPEC", "TICKET"]')
    shown = specs("graph", "backfill").out
    assert "MENTIONS ticket-7" in shown
    assert "nothing was changed" in shown
    assert "the graph is now" in specs("graph", "backfill", "--apply").out
    assert specs("graph", "backfill", "--apply", "--json").json["diffs"] == []
    assert specs("graph", "show", "TICKET-7").out


def test_the_states_of_a_thing_are_told_from_first_to_last(specs: Cli) -> None:
    text = MESSAGE.replace("status: draft", "status: accepted")
    Path("specs/message.md").write_text(text)
    index()
    said = specs("history", "SPEC-902").out
    assert "status: draft → accepted" in said
    assert said.rstrip().splitlines()[-1].startswith("holds: ")
    assert [each["props"]["status"] for each in specs("history", "SPEC-902", "--json").json["states"]] == [
        "draft",
        "accepted",
    ]
    for told in (("history", "SPEC-902"), ("graph", "show", "SPEC-902")):
        before = specs(*told, "--as-of", "2001-01-01").out
        assert (
            f"its history before {specs('history', 'SPEC-902').out.split('[')[1].split(' – ')[0]} is not known"
            in before
        )
        assert "nothing was true" not in before


def test_a_recall_says_of_what_nothing_was_known_so_early(specs: Cli) -> None:
    asked = "what is the status of SPEC-902?"
    since = specs("history", "SPEC-902").out.split("[")[1].split(" – ")[0]
    said = specs("recall", asked, "--as-of", "2001-01-01").out
    assert f"SPEC-902: its history before {since} is not known" in said
    assert "SPEC-902" in specs("recall", asked, "--as-of", "2001-01-01", "--json").json["knownFrom"]
    assert "is not known" not in specs("recall", asked).out
    assert "is not known" not in specs("recall", "what is there of harbours?", "--as-of", "2001-01-01").out
