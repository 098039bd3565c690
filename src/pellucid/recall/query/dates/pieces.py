"""A lower-case query and a day in, the dates named in it out: the position of each and the days that it means."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from pellucid.language import lexicon
from pellucid.language.dates import Span, alternatives, month_span, phrases, relative_span, units

MOST = 16
"""Dates read in one query, at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One date: the words at `at` to `end`, and the days that they mean.

    `names_year`: whether the words name the year. `relative`: whether they count from the present day.
    """

    at: int
    end: int
    span: Span
    names_year: bool = True
    relative: bool = False


def ago(today: date, count: int, unit: str) -> Span:
    """Return the span of `count` units before today: for days that day, else also the days within half a unit to either
    side.

    `unit` is `day`, `week`, `month` (30.44 days) or `year` (365.25). The span's end, which is not part of it, is
    tomorrow at the latest.
    """
    days = {"day": 1, "week": 7, "month": 30.44, "year": 365.25}[unit]
    day, half = today - timedelta(days=round(count * days)), timedelta(days=int(days / 2))
    return day - half, min(day + half, today) + timedelta(days=1)


_COUNTED = """
    users user rows lines line requests request bytes byte kb mb gb tokens characters chars items records files times
    people calls euros dollars euro percent px pixels steps words tests errors entries points pages messages events
    jobs ms seconds second secs sec s minutes minute mins min hours hour hz rpm iterations epochs samples queries
    commits customers orders tickets memories documents nodes workers threads
"""
"""Things that a number before them counts, so that the number is not a year."""

_MONTH = r"(?:«month»)(?!\w)\.?"
_LONG_MONTH = r"(?:«month 4»|may|mai)(?!\w)"
_FOUR = r"(?:19[5-9]\d|20[0-4]\d)"
_YEAR = rf"{_FOUR}(?![\w:/-]|\.\d)"
_OF = r",? (?:of |de |del )?"
_FREE = r"(?<![\w./:@#-])"
_COUNTS = "|".join(_COUNTED.split())
_UNIT = "«unit»"
_TILL = r"(?:-|–|to|and|bis|und|y|al|et|au)"
_PART = (
    r"(?:end|start|beginning|middle|mid|month|rest|half|out|as|early|late|summer|winter|spring|autumn|fall|quarter) of"
)
_LEADS = (
    rf"in|since|until|till|before|after|during|from|around|through|throughout|early|late|mid|between|{_PART}|back in"
    r"|im|seit|bis|vor|nach|ab|von|zwischen|anfang|mitte|ende|en|desde|hasta|antes de|después de|entre|depuis|avant"
    r"|après|jusqu'en|al|début|fin"
)
_BY_YEAR = r"the|our|my|that|year|summer|winter|spring|autumn|fall|sommer|winter|année|año|jahr|del"
_VERBS = frozenset({"may", "march", "mar", "mars"})

_YEARS_TO_LEAP = 9
"""Years among which one has a 29 February: eight can lie between two such days."""
_Resolve = Callable[[re.Match[str], date], Piece | None]


def _piece_at(found: re.Match[str], span: Span, *, names_year: bool = True, relative: bool = False) -> Piece:
    """Return the date that all words of the match `found` name and that means the days of `span`; for the flags see
    `Piece`."""
    return Piece(found.start(), found.end(), span, names_year, relative)


def _iso(found: re.Match[str], today: date) -> Piece | None:  # noqa: ARG001 - every reader has one shape
    """Return the date of `2026-04-20` or `2026-04`; ValueError if there is no such day or month."""
    year, month, day = int(found["y"]), int(found["m"]), found["d"]
    if not day:
        return _piece_at(found, month_span(year, month))
    return _piece_at(found, relative_span(date(year, month, int(day)), "day", 0))


def _day(found: re.Match[str], today: date) -> Piece:
    """Return the date of `3 May`, `3 to 5 May 2023`, `May 3`, `May 3-5, 2023`; without a year, the last such day that
    has begun.

    ValueError if there is no such day, or if the last day is before the first.
    """
    month, first, year = lexicon.months()[found["mo"].rstrip(".")], int(found["d"]), found["y"]
    last = int(found["until"] or first)
    years = (int(year),) if year else range(today.year, today.year - _YEARS_TO_LEAP, -1)
    starts = [date(each, month, first) for each in years if first <= monthrange(each, month)[1]]
    start = next((each for each in starts if year or each <= today), None)
    if start is None or last < first:
        raise ValueError(found[0])
    return _piece_at(found, (start, start.replace(day=last) + timedelta(days=1)), names_year=bool(year))


def _month(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `April 2026`, or of `April`: the last April that has begun, named by the month's name
    alone."""
    month, year = lexicon.months()[found["mo"].rstrip(".")], found["y"]
    chosen = int(year) if year else today.year - (month > today.month)
    piece = _piece_at(found, month_span(chosen, month), names_year=bool(year))
    return piece if year else Piece(found.start("mo"), found.end("mo"), piece.span, names_year=False)


def _month_before(found: re.Match[str], today: date) -> Piece | None:
    """Return the piece for `last May`: the days of the last May that is over; never None."""
    month = lexicon.months()[found["mo"]]
    return _piece_at(found, month_span(today.year - (month >= today.month), month))


def _quarter(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `Q2 2026` or `second quarter`; without a year, the last such quarter that has begun."""
    spelled, year = found["q"] or found["q2"], found["y"] or found["y2"]
    number = int(spelled) if spelled.isdigit() else ("first", "second", "third", "fourth").index(spelled) + 1
    month = 3 * number - 2
    return _piece_at(
        found, month_span(int(year) if year else today.year - (month > today.month), month, 3), names_year=bool(year)
    )


def _year(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `2023`, named by the digits alone; None for a year more than two years ahead, and for a round
    one after an article or the like (`the 2000`, `our 2000`), which is a number of things."""
    year = int(found["y"])
    plain = found["lead"] in {"the", "our", "my", "that"} and year % 100 == 0
    if plain or year > today.year + 2:
        return None
    return Piece(found.start("y"), found.end("y"), month_span(year, 1, 12))


def _years(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `2019-2021`; None if the last year is not after the first, or more than two years ahead."""
    first, last = int(found["y"]), int(found["y2"])
    return _piece_at(found, month_span(first, 1, 12 * (last - first + 1))) if first < last <= today.year + 2 else None


def _dotted(found: re.Match[str], today: date) -> Piece | None:  # noqa: ARG001 - every reader has one shape
    """Return the date of `20.4.2026`; ValueError if there is no such day."""
    return _piece_at(found, relative_span(date(int(found["y"]), int(found["m"]), int(found["d"])), "day", 0))


def _count_of(number: str) -> int:
    """Return the number that digits or a word such as `three` or `few` (3) mean; KeyError for any other word."""
    return int(number) if number.isdigit() else _counts()[number]


def _trailing(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `the last three weeks`: that many times seven days, and today; a month counts as 31 days, a
    year as 366."""
    days = {"day": 1, "week": 7, "month": 31, "year": 366}[units()[found["unit"]]]
    return _piece_at(found, relative_span(today, "trail", days * _count_of(found["n"])), relative=True)


def _ago(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `three weeks ago`, `a couple of days ago` (see `ago`). For `few` and `couple` of days, the two
    days before and the day after count, too, but not today."""
    count, unit = _count_of(found["n"]), units()[found["unit"]]
    span = ago(today, count, unit)
    if found["n"] in {"few", "couple"} and unit == "day":
        span = span[0] - timedelta(days=2), min(span[1] + timedelta(days=1), today)
    return _piece_at(found, span, relative=True)


def _weekday(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of `last Friday`, `on Friday`: the last Friday before today."""
    back = (today.weekday() - lexicon.weekdays()[found["name"]]) % 7 or 7
    return _piece_at(found, relative_span(today, "day", -back), relative=True)


def _phrase(found: re.Match[str], today: date) -> Piece | None:
    """Return the date of a fixed phrase (`_past_phrases`), such as `yesterday` or `last month`; never None. ValueError
    or OverflowError outside the years 1 to 9999."""
    unit, offset = _past_phrases()[found[0]].split(":")
    return _piece_at(found, relative_span(today, unit, int(offset)), relative=True)


_MARK = re.compile(r"«(\w+)(?: (\d))?»")
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_ENDS = rf"(?![\w:%]|-\w|\.\d| (?:{_COUNTS})\b)"
_ROWS: tuple[tuple[str, _Resolve], ...] = (
    (rf"{_FREE}(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)(?:-(?P<d>\d\d)(?:t\d\d:\d\d[\d:.]*z?)?)?(?![\w/-]|\.\d)", _iso),
    (rf"{_FREE}(?P<d>\d{{1,2}})\. ?(?P<m>\d{{1,2}})\. ?(?P<y>(?:19|20)\d\d)(?![\w/-]|\.\d)", _dotted),
    (
        (
            rf"{_FREE}{_D}(?: ?{_TILL} ?(?P<until>\d{{1,2}})(?:st|nd|rd|th|\.)?)? (?:of |de )?(?P<mo>{_MONTH})"
            rf"(?:{_OF}(?P<y>{_YEAR}))?"
        ),
        _day,
    ),
    (rf"{_FREE}(?P<mo>{_MONTH}) (?:the )?{_D}(?: ?[-–] ?(?P<until>\d{{1,2}}))?{_ENDS}(?:{_OF}(?P<y>{_YEAR}))?", _day),
    (rf"{_FREE}(?P<mo>{_MONTH}){_OF}(?P<y>{_YEAR})", _month),
    (
        rf"{_FREE}(?:q(?P<q>[1-4])|(?P<y2>(?:19|20)\d\d)[ -]?q(?P<q2>[1-4]))(?:[ /]?(?:of )?(?P<y>{_YEAR})|(?!\w))",
        _quarter,
    ),
    (rf"{_FREE}(?P<q>first|second|third|fourth) quarter(?: (?:of )?(?P<y>{_YEAR}))?(?P<q2>)(?P<y2>)(?!\w)", _quarter),
    (
        (
            rf"{_FREE}(?:(?:the )?(?:last|past)|(?:in )?den letzten|(?:los|las) últimos|les|ces)"
            rf" (?P<n>\d{{1,3}}|couple(?= of)|«number 3»)(?: of)? (?P<unit>{_UNIT})(?!\w)"
            r"(?: derniers| dernières)?"
        ),
        _trailing,
    ),
    (rf"{_FREE}(?:a (?=few|couple))?(?P<n>\d{{1,3}}|«number»)(?: of)? (?P<unit>{_UNIT}) ago(?!\w)", _ago),
    (rf"{_FREE}(?:vor|hace|il y a) (?P<n>\d{{1,3}}|«number») (?P<unit>{_UNIT})(?!\w)", _ago),
    (rf"{_FREE}(?:last|letzten|vorigen|past|el|le) (?P<name>«weekday 4»)(?!\w)(?: (?:pasado|dernier))?", _weekday),
    (rf"{_FREE}(?P<name>lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) (?:dernier|passé)(?!\w)", _weekday),
    (rf"{_FREE}(?:last|letzten) (?P<mo>{_LONG_MONTH})(?! \d)", _month_before),
    (rf"{_FREE}(?:«phrase»)(?!\w)", _phrase),
    (
        (
            r"(?:(?<=\bon )|(?<=\bsince )|(?<=\buntil )|(?<=\bbefore )|(?<=\bafter )|(?<=\bfrom )"
            r"|(?<=\bam )|(?<=\bseit )"
            r"|(?<=\bdesde el )|(?<=\bdepuis ))(?P<name>«weekday 4»)(?!\w)"
        ),
        _weekday,
    ),
    (rf"\b(?:{_LEADS}) (?P<mo>{_LONG_MONTH})(?! ?\d)(?!'s)(?P<y>)", _month),
    (rf"{_FREE}(?P<y>{_FOUR}) ?[-–] ?(?P<y2>{_YEAR})", _years),
    (
        rf"\b(?P<lead>{_LEADS}|{_BY_YEAR}) (?P<y>{_YEAR})(?! (?:{_COUNTS})\b| ?[%€$]| (?:to|and|bis) (?!{_YEAR})\d)",
        _year,
    ),
)
_AND = rf" (?:and|to|until|till|through|und|bis|y|a|hasta|et|à) (?:(?P<mo>{_LONG_MONTH})(?! ?\d)|(?P<y>{_YEAR}))"
_HINT = (
    r"\d|ago|last|past|this|quarter|day|night|gestern|heute|letzt|vor|woche|monat|jahr|ayer|hoy|hace|pasad|este|hier"
    r"|aujourd|derni|passé|cette|ce |«month 4»|may|mai|«weekday 4»"
)


@cache
def _compiled_pattern(pattern: str) -> re.Pattern[str]:
    """Return the pattern compiled, with words for its marks: `«month»` stands for every name of a month, `«month 4»`
    for those of four letters or more; `weekday`, `number`, `unit` and `phrase` likewise."""
    words_by_mark: dict[str, Iterable[str]] = {
        "month": lexicon.months(),
        "weekday": lexicon.weekdays(),
        "number": _counts(),
        "unit": units(),
        "phrase": _past_phrases(),
    }
    return re.compile(_MARK.sub(lambda mark: alternatives(words_by_mark[mark[1]], int(mark[2] or 1)), pattern))


@cache
def _counts() -> Mapping[str, int]:
    """Map each number word to its number; `a few` is three."""
    return {**lexicon.numbers(*lexicon.LATIN), "couple": 2, "few": 3}


@cache
def _past_phrases() -> Mapping[str, str]:
    """Map each fixed phrase for a present or past span to its meaning as `unit:offset`: `yesterday` to `day:-1`."""
    return {text: span for text, span in phrases(*lexicon.LATIN).items() if _is_past_unit(*span.split(":"))}


def _is_past_unit(unit: str, offset: str) -> bool:
    """Whether a phrase's unit and offset (an integer as text) mean a present or past span: not if the unit is `none` or
    the offset is above 0; `trail` always."""
    return unit == "trail" or (unit != "none" and int(offset) <= 0)


def pieces(text: str, lowered: str, today: date) -> list[Piece]:
    """Return the dates of a query in its order; none overlaps another.

    `text` is the query, `lowered` the same in lower case, of the same length; `today` is the day that `last week`
    counts from. At most 16, not counting the bare second ends of ranges (`… and July`).
    """
    if not _compiled_pattern(_HINT).search(lowered):
        return []
    found = list[Piece]()
    matches = ((each, resolve) for pattern, resolve in _ROWS for each in _compiled_pattern(pattern).finditer(lowered))
    for match, resolve in matches:
        piece = _piece_of(match, resolve, today)
        if piece and not _is_verb(match, text) and all(piece.end <= p.at or p.end <= piece.at for p in found):
            found.append(piece)
        if len(found) == MOST:
            break
    return sorted([*found, *_ends_of_ranges(lowered, found, today)], key=lambda piece: piece.at)


def _piece_of(match: re.Match[str], resolve: _Resolve, today: date) -> Piece | None:
    """Return the date that a match means, by its reader `resolve`; None if that day does not exist, or the reader finds
    no date in the words.
    """
    try:
        return resolve(match, today)
    except (ValueError, OverflowError):
        return None


def _is_verb(match: re.Match[str], text: str) -> bool:
    """Whether `may`, `march` or the like with a number before or after it is a verb (`5 may fail`): it has a small
    letter and no year, and the number is no ordinal (`3rd may`). `text` is the query with its capitals."""
    groups = match.groupdict()
    month = groups.get("mo")
    if not month or month not in _VERBS or groups.get("y") or "d" not in groups:
        return False
    return text[match.start("mo")].islower() and not re.search(r"\d(?:st|nd|rd|th)", match[0])


def _ends_of_ranges(lowered: str, found: list[Piece], today: date) -> list[Piece]:
    """Return the bare months and years right after a date in `found` that end a range (`… and July`, `… to 2021`), in
    the order of `found`; none that is part of a date in `found`."""
    more = list[Piece]()
    for piece in found:
        match = _compiled_pattern(_AND).match(lowered, piece.end)
        if match and all(p.at != match.end() and not p.at < match.end() <= p.end for p in found):
            resolved = (
                _month(match, today)
                if match["mo"]
                else Piece(match.start("y"), match.end("y"), month_span(int(match["y"]), 1, 12))
            )
            more += [resolved] if resolved else []
    return more
