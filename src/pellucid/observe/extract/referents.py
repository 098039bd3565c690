"""A sentence in, how much it names and whether a pronoun in it points outside of it out."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from pellucid.language.words import stop_words
from pellucid.observe.language import Language, load_language
from pellucid.text_cache import text_cache

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_CAPITAL = re.compile(r"(?<=[\w,] )(?!I\b)[A-ZÀ-Þ]\w|(?:^|[.:!?] )(?!I\b)(?!\w+(?:ing|ed)\b)(?P<first>[A-ZÀ-Þ]\w+)")
_SELF = frozenset({"i", "i'm", "i've", "i'd", "i'll"})


@text_cache(128)
def solid_words(text: str, language: Language) -> int:
    """Return how many distinct words of a text name something, that is, are not stop words, feelings, wishes or
    abstractions.
    """
    hollow = _hollow_words(language.code)
    words = set(_WORD.findall(text.lower())) - hollow
    return len(words) - sum("'" in word and word.replace("'", "") in hollow for word in words)


def points_outside(text: str, language: Language) -> bool:
    """Whether a pronoun inside a sentence (`it`, `her`, `that place`) has nothing before it that it can mean.

    The caption of a picture in the sentence explains all pronouns but those for persons.
    """
    noise, lowered = language.noise, text.lower()
    if (found := noise.gendered.search(lowered)) and not _names_somebody(text[: found.start()], language):
        return True
    if "[image: " in text:
        return False
    likely = (pattern for signs, pattern in noise.inner if any(sign in lowered for sign in signs))
    matches = (found for pattern in likely for found in pattern.finditer(lowered))
    return any(_is_unexplained(found, text, language) for found in matches)


def _is_unexplained(match: re.Match[str], text: str, language: Language) -> bool:
    """Whether the text before a matched pronoun has nothing it can mean, and no noun with a capital follows."""
    groups = match.groupdict()
    noun = match.start("noun") if "noun" in groups else -1
    if noun >= 0 and text[noun].isupper():
        return False
    return not _names_something(match.string[: match.start()], groups.get("near") or "", language)


def _names_somebody(before: str, language: Language) -> bool:
    """Whether a text names a person, so that a later `he` or `her` is explained: it has a capital in mid-sentence, a
    capital word at a sentence's beginning that is not hollow (`_hollow_words`), or a word for a person (`mother`).
    """
    hollow = _hollow_words(language.code)
    capitals = ((found["first"] or "").lower() for found in _CAPITAL.finditer(before))
    return any(word not in hollow for word in capitals) or bool(language.noise.persons.search(before.lower()))


def _names_something(before: str, near: str, language: Language) -> bool:
    """Whether the text `before` a pronoun has a noun that it can mean.

    `near` is the preposition or the verb that the pronoun is the object of, empty if there is none. A verb's object
    never means a noun of its own clause; a preposition's object never means the word just before it.
    """
    words = _WORD.findall(before)
    if near.strip() in _word_set(language.code, "prepositions"):
        words = words[:-1]
    elif near:
        joints = [found.start() for found in language.noise.boundary.finditer(before)]
        words = _WORD.findall(before[: joints[-1]]) if joints else []
    return any(_is_noun(at, words, language) for at in range(len(words)))


def _is_noun(at: int, words: Sequence[str], language: Language) -> bool:
    """Whether the word at index `at` names something or somebody, judged by itself and the word before it.

    A word that names nothing (`_hollow_words`) counts only if somebody owns it (`my idea`) or if it is one for people;
    `I` never. Any other word counts, unless the word before it makes it a verb (`to go`) or it is the first and ends in
    `ed`.
    """
    word = words[at]
    if word in _SELF:
        return False
    if word.replace("'", "") in _hollow_words(language.code):
        is_owned = at > 0 and words[at - 1] in _word_set(language.code, "owning")
        return is_owned or word in _word_set(language.code, "people")
    return words[at - 1] not in _word_set(language.code, "before_verbs") if at else not word.endswith("ed")


@cache
def _hollow_words(code: str) -> frozenset[str]:
    """Return the words of a language that name nothing: stop words, feelings, wishes, abstractions."""
    return stop_words() | _word_set(code, "hollow")


@cache
def _word_set(code: str, name: Literal["hollow", "before_verbs", "people", "owning", "prepositions"]) -> frozenset[str]:
    """Return the words of the entry `name` of the `noise` table of a language, by the language's code."""
    return frozenset(getattr(load_language(code).noise, name).split())
