"""A data set's name and folder in, metrics out: the lab wired to a throw-away home and the real recall."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from pellucid.errors import InputError, field_name
from pellucid.lab.asking import RankedAnswer
from pellucid.lab.contexts import abstention, contexts
from pellucid.lab.datasets.dataset import EVERY, Dataset
from pellucid.lab.documents.as_of import AsOfLabOutput, run_as_of
from pellucid.lab.documents.graph import GraphLabOutput, run_graph
from pellucid.lab.documents.home import DocumentsLab
from pellucid.lab.home import Home, import_data_set, make_asker, make_recalling
from pellucid.lab.keeping import Report
from pellucid.lab.metrics.extraction import measure_distillation, turns_per_second
from pellucid.lab.metrics.sessions import by_halves
from pellucid.lab.metrics.updates import DEPTH, newer_above, of_user_turns, same_attribute
from pellucid.lab.run import gain_of, relative, run
from pellucid.lab.sets import LOADERS, LabInput, Opened, check_files, open_set
from pellucid.lab.variants import PLAIN, Variant, together
from pellucid.model.wire import Wire
from pellucid.operations.extraction import open_extraction
from pellucid.operations.operation import Call, Operation, Surfaces, Text
from pellucid.operations.recall.request import check_removable
from pellucid.operations.session.intake import Mode
from pellucid.settings import Settings
from pellucid.settings.changed import changed

DOCUMENTS: dict[str, Callable[[Settings, DocumentsLab, Report], GraphLabOutput | AsOfLabOutput]] = {
    "graph": run_graph,
    "asof": run_as_of,
}
"""Sets of documents that refer to each other, each with the function that measures it."""


class LabOutput(Wire):
    """The measurements of one set; docs/lab.md explains each number."""

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
    """Unless each turn is kept and nothing else: coverage, compression and speed."""
    relative_to_verbatim: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Likewise: each metric of the same questions on a home of every turn, and the ratio to it."""
    by_kind: dict[str, dict[str, float]] = Field(default_factory=dict)
    ablation: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    weights: dict[str, dict[str, dict[str, dict[str, Any]]]] = Field(default_factory=dict)
    """Maps parts to the gains of `half` and `double` their weight."""
    asked_anew: dict[str, int] = Field(default_factory=dict)
    """Maps parts to how many answers without them were not worked out from the plain recall's candidates."""
    costs: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Maps parts to what they add to a recall: `millis`, and its `share`."""
    sample: str = "1"
    """The share of the questions that was asked."""
    limit: int = 0
    """How many questions of each set are asked, at most; 0 for all of the share."""
    price: dict[str, float] = Field(default_factory=dict)
    """The cost of the import: seconds, characters, memories, bytes of the home."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """The settings of this run alone."""
    durable: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """For a set whose turns are labelled: how right and how complete the memories are."""
    details: tuple[dict[str, Any], ...] = ()
    abstention: dict[str, Any] = Field(default_factory=dict)
    """For a set with questions that nothing answers: how well doubt tells them from the others."""
    context: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Maps topK and budget to the share of evidence in the context, and in plain concatenations of the ranking."""


class UpdatesOutput(Wire):
    """How changed facts are answered: whether the newer statement ranks above the older; see docs/lab.md."""

    dataset: str
    mode: Mode
    records: int
    memories: int
    without: tuple[str, ...] = ()
    defaults: dict[str, Any]
    without_temporal: dict[str, Any]
    user_turns_only: dict[str, Any]
    """With the default settings, only the user's turns counted as statements."""
    same_attribute: dict[str, int]
    details: tuple[dict[str, Any], ...] = ()


Measured = LabOutput | UpdatesOutput | GraphLabOutput | AsOfLabOutput


def run_lab(settings: Settings, request: LabInput, report: Report) -> Measured:
    """Import a set into a temporary home, or one in `request.keep`, ask its questions, and return how good the recall
    is.

    `report` gets lines about the progress. With a mode other than `verbatim`, the set is measured `verbatim`, too, for
    comparison; not so `sessions`, nor with `updates`. Raises InputError if the request cannot be measured, or a file of
    the set is missing or of another form.
    """
    _check(request)
    settings = changed(settings, request.settings)
    check_files(request.dataset, request.data)
    if request.dataset in DOCUMENTS:
        lab = DocumentsLab(request.data, request.without, details=request.details)
        return DOCUMENTS[request.dataset](settings, lab, report)
    if request.updates:
        return _updates(settings, LOADERS[request.dataset](request.data), request, report)
    out = _measure(settings, request, report)
    if request.mode != "verbatim" and request.dataset != "sessions":
        plain = request.model_copy(update={"mode": "verbatim", "ablate": False, "context": False, "details": False})
        verbatim = _measure(settings, plain, report, floors=False)
        out = out.model_copy(update={"relative_to_verbatim": relative(out.metrics, verbatim.metrics)})
    return out


def _check(request: LabInput) -> None:
    """Raise InputError if the request cannot be measured on its set: an unknown part in `without`, a malformed
    `sample`, or options that do not go together.

    These are `sample` or `limit` with `updates`; `sample`, `limit`, `keep`, `ablate` or `context` with `graph` or
    `asof`; a mode other than `verbatim` with a set of documents; `updates` with a set other than `longmemeval`.
    """
    check_removable(request.without)
    share = request.share
    if (share != EVERY and request.updates) or ((share != EVERY or request.keep) and request.dataset in DOCUMENTS):
        names = ("sample", "limit") if request.updates else ("sample", "limit", "keep")
        raise InputError(
            f"{', '.join(map(field_name, names))}: not with {'updates' if request.updates else request.dataset}",
            next_step="leave them out",
        )
    if request.mode != "verbatim" and request.dataset in {"scifact", "eips", *DOCUMENTS}:
        words = f"{field_name('mode')} {request.mode} needs conversations, and {request.dataset} has documents"
        raise InputError(words, next_step=f"leave {field_name('mode')} out")
    if request.dataset in DOCUMENTS and (request.ablate or request.context):
        raise InputError(
            f"{field_name('ablate')} and {field_name('context')} are not measured on {request.dataset}",
            next_step="leave them out",
        )
    if request.updates and request.dataset != "longmemeval":
        raise InputError(
            f"{field_name('updates')} needs facts that change, and {request.dataset} marks none",
            next_step="use longmemeval",
        )


def run_together(settings: Settings, request: LabInput, options: Mapping[str, str], report: Report) -> dict[str, Any]:
    """Import a set, and return by metric what a recall with all of `options` gains over the recall as it is set:
    `{"difference": …, "interval": […]}`.

    `options` maps parts of a recall to what is made of them (`off`, `half`, `double` or `on`; see
    `lab.variants.together`); all of them hold at once.
    """
    settings = changed(settings, request.settings)
    with open_set(settings, request, report) as opened:
        return gain_of(opened.home.dataset, opened.asker, together(options), opened.measure)


def _measure(settings: Settings, request: LabInput, report: Report, *, floors: bool = True) -> LabOutput:
    """Import a set, ask its questions, and return the measurements.

    With `floors`, the questions are asked of single legs (ways of searching), too, and the further measurements
    (`_further_measures`) are made. `report` gets lines about the progress.
    """
    with open_set(settings, request, report) as opened:
        wire, answers = run(
            opened.home.dataset,
            opened.asker,
            ablate=request.ablate,
            floor=opened.floor if floors else None,
            measure=opened.measure,
            on_part=lambda part: report(f"{request.dataset}: {part}"),
        )
        further = _further_measures(opened, request, report) if floors else {}
    details = _details(opened.home.dataset, answers) if request.details else ()
    about_run = {"mode": request.mode, "settings": request.settings, "details": details, "price": opened.home.price}
    about_run |= {"sample": request.sample, "limit": request.limit}
    return LabOutput.model_validate(wire | further | about_run)


def _further_measures(opened: Opened, request: LabInput, report: Report) -> dict[str, object]:
    """Return further measurements: `extraction` and `durable` (empty if the set has no labels) unless the mode is
    `verbatim`, `abstention` if the set has unanswerable questions, `context` if the request asks for it.
    """
    home, out = opened.home, dict[str, object]()
    asking = make_recalling(home, request.without)
    if request.mode != "verbatim":
        report("measuring what was kept")
        out["extraction"] = _extraction(home)
        kept = [each for group in home.dataset.groups for each in home.distilled(group)]
        out["durable"] = by_halves(opened.labels, kept) if opened.labels else {}
    if opened.unanswerable:
        report(f"asking {len(opened.unanswerable)} questions that nothing answers")
        out["abstention"] = abstention(home.dataset.groups[0], opened.unanswerable, asking({}))
    if request.context:
        report("assembling contexts")
        out["context"] = contexts(home.dataset, home.kept, asking, home.app.settings.recall.top_k_facts)
    return out


def _extraction(home: Home) -> dict[str, float]:
    """Return coverage and compression of what was extracted (see `measure_distillation`), and the speed of extraction
    (`turnsPerSecond`) if no remote model is asked.
    """
    extraction = open_extraction(home.app.settings)
    out = measure_distillation([(group, home.distilled(group)) for group in home.dataset.groups])
    if not extraction.is_remote:
        out["turnsPerSecond"] = turns_per_second(home.dataset, extraction.extractor, extraction.judge, home.app.clock)
    return out


def _updates(settings: Settings, dataset: Dataset, request: LabInput, report: Report) -> UpdatesOutput:
    """Import the data set, the newer statements last, ask about its changed facts, and return how often the newer of
    two statements ranks above the older. ValueError unless the data set has exactly one group.
    """
    (group,) = dataset.groups
    updates = group.updates

    with import_data_set(settings, dataset, request.mode, report, newer_last=True, keep=request.keep) as home:
        ask = make_asker(home, request.without, depth=DEPTH).ask
        report(f"asking about {len(updates)} changed facts")
        both = [ask(group, update.question, (PLAIN, Variant(("temporal",)))) for update in updates]
        answers, timeless = [plain for plain, _ in both], [other.ranking for _, other in both]
        kept = home.memories(group)
    ranked = [answer.ranking for answer in answers]
    by_id = {update.question.id: answer for update, answer in zip(updates, answers, strict=True)}
    return UpdatesOutput(
        dataset=dataset.name,
        mode=request.mode,
        records=len(group.records),
        memories=len(kept),
        without=request.without,
        defaults=newer_above(updates, ranked),
        without_temporal=newer_above(updates, timeless),
        user_turns_only=newer_above(*of_user_turns(group, updates, ranked)),
        same_attribute=same_attribute(updates, kept),
        details=_details(dataset, by_id) if request.details else (),
    )


def _details(dataset: Dataset, answers: Mapping[str, RankedAnswer]) -> tuple[dict[str, Any], ...]:
    """Return a row in wire form for each question that was answered: `id`, `question`, `kind`, `relevant` (the keys of
    its records) and `ranking` (the keys at each rank).
    """
    return tuple(
        {
            "id": question.id,
            "question": question.text,
            "kind": question.kind,
            "relevant": sorted(question.relevant),
            "ranking": list(answers[question.id].ranking),
        }
        for group in dataset.groups
        for question in group.questions
        if question.id in answers
    )


def measure(call: Call, request: LabInput) -> Measured:
    """Return what `run_lab` measures with the settings of the call; the call gets the lines about the progress."""
    return run_lab(call.settings, request, call.report)


LAB = Operation(
    "lab.run",
    """Measure recall on a data set, or on all.

Its floors (BM25 alone, vectors alone) stand beside it, with 95 % intervals.
""",
    LabInput,
    LabOutput | UpdatesOutput | GraphLabOutput | AsOfLabOutput,
    measure,
    "read",
    Surfaces("lab run"),
    text=Text("lab.lab_text"),
)
