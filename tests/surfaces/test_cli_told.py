"""What `pellucid recall` and `xray` tell beside the answer: how sure it is, what was cut, what failed, whose words."""

import re
from pathlib import Path

import pytest

from kits.cli import Cli
from kits.vault import Opener, ask, keep
from pellucid.surfaces.present.recall.recall import recall_text

HIDDEN = "The captain's password is heron"


def test_a_recall_says_what_it_left_out_and_how_sure_it_is(cli: Cli) -> None:
    for thing in ("timber", "cotton", "grain"):
        cli("remember", f"The harbour crane lifts {thing} cargo")
    said = cli("recall", "what does the harbour crane lift?", "--top-k", "2").out
    assert re.search(
        r"\nanswer: sure that this answers it \(doubt 0\.\d\d\)\nshown: 2 memories\. Left out: 1 weaker\n", said
    )
    assert "sure that this answers it (doubt 0." in said
    answer = cli("recall", "what does the harbour crane lift?", "--top-k", "2", "--json").json
    assert answer["cut"] == {"top-k": 1}
    assert (answer["failed"], answer["askedInVain"], answer["degraded"]) == ({}, [], False)


def test_what_is_not_known_is_said_with_the_words_of_the_nearest(cli: Cli) -> None:
    memory = cli("remember", "The harbour crane lifts timber", "--json").json["memory"]["id"]
    cli("remember", HIDDEN, "--scope", "private")
    asked = ("recall", "where was the crane built?", "--set", "abstainAt=0.1", "--set", "abstainFrom=0")
    lines = cli(*asked).out.splitlines()
    assert any(line.startswith("not known: nothing here is near enough to be an answer (doubt 0.") for line in lines)
    assert [
        line for line in lines if line.startswith(f" {memory} 0.") and line.endswith(": The harbour crane lifts timber")
    ]
    assert HIDDEN not in "\n".join(lines)


def test_a_reranker_that_is_down_is_told_in_the_answer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("remember", "The harbour crane lifts timber")
    monkeypatch.setenv("PELLUCID_RERANK__BACKEND", "cohere")
    monkeypatch.setenv("PELLUCID_RERANK__BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PELLUCID_RERANK__API_KEY", "none")
    said = cli("recall", "what does the crane lift?")
    assert "degraded: rerank failed, and was left out: " in said.out
    answer = cli("recall", "what does the crane lift?", "--json").json
    assert answer["degraded"] is True
    assert list(answer["failed"]) == ["rerank"]


def test_files_under_review_that_no_memory_speaks_of_are_told(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "The harbour crane lifts timber")
    (tmp_path / "changed.txt").write_text("src/quay.py\n", "utf-8")
    said = cli("recall", "what does the crane lift?", "--review", str(tmp_path / "changed.txt")).out
    assert "nothing was found by the files under review, though that was asked for\n" in said


def test_the_review_of_a_file_that_lists_none_brings_what_is_known_of_it(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "quay.py counts a boat twice when it moors at noon")
    cli("remember", "The harbour crane lifts timber")
    (tmp_path / "quay.py").write_text("def boats(log):\n    return len(log) + 1\n", "utf-8")
    answer = cli("recall", "what should I look out for?", "--review", str(tmp_path / "quay.py"), "--json").json
    assert "quay.py counts a boat twice" in answer["memories"][0]["memory"]["content"]
    assert "review" in [leg["name"] for leg in answer["legs"] if leg["admitted"]]


@pytest.mark.parametrize(
    "asked",
    [
        "what does the Nightingale module depend on?",
        "what does the billing module depend on?",
        "which services does the pump depend on?",
        "what replaced the quote cache?",
    ],
)
def test_edges_that_are_asked_of_what_nobody_knows_are_told(cli: Cli, asked: str) -> None:
    cli("remember", "The harbour crane lifts timber")
    said = cli("recall", asked).out
    assert "nothing was found along the graph, though the question reads as if it asked for that\n" in said
    assert "along the graph" not in cli("recall", "what does the crane lift?").out


def test_edges_that_a_question_only_seems_to_ask_for_are_not_missed(cli: Cli) -> None:
    cli("remember", "Ines needs the lifting plan until Friday")
    assert "along the graph" not in cli("recall", "What does Ines need, and until when?").out


def test_words_that_may_not_be_read_are_in_no_explanation(cli: Cli) -> None:
    cli("remember", "The harbour crane lifts timber")
    cli("remember", HIDDEN, "--scope", "private")
    question = "what is the captain's password, and what lifts the crane?"
    recall_id = cli("recall", question, "--scope", "private", "--json").json["recallId"]
    assert HIDDEN in cli("xray", recall_id).out
    assert HIDDEN in cli("replay", recall_id).out
    other = cli("recall", question, "--json").json["recallId"]
    for form in ("text", "markdown", "html", "json"):
        assert "heron" not in cli("xray", other, "--format", form, "--verbose").out
    pairs = (other, recall_id), (recall_id, other)
    for command in (*(("diff", *pair) for pair in pairs), ("replay", other, "--live"), ("ablate", other)):
        assert "heron" not in cli(*command).out
        assert "heron" not in cli(*command, "--json").out


def test_a_memory_in_quarantine_is_named_by_its_id_alone(cli: Cli) -> None:
    memory = cli("remember", "The harbour crane lifts timber", "--json").json["memory"]["id"]
    recall_id = cli("recall", "what does the crane lift?", "--json").json["recallId"]
    assert "[1] The harbour crane lifts timber\n" in cli("xray", recall_id).out
    cli("trust", "quarantine", memory)
    assert f"[1] {memory}\n" in cli("xray", recall_id).out


def test_a_statement_that_contradicts_another_is_told_to_be_in_dispute_with_it(cli: Cli) -> None:
    cli("remember", "We cut releases every Tuesday")
    assert "in dispute with mem_" in cli("remember", "We cut releases every Thursday").out
    assert "in dispute" not in cli("remember", "The harbour crane is red").out


def test_a_leg_that_is_down_is_told_in_the_answer_with_why(house: Opener) -> None:
    app = house(encoder=None)
    keep(app, "The harbour crane lifts timber")
    assert "\ndegraded: vector: no memory has a vector yet: " in recall_text(ask(app, "what does the crane lift?"))


def test_a_leg_without_vectors_says_whole_calls_that_can_be_typed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: None)
    cli("remember", "The harbour crane lifts timber")
    line = "degraded: vector: no memory has a vector yet: run `pellucid models pull`, then `pellucid rebuild`"
    assert line in cli("recall", "what does the crane lift?").out.splitlines()
    legs = {leg["name"]: leg for leg in cli("recall", "what does the crane lift?", "--json").json["legs"]}
    assert line.endswith(legs["vector"]["reason"])


def test_what_is_of_a_document_that_holds_no_more_is_told_once_with_why(cli: Cli) -> None:
    Path("docs").mkdir()
    Path("docs/lamp.md").write_text(
        "---\nid: SPEC-3\ntitle: The lamp\nstatus: Withdrawn\n---\n\n## Abstract\n\nA match lights the harbour lamp.\n"
    )
    cli("index", "docs", "docs")
    said = cli("recall", "what lights the harbour lamp?").out
    assert said.count("1 of these documents no longer holds: SPEC-3 (withdrawn)\n") == 1
    assert "reverify" not in said
