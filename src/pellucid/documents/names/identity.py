"""A document's path, header and first heading in, who it is out: its entity and type, its title, its other names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pellucid.documents.names.numbered import (
    WELL_KNOWN,
    Numbered,
    credible,
    file_number,
    folder_series,
    full_number,
    heading_number,
    is_series,
    led_number,
    stem,
    without_number,
)
from pellucid.language.scripts import UNSPACED
from pellucid.model.entity import node_key

_IDS = frozenset(("id", "identifier", "uid", "doc-id", "document-id", "number"))
_OF_A_KEY = re.compile(r"-(?:id|number|no|num)$")
_DECISION_SERIES = frozenset(("ADR", "MADR", "DR", "DEC", "DECISION", "PDR", "LADR"))
_NO_DECISION = re.compile(r"_?(?:readme|index|template.*|.*template|about|overview|summary)", re.IGNORECASE)
_DIGITS = re.compile(r"\s*#?(\d{1,6})\s*", re.ASCII)
_NAMELESS = frozenset(("readme", "index", "_index"))
_LONGEST_TITLE = 300
_UNSPACED = re.compile(f"[{UNSPACED}]")
"""A character of a script that puts no spaces between words."""


@dataclass(frozen=True, slots=True)
class DocumentIdentity:
    """The name and type of what a document defines, its title, and what else it is called."""

    entity: str
    entity_type: str
    title: str
    aliases: tuple[str, ...]


def identify(path: str, header: Mapping[str, str], heading: str, root: str = "") -> DocumentIdentity:
    """Who a document is: by its own id where it has one, else by its path.

    The header is asked first, then the file's name, then `heading`, its first of level 1 (empty if there is none).
    `root` is the name of the folder that the path begins in: `adr` for `0018-use-rrf.md`.
    """
    place = f"{root}/{path}" if root else path
    number = _document_number(place, header, heading)
    entity = number.name if number else path
    title = header.get("title", "").strip().strip("\"'").strip()
    title = title or (without_number(heading, number) if number else heading) or _file_name_words(path, place) or path
    title = title[:_LONGEST_TITLE]
    names = [title] if _is_phrase(title) else []
    names.append(path)
    if _is_telling(stem(path)):
        names.append(stem(path))
    aliases = {node_key(name): name for name in reversed(names)}
    aliases.pop(node_key(entity), None)
    return DocumentIdentity(entity, _document_type(place, header, number), title, tuple(reversed(aliases.values())))


def _document_number(path: str, header: Mapping[str, str], heading: str) -> Numbered | None:
    """The id of a document; of the ways in which it writes it, the first that is a full one (`SPEC-054`)."""
    by_file = file_number(path)
    by_heading = heading_number(heading)
    number = next(_header_numbers(path, header, heading), None) or by_file or by_heading
    if number is None and (series := folder_series(path)) and (led := led_number(heading)):
        number = Numbered(series, led, written=False)
    if number is None:
        return None
    ways = (by_heading, number, by_file)
    return next((way for way in ways if way and way.written and way.same == number.same), number)


def _header_numbers(path: str, header: Mapping[str, str], heading: str) -> Iterator[Numbered]:
    """What the header says: `id: SPEC-059`, `spec_id: SPEC-059`, `pep: 8`, `proposal: SE-0001` in `0001-…`."""
    for place, (key, value) in enumerate(header.items()):
        word = _OF_A_KEY.sub("", key)
        full = full_number(value)
        if full and key in _IDS:
            written = value.strip(" \"'<>[]()")
            full = credible(written[: len(full.series)], full.digits)
        elif full and (full.series.casefold() != word or (place and key == word)):
            full = full if _is_confirmed(full, path, heading) else None
        if full:
            yield full
        elif digits := _DIGITS.fullmatch(value):
            series = (folder_series(path) or "") if key in _IDS else word
            known = key in _IDS or series in WELL_KNOWN or _stands(series, digits[1], f"{stem(path)} {heading}")
            if known and is_series(series):
                yield Numbered(series.upper(), digits[1], written=False)


def _stands(series: str, digits: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(series)}[-_ #]{{0,2}}0*{int(digits)}(?!\d)", text, re.IGNORECASE) is not None


def _is_confirmed(number: Numbered, path: str, heading: str) -> bool:
    """Whether the file's name or the heading says so, too: `adr: ADR-12` may also point at somebody else."""
    led = led_number(stem(path))
    others = (file_number(path), heading_number(heading))
    return bool(led and int(led) == int(number.digits)) or any(each and each.same == number.same for each in others)


def _document_type(path: str, header: Mapping[str, str], number: Numbered | None) -> str:
    """`Decision`, `Specification` or `Document`, by its number's series, its folder and whether it has a status."""
    if number:
        return "Decision" if number.series in _DECISION_SERIES else "Specification"
    is_decision = folder_series(path) == "ADR" and "status" in header and not _NO_DECISION.fullmatch(stem(path))
    return "Decision" if is_decision else "Document"


def _file_name_words(path: str, place: str) -> str:
    """The file's name in words, without the number before them: `0018-use-rrf` is `use rrf`; `a/README` is `a`."""
    name = stem(path)
    folder = path.split("/")[-2:-1]
    if folder and name.casefold() in _NAMELESS:
        name = folder[0]
    number = file_number(place)
    rest = re.sub(r"^[A-Za-z]*[-_ #]*\d+[-_. ]+", "", name) if number else name
    return re.sub(r"[-_\s]+", " ", rest).strip()


def _is_phrase(title: str) -> bool:
    """Whether a title may stand for its document: of two words, or of two characters where no spaces part words."""
    return len(title.split()) > 1 or len(_UNSPACED.findall(title)) > 1


def _is_telling(name: str) -> bool:
    """Whether a file's name may stand for the file: of two words or with a number, not `index`, `storage`, `part-1`."""
    words = [word for word in re.split(r"[-_. ]+", name) if word]
    letters = [word for word in words if not word.isdecimal()]
    return len(letters) > 1 or bool(letters and len(words) > 1 and is_series(letters[0]))
