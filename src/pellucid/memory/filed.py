"""Heads of the record in, the contents of the files out: memories, texts to encode, rows of the index."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pellucid.documents.names.naming import Naming
from pellucid.encoders.port import Encoding
from pellucid.errors import InputError
from pellucid.graph.extract import facts_of
from pellucid.memory.encoding import text_digest, topic_digest
from pellucid.store.index_changes import IndexRecord, PathChange
from pellucid.store.records import FileHead, Stamp
from pellucid.vault.markdown import FileIdentity, Parsed, parse

_NOTHING = Parsed(())


@dataclass(frozen=True, slots=True)
class Filed:
    """A vault file and its parsed contents; empty if it is gone or, for the reason `problem`, unreadable."""

    head: FileHead
    parsed: Parsed = _NOTHING
    problem: str = ""


def parse_head(head: FileHead, namespace: str, key: bytes) -> Filed:
    """Parse a file; `namespace` and the vault's `key` complete a file that a person wrote by hand.

    A file that is gone comes back without contents; so does one that cannot be parsed, with the reason as `problem`.
    """
    if head.data is None:
        return Filed(head)
    at = datetime.fromtimestamp(head.stamp.mtime_ns / 1e9, UTC) if head.stamp else datetime.now(UTC)
    try:
        return Filed(head, parse(head.path, head.data, FileIdentity(namespace, key, at)))
    except InputError as error:
        return Filed(head, problem=str(error))


def encodable_texts(files: Sequence[Filed]) -> dict[bytes, str]:
    """Return every text of these files that is to be encoded, by digest: contents of memories, topics of episodes."""
    out: dict[bytes, str] = {}
    for parsed in (each.parsed for each in files):
        out |= {text_digest(memory): memory.content for memory, _ in parsed.memories}
        if parsed.episode:
            out[topic_digest(parsed.episode)] = parsed.episode.topic
    return out


def path_change(filed: Filed, encodings: dict[bytes, Encoding], op_id: str | None, naming: Naming) -> PathChange:
    """Return all rows that the index is to have of a file, in place of those it has; none for a file that is gone or
    cannot be parsed.

    `op_id` counts as the operation that wrote the file, if the file's head (`FileHead`) names none. `encodings` are by
    digest of the text; a text that is missing there gets none. `naming` says what counts as the name of a document.
    """
    head, parsed = filed.head, filed.parsed
    # digested again: in `encodable_texts` all memories with equal words are one entry
    records = tuple(
        IndexRecord(memory, ordinal, digest := text_digest(memory), encodings.get(digest))
        for memory, ordinal in parsed.memories
    )
    stamp = head.stamp or Stamp(head.path, -1, -1)
    topic = topic_digest(parsed.episode) if parsed.episode else b""
    return PathChange(
        head.path,
        head.digest,
        stamp.size,
        stamp.mtime_ns,
        head.op_id or op_id,
        records,
        parsed.episode,
        topic,
        encodings.get(topic),
        parsed.document,
        facts_of(parsed, naming),
    )
