"""Something forgotten in, the keys by which it is recognised out: keyed hashes that contain no word of it."""

import hashlib
import re
from collections.abc import Iterable

from pellucid.language.spelling import content_hash, normalise
from pellucid.language.words import content_words
from pellucid.memory.passages import sentences_of
from pellucid.model.memory import Memory

_RANGE = re.compile(r"(?P<source>.+):(?P<start>\d+)-(?P<end>\d+)")
LEAST_TELLING = 3
"""The least content words by which a sentence is recognised inside a longer text."""
_LABEL = re.compile(r"^User: ")
_MAX_RANGE = 64
"""The most turns that are read of an evidence range; only a hand-written one is longer than three."""


def words_key(secret: bytes, namespace: str, content: str, entity: str | None) -> bytes:
    """Return the key (a keyed hash of 16 bytes) of a statement in a namespace, from its normal form and its entity (see
    `content_hash`). `secret` is the vault's key, `entity` None for a statement without one.
    """
    return _keyed_hash(secret, "words", namespace, content_hash(content, entity))


def said_key(secret: bytes, namespace: str, text: str) -> str:
    """Return the key (32 hex digits) of a sentence in a namespace, from its content words in any order, without
    `User: ` in front; from its normal form if it has no content words. `secret` is the vault's key.
    """
    sorted_words = " ".join(sorted(content_words(_LABEL.sub("", text)))) or normalise(text)
    return _keyed_hash(secret, "said", namespace, sorted_words).hex()


def evidence_keys(secret: bytes, namespace: str, evidence: Iterable[str]) -> list[bytes]:
    """Return the keys of the turns that evidence ranges such as `session:3-5` name, in order; `secret` is the vault's
    key.

    They are hashes of session and number alone, as evidence has no more; `capture.identity.turn_fingerprint` also
    hashes the words.
    """
    return [turn_key(secret, namespace, *turn) for turn in evidence_turns(evidence)]


def turn_key(secret: bytes, namespace: str, session: str, number: int) -> bytes:
    """Return the key of one turn in a namespace, a hash of the session and the turn's number with the vault's key
    `secret`; `evidence_keys` returns such keys.
    """
    return _keyed_hash(secret, "turn", namespace, f"{session}:{number}")


def evidence_turns(evidence: Iterable[str]) -> list[tuple[str, int]]:
    """Return the session and number of each turn (64 a range at most) that ranges such as `session:3-5` name.

    Texts of another form are passed over.
    """
    matches = (match for each in evidence if (match := _RANGE.fullmatch(each)))
    ranges = ((match["source"], int(match["start"]), int(match["end"])) for match in matches)
    return [
        (source, number) for source, first, last in ranges for number in range(first, min(last + 1, first + _MAX_RANGE))
    ]


def passage_keys(secret: bytes, namespace: str, passage: str) -> list[bytes]:
    """Return the keys by which forgotten words are recognised in a passage: of the whole, then of its sentences, each
    once.

    Sentences of fewer than three content words have none. `secret` is the vault's key.
    """
    sentences = (each for each in sentences_of(passage) if len(content_words(each)) >= LEAST_TELLING)
    return [words_key(secret, namespace, each, None) for each in dict.fromkeys((passage, *sentences))]


def memory_keys(secret: bytes, memory: Memory) -> list[bytes]:
    """Return every key of a memory, sorted: of its words, alone and with its entity, and of its evidence turns.
    `secret` is the vault's key.
    """
    namespace, content = memory.namespace, memory.content
    keys_of_words = {words_key(secret, namespace, content, entity) for entity in (None, memory.entity_ref)}
    return sorted({*keys_of_words, *evidence_keys(secret, namespace, memory.evidence)})


def _keyed_hash(secret: bytes, *parts: str) -> bytes:
    """Return a BLAKE2b hash (16 bytes) with the key `secret` over the parts, each after its length."""
    digest = hashlib.blake2b(key=secret, digest_size=16, person=b"tombstone")
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()
