"""A query and an instant in, the period it names out: its two ends, its words, and whether it dates what was said."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from pellucid.recall.query.dates.pieces import Piece, pieces

_READ = 2_000
"""Characters of a long text that are read."""

_SAYS = (
    r"decide|agree|discuss|say|tell|talk|mention|note|record|conclude|settle|choose|pick|ask|promise|propose|suggest"
    r"|go over|vote|commit|write down|remember|learn|save|store|speak|chat|rule out|resolve|jot down|bring up"
)
_SAID = (
    r"decided|agreed|discussed|said|told|talked|mentioned|noted|recorded|concluded|settled|chose|chosen|picked|asked"
    r"|promised|proposed|suggested|went over|voted|committed|wrote down|written down|learned|learnt|saved|stored|spoke"
    r"|chatted|ruled out|resolved|brought up"
)
_PASSIVE = (
    r"decided|agreed|discussed|said|mentioned|noted|concluded|settled|promised|written down|talked about|ruled out"
)
_GERMAN = (
    r"beschlossen|besprochen|entschieden|gesagt|erzählt|vereinbart|notiert|festgelegt|abgemacht|ausgemacht|erwähnt"
    r"|diskutiert|geredet|gesprochen|festgehalten"
)
_SPANISH = (
    r"decidimos|acordamos|hablamos|dije|dijimos|dijiste|conté|contaste|mencioné|mencionaste|comentamos|quedamos|anoté"
    r"|anotamos|discutimos|elegimos|se (?:decidió|acordó|dijo)"
)
_FRENCH = r"décidé|convenu|discuté|dit|parlé|noté|mentionné|choisi|raconté|évoqué"

_SAYING = re.compile(
    rf"\b(?:did|have|had|do) (?:[\w'-]+ and )?(?:we|i|you)(?: all| both| actually| finally| already| last| ever)?"
    rf" (?:{_SAYS}|{_SAID})\b"
    rf"|(?<!were )(?<!was )\b(?:we|i|you)(?:'ve| have| had|'d)?(?: all| both| finally| already| just)? (?:{_SAID})\b"
    rf"|\b(?:was|were|been|got)(?: it| that| anything)?(?: finally| already)? (?:{_PASSIVE})\b"
    r"|\b(?:decisions?|agreements?|notes?|promises?|discussions?)(?: that)?(?: we| i| you| were)?"
    r" (?:made|taken|reached|took)\b"
    rf"|\b(?:haben?|hast|hatten?|wurden?|wir|ich|du)\b(?: \S+){{0,9}}? (?:{_GERMAN})\b"
    rf"|\b(?:{_SPANISH})\b"
    rf"|(?:\b(?:avons|a|ai|as|avez|ont)|[jt]'ai|t-on)(?:-nous|-tu|-vous|-je|-on)?(?: \S+){{0,3}}? (?:{_FRENCH})\b"
)
_RECORD = (
    r"sessions?|conversations?|chats?|discussions?|notes?|transcripts?|sitzung(?:en)?|gesprächs?|notizen"
    r"|sesión|sesiones|conversación|notas|séance|conversation"
)
_OF_RECORD = re.compile(
    rf"\b(?:{_RECORD}|decisions?|agreements?|entscheidungen|beschlüsse|decisiones|décisions)"
    r"(?: made| taken| we had| recorded)?(?: from| of| in| on| at| since| before| after| until| between| vom| von| aus"
    r"| im| der| de| del| de la| du| en)?(?: the| der| dem)?\s*$"
)
_BEHIND_RECORD = re.compile(rf"^(?:'s)?(?: \w+)? (?:{_RECORD})\b")
_OWNS = re.compile(r"^'s? \w|^' \w")
_OWNED = re.compile(r"\b(?:the|our|my|that|this|a|his|her|their|der|die|das|den|dem|im letzten|el|la|le|l')\s*$")
_FROM_THING = re.compile(r"\b(?:the|our|my|that|his|her|their)(?: [\w'-]+){1,3} (?:from|of|in|on|vom|aus)(?: the)?\s*$")
_TOPIC = re.compile(
    r"\b(?:about|regarding|on|concerning|for|of|with respect to|zu|zum|zur|über|wegen|sobre|sur|pour|para|that)\b"
)
_ASIDE = re.compile(
    r"(?:,? (?:(?:to |with |between )?(?:you|me|us|each other|everyone|everybody)|with \w+|it|that|this|anything"
    r"|something|together|already|finally|back|down|all|both|here|earlier|again|exactly|only|some time|sometime"
    r"|about(?= (?:on|in|at|during)\b)|auch|schon|noch|zusammen|ya|juntos|déjà|ensemble))*,?"
    r"(?: (?:on|in|at|during|over|early|late|around|am|im|um|en|el|le|au|à))*(?: the| der| dem| el| la)? ?"
)
"""Matches what is allowed between a verb of saying and its date: to whom, with whom, and small words."""
_MATTER = re.compile(
    r"\b(?:to|zu|zum|zur|a|an|the|our|my|der|die|das|dem|den|ein|eine|einen|für|über|wegen|pour|sur|sobre|para)\b"
)
_PLAN = re.compile(r"\bto (?!(?:you|me|us)\b)\w+|\b(?:would|will|should|shall|must|can|could|might)\b|\bzu \w+n\b")
_GERMAN_INFINITIVE = re.compile(r"^ (?:\S+ )?zu [a-zäöüß]+n\b|^ \w+zu\w+en\b")
_BREAK = re.compile(r"[.?!;](?=\s|$)|\n")
_REACH = 80
_AHEAD = 5


@dataclass(frozen=True, slots=True)
class Window:
    """A period in a query: half-open UTC instants, None at an open end, and the words that name it.

    `asserts`: whether the words date what was said, decided or noted, and not an event in the world.
    """

    start: datetime | None
    end: datetime | None
    phrase: str
    asserts: bool = False


@dataclass(frozen=True, slots=True)
class _DateRange:
    """The days from `since` to `until` (excluded; None if open), named by the characters from `at` to `end`."""

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
    """Return the period that a query names, from its first date to its last; None if it names none.

    Only the first 2,000 characters are read. `at` is now; its zone (UTC if it has none) says when a day begins. `in
    April` and `3 May` are the last that began before now; `two weeks ago` spans half a unit to either side. None, too,
    if a date is beyond the calendar.
    """
    opening = text[:_READ]
    plain = opening.replace("’", "'").replace("\n", " ")
    # of `İ`, which becomes two characters, only the first: positions in both texts must be equal
    lowered = "".join(char.lower()[0] for char in plain)
    try:
        dates = pieces(plain, lowered, at.date())
        ranges = _date_ranges(lowered, dates)
        return _span_of_ranges(opening, lowered, ranges, dates, at) if ranges else None
    except (OverflowError, ValueError):
        return None


def _date_ranges(text: str, dates: Sequence[Piece]) -> list[_DateRange]:
    """Return the ranges of days that the dates of a query mean, in order; `text` is the query in lower case.

    Two dates with only a word such as `to` or a dash between them become one range, with `and` only after a word such
    as `between` or `from`; words such as `since` and `before` are applied to a single date (`_range_of_one`).
    """
    out, index = list[_DateRange](), 0
    while index < len(dates):
        first, second = dates[index], dates[index + 1] if index + 1 < len(dates) else None
        lead_word = _BEFORE.search(text[max(0, first.at - 40) : first.at])
        kind = (lead_word.lastgroup or "") if lead_word else ""
        opening = first.at - len(lead_word[0]) if lead_word else first.at
        linked = second and _LINK.fullmatch(text, first.end, second.at)
        if second and linked and (kind == "between" or "and" not in linked[0].split()):
            first, second = _aligned_ends(first, second)
            out.append(
                _DateRange(first.span[0], second.span[1], opening if kind == "between" else first.at, second.end)
            )
            index += 2
            continue
        out.append(_range_of_one(text, first, kind, opening))
        index += 1
    return out


def _range_of_one(text: str, piece: Piece, kind: str, opening: int) -> _DateRange:
    """Return the range of a date after a word of this `kind`, which begins at the character `opening`.

    `kind` is `since` (from the date's first day on), `after` (from its end on), `before` (up to its first day), `until`
    (up to its end) or `between` (the date alone, but from it on if `on` or `onwards` follows); "" if there is no such
    word.
    """
    since, until = piece.span
    if kind == "between":
        onwards = _ONWARDS.match(text, piece.end)
        return (
            _DateRange(since, None, opening, onwards.end())
            if onwards
            else _DateRange(since, until, piece.at, piece.end)
        )
    ends = {"since": (since, None), "after": (until, None), "before": (None, since), "until": (None, until)}
    return _DateRange(*ends[kind], opening, piece.end) if kind else _DateRange(since, until, piece.at, piece.end)


def _aligned_ends(first: Piece, second: Piece) -> tuple[Piece, Piece]:
    """Return the two ends of a range in order. An end that neither names a year nor counts from now is moved by whole
    years to where it is nearest to the other: the first or, if that is fixed, the second. Fixed ends out of order
    exchange their days. A 29 February that is moved to a year without one becomes the 28th; ValueError for a year
    beyond 1 to 9999.
    """
    if not first.names_year and not first.relative:
        while first.span[0] > second.span[0]:
            first = _shift_years(first, -1)
        while first.span[0].year < second.span[0].year and _shift_years(first, 1).span[0] <= second.span[0]:
            first = _shift_years(first, 1)
    elif not second.names_year and not second.relative:
        while second.span[0] < first.span[0]:
            second = _shift_years(second, 1)
        while _shift_years(second, -1).span[0] >= first.span[0]:
            second = _shift_years(second, -1)
    if first.span[0] > second.span[0]:
        return replace(first, span=second.span), replace(second, span=first.span)
    return first, second


def _shift_years(piece: Piece, years: int) -> Piece:
    """Return the date so many years later, or earlier if `years` is negative; a 29 February that is not in that year
    becomes the 28th. ValueError for a year beyond 1 to 9999.
    """
    start, end = (_in_year(each, each.year + years) for each in piece.span)
    is_day = piece.span[1] - piece.span[0] == timedelta(
        days=1
    )  # its end is the next day, whatever that is in a leap year
    return replace(piece, span=(start, start + timedelta(days=1) if is_day else end))


def _in_year(at: date, year: int) -> date:
    """Return the day in another year; a 29 February that is not in it becomes the 28th."""
    day = min(at.day, monthrange(year, at.month)[1])
    return at.replace(year=year, day=day)


def _span_of_ranges(
    text: str, lowered: str, ranges: Sequence[_DateRange], dates: Sequence[Piece], now: datetime
) -> Window:
    """Return one window from the earliest beginning to the latest end of all ranges; open on a side on which one range
    is open. Only a single range can date what was said (`asserts`).

    `dates` are those that the ranges were made of; `text` is the query, `lowered` the same in lower case; the zone of
    `now` says when a day begins.
    """
    starts = [days.since for days in ranges if days.since]
    ends = [days.until for days in ranges if days.until]
    at, end, zone = ranges[0].at, ranges[-1].end, now.tzinfo or UTC
    return Window(
        _start_of_day(min(starts), zone) if len(starts) == len(ranges) else None,
        _start_of_day(max(ends), zone) if len(ends) == len(ranges) else None,
        text[at:end],
        len(ranges) == 1 and _dates_what_was_said(lowered, ranges[0], dates[0], now.date()),
    )


def _dates_what_was_said(text: str, days: _DateRange, piece: Piece, today: date) -> bool:
    """Whether `days`, made of the one date `piece`, say when something was said, and not when it happens; false if they
    begin after `today`. `text` is the query in lower case."""
    if days.since and days.since > today:
        return False
    is_over = piece.span[0] < today and piece.span[1] <= today + timedelta(days=1)
    return asserts(text, days.at, days.end, relative=piece.relative, past=piece.relative and is_over)


def _start_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the UTC instant at which a day begins in this zone."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def asserts(text: str, start: int, end: int, *, relative: bool, past: bool = False) -> bool:
    """Whether the words at `start` to `end` of a lower-case query say when something was said, decided or noted.

    Only what `we`, `I` or `you` said counts, and what a session contains. A date after the object of the saying (`about
    the trip in May`, `to ship in May`) can date that object, so it does not count. It does count after a topic if it is
    `relative` (counted from now, as `last week`), and after anything if it is `past` (over).
    """
    before, after = text[:start], text[end:]
    if _OF_RECORD.search(before[-_REACH:]) or _BEHIND_RECORD.match(after[:_REACH]):
        return True
    if _OWNS.match(after) or _is_part_of_thing(before[-_REACH:], after):
        return False
    for verb in _SAYING.finditer(text):
        if verb.start() < start < verb.end():
            return past or not _MATTER.search(text[verb.start() : start])
        if verb.end() <= start and _date_follows_saying(text[verb.end() : start], after, relative=relative, past=past):
            return True
        if verb.start() >= end and _date_leads_saying(text[end : verb.start()]):
            return True
    return False


def _is_part_of_thing(before: str, after: str) -> bool:
    """Whether a date between these texts is part of the thing spoken of: `the 2019 report`, `the report from May`."""
    return bool(_FROM_THING.search(before)) or bool(_OWNED.search(before) and re.match(r" \w", after))


def _date_follows_saying(between: str, after: str, *, relative: bool, past: bool) -> bool:
    """Whether a date tells when something was said, given the words `between` the verb of saying and the date, and the
    words `after` the date; never if a sentence ends between.

    It does if it is `past`; if it is `relative` and stands after a topic (`about the trip`) without a plan (`to ship`);
    or if only small words and persons stand between, and no German infinitive (`zu fahren`) comes after.
    """
    if _BREAK.search(between):
        return False
    if past or (relative and _TOPIC.search(between) and not _PLAN.search(between)):
        return True
    return bool(_ASIDE.fullmatch(between)) and not _GERMAN_INFINITIVE.match(after)


def _date_leads_saying(between: str) -> bool:
    """Whether the words between a date and a later verb of saying are five at most, and no sentence ends in them."""
    return len(between.split()) <= _AHEAD and not _BREAK.search(between)
