"""A seed and sizes in, a made-up namespace out: dated sessions, unique queries, and an index that contains them.

Words follow Zipf's law over English function words and 30,000 words of random syllables (or the ordinary words that a
model knows, if a model reads them); a session returns to words of its own. None of it is real text, so the numbers show
how fast and how exact the search is, never how good.
"""

import hashlib
import json
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import machine
from pellucid.clock import uuid7
from pellucid.deadline import Deadline
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.minilm.provision import MODEL_NAME, provision
from pellucid.encoders.port import Embedder, Encoding, QueryEncoding
from pellucid.model.memory import Memory
from pellucid.recall.state import Request
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_changes import IndexRecord, IndexState, PathChange
from pellucid.store.index_port import Index

NAMESPACE = "bench/corpus"
VOCABULARY = 30_000
SESSION_TURNS = 30
SHORTEST, LONGEST = 8, 60
FROM_TOPIC = 0.2
"""The share of words a session takes from its own forty."""
SUPERSEDED = 0.03
BEGINNING = datetime(2025, 1, 6, 9, tzinfo=UTC)
ASKED_AT = datetime(2027, 1, 1, tzinfo=UTC)
SESSIONS_AN_APPLY = 64
_COMMON = """
    the i to and a you it of in that is my for was we on with have so but be this not at as are do if what can your from
    just there will about or they would when has had an by all been them some our then how were who which did more no
    than she he her his any should could me because out up very only also where their other does why before while after
    its into these again being those such here both each few under until once during same own off over
"""
FUNCTION = _COMMON.split()
_QUESTIONS = ("what was the", "when did we", "why is the", "how do i", "who has the", "which of our", "where are the")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Query:
    """A question made of words of one memory, and that memory's place in the corpus (`target`)."""

    text: str
    target: int


def made_up_words(seed: int) -> list[str]:
    """Return distinct words, the most frequent first: function words, then 30,000 of two to four random syllables."""
    rng = random.Random(seed)
    syllables = [a + b + c for a in "bdfgklmnprstvz" for b in "aeiou" for c in ("", "", "n", "r", "s", "l")]
    words = dict.fromkeys(FUNCTION)
    while len(words) < len(FUNCTION) + VOCABULARY:
        words["".join(rng.choices(syllables, k=rng.choice((2, 2, 3, 3, 4))))] = None
    return list(words)


def ordinary_words(models: Path, seed: int) -> list[str]:
    """Return words as `made_up_words` does, but the 20,000 or so that a model knows as one token each."""
    tokenizer = provision(models / MODEL_NAME).tokenizer
    known = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    words = sorted(word for word in known if len(word) > 2 and word.isascii() and word.isalpha())
    random.Random(seed).shuffle(words)
    return list(dict.fromkeys((*FUNCTION, *words)))


def texts(count: int, seed: int, vocabulary: Sequence[str]) -> list[str]:
    """Return `count` chat turns of 8 to 60 words, thirty to a session, in order."""
    words = np.array(vocabulary)
    rng = np.random.default_rng(seed)
    share = np.arange(3, len(words) + 3) ** -1.1
    total = np.cumsum(share) / share.sum()
    out: list[str] = []
    while len(out) < count:
        own = np.searchsorted(total, rng.uniform(total[len(FUNCTION)], 1, size=40))
        lengths = rng.integers(SHORTEST, LONGEST + 1, size=SESSION_TURNS)
        drawn = np.searchsorted(total, rng.random(lengths.sum()))
        topical = rng.random(len(drawn)) < FROM_TOPIC
        drawn[topical] = rng.choice(own, size=topical.sum())
        out += [" ".join(words[turn]) for turn in np.split(np.minimum(drawn, len(words) - 1), np.cumsum(lengths)[:-1])]
    return out[:count]


def queries(contents: Sequence[str], count: int, seed: int) -> list[Query]:
    """Return `count` unique questions: an opening of function words, then 5 to 12 words of a random text in
    `contents`."""
    rng, targets = random.Random(f"queries {seed}"), dict[str, int]()
    function = set(FUNCTION)
    while len(targets) < count:
        target = rng.randrange(len(contents))
        words = sorted(set(contents[target].split()))
        chosen = rng.sample(words, min(len(words), rng.randint(5, 12)))
        if not function.issuperset(chosen):
            targets.setdefault(f"{rng.choice(_QUESTIONS)} {' '.join(chosen)}", target)
    return [Query(text, target) for text, target in targets.items()]


def memories(contents: Sequence[str], seed: int) -> Iterator[Memory]:
    """Yield the texts as dated memories; three in a hundred are superseded."""
    rng = random.Random(f"memories {seed}")
    for number, text in enumerate(contents):
        session, turn = divmod(number, SESSION_TURNS)
        created = BEGINNING + timedelta(minutes=7 * session * SESSION_TURNS / 10 + turn)
        yield Memory(
            id=f"mem_{uuid7(created, rng.getrandbits(74)).hex}",
            category="moment",
            namespace=NAMESPACE,
            created=created,
            updated=created,
            source="import",
            session_id=f"session-{session:05}",
            importance_score=round(rng.random(), 2),
            status="superseded" if rng.random() < SUPERSEDED else "active",
            evidence=(f"session-{session:05}:{turn + 1}-{turn + 1}",),
            content=text,
        )


def fill(index: Index, memory_list: Sequence[Memory], encodings: Sequence[Encoding], embedder: Embedder) -> None:
    """Put memories with their encodings into an index through its port, one file a session."""
    changes = [
        _session_file(memory_list[start : start + SESSION_TURNS], encodings[start : start + SESSION_TURNS])
        for start in range(0, len(memory_list), SESSION_TURNS)
    ]
    for start in range(0, len(changes), SESSIONS_AN_APPLY):
        state = IndexState(start + 1, embedder.model, embedder.basis)
        index.apply(changes[start : start + SESSIONS_AN_APPLY], state)


def _session_file(memory_list: Sequence[Memory], encodings: Sequence[Encoding]) -> PathChange:
    """Return the memories of one session as the change of one file."""
    session = memory_list[0].session_id or ""
    records = tuple(
        IndexRecord(memory, turn, hashlib.sha256(memory.content.encode()).digest()[:16], encoding)
        for turn, (memory, encoding) in enumerate(zip(memory_list, encodings, strict=True), start=1)
    )
    digest = hashlib.sha256(session.encode()).hexdigest()
    return PathChange(f"episodes/2025-01/{session}.md", digest, 1, 1, f"op_{digest[:32]}", records)


def request(query: Query, number: int, settings: RecallSettings | None = None) -> Request:
    """Return a recall request for this query, with an id made of `number`."""
    recall_id = f"rec_{uuid7(ASKED_AT, number).hex}"
    return Request(query.text, NAMESPACE, recall_id, ASKED_AT, settings or RecallSettings(), session_id="bench")


@dataclass(frozen=True, slots=True)
class Remembered:
    """An embedder whose queries were encoded beforehand, so that no recall waits for an encoding."""

    embedder: Embedder
    encodings: Mapping[str, QueryEncoding]

    @property
    def model(self) -> str:
        return self.embedder.model

    @property
    def basis(self) -> str:
        return self.embedder.basis

    def encode(self, texts: Sequence[str]) -> Iterator[Encoding]:
        return self.embedder.encode(texts)

    def encode_query(self, text: str, deadline: Deadline | None = None) -> QueryEncoding:  # noqa: ARG002  # none waits here
        return self.encodings[text]


def remembering(embedder: Embedder, query_list: Sequence[Query]) -> Remembered:
    """Encode these queries now, and return an embedder that remembers the encodings."""
    return Remembered(embedder, {query.text: embedder.encode_query(query.text) for query in query_list})


@dataclass(slots=True)
class Projection:
    """Stands in for a model where a hundred thousand texts would take too long.

    A text's vector is the sum of its words' random directions, rare words weighing more (a random projection of its
    bag of words); its token codes are one random code a word. Alike texts are near, as under a model.
    """

    seed: int
    model: str = "random-projection"
    basis: str = "random"
    _numbers: dict[str, int] = field(init=False)
    _directions: NDArray[np.float32] = field(init=False)
    _codes: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        words = made_up_words(self.seed)
        rng = np.random.default_rng(self.seed)
        self._numbers = {word: number for number, word in enumerate(words)}
        rarity = np.log1p(np.arange(len(words), dtype=np.float32))[:, None]
        self._directions = rng.standard_normal((len(words), 384), dtype=np.float32) * rarity
        self._codes = rng.integers(0, 256, size=(len(words), 16), dtype=np.uint8)

    def encode(self, texts: Sequence[str]) -> Iterator[Encoding]:
        for text in texts:
            numbers = self._word_numbers(text.split())
            yield Encoding(self._vector(numbers), self._codes[numbers])

    def encode_query(self, text: str, deadline: Deadline | None = None) -> QueryEncoding:  # noqa: ARG002  # none waits here
        words = list(_WORD.finditer(text))
        numbers = self._word_numbers([match.group() for match in words])
        tokens = (np.unpackbits(self._codes[numbers], axis=1).astype(np.int8) * 2 - 1) * np.int8(60)
        return QueryEncoding(self._vector(numbers), tokens, tuple(match.span() for match in words))

    def _word_numbers(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of these words in the vocabulary."""
        return np.array([self._numbers[word] for word in words], dtype=np.int64)

    def _vector(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the sum of the words' directions, at length 1."""
        total = self._directions[numbers].sum(axis=0)
        return total / np.linalg.norm(total)


def publish_measurement(
    question: str, measure: Callable[[Sequence[str], int, int, Embedder], dict[str, object]], queries: int
) -> None:
    """Measure over a made-up corpus of the size and with the encoder that the command line gives, and publish.

    `measure` takes the texts, the number of queries, the seed and the encoder; `question` is the program's docstring,
    `queries` the default number of queries.
    """
    started, parser = time.time(), machine.arguments(question)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=queries)
    parser.add_argument("--encoder", choices=("projection", "minilm"), default="projection")
    options = parser.parse_args()
    embedder, words = embedder_and_words(options.encoder, options.models, options.seed)
    result = measure(texts(options.memories, options.seed, words), options.queries, options.seed, embedder)
    machine.publish({"question": question.splitlines()[0]} | result, options.out, started)


def embedder_and_words(name: str, models: Path, seed: int) -> tuple[Embedder, list[str]]:
    """Return the encoder with this name (`minilm` or `projection`), and the vocabulary for its texts."""
    if name == "minilm":
        return MiniLM(models / MODEL_NAME), ordinary_words(models, seed)
    return Projection(seed), made_up_words(seed)
