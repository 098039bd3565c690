"""Facts in, importance and rulings out."""

import pytest

from kits.extraction import THURSDAY, FixedClock, accepted_of, said, segment
from pellucid.model.observation import Evidence, ExtractedFact
from pellucid.model.turn import Segment, Turn
from pellucid.observe.importance import score_importance
from pellucid.observe.judge import CAP_BASE, Candidate, HeuristicJudge
from pellucid.observe.pipeline import observe


def fact(content: str, category: str = "fact", confidence: float = 0.9, **more: object) -> ExtractedFact:
    return ExtractedFact.model_validate(
        {"category": category, "content": content, "confidence": confidence, "tags": (), **more}
    )


def ruling(*facts: ExtractedFact, turns: int = 1) -> list[str]:
    candidates = [Candidate(each, score_importance(each)) for each in facts]
    given = segment(*(said("…", ordinal) for ordinal in range(1, turns + 1)))
    return [f"{each.verdict} {each.code}" for each in HeuristicJudge().judge(candidates, given)]


def test_the_three_of_the_reference_session_weigh_what_they_should() -> None:
    (decision,) = accepted_of("We'll cut releases every Tuesday.")
    (alarm,) = accepted_of("The Postgres replica lag alarm fires when GC pauses cross 200ms.")
    (principle,) = accepted_of("The caching layer should be per-tenant, not global.")
    assert (decision.importance, alarm.importance, principle.importance) == (0.82, 0.78, 0.74)


@pytest.mark.requirement("OBS-2")
def test_contributions_are_named_and_sum_to_the_score() -> None:
    scored = score_importance(fact("Never restart the gateway on a Monday at 9:30", "rule", tags=("gateway",)))
    assert scored.score == pytest.approx(sum(share.value for share in scored.contributions), abs=0.005)
    assert [share.name for share in scored.contributions] == [
        "base",
        "category:rule",
        "specifics:number",
        "specifics:date",
        "cue:critical",
        "tags",
        "length",
    ]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("The export takes 40 minutes", "The export takes a while"),
        ("Never touch the gateway config", "Sometimes touch the gateway config"),
        ("The export uses Postgres daily", "The export uses something daily"),
        ("I moved to the coast for good", "Somebody moved to the coast"),
        ("The export takes ages to finish", "Perhaps the export takes ages to finish"),
        ("The export finishes on Tuesday mornings", "The export finishes in the mornings"),
    ],
)
def test_specifics_and_strong_cues_raise_and_hedges_lower(more: str, less: str) -> None:
    assert score_importance(fact(more)).score > score_importance(fact(less)).score


def test_the_score_stays_within_bounds_and_two_decimals() -> None:
    loud = "I must never, always 2026-01-01 9:30 use Postgres, Redis and Kafka in PROD for 300ms because critical"
    top = score_importance(fact(loud, "decision", tags=tuple("abcde")))
    assert top.score == round(top.score, 2) <= 1.0
    assert score_importance(fact("eh")).score >= 0.0


@pytest.mark.parametrize("content", ["我喜欢猫", "猫が好きです", "고양이 두 마리", "ฉันมีแมว", "Живу в Риге"])
def test_a_short_fact_in_another_script_is_not_trivial(content: str) -> None:
    assert score_importance(fact(content)).score >= 0.4
    assert ruling(fact(content)) == ["accept durable"]


@pytest.mark.parametrize(
    ("content", "confidence", "expected"),
    [
        ("Do we cut releases on Tuesday?", 0.9, "reject question"),
        ("Thanks a lot", 0.9, "reject chatter"),
        ("The test fails again on the build host", 0.9, "reject transient"),
        ("Keep going with it", 0.9, "reject too-vague"),
        ("It uses 300 seconds per tenant", 0.9, "defer unresolved-reference"),
        ("The export takes 40 minutes", 0.3, "reject speculative"),
        ("The export takes 40 minutes", 0.9, "accept durable"),
        ("Ana: Where is the export?", 0.9, "reject question"),
    ],
)
def test_any_extractors_candidate_gets_a_reason(content: str, confidence: float, expected: str) -> None:
    assert ruling(fact(content, confidence=confidence)) == [expected]


def test_what_weighs_too_little_is_rejected_with_the_numbers() -> None:
    light = Candidate(fact("Rivers bend"), score_importance(fact("Rivers bend", "moment")))
    (given,) = HeuristicJudge().judge([light], segment(said("…")))
    assert given.reason == "below-importance: 0.25 of 0.40"


@pytest.mark.requirement("OBS-4")
def test_the_same_words_in_another_dress_are_a_duplicate_and_a_negation_is_not() -> None:
    same = fact("The export takes 40 minutes"), fact("the EXPORT takes 40 minutes!")
    assert ruling(*same) == ["accept durable", "reject duplicate-in-segment"]
    other = fact("The export does write to Postgres"), fact("The export does not write to Postgres")
    assert ruling(*other) == ["accept durable", "accept durable"]


def test_the_same_words_about_two_entities_are_two_facts() -> None:
    twins = fact("The TTL is 300 seconds", entity_ref="cache"), fact("The TTL is 300 seconds", entity_ref="session")
    assert ruling(*twins) == ["accept durable", "accept durable"]


def test_a_rejected_twin_does_not_hide_a_good_one() -> None:
    unsure = fact("The export takes 40 minutes", confidence=0.2), fact("The export takes 40 minutes")
    assert ruling(*unsure) == ["reject speculative", "accept durable"]


def test_beyond_the_cap_the_least_important_go() -> None:
    few = [fact(f"The export of region {letter} takes 40 minutes") for letter in "abcdefghij"]
    weighty = fact("We decided to cut releases every Tuesday", "decision")
    rulings = ruling(*few, weighty, turns=2)
    assert rulings.count("accept durable") == CAP_BASE + 1
    assert rulings.count("reject cap-reached") == len(few) + 1 - (CAP_BASE + 1)
    assert rulings[-1] == "accept durable"


class OneFact:
    """An extractor of somebody else's: one fact, whatever was said."""

    def extract(self, segment: Segment) -> list[ExtractedFact]:
        return [fact("The export takes 40 minutes", evidence=(Evidence(source="s", start=1, end=1),))]


def test_any_extractor_can_be_put_in_front_of_the_same_judge() -> None:
    (observation,) = observe(segment(said("…")), OneFact(), HeuristicJudge(), FixedClock())
    assert observation.id == f"obs_{1:032x}"
    assert (observation.session_id, observation.observed_at) == ("s", THURSDAY)
    assert (observation.verdict, observation.judge_accepted) == ("accept", True)
    assert observation.importance_contributions[0].name == "base"


def test_an_empty_segment_gives_nothing() -> None:
    assert accepted_of("") == []
    assert observe(segment(), OneFact(), HeuristicJudge(), FixedClock())[0].observed_at == THURSDAY


def rulings_of_agent(*contents: str) -> list[str]:
    """The codes of an agent's facts at work, a turn each."""
    turns = tuple(
        Turn("s", number, "assistant", text, agent="claude-code") for number, text in enumerate(contents, start=1)
    )
    facts = [
        fact(text, evidence=(Evidence(source="s", start=number, end=number),))
        for number, text in enumerate(contents, start=1)
    ]
    candidates = [Candidate(each, score_importance(each)) for each in facts]
    return [each.code for each in HeuristicJudge().judge(candidates, Segment("s", turns, "session_end"))]


FULLER = (
    "Committed: Count each refund once. The office report read the staged refunds of every till twice, since the"
    " spooler restarted at 4 in the night"
)


def test_what_an_agent_says_again_in_fewer_words_is_a_repetition_whichever_comes_first() -> None:
    brief = "The office report read the staged refunds of every till twice"
    assert rulings_of_agent(brief, FULLER) == ["duplicate-in-segment", "durable"]
    assert rulings_of_agent(FULLER, brief) == ["durable", "duplicate-in-segment"]


@pytest.mark.parametrize(
    "changed",
    [
        "The office report read the staged refunds of every till 3 times",
        "The office report never read the staged refunds of every till twice",
        "The office report read the archived receipts of the yard twice",
    ],
)
def test_what_an_agent_changes_or_denies_is_no_repetition(changed: str) -> None:
    assert rulings_of_agent(changed, FULLER) == ["durable", "durable"]
