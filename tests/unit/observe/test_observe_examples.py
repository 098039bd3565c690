"""The example sessions in, what a reader would want to find again out."""

import json

import pytest

from kits.extraction import EXAMPLES, example, example_turns
from pellucid.model.observation import MemoryObservation


def kept(name: str) -> list[MemoryObservation]:
    return [observation for observation in example(name) if observation.judge_accepted]


def found(name: str, words: str) -> MemoryObservation:
    (only,) = [observation for observation in kept(name) if words in observation.fact.content]
    return only


CODING = "caching-layer.jsonl"


@pytest.mark.requirement("OBS-1")
@pytest.mark.parametrize(
    ("words", "category", "confidence", "importance"),
    [
        ("We'll cut releases every Tuesday", "decision", 0.95, 0.8),
        ("Postgres replica lag alarm fires when GC pauses cross 200ms", "fact", 0.9, 0.75),
        ("caching layer should be per-tenant, not global", "principle", 0.85, 0.7),
    ],
)
def test_decision_alarm_and_principle_survive_four_hours_of_coding(
    words: str, category: str, confidence: float, importance: float
) -> None:
    observation = found(CODING, words)
    assert (observation.fact.category, observation.fact.confidence) == (category, confidence)
    assert observation.importance >= importance


@pytest.mark.requirement("OBS-1")
def test_debugging_the_flaky_test_leaves_the_cause_and_no_step_of_the_search() -> None:
    turns = example_turns(CODING)
    (failed,) = [turn.ordinal for turn in turns if "1 failed, 169 passed" in turn.content]
    (fixed,) = [turn.ordinal for turn in turns if "commit that and let's get back" in turn.content]
    assert fixed - failed > 25
    left = [
        observation.fact.content
        for observation in kept(CODING)
        if any(failed <= part.end and part.start <= fixed for part in observation.fact.evidence)
    ]
    assert len(left) <= 2
    assert any("background thread from the previous test" in each for each in left)


def test_four_hours_come_down_to_a_page() -> None:
    turns = example_turns(CODING)
    trace = sum(len(turn.content) for turn in turns)
    assert len(turns) >= 120
    assert (turns[-1].at - turns[0].at).total_seconds() > 4 * 3600  # type: ignore[operator]
    observations = kept(CODING)
    assert 24 <= len(observations) <= 60
    assert trace > 4 * sum(len(observation.fact.content) for observation in observations)


@pytest.mark.parametrize(
    ("name", "words", "category"),
    [
        (CODING, "quote cache TTL is 300 seconds", "decision"),
        (CODING, "Cache settings live in config/cache.toml", "fact"),
        (CODING, "I prefer small pull requests", "preference"),
        (CODING, "every 15 minutes, not hourly", "correction"),
        (CODING, "To roll back the quote cache:\n1. Set enabled = false", "procedure"),
        (CODING, "by Friday (2026-04-24)", "commitment"),
        (CODING, "pricing service, which Ines owns", "relationship"),
        ("billing-migration.jsonl", "one weekend, 16 and 17 May", "decision"),
        ("billing-migration.jsonl", "invoices table has no currency column", "correction"),
        ("billing-migration.jsonl", "Never renumber an issued invoice", "rule"),
        ("billing-migration.jsonl", "run sheet, in order:", "procedure"),
        ("billing-migration.jsonl", "rehearse it on 9 May", "commitment"),
        ("onboarding-chat.json", "You report to Farid", "relationship"),
        ("onboarding-chat.json", "allergic to coffee", "fact"),
        ("onboarding-chat.json", "Every second Thursday at 10:00", "fact"),
        ("onboarding-chat.json", "Never restart the gateway on a Monday morning", "rule"),
        ("onboarding-chat.json", "I moved to Porto from Valencia", "fact"),
        ("standup-notes.txt", "freeze the public API on 20 March", "decision"),
        ("standup-notes.txt", "three nodes, not five as the wiki says", "correction"),
        ("standup-notes.txt", "cost comparison to finance by Thursday (2026-03-05)", "commitment"),
    ],
)
def test_every_example_holds_the_answers_its_readme_promises(name: str, words: str, category: str) -> None:
    assert found(name, words).fact.category == category


def test_two_runs_over_a_session_say_the_same() -> None:
    assert example(CODING) == example(CODING)


@pytest.mark.requirement("OBS-3")
def test_every_candidate_comes_back_with_a_reason() -> None:
    for name in sorted(path.name for path in EXAMPLES.iterdir()):
        for observation in example(name):
            code, _, words = observation.verdict_reason.partition(": ")
            assert code
            assert words
            assert observation.judge_accepted == (observation.verdict == "accept")


def test_the_example_transcripts_are_well_formed_lines() -> None:
    for path in EXAMPLES.glob("*.jsonl"):
        assert all(isinstance(json.loads(line), dict) for line in path.read_text("utf-8").splitlines())
