"""A data set's name and folder in, metrics out: the lab wired to a throw-away home and the real recall."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Literal

from pydantic import Field

from pellucid.app import App, open_app
from pellucid.capture.identity import turn_key
from pellucid.errors import InputError, StoreError
from pellucid.lab import locomo, longmemeval, scifact
from pellucid.lab.dataset import Dataset, Group, Question, Record, Update
from pellucid.lab.extraction import Kept, distilled, turns_per_second
from pellucid.lab.metrics import Ranking
from pellucid.lab.places import Places
from pellucid.lab.run import Answer, Asker, relative, run
from pellucid.lab.updates import DEPTH, newer_above, of_user_turns, same_attribute
from pellucid.memory.keep import memory_write
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.operations.asking import WITHOUT
from pellucid.operations.extraction import extraction
from pellucid.operations.intake import Intake, Mode
from pellucid.operations.lab_asof import AsOfLabOutput, run_as_of
from pellucid.operations.lab_contexts import Recalled, Recalling, abstention, contexts
from pellucid.operations.lab_documents import DocumentsLab, Report
from pellucid.operations.lab_graph import GraphLabOutput, run_graph
from pellucid.recall.state import Request, State
from pellucid.settings import RecallSettings, Settings

LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "scifact": scifact.load,
}
DOCUMENTS: dict[str, Callable[[Settings, DocumentsLab, Report], GraphLabOutput | AsOfLabOutput]] = {
    "graph": run_graph,
    "asof": run_as_of,
}
"""Sets of documents that refer to each other."""
DOCUMENTS_A_COMMIT = 500
UNLIMITED = 1 << 40
MMR_LAMBDA_TRIED = 0.3
"""What the parts that are off by default are measured with."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LabInput(Wire):
    """What to measure. `updates` asks for the order of changed facts alone; `without` is left out of every recall."""

    dataset: Literal["locomo", "longmemeval", "scifact", "graph", "asof"]
    data: Path
    mode: Mode = "verbatim"
    updates: bool = False
    without: tuple[str, ...] = ()
    ablate: bool = False
    details: bool = False
    context: bool = False
    """Also how much evidence stands in the assembled context, beside plain concatenations."""


class LabOutput(Wire):
    """What was measured; docs/lab.md says what each number means."""

    dataset: str
    mode: Mode
    questions: int
    records: int
    metrics: dict[str, float]
    intervals: dict[str, list[float]]
    floors: dict[str, dict[str, float]]
    gain_over_floors: dict[str, dict[str, dict[str, Any]]]
    latency_ms: dict[str, float]
    legs: dict[str, dict[str, float]]
    extraction: dict[str, float] = Field(default_factory=dict)
    """In extract mode: coverage, compression and speed."""
    relative_to_verbatim: dict[str, dict[str, float]] = Field(default_factory=dict)
    """In extract mode: each metric of the same questions over every turn, and the ratio to it."""
    by_kind: dict[str, dict[str, float]] = Field(default_factory=dict)
    ablation: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    details: tuple[dict[str, Any], ...] = ()
    abstention: dict[str, Any] = Field(default_factory=dict)
    """Of a set with questions that nothing answers: how well doubt tells them from the others."""
    context: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """By topK and budget: the share of evidence in the context, and in plain concatenations of the same ranking."""


class UpdatesOutput(Wire):
    """How facts that changed are answered: is the newer statement above the older? docs/lab.md says how it is read."""

    dataset: str
    mode: Mode
    records: int
    memories: int
    without: tuple[str, ...] = ()
    defaults: dict[str, Any]
    without_temporal: dict[str, Any]
    user_turns_only: dict[str, Any]
    """With defaults, only the user's turns counted as statements."""
    same_attribute: dict[str, int]
    details: tuple[dict[str, Any], ...] = ()


Measured = LabOutput | UpdatesOutput | GraphLabOutput | AsOfLabOutput


def run_lab(settings: Settings, request: LabInput, report: Callable[[str], None]) -> Measured:
    """Load a set into a throw-away home through the ordinary import, and ask its questions of the ordinary recall.

    Raises:
        InputError: the data set is not where `data` says, or has nothing of what is asked for.
    """
    _check(request)
    if request.dataset in DOCUMENTS:
        asked = DocumentsLab(request.data, request.without, details=request.details)
        return DOCUMENTS[request.dataset](settings, asked, report)
    dataset = LOADERS[request.dataset](request.data)
    if request.updates:
        return _updates(settings, dataset, request, report)
    outcome, measured = _measure(settings, dataset, request, report)
    if request.mode == "extract":
        plain = request.model_copy(update={"mode": "verbatim", "ablate": False})
        _, verbatim = _measure(settings, dataset, plain, report, floors=False)
        outcome["relative_to_verbatim"] = relative(measured["metrics"], verbatim["metrics"])
    details = _details(dataset, measured["rankings"]) if request.details else ()
    return LabOutput.model_validate(outcome | {"details": details})


def _check(request: LabInput) -> None:
    if unknown := set(request.without) - set(WITHOUT):
        raise InputError(f"--without expects some of {', '.join(WITHOUT)}; got {', '.join(sorted(unknown))}")
    if request.mode == "extract" and request.dataset in {"scifact", *DOCUMENTS}:
        said = f"--mode extract needs conversations, and {request.dataset} has documents"
        raise InputError(said, next_step="leave --mode out")
    if request.dataset in DOCUMENTS and (request.ablate or request.context):
        raise InputError(f"--ablate and --context are not measured on {request.dataset}", next_step="leave them out")
    if request.updates and request.dataset != "longmemeval":
        raise InputError(f"--updates needs facts that change, and {request.dataset} marks none",
                         next_step="use longmemeval")  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A data set in a throw-away home."""

    app: App
    dataset: Dataset
    places: dict[str, Places]
    """By namespace."""

    def kept(self, group: Group) -> list[tuple[Memory, tuple[str, ...]]]:
        """Every memory of a group's namespace, with the keys of the records it stands in."""
        namespace = namespace_of(group)
        held = [each.memory for each in self.app.index.memories(namespace)]
        return [(memory, self.places[namespace].covered(memory.evidence)) for memory in held]


def _measure(
    settings: Settings, dataset: Dataset, request: LabInput, report: Callable[[str], None], *, floors: bool = True
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a `LabOutput`, and what the run measured with its rankings."""
    with _loaded(settings, dataset, request, report) as loaded:
        measured = run(
            dataset, _asker(loaded, request), ablate=request.ablate, floors=floors,
            on_part=lambda part: report(f"asking: {part}"),
        )  # fmt: skip
        found = _extraction(loaded, report) if request.mode == "extract" else {}
        further = _further(loaded, request, report) if floors else {}
    outcome = {name: value for name, value in measured.items() if name != "rankings"}
    return outcome | further | {"mode": request.mode, "extraction": found}, measured


def _extraction(loaded: _Loaded, report: Callable[[str], None]) -> dict[str, float]:
    report("measuring what was kept")
    groups = loaded.dataset.groups
    kept = [(group, [Kept(memory.content, keys) for memory, keys in loaded.kept(group)]) for group in groups]
    used = extraction(loaded.app.settings)
    out = distilled(kept)
    if not used.is_remote:
        out["turnsPerSecond"] = turns_per_second(loaded.dataset, used.extractor, used.judge, loaded.app.clock)
    return out


def _recalling(loaded: _Loaded, asked: LabInput) -> Recalling:
    """Recalls of the throw-away home, on a day after the newest of its sessions, with some settings changed."""
    app, today = loaded.app, _today(loaded.dataset)

    def with_settings(changes: Mapping[str, int]) -> Recalled:
        settings = app.settings.recall.model_copy(update={"char_budget": UNLIMITED} | dict(changes))

        def recalled(group: Group, question: Question) -> State:
            request = Request(
                question.text, namespace_of(group), app.clock.new_id("rec"), today, settings,
                without=frozenset(asked.without),
            )  # fmt: skip
            return app.recaller.run(request)

        return recalled

    return with_settings


def _further(loaded: _Loaded, request: LabInput, report: Callable[[str], None]) -> dict[str, object]:
    """How sure the recall is of itself, and what its contexts hold, as far as it is asked for."""
    recalling, out = _recalling(loaded, request), dict[str, object]()
    if request.dataset == "longmemeval" and (unanswerable := longmemeval.unanswerable(request.data)):
        report(f"asking {len(unanswerable)} questions that nothing answers")
        out["abstention"] = abstention(loaded.dataset.groups[0], unanswerable, recalling({}))
    if request.context:
        report("assembling contexts")
        places = {group.name: loaded.places[namespace_of(group)] for group in loaded.dataset.groups}
        out["context"] = contexts(loaded.dataset, places, recalling, loaded.app.settings.recall.top_k_facts)
    return out


def _updates(settings: Settings, dataset: Dataset, request: LabInput, report: Callable[[str], None]) -> UpdatesOutput:
    (group,) = dataset.groups
    updates = group.updates
    with _loaded(settings, dataset, request, report) as loaded:
        asker = _asker(loaded, request, depth=DEPTH)
        report(f"asking about {len(updates)} changed facts")
        ranked = _rankings(asker, group, updates, ())
        timeless = _rankings(asker, group, updates, ("temporal",))
        kept = loaded.kept(group)
    by_id = {update.question.id: ranking for update, ranking in zip(updates, ranked, strict=True)}
    return UpdatesOutput(
        dataset=dataset.name, mode=request.mode, records=len(group.records), memories=len(kept),
        without=request.without, defaults=newer_above(updates, ranked),
        without_temporal=newer_above(updates, timeless),
        user_turns_only=newer_above(*of_user_turns(group, updates, ranked)),
        same_attribute=same_attribute(updates, kept),
        details=_details(dataset, by_id) if request.details else (),
    )  # fmt: skip


def _rankings(asker: Asker, group: Group, updates: Sequence[Update], without: tuple[str, ...]) -> list[Ranking]:
    return [asker.ask(group, update.question, without, "").ranking for update in updates]


@contextmanager
def _loaded(
    settings: Settings, dataset: Dataset, request: LabInput, report: Callable[[str], None]
) -> Generator[_Loaded]:
    """Import a data set into a home that is gone afterwards."""
    with TemporaryDirectory(prefix="pellucid-lab-") as folder:
        app = open_app(
            settings.model_copy(update={"home": Path(folder)}), models=settings.home / "models", report=report
        )
        try:
            report(f"importing {sum(len(group.records) for group in dataset.groups)} records, {request.mode}")
            for group in dataset.groups:
                _import(app, group, request)
            yield _Loaded(app, dataset, {namespace_of(group): Places.of(group) for group in dataset.groups})
        finally:
            app.close()


def _import(app: App, group: Group, request: LabInput) -> None:
    namespace = namespace_of(group)
    turns = [record for record in group.records if record.turn.ordinal]
    for part in _parts(group, turns, request):
        purpose = f"{namespace} {request.mode}"
        Intake(app, namespace, request.mode).take((turn_key(r.turn, app.key, purpose), r.turn) for r in part)
    documents = [record for record in group.records if not record.turn.ordinal]
    for start in range(0, len(documents), DOCUMENTS_A_COMMIT):
        batch = documents[start : start + DOCUMENTS_A_COMMIT]
        app.keeper.commit(
            "import", [memory_write(_document(app, namespace, record.key, record.turn.content)) for record in batch]
        )
    if request.mode == "verbatim":
        _check_all_there(app, namespace, len(group.records))


def _parts(group: Group, turns: Iterable[Record], request: LabInput) -> list[list[Record]]:
    """The imports to make, one after another: in order of time where it matters, newer statements after all others."""
    if request.mode == "verbatim" and not request.updates:
        return [sorted(turns, key=lambda record: (record.turn.session_id, record.turn.ordinal))]
    dated = sorted(turns, key=lambda record: record.turn.at or _EPOCH)
    newer = {key for update in group.updates for key in update.newer} if request.updates else set[str]()
    return [
        [record for record in dated if record.key not in newer],
        [record for record in dated if record.key in newer],
    ]


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


def _asker(loaded: _Loaded, asked: LabInput, depth: int | None = None) -> Asker:
    """Asks the throw-away home, after the newest of its sessions; `depth` places instead of the setting's `topK`."""
    app = loaded.app
    settings = app.settings.recall.model_copy(update={"char_budget": UNLIMITED})
    if depth:
        settings = settings.model_copy(update={"top_k_facts": depth})
    tried = _tried(settings)
    today = _today(loaded.dataset)

    def ask(group: Group, question: Question, without: tuple[str, ...], trying: str) -> Answer:
        namespace, left_out = namespace_of(group), frozenset((*asked.without, *without))
        request = Request(question.text, namespace, app.clock.new_id("rec"), today, tried[trying], without=left_out)
        started = perf_counter()
        state = app.recaller.run(request)
        millis = (perf_counter() - started) * 1000
        places = loaded.places[namespace]
        ranking = [_item(places.covered(each.memory.evidence)) for each in state.served]
        return Answer(ranking, millis, {leg.name: leg.admitted for leg in state.legs if leg.health != "off"})

    def encode(question: Question) -> float:
        started = perf_counter()
        app.embedder.encode_query(question.text)
        return (perf_counter() - started) * 1000

    return Asker(ask, encode)


def _today(dataset: Dataset) -> datetime:
    """Now, or the day after the newest of a set's sessions."""
    dates = [record.turn.at for group in dataset.groups for record in group.records if record.turn.at]
    return max([datetime.now(UTC), *(at + timedelta(days=1) for at in dates)])


def _tried(settings: RecallSettings) -> dict[str, RecallSettings]:
    return {
        "": settings,
        "diversify": settings.model_copy(update={"mmr_lambda": MMR_LAMBDA_TRIED}),
    }


def _item(keys: tuple[str, ...]) -> str | tuple[str, ...]:
    return keys[0] if len(keys) == 1 else keys


def namespace_of(group: Group) -> str:
    """The namespace a group is imported into."""
    return f"lab/{re.sub('[^a-z0-9._-]', '-', group.name.lower()).strip('._-') or 'group'}"


def _details(dataset: Dataset, rankings: dict[str, Ranking]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "id": question.id, "question": question.text, "kind": question.kind,
            "relevant": sorted(question.relevant), "ranking": list(rankings[question.id]),
        }
        for group in dataset.groups
        for question in group.questions
        if question.id in rankings
    )  # fmt: skip
