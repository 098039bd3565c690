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
    """Sixteen bytes that name the exact text an encoding was computed from."""
    return said_digest(memory.content)


def topic_digest(episode: Episode) -> bytes:
    """The same for the topic of an episode; a memory of the same words has another."""
    return hashlib.sha256(b"topic\0" + episode.topic.encode()).digest()[:16]


def said_digest(text: str) -> bytes:
    """The digest of a memory that says this."""
    return hashlib.sha256(text.encode()).digest()[:16]


@dataclass(frozen=True, slots=True)
class Encodings:
    """Where the encodings of one fold come from: an encoder, rows of the same model, or nowhere, and why."""

    encoder: Embedder | None
    reuse: bool
    problem: str = ""


@dataclass(slots=True)
class Encoded:
    """The encodings of one index's texts. Safe between threads."""

    index: Index
    embedder: Embedder | None
    problem: str = ""
    """Why some of the texts asked for last have no encoding, if so."""
    _ahead: dict[bytes, Encoding] = field(default_factory=dict[bytes, Encoding])
    _lock: Lock = field(default_factory=Lock)

    def ahead(self, wanted: Mapping[bytes, str]) -> None:
        """Encode what is likely to be folded soon, so that a fold, for which others wait, need not.

        Nothing is said of an encoder that fails: the fold meets the same, and says so.
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

    def of(self, texts: Mapping[bytes, str], source: Encodings) -> tuple[dict[bytes, Encoding], str]:
        """The encodings of texts by digest, and why some have none, if so."""
        known, self.problem = self._encodings_of(texts, source)
        return known, self.problem

    def _encodings_of(self, texts: Mapping[bytes, str], source: Encodings) -> tuple[dict[bytes, Encoding], str]:
        """By digest, the encoding of each text that is known or could be encoded; and why not all are, else empty."""
        known = self.index.encodings(texts) if source.reuse else {}
        if source.encoder is not None:
            with self._lock:
                known |= {digest: self._ahead.pop(digest) for digest in texts.keys() & self._ahead.keys()}
        missing = [digest for digest in texts if digest not in known]
        if not missing:
            return known, ""
        if source.encoder is None:
            return known, source.problem
        try:
            fresh = list(source.encoder.encode([texts[digest] for digest in missing]))
        except EncoderError as error:
            return known, str(error)
        return {**known, **dict(zip(missing, fresh, strict=True))}, ""

    def let_go(self) -> None:
        """Let go of what was encoded ahead."""
        with self._lock:
            self._ahead.clear()
