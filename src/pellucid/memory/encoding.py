"""Texts in, encodings out: those in the index, those encoded ahead, and fresh ones for the rest."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from pellucid.encoders.port import Embedder, Encoding
from pellucid.errors import EncoderError
from pellucid.model.memory import Episode, Memory
from pellucid.store.index_port import Index

AHEAD = 4096
"""The most texts encoded ahead that wait, some 20 MB; the oldest beyond that are dropped."""


def text_digest(memory: Memory) -> bytes:
    """Return the digest of a memory's exact text: 16 bytes under which its encoding is stored."""
    return words_digest(memory.content)


def topic_digest(episode: Episode) -> bytes:
    """Return the digest, 16 bytes, under which an episode's topic is encoded. It is never that of a memory with equal
    words.
    """
    return hashlib.sha256(b"topic\0" + episode.topic.encode()).digest()[:16]


def words_digest(text: str) -> bytes:
    """Return the digest of an exact text, 16 bytes: the `text_digest` of a memory with this content."""
    return hashlib.sha256(text.encode()).digest()[:16]


@dataclass(frozen=True, slots=True)
class EncodingSource:
    """The sources of a fold's encodings: an encoder, and the index if `reuse`. `problem`: why there is no encoder."""

    encoder: Embedder | None
    reuse: bool
    problem: str = ""


@dataclass(slots=True)
class EncodingCache:
    """The encodings of the texts of one index. Safe between threads."""

    index: Index
    embedder: Embedder | None
    problem: str = ""
    """Why some of the texts asked for last have no encoding; empty if all have one."""
    _ahead: dict[bytes, Encoding] = field(default_factory=dict[bytes, Encoding])
    _lock: Lock = field(default_factory=Lock)

    def encode_ahead(self, texts: Mapping[bytes, str]) -> None:
        """Encode texts that will soon be indexed, and keep their encodings in this cache until `encodings_of` takes
        them; `texts` maps each one's digest to it.

        Texts with an encoding, kept or in the index, are left out; of those kept, the oldest beyond 4,096 are dropped.
        Nothing is kept without an encoder, while the index has another model's vectors, or if the encoder fails, which
        raises nothing.
        """
        if not texts or self.embedder is None or self.index.state().model not in {"", self.embedder.model}:
            return
        missing = texts.keys() - self._ahead.keys() - self.index.encodings(texts).keys()
        try:
            fresh = dict(zip(missing, self.embedder.encode([texts[each] for each in missing]), strict=True))
        except EncoderError:
            return
        with self._lock:
            self._ahead.update(fresh)
            for oldest in list(self._ahead)[:-AHEAD]:
                del self._ahead[oldest]

    def encodings_of(self, texts: Mapping[bytes, str], source: EncodingSource) -> tuple[dict[bytes, Encoding], str]:
        """Return the encodings of texts, by digest, and a text saying why some have none, which is empty if all have
        one.

        They are taken from the index, if `source` allows it (`reuse`), then from those made ahead, which are thereby
        used up, and the rest is encoded now; the last two only with an encoder in `source`. The reason also replaces
        `problem`. An encoder that fails raises nothing: the rest has no encodings then.
        """
        encodings, problem = self.index.encodings(texts) if source.reuse else {}, ""
        if source.encoder is not None:
            with self._lock:
                encodings |= {digest: self._ahead.pop(digest) for digest in texts.keys() & self._ahead.keys()}
        missing = [digest for digest in texts if digest not in encodings]
        if missing and source.encoder is None:
            problem = source.problem
        elif missing and source.encoder is not None:
            try:
                fresh = source.encoder.encode([texts[digest] for digest in missing])
                encodings |= dict(zip(missing, fresh, strict=True))
            except EncoderError as error:
                problem = str(error)
        self.problem = problem
        return encodings, problem

    def drop_encoded_ahead(self) -> None:
        """Drop all encodings that were made ahead and not used yet."""
        with self._lock:
            self._ahead.clear()
