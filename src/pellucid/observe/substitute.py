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
    """The sentence as it stands now, and the words that no longer hold."""

    text: str
    old: str


def substitute(sentence: str, new: str, old: str, language: Language) -> Substituted | None:
    """`The TTL is 300 s` with `600` is `The TTL is 600 s`; None where it is not plain what takes the place of what.

    With `old` given, that is replaced. Else a number takes the place of the only number (or the only one with its
    unit), a weekday that of the only weekday, and a name or path that of what is stated of the subject.
    """
    if old:
        return _in_place_of(sentence, new, old, language)
    return (
        _put_number(sentence, new, language)
        or _put_weekday(sentence, new, language)
        or _put_stated(sentence, new, language)
    )


def _in_place_of(sentence: str, new: str, old: str, language: Language) -> Substituted | None:
    """The sentence with `new` in the place of `old`; None where `old` does not stand in it."""
    start, edge = ("", "") if is_east(old) else (rf"(?<![^\W{EAST}])", rf"(?![^\W{EAST}])")
    found = re.search(f"{start}{re.escape(old)}{edge}", sentence, re.IGNORECASE)
    if not found:
        return None
    counted = _number_pattern(language.code).fullmatch(new)
    inner = list(_number_pattern(language.code).finditer(found[0])) if counted and not counted["unit"] else []
    at, end = inner[0].span("number") if len(inner) == 1 else (0, len(found[0]))  # what stands beside a number stays
    return Substituted(_put_words(sentence, found.start() + at, found.start() + end, new), found[0])


def _put_number(sentence: str, new: str, language: Language) -> Substituted | None:
    """The sentence with the number in `new` for its only one, or the only one of that unit; None if that is unclear."""
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
    return Substituted(_put_words(sentence, found.start(part), found.end(part), fresh), found[0])


def _put_weekday(sentence: str, new: str, language: Language) -> Substituted | None:
    """The sentence with the weekday in `new` for its only one; None where it has none or several."""
    pattern = _weekday_pattern(language.code)
    said = pattern.search(new)
    there = list(pattern.finditer(sentence))
    if not said or len(there) != 1 or there[0][0].lower() == said[0].lower():
        return None
    return Substituted(_put_words(sentence, there[0].start(), there[0].end(), said[0]), there[0][0])


def _put_stated(sentence: str, new: str, language: Language) -> Substituted | None:
    """The sentence with a name, a path or a short word in place of what it states of its subject; None if unclear."""
    found = language.resolutions.stated.search(sentence)
    if not found or _number_pattern(language.code).search(new) or _weekday_pattern(language.code).search(new):
        return None
    short = len(new) <= _LONGEST_EAST if not language.spaced else len(new.split()) <= _LONGEST and _PROPER.search(new)
    if not short or found["value"].lower() == new.lower() or len(found["value"].split()) > _LONGEST:
        return None
    return Substituted(_put_words(sentence, found.start("value"), found.end("value"), new), found["value"])


def _put_words(sentence: str, start: int, end: int, fresh: str) -> str:
    """The sentence with new words in a place; what they bring along that stands beside it already is said once.

    So is a unit: `1 GB` in the place of the number of `25 MB` takes the place of its unit, too.
    """
    before, after = sentence[:start], sentence[end:]
    ahead, said, behind = (list(_PIECE.finditer(part)) for part in (before, fresh, after))
    back = _count_shared(ahead[::-1], said, reverse=True)
    before = before[: ahead[-back].start()] if back else before
    on = _count_shared(behind, said, reverse=False) or int(_is_other_unit(said, behind))
    return before + fresh + (after[behind[on - 1].end() :] if on else after)


def _count_shared(beside: Sequence[re.Match[str]], said: Sequence[re.Match[str]], *, reverse: bool) -> int:
    """How many words in a row two texts share where they meet; `beside` is given from there outwards."""
    words, ours = [_compared_word(each) for each in beside], [_compared_word(each) for each in said]
    for count in range(min(len(words), len(ours) - 1), 0, -1):
        edge = words[:count][::-1] if reverse else words[:count]
        if edge == (ours[:count] if reverse else ours[-count:]):
            return count
    return 0


def _is_other_unit(said: Sequence[re.Match[str]], behind: Sequence[re.Match[str]]) -> bool:
    """Whether new words end in a unit that stands for the one behind the place: `GB` and `MB` of one scale."""
    if not behind or len(said) < 2:
        return False
    units = {behind[0][0].casefold(), said[-1][0].casefold()}
    return any(units <= scale for scale in lexicon.scales())


def _compared_word(piece: re.Match[str]) -> str:
    """A word as it is compared: `euro` is `Euros`."""
    word = piece[0].casefold()
    return word.removesuffix("s") if len(word) > _SHORTEST_PLURAL else word


@cache
def _number_pattern(code: str) -> re.Pattern[str]:
    """A pattern for a number of a language, in digits or spelled, with its unit."""
    words = [word for word, value in lexicon.numbers(code).items() if value > 1 and word.isascii()]
    spelled = rf"|\b(?:{'|'.join(words)})\b" if words else ""
    return re.compile(
        rf"(?P<number>(?<![A-Za-z\d_.])[$€£¥]?\d(?:[\d.,:/]*\d)?{spelled})(?: ?(?P<unit>{_UNIT}))?(?![\d])"
    )


@cache
def _weekday_pattern(code: str) -> re.Pattern[str]:
    """A pattern for a weekday of a language; one that matches nothing where its weekdays are not known."""
    names = sorted(lexicon.weekdays(code), key=len, reverse=True)
    if not names:
        return re.compile(r"(?!)")
    edges = (r"\b", r"s?\b") if load_language(code).spaced else ("", "")
    return re.compile(rf"{edges[0]}(?:{'|'.join(names)}){edges[1]}", re.IGNORECASE)
