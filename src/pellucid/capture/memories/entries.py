"""A JSON export in, its entries out singly: of a list, a list under a known key, pages of lists, or JSON lines."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.guess import category_of_words
from pellucid.capture.memories.phrases import split_long_text
from pellucid.capture.transcripts.json_document import BrokenJsonError, UnfinishedJsonError, elements, is_lines
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object
from pellucid.capture.transcripts.source import NumberedObject

KEYS = ("results", "memories", "memory", "saved_memories", "data", "items", "pages", "user")
"""The keys under which exports have their list, or an object with that list."""
_DEEPEST = 3


def entries(document: SourceFile) -> Iterator[NumberedObject]:
    """Yield the entries (objects that can be memories) of a JSON export in order, each with its number.

    Entries are numbered from 1; in JSON lines, each has the number of its line. A bare string becomes
    `{"content": text}`. Any other value, and an empty object, is counted as a problem; so is a fault in a JSON
    document, after which nothing more of it is read.
    """
    for place, entry in _numbered_entries(document):
        if value := _as_entry(entry):
            yield NumberedObject(place, value)
        else:
            document.add_problem(place, "not an entry")


def _numbered_entries(document: SourceFile) -> Iterator[tuple[int, object]]:
    """Yield every entry, still of any JSON type, with its number (see `entries`); a fault in the JSON document is noted
    in the report as a problem, and ends it.
    """
    head = document.source.head()
    if document.path.suffix.lower() == ".jsonl" or _has_entry_lines(head):
        for number, value in document.source.objects():
            yield from ((number, entry) for entry in _entries_in(value, 0))
        return
    place = 0
    try:
        for place, entry in enumerate(_document_entries(document.source.chunks(), head), 1):
            yield place, entry
    except (BrokenJsonError, UnfinishedJsonError) as error:
        document.add_problem(place + 1, str(error))


def memories_of_text(document: SourceFile, template: AdoptedMemory, text: str) -> Iterator[AdoptedMemory]:
    """Yield copies of `template` with this text, redacted, in parts of at most 2,000 characters; nothing if it is
    blank.

    A missing `created` becomes the time of the file's last change, a missing `updated` the same as `created`; a missing
    category is taken from each part's wording, if that shows one. `valid_at` is always `created`. Removed secrets are
    counted. OSError if the file is gone and `created` is missing.
    """
    created = template.created or document.modified
    updated = template.updated or created
    for part in split_long_text(document.redacted(text.strip())):
        category = template.category or category_of_words(part, ())
        yield replace(template, content=part, category=category, created=created, updated=updated, valid_at=created)


def first_entry(head: str) -> JsonObject:
    """Return the first complete entry in the beginning of a file (see `entries`); {} if there is none, or it is not
    JSON.
    """
    with suppress(ValueError, RecursionError):
        first_line = head.lstrip().partition("\n")[0]
        found = _entries_in(json.loads(first_line), 0) if is_lines(head) else _document_entries(iter([head]), head)
        return next((value for entry in found if (value := _as_entry(entry))), JsonObject())
    return {}


def _has_entry_lines(head: str) -> bool:
    """Whether a file is JSON lines with an entry on each, judged by its beginning `head`.

    It is if its first line is a JSON object, not empty, that has no list or object under a key of `KEYS`, or if the
    first line cannot be parsed and the second begins with `{`.
    """
    if not is_lines(head):
        return False
    try:
        first: object = json.loads(head.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return True  # `is_lines` has seen a second line that begins an object
    return list(_entries_in(first, 0)) == [first]


def _document_entries(chunks: Iterator[str], head: str) -> Iterator[object]:
    """Yield the entries of one JSON document, given its text in chunks; `head`, its beginning, shows which list to
    stream.

    A top-level value under a key that is not in `KEYS` (nor empty) is left out. Raises BrokenJsonError or
    UnfinishedJsonError if the document is faulty or ends early."""
    streamed = _long_list_key(head)
    for key, value in elements(chunks, streamed):
        yield from _entries_in(value, 0) if key in {"", streamed} else _entries_under(key, value, 0)


def _long_list_key(head: str) -> str:
    """Return the key whose list is read piece by piece, as it is probably long: of `KEYS` (but for `user`) the one that
    comes first in the file's beginning; `results` if none does.
    """
    found = [(at, key) for key in KEYS if key != "user" and (at := head.find(f'"{key}"')) >= 0]
    return min(found)[1] if found else KEYS[0]


def _entries_in(value: object, depth: int) -> Iterator[object]:
    """Yield the entries in the lists and objects under the keys of `KEYS` in an object; the value itself if it has
    none.

    `depth` is how many levels of such keys were searched before; from three on, the value is an entry itself, and not
    searched.
    """
    container = as_object(value)
    keys = [key for key in KEYS if isinstance(container.get(key), list | dict)] if depth < _DEEPEST else []
    for key in keys:
        yield from _entries_under(key, container[key], depth + 1)
    if not keys:
        yield value


def _entries_under(key: str, value: object, depth: int) -> Iterator[object]:
    """Yield the entries in `value`, the list or object under `key`: a list's elements, searched in turn, and what an
    object has under keys of `KEYS`; nothing if `key` is not in `KEYS`.

    `depth` is how many levels of such keys were searched before, as in `_entries_in`.
    """
    if key not in KEYS:
        return
    for each in as_list(value):
        yield from _entries_in(each, depth)
    if inner := as_object(value):
        yield from (each for each in _entries_in(inner, depth) if each is not inner)


def _as_entry(entry: object) -> JsonObject:
    """Return an entry as an object, a bare string under `content`; {} for any other value."""
    return {"content": entry} if isinstance(entry, str) else as_object(entry)
