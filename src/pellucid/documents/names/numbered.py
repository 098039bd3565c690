"""A path, a heading or a header value in, the number in a series out that a document gives itself there: `SPEC-054`."""

import re
from dataclasses import dataclass

from pellucid.documents.formats.suffixes import SUFFIX

_NAMES = "adr aip bip caip cip eip erc glep jep kep mep nep oep pep rfc spec srfi tep xep"
WELL_KNOWN = frozenset(_NAMES.split())
"""Series whose names are hardly words, so that lower-case letters and a number are a name: `eip-4844`."""
_COUNTS = """
    alpha appendix beta category changelog chapter class day draft episode example exercise figure file group item
    lab lesson level line log meeting module month no note notes number order page part phase position pr priority rc
    readme release rev revision sample section session slide sprint stage step table test unit v ver version vol
    volume week weight year
    """
_NO_SERIES = frozenset(_COUNTS.split())
"""What is counted within a work, or in every work."""
_DECISIONS = re.compile(r"adrs?|adr[-_]logs?|(?:architectur(?:e|al)[-_])?decisions?(?:[-_](?:records?|logs?))?|madrs?")
_SUFFIX = re.compile(rf"(?:{SUFFIX}|\.(?:txt|html?))$", re.IGNORECASE)
"""What a link names may also be what a document is rendered as."""
_FULL = re.compile(
    r"([A-Za-z](?:[A-Za-z0-9]{0,13}[A-Za-z])?(?:[-_][A-Za-z]{1,15}){0,2}?)[-_ ]{0,2}#?(\d{1,6})(?!\d)", re.ASCII
)
_LED = re.compile(r"#?(\d{1,6})(?![\d])", re.ASCII)
_STEM_ENDS = re.compile(r"$|(?!\.\d)[-_. ]")
_HEADING_ENDS = re.compile(r"[\])]\s+|[\])]?(?:$|\s*[:—–|]|\s+-+\s|[.)]\s)")
_PREFIX_ENDS = re.compile(r"[\])]?(?:$|\s*[:—–|.)-]+\s*|\s+)")
_DATE = re.compile(r"(?:19|20)\d\d[-_.]?\d\d[-_.]?\d\d(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A document's number: its series, upper-case, and its digits; `written` if both were written as one name."""

    series: str
    digits: str
    written: bool = True

    @property
    def same(self) -> tuple[str, int]:
        """The number in comparable form: equal for `SPEC-054` and `spec 54`."""
        return self.series, int(self.digits)

    @property
    def name(self) -> str:
        """`SPEC-054` if it was written so, else without leading zeros: `EIP-20`."""
        return f"{self.series}-{self.digits if self.written else int(self.digits)}"


def stem(path: str) -> str:
    """A file's name without its folder and suffix."""
    return _SUFFIX.sub("", path.rsplit("/", 1)[-1])


def folder_series(path: str) -> str | None:
    """The series that the folders above a file stand for: `ADR` for `decisions/`, `RFC` for `rfcs/`; None for none."""
    for folder in reversed(path.casefold().split("/")[:-1]):
        if _DECISIONS.fullmatch(folder):
            return "ADR"
        if folder.removesuffix("s") in WELL_KNOWN:
            return folder.removesuffix("s").upper()
    return None


def file_number(path: str) -> Numbered | None:
    """The number in a file's name: `SPEC-054-node-port.md`, `adr/0018-use-rrf.md`; None if it has none."""
    name = stem(path)
    if "template" in name.casefold():
        return None
    if led := leading_digits(name):
        series = folder_series(path)
        dated = _DATE.match(name) or (_YEAR.fullmatch(led) and series != "ADR")
        return Numbered(series, led, written=False) if series and not dated else None
    found = _FULL.match(name)
    if not found or not _STEM_ENDS.match(name, found.end()) or _DATE.match(name, found.start(2)):
        return None
    return plausible_number(found[1], found[2], joined=found.end(1) == found.start(2))


def leading_digits(text: str) -> str | None:
    """The digits that a text begins with: `0018` of `0018-use-rrf`; None if they are part of something else."""
    found = _LED.match(text)
    return found[1] if found and _PREFIX_ENDS.match(text, found.end()) else None


def heading_number(text: str) -> Numbered | None:
    """The number that a heading gives itself: `SPEC-059 — Tri-graph`, not `RFC 2119 in practice`; None for none."""
    found = _FULL.match(text, 1 if text[:1] in "[(" else 0)
    if not found or not _HEADING_ENDS.match(text, found.end()):
        return None
    return plausible_number(found[1], found[2], joined=found.end(1) == found.start(2))


def full_number(text: str) -> Numbered | None:
    """The number of a text that is nothing but a series and digits (`SPEC-059`, `ADR #18`); None for any other."""
    found = _FULL.fullmatch(text.strip(" \"'<>[]()"))
    return Numbered(found[1].upper(), found[2]) if found else None


def plausible_number(series: str, digits: str, *, joined: bool = False) -> Numbered | None:
    """The number that a series and digits make; None if unlikely to be a document's: `step-3`, `log4`, `FY-2024`.

    `joined`: nothing stands between the two.
    """
    word = series.casefold()
    if word in _NO_SERIES or (word not in WELL_KNOWN and (joined or _YEAR.fullmatch(digits))):
        return None
    padded = len(digits) >= 3 and digits[0] == "0"
    if word in WELL_KNOWN or padded or (series.isupper() and len(series) > 1):
        return Numbered(series.upper(), digits, written=series.isupper())
    return None


def is_series(word: str) -> bool:
    """Whether documents may be numbered under this word: not under `step` or `page`."""
    return word.casefold() not in _NO_SERIES and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{1,14}", word) is not None


def without_number(heading: str, number: Numbered) -> str:
    """A heading without the number that it begins with, if it is `number`; whole if nothing else would be left."""
    found = _FULL.match(heading, 1 if heading[:1] in "[(" else 0)
    same = found and (found[1].upper(), int(found[2])) == number.same
    if not same:
        found = _LED.match(heading)
        same = found and int(found[1]) == int(number.digits)
    end = _PREFIX_ENDS.match(heading, found.end()) if found and same else None
    return (heading[end.end() :].strip() if end else "") or heading
