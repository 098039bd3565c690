"""A text in, the clause that states something by itself out, without what opens it, explains it or tells its time.

`No, I told you wrong: the relay moved to port 9090 last week, it's after a proxy` says `the relay moved to port 9090`.
What narrows a clause (`in staging, …`, `… unless it fails`) or goes on with a list stays in it.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pellucid.language import lexicon
from pellucid.language.dates import alternatives, phrases
from pellucid.language.inflection import base_form, base_forms
from pellucid.language.sentences import sentences
from pellucid.text_cache import text_cache

_PARTS = re.compile(r",(?: +|$)|(?=;)")
_LONG = 4
"""Words from which a part after a comma is a statement of its own, even if it has no known verb."""
_HEAD = re.compile(r"(?P<head>[^:]{1,80}): +(?P<rest>\S.*)")
_WORDS = re.compile(r"[^\W_]+(?:['’./_-][^\W_]+)*")
_CLITIC = re.compile(r"['’](?:s|re|m|ll|ve|d)$")
_QUOTED = re.compile(r"[\"“”„«»「」]")
_DATED = re.compile(r" ?\((?:week of )?\d{4}-\d{2}(?:-\d{2})?\)")
"""A date in brackets, which extraction puts after words such as `last week`."""
_PAST = re.compile(r"[a-z]{2,}ed$")


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement that a text makes.

    `corrects`: the text says that something else was wrong. `alone`: the text states nothing else. `left`: the words
    for what no longer holds (`npm` of `…, not npm`); empty if the text names nothing of the kind. `cut`: words after
    the clause were left out that can belong to it: `We release on Tuesdays`, of `…, after the tides are known`.
    """

    text: str
    corrects: bool = False
    alone: bool = True
    left: str = ""
    cut: bool = False


@text_cache(2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of the first sentence that is more than an opening (`Ok`, `By the way`), in order, in the
    text's NFKC form and case.

    Empty if there is no such sentence, if it begins with an unsure part (`maybe`), or if the text has quotation marks:
    a quotation is somebody else's word. Dates in brackets are left out. After the whole clauses, those that were cut
    short follow (`Clause.cut`).
    """
    plain = " ".join(_DATED.sub("", unicodedata.normalize("NFKC", text)).split())
    if _QUOTED.search(plain):
        return ()
    corrects, rest = False, list(sentences(plain))
    while rest:
        first, *rest = rest
        parts = [part.strip(" .!") for part in _PARTS.split(first)]
        while parts and (opening := _take_opening(parts)):
            corrects = _corrects(opening) or corrects
        if parts:
            alone = all(_is_explanation(each) or _is_opening(each) for each in rest)
            return tuple(_stating_clauses(parts, corrects, alone))
    return ()


def _stating_clauses(parts: Sequence[str], corrects: bool, alone: bool) -> list[Clause]:
    """Return the clauses of a sentence's parts, up to the first part with an unsure word (`maybe`), in order.

    A part is added to the clause before it, unless a semicolon parts them, if it has no verb or narrows (`_narrows`),
    or if the first clause narrows; a part that only explains is left out. Unless the first clause narrows, the first
    clause to which a long statement is added is returned once more at the end as it was before, as `cut`. `corrects`,
    `alone`: see `Clause`.
    """
    whole, left, cut = list[str](), "", list[str]()
    for raw in parts:
        part = raw.lstrip("; ")
        if lexicon.words("unsure").intersection(_bare_words(part)):
            break
        if whole and _is_explanation(part):
            left = left or _dropped_words(part)
            continue
        # `part != raw`: a semicolon stood before it, which always begins a clause
        if whole and part == raw and (_narrows(whole[0]) or not has_verb(part) or _narrows(part)):
            # the clause is also read without the part, which may be a second statement and not a list's next item
            cut += [whole[-1]] if not cut and _is_long_statement(part) and not _narrows(whole[0]) else []
            whole[-1] += f", {part}"
        else:
            whole.append(part)
    alone = alone and len(whole) == 1
    full = [Clause(_bare_clause(each), corrects or _ends_in_time(each), alone, left) for each in whole]
    return full + [Clause(_bare_clause(each), corrects or _ends_in_time(each), alone=False, cut=True) for each in cut]


def _is_long_statement(part: str) -> bool:
    """Whether a part has four words or more and begins with no preposition, condition or conjunction."""
    words = _bare_words(part)
    return len(words) >= _LONG and words[0] not in lexicon.words("prepositions", "conditions", "joints")


def comma_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a text between commas before a blank, semicolons and ends of sentences (a line break ends
    none), in order, without blanks and the marks `.`, `!` and `;` at their ends. The items of `a, b, c` are parts as
    clauses are. A part can be empty."""
    return tuple(part.strip(" .!;") for sentence in sentences(text) for part in _PARTS.split(sentence))


def _bare_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, casefolded, without the endings `'s`, `'re`, `'m`, `'ll`, `'ve` and `'d`."""
    return tuple(_CLITIC.sub("", each.casefold()) for each in _WORDS.findall(text))


def has_verb(part: str) -> bool:
    """Whether part of a sentence is a clause, by its words: it begins with a pronoun or an imperative, or a later word
    is a form of `be`, an auxiliary, a known past form, ends in `ed`, or is a known verb with `s`.
    """
    words = _bare_words(part)
    if not words:
        return False
    known, verbs = lexicon.words("be", "auxiliary", "past"), base_forms("verbs", "sole", "many", "placing")
    finite = (
        each in known or _PAST.match(each) or (each[-1] == "s" and base_form(each) in verbs) for each in words[1:]
    )
    return words[0] in lexicon.words("pronouns", "verbs", "placing") or any(finite)


def _take_opening(parts: list[str]) -> str:
    """Remove from `parts` (at least one), in place, what only opens a statement (see `_is_opening`), and return it: the
    whole first part (`By the way`), or its beginning up to a colon, at most 80 characters (`I told you wrong: …`).

    Empty if there is none, and also if the part that was removed is empty.
    """
    head = _HEAD.fullmatch(parts[0])
    if head and _is_opening(head["head"]):
        parts[0] = head["rest"]
        return head["head"]
    return parts.pop(0) if _is_opening(parts[0]) else ""


def _is_opening(part: str) -> bool:
    """Whether a part only opens a statement, or admits a mistake; also a part without words.

    It opens if all its words are opening ones (`Ok`, `no wait`); it admits a mistake if it begins with a pronoun or a
    possessive and has a word that `_corrects` looks for (`I told you wrong`).
    """
    words = _bare_words(part)
    owns_up = bool(lexicon.words("pronouns", "possessive") & set(words[:1])) and _corrects(part)
    return all(word in lexicon.words("openings", "leads") for word in words) or owns_up


def _corrects(part: str) -> bool:
    """Whether a part has a word that takes back something said before: `no`, `wrong`."""
    return bool(lexicon.words("openings", "mistaken").intersection(_bare_words(part)))


def _is_explanation(part: str) -> bool:
    """Whether a part, by its first word, only explains the clause before it: a reason or consequence (`because`, `so`),
    a word that points back (`it`), or what the clause excludes (`not`, `forget`); also a part without words.
    """
    words = _bare_words(part)
    return not words or words[0] in lexicon.words("reasons", "pointing", "negators", "unsaid")


def _dropped_words(part: str) -> str:
    """Return what follows a leading `not`, `forget` or the like, casefolded: the words for what no longer holds; empty
    for any other part.
    """
    first, _, rest = part.partition(" ")
    return rest.casefold() if first.casefold() in lexicon.words("negators", "unsaid") else ""


def _narrows(part: str) -> bool:
    """Whether a part begins with a word that narrows or continues its neighbour: a preposition, condition, bound or
    conjunction, such as `in`, `unless`, `until`, `and`.
    """
    words = _bare_words(part)
    return bool(words) and words[0] in lexicon.words("prepositions", "conditions", "bounds", "joints")


def _bare_clause(part: str) -> str:
    """Return a clause without fillers at its beginning, without a reason and words of a time up to now at its end, and
    without marks at its ends.
    """
    opening = _filler_pattern().match(part)
    part = _time_pattern().sub("", part[opening.end() :] if opening else part)
    return _time_pattern().sub("", _reason_pattern().sub("", part)).strip(" ,.!")


def _ends_in_time(part: str) -> bool:
    """Whether a clause, its reason left out, ends in words for a time up to now: `since May`, `last week`."""
    return bool(_time_pattern().search(part) or _time_pattern().search(_reason_pattern().sub("", part)))


@cache
def _filler_pattern() -> re.Pattern[str]:
    """Return a pattern for words at the beginning of a clause that add nothing: `well, I think that`."""
    return re.compile(rf"(?:(?:{alternatives(lexicon.words('leads'))})\b,? +)*(?:that +)?", re.IGNORECASE)


@cache
def _reason_pattern() -> re.Pattern[str]:
    """Return a pattern for the end of a clause from a `because` or the like on, with the blanks before it."""
    return re.compile(rf" +(?:now that|{'|'.join(sorted(lexicon.words('reasons')))})\b.*$", re.IGNORECASE)


@cache
def _time_pattern() -> re.Pattern[str]:
    """Return a pattern for words of time at the end of a clause, up to now: `last week`, `since May`."""
    meant = {phrase: when.partition(":") for phrase, when in phrases(*lexicon.STATED).items()}
    past = [phrase for phrase, (unit, _, offset) in meant.items() if unit == "trail" or offset.startswith("-")]
    return re.compile(rf",? +(?:(?:{alternatives(past)})|since \S+(?: \S+)?)$", re.IGNORECASE)
