"""Two statements in, whether both can hold out: the same frame, filled in one slot with two values of one kind."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pellucid.language import lexicon
from pellucid.language.clauses import comma_parts
from pellucid.language.inflection import base_form, base_forms
from pellucid.language.statements.frames import Frame, frames, tokenise
from pellucid.language.statements.places import Change, gives_no_value, hold_elsewhere, place_of_number
from pellucid.language.statements.tokens import Kind, Token, fold_words, structure_words

Strength = Literal["plain", "open", "guess"]
"""plain: the newer statement says what holds now. open: both cannot hold, but it is open which does. guess: the newer
tells of a change, which concerns the older if no other statement is a candidate."""
_STRENGTHS: tuple[Strength, ...] = ("plain", "open", "guess")
_LONGEST_NAME = 3
_LONGEST_EAST_NAME = 6
_TOPIC = frozenset("はが")
_EAST_JOINTS = frozenset("はがをにでのともへや是在的和与给用")
_EAST_ENDS = ("です", "だ", "である", "さんです", "さんだ", "さんが担当です", "さんが担当します", "が担当です", "")
_SHORTEST_KIN = 3


@dataclass(frozen=True, slots=True)
class Clash:
    """Why two statements cannot both hold: how plainly the newer replaces the older, and what kind of value differs."""

    strength: Strength
    kind: Kind
    whole: bool = True
    """The clash concerns all that the older statement says; else the rest of that statement still holds."""


def clash(older: str, newer: str) -> Clash | None:
    """Return the strongest contradiction of an older statement by a newer one; None if both can hold, or if one of them
    has no part that can be compared (see `frames.frames`).

    Its `strength`, strongest first: `plain`, the newer says what holds now; `open`, both cannot hold, but it is open
    which does; `guess`, the newer tells of a change, which may concern the older.
    """
    clashes = [_clash_of_frames(old, new) for old in frames(older) for new in frames(newer)]
    clashes += [_clash_with_old_number(older, new.change) for new in frames(newer) if new.change]
    return min(filter(None, clashes), key=lambda each: (_STRENGTHS.index(each.strength), not each.whole), default=None)


def is_another_value(older: str, newer: str, values: tuple[str, str]) -> bool:
    """Whether the values that two statements give one attribute contradict each other.

    They do not if a value is only the first number of a list (`8080, 8081`), or if the statements hold for two places
    (`in Frankfurt`, `in Dublin`), which can stand in the values, too, behind a number (`5 in staging`). `values` are
    the older statement's and the newer statement's, different and worded as there.
    """
    if any(_begins_list(text, value) for text, value in zip((older, newer), values, strict=True)):
        return False
    places = [place_of_number(fold_words(tokenise(value))) for value in values]
    if all(places) and places[0] != places[1]:
        return False
    rest = (text.replace(value, " ") for text, value in zip((older, newer), values, strict=True))
    left, right = (fold_words(tokenise(text)) for text in rest)
    return not hold_elsewhere(left, right)


def _begins_list(text: str, value: str) -> bool:
    """Whether a value is a bare number after which the text lists another: `8080` of `8080, 8081 and 8082`."""
    joints = "|".join(map(re.escape, sorted(lexicon.words("joints"))))
    return value.isdigit() and bool(re.search(rf"{re.escape(value)}(?:, | (?:{joints}) )\d", text))


def have_akin_names(older: str, newer: str) -> bool:
    """Whether a word of only one statement is part of a word of only the other, both of three letters or more: `npm` of
    `pnpm`. Only words of frames count: false if a statement has none (see `frames.frames`).
    """
    return _have_akin_words(*({word for frame in frames(text) for word in frame.words} for text in (newer, older)))


def _have_akin_words(mine: AbstractSet[str], theirs: AbstractSet[str]) -> bool:
    """Whether a word of only one set is part of a word of only the other, both of three letters or more: `postgres` of
    `postgresql`.
    """
    return any(
        len(one) >= _SHORTEST_KIN and len(other) >= _SHORTEST_KIN and (one in other or other in one)
        for one in mine - theirs
        for other in theirs - mine
    )


def _clash_of_frames(old: Frame, new: Frame) -> Clash | None:
    """Return how two frames clash in one value or place; None if both can hold, also if one denies or adds (`also`).

    If the older statement says more than its frame, or the newer frame was cut out of a longer one, the clash is not
    whole, and `open` instead of `plain`.
    """
    if old.denied or new.denied or old.adds or new.adds:
        return None
    conflict = _clash_of_values(old, new) or _clash_of_places(old, new)
    if conflict is None or (old.alone and not new.cut):
        return conflict
    return replace(conflict, strength="open" if conflict.strength == "plain" else conflict.strength, whole=False)


def _clash_of_places(old: Frame, new: Frame) -> Clash | None:
    """Return how two statements clash that place one thing, by the same preposition, at two locations; None if both can
    hold.

    `plain` for numbers (ports), and if the newer says with its preposition that it holds from now on; else `open`.
    """
    one, other = old.place, new.place
    if not (one and other) or one.thing != other.thing or len({one.joint, other.joint} - {""}) > 1:
        return None
    start, end = common_ends(*([token.text for token in each.value] for each in (one, other)))
    mine, theirs = (each.value[start : len(each.value) - end] for each in (other, one))
    if len({len(mine), len(theirs)}) == 2:  # `port 5433` and `6432`
        mine, theirs = ([t for t in each if t.kind == "number"] or each for each in (mine, theirs))
    kind = _kind_of_values(theirs, mine) if mine and theirs else None
    if kind is None:
        return None
    plain = kind == "number" or (new.changed and bool(other.joint))
    return Clash("plain" if plain else "open", kind)


def _clash_with_old_number(older: str, change: Change) -> Clash | None:
    """Return how a change of a number clashes with an older text that states the old number of the same thing, else
    None; also None if the older text tells of the same change.

    `plain` if the older text says nothing else; else `guess`, and not whole if its clause says more.
    """
    parts = [part for part in comma_parts(older) if part]
    for part in parts:
        for frame in frames(part):
            said = frozenset(token.text for token in frame.tokens if token.text not in structure_words())
            repeated = frame.change and (frame.change.old, frame.change.new) == (change.old, change.new)
            if change.old in said and change.thing <= said and not frame.denied and not repeated:
                alone = said - {change.old} - _verbs() == change.thing - _verbs()
                return Clash("plain" if alone and len(parts) == 1 else "guess", "number", whole=alone)
    return None


def _clash_of_values(old: Frame, new: Frame) -> Clash | None:
    """Return how two frames clash that differ in one slot only, one run of words between equal ends; None if both can
    hold, if one slot is empty, or if the values are not of one kind (`_kind_of_values`).

    If the newer frame names what a change leaves (`from npm to pnpm`), that must be the older's value.
    """
    start, end = common_ends(old.words, new.words)
    slots = [_widened_span(each.tokens, start, end) for each in (old, new)]
    # `slots` are of (old, new): each frame's value is what is left between its shared ends
    mine, theirs = (each.tokens[a : len(each.tokens) - b] for each, (a, b) in zip((new, old), slots[::-1], strict=True))
    if not mine or not theirs:
        return None
    if new.left and not end:  # `from npm to pnpm` says no more of what npm was used for
        theirs = theirs[: len(new.left.split())]
    if new.left and not _is_value_left(new.left, theirs, old):
        return None
    kind = _kind_of_values(theirs, mine)
    if kind is None:
        return None
    before, after = new.tokens[: slots[1][0]], new.tokens[len(new.tokens) - slots[1][1] :]
    strength = _clash_strength(old, new, kind, before, after)
    return Clash(strength, kind) if strength else None


def _is_value_left(left: str, value: Sequence[Token], old: Frame) -> bool:
    """Whether `left`, the words for what a change leaves, has all words of a value, and only words of `old`."""
    said = {token.text for token in fold_words(tuple(Token(word, "word") for word in left.split()))}
    return {token.text for token in value} <= said <= set(old.words)


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many words two statements share at their beginning, and how many at their end after that."""
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    # no word counts as shared at both ends
    end = next((at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]), shorter - start)
    return start, end


def _widened_span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """Return how many words at the beginning and at the end of a frame, of those it shares with another, stand outside
    the differing value; the second number is always `end`.

    `start` and `end` are the counts of shared words. In a script without spaces a value begins after a particle: `田中`
    and `田村` differ, not `中` and `村`.
    """
    while start and tokens[start - 1].kind == "sign" and tokens[start - 1].text not in _EAST_JOINTS:
        if start < len(tokens) and tokens[start].kind != "sign":
            break
        start -= 1
    return start, end


def _kind_of_values(one: Sequence[Token], other: Sequence[Token]) -> Kind | None:
    """Return the kind of thing that both values are; None if they are not of one kind.

    `number` for measures of one scale; `date` for other values of nothing but dates and numbers; None for any others
    that both have a number; `name` for short values of which each has a name, code or sign of a script without spaces,
    `word` for other short values (see `_can_be_name`).
    """
    if _are_same_measure(one, other):
        return "number"
    if all(all(token.kind in {"date", "number"} for token in each) for each in (one, other)):
        return "date"
    if all(any(token.kind == "number" for token in each) for each in (one, other)):
        return None  # a version of one thing, and one of another
    if all(_can_be_name(each) for each in (one, other)):
        named = all(any(token.kind in {"name", "code", "sign"} for token in each) for each in (one, other))
        return "name" if named else "word"
    return None


def _are_same_measure(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Whether two values measure the same: both are numbers, bare or with a unit, and all units that they have are of
    one scale (`1 hour` and `30 minutes`, `5` and `30 minutes`); `3 nodes` and `2 problems` do not.
    """
    if not (_is_measure(one) and _is_measure(other)):
        return False
    if len(one) == len(other) == 1:
        return True
    units = {each[-1].text for each in (one, other) if len(each) == 2}
    return any(units <= scale for scale in _unit_scales())


def _is_measure(tokens: Sequence[Token]) -> bool:
    """Whether a value, of at least one token, is a number, alone or with a unit (one word, no function word)."""
    unit = len(tokens) == 2 and tokens[1].kind == "word" and tokens[1].text not in structure_words()
    return tokens[0].kind == "number" and (len(tokens) == 1 or unit)


def _can_be_name(tokens: Sequence[Token]) -> bool:
    """Whether a value can be a name: it has at most three words, no function words, and does not begin with a number or
    a date. In a script without spaces: at most six signs, and no particle.
    """
    if any(token.kind == "sign" for token in tokens):
        return len(tokens) <= _LONGEST_EAST_NAME and not any(token.text in _EAST_JOINTS for token in tokens)
    plain = all(token.kind not in {"number", "date"} or at for at, token in enumerate(tokens))
    return plain and len(tokens) <= _LONGEST_NAME and not any(token.is_structure for token in tokens)


def _clash_strength(
    old: Frame, new: Frame, kind: Kind, before: Sequence[Token], after: Sequence[Token]
) -> Strength | None:
    """Return how plain the clash of two values in the same slot is; None if both can hold at a time.

    A verb whose object is one of several (`mention`) clashes only if the newer tells of a change. Numbers are `plain`;
    dates are with a change, else `open`; what tells of one of several things (`a meeting`) needs a change for either.
    For subjects and names see `_strength_of_subjects`, `_strength_of_names`. `kind` is the kind of the values, `before`
    and `after` are the newer frame's tokens around the slot.
    """
    signed = new.changed or new.turned
    if _first_verb(new.tokens) in base_forms("many") and not signed:
        return None
    if _is_subject(before, after):
        return _strength_of_subjects(old, new, kind, after)
    if kind in {"number", "date"}:
        if old.existential and not signed:
            return None
        return "plain" if kind == "number" or signed else "open"
    if new.left:
        return "plain"
    akin = new.changed and not after and _have_akin_words(set(new.words), set(old.words))
    return _strength_of_names(new, kind, before, after) or ("guess" if akin else None)


_LIVING = [base_form("live"), "in"]


@cache
def _verbs() -> frozenset[str]:
    """Return the base forms of all known verbs, auxiliaries among them."""
    return base_forms("verbs", "sole", "many") | {"be"} | lexicon.words("auxiliary")


@cache
def _unit_scales() -> tuple[frozenset[str], ...]:
    """Return the sets of `lexicon.scales`, each with the base forms of its units added."""
    return tuple(frozenset(map(base_form, scale)) | scale for scale in lexicon.scales())


def _first_verb(tokens: Sequence[Token]) -> str:
    """Return the first known verb after the first word of a statement; empty if there is none."""
    return next((token.text for token in tokens[1:] if token.text in _verbs()), "")


def _is_subject(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Whether the value between these tokens is the subject of the statement: nothing is before it; or a known verb is
    after it, and neither a verb nor a pronoun before; or `は` or `が` is after it, and no `は` before.
    """
    if any(token.text in _TOPIC for token in after) and "は" not in {token.text for token in before}:
        return True
    spaced = [token.text for token in after if token.kind != "sign"]
    if not before:
        return True
    ahead = any(token.text in _verbs() or token.text in lexicon.words("pronouns") for token in before)
    return not ahead and any(word in _verbs() for word in spaced)


def _strength_of_subjects(old: Frame, new: Frame, kind: Kind, after: Sequence[Token]) -> Strength | None:
    """Return how plain the clash of two subjects of one verb is: `plain` if the newer tells of a change, else `open`;
    None for numbers and dates, and unless only one subject is possible (`owns`, `is the owner`).

    `kind` is the kind of the subjects, `after` are the tokens after the newer one; without any the result is None.
    """
    if not after:
        return None
    verb = "".join(token.text for token in after[:2]) if after[0].kind == "sign" else after[0].text
    sole = verb in base_forms("sole") or (old.definite and new.definite and after[0].text == "be")
    if kind not in {"name", "word"} or not sole:
        return None
    return "plain" if new.changed or new.turned else "open"


def _strength_of_names(new: Frame, kind: Kind, before: Sequence[Token], after: Sequence[Token]) -> Strength | None:
    """Return how plain the clash of two names after a verb is; None if somebody can have or do both, or no verb is
    known.

    After `be` it is `plain` if they are names, if the newer tells of a change, or of what there is one (`default`).
    After another verb it is `plain` if the newer tells of a change (for names also: if it holds from now on), and
    `open` after a preposition of place, unless that place is one at which a value holds (`is 5 in …`). For what a
    person does (`we use …`) see `_strength_of_habits`. `kind` is the kind of the names, `before` and `after` are the
    newer frame's tokens around the name.
    """
    words = [token.text for token in before]
    if any(token.kind == "sign" for token in (*before[-1:], *after[:1])):
        return _strength_of_eastern_names(before, after)
    # without a verb it asks for something to be done, or nobody here knows what it says
    if not _first_verb(before) or _is_value_at_place(before):
        return None
    if words[0] in lexicon.words("pronouns") and words[1:2] != ["be"]:
        return _strength_of_habits(new, words, after)
    copula = words[-1:] == ["be"] and not after
    # `it is fast` and `it is small` both hold; of a name, a changed or a unique thing there is only one
    if copula and not (kind == "name" or new.changed or base_forms("unique").intersection(words)):
        return None
    if copula or new.turned or (new.changed and kind == "name"):
        return "plain"
    return "open" if words[-1:] and words[-1] in lexicon.words("locative") and not after else None


def _is_value_at_place(before: Sequence[Token]) -> bool:
    """Whether what follows these tokens is the place at which a value holds (`the limit is 5 in`), and not the place of
    a thing (`the key is kept in`)."""
    *head, last, preposition = (Token("", "word"), Token("", "word"), *before)
    is_value = last.text not in _verbs() and not gives_no_value(last)
    return is_value and preposition.text in lexicon.words("locative") and "be" in {token.text for token in head}


def _strength_of_habits(new: Frame, words: Sequence[str], after: Sequence[Token]) -> Strength | None:
    """Return how plain the clash of two things that somebody uses or does is; None if both can be done.

    They clash if the newer is said to replace the older (`plain`; `guess` if neither a word for the older nor one for
    the use tells that it concerns this one), or if they serve one purpose (`as …`), are where somebody lives, or stand
    after a preposition of place: `plain` if the newer holds from now on, else `open`. `words` stand before the thing,
    `after` are the tokens after it.
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


def _strength_of_eastern_names(before: Sequence[Token], after: Sequence[Token]) -> Strength | None:
    """Return `plain` if two names tell what an Eastern topic is (`…は…です`, `是…`), else None.

    `before` and `after` are the newer frame's tokens around the name.
    """
    ends = "".join(token.text for token in after)
    last = before[-1].text if before else ""
    return "plain" if (last == "は" and ends in _EAST_ENDS[:-1]) or (last in "是叫" and not ends) else None
