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
from importing import _peak_mb as peak_mb
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


def drawn_targets(documents: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Five targets a document, the first documents far more often than the last."""
    rng = np.random.default_rng(seed)
    share = np.cumsum(np.arange(1, documents + 1) ** -SKEW)
    return np.searchsorted(share, rng.uniform(0, share[-1], (documents, EDGES_EACH)))


def changes(documents: int, seed: int, embedder: corpus.Projection) -> Iterator[PathChange]:
    """One document a file, with one section and five edges."""
    said = corpus.texts(documents, seed, corpus.made_up_words(seed))
    targets = drawn_targets(documents, seed)
    for number, encoding in enumerate(embedder.encode(said)):
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
            content=said[number],
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
        digest = hashlib.sha256(said[number].encode()).digest()
        record = IndexRecord(memory, 1, digest[:16], encoding)
        yield PathChange(f"documents/spec-{number}.md", digest.hex(), 1, 1, None, (record,), facts=facts)


def fill(index: LocalIndex, documents: int, seed: int, embedder: corpus.Projection) -> float:
    """Put the documents into an index; seconds."""
    begun, waiting = time.perf_counter(), list(changes(documents, seed, embedder))
    for start in range(0, len(waiting), AN_APPLY):
        index.apply(waiting[start : start + AN_APPLY], IndexState(start + 1, embedder.model, embedder.basis))
    return time.perf_counter() - begun


def questions(documents: int, count: int, seed: int) -> list[corpus.Query]:
    """Half of them ask for dependencies, half name two documents."""
    rng = np.random.default_rng(seed + 1)
    out: list[corpus.Query] = []
    for place, (one, other) in enumerate(rng.integers(0, documents, (count, 2)).tolist()):
        asked = f"what does SPEC-{one} depend on" if place % 2 else f"SPEC-{one} and SPEC-{other}"
        out.append(corpus.Query(asked, one))
    return out


def encoded(
    named: Sequence[corpus.Query], sought: Sequence[corpus.Query], embedder: corpus.Projection
) -> corpus.Remembered:
    """The encodings of all queries; those that name documents borrow one, since the projection knows no names."""
    encodings = [embedder.encode_query(query.text) for query in sought]
    texts = [query.text for query in (*named, *sought)]
    return corpus.Remembered(embedder, dict(zip(texts, (*encodings, *encodings), strict=True)))


def leg_time(name: str, query: corpus.Query, number: int, world: World) -> float:
    """Milliseconds of one leg, its plan made beforehand."""
    state = PLAN(State(corpus.request(query, number)), world)
    begun = time.perf_counter()
    report, _ = LEGS[name].ask(state, state.plan, world)
    spent = (time.perf_counter() - begun) * 1000
    assert report.health == "ok", report
    return spent


def race(folder: Path, given: argparse.Namespace) -> dict[str, object]:
    """Both legs, query by query in turn."""
    embedder = corpus.Projection(given.seed)
    linked, plain = LocalIndex(folder / "linked.db"), LocalIndex(folder / "plain.db")
    filled = fill(linked, given.documents, given.seed, embedder)
    said = corpus.texts(given.vectors, given.seed, corpus.made_up_words(given.seed))
    corpus.fill(plain, list(corpus.memories(said, given.seed)), list(embedder.encode(said)), embedder)
    named = questions(given.documents, given.queries + WARM_UP, given.seed)
    sought = corpus.queries(said, given.queries + WARM_UP, given.seed)
    times: dict[str, list[float]] = {"graph": [], "vector": []}
    known, asked = encoded(named, sought, embedder), corpus.request(sought[0], 0)
    with ExitStack() as stack:
        history = LocalHistory(folder / "history.db")
        stack.callback(history.close)
        by_graph, by_vector = (
            stack.enter_context(Recaller(index, history, known, HistorySettings()).world(asked))
            for index in (linked, plain)
        )
        for number, (one, other) in enumerate(zip(named, sought, strict=True)):
            times["graph"].append(leg_time("graph", one, number, by_graph))
            times["vector"].append(leg_time("vector", other, number, by_vector))
    linked.close()
    plain.close()
    graph, vector = (machine.spread(values[WARM_UP:]) for values in (times["graph"], times["vector"]))
    return {
        "documents": given.documents,
        "edges": given.documents * EDGES_EACH,
        "vectors": given.vectors,
        "queries": given.queries,
        "graphLegMs": graph,
        "vectorLegMs": vector,
        "ratioOfP95": round(graph["p95"] / vector["p95"], 3),
        "fillSeconds": round(filled, 1),
        "indexMb": round((folder / "linked.db").stat().st_size / 1e6, 1),
    }


def load(given: argparse.Namespace) -> dict[str, object]:
    """What a process that has just begun pays: opening, and its first graph leg."""
    query = questions(given.documents, 2, given.seed)[1]
    sought = corpus.queries(corpus.texts(30, given.seed, corpus.made_up_words(given.seed)), 1, given.seed)
    known, base = encoded([query], sought, corpus.Projection(given.seed)), peak_mb()
    begun = time.perf_counter()
    index = LocalIndex(given.live)
    with index.reading(corpus.NAMESPACE) as reader:
        opened = (time.perf_counter() - begun) * 1000
        first = leg_time("graph", query, 0, World(reader, known, "", RerankSettings(), None, None))
    whole = (time.perf_counter() - begun) * 1000
    index.close()
    return {
        "openMs": round(opened, 1),
        "firstLegMs": round(first, 1),
        "openToAnswerMs": round(whole, 1),
        "peakMb": peak_mb(),
        "peakBeforeOpeningMb": base,
    }


def in_a_fresh_process(given: argparse.Namespace, index: Path) -> dict[str, object]:
    """The numbers of a process that has loaded nothing before."""
    words = [sys.executable, __file__, f"--live={index}", f"--documents={given.documents}", f"--seed={given.seed}"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def write_files(folder: Path, count: int, seed: int) -> None:
    """Documents as people write them: a header, prose, and a list of what they depend on."""
    said, targets = corpus.texts(count * 4, seed, corpus.made_up_words(seed)), drawn_targets(count, seed)
    folder.mkdir()
    for number in range(count):
        one, two, three, four = said[number * 4 : number * 4 + 4]
        listed = "\n".join(f"- SPEC-{target:05}" for target in targets[number].tolist())
        (folder / f"SPEC-{number:05}.md").write_text(
            f"---\nid: SPEC-{number:05}\ntitle: Document {number}\nstatus: draft\n---\n\n# Document {number}\n\n"
            f"{one}\n\n## Design\n\n{two}\n\n{three}\n\n"
            f"## Notes\n\n{four} TASK-{number}\n\n## Depends on\n\n{listed}\n",
            "utf-8",
        )


def opened(home: Path, given: argparse.Namespace, series: Sequence[str], *, embedding: bool) -> App:
    """A home whose graph knows these series."""
    graph = GraphSettings(series=tuple(series))
    app = open_app(Settings(home=home, namespace=corpus.NAMESPACE, graph=graph), models=given.models)
    if embedding:
        list(app.embedder.encode(["the model is loaded"]))
        return app
    indexer = replace(app.indexer, embedder=None)
    return replace(app, indexer=indexer, unit_of_work=replace(app.unit_of_work, indexer=indexer))


def per_second(count: int, begun: float) -> float:
    """How many a second since then."""
    return round(count / (time.perf_counter() - begun), 1)


def documents(place: Path, given: argparse.Namespace) -> dict[str, object]:
    """Documents a second: indexed without and with an encoder, and read again for their graph."""
    write_files(place / "files", given.files, given.seed)
    app = opened(place / "home", given, ("SPEC",), embedding=False)
    begun = time.perf_counter()
    index_docs(app, IndexDocsInput(namespace=corpus.NAMESPACE, paths=(place / "files",)))
    indexed = per_second(given.files, begun)
    app.close()
    app = opened(place / "home", given, ("SPEC", "TASK"), embedding=False)
    begun = time.perf_counter()
    looked = backfill(app, BackfillInput(namespace=corpus.NAMESPACE))
    compared = per_second(given.files, begun)
    begun = time.perf_counter()
    backfill(app, BackfillInput(namespace=corpus.NAMESPACE, apply=True))
    applied = per_second(given.files, begun)
    app.close()
    return {
        "files": given.files,
        "differing": len(looked.diffs),
        "indexDocsPerSecond": indexed,
        "backfillComparePerSecond": compared,
        "backfillApplyPerSecond": applied,
        "embedded": given.embedded,
        "indexDocsEmbeddingPerSecond": _embedding(place, given),
    }


def _embedding(place: Path, given: argparse.Namespace) -> float:
    write_files(place / "few", given.embedded, given.seed)
    app = opened(place / "embedded", given, ("SPEC",), embedding=True)
    begun = time.perf_counter()
    index_docs(app, IndexDocsInput(namespace=corpus.NAMESPACE, paths=(place / "few",)))
    speed = per_second(given.embedded, begun)
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
    given = parser.parse_args()
    if given.live:
        sys.stdout.write(json.dumps(load(given)))
        return
    with TemporaryDirectory(prefix="pellucid-bench-") as folder:
        result = race(Path(folder), given)
        result["load"] = in_a_fresh_process(given, Path(folder) / "linked.db")
        result["documentsASecond"] = documents(Path(folder), given)
    machine.publish({"question": __doc__.splitlines()[0]} | result, given.out, started)


if __name__ == "__main__":
    main()
