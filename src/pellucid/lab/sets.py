"""A set's name and where it lies in, a home that holds it out, with how its answers are measured and beside what."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.errors import StoreError
from pellucid.lab.contexts import UNCUT
from pellucid.lab.datasets import eips, locomo, longmemeval, qmsum, scifact, sessions
from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record
from pellucid.lab.datasets.sessions import Sessions, TurnLabel
from pellucid.lab.documents import NAMESPACE as EIPS_NAMESPACE
from pellucid.lab.documents import document_of, indexed
from pellucid.lab.home import Home, Report, asker, imported, namespace_of, throw_away
from pellucid.lab.metrics.ranking import keys_of
from pellucid.lab.metrics.sessions import of_sessions
from pellucid.lab.run import Asker, LabContext, Measure, RankedAnswer, measured
from pellucid.memory.episodes import UNSAID
from pellucid.model.memory import Memory
from pellucid.model.turn import Turn
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.operations.session.intake import Mode
from pellucid.settings import Settings

LOADERS: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "scifact": scifact.load,
    "qmsum": qmsum.load,
}
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


@dataclass(frozen=True, slots=True)
class LabRequest:
    """Which set, where, in which mode, what every recall leaves out, and the budgets of contexts (`()`: none)."""

    name: str
    data: Path
    mode: Mode
    without: tuple[str, ...] = ()
    budgets: tuple[int, ...] = ()


@contextmanager
def opened(settings: Settings, asked: LabRequest, report: Report) -> Generator[Opened]:
    """Import a set into a home that is gone afterwards.

    Raises:
        InputError: the set is not where `data` says.
    """
    if asked.name == "sessions":
        with _sessions(settings, asked, report) as found:
            yield found
    elif asked.name == "eips":
        with _eips(settings, asked, report) as home:
            yield _plain(home, asked)
    else:
        dataset = LOADERS[asked.name](asked.data)
        with imported(settings, dataset, asked.mode, report) as home:
            unanswerable = longmemeval.unanswerable(asked.data) if asked.name == "longmemeval" else ()
            yield _plain(home, asked, unanswerable)


def _plain(home: Home, asked: LabRequest, unanswerable: tuple[LabelledQuestion, ...] = ()) -> Opened:
    ask = asker(home, asked.without, budgets=asked.budgets)
    return Opened(home, ask, ask, unanswerable=unanswerable)


@contextmanager
def _sessions(settings: Settings, asked: LabRequest, report: Report) -> Generator[Opened]:
    """Transcripts imported as files, in order of time; beside them a home of spoken turns for the floors."""
    labelled = sessions.load(asked.data)
    budgets = tuple(dict.fromkeys((*asked.budgets, *SESSION_BUDGETS)))
    with _transcripts(settings, labelled, asked.mode, report) as home:
        records = (Record(key, Turn("", 0, "user", text[:FLOOR_CHARACTERS])) for key, text in labelled.spoken.items())
        spoken = Dataset("spoken", (Group(home.dataset.groups[0].name, tuple(records), labelled.questions),))
        with imported(settings, spoken, "verbatim", report) as floor:
            yield Opened(
                home,
                asker(home, asked.without, budgets=budgets),
                _filling(asker(floor, depth=UNCUT), budgets),
                of_sessions(labelled.wanted),
                labelled.unanswerable,
                labelled.labels,
            )


@contextmanager
def _transcripts(settings: Settings, labelled: Sessions, mode: Mode, report: Report) -> Generator[Home]:
    asked = Group("sessions", (), labelled.questions)
    with TemporaryDirectory(prefix="pellucid-lab-") as folder, throw_away(settings, report) as app:
        paths = tuple(Path(folder, f"{each.name}.jsonl") for each in labelled.transcripts)
        for path, each in zip(paths, labelled.transcripts, strict=True):
            path.write_text(each.text, "utf-8")
        report(f"importing {len(paths)} transcripts, {mode}")
        begun = perf_counter()
        said = import_transcripts(app, ImportInput(paths=paths, mode=mode, namespace=namespace_of(asked)))
        seconds = perf_counter() - begun
        if problem := said.extractor_problem or said.encoder_problem:
            raise StoreError(f"not every transcript was imported: {problem}", next_step="mend it, and run again")
        turns = [turn for turn in read(paths, settings.capture, CaptureReport()) if turn.kind not in UNSAID]
        group = replace(asked, records=tuple(Record(_key(turn, labelled), turn) for turn in turns))
        home = Home.of(app, Dataset("sessions", (group,)), seconds)
        if mode == "verbatim":
            home.check_all_there()
        yield home


def _key(turn: Turn, labelled: Sessions) -> str:
    """The uuid of a spoken turn; what else was captured has a key that no label knows."""
    uuid = (turn.key or "").rpartition("#")[0]
    if turn.role != "tool" and uuid in labelled.spoken:
        return uuid
    return f"{turn.session_id}:{turn.ordinal}"


def _filling(ask: Asker, budgets: Sequence[int]) -> Asker:
    """The same rankings, with contexts that are the texts, one a line, cut at the budget."""

    def filled(group: Group, question: LabelledQuestion, without: tuple[str, ...], trying: str) -> RankedAnswer:
        answer = ask.ask(group, question, without, trying)
        return replace(answer, contexts={budget: _fill(answer, budget) for budget in budgets})

    return Asker(filled, ask.encode)


def _fill(answer: RankedAnswer, budget: int) -> LabContext:
    keys, text = list[str](), ""
    for item, each in zip(answer.ranking, answer.texts, strict=True):
        if len(text) >= budget:
            break
        keys += keys_of(item)
        text += each + "\n"
    return LabContext(keys, text[:budget])


@contextmanager
def _eips(settings: Settings, asked: LabRequest, report: Report) -> Generator[Home]:
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

    with indexed(settings, documents, report) as home:
        yield Home.of(home.app, Dataset("eips", (group,)), home.speed["seconds"], keys_of_section)
