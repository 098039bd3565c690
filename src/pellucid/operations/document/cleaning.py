"""A document as its file says it in, the document as it may be stored out: no secret, nothing off the record.

Whatever reads as an instruction to an assistant is left out of header and title, and marked in sections.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pellucid.capture.secrets.redact import redact
from pellucid.documents.header import key_name
from pellucid.documents.reading import CleanDocument, CleanSection, ReadDocument, Values
from pellucid.documents.sections import ReadSection
from pellucid.documents.versions import with_title
from pellucid.errors import InputError
from pellucid.git.history import HEADER_BYTES
from pellucid.memory.trust.injection import looks_injected
from pellucid.settings import Settings

_LEAST_SECRET = 12
"""Characters; a shorter key is no secret."""


@dataclass(slots=True)
class ReadingTally:
    """Counts of what was removed from documents: secrets by type, stretches off the record, injected instructions."""

    redactions: Counter[str] = field(default_factory=Counter[str])
    off_the_record: int = 0
    instructions: int = 0

    def add(self, other: "ReadingTally") -> None:
        """Add the counts of another tally to this one."""
        self.redactions += other.redactions
        self.off_the_record += other.off_the_record
        self.instructions += other.instructions

    def clean(self, text: str) -> str:
        """Return the text with its secrets redacted, and count them."""
        found = redact(text)
        self.redactions.update(found.counts)
        return found.text


def is_instruction_name(path: str) -> bool:
    """Whether a file's path, or the words in it, reads as an instruction to an assistant, such as
    `IgnoreAllPreviousRules.md`: it would be seen beside every section."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_./\\+-]+", " ", path)
    return bool(looks_injected(words, foreign=True) or looks_injected(path))


def clean_document(
    read: ReadDocument, path: str, data: bytes, settings: Settings
) -> tuple[CleanDocument, ReadingTally]:
    """Return a document without secrets, stretches off the record and (if trust is on) instructions in title, aliases
    and header, with the counts of what was removed. Instructions in sections stay, to be quarantined later.

    Args:
        path: the path under which the document may be stored.
        data: the bytes of the file.

    Raises:
        InputError: its name gives orders.
    """
    if settings.trust.enabled and is_instruction_name(path):
        raise InputError(
            "its name reads as an instruction to an assistant, and would be shown with every section",
            next_step="rename it",
        )
    tally = ReadingTally()
    title = tally.clean(read.title)
    if settings.trust.enabled and looks_injected(title):
        tally.instructions += 1
        title = PurePosixPath(path).name
    header = _clean_keys(read.header, data, tally)
    clean = CleanDocument(
        format=read.format,
        title=title,
        entity=_entity(read, path, tally),
        entity_type=read.entity_type,
        aliases=tuple(_storable_aliases(read, title, settings)),
        values=with_title(clean_header(header, settings, tally), title),
        sections=tuple(_cleaned_sections(read.sections, settings, tally)),
    )
    return clean, tally


def _storable_aliases(read: ReadDocument, title: str, settings: Settings) -> Iterator[str]:
    """Yield the aliases without secrets, except those that read as instructions; the document's title is one as it is
    stored."""
    for each in read.aliases:
        name = title if each == read.title else redact(each).text
        if not (settings.trust.enabled and looks_injected(name)):
            yield name


def _entity(read: ReadDocument, path: str, tally: ReadingTally) -> str:
    """Return the entity that a document defines; the document's path where that name holds a secret."""
    entity = tally.clean(read.entity)
    return entity if entity == read.entity else path


def clean_older_header(read: ReadDocument, path: str, data: bytes, settings: Settings) -> tuple[str, Values]:
    """Return the entity and the header values of a document's version in git, without secrets and instructions; with
    its title as a value, unless that is an instruction."""
    tally = ReadingTally()
    title = tally.clean(read.title)
    shown = not (settings.trust.enabled and looks_injected(title))
    values = clean_header(_clean_keys(read.header, data, tally), settings, tally)
    return _entity(read, path, tally), with_title(values, title) if shown else values


def _clean_keys(header: Mapping[str, str], data: bytes, tally: ReadingTally) -> Values:
    """Return the header with secrets redacted in its keys; keys that become equal are numbered (`key#2`), so that none
    is lost.

    A normalised key hides a secret, so that each suspicious key is looked up in `data` as it was written.
    """
    out: Values = {}
    for key, value in header.items():
        name = key
        if len(key) >= _LEAST_SECRET and any(letter.isdecimal() for letter in key):
            name = next((said for said in _original_keys(key, data) if redact(said).counts), key)
            name = key if name == key else key_name(tally.clean(name))
        same = sum(each == name or each.startswith(f"{name}#") for each in (*out, *(header if name != key else ())))
        out[f"{name}#{same + 1}" if same else name] = value
    return out


def _original_keys(key: str, data: bytes) -> Iterator[str]:
    """Yield every spelling at the beginning of the file that may have become this normalised key."""
    text = data[:HEADER_BYTES].decode("utf-8", "replace")
    shape = r"[\s_-]+".join(map(re.escape, filter(None, key.split("-"))))
    return (found[0] for found in re.finditer(rf"{shape}[^\s:]*", text, re.IGNORECASE))


def clean_header(header: Mapping[str, str], settings: Settings, tally: ReadingTally) -> Values:
    """Return the header values that may be stored: secrets redacted, pairs off the record or (if trust is on) with
    instructions left out; all is counted in `tally`."""
    whole = "\n".join(f"{key}: {value}" for key, value in header.items())
    doubted = settings.trust.enabled and looks_injected(whole)
    if not (doubted or _is_off_record(whole, settings) or redact(whole).counts):
        return dict(header)
    out: Values = {}
    for key, value in header.items():
        if _is_off_record(f"{key}\n{value}", settings):
            tally.off_the_record += 1
        elif doubted and looks_injected(f"{key}: {value}"):
            tally.instructions += 1
        else:
            name, clean = _cleaned_pair(key, value, tally)
            out[name] = clean
    return out


def _cleaned_pair(key: str, value: str, tally: ReadingTally) -> tuple[str, str]:
    """Return a header's key and value with secrets redacted, in the value also those that only its key gives away."""
    name = tally.clean(key)
    lead = f"{name}: "
    found = redact(lead + value)
    if not found.text.startswith(lead):
        return name, tally.clean(value)
    tally.redactions.update(found.counts)
    return name, found.text.removeprefix(lead)


def _is_off_record(text: str, settings: Settings) -> bool:
    """Whether a text holds the marker that takes it off the record, in any case; False if the settings have none."""
    marker = settings.capture.off_the_record.casefold()
    return bool(marker) and marker in text.casefold()


def _cleaned_sections(
    sections: tuple[ReadSection, ...], settings: Settings, tally: ReadingTally
) -> Iterator[CleanSection]:
    """Yield the sections, or the parts of them, that are on the record, with secrets redacted.

    A marker on a line of its own opens a stretch that ends with the closing one, sections later if need be; one within
    a line takes out its section alone, for a page that only mentions the marker must not be silenced by it.
    """
    silent = False
    spotless = not redact("\n".join({name for each in sections for name in (each.heading, *each.trail)})).counts
    for each in sections:
        text = each.text.replace("\r\n", "\n").replace("\r", "\n")
        if silent or _is_off_record(f"{each.heading}\n{text}", settings):
            tally.off_the_record += 1
            text, silent = _lines_on_record(text, settings, silent=silent)
            if _is_off_record(f"{each.heading}\n{text}", settings) or not text.strip():
                continue
        text = text.strip("\n").rstrip()
        names = (each.heading, *each.trail)
        heading, *trail = names if spotless else map(tally.clean, names)
        yield CleanSection(heading, tuple(trail), each.level, f"{each.first}-{each.last}", tally.clean(text))


def _lines_on_record(text: str, settings: Settings, *, silent: bool) -> tuple[str, bool]:
    """Return the lines of a text that are on the record, without the markers' own, and whether it ends off the record;
    `silent` if it begins so."""
    off, on = settings.capture.off_the_record.casefold(), settings.capture.on_the_record.casefold()
    kept: list[str] = []
    for line in text.split("\n"):
        said = line.strip().casefold()
        if off and said == off:
            silent = True
        elif silent and on and said == on:
            silent = False
        elif not silent:
            kept.append(line)
    return "\n".join(kept), silent
