"""A text in, the names of documents in it out: `SPEC-054`, `ADR #18`, `ADR-020/21/22`, and matches of patterns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

from pellucid.documents.names.patterns import compile_safely, matches
from pellucid.errors import InputError
from pellucid.model.entity import node_key

_SERIES = re.compile(r"[A-Za-z](?:[A-Za-z0-9]{0,30}[A-Za-z])?")
_ENTITY = re.compile(r"([A-Za-z][A-Za-z0-9]*)[-‐-―_ #]+\d+")
_ENDS = r"(?!_?[0-9A-Za-z]|\.[0-9]|-[0-9]|%)"
"""A number is only a document's if no word, decimal, date or percentage goes on after it."""
_NUMBER = r"(?P<number>[0-9]{1,9}+)" + _ENDS
_BEGINS = r"(?<![0-9A-Za-z])(?<![0-9A-Za-z]_)"
"""A series is only one if no letter or digit precedes it, not even with an underscore between."""
_GAP = r"(?P<gap>[-‐-―_]\#?|[ \u00a0]?\#|:`|s?:?[ \u00a0]|)"
"""What can be between a series and its number: a hyphen, `#`, a space, a plural, an rst role (:pep:`8`), or nothing."""
_SLASHED = re.compile(rf"/#?{_NUMBER}")
_LISTED = re.compile(
    r"(?:[ ]?\([^()\n]{0,80}\))?(?:\s{0,3}[,;/&·]\s{0,3}(?:(?:and|or)\s{1,3})?|\s{1,3}(?:and|or|&)\s{1,3})"
    rf"\#?{_NUMBER}(?=[*_`]{{0,3}}\s{{0,3}}(?:$|[,;/&·.)\](§\n]|(?:and|or)\b))"
)
"""A further number in a list after a name; a list must go on or end after it, so that `SPEC-1 and 2 more` has none."""
_LINKED = re.compile(r"[^\[\]\n]{0,200}\]\(<?[^\s()]{0,300}|[^<>`\n]{0,200}<[^\s<>`]{0,300}")
"""The text between the name in a link's text and the name in its target: in Markdown, then in reStructuredText."""


@dataclass(frozen=True, slots=True)
class Named:
    """A document that a text names: its name and node key, the span of the name, and the part of the document that is
    meant.

    `anchor` is that part: `3` for `SPEC-037 §3`, `dedup-contract` for `spec-037.md#dedup-contract`, empty for the
    whole.
    """

    name: str
    key: str
    start: int
    end: int
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Naming:
    """What counts as the name of a document: a number in one of `series` (`SPEC`), or a match of a pattern.

    Raises:
        InputError: a series is not a word of letters and digits, or a pattern cannot be used.
    """

    series: Sequence[str]
    patterns: Sequence[str] = ()
    _forms: "_Forms" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Bring the series into upper case, drop repeats, and compile the search patterns."""
        series = tuple(dict.fromkeys(each.strip().upper() for each in self.series))
        object.__setattr__(self, "series", series)
        object.__setattr__(self, "patterns", tuple(dict.fromkeys(self.patterns)))
        object.__setattr__(self, "_forms", _compile_forms(series, tuple(self.patterns)))

    def with_series(self, series: str) -> "Naming":
        """Return this naming with one more series; the naming itself if `series` is empty or in it already.

        Raises:
            InputError: `series` is not a word of letters and digits.
        """
        wanted = series.strip().upper()
        return self if not wanted or wanted in self.series else Naming((*self.series, wanted), self.patterns)

    def may_name(self, text: str) -> bool:
        """Whether a text can contain a name at all, a cheap check that most texts fail: it contains one of the series,
        in any case. Always True if there are user patterns.
        """
        if self._forms.patterns:
            return True
        lowered = text.lower()
        return any(each in lowered for each in self._forms.needles)

    def find(self, text: str, *, in_lists: bool = False) -> list[Named]:
        """Return the names of documents in a text, in order and without overlaps, each with the part of the document
        that follows it as `anchor` (`SPEC-037 §3`).

        A link whose text and target name the same document counts once. With `in_lists`, or after a plural, numbers
        that follow a name in a list are of its series: `SPEC-034, 044 and 052`; after a slash they always are.
        """
        if not self.may_name(text):
            return []
        names = [*self._find_numbered(text, in_lists=in_lists), *self._find_by_pattern(text)]
        if self.patterns:
            names = _without_overlaps(names)
        return _join_link_names(text, [replace(each, anchor=anchor_at(text, each.end)) for each in names])

    def _find_numbered(self, text: str, *, in_lists: bool) -> Iterator[Named]:
        """Yield the names made of a series and a number, and the numbers that continue such a name (see `find`)."""
        if self._forms.numbered is None:
            return
        end_of_list = 0
        for found in self._forms.numbered.finditer(text):
            if found.start() < end_of_list or not _belong_together(text, found):
                continue
            series, first = found["series"].upper(), found["number"]
            yield _numbered_name(series, first, found.start(), found.end())
            is_plural = found["gap"][:1] in {"s", "S"}
            for number, start, end in _following_numbers(text, found.end(), first, in_lists=in_lists or is_plural):
                yield _numbered_name(series, number, start, end)
                end_of_list = end

    def _find_by_pattern(self, text: str) -> Iterator[Named]:
        """Yield the matches of the user's patterns as names, with single spaces."""
        for pattern in self._forms.patterns:
            for found in matches(pattern, text):
                if name := " ".join(found[0].split()):
                    yield Named(name, node_key(name), found.start(), found.end())


def own_series(entity: str) -> str:
    """Return the series, in upper case (`SPEC`), of an entity that is a series and a number (`SPEC-054`); empty for a
    path or any other name.
    """
    found = _ENTITY.fullmatch(entity.strip())
    return found[1].upper() if found and _SERIES.fullmatch(found[1]) else ""


def anchor_at(text: str, end: int) -> str:
    """Return the part of a document that the text names from `end` on, which is right after the document's name: `3`
    for `§3` or `section 3`, `x` for `.md#x`; empty if none.
    """
    found = _anchor_pattern().match(text, end)
    return (found["number"] or found["id"] or "").rstrip(".:-") if found else ""


@cache
def _anchor_pattern() -> re.Pattern[str]:
    """Compile the pattern of what can follow a document's name: a suffix, `#id`, `§3` or `section 3`."""
    from pellucid.documents.formats.suffixes import SUFFIX  # with it the readers of every format are loaded

    return re.compile(
        rf"(?:[\w./-]{{0,120}}?(?:{SUFFIX}|\.(?:html?|txt)))?"
        r"(?:\#(?P<id>[\w][\w.:-]{0,119}))?"
        r"""(?:[)\]>`"'*_]{0,6}(?:[ ]?[,(]|,[ ]\()?[ \u00a0]?(?:§{1,2}|(?:section|sect?\.)(?=[ ]))[ \u00a0]?"""
        r"(?P<number>[0-9A-Za-z]{1,20}(?:\.[0-9A-Za-z]{1,10}){0,6}))?",
        re.IGNORECASE,
    )


@dataclass(frozen=True, slots=True)
class _Forms:
    """The compiled patterns of a `Naming`; a text without any of `needles` (lower-case) does not name a series."""

    numbered: re.Pattern[str] | None
    needles: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=256)
def _compile_forms(series: tuple[str, ...], patterns: tuple[str, ...]) -> _Forms:
    """Compile the series into one pattern, the longest first, and each user pattern; InputError for a series that is no
    word of letters and digits, and for a pattern that `compile_safely` refuses.
    """
    for each in series:
        if not _SERIES.fullmatch(each):
            raise InputError(
                f"graph.series: {each!r} is no series: up to 32 letters and digits, a letter first and last",
                code="invalid_series",
                next_step="write the letters before the number alone, such as SPEC, or use a pattern",
            )
    names = "|".join(sorted(series, key=lambda name: (-len(name), name)))
    numbered = re.compile(f"{_BEGINS}(?P<series>{names}){_GAP}{_NUMBER}", re.IGNORECASE) if series else None
    return _Forms(numbered, tuple(name.lower() for name in series), tuple(map(compile_safely, patterns)))


def _belong_together(text: str, match: re.Match[str]) -> bool:
    """Whether a matched series and number are a name.

    With a hyphen, `_` or `#` between, they always are. With a space, a plural `s` or nothing, the series must be in
    upper case; an rst role (:pep:`8`) must begin with a colon.
    """
    gap = match["gap"].strip()
    if gap == ":`":
        return text[match.start() - 1 : match.start()] == ":"
    return gap.startswith(("-", "_", "#")) or "‐" <= gap[:1] <= "―" or match["series"].isupper()


def _following_numbers(text: str, at: int, first: str, *, in_lists: bool) -> Iterator[tuple[str, int, int]]:
    """Yield the numbers from offset `at` on that continue a name (`SPEC-034/035`), each with its start and end.

    `first` is the number of the name: if it has leading zeros, a number after a slash is filled up with zeros to as
    many digits. With `in_lists`, numbers after commas or `and` continue it too; if `first` has leading zeros, only up
    to a number of another length.
    """
    padded_width = len(first) if first.startswith("0") else 0
    while True:
        found = _SLASHED.match(text, at)
        if found:
            yield found["number"].rjust(padded_width, "0"), found.start("number"), found.end()
        else:
            after = _anchor_pattern().match(text, at) if in_lists else None
            found = _LISTED.match(text, after.end() if after else at) if in_lists else None
            if not found or (padded_width and len(found["number"]) != padded_width):
                return
            yield found["number"], found.start("number"), found.end()
        at = found.end()


def _numbered_name(series: str, number: str, start: int, end: int) -> Named:
    """Make the `Named` of a series (in upper case) and a number: the name joins them by a hyphen (`SPEC-054`), the key
    is in lower case and without leading zeros (`spec-54`). `start` and `end` are its span in the text.
    """
    name = f"{series}-{number}"
    return Named(name, f"{series.lower()}-{int(number)}", start, end)


def _without_overlaps(names: list[Named]) -> list[Named]:
    """Return the names without those that overlap another; the name that begins first wins, then the longest."""
    out: list[Named] = []
    for each in sorted(names, key=lambda named: (named.start, -named.end)):
        if not out or each.start >= out[-1].end:
            out.append(each)
    return out


def _join_link_names(text: str, names: list[Named]) -> list[Named]:
    """Return the names, with the name in a link's text and the next one, in its target, joined into one if they are the
    same document; the first of their anchors that is not empty is kept.
    """
    out: list[Named] = []
    for each in names:
        last = out[-1] if out else None
        if last and last.key == each.key and _LINKED.fullmatch(text, last.end, each.start):
            out[-1] = replace(last, end=each.end, anchor=last.anchor or each.anchor)
        else:
            out.append(each)
    return out
