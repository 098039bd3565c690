"""The words of a clause in, the place it gives a thing, or the change it makes to a number, out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from pellucid.language import lexicon
from pellucid.language.inflection import base_form, base_forms
from pellucid.language.statements.tokens import Token, change_phrases, structure_words

_LONGEST_VALUE = 3
_LONGEST_UNIT = 2


@dataclass(frozen=True, slots=True)
class Place:
    """What a clause says about a location: the thing, its preposition (`joint`; empty if it moved), and the place."""

    thing: tuple[str, ...]
    joint: str
    value: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a clause says about a changed number: the thing (its words, and the unit counted), the `old` number and the
    `new` one."""

    thing: frozenset[str]
    old: str
    new: str


def read_place(tokens: Sequence[Token]) -> Place | None:
    """Return the thing and the place, one to three words, at which a clause says the thing is; else None.

    `tokens` are in base form (`fold_words`). Only the likeliest reading counts (`_possible_placings`); it gives None if
    it has no thing, or a place that is longer or has a function word.
    """
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
    """Yield (thing, preposition, place) for the ways to read a clause (`moved to`, `put`, `is`, `lives`), the likeliest
    first.

    `words` are the base forms of `tokens` (`be` for `is`). The preposition is empty if the thing moved; thing and place
    can be empty or too long.
    """
    for phrase in _moving_phrases():
        at = next((at for at in range(1, len(words)) if tuple(words[at : at + len(phrase)]) == phrase), 0)
        if at and words[0] not in lexicon.words("pronouns"):
            yield tokens[:at], "", tokens[at + len(phrase) :]
    begin = 1 if words and words[0] in lexicon.words("pronouns") else 0
    begin += words[begin : begin + 1] == ["have"]
    first = words[begin] if begin < len(words) else ""
    if first in {phrase[-2] for phrase in _moving_phrases()} and "to" in words:
        to = len(words) - 1 - words[::-1].index("to")
        yield tokens[begin + 1 : to], "", tokens[to + 1 :]
    if first in base_forms("placing"):
        yield from _split_at_only_preposition(tokens[begin + 1 :])
    for at in range(1, len(words)):
        if words[at] == "be" or words[at] in base_forms("verbs"):
            found = tokens[:at], *_split_at_preposition(tokens[at + 1 :], after_be=words[at] == "be")
            if not begin and found[1]:
                yield found
                return


def _split_at_only_preposition(tokens: Sequence[Token]) -> Iterator[tuple[Sequence[Token], str, Sequence[Token]]]:
    """Yield (tokens before, preposition, tokens after), once, if exactly one preposition of place stands after the
    first token; else nothing.
    """
    places = [at for at, token in enumerate(tokens) if at and token.text in lexicon.words("locative")]
    if len(places) == 1:
        yield tokens[: places[0]], tokens[places[0]].text, tokens[places[0] + 1 :]


def _split_at_preposition(tokens: Sequence[Token], *, after_be: bool) -> tuple[str, Sequence[Token]]:
    """Return the preposition of place that `tokens`, which follow a verb, begin with, and the tokens after it.

    After a form of `be` one word that gives no value can stand before it (`stored in …`). Returns `"", ()` if there is
    no such preposition.
    """
    at = int(after_be and any(map(gives_no_value, tokens[:1])))
    return (
        (tokens[at].text, tokens[at + 1 :])
        if tokens[at : at + 1] and tokens[at].text in lexicon.words("locative")
        else ("", ())
    )


def gives_no_value(token: Token) -> bool:
    """Whether a word in base form between a form of `be` and a preposition leaves it open what something is: a
    participle (`kept in`), or a word such as `still`; `5`, `main` and `slow` tell it."""
    return token.participle or token.text in base_forms("unsaying") - structure_words()


def place_of_number(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the words of the place at which a number holds, `frankfurt` of `5 minutes in Frankfurt`; empty if these
    tokens do not begin with a number, or name no place (after a preposition of place other than `to` and `from`)."""
    words = [token.text for token in tokens]
    at = next((at for at, word in enumerate(words) if word in _standing()), len(words))
    return tuple(words[at + 1 :]) if tokens and tokens[0].kind == "number" else ()


def hold_elsewhere(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether two statements each name a place they hold for (a name after a preposition of place other than `to` and
    `from`), and none in common: `in Frankfurt`, `in Dublin`.
    """
    mine, theirs = (
        {token.text for before, token in pairwise(each) if before.text in _standing() and token.kind == "name"}
        for each in (one, other)
    )
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def read_change(tokens: Sequence[Token]) -> Change | None:
    """Return the thing whose number a clause changes, its old and its new number (5 and 8, of `raise it from 5 to 8`).

    None if no number is changed so, or no word names the thing. `tokens` are in base form (`fold_words`).
    """
    words = [token.text for token in tokens]
    if "from" not in words or "to" not in words[words.index("from") :]:
        return None
    at = words.index("from")
    to = words.index("to", at)
    old, new = tokens[at + 1 : to], tokens[to + 1 :]
    if not (old and new and old[0].kind == new[0].kind == "number"):
        return None
    begin = next((at for at, word in enumerate(words) if word not in structure_words()), at) + 1
    counted = [token.text for token in (*old[1:_LONGEST_UNIT], *new[1:_LONGEST_UNIT])]
    thing = frozenset(word for word in (*words[begin:at], *counted) if word not in structure_words())
    return Change(thing, old[0].text, new[0].text) if thing else None


@cache
def _standing() -> frozenset[str]:
    """Return the prepositions of a place at which something is, not to or from which it goes."""
    return lexicon.words("locative") - {"to", "from"}


@cache
def _moving_phrases() -> tuple[tuple[str, ...], ...]:
    """Return the phrases of a change that end in `to`, each as its words in base form."""
    phrases = (each.split() for each in change_phrases() if each.endswith(" to"))
    bare = (tuple(word if word in structure_words() else base_form(word) for word in each) for each in phrases)
    return tuple(dict.fromkeys(bare))
