"""A data set in, a home that remembers it and recalls that are ranked by its records out."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from time import perf_counter

from pellucid.app import App
from pellucid.capture.identity import turn_key
from pellucid.errors import StoreError
from pellucid.lab.asking import Asker, Questioner, RankedAnswer
from pellucid.lab.contexts import UNCUT, Recalled, Recalling
from pellucid.lab.datasets.dataset import Dataset, Group, KeptMemory, LabelledQuestion, Record
from pellucid.lab.datasets.places import Places
from pellucid.lab.keeping import KeptHome, Report, place_for
from pellucid.lab.variants import Variant
from pellucid.memory.changes import memory_write
from pellucid.model.memory import TRANSCRIBED, Memory
from pellucid.operations.session.intake import Intake, Mode, purpose_of
from pellucid.recall.state import Request
from pellucid.settings import Settings

DOCUMENTS_A_COMMIT = 500
UNLIMITED = 1 << 40
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
KeysOf = Callable[[Group, Memory], tuple[str, ...]]
"""The keys of the records that a memory stands in."""


@dataclass(frozen=True, slots=True)
class Home:
    """A data set in a home: what is kept of each group, by memory id, and what that took."""

    app: App
    dataset: Dataset
    kept: Mapping[str, Mapping[str, KeptMemory]]
    """By the group's name."""
    price: Mapping[str, float]
    today: datetime
    """When it is asked: the day of the import, or the one after the newest of the set's sessions."""

    @classmethod
    def of(cls, app: App, dataset: Dataset, made: KeptHome, keys_of: KeysOf | None = None) -> "Home":
        """A home after its import; records are found by the evidence of memories.

        `price`: `importSeconds`, `recordCharacters`, `memories`, and `diskBytes` of the whole home.
        """
        kept = {
            group.name: {
                memory.id: KeptMemory(memory.content, keys, memory.category in TRANSCRIBED)
                for memory, keys in _memories_with_keys(app, group, keys_of)
            }
            for group in dataset.groups
        }
        price = {
            "importSeconds": round(made.seconds, 1),
            "recordCharacters": sum(len(record.turn.content) for group in dataset.groups for record in group.records),
            "memories": sum(map(len, kept.values())),
            "diskBytes": made.size,
        }
        dates = [record.turn.at for group in dataset.groups for record in group.records if record.turn.at]
        return cls(
            app, dataset, kept, price, max([made.at or datetime.now(UTC), *(at + timedelta(days=1) for at in dates)])
        )

    def distilled(self, group: Group) -> list[KeptMemory]:
        """What was made of a group's records, their own words left out."""
        return [each for each in self.kept[group.name].values() if not each.transcribed]

    def memories(self, group: Group) -> list[tuple[Memory, tuple[str, ...]]]:
        """Every memory of a group, with the keys of the records it stands in."""
        held = self.app.index.memories(namespace_of(group))
        return [(each.memory, self.kept[group.name][each.memory.id].keys) for each in held]

    def check_all_there(self) -> None:
        """A set that is not remembered whole would be measured wrongly, and nobody would see it.

        Raises:
            StoreError: some record stands in no memory.
        """
        for group in self.dataset.groups:
            there = {key for each in self.kept[group.name].values() for key in each.keys}
            expected = {record.key for record in group.records}
            if missing := expected - there:
                said = f"{len(expected)} records were imported into {namespace_of(group)}"
                raise StoreError(f"{said}, and {len(missing)} are not there; the first is {min(missing)}")


def _memories_with_keys(app: App, group: Group, keys_of: KeysOf | None) -> Iterable[tuple[Memory, tuple[str, ...]]]:
    """The memories of a group, each with the keys of the records that its evidence names."""
    places = Places.of(group)
    for each in app.index.memories(namespace_of(group)):
        memory = each.memory
        yield memory, keys_of(group, memory) if keys_of else places.covered(memory.evidence)


@contextmanager
def imported(
    settings: Settings,
    dataset: Dataset,
    mode: Mode,
    report: Report,
    *,
    newer_last: bool = False,
    keep: Path | None = None,
) -> Generator[Home]:
    """Import a data set as everybody does; with `newer_last` the newer statements of changed facts after all others.

    With `keep` the home stays in that folder, and is not imported again while it would be made again just so.

    Raises:
        StoreError: every record should be remembered, and one is not.
    """
    made_of = ((group.name, record) for group in dataset.groups for record in group.records)
    name = f"{dataset.name}-{mode}" + ("-updates" if newer_last else "")
    with (
        place_for(keep, name, settings, chain((newer_last,), made_of), report) as standing,
        standing.home(settings, report) as app,
    ):

        def work() -> None:
            report(f"importing {sum(len(group.records) for group in dataset.groups)} records, {mode}")
            for group in dataset.groups:
                _import_group(app, group, mode, newer_last=newer_last)

        if standing.at is None:
            standing.make(work)
        home = Home.of(app, dataset, standing)
        if mode != "extract":
            home.check_all_there()
        yield home


def _import_group(app: App, group: Group, mode: Mode, *, newer_last: bool) -> None:
    """Import the records of a group: turns as an import takes them, documents as a memory each."""
    namespace = namespace_of(group)
    turns = [record for record in group.records if record.turn.ordinal]
    for part in _imports_in_order(group, turns, mode, newer_last=newer_last):
        purpose = purpose_of(namespace, mode)
        Intake(app, namespace, mode).take((turn_key(r.turn, app.key, purpose), r.turn) for r in part)
    documents = [record for record in group.records if not record.turn.ordinal]
    for start in range(0, len(documents), DOCUMENTS_A_COMMIT):
        batch = documents[start : start + DOCUMENTS_A_COMMIT]
        app.unit_of_work.commit(
            "import",
            [memory_write(_document_memory(app, namespace, record.key, record.turn.content)) for record in batch],
        )


def _imports_in_order(group: Group, turns: Iterable[Record], mode: Mode, *, newer_last: bool) -> list[list[Record]]:
    """The imports to make, one after another: in order of time where it matters, newer statements after all others."""
    if mode == "verbatim" and not newer_last:
        return [sorted(turns, key=lambda record: (record.turn.session_id, record.turn.ordinal))]
    dated = sorted(turns, key=lambda record: record.turn.at or _EPOCH)
    newer = {key for update in group.updates for key in update.newer} if newer_last else set[str]()
    return [
        [record for record in dated if record.key not in newer],
        [record for record in dated if record.key in newer],
    ]


def _document_memory(app: App, namespace: str, key: str, text: str) -> Memory:
    """One memory that holds a whole document's text, with the document's key as evidence."""
    now = app.clock.now()
    return Memory(
        id=app.clock.new_id("mem"),
        category="fact",
        namespace=namespace,
        created=now,
        updated=now,
        source="document",
        evidence=(f"{key}:1-1",),
        content=text,
    )


def asker(home: Home, left_out: Iterable[str] = (), *, budgets: tuple[int, ...] = (), depth: int = 0) -> Asker:
    """Asks the home, after the newest of its sessions; `depth` places instead of the setting's `topK`.

    With `budgets` there is a context for each, as with `pellucid recall --budget`, and the time is that of the first.
    """
    most = depth or (UNCUT if budgets else 0)
    changes = {"top_k_facts": most} if most else dict[str, int]()
    left_out = frozenset(left_out)

    def questioner(group: Group, question: LabelledQuestion) -> Questioner:
        request = _request(home, group, question, changes, left_out)
        return Questioner(home.app.recaller, home.kept[group.name], request, budgets, question.about)

    def ask(group: Group, question: LabelledQuestion, variants: Sequence[Variant]) -> list[RankedAnswer]:
        return questioner(group, question).answers(variants)

    def clock(group: Group, question: LabelledQuestion, variant: Variant) -> float:
        return questioner(group, question).clock(variant)

    def encode(question: LabelledQuestion) -> float:
        started = perf_counter()
        home.app.embedder.encode_query(question.text)
        return (perf_counter() - started) * 1000

    return Asker(ask, encode, clock)


def recalling(home: Home, left_out: Iterable[str] = ()) -> Recalling:
    """Recalls of the home, on a day after the newest of its sessions, with some settings changed."""
    always = frozenset(left_out)

    def with_settings(changes: Mapping[str, float], without: tuple[str, ...] = ()) -> Recalled:
        left_out = always | frozenset(without)
        return lambda group, question: home.app.recaller.run(_request(home, group, question, changes, left_out))

    return with_settings


def _request(
    home: Home, group: Group, question: LabelledQuestion, changes: Mapping[str, float], left_out: frozenset[str]
) -> Request:
    """The recall request of a labelled question, on a day after the newest session."""
    settings = home.app.settings.recall.model_copy(update={"char_budget": UNLIMITED} | dict(changes))
    return Request(
        question.text,
        namespace_of(group),
        home.app.clock.new_id("rec"),
        home.today,
        settings,
        without=left_out,
        chosen=frozenset(changes),
    )


def namespace_of(group: Group) -> str:
    """The namespace a group is imported into."""
    return f"lab/{re.sub('[^a-z0-9._-]', '-', group.name.lower()).strip('._-') or 'group'}"
