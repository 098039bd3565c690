"""A mem0 export in, its memories out: the answer of `get_all`, a list, pages or JSON lines."""

from collections.abc import Iterator

from pellucid.capture.memories.adopted import AdoptedMemory
from pellucid.capture.memories.document import SourceFile
from pellucid.capture.memories.entries import entries
from pellucid.capture.memories.formats.header import text_of, texts
from pellucid.capture.memories.guess import by_form, by_label
from pellucid.capture.memories.phrases import pieces
from pellucid.capture.transcripts.json_values import JsonObject, as_instant, as_object, instant_at, text_at
from pellucid.model.memory import Category


def recognises(entry: JsonObject) -> bool:
    """Whether an entry is mem0's: its words under `memory`, or in the payload of a stored point."""
    return isinstance(entry.get("memory"), str) or isinstance(as_object(entry.get("payload")).get("data"), str)


def read(document: SourceFile) -> Iterator[AdoptedMemory]:
    """The memories of an export, each about its user (or agent). Deleted ones are counted; scores are left behind."""
    for place, given in entries(document):
        entry = {**given, **as_object(given.get("payload"))}
        words = text_at(entry, "memory", "text", "content", "data", "new_memory")
        if words is None or not words.strip():
            document.problem(place, "no memory in the entry")
        elif entry.get("is_deleted") in (True, 1) or str(entry.get("event", "")).upper() == "DELETE":
            document.report.drop("deleted")
        else:
            yield from _memories_of_entry(document, place, entry, words.strip())


def _memories_of_entry(document: SourceFile, place: int, entry: JsonObject, words: str) -> Iterator[AdoptedMemory]:
    """The memories of one entry, in parts if its `words` are long, with its labels, subject and times."""
    metadata = as_object(entry.get("metadata"))
    labels = tuple(
        dict.fromkeys(label for held in (entry, metadata) for key in _LABELS for label in texts(held.get(key)))
    )
    created = instant_at(entry, "created_at", "createdAt") or document.modified
    for piece in pieces(document.safe(words)):
        yield AdoptedMemory(
            "mem0",
            piece,
            document.shown,
            place,
            place,
            category=_category(labels) or by_form(piece, ()),
            tags=labels,
            entity_ref=text_of(entry, "user_id", "userId", "agent_id", "agentId"),
            created=created,
            updated=instant_at(entry, "updated_at", "updatedAt") or created,
            valid_at=created,
            expires_at=as_instant(entry.get("expiration_date")),
            foreign_id=text_of(entry, "id"),
        )


_LABELS = ("categories", "category", "tags", "type")


def _category(labels: tuple[str, ...]) -> Category | None:
    return next((known for label in labels if (known := by_label(label))), None)
