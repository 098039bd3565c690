"""The EIP set's documents in, a home that has indexed them out, and recalls that are ranked by document."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Generic, TypeVar

import numpy as np

from pellucid.app import App
from pellucid.errors import InputError, StoreError, step
from pellucid.lab.datasets.eips import EipDocument
from pellucid.lab.keeping import KeptHome, Report, place_for
from pellucid.model.entity import node_key
from pellucid.model.memory import Memory
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.recall.state import State
from pellucid.settings import Settings

NAMESPACE = "lab/eips"
PLACES = 1_000
"""Results asked for: the sections of a document share its rank, so many are needed."""
REPORTED_EVERY = 50  # questions after which progress is said again
UNLIMITED = 1 << 40
_NUMBERED = re.compile(r"eip-(\d+)")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class DocumentsLab:
    """Where the data set is, what every recall leaves out, and how many questions of a kind are asked (0: all)."""

    data: Path
    without: tuple[str, ...] = ()
    details: bool = False
    limit: int = 0

    def sampled(self, items: Sequence[Item]) -> list[Item]:
        """Return at most `limit` of the items, drawn with a fixed seed, in their order; all if `limit` is 0."""
        return draw_sample(items, self.limit) if self.limit else list(items)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A home with an indexed folder of documents."""

    app: App
    made: KeptHome
    documents: int

    @property
    def speed(self) -> dict[str, float]:
        """The `seconds` that the indexing took, and `documentsPerSecond`, both to one decimal."""
        seconds = self.made.seconds
        return {"seconds": round(seconds, 1), "documentsPerSecond": round(self.documents / max(seconds, 1e-9), 1)}


@contextmanager
def index_documents(
    settings: Settings, documents: Sequence[EipDocument], report: Report, keep: Path | None = None
) -> Generator[Indexed]:
    """Write the documents into a folder, index it in the namespace `NAMESPACE`, and yield the home for the block.

    With `keep` the home stays in that folder, and is reused while code, settings and documents are the same; else it is
    temporary. InputError if a document's path leads out of the folder, or `keep` has foreign files or is read-only;
    StoreError if not all were indexed, or another run uses `keep`.
    """
    with place_for(keep, "eips", settings, documents, report) as place:
        folder = place.folder / "corpus"
        with place.home(settings, report, namespace=NAMESPACE) as app:

            def work() -> None:
                """Write and index the documents."""
                for each in documents:
                    _write(folder, each)
                report(f"indexing {len(documents)} documents")
                index_docs(app, IndexDocsInput(namespace=NAMESPACE, paths=(folder,)))
                _check_all_there(app, len(documents))

            place.make_once(work)
            yield Indexed(app, place, len(documents))


def _write(folder: Path, document: EipDocument) -> None:
    """Write a document to its path below a folder; raise InputError if that leads out of it."""
    path = (folder / document.path).resolve()
    if not path.is_relative_to(folder):
        raise InputError(
            f"a document's path leads outside: {document.path}", code="invalid_data", next_step="mend the data set"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document.text, encoding="utf-8")


def _check_all_there(app: App, expected: int) -> None:
    """Raise StoreError if `app` has not just the `expected` number of documents, since the set would be measured
    wrongly.
    """
    if (found := len(app.graph.documents(NAMESPACE))) != expected:
        raise StoreError(
            f"{expected} documents were indexed, and {found} are there",
            next_step=f"{step('document.index')} of such a folder says which it refuses, and why",
        )


@dataclass(frozen=True, slots=True)
class Ask(Generic[Item]):
    """A question about an item, asked as of an instant unless `as_of` is None."""

    about: Item
    query: str
    as_of: datetime | None = None


def recall_each(
    app: App, asks: Sequence[Ask[Item]], left_out: Sequence[str], title: str, report: Report
) -> Iterator[tuple[Item, State, float]]:
    """Yield (item asked about, recall, its milliseconds) for each question, in order; before every 50th, from the first
    on, `report` is told the progress, after `title`.

    `left_out` are legs, stages or terms that the recalls leave out. Nothing is recorded.
    """
    for place, ask in enumerate(asks):
        if place % REPORTED_EVERY == 0:
            report(f"{title}: {place} of {len(asks)}")
        state, spent = _recall(app, ask.query, left_out, ask.as_of)
        yield ask.about, state, spent


def _recall(app: App, query: str, left_out: Sequence[str], as_of: datetime | None) -> tuple[State, float]:
    """Recall with a topK of 1,000 and no limit of characters, without a receipt; return the result, and the
    milliseconds that it took.
    """
    recall_input = RecallInput(
        query=query,
        namespace=NAMESPACE,
        top_k=PLACES,
        budget=UNLIMITED,
        without=tuple(dict.fromkeys(left_out)),
        as_of=as_of,
    )
    request = build_request(app, recall_input)
    started = perf_counter()
    state = app.recaller.run(request)
    return state, (perf_counter() - started) * 1000


def number_of(key: str) -> int:
    """Return the number in a document's key (20 for `eip-20`); -1 for any other key."""
    matched = _NUMBERED.fullmatch(key)
    return int(matched[1]) if matched else -1


def document_of(memory: Memory) -> int:
    """Return the number of the document that a section belongs to, by its entity; -1 if it belongs to none."""
    return number_of(node_key(memory.entity_ref or ""))


def documents_of(state: State) -> list[int]:
    """Return the documents of a ranking by number, each at the rank of its best section.

    Memories of no document take no rank.
    """
    numbers = (document_of(each.memory) for each in state.served)
    return [number for number in dict.fromkeys(numbers) if number >= 0]


def draw_sample(items: Sequence[Item], count: int) -> list[Item]:
    """Return at most `count` of the items, drawn with a fixed seed, in their order."""
    places = np.random.default_rng(20260101).choice(len(items), min(count, len(items)), replace=False)
    return [items[place] for place in np.sort(places).tolist()]
