"""Something forgotten in, the keys by which it is known again out: keyed hashes that hold no word of it."""

import hashlib
import re
from collections.abc import Iterable

from pellucid.language.spelling import content_hash, normalise
from pellucid.language.words import content_words
from pellucid.memory.passages import sentences_of
from pellucid.model.memory import Memory

_RANGE = re.compile(r"(?P<source>.+):(?P<start>\d+)-(?P<end>\d+)")
LEAST_TELLING = 3
"""Content words from which a sentence is known again inside of other words."""
_LABEL = re.compile(r"^User: ")
_LONGEST = 64
"""Turns of one evidence range that are named; ranges have at most three, a hand-written one may say anything."""


def words_key(secret: bytes, namespace: str, content: str, entity: str | None) -> bytes:
    """The key of a statement in a namespace, from its normal form and its entity (see `content_hash`)."""
    return _keyed_hash(secret, "words", namespace, content_hash(content, entity))


def said_key(secret: bytes, namespace: str, text: str) -> str:
    """The key (hex) of a sentence in a namespace, from its content words in whatever order."""
    held = " ".join(sorted(content_words(_LABEL.sub("", text)))) or normalise(text)
    return _keyed_hash(secret, "said", namespace, held).hex()


def turn_keys(secret: bytes, namespace: str, evidence: Iterable[str]) -> list[bytes]:
    """The keys of the turns that evidence ranges such as `session:3-5` name."""
    turns = (f"{session}:{number}" for session, number in evidence_turns(evidence))
    return [_keyed_hash(secret, "turn", namespace, turn) for turn in turns]


def evidence_turns(evidence: Iterable[str]) -> list[tuple[str, int]]:
    """The session and number of each turn that evidence ranges such as `session:3-5` name; of a range the first 64."""
    found = (match for each in evidence if (match := _RANGE.fullmatch(each)))
    ranges = ((match["source"], int(match["start"]), int(match["end"])) for match in found)
    return [
        (source, number) for source, first, last in ranges for number in range(first, min(last + 1, first + _LONGEST))
    ]


def passage_keys(secret: bytes, namespace: str, passage: str) -> list[bytes]:
    """The keys by which forgotten words are recognised in a passage: of the whole, and of its longer sentences."""
    sentences = (each for each in sentences_of(passage) if len(content_words(each)) >= LEAST_TELLING)
    return [words_key(secret, namespace, each, None) for each in dict.fromkeys((passage, *sentences))]


def memory_keys(secret: bytes, memory: Memory) -> list[bytes]:
    """Every key of a memory: of its words, alone and within its entity, and of its evidence turns; sorted."""
    namespace, content = memory.namespace, memory.content
    said = {words_key(secret, namespace, content, entity) for entity in (None, memory.entity_ref)}
    return sorted({*said, *turn_keys(secret, namespace, memory.evidence)})


def _keyed_hash(secret: bytes, *parts: str) -> bytes:
    """A keyed BLAKE2b of 16 bytes over the parts, each preceded by its length."""
    digest = hashlib.blake2b(key=secret, digest_size=16, person=b"tombstone")
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()
