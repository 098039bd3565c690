"""A document as it was read in, the document as it is stored out: without secrets and without text off the record.

Text that reads as an instruction to an assistant is left out of header and title, and quarantined in sections.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pellucid.capture.secrets.redact import redact, redact_after
from pellucid.documents.header import key_name
from pellucid.documents.reading import CleanDocument, CleanSection, ReadDocument, Values
from pellucid.documents.sections import ReadSection
from pellucid.documents.versions import with_title
from pellucid.errors import InputError
from pellucid.git.history import HEADER_BYTES
from pellucid.memory.trust.injection import looks_injected
from pellucid.settings import Settings

_LEAST_SECRET = 12
"""The minimum length of a header key, in characters, that can be a secret."""


@dataclass(slots=True)
class ReadingTally:
    """Counts of what was removed from documents: secrets by type, parts off the record, injected instructions."""

    redactions: Counter[str] = field(default_factory=Counter[str])
    off_the_record: int = 0
    instructions: int = 0

    def add(self, other: "ReadingTally") -> None:
        """Add the counts of another tally to this one."""
        self.redactions += other.redactions
        self.off_the_record += other.off_the_record
        self.instructions += other.instructions

    def clean(self, text: str) -> str:
        """Return the text with its secrets redacted, and add their number to `redactions`."""
        found = redact(text)
        self.redactions.update(found.counts)
        return found.text


def is_instruction_name(path: str) -> bool:
    """Whether a file's path, or the words in it, reads as an instruction to an assistant, such as
    `IgnoreAllPreviousRules.md`; an assistant would see the path beside every section."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_./\\+-]+", " ", path)
    return bool(looks_injected(words, foreign=True) or looks_injected(path))


def clean_document(
    read: ReadDocument, path: str, data: bytes, settings: Settings
) -> tuple[CleanDocument, ReadingTally]:
    """Return a document without secrets, text off the record (as the settings' markers say) and, if trust is on,
    instructions to an assistant in title, aliases and header; and the counts of what was removed. A title that reads as
    an instruction becomes the file's name. Instructions in sections stay, to be quarantined later.

    Args:
        path: the path under which the document is stored.
        data: the bytes of the file.

    Raises:
        InputError: trust is on, and the path reads as an instruction.
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
    """Yield the aliases with secrets redacted, without those that read as instructions (if trust is on). An alias that
    is the document's title becomes `title`, the title as it is stored."""
    for each in read.aliases:
        name = title if each == read.title else redact(each).text
        if not (settings.trust.enabled and looks_injected(name)):
            yield name


def _entity(read: ReadDocument, path: str, tally: ReadingTally) -> str:
    """Return the entity that a document defines, or the path if the entity's name contains a secret, which is counted
    in `tally`.
    """
    entity = tally.clean(read.entity)
    return entity if entity == read.entity else path


def clean_older_header(read: ReadDocument, path: str, data: bytes, settings: Settings) -> tuple[str, Values]:
    """Return the entity and the header values of an earlier version of a document, without secrets, pairs off the
    record and (if trust is on) instructions; its title is one of the values, unless that reads as an instruction.
    `path` is the path under which the document is stored, `data` the bytes of that version."""
    tally = ReadingTally()
    title = tally.clean(read.title)
    is_storable = not (settings.trust.enabled and looks_injected(title))
    values = clean_header(_clean_keys(read.header, data, tally), settings, tally)
    return _entity(read, path, tally), with_title(values, title) if is_storable else values


def _clean_keys(header: Mapping[str, str], data: bytes, tally: ReadingTally) -> Values:
    """Return the header with secrets redacted in its keys, and count them in `tally`; keys that become equal are
    numbered (`key#2`), so that no value is lost.

    Normalising a key can disguise a secret, so a key of 12 characters or more with a digit is looked up in `data`, the
    file's bytes, as it was written.
    """
    cleaned: Values = {}
    for key, value in header.items():
        name = key
        if len(key) >= _LEAST_SECRET and any(letter.isdecimal() for letter in key):
            name = next((spelling for spelling in _original_keys(key, data) if redact(spelling).counts), key)
            name = key if name == key else key_name(tally.clean(name))
        same = sum(each == name or each.startswith(f"{name}#") for each in (*cleaned, *(header if name != key else ())))
        cleaned[f"{name}#{same + 1}" if same else name] = value
    return cleaned


def _original_keys(key: str, data: bytes) -> Iterator[str]:
    """Yield every text in the first part of a file's bytes (`data`) that can be what normalises to this key, as it is
    written there.
    """
    text = data[:HEADER_BYTES].decode("utf-8", "replace")
    shape = r"[\s_-]+".join(map(re.escape, filter(None, key.split("-"))))
    return (found[0] for found in re.finditer(rf"{shape}[^\s:]*", text, re.IGNORECASE))


def clean_header(header: Mapping[str, str], settings: Settings, tally: ReadingTally) -> Values:
    """Return the header with secrets redacted, without the pairs that are off the record or (if trust is on) read as
    instructions; what is removed is counted in `tally`."""
    # as one text first: nearly every header is clean, and hundreds of them are read for a history
    whole = "\n".join(f"{key}: {value}" for key, value in header.items())
    has_instructions = settings.trust.enabled and looks_injected(whole)
    if not (has_instructions or _is_off_record(whole, settings) or redact(whole).counts):
        return dict(header)
    cleaned: Values = {}
    for key, value in header.items():
        if _is_off_record(f"{key}\n{value}", settings):
            tally.off_the_record += 1
        elif has_instructions and looks_injected(f"{key}: {value}"):
            tally.instructions += 1
        else:
            name, clean = _cleaned_pair(key, value, tally)
            cleaned[name] = clean
    return cleaned


def _cleaned_pair(key: str, value: str, tally: ReadingTally) -> tuple[str, str]:
    """Return a header's key and value with secrets redacted; in the value also secrets that only the key before them
    shows to be such. They are counted in `tally`."""
    name = tally.clean(key)
    redacted = redact_after(f"{name}: ", value) or redact(value)
    tally.redactions.update(redacted.counts)
    return name, redacted.text


def _is_off_record(text: str, settings: Settings) -> bool:
    """Whether a text contains the settings' marker for text off the record, in capitals or not; False if the settings
    have no marker."""
    marker = settings.capture.off_the_record.casefold()
    return bool(marker) and marker in text.casefold()


def _cleaned_sections(
    sections: tuple[ReadSection, ...], settings: Settings, tally: ReadingTally
) -> Iterator[CleanSection]:
    """Yield the sections, or the parts of them, that are on the record, with secrets redacted; a section with a part
    off the record is counted once in `tally`, and left out if nothing else is in it.

    After an opening marker on a line of its own, everything up to the closing marker is off the record, in later
    sections, too. A marker within a line removes its section alone, so that a page that mentions the marker stays.
    """
    silent = False
    # all names at once first, as they nearly always are: one reading in place of one a heading
    spotless = not redact("\n".join({name for each in sections for name in (each.heading, *each.trail)})).counts
    for each in sections:
        text = each.text
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
    """Return the lines of a text that are on the record, without the markers' lines, and whether the text ends off the
    record. `silent`: whether it begins off the record."""
    off, on = settings.capture.off_the_record.casefold(), settings.capture.on_the_record.casefold()
    on_record: list[str] = []
    for line in text.split("\n"):
        marker = line.strip().casefold()
        if off and marker == off:
            silent = True
        elif silent and on and marker == on:
            silent = False
        elif not silent:
            on_record.append(line)
    return "\n".join(on_record), silent
