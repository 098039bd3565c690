"""What a model made of a text and that text in, what is wrong with it out: nothing, if it only rephrased."""

import re
from collections.abc import Callable

from pellucid.model.stance import stance
from pellucid.model.text import STOP_WORDS, content_words, words

_ID = re.compile(r"\b(?:mem|rec|ep|art|aud|obs)_[0-9a-f]{4,}\b")
_ADDRESS = re.compile(r"\w+://[^\s<>\"'`]+|\bwww\.[^\s<>\"'`]+|[\w.+-]+@[\w-]+\.\w+", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NAME = re.compile(r"(?<=[^\s.!?:;] )[A-ZÀ-ÞΑ-ΩА-Я][\w'’-]*")
"""A word with a capital that does not begin a sentence; one that does is a word like others."""
_STEM = 3
_ENDINGS = (
    "",
    "s",
    "es",
    "d",
    "ed",
    "ing",
    "e",
    "en",
    "n",
    "er",
    "r",
    "t",
    "te",
    "ten",
    "st",
    "em",
    "a",
    "o",
    "as",
    "os",
)
"""Letters that two forms of a word share at least, and what either may end in behind them."""


def flaw(told: str, heard: str) -> str:
    """What is wrong with `told` as another wording of `heard`; empty where it holds nothing that `heard` does not.

    Ids, addresses, numbers, names and words must stand there (a word also with another ending), what is denied must
    stay denied, and it may not be empty.
    """
    if not content_words(told):
        return "it is empty"
    return next((f"it adds {what}" for what, added in _ADDED if added(told, heard)), "") or _denial(told, heard)


def _denial(told: str, heard: str) -> str:
    return "" if stance(told).denied == stance(heard).denied else "it adds or drops a denial"


def _found(pattern: re.Pattern[str]) -> Callable[[str, str], bool]:
    return lambda told, heard: not {*pattern.findall(told)} <= {*pattern.findall(heard)}


def _names(told: str, heard: str) -> bool:
    known = {*words(heard), *STOP_WORDS}
    return not {word for name in _NAME.findall(told) for word in words(name)} <= known


def _words(told: str, heard: str) -> bool:
    known = set(words(heard))
    return any(word not in known and not _inflected(word, known) for word in content_words(told))


def _inflected(word: str, known: set[str]) -> bool:
    stems = {word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)}
    forms = {stem + ending for stem in stems if len(stem) >= _STEM for ending in _ENDINGS}
    return word.isalpha() and not known.isdisjoint(forms)


_ADDED: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("an id", _found(_ID)),
    ("an address", _found(_ADDRESS)),
    ("a number", _found(_NUMBER)),
    ("a name", _names),
    ("words", _words),
)
