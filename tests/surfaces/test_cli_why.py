"""`pellucid why` on the command line: plain words first, the numbers behind them, and what cannot be asked."""

import re

import pytest

from kits.cli import Cli

NOBODY = "mem_" + "0" * 32


@pytest.fixture
def port(cli: Cli) -> Cli:
    """The command line over a home with a handful of memories."""
    for thing in ("timber", "cotton", "grain"):
        cli("remember", f"The harbour crane lifts {thing} cargo")
    cli("remember", "Our vessel departs at dawn", "--scope", "private")
    return cli


@pytest.mark.requirement("XRAY-3", "CLI-1")
def test_the_memory_comes_first_then_the_sentences_then_the_numbers(port: Cli) -> None:
    lines = port("why", "lifts grain", "--query", "which crane lifts grain").out.splitlines()
    assert re.match(r"memory: mem_[0-9a-f]{32}  facts/", lines[0])
    assert lines[1] == "  The harbour crane lifts grain cargo"
    assert lines[2].startswith("It is in the context, at place 1: found 1st by meaning (cosine ")
    assert lines[3] == ""
    assert not any("[off]" in line for line in lines)
    assert "question: which crane lifts grain" in lines
    assert "verdict: hit, place 1 in the context" in lines
    assert any(line.startswith("  vector: 1st (cosine 0.") and line.endswith(", nominated") for line in lines)
    assert any(line.startswith("score: final=") for line in lines)


def test_a_memory_that_begins_with_a_bullet_is_shown_once(port: Cli) -> None:
    port("remember", "--", "- The lock is taken first\n- then the file is written")
    said = port("why", "The lock is taken first", "--query", "which lock is taken first").out
    assert said.count("The lock is taken first") == 1


@pytest.mark.requirement("XRAY-4")
def test_the_change_is_named_in_words_a_person_can_type(port: Cli) -> None:
    order = [each["memory"]["content"] for each in port("recall", "which crane lifts", "--json").json["memories"]]
    said = port("why", order[2], "--query", "which crane lifts", "--top-k", "1")
    assert said.out.splitlines()[2].endswith("Raising top-k to 3 admits it (verified).")
    assert "change: top-k 1 -> 3: admits it at place 3 (verified, the smallest that does); --top-k 3" in said.out
    assert order[2] in port("recall", "which crane lifts", "--top-k", "3").out
    assert order[2] not in port("recall", "which crane lifts", "--top-k", "2").out


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_a_scope_is_asked_for_and_given(port: Cli) -> None:
    asked = ("why", "vessel departs", "--query", "when does the vessel depart")
    finding = port(*asked, "--json").json["finding"]
    assert (finding["stage"], finding["change"]["apply"]) == ("boundary-scope", "--scope private")
    assert port(*asked, "--scope", "private", "--json").json["finding"]["verdict"] == "hit"


def test_an_earlier_recall_is_explained_by_its_id(port: Cli) -> None:
    recall_id = port("recall", "which crane lifts", "--top-k", "1", "--json").json["recallId"]
    said = port("why", "lifts cotton", "--recall", recall_id, "--json").json
    assert (said["recallId"], said["finding"]["topK"]) == (recall_id, 1)
    assert f"recall: {recall_id}" in port("why", "lifts cotton", "--recall", recall_id).out
    listed = port("snapshots", "list", "--json").json["recalls"]
    assert [each["recallId"] for each in listed] == [recall_id]


def test_the_question_is_the_second_argument_in_quotes_or_not(port: Cli) -> None:
    asked = port("why", "lifts grain", "--query", "which crane lifts grain").out
    assert port("why", "lifts grain", "which crane lifts grain").out == asked
    assert port("why", "lifts grain", "which", "crane", "lifts", "grain").out == asked
    assert port("why", "lifts", "grain", "--query", "which crane lifts grain").out == asked


def test_words_that_fit_several_are_answered_with_a_list(port: Cli) -> None:
    lines = port("why", "harbour crane", "--query", "crane").out.splitlines()
    assert lines[0] == "3 memories fit: name one of them by its id."
    assert [line.split("  ")[2] for line in lines[1::2]] == ["active"] * 3
    assert all(line.startswith("    It is in the context, at place ") for line in lines[2::2])


def test_nothing_in_a_memory_reaches_the_terminal_as_a_command(cli: Cli) -> None:
    cli("remember", "The crane\x1b[2J is \u202eblue")
    said = cli("why", "crane", "--query", "what colour is the crane\x1b]0;x")
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out
