"""A data set in, a throw-away home that remembers it and recalls that are ranked by its records out."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from pellucid.app import App, open_app
from pellucid.capture.identity import turn_key
from pellucid.errors import StoreError
from pellucid.lab.contexts import UNCUT, Recalled, Recalling
from pellucid.lab.datasets.dataset import Dataset, Group, KeptMemory, LabelledQuestion, Record
from pellucid.lab.datasets.places import Places, ranked
from pellucid.lab.run import Asker, LabContext, RankedAnswer
from pellucid.memory.keep import memory_write
from pellucid.model.memory import TRANSCRIBED, Memory, unpack_id
from pellucid.operations.session.intake import Intake, Mode
from pellucid.recall.state import Request, State
from pellucid.settings import Settings

DOCUMENTS_A_COMMIT = 500
UNLIMITED = 1 << 40
MMR_LAMBDA_TRIED = 0.3
"""What the parts that are off by default are measured with."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Report = Callable[[str], None]
KeysOf = Callable[[Group, Memory], tuple[str, ...]]
"""The keys of the records that a memory stands in."""


@dataclass(frozen=True, slots=True)
class Home:
    """A data set in a throw-away home: what is kept of each group, by memory id, and what that took."""

    app: App
    dataset: Dataset
    kept: Mapping[str, Mapping[str, KeptMemory]]
    """By the group's name."""
    price: Mapping[str, float]

    @classmethod
    def of(cls, app: App, dataset: Dataset, seconds: float, keys_of: KeysOf | None = None) -> "Home":
        """A home after an import that took so many seconds; records are found by the evidence of memories.

        `price`: `importSeconds`, `recordCharacters`, `memories`, and `diskBytes` of the whole home.
        """
        kept = {
            group.name: {
                memory.id: KeptMemory(memory.content, keys, memory.category in TRANSCRIBED)
                for memory, keys in _standing(app, group, keys_of)
            }
            for group in dataset.groups
        }
        files = (path for path in app.settings.home.rglob("*") if path.is_file())
        price = {
            "importSeconds": round(seconds, 1),
            "recordCharacters": sum(len(record.turn.content) for group in dataset.groups for record in group.records),
            "memories": sum(map(len, kept.values())),
            "diskBytes": sum(path.stat().st_size for path in files),
        }
        return cls(app, dataset, kept, price)

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


def _standing(app: App, group: Group, keys_of: KeysOf | None) -> Iterable[tuple[Memory, tuple[str, ...]]]:
    places = Places.of(group)
    for each in app.index.memories(namespace_of(group)):
        memory = each.memory
        yield memory, keys_of(group, memory) if keys_of else places.covered(memory.evidence)


@contextmanager
def throw_away(settings: Settings, report: Report) -> Generator[App]:
    """An open home that is gone afterwards; the model's files stay where they are."""
    with TemporaryDirectory(prefix="pellucid-lab-") as folder:
        app = open_app(
            settings.model_copy(update={"home": Path(folder)}), models=settings.home / "models", report=report
        )
        try:
            yield app
        finally:
            app.close()


@contextmanager
def imported(
    settings: Settings, dataset: Dataset, mode: Mode, report: Report, *, newer_last: bool = False
) -> Generator[Home]:
    """Import a data set as everybody does; with `newer_last` the newer statements of changed facts after all others.

    Raises:
        StoreError: every record should be remembered, and one is not.
    """
    with throw_away(settings, report) as app:
        report(f"importing {sum(len(group.records) for group in dataset.groups)} records, {mode}")
        begun = perf_counter()
        for group in dataset.groups:
            _import(app, group, mode, newer_last=newer_last)
        home = Home.of(app, dataset, perf_counter() - begun)
        if mode != "extract":
            home.check_all_there()
        yield home


def _import(app: App, group: Group, mode: Mode, *, newer_last: bool) -> None:
    namespace = namespace_of(group)
    turns = [record for record in group.records if record.turn.ordinal]
    for part in _parts(group, turns, mode, newer_last=newer_last):
        purpose = f"{namespace} {mode}"
        Intake(app, namespace, mode).take((turn_key(r.turn, app.key, purpose), r.turn) for r in part)
    documents = [record for record in group.records if not record.turn.ordinal]
    for start in range(0, len(documents), DOCUMENTS_A_COMMIT):
        batch = documents[start : start + DOCUMENTS_A_COMMIT]
        app.keeper.commit(
            "import", [memory_write(_document(app, namespace, record.key, record.turn.content)) for record in batch]
        )


def _parts(group: Group, turns: Iterable[Record], mode: Mode, *, newer_last: bool) -> list[list[Record]]:
    """The imports to make, one after another: in order of time where it matters, newer statements after all others."""
    if mode == "verbatim" and not newer_last:
        return [sorted(turns, key=lambda record: (record.turn.session_id, record.turn.ordinal))]
    dated = sorted(turns, key=lambda record: record.turn.at or _EPOCH)
    newer = {key for update in group.updates for key in update.newer} if newer_last else set[str]()
    return [
        [record for record in dated if record.key not in newer],
        [record for record in dated if record.key in newer],
    ]


def _document(app: App, namespace: str, key: str, text: str) -> Memory:
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
    """Asks the throw-away home, after the newest of its sessions; `depth` places instead of the setting's `topK`.

    With `budgets` every question is asked once for each, as with `pellucid recall --budget`, and the ranking and the
    time are those of the first.
    """
    most = depth or (UNCUT if budgets else 0)
    cut = {"top_k_facts": most} if most else dict[str, int]()
    asking = recalling(home, left_out)

    def ask(group: Group, question: LabelledQuestion, without: tuple[str, ...], trying: str) -> RankedAnswer:
        tried = {"mmr_lambda": MMR_LAMBDA_TRIED} if trying == "diversify" else dict[str, float]()
        kept, states = home.kept[group.name], list[State]()
        millis = 0.0
        for budget in budgets or (0,):
            asked = asking(cut | ({"char_budget": budget} if budgets else {}) | tried, without)
            started = perf_counter()
            states.append(asked(group, question))
            millis = millis or (perf_counter() - started) * 1000
        first = states[0]
        alone = [at for at in first.order.tolist() if at not in first.repeats]
        found = (kept[unpack_id(at)] for at in first.pool.ids[alone].tolist())
        places = ranked(found, len(first.served), question.about)
        return RankedAnswer(
            [_item(each.keys) for each in places],
            millis,
            {leg.name: leg.admitted for leg in first.legs if leg.health != "off"},
            [each.text for each in places],
            {budget: _held(kept, state) for budget, state in zip(budgets, states, strict=False)},
        )

    def encode(question: LabelledQuestion) -> float:
        started = perf_counter()
        home.app.embedder.encode_query(question.text)
        return (perf_counter() - started) * 1000

    return Asker(ask, encode)


def _held(kept: Mapping[str, KeptMemory], state: State) -> LabContext:
    keys = chain.from_iterable(kept[memory_id].keys for memory_id in state.context.included)
    return LabContext(tuple(dict.fromkeys(keys)), state.context.text)


def recalling(home: Home, left_out: Iterable[str] = ()) -> Recalling:
    """Recalls of the throw-away home, on a day after the newest of its sessions, with some settings changed."""
    app, today, always = home.app, _today(home.dataset), frozenset(left_out)

    def with_settings(changes: Mapping[str, float], without: tuple[str, ...] = ()) -> Recalled:
        settings = app.settings.recall.model_copy(update={"char_budget": UNLIMITED} | dict(changes))

        def recalled(group: Group, question: LabelledQuestion) -> State:
            request = Request(
                question.text,
                namespace_of(group),
                app.clock.new_id("rec"),
                today,
                settings,
                without=always | frozenset(without),
                chosen=frozenset(changes),
            )
            return app.recaller.run(request)

        return recalled

    return with_settings


def _today(dataset: Dataset) -> datetime:
    """Now, or the day after the newest of a set's sessions."""
    dates = [record.turn.at for group in dataset.groups for record in group.records if record.turn.at]
    return max([datetime.now(UTC), *(at + timedelta(days=1) for at in dates)])


def _item(keys: tuple[str, ...]) -> str | tuple[str, ...]:
    return keys[0] if len(keys) == 1 else keys


def namespace_of(group: Group) -> str:
    """The namespace a group is imported into."""
    return f"lab/{re.sub('[^a-z0-9._-]', '-', group.name.lower()).strip('._-') or 'group'}"
