"""Heads of the record in, what the files say out: their memories, what is to be encoded of them, their index rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pellucid.documents.names.naming import Naming
from pellucid.encoders.port import Encoding
from pellucid.errors import InputError
from pellucid.graph.extract import facts_of
from pellucid.memory.encoding import text_digest, topic_digest
from pellucid.store.index_changes import IndexRecord, PathChange
from pellucid.store.records import FileHead, Stamp, content_digest
from pellucid.vault.markdown import FileIdentity, Parsed, parse

_NOTHING = Parsed(())


@dataclass(frozen=True, slots=True)
class Filed:
    """A vault file and what it holds; nothing if it is gone, or cannot be read, and `problem` says why not."""

    head: FileHead
    held: Parsed = _NOTHING
    problem: str = ""


def parse_head(head: FileHead, namespace: str, key: bytes) -> Filed:
    """A file with what it holds; `namespace` and `key` complete one that a person wrote by hand."""
    if head.data is None:
        return Filed(head)
    at = datetime.fromtimestamp(head.stamp.mtime_ns / 1e9, UTC) if head.stamp else datetime.now(UTC)
    try:
        return Filed(head, parse(head.path, head.data, FileIdentity(namespace, key, at)))
    except InputError as error:
        return Filed(head, problem=str(error))


def encodable_texts(files: Sequence[Filed]) -> dict[bytes, str]:
    """Every text of these files that is to be encoded, by digest: contents of memories, topics of episodes."""
    out: dict[bytes, str] = {}
    for held in (each.held for each in files):
        out |= {text_digest(memory): memory.content for memory, _ in held.memories}
        if held.episode:
            out[topic_digest(held.episode)] = held.episode.topic
    return out


def path_change(filed: Filed, encodings: dict[bytes, Encoding], op_id: str | None, naming: Naming) -> PathChange:
    """What the index is to hold of a file, as written by operation `op_id` if the record names no other.

    `encodings` are by digest.
    """
    head, held = filed.head, filed.held
    records = tuple(
        IndexRecord(memory, ordinal, digest := text_digest(memory), encodings.get(digest))
        for memory, ordinal in held.memories
    )
    stamp = head.stamp or Stamp(head.path, -1, -1)
    digest = "" if head.data is None else content_digest(head.data)
    topic = topic_digest(held.episode) if held.episode else b""
    return PathChange(
        head.path,
        digest,
        stamp.size,
        stamp.mtime_ns,
        head.op_id or op_id,
        records,
        held.episode,
        topic,
        encodings.get(topic),
        held.document,
        facts_of(held, naming),
    )
