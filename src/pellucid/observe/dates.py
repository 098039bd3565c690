"""A sentence and the time of its turn in, the sentence with absolute dates out: `yesterday (2026-04-22)`."""

import re
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise

from pellucid.language import lexicon
from pellucid.language.dates import alternatives, phrases, relative_span
from pellucid.language.scripts import is_east
from pellucid.language.sentences import mask_code
from pellucid.language.words import words
from pellucid.observe.language import Language, Unit, load_language

_DATED = re.compile(r"\s*\(\d{4}")
_MAX_DATES = 2
_CLAUSE_END = re.compile(r"[.!?:;]\s+")
_JOINED = re.compile(r"[-/_]")
_NEAR = 20
"""Characters before a date that are searched for the word before it."""
_OPENING = 3
"""Words at the beginning of a clause among which its verb of the past can be: later ones are attributes, mostly."""
_SHORT, _HEADING = 4, 3
"""The fewest letters of a word, and the fewest such words, that can make a heading."""
_OPENS = {"week": "week of ", "trail": "since "}


def resolve_dates(text: str, at: datetime | None, language: Language) -> str:
    """Return the text with an absolute date in brackets after each of its first two relative ones.

    `at` is the time at which it was said, and its day is that of its own time zone. If it is None, or the language has
    no relative dates, the text is unchanged. A week is `week of 2026-04-20`, a month `2026-04`, a year `2026`, the past
    week `since 2026-04-15`. Dates in inline code, dates with a year in brackets behind them, and a `today` that is no
    date, as in `the today column`, stay as they are.
    """
    pattern = _pattern(language.code)
    if at is None or not pattern:
        return text
    today = at.date()
    done, parts, last = 0, list[str](), 0
    lowered = mask_code(text).lower()
    for found in pattern.finditer(lowered if len(lowered) == len(text) else text):
        try:
            named = _absolute_date(found, today, language)
        except (OverflowError, ValueError):  # the day lies outside the years 1 to 9999
            named = None
        end = found.end() + 2 * text[found.end() :].startswith(("'s", "’s"))  # yesterday's
        is_new = done < _MAX_DATES and named and not _DATED.match(text[end:])
        if is_new and (named != str(today) or is_east(found[0]) or _tells_when(text, found.start(), end)):
            parts += [text[last:end], f"({named})" if is_east(found[0]) else f" ({named})"]
            last, done = end, done + 1
    return "".join([*parts, text[last:]])


def _tells_when(text: str, start: int, end: int) -> bool:
    """Whether the word for the present day at `start` to `end` tells when something is done, and names no concept.

    It does in a clause about a person, the past or the future, and after `is`. It does not if it is joined to another
    word, alone in brackets, in a heading, or after a word such as `on`; with an `'s`, only in a clause about the past
    or the future.
    """
    clause = text[_clause_start(text, start) :]
    clause = _CLAUSE_END.split(clause, maxsplit=1)[0]
    near = f"{text[start - 1 : start]}{text[end : end + 1]}"
    before = words(text[:start][-_NEAR:])[-1:]
    if _JOINED.search(near) or near == "()" or _is_heading(clause) or lexicon.words("placing_day").intersection(before):
        return False
    around = set(words(clause))
    is_told = bool(around & lexicon.words("past", "were", "future")) or "'ll" in clause
    if text[start:end].endswith("s"):
        return is_told
    did = any(word.endswith("ed") and word not in _after_be(clause) for word in words(clause)[:_OPENING])
    return is_told or did or bool(around & lexicon.persons().keys()) or bool(lexicon.words("be").intersection(before))


def _clause_start(text: str, at: int) -> int:
    """Return where the clause around an index begins: behind the last mark `.!?:;` before the index that blanks follow,
    and behind these; 0 if there is none.
    """
    return max((found.end() for found in _CLAUSE_END.finditer(text, 0, at)), default=0)


def _is_heading(clause: str) -> bool:
    """Whether a clause has three words or more of at least four letters, and all of these begin with a capital."""
    longer = [word for word in clause.split() if len(word) >= _SHORT and word[0].isalpha()]
    return len(longer) >= _HEADING and all(word[0].isupper() for word in longer)


def _after_be(clause: str) -> set[str]:
    """Return the words of a clause that follow a form of `be`, as a state does: `are forced`."""
    return {word for verb, word in pairwise(words(clause)) if verb in lexicon.words("be")}


@cache
def _pattern(code: str) -> re.Pattern[str] | None:
    """Return a pattern for every relative date in lower-case text of a language, by its code; None if the language has
    no relative dates.
    """
    language = load_language(code)
    spans = language.spans
    set_phrases = phrases(code)
    edge = "" if any(map(is_east, set_phrases)) else r"\b"
    rows = [f"(?P<phrase>{edge}(?:{alternatives(set_phrases)}){edge})"] if set_phrases else []
    for name in ("ago", "ahead", "past_weekday", "coming_weekday"):
        if template := getattr(spans, name):
            number, weekday = rf"\d{{1,3}}|{alternatives(lexicon.numbers(code))}", alternatives(lexicon.weekdays(code))
            filled = template.replace("{n}", number).replace("{weekday}", weekday)
            rows.append(f"(?P<{name}>{_name_groups(filled, name)})")
    return re.compile("|".join(rows)) if rows else None


def _name_groups(template: str, name: str) -> str:
    """Return the pattern `template` with names for its unnamed groups, made of `name`: `ago_0` for the number or
    weekday, `ago_1` for the unit.
    """
    parts = re.split(r"(?<!\\)\((?!\?)", template)
    return "".join([parts[0], *(f"(?P<{name}_{at}>{part}" for at, part in enumerate(parts[1:]))])


def _absolute_date(match: re.Match[str], today: date, language: Language) -> str | None:
    """Return the date or period that a match of `_pattern` means, seen from `today`, as `_named_period` writes it
    (`2026-04-22`, `week of 2026-04-20`); None for a phrase that is no date.

    Raises OverflowError or ValueError if the day lies outside the years 1 to 9999.
    """
    kind = match.lastgroup or ""
    spans = language.spans
    if kind == "phrase":
        unit, offset = phrases(language.code)[match[0]].split(":")
        return _named_period(today, unit, int(offset))
    if kind in {"ago", "ahead"}:
        said = match[f"{kind}_0"]
        count = int(said) if said.isdigit() else lexicon.numbers(language.code)[said]
        return _named_period(today, spans.units[match[f"{kind}_1"]], -count if kind == "ago" else count)
    weekday = lexicon.weekdays(language.code)[match[f"{kind}_0"]]
    days = (weekday - today.weekday()) % 7 or 7
    return str(today + timedelta(days=days if kind == "coming_weekday" else (days - 7 or -7)))


def _named_period(today: date, unit: Unit | str, offset: int) -> str | None:
    """Return the period `offset` units from today (`2026-04-22`, `week of 2026-04-20`, `2026-Q2`).

    A negative offset lies in the past. None for the unit `none`, of a phrase that is no date. Raises OverflowError or
    ValueError outside the years 1 to 9999.
    """
    if unit == "none":
        return None
    start = relative_span(today, unit, offset)[0]
    if unit == "quarter":
        return f"{start.year}-Q{start.month // 3 + 1}"
    if unit in {"month", "year"}:
        return f"{start:%Y-%m}" if unit == "month" else f"{start:%Y}"
    return f"{_OPENS.get(unit, '')}{start}"
