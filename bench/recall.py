"""How much longer does a recall take than the barest search for the same words?

    python bench/recall.py --memories 10000 --queries 300 [--encoder minilm]

A recall is `Recaller.run`: every stage, from the plan to the assembled context, one index snapshot; the queries were
encoded beforehand. The bare search is one exact float32 scan (a NumPy product and the 50 best) and one FTS5 query
(an OR of the query's words, ORDER BY rank LIMIT 50) in a SQLite file of its own. `lean` is the same bare search without
the query's function words. All three answer every query in turn, in an order that changes; every query is new.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import cast

import apsw
import numpy as np
from numpy.typing import NDArray

import corpus
import machine
from pellucid.encoders.port import Embedder
from pellucid.language.words import function_words
from pellucid.recall.recaller import Recaller
from pellucid.recall.state import Request, State
from pellucid.settings.sections import HistorySettings
from pellucid.store.local.history.history import LocalHistory
from pellucid.store.local.index.local_index import LocalIndex

POOL = 50
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Bare:
    """The least that a hybrid search can be: an FTS5 table and a matrix of vectors."""

    connection: apsw.Connection
    matrix: NDArray[np.float32]

    def search(self, words: Sequence[str], vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], list[int]]:
        """Return the 50 nearest rows, unsorted, and the 50 best rows by FTS5."""
        scores = self.matrix @ vector
        count = min(POOL, len(scores))
        wanted = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        found = cast("list[tuple[int]]", self.connection.execute(sql, (wanted, POOL)).fetchall())
        return np.argpartition(scores, -count)[-count:], [row for (row,) in found]


def bare(path: Path, texts: Sequence[str], matrix: NDArray[np.float32]) -> Bare:
    """Make a plain FTS5 table over these texts, beside their vectors."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')")
    with connection:
        connection.executemany("INSERT INTO texts (text) VALUES (?)", ((text,) for text in texts))
    connection.execute("INSERT INTO texts (texts) VALUES ('optimize')")
    return Bare(connection, matrix)


def timed(act: Callable[[], object]) -> float:
    """Return the milliseconds of one call."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


@dataclass(frozen=True, slots=True)
class Race:
    """One query after another, each answered by every contestant."""

    recaller: Recaller
    bare: Bare
    queries: Sequence[corpus.Query]

    def run(self) -> dict[str, object]:
        """Return the times of all contestants, and the ratios between them."""
        first = timed(lambda: self.recaller.run(corpus.request(self.queries[0], 0)))
        times: dict[str, list[float]] = {"recall": [], "bare": [], "lean": []}
        states: list[State] = []
        for number, query in enumerate(self.queries[1:], start=1):
            entrants = list(self.entrants(query, corpus.request(query, number), states).items())
            for name, act in entrants[number % 3 :] + entrants[: number % 3]:
                times[name].append(timed(act))
        measured = {name: values[min(WARM_UP, len(values) - 1) :] for name, values in times.items()}
        return {"firstRecallMs": round(first, 1)} | _summary(measured, states[min(WARM_UP, len(states) - 1) :])

    def entrants(self, query: corpus.Query, request: Request, states: list[State]) -> dict[str, Callable[[], object]]:
        """Map each contestant's name to its answer to a query, as a function; recalls append their state to
        `states`."""
        vector = self.recaller.embedder.encode_query(query.text).vector if self.recaller.embedder else np.zeros(384)
        words = query.text.split()
        telling = [word for word in words if word not in function_words()]
        return {
            "recall": lambda: states.append(self.recaller.run(request)),
            "bare": lambda: self.bare.search(words, vector),
            "lean": lambda: self.bare.search(telling, vector),
        }


def _summary(times: dict[str, list[float]], states: Sequence[State]) -> dict[str, object]:
    """Return the ratios, times by contestant and stage, and the pool size."""
    middle = {name: median(values) for name, values in times.items()}
    recalls = machine.spread(times["recall"])
    stages = {stage.name: [state.stages[place].ms for state in states] for place, stage in enumerate(states[0].stages)}
    return {
        "ratioToBare": round(middle["recall"] / middle["bare"], 3),
        "ratioToLean": round(middle["recall"] / middle["lean"], 3),
        "recallMs": recalls | {"p95OverP50": round(recalls["p95"] / recalls["p50"], 2)},
        "bareMs": machine.spread(times["bare"]),
        "leanMs": machine.spread(times["lean"]),
        "stageMedianMs": {name: round(median(values), 3) for name, values in stages.items()},
        "poolMedian": median(len(state.pool) for state in states),
    }


def measure(texts: Sequence[str], query_count: int, seed: int, embedder: Embedder) -> dict[str, object]:
    """Fill a throw-away home and race."""
    start = time.perf_counter()
    encodings = list(embedder.encode(texts))
    end_of_encoding = time.perf_counter()
    queries = corpus.queries(texts, query_count + 1, seed)
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        index, history = LocalIndex(Path(folder) / "index.db"), LocalHistory(Path(folder) / "history.db")
        corpus.fill(index, list(corpus.memories(texts, seed)), encodings, embedder)
        tokens = float(np.mean([len(each.tokens) for each in encodings]))
        rival = bare(Path(folder) / "bare.db", texts, np.stack([each.vector for each in encodings]))
        del encodings
        result = Race(
            Recaller(index, history, corpus.remembering(embedder, queries), HistorySettings()), rival, queries
        ).run()
        index.close()
        history.close()
        rival.connection.close()
    setting = {
        "memories": len(texts),
        "queries": query_count,
        "encoder": embedder.model,
        "tokensAMemory": round(tokens, 1),
    }
    return setting | {"encodingSeconds": round(end_of_encoding - start, 1)} | result


if __name__ == "__main__":
    corpus.publish_measurement(__doc__, measure, queries=300)
