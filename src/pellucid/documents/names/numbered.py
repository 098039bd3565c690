"""A path, a heading or a header value in, the number that it gives its document out: `SPEC-054`."""

import re
from dataclasses import dataclass

from pellucid.documents.formats.suffixes import SUFFIX

_NAMES = "adr aip bip caip cip eip erc glep jep kep mep nep oep pep rfc spec srfi tep xep"
WELL_KNOWN = frozenset(_NAMES.split())
"""Series that are hardly ever words, so that one of them in lower case with a number is a name: `eip-4844`."""
_COUNTS = """
    alpha appendix beta category changelog chapter class day draft episode example exercise figure file group item
    lab lesson level line log meeting module month no note notes number order page part phase position pr priority rc
    readme release rev revision sample section session slide sprint stage step table test unit v ver version vol
    volume week weight year
    """
_NO_SERIES = frozenset(_COUNTS.split())
"""Words that number the parts of a work or its releases, and so are not a series of documents."""
_DECISIONS = re.compile(r"adrs?|adr[-_]logs?|(?:architectur(?:e|al)[-_])?decisions?(?:[-_](?:records?|logs?))?|madrs?")
_SUFFIX = re.compile(rf"(?:{SUFFIX}|\.(?:txt|html?))$", re.IGNORECASE)
"""A link can also name the rendered form of a document."""
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
    """A document's number: its series, in upper case, and its digits; `written` if both were written as one name."""

    series: str
    digits: str
    written: bool = True

    @property
    def same(self) -> tuple[str, int]:
        """The number in a form to compare: equal for `SPEC-054` and `spec 54`."""
        return self.series, int(self.digits)

    @property
    def name(self) -> str:
        """The number as a name: `SPEC-054` if it was written so, else without leading zeros, as `EIP-20`."""
        return f"{self.series}-{self.digits if self.written else int(self.digits)}"


def stem(path: str) -> str:
    """Return a file's name without its folder and suffix; a suffix other than a document's, `.txt` or `.html` stays."""
    return _SUFFIX.sub("", path.rsplit("/", 1)[-1])


def folder_series(path: str) -> str | None:
    """Return the series that the nearest folder above a file means, of those that mean one: `ADR` for a folder of
    decisions (`decisions/`, `adr/`), `RFC` for `rfcs/` and so on for `WELL_KNOWN`; else None.
    """
    for folder in reversed(path.casefold().split("/")[:-1]):
        if _DECISIONS.fullmatch(folder):
            return "ADR"
        if folder.removesuffix("s") in WELL_KNOWN:
            return folder.removesuffix("s").upper()
    return None


def file_number(path: str) -> Numbered | None:
    """Return the number that begins a file's name: `SPEC-054-node-port.md`, `adr/0018-use-rrf.md`; None if there is
    none.

    Digits alone count only in a folder that means a series (`folder_series`). None, too, for a template, for a date,
    for a year alone outside a folder of decisions, and for what is hardly a document's number (`plausible_number`).
    """
    name = stem(path)
    if "template" in name.casefold():
        return None
    if digits := leading_digits(name):
        series = folder_series(path)
        is_date = _DATE.match(name) or (_YEAR.fullmatch(digits) and series != "ADR")
        return Numbered(series, digits, written=False) if series and not is_date else None
    match = _FULL.match(name)
    if not match or not _STEM_ENDS.match(name, match.end()) or _DATE.match(name, match.start(2)):
        return None
    return plausible_number(match[1], match[2], is_joined=match.end(1) == match.start(2))


def leading_digits(text: str) -> str | None:
    """Return the one to six digits that a text begins with, after `#` or not: `0018` of `0018-use-rrf`; None if there
    are none, or if neither the end, a space, a dash nor one of `:|.)]` follows them.
    """
    found = _LED.match(text)
    return found[1] if found and _PREFIX_ENDS.match(text, found.end()) else None


def heading_number(text: str) -> Numbered | None:
    """Return the number that a heading begins with, if the heading's end or punctuation follows it: `SPEC-059 —
    Tri-graph`, not `RFC 2119 in practice`; else None.

    None, too, for what is hardly a document's number (`plausible_number`).
    """
    found = _FULL.match(text, 1 if text[:1] in "[(" else 0)
    if not found or not _HEADING_ENDS.match(text, found.end()):
        return None
    return plausible_number(found[1], found[2], is_joined=found.end(1) == found.start(2))


def full_number(text: str) -> Numbered | None:
    """Return the number of a text that is only a series and one to six digits (`SPEC-059`, `ADR #18`), in quotes or
    brackets or not; None for any other.
    """
    found = _FULL.fullmatch(text.strip(" \"'<>[]()"))
    return Numbered(found[1].upper(), found[2]) if found else None


def plausible_number(series: str, digits: str, *, is_joined: bool = False) -> Numbered | None:
    """Return the number that a series and digits make; None if it is hardly a document's: `step-3`, `log4`, `FY-2024`.

    It is one for a series in `WELL_KNOWN`. For any other not in `_NO_SERIES`, something must be between series and
    digits (`is_joined`: nothing is), the digits must be no year, and the series in upper case, of two letters or more,
    or the digits three or more with a leading zero.
    """
    word = series.casefold()
    if word in _NO_SERIES or (word not in WELL_KNOWN and (is_joined or _YEAR.fullmatch(digits))):
        return None
    has_zeros = len(digits) >= 3 and digits[0] == "0"
    if word in WELL_KNOWN or has_zeros or (series.isupper() and len(series) > 1):
        return Numbered(series.upper(), digits, written=series.isupper())
    return None


def is_series(word: str) -> bool:
    """Whether a word can be the series of numbered documents: `SPEC` can, `step` and `page` (in `_NO_SERIES`) cannot.

    It has 2 to 15 ASCII letters and digits, a letter first.
    """
    return word.casefold() not in _NO_SERIES and re.fullmatch(r"[A-Za-z][A-Za-z0-9]{1,14}", word) is not None


def without_number(heading: str, number: Numbered) -> str:
    """Return a heading without the number that it begins with, if that is `number`, by its name or its digits alone;
    the whole heading if it is not, or if nothing else is in the heading.
    """
    match = _FULL.match(heading, 1 if heading[:1] in "[(" else 0)
    is_same = match and (match[1].upper(), int(match[2])) == number.same
    if not is_same:
        match = _LED.match(heading)
        is_same = match and int(match[1]) == int(number.digits)
    end = _PREFIX_ENDS.match(heading, match.end()) if match and is_same else None
    return (heading[end.end() :].strip() if end else "") or heading
