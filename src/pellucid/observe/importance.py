"""An extracted fact in, its importance in [0, 1] and the named contributions to it out: local, in any script."""

import re
from dataclasses import dataclass
from math import fsum

from pellucid.language.words import reading_length, stop_words, words
from pellucid.model.memory import Category
from pellucid.model.observation import Contribution, ExtractedFact
from pellucid.observe.language import Language, detect_language

BASE = 0.45
BY_CATEGORY: dict[Category, float] = {
    "decision": 0.20,
    "correction": 0.18,
    "principle": 0.17,
    "rule": 0.17,
    "procedure": 0.15,
    "commitment": 0.12,
    "reasoning_trace": 0.12,
    "preference": 0.10,
    "relationship": 0.10,
    "skill": 0.08,
    "fact": 0.08,
    "entity": 0.06,
    "moment": 0.0,
    "section": 0.0,
}

_SPEAKER = re.compile(r"^[^\W\d_][^:?!\n]{0,40}: (?=\S)")
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万両](?=[年月日時时人匹个個歳岁円元分秒])")
_UNIT = re.compile(r"\d ?(?:%|[a-zµ]{1,7}\b|[年月日時时人匹个個歳岁円元分秒])", re.IGNORECASE)
_DATE = re.compile(r"\b\d{4}-\d\d|\b\d\d?:\d\d\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_NAMED = re.compile(r"(?<=[\w,;:] )(?!I\b|I')[A-ZÀ-Þ][\w-]+|\b\w+[./_]\w+|\b[A-Z]{2,}\b|[\u30a0-\u30ff]{3,}")
_WEEKDAY = re.compile(r"^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?$")
_SHORT, _FULL, _LONG = 3, 5, 60


@dataclass(frozen=True, slots=True)
class Importance:
    """A score in [0, 1], rounded to two decimals, and the contributions that add up to it."""

    score: float
    contributions: tuple[Contribution, ...]


def without_speaker(content: str) -> str:
    """Return the content without the speaker's name at its beginning (`Ann: `); unchanged if it has none.

    Any words of at most 41 characters before a first colon and blank count as a name: `Decided: `, too.
    """
    return _SPEAKER.sub("", content, count=1)


def score_importance(fact: ExtractedFact) -> Importance:
    """Score how important a fact is: `BASE` plus contributions of its category, its tags and its content without the
    speaker's name (specifics, cue words, length), at least 0 and at most 1.

    Contributions that are zero are left out.
    """
    text = without_speaker(fact.content)  # cut off again: a model's facts come with names, too, and only as one text
    language = detect_language(text)
    shares = {
        "base": BASE,
        f"category:{fact.category}": BY_CATEGORY[fact.category],
        **_weights_of_specifics(text),
        **_weights_of_cues(text, language),
        "tags": min(len(fact.tags), 4) * 0.01,
        "length": _weight_of_length(reading_length(text)),
    }
    contributions = tuple(Contribution(name=name, value=round(value, 4)) for name, value in shares.items() if value)
    total = fsum(share.value for share in contributions)
    return Importance(round(min(1.0, max(0.0, total)), 2), contributions)


def _weights_of_specifics(text: str) -> dict[str, float]:
    """Return the contributions of what is specific in a text: `specifics:number` .06 for a number (.1 if a unit or
    another short word follows), `specifics:name` .04 for each name or path (at most two), `specifics:date` .06 for a
    date, time or weekday; 0 for what is absent."""
    names = [name for name in _NAMED.findall(text) if not _WEEKDAY.match(name)]
    number = 0.1 if _UNIT.search(text) else 0.06 if _NUMBER.search(text) else 0.0
    return {
        "specifics:number": number,
        "specifics:name": min(len(names), 2) * 0.04,
        "specifics:date": 0.06 if _DATE.search(text) else 0.0,
    }


def _weights_of_cues(text: str, language: Language) -> dict[str, float]:
    """Return the contributions, by name, of a text's wording: .1 and .05 for words of critical and strong importance,
    .05 for the first person, -.15 for a hedge (-.05 for a soft one), -.1 if all words are stop words; 0 if absent.
    """
    lowered = text.lower()
    noise, cues = language.noise, language.importance
    return {
        "cue:critical": 0.1 if cues.critical.search(lowered) else 0.0,
        "cue:strong": 0.05 if cues.strong.search(lowered) else 0.0,
        "hedge": -0.15 if noise.hedges.search(lowered) else -0.05 if noise.soft_hedges.search(lowered) else 0.0,
        "first-person": 0.05 if noise.self.search(lowered) else 0.0,
        "vague": -0.1 if all(word in stop_words() for word in words(text)) else 0.0,
    }


def _weight_of_length(count: int) -> float:
    """Return the contribution of a text of `count` words: -0.2 below 3, 0 for 3 and 4, 0.03 up to 60, -0.05 above."""
    if count < _SHORT:
        return -0.2
    return -0.05 if count > _LONG else 0.03 if count >= _FULL else 0.0
