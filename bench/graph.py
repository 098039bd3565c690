"""Is the graph leg as fast as the vector leg, and how fast is a graph made from documents?

    python bench/graph.py --documents 20000 --vectors 10000 --queries 300

20,000 documents with five typed edges each stand in an index; a few documents are the target of most edges (a power
law). `graphLegMs` is the graph leg of "what does SPEC-n depend on" and of "SPEC-n and SPEC-m", by turns, over one
snapshot; `vectorLegMs` is the vector leg, exact, over 10,000 vectors in an index of its own, for a query at a time in
turn with it. `load` is a fresh process that opens the first index: its first graph leg, and its peak memory (VmHWM).
`documentsASecond` is of real files, read by `index docs`, with no encoder and, a few, with MiniLM; and by `graph
backfill` with no encoder, after the settings have learned of a series that every document names.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import corpus
import machine
from importing import peak_mb
from pellucid.app import App, open_app
from pellucid.clock import uuid7
from pellucid.model.entity import EDGE_TYPES, Edge, EntityFact, GraphFacts
from pellucid.model.memory import Memory
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.graph.backfilling import BackfillInput, backfill
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.pipeline import STAGES
from pellucid.recall.recaller import Recaller
from pellucid.recall.state import State, World
from pellucid.settings import Settings
from pellucid.settings.sections import GraphSettings, HistorySettings, RerankSettings
from pellucid.store.index_changes import IndexRecord, IndexState, PathChange
from pellucid.store.local.history.history import LocalHistory
from pellucid.store.local.index.local_index import LocalIndex

EDGES_EACH = 5
TYPES = EDGE_TYPES[:4]
SKEW = 1.1
"""Exponent of the power law of targets."""
AN_APPLY = 500
WARM_UP = 5
PLAN = STAGES[0]


def draw_targets(documents: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Draw five targets for each document, the first documents far more often than the last."""
    rng = np.random.default_rng(seed)
    share = np.cumsum(np.arange(1, documents + 1) ** -SKEW)
    return np.searchsorted(share, rng.uniform(0, share[-1], (documents, EDGES_EACH)))


def changes(documents: int, seed: int, embedder: corpus.Projection) -> Iterator[PathChange]:
    """Yield one document a file, each with one section and five edges."""
    texts = corpus.texts(documents, seed, corpus.made_up_words(seed))
    targets = draw_targets(documents, seed)
    for number, encoding in enumerate(embedder.encode(texts)):
        at = corpus.BEGINNING + timedelta(minutes=number)
        millis = int(at.timestamp() * 1000)
        memory = Memory(
            id=f"mem_{uuid7(at, number).hex}",
            category="section",
            namespace=corpus.NAMESPACE,
            created=at,
            updated=at,
            source="document",
            entity_ref=f"SPEC-{number}",
            evidence=(f"spec-{number}.md:1-9",),
            content=texts[number],
        )
        edges = tuple(
            Edge(
                f"spec-{number}",
                f"spec-{target}",
                TYPES[place % len(TYPES)],
                memory.id,
                "References",
                0.95,
                valid_from=millis,
                recorded=millis,
            )
            for place, target in enumerate(targets[number].tolist())
        )
        own = EntityFact(f"spec-{number}", f"SPEC-{number}", "Specification", defines=True, since=millis)
        facts = GraphFacts(entities=(own,), edges=edges, homes=((memory.id, f"spec-{number}"),))
        digest = hashlib.sha256(texts[number].encode()).digest()
        record = IndexRecord(memory, 1, digest[:16], encoding)
        yield PathChange(f"documents/spec-{number}.md", digest.hex(), 1, 1, None, (record,), facts=facts)


def fill(index: LocalIndex, documents: int, seed: int, embedder: corpus.Projection) -> float:
    """Put the documents into an index; return the seconds that takes."""
    start, path_changes = time.perf_counter(), list(changes(documents, seed, embedder))
    for start in range(0, len(path_changes), AN_APPLY):
        index.apply(path_changes[start : start + AN_APPLY], IndexState(start + 1, embedder.model, embedder.basis))
    return time.perf_counter() - start


def questions(documents: int, count: int, seed: int) -> list[corpus.Query]:
    """Return `count` questions; half of them ask for dependencies, half name two documents."""
    rng = np.random.default_rng(seed + 1)
    queries: list[corpus.Query] = []
    for place, (one, other) in enumerate(rng.integers(0, documents, (count, 2)).tolist()):
        text = f"what does SPEC-{one} depend on" if place % 2 else f"SPEC-{one} and SPEC-{other}"
        queries.append(corpus.Query(text, one))
    return queries


def encode_queries(
    graph_queries: Sequence[corpus.Query], vector_queries: Sequence[corpus.Query], embedder: corpus.Projection
) -> corpus.Remembered:
    """Return an embedder that remembers the encodings of all queries.

    Queries that name documents borrow an encoding, since the projection does not know names.
    """
    encodings = [embedder.encode_query(query.text) for query in vector_queries]
    texts = [query.text for query in (*graph_queries, *vector_queries)]
    return corpus.Remembered(embedder, dict(zip(texts, (*encodings, *encodings), strict=True)))


def leg_time(name: str, query: corpus.Query, number: int, world: World) -> float:
    """Return the milliseconds of one leg; its plan is made beforehand."""
    state = PLAN(State(corpus.request(query, number)), world)
    start = time.perf_counter()
    report, _ = LEGS[name].ask(state, state.plan, world)
    milliseconds = (time.perf_counter() - start) * 1000
    assert report.health == "ok", report
    return milliseconds


def race(folder: Path, options: argparse.Namespace) -> dict[str, object]:
    """Time both legs, query by query in turn."""
    embedder = corpus.Projection(options.seed)
    linked, plain = LocalIndex(folder / "linked.db"), LocalIndex(folder / "plain.db")
    filled = fill(linked, options.documents, options.seed, embedder)
    texts = corpus.texts(options.vectors, options.seed, corpus.made_up_words(options.seed))
    corpus.fill(plain, list(corpus.memories(texts, options.seed)), list(embedder.encode(texts)), embedder)
    graph_queries = questions(options.documents, options.queries + WARM_UP, options.seed)
    vector_queries = corpus.queries(texts, options.queries + WARM_UP, options.seed)
    times: dict[str, list[float]] = {"graph": [], "vector": []}
    remembered, request = encode_queries(graph_queries, vector_queries, embedder), corpus.request(vector_queries[0], 0)
    with ExitStack() as stack:
        history = LocalHistory(folder / "history.db")
        stack.callback(history.close)
        by_graph, by_vector = (
            stack.enter_context(Recaller(index, history, remembered, HistorySettings()).world(request))
            for index in (linked, plain)
        )
        for number, (one, other) in enumerate(zip(graph_queries, vector_queries, strict=True)):
            times["graph"].append(leg_time("graph", one, number, by_graph))
            times["vector"].append(leg_time("vector", other, number, by_vector))
    linked.close()
    plain.close()
    graph, vector = (machine.spread(values[WARM_UP:]) for values in (times["graph"], times["vector"]))
    return {
        "documents": options.documents,
        "edges": options.documents * EDGES_EACH,
        "vectors": options.vectors,
        "queries": options.queries,
        "graphLegMs": graph,
        "vectorLegMs": vector,
        "ratioOfP95": round(graph["p95"] / vector["p95"], 3),
        "fillSeconds": round(filled, 1),
        "indexMb": round((folder / "linked.db").stat().st_size / 1e6, 1),
    }


def load(options: argparse.Namespace) -> dict[str, object]:
    """Measure a process that has just begun: opening the index, and the first graph leg."""
    query = questions(options.documents, 2, options.seed)[1]
    vector_queries = corpus.queries(corpus.texts(30, options.seed, corpus.made_up_words(options.seed)), 1, options.seed)
    embedder, peak_at_start = encode_queries([query], vector_queries, corpus.Projection(options.seed)), peak_mb()
    start = time.perf_counter()
    index = LocalIndex(options.live)
    with index.reading(corpus.NAMESPACE) as reader:
        open_ms = (time.perf_counter() - start) * 1000
        leg_ms = leg_time("graph", query, 0, World(reader, embedder, "", RerankSettings(), None, None))
    total_ms = (time.perf_counter() - start) * 1000
    index.close()
    return {
        "openMs": round(open_ms, 1),
        "firstLegMs": round(leg_ms, 1),
        "openToAnswerMs": round(total_ms, 1),
        "peakMb": peak_mb(),
        "peakBeforeOpeningMb": peak_at_start,
    }


def in_a_fresh_process(options: argparse.Namespace, index: Path) -> dict[str, object]:
    """Measure with `load` in a new process."""
    words = [sys.executable, __file__, f"--live={index}", f"--documents={options.documents}", f"--seed={options.seed}"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def write_files(folder: Path, count: int, seed: int) -> None:
    """Write documents as people write them: a header, prose, and a list of what they depend on."""
    texts, targets = corpus.texts(count * 4, seed, corpus.made_up_words(seed)), draw_targets(count, seed)
    folder.mkdir()
    for number in range(count):
        one, two, three, four = texts[number * 4 : number * 4 + 4]
        listed = "\n".join(f"- SPEC-{target:05}" for target in targets[number].tolist())
        (folder / f"SPEC-{number:05}.md").write_text(
            f"---\nid: SPEC-{number:05}\ntitle: Document {number}\nstatus: draft\n---\n\n# Document {number}\n\n"
            f"{one}\n\n## Design\n\n{two}\n\n{three}\n\n"
            f"## Notes\n\n{four} TASK-{number}\n\n## Depends on\n\n{listed}\n",
            "utf-8",
        )


def open_home(home: Path, options: argparse.Namespace, series: Sequence[str], *, embedding: bool) -> App:
    """Open a home whose graph knows these series, with or without its encoder."""
    graph = GraphSettings(series=tuple(series))
    app = open_app(Settings(home=home, namespace=corpus.NAMESPACE, graph=graph), models=options.models)
    if embedding:
        list(app.embedder.encode(["the model is loaded"]))
        return app
    indexer = replace(app.indexer, embedder=None)
    return replace(app, indexer=indexer, unit_of_work=replace(app.unit_of_work, indexer=indexer))


def per_second(count: int, start: float) -> float:
    """Return how many a second that is, of `count` since `start`."""
    return round(count / (time.perf_counter() - start), 1)


def documents(place: Path, options: argparse.Namespace) -> dict[str, object]:
    """Measure documents a second: indexed without and with an encoder, and read again for their graph."""
    write_files(place / "files", options.files, options.seed)
    app = open_home(place / "home", options, ("SPEC",), embedding=False)
    start = time.perf_counter()
    index_docs(app, IndexDocsInput(namespace=corpus.NAMESPACE, paths=(place / "files",)))
    indexed = per_second(options.files, start)
    app.close()
    app = open_home(place / "home", options, ("SPEC", "TASK"), embedding=False)
    start = time.perf_counter()
    comparison = backfill(app, BackfillInput(namespace=corpus.NAMESPACE))
    compared = per_second(options.files, start)
    start = time.perf_counter()
    backfill(app, BackfillInput(namespace=corpus.NAMESPACE, apply=True))
    applied = per_second(options.files, start)
    app.close()
    return {
        "files": options.files,
        "differing": len(comparison.diffs),
        "indexDocsPerSecond": indexed,
        "backfillComparePerSecond": compared,
        "backfillApplyPerSecond": applied,
        "embedded": options.embedded,
        "indexDocsEmbeddingPerSecond": _embedding(place, options),
    }


def _embedding(place: Path, options: argparse.Namespace) -> float:
    """Return the documents a second that are indexed with the encoder."""
    write_files(place / "few", options.embedded, options.seed)
    app = open_home(place / "embedded", options, ("SPEC",), embedding=True)
    start = time.perf_counter()
    index_docs(app, IndexDocsInput(namespace=corpus.NAMESPACE, paths=(place / "few",)))
    speed = per_second(options.embedded, start)
    app.close()
    return speed


def main() -> None:
    """Measure and publish."""
    started, parser = time.time(), machine.arguments(__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--vectors", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--embedded", type=int, default=100)
    parser.add_argument("--live", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.live:
        sys.stdout.write(json.dumps(load(options)))
        return
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        result = race(Path(folder), options)
        result["load"] = in_a_fresh_process(options, Path(folder) / "linked.db")
        result["documentsASecond"] = documents(Path(folder), options)
    machine.publish({"question": __doc__.splitlines()[0]} | result, options.out, started)


if __name__ == "__main__":
    main()
