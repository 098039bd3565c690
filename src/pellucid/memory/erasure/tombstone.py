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
    """The key of a statement: its normal form within its entity (`spelling.content_hash`), in one namespace."""
    return _keyed_hash(secret, "words", namespace, content_hash(content, entity))


def said_key(secret: bytes, namespace: str, text: str) -> str:
    """The key of a sentence by its content words, whatever their order and what stands between them; in hex."""
    held = " ".join(sorted(content_words(_LABEL.sub("", text)))) or normalise(text)
    return _keyed_hash(secret, "said", namespace, held).hex()


def turn_keys(secret: bytes, namespace: str, evidence: Iterable[str]) -> list[bytes]:
    """The keys of every turn in evidence ranges such as `session:3-5`."""
    out: list[bytes] = []
    for each in evidence:
        if found := _RANGE.fullmatch(each):
            first, last = int(found["start"]), int(found["end"])
            numbers = range(first, min(last, first + _LONGEST) + 1)
            out += [_keyed_hash(secret, "turn", namespace, f"{found['source']}:{number}") for number in numbers]
    return out


def passage_keys(secret: bytes, namespace: str, passage: str) -> list[bytes]:
    """The keys by which forgotten words are known in a passage: as all of it, or as a sentence that says much."""
    telling = (each for each in sentences_of(passage) if len(content_words(each)) >= LEAST_TELLING)
    return [words_key(secret, namespace, each, None) for each in dict.fromkeys((passage, *telling))]


def memory_keys(secret: bytes, memory: Memory) -> list[bytes]:
    """Every key of a memory that is forgotten: of its words, alone and within its entity, and of its evidence turns."""
    namespace, content = memory.namespace, memory.content
    said = {words_key(secret, namespace, content, entity) for entity in (None, memory.entity_ref)}
    return sorted({*said, *turn_keys(secret, namespace, memory.evidence)})


def _keyed_hash(secret: bytes, *parts: str) -> bytes:
    """A keyed BLAKE2b over the parts, each preceded by its length."""
    digest = hashlib.blake2b(key=secret, digest_size=16, person=b"tombstone")
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()
