"""Whose words a turn repeats: what is pasted, and what is not."""

from datetime import UTC, datetime

import pytest

from pellucid.language.quoting.voices import foreign_and_own
from pellucid.model.observation import Evidence, ExtractedFact, MemoryObservation
from pellucid.observe.source import reject_repetition


@pytest.mark.requirement("TRUST-2")
@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Look:\n> quoted\nmine", "> quoted"),
        ("```\ncode\n```\nmine", "```\ncode\n```"),
        ("From their website:\nall of\nthis", "all of\nthis"),
        ("Von der Seite:\nalles", "alles"),
        ("この記事から：\n全部", "全部"),
        ("---- begin forwarded ----\nwords\n---- end ----\nmine", "---- begin forwarded ----\nwords\n---- end ----"),
    ],
)
def test_quotes_fences_and_what_follows_a_lead_in_are_pasted(text: str, inside: str) -> None:
    assert foreign_and_own(text)[0] == inside


@pytest.mark.requirement("TRUST-2")
@pytest.mark.parametrize(
    "text",
    [
        "We decided two things:\n- one\n- two",
        "The page: it loads slowly.",
        "Meeting notes:\nwe ship on Tuesday",
        "a > b",
    ],
)
def test_ones_own_lists_and_notes_are_not(text: str) -> None:
    assert foreign_and_own(text) == ("", text)


KNOWN = "The lock on a berth expired after 30 seconds while the payment was open"


def _observed(content: str, source: str = "assistant_output") -> MemoryObservation:
    return MemoryObservation(
        id="obs_0",
        session_id="s",
        importance=0.7,
        observed_at=datetime(2026, 4, 22, tzinfo=UTC),
        fact=ExtractedFact(
            content=content, category="fact", evidence=(Evidence(source="s", start=1, end=1),), confidence=0.9
        ),
        source_class=source,
        verdict="accept",
        verdict_reason="durable",
        judge_accepted=True,
    )


@pytest.mark.parametrize(
    "said", [KNOWN, f"As we know: {KNOWN}", f"From memory, {KNOWN[0].lower()}{KNOWN[1:]}.", f"Recalled — {KNOWN}"]
)
def test_what_an_agent_was_served_and_says_again_is_no_news(said: str) -> None:
    found = reject_repetition(_observed(said), {"mem_1": KNOWN})
    assert not found.judge_accepted
    assert found.verdict_reason.startswith("recalled: ")
    assert "mem_1" in found.verdict_reason


@pytest.mark.parametrize(
    "said",
    [
        "The lock on a berth expired after 90 seconds while the payment was open",  # another number
        "The lock on a berth never expired after 30 seconds while the payment was open",  # denied
        "The payment expired after 30 seconds while the lock on a berth was open",  # the other way round
        "The lock on a berth expired after 30 seconds while the payment was open: raise it to 90",  # says more
        "The lock expired",  # says little of it: something else may be meant
    ],
)
def test_what_an_agent_says_otherwise_is_news(said: str) -> None:
    assert reject_repetition(_observed(said), {"mem_1": KNOWN}).judge_accepted


def test_what_a_person_says_again_counts_as_said_by_a_person() -> None:
    assert reject_repetition(_observed(KNOWN, "user_input"), {"mem_1": KNOWN}).judge_accepted
