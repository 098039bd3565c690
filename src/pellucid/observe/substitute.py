"""An earlier sentence and a new value in, the sentence with the new value in place of the old one out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pellucid.language import lexicon
from pellucid.language.scripts import EAST, is_east
from pellucid.observe.language import Language, load_language

_UNIT = r"(?:[A-Za-zµ]+|%|[秒分時时間间日天週周月年台件円元個个人歳岁度倍匹]+)"
_PROPER = re.compile(r"^[A-ZÀ-Þ]|[\u30a0-\u30ff]{2}|[./_]\w|^[\"'`「『“]")
_PIECE = re.compile(rf"[{EAST}]|\d+(?:[.,:/]\d+)*|[^\W\d_]+|[^\w\s]")
_SHORTEST_PLURAL = 3
_LONGEST_EAST = 10
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Substituted:
    """A sentence with a new value in it, and the words that it replaced."""

    text: str
    old: str


def substitute(sentence: str, new: str, old: str, language: Language) -> Substituted | None:
    """Return an earlier sentence with a new value in it: `The TTL is 300 s` with `600` is `The TTL is 600 s`.

    If `old` is not empty, that is replaced (`_replace_old`). Otherwise the first that fits: a number for the only
    number (or the only one with its unit), a weekday for the only weekday, a name, path or short word for what the
    sentence states of its subject. None if it is unclear what to replace, if `old` is not in the sentence or, without
    `old`, if nothing would change. `language` is that of both.
    """
    if old:
        return _replace_old(sentence, new, old, language)
    return (
        _replace_number(sentence, new, language)
        or _replace_weekday(sentence, new, language)
        or _replace_stated(sentence, new, language)
    )


def _replace_old(sentence: str, new: str, old: str, language: Language) -> Substituted | None:
    """Return the sentence with `new` in place of the first `old`, whatever its capitals; None if `old` is not in it as
    whole words.

    If `new` is a number without a unit, and `old` has exactly one number, only that number is replaced.
    """
    start, edge = ("", "") if is_east(old) else (rf"(?<![^\W{EAST}])", rf"(?![^\W{EAST}])")
    found = re.search(f"{start}{re.escape(old)}{edge}", sentence, re.IGNORECASE)
    if not found:
        return None
    counted = _number_pattern(language.code).fullmatch(new)
    inner = list(_number_pattern(language.code).finditer(found[0])) if counted and not counted["unit"] else []
    at, end = inner[0].span("number") if len(inner) == 1 else (0, len(found[0]))  # what stands beside a number stays
    return Substituted(_splice(sentence, found.start() + at, found.start() + end, new), found[0])


def _replace_number(sentence: str, new: str, language: Language) -> Substituted | None:
    """Return the sentence with the first number in `new` for its only number, or its only one of the same unit.

    None if `new` has no number, if it is unclear which number to replace, or if it is the same number. The unit in
    `new`, if any, replaces the sentence's.
    """
    pattern = _number_pattern(language.code)
    given = pattern.search(new)
    if not given:
        return None
    numbers = list(pattern.finditer(sentence))
    alike = [each for each in numbers if given["unit"] and each["unit"] == given["unit"]]
    found = numbers[0] if len(numbers) == 1 else alike[0] if len(alike) == 1 else None
    if not found or found["number"] == given["number"]:
        return None
    fresh, part = (given[0], 0) if given["unit"] else (given["number"], "number")
    return Substituted(_splice(sentence, found.start(part), found.end(part), fresh), found[0])


def _replace_weekday(sentence: str, new: str, language: Language) -> Substituted | None:
    """Return the sentence with the weekday in `new` for its only weekday.

    None if `new` names no weekday, the sentence none or several, or if it is the same.
    """
    pattern = _weekday_pattern(language.code)
    given = pattern.search(new)
    weekdays = list(pattern.finditer(sentence))
    if not given or len(weekdays) != 1 or weekdays[0][0].lower() == given[0].lower():
        return None
    return Substituted(_splice(sentence, weekdays[0].start(), weekdays[0].end(), given[0]), weekdays[0][0])


def _replace_stated(sentence: str, new: str, language: Language) -> Substituted | None:
    """Return the sentence with the name, path or short text `new` for what it states of its subject.

    `new` must have at most six words and look like a name, path or quotation; in languages without spaces at most ten
    characters instead. None if not, if `new` has a number or weekday, if the sentence has no such value (`stated` of
    its language) or one of over six words, or if it is the same.
    """
    found = language.resolutions.stated.search(sentence)
    if not found or _number_pattern(language.code).search(new) or _weekday_pattern(language.code).search(new):
        return None
    short = len(new) <= _LONGEST_EAST if not language.spaced else len(new.split()) <= _LONGEST and _PROPER.search(new)
    if not short or found["value"].lower() == new.lower() or len(found["value"].split()) > _LONGEST:
        return None
    return Substituted(_splice(sentence, found.start("value"), found.end("value"), new), found["value"])


def _splice(sentence: str, start: int, end: int, fresh: str) -> str:
    """Return the sentence with `fresh` between two positions, without repeating words that already stand beside it.

    A unit after it is replaced by one of the same scale: `25 MB` with `1 GB` for its number is `1 GB`.
    """
    before, after = sentence[:start], sentence[end:]
    left, new_words, right = (list(_PIECE.finditer(part)) for part in (before, fresh, after))
    back = _count_shared(left[::-1], new_words, reverse=True)
    before = before[: left[-back].start()] if back else before
    on = _count_shared(right, new_words, reverse=False) or int(_is_other_unit(new_words, right))
    return before + fresh + (after[right[on - 1].end() :] if on else after)


def _count_shared(neighbours: Sequence[re.Match[str]], new_words: Sequence[re.Match[str]], *, reverse: bool) -> int:
    """Return how many of the new words repeat those next to the place they are put in; never all of them.

    `neighbours` are the words after that place or, with `reverse`, those before it, nearest first.
    """
    words, ours = [_normal_word(each) for each in neighbours], [_normal_word(each) for each in new_words]
    for count in range(min(len(words), len(ours) - 1), 0, -1):
        edge = words[:count][::-1] if reverse else words[:count]
        if edge == (ours[:count] if reverse else ours[-count:]):
            return count
    return 0


def _is_other_unit(new_words: Sequence[re.Match[str]], after: Sequence[re.Match[str]]) -> bool:
    """Whether new words end in a unit of the same scale as the unit after their place: `GB` and `MB`."""
    if not after or len(new_words) < 2:
        return False
    units = {after[0][0].casefold(), new_words[-1][0].casefold()}
    return any(units <= scale for scale in lexicon.scales())


def _normal_word(piece: re.Match[str]) -> str:
    """Return a word in the form in which words are compared: casefolded, without a final `s` beyond 3 letters."""
    word = piece[0].casefold()
    return word.removesuffix("s") if len(word) > _SHORTEST_PLURAL else word


@cache
def _number_pattern(code: str) -> re.Pattern[str]:
    """Return a pattern for a number in digits or in words of a language, with its unit, if one follows."""
    words = [word for word, value in lexicon.numbers(code).items() if value > 1 and word.isascii()]
    spelled = rf"|\b(?:{'|'.join(words)})\b" if words else ""
    return re.compile(
        rf"(?P<number>(?<![A-Za-z\d_.])[$€£¥]?\d(?:[\d.,:/]*\d)?{spelled})(?: ?(?P<unit>{_UNIT}))?(?![\d])"
    )


@cache
def _weekday_pattern(code: str) -> re.Pattern[str]:
    """Return a pattern for the weekdays of a language; it matches nothing if they are not known."""
    names = sorted(lexicon.weekdays(code), key=len, reverse=True)
    if not names:
        return re.compile(r"(?!)")
    edges = (r"\b", r"s?\b") if load_language(code).spaced else ("", "")
    return re.compile(rf"{edges[0]}(?:{'|'.join(names)}){edges[1]}", re.IGNORECASE)
