"""The name and folder of a set in, an imported home out, with the measure of its answers and its floors."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from lzma import LZMAError
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.errors import InputError, StoreError, field_name
from pellucid.lab.asking import Asker, LabContext, RankedAnswer
from pellucid.lab.contexts import UNCUT
from pellucid.lab.datasets import eips, locomo, longmemeval, qmsum, scifact, sessions
from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record, Share
from pellucid.lab.datasets.sessions import LabelledSessions, TurnLabel
from pellucid.lab.documents.home import NAMESPACE as EIPS_NAMESPACE
from pellucid.lab.documents.home import document_of, index_documents
from pellucid.lab.home import Home, import_data_set, make_asker, namespace_of
from pellucid.lab.keeping import Report, place_for
from pellucid.lab.metrics.ranking import keys_of
from pellucid.lab.metrics.sessions import of_sessions
from pellucid.lab.run import Measure, measure_answer
from pellucid.lab.variants import Variant
from pellucid.memory.episodes import UNSAID
from pellucid.model.memory import Memory
from pellucid.model.turn import Turn
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Flag
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.operations.session.intake import Mode
from pellucid.settings import Settings

LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "scifact": scifact.load,
    "qmsum": qmsum.load,
}
_READERS: Mapping[str, Callable[[Path], object]] = {
    **LOADERS,
    "sessions": sessions.load,
    "eips": lambda data: (eips.documents(data), eips.requires(data)),
    "graph": lambda data: (eips.documents(data), eips.requires(data)),
    "asof": lambda data: (
        eips.documents(data),
        eips.changes(data),
        *(eips.questions(data, each) for each in eips.FIELDS),
    ),
}
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, EOFError, LZMAError, re.error)
"""Errors of a reader for a file of another form."""
SESSION_BUDGETS = (2_000, 4_000)
FLOOR_CHARACTERS = 1_000  # to which each spoken turn is cut before the floors of `sessions` see it


@dataclass(frozen=True, slots=True)
class Opened:
    """An imported set that can be asked: through `asker`, and through `floor` with a single leg."""

    home: Home
    asker: Asker
    floor: Asker
    measure: Measure = measure_answer
    unanswerable: tuple[LabelledQuestion, ...] = ()
    labels: tuple[TurnLabel, ...] = ()  # what is worth keeping, turn by turn, where the set says so


class LabInput(Wire):
    """What to measure. `updates` asks for the order of changed facts alone; `without` is left out of every recall."""

    data: Annotated[Path, Flag("The folder (or file) of the data set, or of all of them.")]
    dataset: Annotated[
        Literal["locomo", "longmemeval", "scifact", "qmsum", "sessions", "eips", "graph", "asof"],
        Argument("locomo, longmemeval, scifact, qmsum, sessions, eips, graph or asof."),
    ]
    mode: Annotated[Mode, Flag("What is remembered, as in an import.")] = "verbatim"
    updates: Annotated[bool, Flag("Only the order of facts that changed (longmemeval).")] = False
    without: Annotated[tuple[str, ...], Flag("Leave out a leg or stage.")] = ()
    settings: Annotated[dict[str, Any], Flag("A setting for this run: recall.topKFacts=20.", "--set")] = Field(
        default_factory=dict
    )
    """Such as `recall.legWeights.vector`."""
    ablate: Annotated[bool, Flag("Also without each leg and stage, as paired differences, with costs.")] = False
    context: Annotated[bool, Flag("Also how much evidence the assembled contexts hold.")] = False
    """Compared with plain concatenations."""
    details: Annotated[bool, Flag("Add one row a question.")] = False
    sample: Annotated[str, Flag("Ask every Nth question (4), or another of each N (2/4: the second of four).")] = "1"
    """All records are remembered, whatever the share."""
    limit: Annotated[int, Field(ge=0), Flag("Of these ask so many at most, spread evenly (0: all).")] = 0
    keep: Annotated[Path | None, Flag("Keep what is imported in this folder, for the next run.")] = None
    """Made if it is missing. An import that would come out differently now is made again."""
    budgets: tuple[int, ...] = ()
    """Characters of contexts whose evidence is one of the metrics; `sessions` has two of its own."""

    @property
    def share(self) -> Share:
        """The share of the questions that is asked, by `sample` and `limit`; InputError if `sample` is malformed."""
        return share_of(self.sample, self.limit)


def share_of(sample: str, limit: int = 0) -> Share:
    """Parse a share of questions, `4` (every fourth, from the first on) or `2/4` (the second of four), and return it;
    InputError if it is malformed. At most `limit` of them are asked, spread evenly; 0 asks all."""
    match = re.fullmatch(r"(?:([1-9]\d{0,5})/)?([1-9]\d{0,5})", sample.strip())
    share = Share(int(match[1] or 1), int(match[2]), limit) if match else Share(0, 0)
    if not 1 <= share.which <= share.of:
        raise InputError(
            f'{field_name("sample")} expects 4 (every fourth question) or 2/4 (the second of four); got "{sample}"',
            code="invalid_sample",
            next_step="give one number, or two with the lower one first",
        )
    return share


def check_files(name: str, data: Path) -> None:
    """Read the files of the set with this name in the folder (or file) `data`, and raise InputError if they are missing
    or of another form; for an unknown name do nothing.
    """
    if reader := _READERS.get(name):
        try:
            reader(data)
        except _UNFIT as error:
            raise InputError(
                f"the files of {name} in {data} are of another form: {type(error).__name__}: {error}",
                code="invalid_data",
                next_step=f"compare them with what the documentation says of {name}",
            ) from error


@contextmanager
def open_set(settings: Settings, request: LabInput, report: Report) -> Generator[Opened]:
    """Import a set for the block, into a temporary home or one in `request.keep`, and yield it with the share of its
    questions asked for. Not for `graph` and `asof`.

    Raises InputError if no question is in that share or `sample` is malformed; also what the import raises.
    """
    ways = {"sessions": _sessions, "eips": _eips}
    with ways.get(request.dataset, _records)(settings, request, report) as opened:
        dataset = opened.home.dataset.sampled(request.share)
        if not dataset.questions:
            share = f" in the share {request.share.which}/{request.share.of}" if request.share.of > 1 else ""
            raise InputError(
                f"{request.dataset} has no question{share}", code="invalid_data", next_step="ask more, or others"
            )
        yield replace(opened, home=replace(opened.home, dataset=dataset))


@contextmanager
def _records(settings: Settings, request: LabInput, report: Report) -> Generator[Opened]:
    """Import the set of `LOADERS` that the request names, each turn or document a record, into a home that exists for
    the `with` block, and yield it ready to be asked. `report` is called with lines about the progress."""
    dataset = LOADERS[request.dataset](request.data)
    with import_data_set(settings, dataset, request.mode, report, keep=request.keep) as home:
        yield _plain(home, request, longmemeval.unanswerable(request.data) if request.dataset == "longmemeval" else ())


def _plain(home: Home, request: LabInput, unanswerable: tuple[LabelledQuestion, ...] = ()) -> Opened:
    """Return an opened set whose floors (recalls by a single leg, for comparison) are asked of the same home, by the
    same asker; `unanswerable` are its questions without an answer.
    """
    ask = make_asker(home, request.without, budgets=request.budgets)
    return Opened(home, ask, ask, unanswerable=unanswerable)


@contextmanager
def _sessions(settings: Settings, request: LabInput, report: Report) -> Generator[Opened]:
    """Import the transcripts, as files in order of time, into one home, and the spoken turns alone, each cut to 1,000
    characters, into a second one, of which the floors (recalls by a single leg, for comparison) are asked; yield the
    set, ready to be asked. StoreError if an import is not complete.
    """
    labelled = sessions.load(request.data)
    budgets = tuple(dict.fromkeys((*request.budgets, *SESSION_BUDGETS)))
    with _transcripts(settings, labelled, request, report) as home:
        records = (Record(key, Turn("", 0, "user", text[:FLOOR_CHARACTERS])) for key, text in labelled.spoken.items())
        spoken = Dataset("spoken", (Group(home.dataset.groups[0].name, tuple(records), labelled.questions),))
        with import_data_set(settings, spoken, "verbatim", report, keep=request.keep) as floor:
            yield Opened(
                home,
                make_asker(home, request.without, budgets=budgets),
                _with_plain_contexts(make_asker(floor, depth=UNCUT), budgets),
                of_sessions(labelled.wanted),
                labelled.unanswerable,
                labelled.labels,
            )


@contextmanager
def _transcripts(settings: Settings, labelled: LabelledSessions, request: LabInput, report: Report) -> Generator[Home]:
    """Import the transcripts as files, in order of time, into a temporary home or the one kept in `request.keep`, and
    yield that for the block. StoreError if not all was imported, as when the encoder fails, or, with `verbatim`, if a
    turn is in no memory.
    """
    bare, mode = Group("sessions", (), labelled.questions), request.mode
    with (
        place_for(request.keep, f"sessions-{mode}", settings, labelled.transcripts, report) as place,
        place.home(settings, report) as app,
    ):
        paths = tuple(place.folder / f"{each.name}.jsonl" for each in labelled.transcripts)

        def work() -> None:
            """Write the transcripts to files and import them; StoreError if not all was imported."""
            for path, each in zip(paths, labelled.transcripts, strict=True):
                path.write_text(each.text, "utf-8")
            report(f"importing {len(paths)} transcripts, {mode}")
            said = import_transcripts(app, ImportInput(paths=paths, mode=mode, namespace=namespace_of(bare)))
            if problem := said.extractor_problem or said.encoder_problem:
                raise StoreError(f"not every transcript was imported: {problem}", next_step="mend it, and run again")

        place.make_once(work)
        turns = [turn for turn in read(paths, settings.capture, CaptureReport()) if turn.kind not in UNSAID]
        group = replace(bare, records=tuple(Record(_key(turn, labelled), turn) for turn in turns))
        home = Home.of(app, Dataset("sessions", (group,)), place)
        if mode == "verbatim":
            home.check_all_there()
        yield home


def _key(turn: Turn, labelled: LabelledSessions) -> str:
    """Return the uuid of a spoken turn that is in the set; for other turns `session:ordinal`, which no label has."""
    uuid = (turn.key or "").rpartition("#")[0]
    if turn.role != "tool" and uuid in labelled.spoken:
        return uuid
    return f"{turn.session_id}:{turn.ordinal}"


def _with_plain_contexts(ask: Asker, budgets: Sequence[int]) -> Asker:
    """Return an asker with the same rankings, whose contexts are the ranked texts, one a line, cut at the budget."""

    def filled(group: Group, question: LabelledQuestion, variants: Sequence[Variant]) -> list[RankedAnswer]:
        """Return the answers of `ask` to a question in each variant, with plain contexts in place of theirs."""
        return [
            replace(answer, contexts={budget: _plain_context(answer, budget) for budget in budgets})
            for answer in ask.ask(group, question, variants)
        ]

    return Asker(filled, ask.encode, ask.clock)


def _plain_context(answer: RankedAnswer, budget: int) -> LabContext:
    """Join the texts of a ranking, one a line, cut at the budget (characters); its keys are those of all texts begun
    within it.
    """
    keys, text = list[str](), ""
    for item, each in zip(answer.ranking, answer.texts, strict=True):
        if len(text) >= budget:
            break
        keys += keys_of(item)
        text += each + "\n"
    return LabContext(keys, text[:budget])


@contextmanager
def _eips(settings: Settings, request: LabInput, report: Report) -> Generator[Opened]:
    """Index the documents of the EIP set as a folder, and yield it for the block, ready to be asked what each document
    depends on; stubs of documents that moved are neither asked about nor answers.
    """
    documents, truth = eips.documents(request.data), eips.requires(request.data)
    numbers = {each.number for each in documents if each.status != eips.MOVED}
    questions = [
        LabelledQuestion(f"eip-{number}", f"what does EIP-{number} depend on", labels, about=str(number))
        for number, targets in sorted(truth.items())
        if number in numbers and (labels := {str(target): 1 for target in targets & numbers})
    ]
    records = tuple(
        Record(str(each.number), Turn("", 0, "user", each.text)) for each in documents if each.number in numbers
    )
    group = Group(EIPS_NAMESPACE.partition("/")[2], records, tuple(questions))

    def keys_of_section(_: Group, memory: Memory) -> tuple[str, ...]:
        """Return the number of the document that a section belongs to, as its one key; `()` for a stub of a document
        that moved, or one outside the set.
        """
        number = document_of(memory)
        return (str(number),) if number in numbers else ()

    with index_documents(settings, documents, report, request.keep) as home:
        yield _plain(Home.of(home.app, Dataset("eips", (group,)), home.made, keys_of_section), request)
