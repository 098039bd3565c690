"""A query and an instant in, the period it names out: its two ends, its words, and whether it dates what was said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from pellucid.recall.query.dates.asserts import asserts
from pellucid.recall.query.dates.pieces import Piece, pieces

_READ = 2_000
"""Characters of a long text that are read."""


@dataclass(frozen=True, slots=True)
class Window:
    """A period in a query: half-open UTC instants, `None` where it is open, and the words that name it.

    `asserts`: the words date what was said, decided or noted, and not an event in the world.
    """

    start: datetime | None
    end: datetime | None
    phrase: str
    asserts: bool = False


@dataclass(frozen=True, slots=True)
class _Reach:
    """Days from `since` to `until` (not included), named by the words at `at` to `end`."""

    since: date | None
    until: date | None
    at: int
    end: int


_ARTICLE = r"(?:the |el |la |le |den |dem |der |du |l')?"
_PART = r"(?:(?:early|mid|late|start of|beginning of|end of|anfang|mitte|ende|principios de|finales de|début|fin) )?"
_BEFORE = re.compile(
    r"\b(?:(?P<since>since|seit|ab|desde|depuis)|(?P<after>after|nach|después de|después del|après)"
    r"|(?P<before>before|prior to|vor|antes de|antes del|avant)"
    r"|(?P<until>until|till|up to|as of|by|through|bis|bis zum|hasta|jusqu'en|jusqu'à|jusqu'au)"
    rf"|(?P<between>between|from|zwischen|von|vom|entre|de|del|du)) {_ARTICLE}{_PART}$"
)
_LINK = re.compile(rf" ?(?:and|to|until|till|through|up to|bis|und|y|a|al|hasta|et|à|au|-|–|—) ?{_ARTICLE}{_PART}")
_ONWARDS = re.compile(r" (?:on|onwards?)\b")


def window(text: str, at: datetime) -> Window | None:
    """The period that a query names, seen from `at` (without a zone: UTC), whose zone says when a day begins.

    `in April` and `3 May` are the last that began before `at`; `two weeks ago` reaches half a unit to either side.
    Of several periods, the whole from the first to the last. None where no period is named. Of a long text the first
    2,000 characters are read.
    """
    read = text[:_READ]
    plain = read.replace("’", "'").replace("\n", " ")
    lowered = plain.lower()
    if len(lowered) != len(plain):
        lowered = plain
    try:
        found = pieces(plain, lowered, at.date())
        reaches = _reaches(lowered, found)
        return _window_of(read, lowered, reaches, found, at) if reaches else None
    except (OverflowError, ValueError):
        return None


def _reaches(text: str, found: Sequence[Piece]) -> list[_Reach]:
    """The dates, taken together where two are the ends of a range, with `since`, `before` and the like applied."""
    out, index = list[_Reach](), 0
    while index < len(found):
        first, second = found[index], found[index + 1] if index + 1 < len(found) else None
        led = _BEFORE.search(text[max(0, first.at - 40) : first.at])
        kind = (led.lastgroup or "") if led else ""
        opening = first.at - len(led[0]) if led else first.at
        linked = second and _LINK.fullmatch(text, first.end, second.at)
        if second and linked and (kind == "between" or "and" not in linked[0].split()):
            first, second = _aligned_ends(first, second)
            out.append(_Reach(first.span[0], second.span[1], opening if kind == "between" else first.at, second.end))
            index += 2
            continue
        out.append(_reach_of_one(text, first, kind, opening))
        index += 1
    return out


def _reach_of_one(text: str, piece: Piece, kind: str, opening: int) -> _Reach:
    since, until = piece.span
    if kind == "between":
        onwards = _ONWARDS.match(text, piece.end)
        return _Reach(since, None, opening, onwards.end()) if onwards else _Reach(since, until, piece.at, piece.end)
    ends = {"since": (since, None), "after": (until, None), "before": (None, since), "until": (None, until)}
    return _Reach(*ends[kind], opening, piece.end) if kind else _Reach(since, until, piece.at, piece.end)


def _aligned_ends(first: Piece, second: Piece) -> tuple[Piece, Piece]:
    """The two ends of a range in one stretch of time: a month without a year takes it from the other end."""
    if not first.told and not first.relative:
        while first.span[0] > second.span[0]:
            first = _moved(first, -1)
        while second.told and first.span[0].year < second.span[0].year and _moved(first, 1).span[0] <= second.span[0]:
            first = _moved(first, 1)
    elif not second.told and not second.relative:
        while second.span[0] < first.span[0]:
            second = _moved(second, 1)
        while _moved(second, -1).span[0] >= first.span[0]:
            second = _moved(second, -1)
    if first.span[0] > second.span[0]:
        return replace(first, span=second.span), replace(second, span=first.span)
    return first, second


def _moved(piece: Piece, years: int) -> Piece:
    start, end = piece.span
    return replace(piece, span=(start.replace(year=start.year + years), end.replace(year=end.year + years)))


def _window_of(text: str, lowered: str, reaches: Sequence[_Reach], found: Sequence[Piece], now: datetime) -> Window:
    """All reaches as one: from the earliest beginning to the latest end; open where one of them is."""
    starts = [reach.since for reach in reaches if reach.since]
    ends = [reach.until for reach in reaches if reach.until]
    at, end, zone = reaches[0].at, reaches[-1].end, now.tzinfo or UTC
    return Window(
        _instant(min(starts), zone) if len(starts) == len(reaches) else None,
        _instant(max(ends), zone) if len(ends) == len(reaches) else None,
        text[at:end],
        len(reaches) == 1 and _dates_what_was_said(lowered, reaches[0], found[0], now.date()),
    )


def _dates_what_was_said(text: str, reach: _Reach, piece: Piece, today: date) -> bool:
    """Whether the period says when something was said, and not when it happens; one that has yet to begin cannot."""
    if reach.since and reach.since > today:
        return False
    over = piece.span[0] < today and piece.span[1] <= today + timedelta(days=1)
    return asserts(text, reach.at, reach.end, relative=piece.relative, past=piece.relative and over)


def _instant(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)
