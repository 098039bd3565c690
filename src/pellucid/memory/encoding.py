"""Texts in, encodings out: what the index holds already, what was encoded ahead, and the rest fresh."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from pellucid.encoders.port import Embedder, Encoding
from pellucid.errors import EncoderError
from pellucid.model.memory import Episode, Memory
from pellucid.store.index_port import Index

AHEAD = 4096
"""Texts encoded ahead that wait at most, some 20 MB; of more, the oldest are encoded again when they are needed."""


def text_digest(memory: Memory) -> bytes:
    """The digest of a memory's exact text: 16 bytes under which its encoding is kept."""
    return words_digest(memory.content)


def topic_digest(episode: Episode) -> bytes:
    """The digest of an episode's topic, under which its encoding is kept; a memory of the same words has another."""
    return hashlib.sha256(b"topic\0" + episode.topic.encode()).digest()[:16]


def words_digest(text: str) -> bytes:
    """The `text_digest` of a memory with this content."""
    return hashlib.sha256(text.encode()).digest()[:16]


@dataclass(frozen=True, slots=True)
class EncodingSource:
    """Where the encodings of one fold come from: an encoder, and, if `reuse`, rows of the index.

    `problem` says why there is no encoder.
    """

    encoder: Embedder | None
    reuse: bool
    problem: str = ""


@dataclass(slots=True)
class EncodingCache:
    """The encodings of one index's texts. Safe between threads."""

    index: Index
    embedder: Embedder | None
    problem: str = ""
    """Why some of the texts asked for last have no encoding, if so."""
    _ahead: dict[bytes, Encoding] = field(default_factory=dict[bytes, Encoding])
    _lock: Lock = field(default_factory=Lock)

    def encode_ahead(self, wanted: Mapping[bytes, str]) -> None:
        """Encode texts (by digest) that are likely to be folded soon, so that a fold, for which others wait, need not.

        Nothing happens without an encoder, or while the index holds another model's vectors. An encoder that fails is
        not told here: the fold meets the same, and says so.
        """
        if not wanted or self.embedder is None or self.index.state().model not in {"", self.embedder.model}:
            return
        missing = wanted.keys() - self._ahead.keys() - self.index.encodings(wanted).keys()
        try:
            fresh = dict(zip(missing, self.embedder.encode([wanted[each] for each in missing]), strict=True))
        except EncoderError:
            return
        with self._lock:
            self._ahead.update(fresh)
            for oldest in list(self._ahead)[:-AHEAD]:
                del self._ahead[oldest]

    def encodings_of(self, texts: Mapping[bytes, str], source: EncodingSource) -> tuple[dict[bytes, Encoding], str]:
        """The encodings of texts (by digest), by digest, and why some have none; empty if all have one."""
        known, problem = self.index.encodings(texts) if source.reuse else {}, ""
        if source.encoder is not None:
            with self._lock:
                known |= {digest: self._ahead.pop(digest) for digest in texts.keys() & self._ahead.keys()}
        missing = [digest for digest in texts if digest not in known]
        if missing and source.encoder is None:
            problem = source.problem
        elif missing and source.encoder is not None:
            try:
                fresh = source.encoder.encode([texts[digest] for digest in missing])
                known |= dict(zip(missing, fresh, strict=True))
            except EncoderError as error:
                problem = str(error)
        self.problem = problem
        return known, problem

    def drop_encoded_ahead(self) -> None:
        """Forget what was encoded ahead, and not used yet."""
        with self._lock:
            self._ahead.clear()
