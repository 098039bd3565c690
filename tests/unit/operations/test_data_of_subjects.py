"""A session or an agent in, all that a home holds of it out; or a home without a byte of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from kits.intake import HERE, held, session, take
from kits.vault import ask, keep, settle
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.operations.data.erasing import EraseInput, EraseOutput, erase_subject, preview_erase_subject
from pellucid.operations.data.exporting import export_subject
from pellucid.operations.data.subject import SubjectInput, subject_of
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.recall.recalling import RecallInput, recall
from pellucid.operations.remains import finish_erasures_if_possible, has_unfinished_erasure
from pellucid.operations.session.observing import ObserveInput, observe_turns
from pellucid.operations.telemetry.stats import StatsInput, stats

CANARY = "zanzibarquokka"
SAID = {
    CANARY: f"The {CANARY} gateway listens on port 7443.",
    "harbour": "We decided to paint every crane of the harbour green.",
}
THERE = "other/place"
WAITING = '{"role": "user", "content": "Is the zanzibarquokka still waiting?", "session": "s1"}'


def lived(app: App, name: str, word: str, namespace: str = HERE, agent: str = "cody") -> None:
    """A session that says something, asks for it, and says what became of it."""
    take(app, session(SAID[word], name=name), "both", namespace)
    query = f"what is known of the {word}?"
    answer = recall(app, RecallInput(query=query, namespace=namespace, session_id=name, agent=agent))
    kept = answer.memories[0].memory.id
    notes = f"the {word} was right"
    cite(app, CiteInput(namespace=namespace, memory_id=kept, session_id=name, agent=agent, notes=notes))


def scan(home: Path, word: str = CANARY) -> list[str]:
    """The files that hold a word, or are named by it."""
    found = [each for each in sorted(home.rglob("*")) if not str(each.relative_to(home)).startswith("models")]
    return [
        str(each.relative_to(home))
        for each in found
        if word in each.name.lower() or (each.is_file() and word.encode() in each.read_bytes().lower())
    ]


def all_of(app: App, **who: str) -> list[dict[str, Any]]:
    return [json.loads(each) for each in export_subject(app, SubjectInput(namespace=HERE, **who))]


def erased(app: App, **who: str) -> EraseOutput:
    return erase_subject(app, EraseInput(namespace=HERE, preview=False, **who))


@pytest.mark.requirement("FORGET-6")
def test_no_byte_of_a_session_stays_and_all_of_another_does(whole: App, home: Path) -> None:
    lived(whole, "s2", "harbour")
    alone = {panel: stats(whole, StatsInput(namespace=HERE, panel=panel)) for panel in ("hit-rate", "tokens", "agents")}
    before = all_of(whole, session_id="s2")
    lived(whole, "s1", CANARY)
    observe_turns(whole, ObserveInput(namespace=HERE, lines=(WAITING,)))
    whole.history.settle()
    assert {"spool.db-wal", "history.db-wal"} <= set(scan(home)), "the scan must find what waits, and what was asked"
    preview = preview_erase_subject(whole, EraseInput(namespace=HERE, session_id="s1"))
    assert not preview.done
    assert all_of(whole, session_id="s1")
    done = erased(whole, session_id="s1")
    assert done.done
    assert {each.id for each in done.memories} == {each.id for each in preview.memories}
    for table in ("receipts", "recall_events", "queries", "citations", "uses", "turns"):
        assert done.places[table] == preview.places[table] > 0, table
    assert scan(home) == []
    assert all_of(whole, session_id="s1") == []
    assert all_of(whole, session_id="s2") == before
    assert {panel: stats(whole, StatsInput(namespace=HERE, panel=panel)) for panel in alone} == alone
    whole.close()
    assert scan(home) == []


@pytest.mark.requirement("FORGET-6")
def test_its_transcript_brings_nothing_of_it_back(whole: App) -> None:
    lived(whole, "s1", CANARY)
    erased(whole, session_id="s1")
    take(whole, session(SAID[CANARY], name="s1"), "both")
    assert not [content for content in held(whole, None) if CANARY in content]


@pytest.mark.requirement("FORGET-6")
def test_no_byte_of_an_agent_stays_not_even_its_name_in_the_sums(whole: App, home: Path) -> None:
    lived(whole, "s2", "harbour", agent="texi")
    lived(whole, "s1", CANARY, agent="quokkabot")
    keep(whole, f"The {CANARY} sleeps", agent="quokkabot")
    whole.history.trim(1 << 42, 0)
    assert any(row[0] == "quokkabot" for row in stats(whole, StatsInput(namespace=HERE, panel="agents")).rows)
    done = erased(whole, agent="quokkabot")
    assert [each.why for each in done.memories] == ["asked"]
    assert [row[0] for row in stats(whole, StatsInput(namespace=HERE, panel="agents")).rows] == ["texi"]
    assert not [each for each in scan(home, "quokkabot") if each.startswith("history")]
    assert all_of(whole, agent="quokkabot") == []
    assert all_of(whole, agent="texi")


@pytest.mark.requirement("FORGET-6")
def test_a_session_of_the_same_name_in_another_namespace_is_not_looked_at(whole: App) -> None:
    lived(whole, "s1", CANARY, THERE)
    assert all_of(whole, session_id="s1") == []
    assert not any(erased(whole, session_id="s1").places.values())
    there = [json.loads(each) for each in export_subject(whole, SubjectInput(namespace=THERE, session_id="s1"))]
    assert {each["record"] for each in there} >= {"memory", "receipts", "recall_events", "citations", "queries", "xray"}


@pytest.mark.requirement("FORGET-6")
def test_an_export_holds_everything_of_the_one_and_nothing_of_another(whole: App) -> None:
    lived(whole, "s1", CANARY)
    lived(whole, "s2", "harbour")
    observe_turns(whole, ObserveInput(namespace=HERE, lines=(WAITING,)))
    found = all_of(whole, session_id="s1")
    kinds = "memory episode turn receipts recall_events citations lifts_due queries uses xray"
    assert {each["record"] for each in found} == set(kinds.split())
    said = json.dumps(found)
    assert f"what is known of the {CANARY}?" in said
    assert f"the {CANARY} was right" in said
    assert "what is known of the harbour" not in said
    assert "the harbour was right" not in said


@pytest.mark.requirement("FORGET-6")
@pytest.mark.parametrize("who", [{}, {"session_id": "s1", "agent": "cody"}, {"session_id": ""}])
def test_nobody_or_two_at_once_is_refused(whole: App, who: dict[str, str]) -> None:
    for what in (lambda: erased(whole, **who), lambda: all_of(whole, **who)):
        with pytest.raises(InputError, match="one of the two"):
            what()


@pytest.mark.requirement("FORGET-6")
def test_an_erasure_of_history_alone_that_was_interrupted_is_finished(whole: App, home: Path) -> None:
    settle(whole)
    ask(whole, f"where is the {CANARY}", session_id="s1")
    subject = SubjectInput(namespace=HERE, session_id="s1")
    (home / "erasing").touch()
    whole.traces.erase(subject_of(subject))
    finish_erasures_if_possible(whole)
    assert not has_unfinished_erasure(whole)
    assert scan(home) == []
    assert whole.receipts.recalls("") == []
