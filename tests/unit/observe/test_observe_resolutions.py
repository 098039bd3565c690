"""Who may correct and take back, whose words a fact is made of, and what every category comes from."""

import pytest
from test_observe_cases import ENGLISH

from kits.extraction import FixedClock, accepted, judged, said, segment
from pellucid.model.memory import CATEGORIES, TRANSCRIBED, SourceClass
from pellucid.model.observation import Evidence, ExtractedFact, Resolution
from pellucid.model.turn import Segment, Turn
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.pipeline import observe
from pellucid.observe.source import turn_source_class


class Claiming:
    """An extractor that says what it is told to say."""

    def __init__(self, *facts: ExtractedFact) -> None:
        self.facts = facts

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        return list(self.facts)


def claim(start: int, end: int, resolves: Resolution | None = None) -> ExtractedFact:
    return ExtractedFact(
        category="fact",
        content="The cache TTL is 600 seconds",
        confidence=0.9,
        evidence=(Evidence(source="s", start=start, end=end),),
        resolves=resolves,
    )


TURNS = segment(
    said("The cache TTL is 600 seconds."),
    said("Noted.", 2, role="assistant"),
    said("ttl = 600", 3, role="tool", tool="Bash"),
    said("<html>600</html>", 4, role="tool", tool="WebFetch"),
)


@pytest.mark.parametrize(
    ("turn", "voice"),
    [
        (said("x"), "user_input"),
        (said("x", role="assistant"), "assistant_output"),
        (said("x", role="system"), "system_memory"),
        (said("x", role="tool", tool="Bash"), "tool_output"),
        (said("x", role="tool"), "tool_output"),
        (said("x", role="tool", tool="WebSearch"), "web_content"),
        (said("x", role="tool", tool="browser_navigate"), "web_content"),
        (said("x", role="tool", tool="Task"), "subagent_trace"),
    ],
)
def test_whose_words_a_turn_holds_is_told_by_its_role_and_tool(turn: Turn, voice: SourceClass) -> None:
    assert turn_source_class(turn) == voice


@pytest.mark.parametrize(
    ("start", "end", "voice"),
    [
        (1, 1, "user_input"),
        (1, 2, "assistant_output"),
        (1, 3, "tool_output"),
        (2, 4, "web_content"),
        (9, 9, "web_content"),
    ],
)
def test_an_observation_is_as_trusted_as_the_least_trusted_turn_of_its_evidence(
    start: int, end: int, voice: SourceClass
) -> None:
    (only,) = observe(TURNS, Claiming(claim(start, end)), HeuristicJudge(), FixedClock())
    assert only.source_class == voice


@pytest.mark.parametrize(("at", "entitled"), [(1, True), (2, False), (3, False), (4, False), (9, False)])
def test_only_a_persons_turn_takes_something_back_whatever_an_extractor_claims(at: int, *, entitled: bool) -> None:
    retraction = Resolution(kind="retraction", about="the TTL")
    (only,) = observe(TURNS, Claiming(claim(at, at, retraction)), HeuristicJudge(), FixedClock())
    assert (only.fact.resolves is not None) == entitled


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_a_retraction_that_no_person_said_is_ignored(role: str) -> None:
    assert accepted(segment(said("Forget what I said about the TTL.", role=role))) == []


def test_a_correction_names_the_old_value_and_stands_alone() -> None:
    kept = accepted(segment(said("The cache TTL is 300 s."), said("Actually it is 600.", 2)))
    assert [each.fact.content for each in kept] == ["The cache TTL is 300 s", "The cache TTL is 600 s"]
    corrected = kept[1].fact
    assert corrected.resolves == Resolution(kind="correction", about="300 s")
    assert (corrected.entity_ref, corrected.structured_attributes) == ("cache", {"ttl": "600 s"})
    assert [str(part) for part in corrected.evidence] == ["s:1-2"]


def test_what_is_corrected_in_the_same_breath_is_not_kept() -> None:
    kept = accepted(segment(said("The cache TTL is 300 s. Scratch that. It's 600 s.")))
    assert [each.fact.content for each in kept] == ["The cache TTL is 600 s"]


@pytest.mark.parametrize(
    "content", ["Actually quite nice.", "I forgot what I said.", "Don't forget the milk.", "别忘了。"]
)
def test_what_only_sounds_like_a_correction_or_retraction_resolves_nothing(content: str) -> None:
    found = judged(segment(said("The cache TTL is 300 s."), said(content, 2)))
    assert [each.fact.resolves for each in found if each.fact.resolves] == []


def test_a_denied_sentence_names_its_entity_and_states_no_attribute() -> None:
    (kept,) = accepted(segment(said("I no longer live in Lisbon with my sister.")))
    assert (kept.fact.entity_ref, kept.fact.structured_attributes) == ("user", {})


@pytest.mark.parametrize("content", ["猫が好きです。", "卵アレルギーです。", "我喜欢猫。", "我对花生过敏。"])
def test_a_short_fact_of_an_unspaced_script_is_not_dropped_as_trivial(content: str) -> None:
    assert len(accepted(segment(said(content)))) == 1


def test_every_category_but_the_verbatim_one_comes_out_of_the_extractor() -> None:
    kept = {each.fact.category for row in ENGLISH for each in accepted(segment(said(row[1])))}
    assert kept == set(CATEGORIES) - set(TRANSCRIBED)
