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
    """Put a new value into an earlier sentence: `The TTL is 300 s` with `600` is `The TTL is 600 s`.

    With `old` given, that is replaced. Else a number replaces the only number (or the only one with its unit), a
    weekday the only weekday, a name or path what is stated of the subject. None where it is unclear what to replace.
    """
    if old:
        return _replace_old(sentence, new, old, language)
    return (
        _replace_number(sentence, new, language)
        or _replace_weekday(sentence, new, language)
        or _replace_stated(sentence, new, language)
    )


def _replace_old(sentence: str, new: str, old: str, language: Language) -> Substituted | None:
    """The sentence with `new` for `old`, in any case; None if `old` does not stand in it as whole words.

    A bare number replaces only the number in `old`, if that has one.
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
    """The sentence with the number in `new` for its only one, or its only one of that unit; None if that is unclear or
    the same."""
    pattern = _number_pattern(language.code)
    said = pattern.search(new)
    if not said:
        return None
    there = list(pattern.finditer(sentence))
    alike = [found for found in there if said["unit"] and found["unit"] == said["unit"]]
    found = there[0] if len(there) == 1 else alike[0] if len(alike) == 1 else None
    if not found or found["number"] == said["number"]:
        return None
    fresh, part = (said[0], 0) if said["unit"] else (said["number"], "number")
    return Substituted(_splice(sentence, found.start(part), found.end(part), fresh), found[0])


def _replace_weekday(sentence: str, new: str, language: Language) -> Substituted | None:
    """The sentence with the weekday in `new` for its only one; None if it has none, several, or the same one."""
    pattern = _weekday_pattern(language.code)
    said = pattern.search(new)
    there = list(pattern.finditer(sentence))
    if not said or len(there) != 1 or there[0][0].lower() == said[0].lower():
        return None
    return Substituted(_splice(sentence, there[0].start(), there[0].end(), said[0]), there[0][0])


def _replace_stated(sentence: str, new: str, language: Language) -> Substituted | None:
    """The sentence with a name, path or short word for what it states of its subject; None if that is unclear or the
    same.

    None also for a new value with a number or a weekday.
    """
    found = language.resolutions.stated.search(sentence)
    if not found or _number_pattern(language.code).search(new) or _weekday_pattern(language.code).search(new):
        return None
    short = len(new) <= _LONGEST_EAST if not language.spaced else len(new.split()) <= _LONGEST and _PROPER.search(new)
    if not short or found["value"].lower() == new.lower() or len(found["value"].split()) > _LONGEST:
        return None
    return Substituted(_splice(sentence, found.start("value"), found.end("value"), new), found["value"])


def _splice(sentence: str, start: int, end: int, fresh: str) -> str:
    """The sentence with `fresh` between two positions; words of it that stand next to them already are not repeated.

    A unit behind them is replaced by one of the same scale: `25 MB` with `1 GB` for its number is `1 GB`.
    """
    before, after = sentence[:start], sentence[end:]
    ahead, said, behind = (list(_PIECE.finditer(part)) for part in (before, fresh, after))
    back = _count_shared(ahead[::-1], said, reverse=True)
    before = before[: ahead[-back].start()] if back else before
    on = _count_shared(behind, said, reverse=False) or int(_is_other_unit(said, behind))
    return before + fresh + (after[behind[on - 1].end() :] if on else after)


def _count_shared(neighbours: Sequence[re.Match[str]], new_words: Sequence[re.Match[str]], *, reverse: bool) -> int:
    """How many of the new words repeat those next to their place, never all; `reverse` for the words in front, nearest
    first."""
    words, ours = [_normal_word(each) for each in neighbours], [_normal_word(each) for each in new_words]
    for count in range(min(len(words), len(ours) - 1), 0, -1):
        edge = words[:count][::-1] if reverse else words[:count]
        if edge == (ours[:count] if reverse else ours[-count:]):
            return count
    return 0


def _is_other_unit(new_words: Sequence[re.Match[str]], behind: Sequence[re.Match[str]]) -> bool:
    """Whether new words end in a unit of the same scale as the unit behind their place: `GB` and `MB`."""
    if not behind or len(new_words) < 2:
        return False
    units = {behind[0][0].casefold(), new_words[-1][0].casefold()}
    return any(units <= scale for scale in lexicon.scales())


def _normal_word(piece: re.Match[str]) -> str:
    """A word in the form in which words are compared: `euro` for `Euros`."""
    word = piece[0].casefold()
    return word.removesuffix("s") if len(word) > _SHORTEST_PLURAL else word


@cache
def _number_pattern(code: str) -> re.Pattern[str]:
    """A pattern for a number in digits or in words of a language, with its unit."""
    words = [word for word, value in lexicon.numbers(code).items() if value > 1 and word.isascii()]
    spelled = rf"|\b(?:{'|'.join(words)})\b" if words else ""
    return re.compile(
        rf"(?P<number>(?<![A-Za-z\d_.])[$€£¥]?\d(?:[\d.,:/]*\d)?{spelled})(?: ?(?P<unit>{_UNIT}))?(?![\d])"
    )


@cache
def _weekday_pattern(code: str) -> re.Pattern[str]:
    """A pattern for the weekdays of a language; one that matches nothing if they are not known."""
    names = sorted(lexicon.weekdays(code), key=len, reverse=True)
    if not names:
        return re.compile(r"(?!)")
    edges = (r"\b", r"s?\b") if load_language(code).spaced else ("", "")
    return re.compile(rf"{edges[0]}(?:{'|'.join(names)}){edges[1]}", re.IGNORECASE)
