"""How much of what an exact search would find do the search legs find?

    python bench/exactness.py --memories 10000 --queries 200 [--encoder minilm]

The share of the 50 best (and of the 10 best) that a leg's own 50 (and 10) hold. `vector`: against a float64 scan of the
encoder's vectors, of which the index keeps half precision. The lexical leg: against BM25 computed here over the same
analysed stems of every text. `sameWords` are those the leg asked for, `tellingWords` all but function words, whatever
they cost, `allWords` every word. `target` is the share of queries whose own memory is among the 50.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import log1p
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import apsw
import numpy as np
from numpy.typing import NDArray

import corpus
import machine
from pellucid.encoders.port import Embedder
from pellucid.language.words import function_words
from pellucid.model.memory import Memory
from pellucid.recall.query.plan import plan
from pellucid.recall.state import Plan, Request, State, World
from pellucid.store.local.index.analysis import Analyzer
from pellucid.store.local.index.local_index import LocalIndex

POOL = 50
K1, B = 1.2, 0.75
Found = list[int]


class ExactBM25:
    """BM25 (Robertson; idf log(1 + (N−n+½)/(n+½))) over strings of stems, in float64: no caps, no hashes."""

    def __init__(self, said: Sequence[str]) -> None:
        analyzer = Analyzer(apsw.Connection(":memory:"))
        places, counts = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        lengths: list[int] = []
        for place, text in enumerate(said):
            stems = Counter(analyzer.stems(text))
            lengths.append(stems.total())
            for stem, often in stems.items():
                places[stem].append(place)
                counts[stem].append(often)
        self._places = {stem: np.array(found) for stem, found in places.items()}
        self._counts = {stem: np.array(found, dtype=np.float64) for stem, found in counts.items()}
        self._relative = np.array(lengths) / np.mean(lengths)

    def scores(self, stems: Collection[str]) -> NDArray[np.float64]:
        """The score of every text."""
        out = np.zeros(len(self._relative))
        for stem in stems:
            if stem in self._places:
                places, often = self._places[stem], self._counts[stem]
                rarity = log1p((len(out) - len(places) + 0.5) / (len(places) + 0.5))
                out[places] += rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * self._relative[places]))
        return out


@dataclass(frozen=True, slots=True)
class Truth:
    """What an exact search is made of: vectors, words, which memories may answer, and the order of their ids."""

    vectors: NDArray[np.float64]
    words: ExactBM25
    active: NDArray[np.bool_]
    by_id: NDArray[np.int64]

    def best(self, scores: NDArray[np.float64], floor: float) -> Found:
        """The places of the 50 best active memories above a floor; ties by id."""
        inside = self.by_id[self.active[self.by_id] & (scores[self.by_id] > floor)]
        return inside[np.argsort(-scores[inside], kind="stable")[:POOL]].tolist()


def truth(held: Sequence[Memory], vectors: NDArray[np.float32]) -> Truth:
    """The exact search over these memories."""
    return Truth(
        vectors.astype(np.float64),
        ExactBM25([memory.content for memory in held]),
        np.array([memory.status == "active" for memory in held]),
        np.argsort(np.array([memory.id for memory in held]), kind="stable"),
    )


@dataclass(slots=True)
class Tally:
    """Running lists over all queries, by what the leg was compared with."""

    at_50: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    at_10: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    target: defaultdict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    asked: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    cut: list[bool] = field(default_factory=list)

    def against(self, name: str, found: Found, best: Found) -> None:
        """Count what was found of what is best."""
        self.at_50[name].append(overlap(found, best))
        self.at_10[name].append(overlap(found[:10], best[:10]))

    def report(self) -> dict[str, object]:
        """The published numbers."""
        return {
            "recallAt50": {name: _mean(shares) for name, shares in self.at_50.items()},
            "recallAt10": {name: _mean(shares) for name, shares in self.at_10.items()},
            "target": {name: _mean(found) for name, found in self.target.items()},
            "wordsAskedMedian": median(self.asked),
            "rowsTouchedMedian": median(self.rows),
            "queriesTheCostCapCut": _mean(self.cut),
        }


def overlap(found: Collection[int], wanted: Collection[int]) -> float:
    """The share of what was wanted that was found."""
    return len(set(found) & set(wanted)) / len(wanted) if wanted else 1.0


def compare(index: LocalIndex, embedder: Embedder, exact: Truth, queries: Sequence[corpus.Query]) -> Tally:
    """Ask the legs and the exact search every query."""
    tally = Tally()
    for number, query in enumerate(queries):
        state, near, found = _ask(index, embedder, corpus.request(query, number))
        said = state.plan
        assert said.encoding is not None
        tally.against("vector", near, exact.best(exact.vectors @ said.encoding.vector.astype(np.float64), -np.inf))
        answerable = exact.active[query.target]
        if answerable:
            tally.target["leg"].append(query.target in found)
        for name, stems in _words(said).items():
            best = exact.best(exact.words.scores(stems), 0.0)
            tally.against(name, found, best)
            if answerable:
                tally.target[name].append(query.target in best)
        telling = [i for i, word in enumerate(said.words) if word not in function_words() and said.frequencies[i]]
        tally.asked.append(len(said.searched))
        tally.rows.append(sum(said.frequencies[i] for i in said.searched))
        tally.cut.append(len(said.searched) < len(telling))
    return tally


def _ask(index: LocalIndex, embedder: Embedder, asked: Request) -> tuple[State, Found, Found]:
    """What both legs bring, as places in the corpus: rows were numbered in its order, from 1."""
    with index.reading(corpus.NAMESPACE) as reader:
        state = plan(State(asked), World(reader, embedder))
        assert state.plan.encoding is not None
        near = reader.vector(state.plan.encoding.vector, state.admission, POOL, 0)
        held = reader.lexical([state.plan.stems[i] for i in state.plan.searched], state.admission, POOL, 0)
    return state, (near.rows - 1).tolist(), (held.rows - 1).tolist()


def _words(said: Plan) -> dict[str, list[str]]:
    return {
        "sameWords": [said.stems[i] for i in said.searched],
        "tellingWords": [said.stems[i] for i, word in enumerate(said.words) if word not in function_words()],
        "allWords": list(said.stems),
    }


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)


def measure(said: Sequence[str], asked: int, seed: int, embedder: Embedder) -> dict[str, object]:
    """Fill a throw-away home and compare."""
    held, encodings = list(corpus.memories(said, seed)), list(embedder.encode(said))
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        index = LocalIndex(Path(folder) / "index.db")
        corpus.fill(index, held, encodings, embedder)
        exact = truth(held, np.stack([each.vector for each in encodings]))
        result = compare(index, embedder, exact, corpus.queries(said, asked, seed)).report()
        index.close()
    return {"memories": len(said), "queries": asked, "encoder": embedder.model} | result


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--encoder", choices=("projection", "minilm"), default="projection")
    given = parser.parse_args()
    embedder, words = corpus.embedder_and_words(given.encoder, given.models, given.seed)
    said = corpus.texts(given.memories, given.seed, words)
    result = measure(said, given.queries, given.seed, embedder)
    machine.publish({"question": __doc__.splitlines()[0]} | result, given.out, started)


if __name__ == "__main__":
    main()
