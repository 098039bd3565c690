"""Words of a statement in, the form in which they are compared out, each with the kind of thing it may name."""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from pellucid.language import lexicon
from pellucid.language.inflection import base_form

Kind = Literal["word", "name", "code", "number", "date", "sign"]
_PARTICIPLE_ENDINGS = ("ed", "iert", "ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas")
_GERMAN_PREFIXES, _GERMAN_ENDINGS = ("ge", "be", "ent", "er", "ver", "zer"), ("t", "en")
"""Beginnings and endings of regular participles of English, German and Spanish."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word in comparable form, and the kind of thing it can name."""

    text: str
    kind: Kind
    participle: bool = field(default=False, compare=False)
    """Whether the word as it was written looks like a participle: `kept`."""

    @property
    def is_structure(self) -> bool:
        """Whether the token is a function word that is not written as a name (`MIT`)."""
        return self.kind == "word" and self.text in structure_words()


def fold_words(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the tokens without articles, each with its text in base form, forms of `be` as `be`; other function words,
    codes, numbers, dates and signs keep theirs.
    """
    articles = lexicon.words("articles", "indefinite")
    kept = (token for token in tokens if token.text not in articles or token.kind == "name")
    return tuple(replace(token, text=_base_form(token)) for token in kept)


def _base_form(token: Token) -> str:
    """Return the comparable form of a token: `be` for its forms; function words, codes and numbers stay."""
    if token.text in lexicon.words("be"):
        return "be"
    return (
        base_form(token.text) if token.kind in {"word", "name"} and token.text not in structure_words() else token.text
    )


def is_participle(word: str) -> bool:
    """Whether a casefolded word looks, crudely, like a past participle: `kept`, `hosted`, `gespeichert`, `alojado`."""
    is_german = word.startswith(_GERMAN_PREFIXES) and word.endswith(_GERMAN_ENDINGS)
    return is_german or word.endswith(_PARTICIPLE_ENDINGS) or word in lexicon.words("participles")


@cache
def structure_words() -> frozenset[str]:
    """Return the function words: forms of `be`, auxiliaries, prepositions, conjunctions, pronouns and articles."""
    return lexicon.words(
        "be", "auxiliary", "prepositions", "joints", "pronouns", "possessive", "articles", "indefinite"
    )


@cache
def change_phrases() -> tuple[str, ...]:
    """Return the phrases that tell of a change, the longest first: `have moved to` before `moved to`."""
    return tuple(sorted(lexicon.changes("turns"), key=len, reverse=True))
