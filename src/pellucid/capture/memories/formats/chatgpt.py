"""ChatGPT's saved memories in, adopted memories out: from an export's list, conversations, or a pasted list."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.entries import entries, memories_of_text
from pellucid.capture.memories.formats.header import first_text, text_values
from pellucid.capture.memories.phrases import empty_reason
from pellucid.capture.transcripts.json_document import begins_json
from pellucid.capture.transcripts.json_values import JsonObject, as_instant, as_list, as_object, instant_at, text_at

_MARK = re.compile(r"(?:[-*+•‣◦]|\d{1,5}[.)])[ \t]+")
_DATED = re.compile(r"\[(\d{4}-\d\d-\d\d)\][.:]?[ \t]*")
_HEADING = re.compile(r"#{1,6}[ \t]|.{1,60}:$")


def recognises(entry: JsonObject) -> bool:
    """Whether an entry is a saved memory (a text under `content`, `text` or `value`, and no `role`), or an exported
    conversation (`mapping`), in which memories can have been saved.
    """
    is_memory = text_at(entry, "content", "text", "value") is not None and "role" not in entry
    return is_memory or isinstance(entry.get("mapping"), dict)


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """Yield the memories in an export or a pasted list; of a conversation only the memories that it saved.

    What is left out, or cannot be read, is counted in the document's report.
    """
    if begins_json(document.source.head().lstrip("\ufeff")):
        for place, entry in entries(document):
            if mapping := as_object(entry.get("mapping")):
                yield from _saved_memories(document, place, mapping)
            else:
                yield from _memories_of_entry(document, place, entry)
    else:
        yield from _memories_of_pasted_list(document)


def _memories_of_entry(document: SourceFile, place: int, entry: JsonObject) -> Iterator[AdoptedMemory]:
    """Yield the memory of one entry, in parts of at most 2,000 characters; `place` is the entry's number.

    Deleted and switched-off entries are counted as left out, an entry without words as a problem.
    """
    words = text_at(entry, "content", "text", "value", "memory")
    if entry.get("deleted") is True or entry.get("is_deleted") is True:
        document.report.drop("deleted")
    elif entry.get("enabled") is False:
        document.report.drop("switched-off")
    elif words is None or not words.strip():
        document.add_problem(place, "no memory in the entry")
    else:
        at = instant_at(entry, "created_at", "create_time", "createdAt", "timestamp", "date")
        changed = instant_at(entry, "updated_at", "update_time", "updatedAt") or at
        tags, name = text_values(entry.get("tags")), first_text(entry, "id", "memory_id")
        memory = AdoptedMemory("chatgpt", "", document.shown_path, place, place, tags=tags, foreign_id=name)
        yield from memories_of_text(document, replace(memory, created=at or changed, updated=changed), words)


def _saved_memories(document: SourceFile, place: int, mapping: JsonObject) -> Iterator[AdoptedMemory]:
    """Yield the memories that a conversation saved, one for each line; the conversation itself is counted in the report
    as left out.

    The lines are those of the assistant's messages to the `bio` tool, and those of the lists of saved memories that the
    model was given (`model_set_context`). `mapping` is the conversation's tree of messages, `place` its number in the
    export.
    """
    document.report.drop("conversation")
    for node in mapping.values():
        message = as_object(as_object(node).get("message"))
        content = as_object(message.get("content"))
        at = instant_at(message, "create_time")
        role = as_object(message.get("author")).get("role")
        if message.get("recipient") == "bio" and role == "assistant":
            texts = [part for part in as_list(content.get("parts")) if isinstance(part, str)]
            texts = texts or [text_at(content, "text") or ""]
        elif role != "user" and isinstance(content.get("model_set_context"), str):
            texts = [str(content["model_set_context"])]
        else:
            continue
        for line in "\n".join(texts).split("\n"):
            if line.strip():
                yield from _memory_of_line(document, place, line, at)


def _memory_of_line(document: SourceFile, place: int, line: str, at: datetime | None) -> Iterator[AdoptedMemory]:
    """Yield the memory of one line, without its bullet, number and date; a line that states nothing is counted as left
    out.

    `place` is the line's number in a list, or its conversation's in an export; `at` is the date if the line has none.
    """
    words = _MARK.sub("", line.strip(), count=1)
    if dated := _DATED.match(words):
        words, at = words[dated.end() :], as_instant(dated.group(1)) or at
    if reason := empty_reason(words):
        document.report.drop(reason)
    else:
        memory = AdoptedMemory("chatgpt", "", document.shown_path, place, place, created=at)
        yield from memories_of_text(document, memory, words)


def _memories_of_pasted_list(document: SourceFile) -> Iterator[AdoptedMemory]:
    """Yield the memories of a list pasted from ChatGPT's settings, a line each; blank lines are skipped.

    Headings are counted as left out: lines that begin with one to six `#` and a blank, or that end in a colon after at
    most 60 characters, unless they have a bullet or a number.
    """
    for number, line in enumerate(document.text().split("\n"), 1):
        if not line.strip():
            continue
        if _HEADING.match(line.strip()) and not _MARK.match(line.strip()):
            document.report.drop("heading")
        else:
            yield from _memory_of_line(document, number, line, None)
