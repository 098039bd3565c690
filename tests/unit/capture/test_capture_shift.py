"""Turns about one thing, then about another, in; where the topic changed out."""

from collections.abc import Sequence

import numpy as np

from pellucid.capture.segment import count_reached, cut_waiting, segments, turn_count
from pellucid.capture.shift import WORDS_THRESHOLD, MeaningDistance, topic_shift, topic_start, word_distance
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.model.turn import Turn

CACHE = [
    "The quote cache keeps one entry for each tenant and tariff.",
    "How large does the cache grow when a tenant edits a tariff?",
    "A cache entry is three kilobytes, and a tenant has forty tariffs.",
    "Then the cache of a tenant fits in memory, whatever the tariff.",
    "The tariff version is part of the cache key of the tenant.",
    "When the tariff changes the old cache entry is never read again.",
    "Each tenant may empty its cache, and the next quote fills it.",
    "The cache counts hits and misses for each tenant and tariff.",
]
HOLIDAY = [
    "My sister wants to spend August on a small island with a beach.",
    "The island ferry leaves from the harbour, and the beach has a campsite.",
    "Is the campsite on the island open in August for families?",
    "My sister booked two tents at the campsite near the beach.",
    "The beach of the island is sandy, which her children love.",
    "The ferry to the island takes her children for half the price.",
]


def said(texts: Sequence[str]) -> list[Turn]:
    return [Turn("s", at, "user" if at % 2 else "assistant", text) for at, text in enumerate(texts, start=1)]


def test_a_new_topic_is_cut_before_its_first_turn_by_words() -> None:
    assert topic_start(said([*CACHE, *HOLIDAY]), word_distance, WORDS_THRESHOLD) == len(CACHE)


def test_and_by_meaning(minilm: MiniLM) -> None:
    apart = MeaningDistance(lambda texts: (each.vector for each in minilm.encode(texts)))
    assert topic_start(said([*CACHE, *HOLIDAY]), apart, 0.65) == len(CACHE)


def test_one_topic_is_not_cut(minilm: MiniLM) -> None:
    apart = MeaningDistance(lambda texts: (each.vector for each in minilm.encode(texts)))
    assert topic_start(said([*CACHE, *CACHE[:4]]), word_distance, WORDS_THRESHOLD) is None
    assert topic_start(said([*CACHE, *CACHE[:4]]), apart, 0.65) is None


def test_tool_output_and_acknowledgements_have_no_topic() -> None:
    chatter = [Turn("s", at, "tool", "error at line forty of beach campsite ferry") for at in range(20, 40)]
    nods = [Turn("s", at, "user", "ok") for at in range(40, 60)]
    assert topic_start([*said(CACHE), *chatter, *nods], word_distance, WORDS_THRESHOLD) is None


def test_a_segment_has_six_turns_at_least() -> None:
    assert topic_start(said([*CACHE[:5], *HOLIDAY]), word_distance, WORDS_THRESHOLD) not in range(1, 6)


def test_the_turns_that_moved_begin_the_next_segment_and_none_is_lost() -> None:
    turns = said([*CACHE, *HOLIDAY])

    cut = list(segments(turns, [turn_count(40), topic_shift(word_distance, WORDS_THRESHOLD)]))

    assert [(each.signal, len(each.turns)) for each in cut] == [
        ("topic_shift", len(CACHE)),
        ("session_end", len(HOLIDAY)),
    ]
    assert [turn for each in cut for turn in each.turns] == turns


def test_texts_are_encoded_once() -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> list[np.ndarray]:
        asked.extend(texts)
        return [np.eye(1, 8, len(text) % 8, dtype=np.float32)[0] for text in texts]

    apart = MeaningDistance(encode)
    for _ in range(3):
        topic_start(said([*CACHE, *HOLIDAY]), apart, 2.0)
    assert len(asked) == len(set(asked)) == len(CACHE) + len(HOLIDAY)


def test_a_full_segment_is_cut_without_waiting_and_the_same_as_an_import_would() -> None:
    turns = said([f"turn number {number}" for number in range(11)])

    whole, rest = cut_waiting(turns, [count_reached(4)])

    imported = list(segments(turns, [turn_count(4)]))
    assert [each.turns for each in whole] == [each.turns for each in imported[:-1]]
    assert tuple(rest) == imported[-1].turns
    assert {each.signal for each in whole} == {"turn_count"}
