"""A sentence in, whether it says anything of its own and whether a pronoun inside it points outside of it, out."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from pellucid.language.words import stop_words
from pellucid.observe.language import Language, load_language

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_CAPITAL = re.compile(r"(?<=[\w,] )(?!I\b)[A-ZÀ-Þ]\w|(?:^|[.:!?] )(?!I\b)(?!\w+(?:ing|ed)\b)(?P<first>[A-ZÀ-Þ]\w+)")
_SELF = frozenset({"i", "i'm", "i've", "i'd", "i'll"})


def solid_words(text: str, language: Language) -> int:
    """How many distinct words of a text name something: neither stop words nor a feeling, a wish or an abstraction."""
    return _solid_words(text.lower(), language.code)


@lru_cache(maxsize=128)
def _solid_words(lowered: str, code: str) -> int:
    hollow = _hollow(code)
    spoken = set(_WORD.findall(lowered)) - hollow
    return len(spoken) - sum("'" in word and word.replace("'", "") in hollow for word in spoken)


def points_outside(text: str, language: Language) -> bool:
    """Whether an `it`, `them`, `her` or `that place` inside a sentence has nothing before it that it could mean."""
    noise, lowered = language.noise, text.lower()
    if (found := noise.gendered.search(lowered)) and not _names_somebody(text[: found.start()], language):
        return True
    if "[image: " in text:
        return False
    likely = (pattern for signs, pattern in noise.inner if any(sign in lowered for sign in signs))
    matches = (found for pattern in likely for found in pattern.finditer(lowered))
    return any(_is_unexplained(found, text, language) for found in matches)


def _is_unexplained(found: re.Match[str], text: str, language: Language) -> bool:
    """Whether a pronoun that was found has nothing before it in the text that it could mean."""
    groups = found.groupdict()
    noun = found.start("noun") if "noun" in groups else -1
    if noun >= 0 and text[noun].isupper():
        return False
    return not _names_something(found.string[: found.start()], groups.get("near") or "", language)


def _names_somebody(before: str, language: Language) -> bool:
    hollow = _hollow(language.code)
    capitals = ((found["first"] or "").lower() for found in _CAPITAL.finditer(before))
    return any(word not in hollow for word in capitals) or bool(language.noise.persons.search(before.lower()))


def _names_something(before: str, near: str, language: Language) -> bool:
    """Whether the text before a pronoun holds a noun it could mean; `near` are the words just before it.

    The object of a verb is none of the nouns of its own clause; that of a preposition is not the one just before.
    """
    spoken = _WORD.findall(before)
    if near.strip() in _prepositions(language.code):
        spoken = spoken[:-1]
    elif near:
        joints = [found.start() for found in language.noise.boundary.finditer(before)]
        spoken = _WORD.findall(before[: joints[-1]]) if joints else []
    return any(_is_noun(at, spoken, language) for at in range(len(spoken)))


def _is_noun(at: int, spoken: Sequence[str], language: Language) -> bool:
    """Whether the word at a position names something or somebody, by the word itself and the one before it."""
    word = spoken[at]
    if word in _SELF:
        return False
    if word.replace("'", "") in _hollow(language.code):
        return word in _people(language.code) or (at > 0 and spoken[at - 1] in _owning(language.code))
    return spoken[at - 1] not in _verbal(language.code) if at else not word.endswith("ed")


@cache
def _hollow(code: str) -> frozenset[str]:
    return stop_words() | frozenset(load_language(code).noise.hollow.split())


@cache
def _verbal(code: str) -> frozenset[str]:
    return frozenset(load_language(code).noise.before_verbs.split())


@cache
def _people(code: str) -> frozenset[str]:
    return frozenset(load_language(code).noise.people.split())


@cache
def _owning(code: str) -> frozenset[str]:
    return frozenset(load_language(code).noise.owning.split())


@cache
def _prepositions(code: str) -> frozenset[str]:
    return frozenset(load_language(code).noise.prepositions.split())
