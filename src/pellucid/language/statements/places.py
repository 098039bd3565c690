"""The words of a clause in, where it says that something is, or from what to what it changes something, out.

`We keep the keys in Redis`, `the keys are stored in Redis` and `the keys moved to Redis` say one place of one thing.
"""

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
    """The place at which a clause says something is; None where it names none, or more than one."""
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
    """The thing, the preposition and the place of a clause, by each way to read them: `moved to`, `put`, `is`, `lives`.

    `words` are the texts of the tokens.
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
            found = tokens[:at], *_split_at_preposition(tokens[at + 1 :], most=int(words[at] == "be"))
            if not begin and found[1]:
                yield found
                return


def _split_at_only_preposition(tokens: Sequence[Token]) -> Iterator[tuple[Sequence[Token], str, Sequence[Token]]]:
    """What stands before the preposition of place, that preposition, and what follows; nothing if there are several."""
    places = [at for at, token in enumerate(tokens) if at and token.text in lexicon.words("locative")]
    if len(places) == 1:
        yield tokens[: places[0]], tokens[places[0]].text, tokens[places[0] + 1 :]


def _split_at_preposition(tokens: Sequence[Token], most: int) -> tuple[str, Sequence[Token]]:
    """The preposition of place behind at most `most` other words (`stored in`), and what follows it; `"", ()` if none.

    `tokens` are those behind a verb.
    """
    for at, token in enumerate(tokens[: most + 1]):
        if token.text in lexicon.words("locative"):
            return token.text, tokens[at + 1 :]
    return "", ()


def hold_elsewhere(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether two statements each name where they hold, and name nothing in common: `in Frankfurt`, `in Dublin`."""
    where = lexicon.words("locative") - {"to", "from"}
    mine, theirs = (
        {token.text for before, token in pairwise(each) if before.text in where and token.kind == "name"}
        for each in (one, other)
    )
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def read_change(tokens: Sequence[Token]) -> Change | None:
    """The thing whose number a clause changes, and its old number (`raise the attempts from 5 to 8`); None if none."""
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
    return Change(thing, old[0].text) if thing else None


@cache
def _moving_phrases() -> tuple[tuple[str, ...], ...]:
    """The phrases of a change that end in `to`, each as its words in base form."""
    phrases = (each.split() for each in change_phrases() if each.endswith(" to"))
    bare = (tuple(word if word in structure_words() else base_form(word) for word in each) for each in phrases)
    return tuple(dict.fromkeys(bare))
