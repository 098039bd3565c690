"""An earlier sentence and a new value in, the sentence with the new value in place of the old one out."""

import re
from dataclasses import dataclass
from functools import cache

from pellucid.observe.language import Language, load_language

_UNIT = r"(?:[A-Za-zµ]+|%|[秒分時时間间日天週周月年台件円元個个人歳岁度倍匹]+)"
_PROPER = re.compile(r"^[A-ZÀ-Þ]|[\u30a0-\u30ff]{2}|[./_]\w|^[\"'`「『“]")
_EAST = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
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
    return _number(sentence, new, language) or _weekday(sentence, new, language) or _stated(sentence, new, language)


def _in_place_of(sentence: str, new: str, old: str, language: Language) -> Substituted | None:
    edge = "" if _EAST.search(old) else r"(?!\w)"
    start = "" if _EAST.search(old) else r"(?<!\w)"
    found = re.search(f"{start}{re.escape(old)}{edge}", sentence, re.IGNORECASE)
    if not found:
        return None
    counted = _numbers(language.code).fullmatch(new)
    fresh = new if not counted or counted["unit"] or not found[0][-1:].isalpha() else f"{new} {found[0].split()[-1]}"
    return Substituted(sentence[: found.start()] + fresh + sentence[found.end() :], found[0])


def _number(sentence: str, new: str, language: Language) -> Substituted | None:
    pattern = _numbers(language.code)
    said = pattern.search(new)
    if not said:
        return None
    there = list(pattern.finditer(sentence))
    alike = [found for found in there if said["unit"] and found["unit"] == said["unit"]]
    found = there[0] if len(there) == 1 else alike[0] if len(alike) == 1 else None
    if not found or found["number"] == said["number"]:
        return None
    fresh, part = (said[0], 0) if said["unit"] else (said["number"], "number")
    return Substituted(sentence[: found.start(part)] + fresh + sentence[found.end(part) :], found[0])


def _weekday(sentence: str, new: str, language: Language) -> Substituted | None:
    pattern = _weekdays(language.code)
    said = pattern.search(new)
    there = list(pattern.finditer(sentence))
    if not said or len(there) != 1 or there[0][0].lower() == said[0].lower():
        return None
    return Substituted(sentence[: there[0].start()] + said[0] + sentence[there[0].end() :], there[0][0])


def _stated(sentence: str, new: str, language: Language) -> Substituted | None:
    """A name, a path or (in an unspaced script) a short word in place of what the sentence states of its subject."""
    found = language.resolutions.stated.search(sentence)
    if not found or _numbers(language.code).search(new) or _weekdays(language.code).search(new):
        return None
    short = len(new) <= _LONGEST_EAST if not language.spaced else len(new.split()) <= _LONGEST and _PROPER.search(new)
    if not short or found["value"].lower() == new.lower() or len(found["value"].split()) > _LONGEST:
        return None
    return Substituted(sentence[: found.start("value")] + new + sentence[found.end("value") :], found["value"])


@cache
def _numbers(code: str) -> re.Pattern[str]:
    words = [word for word, value in load_language(code).spans.numbers.items() if value > 1 and word.isascii()]
    spelled = rf"|\b(?:{'|'.join(words)})\b" if words else ""
    return re.compile(
        rf"(?P<number>(?<![A-Za-z\d_.])[$€£¥]?\d(?:[\d.,:/]*\d)?{spelled})(?: ?(?P<unit>{_UNIT}))?(?![\d])"
    )


@cache
def _weekdays(code: str) -> re.Pattern[str]:
    names = sorted(load_language(code).spans.weekdays, key=len, reverse=True)
    if not names:
        return re.compile(r"(?!)")
    edges = (r"\b", r"s?\b") if load_language(code).spaced else ("", "")
    return re.compile(rf"{edges[0]}(?:{'|'.join(names)}){edges[1]}", re.IGNORECASE)
