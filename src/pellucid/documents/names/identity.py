"""A document's path, header and first heading in, its identity out: entity and type, title, other names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pellucid.documents.names import numbered
from pellucid.documents.names.numbered import WELL_KNOWN, Numbered, folder_series, is_series, stem
from pellucid.language.scripts import UNSPACED
from pellucid.model.entity import node_key

_IDS = frozenset(("id", "identifier", "uid", "doc-id", "document-id", "number"))
"""Header keys whose value is the document's own id."""
_OF_A_KEY = re.compile(r"-(?:id|number|no|num)$")
"""The end of a key whose rest names the series: `rfc-number`."""
_DECISION_SERIES = frozenset(("ADR", "MADR", "DR", "DEC", "DECISION", "PDR", "LADR"))
_NO_DECISION = re.compile(r"_?(?:readme|index|template.*|.*template|about|overview|summary)", re.IGNORECASE)
"""Names of files that describe a folder of decisions instead of being one."""
_DIGITS = re.compile(r"\s*#?(\d{1,6})\s*", re.ASCII)
_NAMELESS = frozenset(("readme", "index", "_index"))
"""Names of files that are called by their folder's name."""
_LONGEST_TITLE = 300
_UNSPACED = re.compile(f"[{UNSPACED}]")
"""A character of a script that puts no spaces between words."""


@dataclass(frozen=True, slots=True)
class DocumentIdentity:
    """The entity that a document defines, by name and type, and the document's title and aliases."""

    entity: str
    entity_type: str
    title: str
    aliases: tuple[str, ...]


def identify(path: str, header: Mapping[str, str], heading: str, root: str = "") -> DocumentIdentity:
    """Return the identity of a document; its entity, the name of what it defines, is its own id if it has one, else its
    path.

    The id is sought in the header, then in the file's name, then in `heading`, the first heading of level 1 (empty if
    there is none). `root` is the name of the folder that the path is relative to: `adr` for `0018-use-rrf.md`. The
    title is that of the header, else the heading without the id, else the file's name in words, at most 300 characters
    of it. Aliases are, in this order, the title if it is distinctive (mostly: of two words), the path, and the file's
    name without suffix if it is; what is the entity already is left out.
    """
    place = f"{root}/{path}" if root else path
    number = _document_number(place, header, heading)
    entity = number.name if number else path
    title = header.get("title", "").strip().strip("\"'").strip()
    unnumbered = numbered.without_number(heading, number) if number else heading
    title = title or unnumbered or _file_name_words(path, place) or path
    title = title[:_LONGEST_TITLE]
    names = [title] if _is_distinctive_title(title) else []
    names.append(path)
    if _is_distinctive_name(stem(path)):
        names.append(stem(path))
    aliases = {node_key(name): name for name in reversed(names)}
    aliases.pop(node_key(entity), None)
    return DocumentIdentity(entity, _document_type(place, header, number), title, tuple(reversed(aliases.values())))


def _document_number(path: str, header: Mapping[str, str], heading: str) -> Numbered | None:
    """Return the number of a document in its series, as `identify` seeks it; None if it has none.

    Of the spellings in heading, header and file's name, the first that writes the series out (`SPEC-054`) is returned,
    if any does. A heading that begins with bare digits counts in a folder that means a series. `path` begins with the
    name of the root folder.
    """
    file_number = numbered.file_number(path)
    heading_number = numbered.heading_number(heading)
    number = next(_header_numbers(path, header, heading), None) or file_number or heading_number
    if number is None and (series := folder_series(path)) and (digits := numbered.leading_digits(heading)):
        number = Numbered(series, digits, written=False)
    if number is None:
        return None
    spellings = (heading_number, number, file_number)
    return next((each for each in spellings if each and each.written and each.same == number.same), number)


def _header_numbers(path: str, header: Mapping[str, str], heading: str) -> Iterator[Numbered]:
    """Yield the numbers that the header gives the document, in its order: `id: SPEC-059`, `pep: 8`, `proposal: SE-0001`
    in `0001-….md`. `path` begins with the name of the root folder.

    Under an id key (`_IDS`) a number counts if it is plausible (`plausible_number`). Under another it counts if the key
    is its series with `-number` or the like behind it, or is its series and the header's first key; else only if the
    heading has it as well, or the file's name at least its digits. Bare digits count under an id key in a folder that
    means a series, and under a key that is a series in `WELL_KNOWN` or stands before these digits in the file's name or
    the heading."""
    for place, (key, value) in enumerate(header.items()):
        word = _OF_A_KEY.sub("", key)
        number = numbered.full_number(value)
        if number and key in _IDS:
            written = value.strip(" \"'<>[]()")
            number = numbered.plausible_number(written[: len(number.series)], number.digits)
        elif number and (number.series.casefold() != word or (place and key == word)):
            number = number if _is_confirmed(number, path, heading) else None
        if number:
            yield number
        elif digits := _DIGITS.fullmatch(value):
            series = (folder_series(path) or "") if key in _IDS else word
            is_number = (
                key in _IDS or series in WELL_KNOWN or _names_number(series, digits[1], f"{stem(path)} {heading}")
            )
            if is_number and is_series(series):
                yield Numbered(series.upper(), digits[1], written=False)


def _names_number(series: str, digits: str, text: str) -> bool:
    """Whether a text contains the name of a series and this number after it, as `rfc 9110` does: in any case, with at
    most two signs (`-`, `_`, `#`, blank) between, and any leading zeros.
    """
    return re.search(rf"\b{re.escape(series)}[-_ #]{{0,2}}0*{int(digits)}(?!\d)", text, re.IGNORECASE) is not None


def _is_confirmed(number: Numbered, path: str, heading: str) -> bool:
    """Whether the file's name begins with the digits of this number, or its name or the heading has this number.

    A number in the header need not be the document's: `adr: ADR-12` can also point at another document.
    """
    file_digits = numbered.leading_digits(stem(path))
    numbers = (numbered.file_number(path), numbered.heading_number(heading))
    return bool(file_digits and int(file_digits) == int(number.digits)) or any(
        each and each.same == number.same for each in numbers
    )


def _document_type(path: str, header: Mapping[str, str], number: Numbered | None) -> str:
    """Return the entity type of a document: `Decision` or `Specification` by the series of its number, if it has one.

    Without a number: `Decision` if its header has a status and the nearest folder above that means a series is one of
    decisions, unless `_NO_DECISION` matches the file's name; `Document` otherwise.
    """
    if number:
        return "Decision" if number.series in _DECISION_SERIES else "Specification"
    is_decision = folder_series(path) == "ADR" and "status" in header and not _NO_DECISION.fullmatch(stem(path))
    return "Decision" if is_decision else "Document"


def _file_name_words(path: str, place: str) -> str:
    """Return the file's name as words, without its number: `use rrf` for `0018-use-rrf`; for a `README` or `index` its
    folder's, `a` for `a/README`.

    `place` is the path with the root folder's name before it; its folders decide whether the name has a number.
    """
    name = stem(path)
    folder = path.split("/")[-2:-1]
    if folder and name.casefold() in _NAMELESS:
        name = folder[0]
    number = numbered.file_number(place)
    rest = re.sub(r"^[A-Za-z]*[-_ #]*\d+[-_. ]+", "", name) if number else name
    return re.sub(r"[-_\s]+", " ", rest).strip()


def _is_distinctive_title(title: str) -> bool:
    """Whether a title can be an alias: it has at least two words, or two characters of a script that puts no spaces
    between words (Han, Thai).
    """
    return len(title.split()) > 1 or len(_UNSPACED.findall(title)) > 1


def _is_distinctive_name(name: str) -> bool:
    """Whether the stem of a file's name (without suffix) can be an alias: it has at least two words beside numbers, or
    one that can name a series, and a number (`is_series`: `spec-1` can, `part-1` cannot).
    """
    words = [word for word in re.split(r"[-_. ]+", name) if word]
    letters = [word for word in words if not word.isdecimal()]
    return len(letters) > 1 or bool(letters and len(words) > 1 and is_series(letters[0]))
