"""The words of a clause in, where it says that something is, or from what to what it changes something, out.

`We keep the keys in Redis`, `the keys are stored in Redis` and `the keys moved to Redis` say one place of one thing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from pellucid.language import lexicon
from pellucid.language.inflection import folded
from pellucid.language.statements.tokens import Token, change_phrases, structure

_LONGEST_VALUE = 3
_LONGEST_UNIT = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Of which thing a clause says where it is, behind which preposition (none: it moved there), and where."""

    thing: tuple[str, ...]
    joint: str
    value: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Of which thing (its words, and what is counted) a clause changes the number from `old`."""

    thing: frozenset[str]
    old: str


def read_place(tokens: Sequence[Token]) -> Place | None:
    """The place that a clause says; None where it says none, or more than one."""
    found = next(_possible_placings(tokens, [token.text for token in tokens]), None)
    if found is None:
        return None
    thing, joint, value = found
    if not thing or not 0 < len(value) <= _LONGEST_VALUE or any(token.is_structure for token in value):
        return None
    return Place(tuple(token.text for token in thing), joint, tuple(value))


def _possible_placings(
    tokens: Sequence[Token], words: Sequence[str]
) -> Iterator[tuple[Sequence[Token], str, Sequence[Token]]]:
    """Thing, preposition and place, as each way to say a place would read them: moved to, put, is, a verb of place."""
    for phrase in _turning_phrases():
        at = next((at for at in range(1, len(words)) if tuple(words[at : at + len(phrase)]) == phrase), 0)
        if at and words[0] not in lexicon.words("pronouns"):
            yield tokens[:at], "", tokens[at + len(phrase) :]
    begin = 1 if words and words[0] in lexicon.words("pronouns") else 0
    begin += words[begin : begin + 1] == ["have"]
    first = words[begin] if begin < len(words) else ""
    if first in {phrase[-2] for phrase in _turning_phrases()} and "to" in words:
        to = len(words) - 1 - words[::-1].index("to")
        yield tokens[begin + 1 : to], "", tokens[to + 1 :]
    if first in _forms("placing"):
        yield from _placed_behind(tokens[begin + 1 :], 1)
    for at in range(1, len(words)):
        if words[at] == "be" or words[at] in _forms("verbs"):
            found = tokens[:at], *_split_at_preposition(tokens[at + 1 :], most=int(words[at] == "be"))
            if not begin and found[1]:
                yield found
                return


def _placed_behind(tokens: Sequence[Token], least: int) -> Iterator[tuple[Sequence[Token], str, Sequence[Token]]]:
    """What is kept, and where: parted by the only preposition of place."""
    places = [at for at, token in enumerate(tokens) if at >= least and token.text in lexicon.words("locative")]
    if len(places) == 1:
        yield tokens[: places[0]], tokens[places[0]].text, tokens[places[0] + 1 :]


def _split_at_preposition(tokens: Sequence[Token], most: int) -> tuple[str, Sequence[Token]]:
    """The preposition behind a verb, perhaps behind one word more (`is stored in`), and what stands behind it."""
    for at, token in enumerate(tokens[: most + 1]):
        if token.text in lexicon.words("locative"):
            return token.text, tokens[at + 1 :]
    return "", ()


def are_apart(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether two statements each name where they hold, and name nothing in common: `in Frankfurt`, `in Dublin`."""
    mine, theirs = (
        {token.text for before, token in pairwise(each) if before.text in _where() and token.kind == "name"}
        for each in (one, other)
    )
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def read_change(tokens: Sequence[Token]) -> Change | None:
    """What a clause changes and the number it had (`raise the attempts from 5 to 8`); None if it changes no number."""
    words = [token.text for token in tokens]
    if "from" not in words or "to" not in words[words.index("from") :]:
        return None
    at = words.index("from")
    to = words.index("to", at)
    old, new = tokens[at + 1 : to], tokens[to + 1 :]
    if not (old and new and old[0].kind == new[0].kind == "number"):
        return None
    begin = next((at for at, word in enumerate(words) if word not in structure()), at) + 1
    counted = [token.text for token in (*old[1:_LONGEST_UNIT], *new[1:_LONGEST_UNIT])]
    thing = frozenset(word for word in (*words[begin:at], *counted) if word not in structure())
    return Change(thing, old[0].text) if thing else None


@cache
def _turning_phrases() -> tuple[tuple[str, ...], ...]:
    """The phrases of a change to somewhere, in the form in which words are compared."""
    said = (
        tuple(folded(word) if word not in structure() else word for word in each.split()) for each in change_phrases()
    )
    return tuple(dict.fromkeys(each for each in said if each[-1] == "to"))


@cache
def _where() -> frozenset[str]:
    return lexicon.words("locative") - {"to", "from"}


@cache
def _forms(kind: str) -> frozenset[str]:
    return frozenset(map(folded, lexicon.words(kind)))
