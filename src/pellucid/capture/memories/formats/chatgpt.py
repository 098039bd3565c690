"""ChatGPT's saved memories in, our form of them out: an export's list, what conversations had saved, a pasted list."""

import re
from collections.abc import Iterator
from datetime import datetime

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.entries import entries
from pellucid.capture.memories.formats.header import text_of, texts
from pellucid.capture.memories.guess import by_form
from pellucid.capture.memories.phrases import nothing_said, pieces
from pellucid.capture.transcripts.json_document import begins_json
from pellucid.capture.transcripts.json_values import JsonObject, as_instant, as_list, as_object, instant_at, text_at

_MARK = re.compile(r"(?:[-*+•‣◦]|\d{1,5}[.)])[ \t]+")
_DATED = re.compile(r"\[(\d{4}-\d\d-\d\d)\][.:]?[ \t]*")
_HEADING = re.compile(r"#{1,6}[ \t]|.{1,60}:$")


def recognises(entry: JsonObject) -> bool:
    """Whether an entry is a saved memory, or a conversation that may have written some."""
    said = text_at(entry, "content", "text", "value") is not None and "role" not in entry
    return said or isinstance(entry.get("mapping"), dict)


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """The memories in an export or a pasted list; of a conversation only what it saved as memories.

    Deleted and switched-off ones are counted.
    """
    if begins_json(document.source.head().lstrip("\ufeff")):
        for place, entry in entries(document):
            mapping = as_object(entry.get("mapping"))
            yield from (
                _saved_memories(document, place, mapping) if mapping else _memories_of_entry(document, place, entry)
            )
    else:
        yield from _memories_of_pasted_list(document)


def _memories_of_entry(document: SourceFile, place: int, entry: JsonObject) -> Iterator[AdoptedMemory]:
    """The memory of one entry, in parts if it is long; deleted, switched off or empty ones are counted."""
    words = text_at(entry, "content", "text", "value", "memory")
    if entry.get("deleted") is True or entry.get("is_deleted") is True:
        document.report.drop("deleted")
    elif entry.get("enabled") is False:
        document.report.drop("switched-off")
    elif words is None or not words.strip():
        document.problem(place, "no memory in the entry")
    else:
        at = instant_at(entry, "created_at", "create_time", "createdAt", "timestamp", "date")
        changed = instant_at(entry, "updated_at", "update_time", "updatedAt") or at
        tags, name = texts(entry.get("tags")), text_of(entry, "id", "memory_id")
        yield from _memories_of_words(document, place, words, at or changed, updated=changed, tags=tags, name=name)


def _memories_of_words(
    document: SourceFile,
    place: int,
    words: str,
    at: datetime | None,
    *,
    updated: datetime | None = None,
    tags: tuple[str, ...] = (),
    name: str | None = None,
) -> Iterator[AdoptedMemory]:
    """Memories of these words, in parts if they are long; without a time (`at`) they are as old as the file."""
    created = at or document.modified
    for piece in pieces(document.safe(words.strip())):
        yield AdoptedMemory(
            "chatgpt",
            piece,
            document.shown,
            place,
            place,
            category=by_form(piece, ()),
            tags=tags,
            created=created,
            updated=updated or created,
            valid_at=created,
            foreign_id=name,
        )


def _saved_memories(document: SourceFile, place: int, mapping: JsonObject) -> Iterator[AdoptedMemory]:
    """What a conversation had saved: messages to the `bio` tool, and the numbered list the model was shown."""
    document.report.drop("conversation")
    for node in mapping.values():
        message = as_object(as_object(node).get("message"))
        content = as_object(message.get("content"))
        at = instant_at(message, "create_time")
        role = as_object(message.get("author")).get("role")
        if message.get("recipient") == "bio" and role == "assistant":
            said = [part for part in as_list(content.get("parts")) if isinstance(part, str)]
            said = said or [text_at(content, "text") or ""]
        elif role != "user" and isinstance(content.get("model_set_context"), str):
            said = [str(content["model_set_context"])]
        else:
            continue
        for line in "\n".join(said).split("\n"):
            if line.strip():
                yield from _memory_of_line(document, place, line, at)


def _memory_of_line(document: SourceFile, place: int, line: str, at: datetime | None) -> Iterator[AdoptedMemory]:
    """The memory of one line, without its bullet, number and date."""
    words = _MARK.sub("", line.strip(), count=1)
    if dated := _DATED.match(words):
        words, at = words[dated.end() :], as_instant(dated.group(1)) or at
    if reason := nothing_said(words):
        document.report.drop(reason)
    else:
        yield from _memories_of_words(document, place, words, at)


def _memories_of_pasted_list(document: SourceFile) -> Iterator[AdoptedMemory]:
    """A list pasted from the settings: one memory a line; a heading, or a line that only introduces, is none."""
    for number, line in enumerate(document.text().split("\n"), 1):
        if not line.strip():
            continue
        if _HEADING.match(line.strip()) and not _MARK.match(line.strip()):
            document.report.drop("heading")
        else:
            yield from _memory_of_line(document, number, line, None)
