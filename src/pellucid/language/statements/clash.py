"""Two statements in, whether both can hold out: the same frame, filled in one place with two things of one kind.

`The relay uses port 8080` and `… port 9090` are one frame with two fillings. Words of a place or of a person in one of
them alone (`in staging`, `the other relay`) make two frames. A closed class decides where one place holds several
things (`the API supports JSON`), and what is used or done beside another thing is no contradiction (`we use pytest`,
`we use ruff`).
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pellucid.language import lexicon
from pellucid.language.clauses import pieces
from pellucid.language.inflection import folded
from pellucid.language.statements.frames import Frame, frames, words
from pellucid.language.statements.places import Change, are_apart
from pellucid.language.statements.tokens import Kind, Token, fold_words, structure

Strength = Literal["plain", "open", "guess"]
"""plain: the newer says what holds now. open: both cannot hold, and neither is plainly meant to stand in the other's
place. guess: the newer tells of a change, and this may be what was changed, if it is the only one."""
_STRENGTHS: tuple[Strength, ...] = ("plain", "open", "guess")
_LONGEST_NAME = 3
_LONGEST_EAST_NAME = 6
_TOPIC = frozenset("はが")
_EAST_JOINTS = frozenset("はがをにでのともへや是在的和与给用")
_EAST_ENDS = ("です", "だ", "である", "さんです", "さんだ", "さんが担当です", "さんが担当します", "が担当です", "")
_SHORTEST_KIN = 3


@dataclass(frozen=True, slots=True)
class Clash:
    """Why two statements cannot both hold: how plain it is that the newer takes the place of the older."""

    strength: Strength
    kind: Kind
    whole: bool = True
    """All that the older says; else it says more, and that stands."""


def clash(older: str, newer: str) -> Clash | None:
    """Whether a newer statement cannot hold together with an older one; None where it can, or where it is not known."""
    found = [met for old in frames(older) for new in frames(newer) if (met := _clash_of(old, new)) is not None]
    found += [met for new in frames(newer) if new.change and (met := _clash_of_numbers(older, new.change))]
    return min(found, key=lambda each: (_STRENGTHS.index(each.strength), not each.whole), default=None)


def is_another_value(older: str, newer: str, values: tuple[str, str]) -> bool:
    """Whether the values that two statements give one attribute stand against each other, and not side by side.

    Not where a value is but the first of a list, nor where each names another place that it holds for.
    """
    if any(_is_listed(text, value) for text, value in zip((older, newer), values, strict=True)):
        return False
    rest = (text.replace(value, " ") for text, value in zip((older, newer), values, strict=True))
    left, right = (fold_words(words(text)) for text in rest)
    return not are_apart(left, right)


def _is_listed(text: str, value: str) -> bool:
    """Whether a bare number is followed by the next of a list of numbers."""
    goes_on = rf"{re.escape(value)}(?:, | (?:{'|'.join(map(re.escape, _joints()))}) )\d"
    return value.isdigit() and bool(re.search(goes_on, text))


@cache
def _joints() -> tuple[str, ...]:
    return tuple(sorted(lexicon.words("joints")))


def is_kin(older: str, newer: str) -> bool:
    """Whether what one statement names is named within what the other does: `npm` in `pnpm`."""
    return _are_kin(*({word for frame in frames(text) for word in frame.words} for text in (newer, older)))


def _are_kin(mine: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    """Whether a word that only one side has is part of a word that only the other has: `Postgres`, `PostgreSQL`."""
    return any(
        len(one) >= _SHORTEST_KIN and len(other) >= _SHORTEST_KIN and (one in other or other in one)
        for one in mine - theirs
        for other in theirs - mine
    )


def _clash_of(old: Frame, new: Frame) -> Clash | None:
    """How two frames clash, more weakly where more than they stand in the text; None where they may both hold."""
    if old.denied or new.denied or old.adds or new.adds:
        return None
    met = _clash_of_fillings(old, new) or _clash_of_places(old, new)
    if met is None or (old.alone and not new.cut):
        return met
    return replace(met, strength=_weaker(met.strength), whole=False)


def _weaker(strength: Strength) -> Strength:
    """Of what says more than what is contradicted, nothing takes the place."""
    return "open" if strength == "plain" else strength


def _clash_of_places(old: Frame, new: Frame) -> Clash | None:
    """How two statements clash that put one thing in two places; None where both may hold."""
    one, other = old.place, new.place
    if not (one and other) or one.thing != other.thing or len({one.joint, other.joint} - {""}) > 1:
        return None
    start, end = _common_ends(*([token.text for token in each.value] for each in (one, other)))
    mine, theirs = (each.value[start : len(each.value) - end] for each in (other, one))
    if len({len(mine), len(theirs)}) == 2:  # `port 5433` and `6432`
        mine, theirs = ([t for t in each if t.kind == "number"] or each for each in (mine, theirs))
    kind = _kind_of_filling(theirs, mine) if mine and theirs else None
    if kind is None:
        return None
    plain = kind == "number" or (new.changed and bool(other.joint))
    return Clash("plain" if plain else "open", kind)


def _clash_of_numbers(older: str, change: Change) -> Clash | None:
    """How a change of a number clashes with an older text that says the old one of that thing; None if it does not."""
    for piece in pieces(older):
        for frame in frames(piece):
            said = frozenset(token.text for token in frame.tokens if token.text not in structure())
            if change.old in said and change.thing <= said and not frame.denied:
                alone = said - {change.old} - _verbs() == change.thing - _verbs()
                return Clash("plain" if alone and piece == older else "guess", "number", whole=alone)
    return None


def _clash_of_fillings(old: Frame, new: Frame) -> Clash | None:
    """How one frame with two different values in its open place clashes; None where both may hold."""
    start, end = _common_ends(old.words, new.words)
    slots = [_widened_span(each.tokens, start, end) for each in (old, new)]
    mine, theirs = (each.tokens[a : len(each.tokens) - b] for each, (a, b) in zip((new, old), slots[::-1], strict=True))
    if not mine or not theirs:
        return None
    if new.left and not end:  # `from npm to pnpm` says no more of what npm was used for
        theirs = theirs[: len(new.left.split())]
    if new.left and not _is_left(new.left, theirs, old):
        return None
    kind = _kind_of_filling(theirs, mine)
    if kind is None:
        return None
    before, after = new.tokens[: slots[1][0]], new.tokens[len(new.tokens) - slots[1][1] :]
    strength = _strength_of(old, new, kind, before, after)
    return Clash(strength, kind) if strength else None


def _is_left(left: str, theirs: Sequence[Token], old: Frame) -> bool:
    """Whether what a change leaves is what the older says; words that both fillings share may be said with it."""
    said = {token.text for token in fold_words(tuple(Token(word, "word") for word in left.split()))}
    return {token.text for token in theirs} <= said <= set(old.words)


def _common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many words two statements share at their beginning, and at their end."""
    most = min(len(one), len(other))
    start = next((at for at in range(most) if one[at] != other[at]), most)
    end = next((at for at in range(most - start) if one[-1 - at] != other[-1 - at]), most - start)
    return start, end


def _widened_span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """A span of tokens widened, in a script without spaces, to the particles around it: `田中`, not `中`."""
    while start and tokens[start - 1].kind == "sign" and tokens[start - 1].text not in _EAST_JOINTS:
        if start < len(tokens) and tokens[start].kind != "sign":
            break
        start -= 1
    return start, end


def _kind_of_filling(one: Sequence[Token], other: Sequence[Token]) -> Kind | None:
    """What kind of thing fills the open place on both sides; None where the two are not of one kind."""
    if _same_measure(one, other):
        return "number"
    if all(all(token.kind in {"date", "number"} for token in each) for each in (one, other)):
        return "date"
    if all(any(token.kind == "number" for token in each) for each in (one, other)):
        return None  # a version of one thing, and one of another
    if all(_is_named(each) for each in (one, other)):
        named = all(any(token.kind in {"name", "code", "sign"} for token in each) for each in (one, other))
        return "name" if named else "word"
    return None


def _same_measure(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether two measures are of one kind: 3 nodes say nothing against 2 problems, 1 hour does against 30 minutes."""
    if not (_is_measure(one) and _is_measure(other)):
        return False
    if len(one) == len(other) == 1:
        return True
    units = {each[-1].text for each in (one, other) if len(each) == 2}
    return any(units <= scale for scale in _scales())


def _is_measure(tokens: Sequence[Token]) -> bool:
    """A number, and its unit, if that is not the same on both sides."""
    unit = len(tokens) == 2 and tokens[1].kind == "word" and tokens[1].text not in structure()
    return tokens[0].kind == "number" and (len(tokens) == 1 or unit)


def _is_named(tokens: Sequence[Token]) -> bool:
    """Whether a filling is short enough for a name, and holds nothing that only sentences hold."""
    if any(token.kind == "sign" for token in tokens):
        return len(tokens) <= _LONGEST_EAST_NAME and not any(token.text in _EAST_JOINTS for token in tokens)
    plain = all(token.kind not in {"number", "date"} or at for at, token in enumerate(tokens))
    return plain and len(tokens) <= _LONGEST_NAME and not any(token.is_structure for token in tokens)


def _strength_of(
    old: Frame, new: Frame, kind: Kind, before: Sequence[Token], after: Sequence[Token]
) -> Strength | None:
    """How surely two fillings of one place clash; None where both may hold at a time."""
    signed = new.changed or new.turned
    if _verb(new.tokens) in _forms("many") and not signed:
        return None
    if _is_subject(before, after):
        return _strength_of_subjects(old, new, kind, after)
    if kind in {"number", "date"}:
        if old.existential and not signed:
            return None
        return "plain" if kind == "number" or signed else "open"
    if new.left:
        return "plain"
    akin = new.changed and not after and _are_kin(set(new.words), set(old.words))
    return _strength_of_names(new, kind, before, after) or ("guess" if akin else None)


_LIVING = [folded("live"), "in"]


@cache
def _forms(*kinds: str) -> frozenset[str]:
    """The words of some kinds in the form that all of theirs share."""
    return frozenset(map(folded, lexicon.words(*kinds)))


@cache
def _verbs() -> frozenset[str]:
    return _forms("verbs", "sole", "many") | {"be"} | lexicon.words("auxiliary")


@cache
def _scales() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(folded, scale)) | scale for scale in lexicon.scales())


def _verb(tokens: Sequence[Token]) -> str:
    """The first verb that is known as one, the first word left out: that is what a statement is about."""
    return next((token.text for token in tokens[1:] if token.text in _verbs()), "")


def _is_subject(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether the place is what the statement is about: its verb comes behind it."""
    if any(token.text in _TOPIC for token in after) and "は" not in {token.text for token in before}:
        return True
    spaced = [token.text for token in after if token.kind != "sign"]
    if not before:
        return True
    ahead = any(token.text in _verbs() or token.text in lexicon.words("pronouns") for token in before)
    return not ahead and any(word in _verbs() for word in spaced)


def _strength_of_subjects(old: Frame, new: Frame, kind: Kind, after: Sequence[Token]) -> Strength | None:
    """How surely two subjects of one verb clash: only where there can be one, `who owns it`; None where not."""
    if not after:
        return None
    verb = "".join(token.text for token in after[:2]) if after[0].kind == "sign" else after[0].text
    sole = verb in _forms("sole") or (old.definite and new.definite and after[0].text == "be")
    if kind not in {"name", "word"} or not sole:
        return None
    return "plain" if new.changed or new.turned else "open"


def _strength_of_names(new: Frame, kind: Kind, before: Sequence[Token], after: Sequence[Token]) -> Strength | None:
    """How surely two names clash behind a verb: what somebody may have or do several of is left open."""
    words = [token.text for token in before]
    if any(token.kind == "sign" for token in (*before[-1:], *after[:1])):
        return _of_eastern(before, after)
    if not _verb(before):  # it asks for something to be done, or nobody here knows what it says
        return None
    by_person = bool(words) and words[0] in lexicon.words("pronouns")
    owned = by_person and words[1:2] != ["be"]
    if owned:
        return _strength_of_habits(new, words, after)
    copula = words[-1:] == ["be"] and not after
    if copula and not (kind == "name" or new.changed or _forms("unique").intersection(words)):
        return None
    if copula or new.turned or (new.changed and kind == "name"):
        return "plain"
    return "open" if words[-1:] and words[-1] in lexicon.words("locative") and not after else None


def _strength_of_habits(new: Frame, words: Sequence[str], after: Sequence[Token]) -> Strength | None:
    """How surely two things that somebody uses or does clash; None where one may come beside the other.

    They do if they are for the same, or one is said to be instead.
    """
    if len(words) < 2:
        return None
    if new.turned:
        return "plain" if new.left or after or words[1:] == _LIVING else "guess"
    if words[1:] == _LIVING:
        return "plain" if new.changed else "open"
    if len(words) == 2 and after and after[0].text in lexicon.words("purpose"):
        return "plain" if new.changed else "open"
    elsewhere = len(words) > 3 and words[-1] in lexicon.words("locative")
    return ("plain" if new.changed else "open") if elsewhere and not after else None


def _of_eastern(before: Sequence[Token], after: Sequence[Token]) -> Strength | None:
    """What something is: between the topic and the copula, or behind `是`."""
    ends = "".join(token.text for token in after)
    last = before[-1].text if before else ""
    return "plain" if (last == "は" and ends in _EAST_ENDS[:-1]) or (last in "是叫" and not ends) else None
