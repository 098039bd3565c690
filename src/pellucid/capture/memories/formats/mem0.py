"""A mem0 export in, its memories out: the answer of `get_all`, a list, pages or JSON lines."""

from collections.abc import Iterator

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.entries import entries, memories_of_text
from pellucid.capture.memories.formats.header import first_text, text_values
from pellucid.capture.memories.guess import category_of_label
from pellucid.capture.transcripts.json_values import JsonObject, as_instant, as_object, instant_at, text_at

_LABELS = ("categories", "category", "tags", "type")


def recognises(entry: JsonObject) -> bool:
    """Whether an entry is mem0's: it has a text under `memory`, or under `data` in its `payload` (a point of a vector
    store).
    """
    return isinstance(entry.get("memory"), str) or isinstance(as_object(entry.get("payload")).get("data"), str)


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """Yield the memories of an export; an entry marked as deleted is left out and counted, one without a text is left
    out and noted as a problem of the document.
    """
    for place, raw_entry in entries(document):
        entry = {**raw_entry, **as_object(raw_entry.get("payload"))}
        words = text_at(entry, "memory", "text", "content", "data", "new_memory")
        if words is None or not words.strip():
            document.add_problem(place, "no memory in the entry")
        elif entry.get("is_deleted") in (True, 1) or str(entry.get("event", "")).upper() == "DELETE":
            document.report.drop("deleted")
        else:
            yield from _memories_of_entry(document, place, entry, words)


def _memories_of_entry(document: SourceFile, place: int, entry: JsonObject, words: str) -> Iterator[AdoptedMemory]:
    """Yield the memory of one entry, the `place`-th from 1, with the text `words`; in parts if that is longer than
    2,000 characters.

    Its labels become tags, and the first that stands for a category gives the category (None if none does); the user's
    id, else the agent's, is the entity.
    """
    metadata = as_object(entry.get("metadata"))
    labels = tuple(
        dict.fromkeys(label for part in (entry, metadata) for key in _LABELS for label in text_values(part.get(key)))
    )
    memory = AdoptedMemory(
        "mem0",
        "",
        document.shown_path,
        place,
        place,
        category=next((known for label in labels if (known := category_of_label(label))), None),
        tags=labels,
        entity_ref=first_text(entry, "user_id", "userId", "agent_id", "agentId"),
        created=instant_at(entry, "created_at", "createdAt"),
        updated=instant_at(entry, "updated_at", "updatedAt"),
        expires_at=as_instant(entry.get("expiration_date")),
        foreign_id=first_text(entry, "id"),
    )
    return memories_of_text(document, memory, words)
