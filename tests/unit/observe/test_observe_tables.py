"""The tables of what extraction alone answers for: each row beside its near miss, in five languages."""

from collections import Counter
from pathlib import Path

import pytest

from kits.case_tables import CASES, kept_of, kept_through_capture, rows

LEAST = 4


@pytest.mark.parametrize(("language", "sentence", "entity", "attributes", "near"), rows("multi_attribute"))
def test_a_sentence_that_states_several_attributes_gives_each_of_them(
    language: str, sentence: str, entity: str, attributes: dict[str, str], near: str
) -> None:
    (kept,) = kept_of(sentence)
    assert (kept.fact.entity_ref, kept.fact.structured_attributes) == (entity, attributes)
    assert [each.fact.structured_attributes for each in kept_of(near) if each.fact.structured_attributes] == []


@pytest.mark.parametrize(("behaviour", "language", "sentence", "words", "near"), rows("kept"))
def test_letters_and_dates_of_any_language_survive(
    behaviour: str, language: str, sentence: str, words: str, near: str
) -> None:
    assert any(words in kept.fact.content for kept in kept_of(sentence))
    assert [kept.fact.content for kept in kept_of(near)] == []


@pytest.mark.parametrize(("language", "chatter", "durable", "words"), rows("chatter"))
def test_chatter_leaves_nothing_and_a_durable_look_alike_is_kept(
    language: str, chatter: str, durable: str, words: str
) -> None:
    assert [kept.fact.content for kept in kept_of(chatter)] == []
    assert any(words in kept.fact.content for kept in kept_of(durable))


@pytest.mark.parametrize(("language", "sentence", "secret", "near", "words"), rows("secrets"))
def test_a_secret_stays_outside_and_a_sentence_about_secrets_is_kept(
    language: str, sentence: str, secret: str, near: str, words: str, tmp_path: Path
) -> None:
    told = [kept.model_dump_json() for kept in kept_through_capture(sentence, tmp_path)]
    assert not any(secret in each for each in told)
    assert any(words in kept.fact.content for kept in kept_through_capture(near, tmp_path))


def test_every_behaviour_has_four_rows_or_more_in_each_of_its_languages() -> None:
    counted: Counter[tuple[str, str]] = Counter()
    for path in CASES.glob("*.toml"):
        for row in rows(path.stem):
            counted[(row[0], row[1]) if path.stem == "kept" else (path.stem, row[0])] += 1
    assert min(counted.values()) >= LEAST
    assert sum(counted.values()) >= 160
    assert {behaviour for behaviour, _ in counted} >= {
        "dedup",
        "negation",
        "reversion",
        "correction",
        "retraction",
        "multi_attribute",
        "cross_entity",
        "accents",
        "cjk",
        "dates",
        "secrets",
        "chatter",
    }
