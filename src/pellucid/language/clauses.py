"""A text in, the clause that states something by itself out, without what opens it, explains it or tells its time.

`No, I told you wrong: the relay moved to port 9090 last week, it's behind a proxy` says `the relay moved to port 9090`.
What narrows a clause (`in staging, …`, `… unless it fails`) or goes on with a list stays in it.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from pellucid.language import lexicon
from pellucid.language.inflection import folded
from pellucid.language.sentences import sentences

_PARTS = re.compile(r",(?: +|$)|(?=;)")
_LONG = 4
"""Words of a part behind a comma that says something of its own, though no verb of it is known."""
_HEAD = re.compile(r"(?P<head>[^:]{1,80}): +(?P<rest>\S.*)")
_WORDS = re.compile(r"[^\W_]+(?:['’./_-][^\W_]+)*")
_CLITIC = re.compile(r"['’](?:s|re|m|ll|ve|d)$")
_QUOTED = re.compile(r"[\"“”„«»「」]")
_DATED = re.compile(r" ?\((?:week of )?\d{4}-\d{2}(?:-\d{2})?\)")
"""When something was, as it is put behind `last week`."""
_PAST = re.compile(r"[a-z]{2,}ed$")


@dataclass(frozen=True, slots=True)
class Clause:
    """What a text states: `corrects` where it says that something else was wrong; `alone` where it says no more.

    `left` is what it says holds no more, where it does: `…, not npm`, `…, forget 5433`. `cut` where what stood behind
    it was left out and may belong to it: `We release on Tuesdays`, of `…, after the tides are known`.
    """

    text: str
    corrects: bool = False
    alone: bool = True
    left: str = ""
    cut: bool = False


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of the first sentence that states anything; none of a quotation, which is somebody else's word."""
    plain = " ".join(_DATED.sub("", unicodedata.normalize("NFKC", text)).split())
    if _QUOTED.search(plain):
        return ()
    corrects, said = False, list(sentences(plain))
    while said:
        first, *said = said
        parts = [part.strip(" .!") for part in _PARTS.split(first)]
        while parts and (opening := _take_opening(parts)):
            corrects = _corrects(opening) or corrects
        if parts:
            return tuple(_stating_clauses(parts, corrects, not any(map(_says_more, said))))
    return ()


def _stating_clauses(parts: Sequence[str], corrects: bool, alone: bool) -> list[Clause]:
    """The parts that state something by themselves, each with what narrows it or goes on with it."""
    found, left, cut = list[str](), "", list[str]()
    for said in parts:
        part = said.lstrip("; ")
        if lexicon.words("unsure").intersection(words_of(part)):
            break
        if found and _is_explanation(part):
            left = left or _unsaid(part)
            continue
        if found and part == said and (_narrows(found[0]) or not has_verb(part) or _narrows(part)):
            cut += [found[-1]] if not cut and _is_long(part) and not _narrows(found[0]) else []
            found[-1] += f", {part}"
        else:
            found.append(part)
    alone = alone and len(found) == 1
    whole = [Clause(_bare_clause(each), corrects or _tells_since(each), alone, left) for each in found]
    return whole + [Clause(_bare_clause(each), corrects or _tells_since(each), alone=False, cut=True) for each in cut]


def _is_long(part: str) -> bool:
    """Whether a part says something of its own, and is neither a condition nor one more of a list."""
    said = words_of(part)
    return len(said) >= _LONG and said[0] not in lexicon.words("prepositions", "conditions", "joints")


def pieces(text: str) -> tuple[str, ...]:
    """What stands between commas and the like: also the items of a list."""
    return tuple(part.strip(" .!;") for sentence in sentences(text) for part in _PARTS.split(sentence))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text without their case and without `'s`."""
    return tuple(_CLITIC.sub("", each.casefold()) for each in _WORDS.findall(text))


def has_verb(part: str) -> bool:
    """Whether a part says something by itself: it asks for it, somebody does it, or a finite verb stands in it."""
    said = words_of(part)
    if not said:
        return False
    held = lexicon.words("be", "auxiliary", "past")
    finite = (word in held or _PAST.match(word) or (word[-1] == "s" and folded(word) in _verbs()) for word in said[1:])
    return said[0] in lexicon.words("pronouns", "verbs", "placing") or any(finite)


def _take_opening(parts: list[str]) -> str:
    """Take the opening (`By the way`) off the first of `parts`, in place, and return it; empty where there is none."""
    head = _HEAD.fullmatch(parts[0])
    if head and _is_opening(head["head"]):
        parts[0] = head["rest"]
        return head["head"]
    return parts.pop(0) if _is_opening(parts[0]) else ""


def _is_opening(part: str) -> bool:
    """Whether a part only opens what is said, or owns up to a mistake: `Ok`, `no wait`, `I told you wrong`."""
    said = words_of(part)
    owns_up = bool(lexicon.words("pronouns", "possessive") & set(said[:1])) and _corrects(part)
    return all(word in lexicon.words("openings", "leads") for word in said) or owns_up


def _corrects(part: str) -> bool:
    return bool(lexicon.words("openings", "mistaken").intersection(words_of(part)))


def _is_explanation(part: str) -> bool:
    """Whether a part says more of the same thing: why, what follows, what it is not."""
    said = words_of(part)
    return not said or said[0] in lexicon.words("reasons", "pointing", "negators", "unsaid")


def _unsaid(part: str) -> str:
    """What a part says holds no more: all that stands behind its `not` or `forget`."""
    first, _, rest = part.partition(" ")
    return rest.casefold() if first.casefold() in lexicon.words("negators", "unsaid") else ""


def _says_more(sentence: str) -> bool:
    return not _is_explanation(sentence) and not _is_opening(sentence)


def _narrows(part: str) -> bool:
    said = words_of(part)
    return bool(said) and said[0] in lexicon.words("prepositions", "conditions", "bounds", "joints")


def _bare_clause(part: str) -> str:
    """A clause without fillers in front, and without its reason and its time behind."""
    opening = _fillers().match(part)
    part = _time_pattern().sub("", part[opening.end() :] if opening else part)
    return _time_pattern().sub("", _reason().sub("", part)).strip(" ,.!")


def _tells_since(part: str) -> bool:
    return bool(_time_pattern().search(part) or _time_pattern().search(_reason().sub("", part)))


@cache
def _verbs() -> frozenset[str]:
    return frozenset(map(folded, lexicon.words("verbs", "sole", "many", "placing")))


@cache
def _fillers() -> re.Pattern[str]:
    leads = "|".join(sorted(lexicon.words("leads"), key=len, reverse=True))
    return re.compile(rf"(?:(?:{leads})\b,? +)*(?:that +)?", re.IGNORECASE)


@cache
def _reason() -> re.Pattern[str]:
    return re.compile(rf" +(?:now that|{'|'.join(sorted(lexicon.words('reasons')))})\b.*$", re.IGNORECASE)


@cache
def _time_pattern() -> re.Pattern[str]:
    """A pattern for words of time at the end of a clause, up to now (`since May`)."""
    tables = (lexicon.lexicon(code).get("dates", {}).get("phrases", {}) for code in lexicon.STATED)
    past = {each for table in tables for when, said in table.items() if _is_past(when) for each in said}
    named = "|".join(map(re.escape, sorted(past, key=len, reverse=True)))
    return re.compile(rf",? +(?:(?:{named})|since \S+(?: \S+)?)$", re.IGNORECASE)


def _is_past(when: str) -> bool:
    unit, _, offset = when.partition(":")
    return unit == "trail" or offset.startswith("-")
