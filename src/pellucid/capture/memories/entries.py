"""A JSON export in, its entries out one by one: a list, a list under a known key, pages of lists, or JSON lines."""

import json
from collections.abc import Iterator

from pellucid.capture.memories.document import SourceFile
from pellucid.capture.transcripts.json_document import BrokenJsonError, UnfinishedJsonError, elements, is_lines
from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object
from pellucid.capture.transcripts.source import NumberedObject

KEYS = ("results", "memories", "memory", "saved_memories", "data", "items", "pages", "user")
"""The keys under which exports keep their list, or an object that keeps it."""
_DEEPEST = 3


def entries(document: SourceFile) -> Iterator[NumberedObject]:
    """Every entry with its place, from 1 (the line, in JSON lines); a plain text counts as `{"content": text}`.

    What cannot be read is counted with its place; after a fault in a document nothing more of it can be read.
    """
    head = document.source.head()
    if document.path.suffix.lower() == ".jsonl" or _is_an_entry_a_line(head):
        for number, value in document.source.objects():
            for entry in _entries_of(value, 0):
                yield from _numbered_objects(document, number, entry)
        return
    place = 0
    try:
        for entry in _of_document(document.source.chunks(), head):
            place += 1
            yield from _numbered_objects(document, place, entry)
    except (BrokenJsonError, UnfinishedJsonError) as error:
        document.problem(place + 1, str(error))


def first_entry(head: str) -> JsonObject:
    """The first entry that the beginning of a file holds whole; empty if there is none."""
    try:
        found = (
            _entries_of(json.loads(head.partition("\n")[0]), 0) if is_lines(head) else _of_document(iter([head]), head)
        )
        for entry in found:
            if value := _as_entry(entry):
                return value
    except (ValueError, RecursionError):
        pass
    return {}


def _is_an_entry_a_line(head: str) -> bool:
    """Whether the first line is an object of its own, and keeps no list under a known key."""
    if not is_lines(head):
        return False
    try:
        first: object = json.loads(head.lstrip().partition("\n")[0])
    except (ValueError, RecursionError):
        return True  # `is_lines` has seen a second line that begins an object
    return list(_entries_of(first, 0)) == [first]


def _of_document(chunks: Iterator[str], head: str) -> Iterator[object]:
    streamed = _long_list_key(head)
    for key, value in elements(chunks, streamed):
        yield from _entries_of(value, 0) if key in {"", streamed} else _entries_under(key, value, 0)


def _long_list_key(head: str) -> str:
    """The key whose list is likely the long one: the first that the file's beginning shows."""
    found = [(at, key) for key in KEYS if key != "user" and (at := head.find(f'"{key}"')) >= 0]
    return min(found)[1] if found else KEYS[0]


def _entries_of(value: object, depth: int) -> Iterator[object]:
    """The entries in the lists an object keeps under known keys; the value itself, if it keeps none.

    `depth` is how many lists it already stands in; deeper than a limit none is looked into.
    """
    held = as_object(value)
    inner = [name for name in KEYS if isinstance(held.get(name), list | dict)] if depth < _DEEPEST else []
    for name in inner:
        yield from _entries_under(name, held[name], depth + 1)
    if not inner:
        yield value


def _entries_under(key: str, value: object, depth: int) -> Iterator[object]:
    """The entries of a list, or of the lists in an object, under a known key; anything else is no entry."""
    if key not in KEYS:
        return
    for each in as_list(value):
        yield from _entries_of(each, depth)
    if held := as_object(value):
        yield from (each for each in _entries_of(held, depth) if each is not held)


def _numbered_objects(document: SourceFile, place: int, entry: object) -> Iterator[NumberedObject]:
    """The entry with its place, as an object; one that is none is counted as a problem instead."""
    value = _as_entry(entry)
    if value:
        yield NumberedObject(place, value)
    else:
        document.problem(place, "not an entry")


def _as_entry(entry: object) -> JsonObject:
    return {"content": entry} if isinstance(entry, str) else as_object(entry)
