"""How much of what an exact search would find do the search legs find?

    python bench/exactness.py --memories 10000 --queries 200 [--encoder minilm]

The share of the 50 best (and of the 10 best) that are in a leg's own 50 (and 10). `vector`: against a float64 scan of
the encoder's vectors, which the index stores in half precision. The lexical leg: against BM25 computed here over the
same analysed stems of every text. `sameWords` are those the leg asked for, `tellingWords` all but function words,
whatever they cost, `allWords` every word. `target` is the share of queries whose own memory is among the 50.
"""

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

    def __init__(self, texts: Sequence[str]) -> None:
        analyzer = Analyzer(apsw.Connection(":memory:"))
        places, counts = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        lengths: list[int] = []
        for place, text in enumerate(texts):
            stems = Counter(analyzer.stems(text))
            lengths.append(stems.total())
            for stem, count in stems.items():
                places[stem].append(place)
                counts[stem].append(count)
        self._places = {stem: np.array(found) for stem, found in places.items()}
        self._counts = {stem: np.array(found, dtype=np.float64) for stem, found in counts.items()}
        self._relative = np.array(lengths) / np.mean(lengths)

    def scores(self, stems: Collection[str]) -> NDArray[np.float64]:
        """Return the score of every text for these stems."""
        out = np.zeros(len(self._relative))
        for stem in stems:
            if stem in self._places:
                places, counts = self._places[stem], self._counts[stem]
                rarity = log1p((len(out) - len(places) + 0.5) / (len(places) + 0.5))
                out[places] += rarity * counts * (K1 + 1) / (counts + K1 * (1 - B + B * self._relative[places]))
        return out


@dataclass(frozen=True, slots=True)
class Truth:
    """The parts of an exact search: vectors, words, which memories are active, and the order of their ids."""

    vectors: NDArray[np.float64]
    words: ExactBM25
    active: NDArray[np.bool_]
    by_id: NDArray[np.int64]

    def best(self, scores: NDArray[np.float64], floor: float) -> Found:
        """Return the places of the 50 best active memories whose score is above `floor`; ties by id."""
        inside = self.by_id[self.active[self.by_id] & (scores[self.by_id] > floor)]
        return inside[np.argsort(-scores[inside], kind="stable")[:POOL]].tolist()


def truth(memories: Sequence[Memory], vectors: NDArray[np.float32]) -> Truth:
    """Make the exact search over these memories."""
    return Truth(
        vectors.astype(np.float64),
        ExactBM25([memory.content for memory in memories]),
        np.array([memory.status == "active" for memory in memories]),
        np.argsort(np.array([memory.id for memory in memories]), kind="stable"),
    )


@dataclass(slots=True)
class Tally:
    """Results of all queries, one an entry, by the name of the exact search that the leg was compared with."""

    at_50: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    at_10: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    target: defaultdict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    asked: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    cut: list[bool] = field(default_factory=list)

    def add(self, name: str, found: Found, best: Found) -> None:
        """Add the shares of the 50 and of the 10 `best` that are in `found`."""
        self.at_50[name].append(overlap(found, best))
        self.at_10[name].append(overlap(found[:10], best[:10]))

    def report(self) -> dict[str, object]:
        """Return the numbers to publish."""
        return {
            "recallAt50": {name: _mean(shares) for name, shares in self.at_50.items()},
            "recallAt10": {name: _mean(shares) for name, shares in self.at_10.items()},
            "target": {name: _mean(found) for name, found in self.target.items()},
            "wordsAskedMedian": median(self.asked),
            "rowsTouchedMedian": median(self.rows),
            "queriesTheCostCapCut": _mean(self.cut),
        }


def overlap(found: Collection[int], wanted: Collection[int]) -> float:
    """Return the share of `wanted` that is in `found`; 1 if nothing was wanted."""
    return len(set(found) & set(wanted)) / len(wanted) if wanted else 1.0


def compare(index: LocalIndex, embedder: Embedder, exact: Truth, queries: Sequence[corpus.Query]) -> Tally:
    """Ask the legs and the exact search every query, and tally the overlap."""
    tally = Tally()
    for number, query in enumerate(queries):
        state, near, found = _ask_legs(index, embedder, corpus.request(query, number))
        query_plan = state.plan
        assert query_plan.encoding is not None
        tally.add("vector", near, exact.best(exact.vectors @ query_plan.encoding.vector.astype(np.float64), -np.inf))
        answerable = exact.active[query.target]
        if answerable:
            tally.target["leg"].append(query.target in found)
        for name, stems in _stems_by_choice(query_plan).items():
            best = exact.best(exact.words.scores(stems), 0.0)
            tally.add(name, found, best)
            if answerable:
                tally.target[name].append(query.target in best)
        telling = [
            i for i, word in enumerate(query_plan.words) if word not in function_words() and query_plan.frequencies[i]
        ]
        tally.asked.append(len(query_plan.searched))
        tally.rows.append(sum(query_plan.frequencies[i] for i in query_plan.searched))
        tally.cut.append(len(query_plan.searched) < len(telling))
    return tally


def _ask_legs(index: LocalIndex, embedder: Embedder, request: Request) -> tuple[State, Found, Found]:
    """Return the state after the plan, and the places in the corpus that the vector and the lexical leg return."""
    # the index numbered its rows in the order of the corpus, from 1
    with index.reading(corpus.NAMESPACE) as reader:
        state = plan(State(request), World(reader, embedder))
        assert state.plan.encoding is not None
        near = reader.vector(state.plan.encoding.vector, state.admission, POOL, 0)
        lexical = reader.lexical([state.plan.stems[i] for i in state.plan.searched], state.admission, POOL, 0)
    return state, (near.rows - 1).tolist(), (lexical.rows - 1).tolist()


def _stems_by_choice(query_plan: Plan) -> dict[str, list[str]]:
    """Map the name of each choice of words (see above) to the stems of a query's words."""
    return {
        "sameWords": [query_plan.stems[i] for i in query_plan.searched],
        "tellingWords": [
            query_plan.stems[i] for i, word in enumerate(query_plan.words) if word not in function_words()
        ],
        "allWords": list(query_plan.stems),
    }


def _mean(values: Sequence[float]) -> float:
    """Return the mean, to four digits."""
    return round(float(np.mean(values)), 4)


def measure(texts: Sequence[str], query_count: int, seed: int, embedder: Embedder) -> dict[str, object]:
    """Fill a throw-away home and compare."""
    memories, encodings = list(corpus.memories(texts, seed)), list(embedder.encode(texts))
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        index = LocalIndex(Path(folder) / "index.db")
        corpus.fill(index, memories, encodings, embedder)
        exact = truth(memories, np.stack([each.vector for each in encodings]))
        result = compare(index, embedder, exact, corpus.queries(texts, query_count, seed)).report()
        index.close()
    return {"memories": len(texts), "queries": query_count, "encoder": embedder.model} | result


if __name__ == "__main__":
    corpus.publish_measurement(__doc__, measure, queries=200)
