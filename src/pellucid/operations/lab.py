"""A data set's name and folder in, metrics out: the lab wired to a throw-away home and the real recall."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Literal

from pydantic import Field

from pellucid.app import App, open_app
from pellucid.capture.identity import turn_key
from pellucid.errors import StoreError
from pellucid.lab import locomo, longmemeval, scifact
from pellucid.lab.dataset import Dataset, Group, Question
from pellucid.lab.run import Answer, Asker, run
from pellucid.memory.keep import memory_write
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.operations.importing import Intake
from pellucid.recall.state import Request
from pellucid.settings import Settings

LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "scifact": scifact.load,
}
DOCUMENTS_A_COMMIT = 500
UNLIMITED = 1 << 40
TEMPORAL_TRIED, MMR_LAMBDA_TRIED = 0.25, 0.3
"""What the parts that are off by default are measured with."""


class LabInput(Wire):
    """What to measure."""

    dataset: Literal["locomo", "longmemeval", "scifact"]
    data: Path
    ablate: bool = False
    details: bool = False


class LabOutput(Wire):
    """What was measured; docs/lab.md says what each number means."""

    dataset: str
    questions: int
    records: int
    metrics: dict[str, float]
    intervals: dict[str, list[float]]
    floors: dict[str, dict[str, float]]
    gain_over_floors: dict[str, dict[str, dict[str, Any]]]
    latency_ms: dict[str, float]
    legs: dict[str, dict[str, float]]
    by_kind: dict[str, dict[str, float]] = Field(default_factory=dict)
    ablation: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    details: tuple[dict[str, Any], ...] = ()


def run_lab(settings: Settings, request: LabInput, report: Callable[[str], None]) -> LabOutput:
    """Load a set into a throw-away home through the ordinary import, and ask its questions of the ordinary recall.

    Raises:
        InputError: the data set is not where `data` says.
    """
    dataset = LOADERS[request.dataset](request.data)
    with _throwaway(settings, report) as app:
        keys = _load(app, dataset, report)
        measured = run(
            dataset, _asker(app, keys), ablate=request.ablate, on_part=lambda part: report(f"asking: {part}")
        )
    rankings = measured.pop("rankings")
    details = _details(dataset, rankings) if request.details else ()
    return LabOutput.model_validate(measured | {"details": details})


@contextmanager
def _throwaway(settings: Settings, report: Callable[[str], None]) -> Generator[App]:
    with TemporaryDirectory(prefix="pellucid-lab-") as folder:
        app = open_app(
            settings.model_copy(update={"home": Path(folder)}), models=settings.home / "models", report=report
        )
        try:
            yield app
        finally:
            app.close()


def _load(app: App, dataset: Dataset, report: Callable[[str], None]) -> dict[tuple[str, str], str]:
    """Import every record; the key of a record by its namespace and evidence."""
    report(f"importing {sum(len(group.records) for group in dataset.groups)} records")
    keys: dict[tuple[str, str], str] = {}
    for group in dataset.groups:
        namespace = _namespace(group)
        turns = [record for record in group.records if record.turn.ordinal]
        by_turn = sorted(turns, key=lambda record: (record.turn.session_id, record.turn.ordinal))
        purpose = f"{namespace} verbatim"
        Intake(app, namespace, "verbatim").take((turn_key(r.turn, app.key, purpose), r.turn) for r in by_turn)
        documents = [record for record in group.records if not record.turn.ordinal]
        for start in range(0, len(documents), DOCUMENTS_A_COMMIT):
            batch = documents[start : start + DOCUMENTS_A_COMMIT]
            app.keeper.commit(
                "import", [memory_write(_document(app, namespace, record.key, record.turn.content)) for record in batch]
            )
        for record in group.records:
            source = record.turn.session_id or record.key
            place = record.turn.ordinal or 1
            keys[namespace, f"{source}:{place}-{place}"] = record.key
        _check_all_there(app, namespace, len(group.records))
    return keys


def _check_all_there(app: App, namespace: str, expected: int) -> None:
    """A set that is not remembered whole would be measured wrongly, and nobody would see it."""
    if (found := len(app.index.memories(namespace))) != expected:
        raise StoreError(f"{expected} records were imported into {namespace}, and {found} are there")


def _document(app: App, namespace: str, key: str, text: str) -> Memory:
    now = app.clock.now()
    return Memory(
        id=app.clock.new_id("mem"), category="fact", namespace=namespace, created=now, updated=now, source="document",
        evidence=(f"{key}:1-1",), content=text,
    )  # fmt: skip


def _asker(app: App, keys: dict[tuple[str, str], str]) -> Asker:
    settings = app.settings.recall.model_copy(update={"char_budget": UNLIMITED})
    weights = settings.leg_weights.model_copy(update={"temporal": TEMPORAL_TRIED})
    tried = {
        "": settings,
        "temporal": settings.model_copy(update={"leg_weights": weights}),
        "diversify": settings.model_copy(update={"mmr_lambda": MMR_LAMBDA_TRIED}),
    }
    now = datetime.now(UTC)

    def ask(group: Group, question: Question, without: tuple[str, ...], trying: str) -> Answer:
        namespace, used = _namespace(group), tried[trying]
        request = Request(question.text, namespace, app.clock.new_id("rec"), now, used, without=frozenset(without))
        started = perf_counter()
        state = app.recaller.run(request)
        millis = (perf_counter() - started) * 1000
        ranking = [keys[namespace, each.memory.evidence[0]] for each in state.served]
        return Answer(ranking, millis, {leg.name: leg.admitted for leg in state.legs if leg.health != "off"})

    def encode(question: Question) -> float:
        started = perf_counter()
        app.embedder.encode_query(question.text)
        return (perf_counter() - started) * 1000

    return Asker(ask, encode)


def _namespace(group: Group) -> str:
    return f"lab/{re.sub('[^a-z0-9._-]', '-', group.name.lower()).strip('._-') or 'group'}"


def _details(dataset: Dataset, rankings: dict[str, list[str]]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "id": question.id, "question": question.text, "kind": question.kind,
            "relevant": sorted(question.relevant), "ranking": rankings[question.id],
        }
        for group in dataset.groups
        for question in group.questions
    )  # fmt: skip
