"""Words of a statement in, the form in which they are compared out, each with the kind of thing it may name."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pellucid.language import lexicon
from pellucid.language.inflection import folded

Kind = Literal["word", "name", "code", "number", "date", "sign"]


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is compared, and what kind of thing it may fill a place with."""

    text: str
    kind: Kind

    @property
    def is_structure(self) -> bool:
        """A function word; what is written as a name (`MIT`) is none, whatever it means elsewhere."""
        return self.kind == "word" and self.text in structure()


def fold_words(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Without articles, each word in the form that all of its forms share."""
    articles = lexicon.words("articles", "indefinite")
    kept = (token for token in tokens if token.text not in articles or token.kind == "name")
    return tuple(replace(token, text=_compared_form(token)) for token in kept)


def _compared_form(token: Token) -> str:
    if token.text in lexicon.words("be"):
        return "be"
    return folded(token.text) if token.kind in {"word", "name"} and token.text not in structure() else token.text


@cache
def structure() -> frozenset[str]:
    """The words that hold a statement together."""
    return lexicon.words(
        "be", "auxiliary", "prepositions", "joints", "pronouns", "possessive", "articles", "indefinite"
    )


@cache
def change_phrases() -> tuple[str, ...]:
    """Phrases of a change, the longest first: `have moved to` before `moved to`."""
    return tuple(
        sorted(
            (each for code in lexicon.STATED for each in lexicon.lexicon(code).get("changes", {}).get("turns", ())),
            key=len,
            reverse=True,
        )
    )
