"""A set's name and where it lies in, a home that holds it out, with how its answers are measured and beside what."""

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
from pellucid.lab.datasets.sessions import Sessions, TurnLabel
from pellucid.lab.documents.home import NAMESPACE as EIPS_NAMESPACE
from pellucid.lab.documents.home import document_of, indexed
from pellucid.lab.home import Home, asker, imported, namespace_of
from pellucid.lab.keeping import Report, place_for
from pellucid.lab.metrics.ranking import keys_of
from pellucid.lab.metrics.sessions import of_sessions
from pellucid.lab.run import Measure, measured
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
}
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, EOFError, LZMAError, re.error)
"""What a reader stumbles over in a file of another form."""
SESSION_BUDGETS = (2_000, 4_000)
FLOOR_CHARACTERS = 1_000
"""To which each spoken turn is cut before the floors of `sessions` see it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A set that can be asked: through `asker`, and through `floor` with one leg alone."""

    home: Home
    asker: Asker
    floor: Asker
    measure: Measure = measured
    unanswerable: tuple[LabelledQuestion, ...] = ()
    labels: tuple[TurnLabel, ...] = ()
    """What is worth keeping, turn by turn, where the set says so."""


class LabInput(Wire):
    """What to measure. `updates` asks for the order of changed facts alone; `without` is left out of every recall."""

    data: Annotated[Path, Flag("The folder (or file) of the data set, or of all of them.")]
    dataset: Annotated[
        Literal["locomo", "longmemeval", "scifact", "qmsum", "sessions", "eips", "graph", "asof"],
        Argument("locomo, longmemeval, scifact, qmsum, sessions, eips, graph or asof."),
    ]
    mode: Annotated[Mode, Flag("What is remembered, as in `pellucid import`.")] = "verbatim"
    updates: Annotated[bool, Flag("Only the order of facts that changed (longmemeval).")] = False
    without: Annotated[tuple[str, ...], Flag("Leave out a leg or stage.")] = ()
    settings: Annotated[dict[str, Any], Flag("A setting for this run: recall.topKFacts=20.", "--set")] = Field(
        default_factory=dict
    )
    """Such as `recall.legWeights.vector`."""
    ablate: Annotated[bool, Flag("Also without each leg and stage, as paired differences, with costs.")] = False
    context: Annotated[bool, Flag("Also how much evidence the assembled contexts hold.")] = False
    """Beside plain concatenations."""
    details: Annotated[bool, Flag("Add one row a question.")] = False
    sample: Annotated[str, Flag("Ask every Nth question (4), or another of each N (2/4: the second of four).")] = "1"
    """What is remembered stays whole."""
    limit: Annotated[int, Field(ge=0), Flag("Of these ask so many at most, spread evenly (0: all).")] = 0
    keep: Annotated[Path | None, Flag("Keep what is imported in this folder, for the next run.")] = None
    """Made if it is not there. What would not be made again just so is imported again."""
    budgets: tuple[int, ...] = ()
    """Characters of contexts whose evidence is one of the metrics; `sessions` has two of its own."""

    @property
    def share(self) -> Share:
        """The questions that are asked.

        Raises:
            InputError: `sample` says no share.
        """
        return share_of(self.sample, self.limit)


def share_of(sample: str, limit: int = 0) -> Share:
    """The share of the questions that `4` (every fourth) or `2/4` (the second of four) says, and the limit on it.

    Raises:
        InputError: it says none.
    """
    found = re.fullmatch(r"(?:([1-9]\d{0,5})/)?([1-9]\d{0,5})", sample.strip())
    share = Share(int(found[1] or 1), int(found[2]), limit) if found else Share(0, 0)
    if not 1 <= share.which <= share.of:
        raise InputError(
            f'{field_name("sample")} expects 4 (every fourth question) or 2/4 (the second of four); got "{sample}"',
            code="invalid_sample",
            next_step="give one number, or two with the lower one first",
        )
    return share


def check_files(name: str, data: Path) -> None:
    """See that the files of a set hold what they should, before hours are spent on it.

    Raises:
        InputError: they do not, or are not there.
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
def opened(settings: Settings, asked: LabInput, report: Report) -> Generator[Opened]:
    """Import a set into a home that is gone afterwards, or stays in `keep`.

    Raises:
        InputError: the set is not where `data` says, or no question of it is asked.
    """
    ways = {"sessions": _sessions, "eips": _eips}
    with ways.get(asked.dataset, _records)(settings, asked, report) as found:
        dataset = found.home.dataset.sampled(asked.share)
        if not dataset.questions:
            share = f" in the share {asked.share.which}/{asked.share.of}" if asked.share.of > 1 else ""
            raise InputError(
                f"{asked.dataset} has no question{share}", code="invalid_data", next_step="ask more, or others"
            )
        yield replace(found, home=replace(found.home, dataset=dataset))


@contextmanager
def _records(settings: Settings, asked: LabInput, report: Report) -> Generator[Opened]:
    dataset = LOADERS[asked.dataset](asked.data)
    with imported(settings, dataset, asked.mode, report, keep=asked.keep) as home:
        yield _plain(home, asked, longmemeval.unanswerable(asked.data) if asked.dataset == "longmemeval" else ())


def _plain(home: Home, asked: LabInput, unanswerable: tuple[LabelledQuestion, ...] = ()) -> Opened:
    ask = asker(home, asked.without, budgets=asked.budgets)
    return Opened(home, ask, ask, unanswerable=unanswerable)


@contextmanager
def _sessions(settings: Settings, asked: LabInput, report: Report) -> Generator[Opened]:
    """Transcripts imported as files, in order of time; beside them a home of spoken turns for the floors."""
    labelled = sessions.load(asked.data)
    budgets = tuple(dict.fromkeys((*asked.budgets, *SESSION_BUDGETS)))
    with _transcripts(settings, labelled, asked, report) as home:
        records = (Record(key, Turn("", 0, "user", text[:FLOOR_CHARACTERS])) for key, text in labelled.spoken.items())
        spoken = Dataset("spoken", (Group(home.dataset.groups[0].name, tuple(records), labelled.questions),))
        with imported(settings, spoken, "verbatim", report, keep=asked.keep) as floor:
            yield Opened(
                home,
                asker(home, asked.without, budgets=budgets),
                _with_plain_contexts(asker(floor, depth=UNCUT), budgets),
                of_sessions(labelled.wanted),
                labelled.unanswerable,
                labelled.labels,
            )


@contextmanager
def _transcripts(settings: Settings, labelled: Sessions, asked: LabInput, report: Report) -> Generator[Home]:
    """A home that has imported the transcripts as files, in order of time."""
    bare, mode = Group("sessions", (), labelled.questions), asked.mode
    with (
        place_for(asked.keep, f"sessions-{mode}", settings, labelled.transcripts, report) as standing,
        standing.home(settings, report) as app,
    ):
        paths = tuple(standing.folder / f"{each.name}.jsonl" for each in labelled.transcripts)

        def work() -> None:
            for path, each in zip(paths, labelled.transcripts, strict=True):
                path.write_text(each.text, "utf-8")
            report(f"importing {len(paths)} transcripts, {mode}")
            said = import_transcripts(app, ImportInput(paths=paths, mode=mode, namespace=namespace_of(bare)))
            if problem := said.extractor_problem or said.encoder_problem:
                raise StoreError(f"not every transcript was imported: {problem}", next_step="mend it, and run again")

        if standing.at is None:
            standing.make(work)
        turns = [turn for turn in read(paths, settings.capture, CaptureReport()) if turn.kind not in UNSAID]
        group = replace(bare, records=tuple(Record(_key(turn, labelled), turn) for turn in turns))
        home = Home.of(app, Dataset("sessions", (group,)), standing)
        if mode == "verbatim":
            home.check_all_there()
        yield home


def _key(turn: Turn, labelled: Sessions) -> str:
    """The uuid of a spoken turn; what else was captured has a key that no label knows."""
    uuid = (turn.key or "").rpartition("#")[0]
    if turn.role != "tool" and uuid in labelled.spoken:
        return uuid
    return f"{turn.session_id}:{turn.ordinal}"


def _with_plain_contexts(ask: Asker, budgets: Sequence[int]) -> Asker:
    """The same rankings, with contexts that are the texts, one a line, cut at the budget."""

    def filled(group: Group, question: LabelledQuestion, variants: Sequence[Variant]) -> list[RankedAnswer]:
        return [
            replace(answer, contexts={budget: _plain_context(answer, budget) for budget in budgets})
            for answer in ask.ask(group, question, variants)
        ]

    return Asker(filled, ask.encode, ask.clock)


def _plain_context(answer: RankedAnswer, budget: int) -> LabContext:
    """The texts of a ranking, one a line, cut at the budget."""
    keys, text = list[str](), ""
    for item, each in zip(answer.ranking, answer.texts, strict=True):
        if len(text) >= budget:
            break
        keys += keys_of(item)
        text += each + "\n"
    return LabContext(keys, text[:budget])


@contextmanager
def _eips(settings: Settings, asked: LabInput, report: Report) -> Generator[Opened]:
    """Documents indexed as a folder, asked what each of them depends on; stubs that moved away count nowhere."""
    documents, truth = eips.documents(asked.data), eips.requires(asked.data)
    there = {each.number for each in documents if each.status != eips.MOVED}
    questions = [
        LabelledQuestion(f"eip-{number}", f"what does EIP-{number} depend on", labels, about=str(number))
        for number, targets in sorted(truth.items())
        if number in there and (labels := {str(target): 1 for target in targets & there})
    ]
    records = tuple(
        Record(str(each.number), Turn("", 0, "user", each.text)) for each in documents if each.number in there
    )
    group = Group(EIPS_NAMESPACE.partition("/")[2], records, tuple(questions))

    def keys_of_section(_: Group, memory: Memory) -> tuple[str, ...]:
        number = document_of(memory)
        return (str(number),) if number in there else ()

    with indexed(settings, documents, report, asked.keep) as home:
        yield _plain(Home.of(home.app, Dataset("eips", (group,)), home.made, keys_of_section), asked)
