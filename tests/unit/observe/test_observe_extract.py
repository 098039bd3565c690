"""Turns in, facts out: who said it, when it was, what it rests on."""

from datetime import UTC, datetime

import pytest

from kits.extraction import accepted, accepted_of, judged, said, segment
from pellucid.model.turn import Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.extract.polish import polish
from pellucid.observe.language import LANGUAGES, detect_language, load_language
from pellucid.observe.prose import blocks, captions, sentences


def contents(*turns: Turn) -> list[str]:
    return [kept.fact.content for kept in accepted(segment(*turns))]


def test_a_named_speaker_stands_in_front_of_what_they_said() -> None:
    assert contents(said("I moved to Lisbon in March.", speaker="Ana")) == ["Ana: I moved to Lisbon in March"]


def test_an_unnamed_user_who_speaks_of_themselves_is_called_user() -> None:
    assert contents(said("I prefer tabs over spaces.")) == ["User: I prefer tabs over spaces"]
    assert contents(said("The nightly export takes 40 minutes.")) == ["The nightly export takes 40 minutes"]


def test_you_is_explained_by_the_other_speaker_of_a_chat() -> None:
    turns = said("Who is my manager?", 1, speaker="Tom"), said("You report to Farid.", 2, speaker="Pri")
    assert contents(*turns) == ["Pri (to Tom): You report to Farid"]


def test_greetings_fillers_and_lead_ins_are_trimmed_but_the_words_stay() -> None:
    assert contents(said("Hey Mel! Oh wow, by the way, I adopted a puppy last week!!", speaker="Jo")) == [
        "Jo: I adopted a puppy last week (week of 2026-04-13)"
    ]
    assert contents(said("Talked to Ines and Jonas at lunch: we'll cut releases every Tuesday.")) == [
        "We'll cut releases every Tuesday"
    ]


@pytest.mark.requirement("OBS-4")
@pytest.mark.parametrize(
    ("phrase", "resolved"),
    [
        ("yesterday", "yesterday (2026-04-22)"),
        ("last week", "last week (week of 2026-04-13)"),
        ("next month", "next month (2026-05)"),
        ("last year", "last year (2025)"),
        ("three days ago", "three days ago (2026-04-20)"),
        ("two months ago", "two months ago (2026-02)"),
        ("last Friday", "last Friday (2026-04-17)"),
        ("last weekend", "last weekend (2026-04-18)"),
        ("in two weeks", "in two weeks (week of 2026-05-04)"),
    ],
)
def test_a_relative_date_gets_its_absolute_one_beside_it(phrase: str, resolved: str) -> None:
    assert contents(said(f"I visited Porto with Lea {phrase}.")) == [f"User: I visited Porto with Lea {resolved}"]


@pytest.mark.parametrize(
    ("sentence", "resolved"),
    [
        ("Ich habe gestern eine Katze adoptiert.", "gestern (2026-04-22)"),
        ("Compré una bicicleta hace dos semanas.", "hace dos semanas (week of 2026-04-06)"),
        ("先週リスボンに引っ越しました。", "先週(week of 2026-04-13)"),
        ("我昨天买了一辆自行车。", "昨天(2026-04-22)"),
    ],
)
def test_relative_dates_are_resolved_in_other_languages(sentence: str, resolved: str) -> None:
    (kept,) = accepted_of(sentence)
    assert resolved in kept.fact.content


def test_a_deadline_weekday_is_the_next_one_and_never_today() -> None:
    assert contents(said("I'll send the numbers to Ines by Friday.")) == [
        "User: I'll send the numbers to Ines by Friday (2026-04-24)"
    ]
    (kept,) = accepted_of("I'll send the numbers to Ines by Thursday.")
    assert "(2026-04-30)" in kept.fact.content


def test_without_a_time_no_date_is_made_up() -> None:
    assert contents(said("I visited Porto yesterday.", at=None)) == ["User: I visited Porto yesterday"]


def test_a_date_heading_dates_the_notes_below_it() -> None:
    turns = said("2026-03-02 Standup", 1, at=None), said("Amara: I'll send the invoice tomorrow.", 2, at=None)
    assert contents(*turns) == ["Amara: I'll send the invoice tomorrow (2026-03-03)"]


def test_an_impossible_date_heading_is_ignored() -> None:
    turns = said("2026-02-31 Standup", 1, at=None), said("Amara: I'll send the invoice tomorrow.", 2, at=None)
    assert contents(*turns) == ["Amara: I'll send the invoice tomorrow"]


def test_a_short_answer_takes_its_question_into_content_and_evidence() -> None:
    turns = (
        said("When is the planning meeting?", 1, speaker="Tom"),
        said("Every Tuesday at 10:00.", 2, role="assistant", speaker="Pri"),
    )
    (kept,) = accepted(segment(*turns))
    assert kept.fact.content == "Tom: When is the planning meeting? Pri: Every Tuesday at 10:00"
    assert [str(part) for part in kept.fact.evidence] == ["s:1-2"]


def test_a_bare_yes_is_no_fact() -> None:
    assert contents(said("Do you have kids?", 1, speaker="A"), said("Yes.", 2, speaker="B")) == []


def test_nobody_answers_themselves_and_nobody_answers_across_a_gap() -> None:
    asked = said("When is the planning meeting?", 1, speaker="A")
    assert not any("When is" in text for text in contents(asked, said("Every Tuesday at ten.", 2, speaker="A")))
    assert not any("When is" in text for text in contents(asked, said("Every Tuesday at ten.", 5, speaker="B")))


def test_a_pronoun_takes_the_sentence_before_it_along() -> None:
    text = "The image resizer is moved to the new cluster. It writes thumbnails to the media-eu bucket."
    assert contents(said(text)) == [text[:-1]]


def test_a_pronoun_that_nothing_explains_is_deferred() -> None:
    (observation,) = judged(segment(said("It writes thumbnails to the media-eu bucket.")))
    assert (observation.verdict, observation.judge_accepted) == ("defer", False)
    assert observation.verdict_reason.startswith("unresolved-reference: ")


def test_the_caption_of_a_shared_picture_explains_what_is_pointed_at() -> None:
    text = "Here's the bowl I made in my pottery class yesterday. [shares image: a photo of a blue bowl]"
    (kept,) = accepted_of(text, speaker="Mel")
    assert kept.fact.content.endswith("yesterday (2026-04-22) [image: a blue bowl]")


def test_a_plain_statement_of_a_value_becomes_an_attribute() -> None:
    (kept,) = accepted_of("The cache TTL is 300 seconds.")
    assert (kept.fact.entity_ref, kept.fact.structured_attributes) == ("cache", {"ttl": "300 seconds"})
    (kept,) = accepted_of("Cache settings live in config/cache.toml.")
    assert (kept.fact.entity_ref, kept.fact.structured_attributes) == (
        "cache-settings",
        {"location": "config/cache.toml"},
    )


@pytest.mark.parametrize(
    "sentence", ["The cache TTL is short because tariffs change daily.", "My favorite city is one of the old ones."]
)
def test_a_vague_value_is_no_attribute(sentence: str) -> None:
    assert all(kept.fact.entity_ref is None for kept in accepted_of(sentence))


def test_tags_are_few_lower_case_and_never_the_speaker() -> None:
    (kept,) = accepted_of("I moved to Lisbon with Ana and our greyhound in March.", speaker="Ana")
    assert kept.fact.tags == ("moved", "lisbon", "greyhound", "march")


def test_a_procedure_needs_two_steps_and_a_reason() -> None:
    steps = "1. Set enabled = false\n2. Run make deploy-config"
    (kept,) = accepted_of(f"Nothing is written down yet. To roll back the cache:\n{steps}\nThanks!")
    assert kept.fact.category == "procedure"
    assert kept.fact.content == f"To roll back the cache:\n{steps}"
    assert accepted_of("To roll back the cache:\n1. Set enabled = false") == []
    assert "procedure" not in {kept.fact.category for kept in accepted_of(f"Findings so far\n{steps}")}


def test_while_debugging_what_an_agent_is_about_to_do_is_not_heard_and_what_is_decided_is() -> None:
    failing = said("1 failed, 3 passed in 2.1s", 1, role="tool", tool="Bash")
    guess = said("It could be the refresher thread. Let me look at it.", 2, role="assistant")
    assert contents(failing, guess, said("def refresh(): ...", 3, role="tool", tool="Read")) == []
    assert contents(failing, said("We decided to drop the refresher thread.", 2)) == [
        "We decided to drop the refresher thread"
    ]


def test_hedges_cost_confidence() -> None:
    (sure,) = accepted_of("I moved to Lisbon in March.")
    (softer,) = accepted_of("I think the nightly export takes 40 minutes.") or [sure]
    (unsure,) = judged(segment(said("Maybe we decided to use Postgres.")))
    assert softer.fact.confidence <= sure.fact.confidence == 0.9
    assert unsure.verdict_reason.startswith("speculative: ")


def test_a_doubt_at_the_end_does_not_cost_what_was_said_before_it() -> None:
    assert contents(said("I have a pottery class on Fridays, but maybe I should switch.")) == [
        "User: I have a pottery class on Fridays"
    ]


def test_what_a_question_tells_before_it_asks_is_kept() -> None:
    assert contents(said("I moved to Lisbon in March, do you know any good cafés there?")) == [
        "User: I moved to Lisbon in March"
    ]
    assert contents(said("Do you know the new cafés in Lisbon, and are they any good?")) == []


def test_extraction_is_deterministic_and_evidence_stays_within_three_turns() -> None:
    turns = [said(f"I bought {number} boats in Porto yesterday.", number, speaker="Ana") for number in range(1, 9)]
    first, second = (HeuristicExtractor().extract(segment(*turns)) for _ in range(2))
    assert first == second != []
    assert all(part.end - part.start < 3 for fact in first for part in fact.evidence)


def test_a_long_flood_of_anything_is_read_in_time() -> None:
    floods = [" " * 20_000 + "x", "\n" * 20_000, "a: " * 6_000, "[shares image: " * 1_400, "we will a " * 2_000]
    assert [contents(said(flood)) for flood in floods] == [[]] * len(floods)


def test_machine_lines_tables_and_code_are_not_prose() -> None:
    text = "Look:\n```py\nx = 1\n```\n    indented()\n| a | b |\n$ make all\n  at foo (bar.js:3)\nThe end."
    assert [block.text for block in blocks(text)] == ["Look:", "The end."]


def test_hard_wrapped_lines_are_one_sentence_and_notes_know_their_speaker() -> None:
    found = blocks("Amara: The bucket costs\n310 euros a month.\n- Kenji: I am out\n  on Friday\nNote: nothing else")
    assert [(block.speaker, block.text) for block in found] == [
        ("Amara", "The bucket costs 310 euros a month."),
        ("Kenji", "I am out on Friday"),
        (None, "Note: nothing else"),
    ]


def test_abbreviations_do_not_end_a_sentence_and_cjk_marks_do() -> None:
    assert sentences("J.K. Rowling, e.g. her books, vs. others. Dr. No! Really?") == (
        "J.K. Rowling, e.g. her books, vs. others.",
        "Dr. No!",
        "Really?",
    )
    assert sentences("猫が好きです。犬も好き！") == ("猫が好きです。", "犬も好き！")


def test_captions_are_read_apart_from_the_words() -> None:
    text = "Look! [shares image: a lake at dawn]"
    assert captions(text) == ("a lake at dawn",)
    assert [block.text for block in blocks(text)] == ["Look!"]


@pytest.mark.requirement("OBS-5")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The cache is not for reports", "en"),
        ("Ich habe das nicht gewusst", "de"),
        ("No tengo ganas de ir a la playa", "es"),
        ("猫が好きです", "ja"),
        ("我喜欢猫", "zh"),
        ("", "en"),
        ("12345", "en"),
    ],
)
def test_the_language_is_told_by_script_and_function_words(text: str, code: str) -> None:
    assert detect_language(text).code == code


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_cue_table_loads_and_starts_its_rows_as_promised(code: str) -> None:
    language = load_language(code)
    assert language.code == code
    assert language.cues
    for rows in language.cues.values():
        assert all(0 < confidence <= 1 and pattern for confidence, pattern in rows)


def test_polish_leaves_nothing_of_a_mere_greeting() -> None:
    english = load_language("en")
    assert polish("Hey Caroline!", english) == ""
    assert polish("So, well, I moved 😀!!", english) == "I moved"


def test_a_turn_without_time_is_observed_now_and_one_with_time_then() -> None:
    then = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    (dated,) = accepted_of("I moved to Lisbon in March.", at=then)
    (undated,) = accepted_of("I moved to Lisbon in March.", at=None)
    assert dated.observed_at == then
    assert undated.observed_at.year == 2026
