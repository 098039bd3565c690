"""A data set in, a home that remembers it and recalls that are ranked by its records out."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from time import perf_counter

from pellucid.app import App
from pellucid.capture.identity import turn_fingerprint
from pellucid.errors import StoreError
from pellucid.lab.asking import Asker, Questioner
from pellucid.lab.contexts import UNCUT, AskRecall, Recalling
from pellucid.lab.datasets.dataset import Dataset, Group, KeptMemory, LabelledQuestion, Record
from pellucid.lab.datasets.places import Places
from pellucid.lab.keeping import KeptHome, Report, place_for
from pellucid.memory.changes import memory_write
from pellucid.model.memory import TRANSCRIBED, Memory
from pellucid.operations.session.intake import Intake, Mode, purpose_of
from pellucid.recall.state import Request
from pellucid.settings import Settings

DOCUMENTS_A_COMMIT = 500
UNLIMITED = 1 << 40
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
KeysOf = Callable[[Group, Memory], tuple[str, ...]]  # the keys of the records that a memory stands in


@dataclass(frozen=True, slots=True)
class Home:
    """A data set imported into a home: the memories of each group by id, and what the import took."""

    app: App
    dataset: Dataset
    kept: Mapping[str, Mapping[str, KeptMemory]]  # by the group's name
    price: Mapping[str, float]
    today: datetime
    """The instant of its questions: the day of the import, or the day after the newest session of the set."""

    @classmethod
    def of(cls, app: App, dataset: Dataset, made: KeptHome, keys_of: KeysOf | None = None) -> "Home":
        """Return the home of an open `app` after its import; `made` says when that was, how long it took and how big
        the home is.

        `keys_of` returns the keys of a memory's records, by default of those that its evidence names. `price` has
        `importSeconds`, `recordCharacters`, `memories`, and `diskBytes` of the whole home. `today` is the time of the
        import, or a day after the newest record if that is later.
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
        """Return the memories of a group without those transcribed word for word (passages, sections)."""
        return [each for each in self.kept[group.name].values() if not each.transcribed]

    def memories(self, group: Group) -> list[tuple[Memory, tuple[str, ...]]]:
        """Return every memory of a group, with the keys of its records (by default those that its evidence names)."""
        stored = self.app.index.memories(namespace_of(group))
        return [(each.memory, self.kept[group.name][each.memory.id].keys) for each in stored]

    def check_all_there(self) -> None:
        """Raise StoreError if some record is covered by no memory's evidence, as the set would be measured wrongly."""
        for group in self.dataset.groups:
            found = {key for each in self.kept[group.name].values() for key in each.keys}
            expected = {record.key for record in group.records}
            if missing := expected - found:
                words = f"{len(expected)} records were imported into {namespace_of(group)}"
                raise StoreError(f"{words}, and {len(missing)} are not there; the first is {min(missing)}")


def _memories_with_keys(app: App, group: Group, keys_of: KeysOf | None) -> Iterable[tuple[Memory, tuple[str, ...]]]:
    """Yield the memories of a group, each with the keys of its records: by `keys_of`, or if that is None, of those that
    its evidence names.
    """
    places = Places.of(group)
    for each in app.index.memories(namespace_of(group)):
        memory = each.memory
        yield memory, keys_of(group, memory) if keys_of else places.covered(memory.evidence)


@contextmanager
def import_data_set(
    settings: Settings,
    dataset: Dataset,
    mode: Mode,
    report: Report,
    *,
    newer_last: bool = False,
    keep: Path | None = None,
) -> Generator[Home]:
    """Import a data set as a user would, and yield its home for the block.

    `mode` is that of the import of turns; `newer_last` imports newer statements of changed facts last. With `keep` the
    home stays in that folder, and is reused while code, settings and records are the same. `report` gets lines for the
    user. Raises StoreError if a record is in no memory, unless the mode is `extract`, or if another run uses `keep`;
    InputError if `keep` has foreign files or is read-only.
    """
    made_of = ((group.name, record) for group in dataset.groups for record in group.records)
    name = f"{dataset.name}-{mode}" + ("-updates" if newer_last else "")
    with (
        place_for(keep, name, settings, chain((newer_last,), made_of), report) as place,
        place.home(settings, report) as app,
    ):

        def work() -> None:
            """Import every group."""
            report(f"importing {sum(len(group.records) for group in dataset.groups)} records, {mode}")
            for group in dataset.groups:
                _import_group(app, group, mode, newer_last=newer_last)

        place.make_once(work)
        home = Home.of(app, dataset, place)
        if mode != "extract":
            home.check_all_there()
        yield home


def _import_group(app: App, group: Group, mode: Mode, *, newer_last: bool) -> None:
    """Import the records of a group: turns as an import in this mode takes them (with `newer_last`, the newer
    statements of changed facts after all others), documents (ordinal 0) as a memory each.
    """
    namespace = namespace_of(group)
    turns = [record for record in group.records if record.turn.ordinal]
    for part in _imports_in_order(group, turns, mode, newer_last=newer_last):
        purpose = purpose_of(namespace, mode)
        Intake(app, namespace, mode).take(
            replace(r.turn, fingerprint=turn_fingerprint(r.turn, app.key, purpose)) for r in part
        )
    documents = [record for record in group.records if not record.turn.ordinal]
    for start in range(0, len(documents), DOCUMENTS_A_COMMIT):
        batch = documents[start : start + DOCUMENTS_A_COMMIT]
        app.unit_of_work.commit(
            "import",
            [memory_write(_document_memory(app, namespace, record.key, record.turn.content)) for record in batch],
        )


def _imports_in_order(group: Group, turns: Iterable[Record], mode: Mode, *, newer_last: bool) -> list[list[Record]]:
    """Split turns into imports: one, sorted by session and turn, with `verbatim` and without `newer_last`; else two,
    each sorted by date, turns without a date first.

    Of two, the second has the newer statements of changed facts; it is empty without `newer_last`.
    """
    if mode == "verbatim" and not newer_last:
        return [sorted(turns, key=lambda record: (record.turn.session_id, record.turn.ordinal))]
    dated = sorted(turns, key=lambda record: record.turn.at or _EPOCH)
    newer = {key for update in group.updates for key in update.newer} if newer_last else set[str]()
    return [
        [record for record in dated if record.key not in newer],
        [record for record in dated if record.key in newer],
    ]


def _document_memory(app: App, namespace: str, key: str, text: str) -> Memory:
    """Make one memory of a whole document's text, with the document's key as evidence; it is not stored yet."""
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


def make_asker(home: Home, left_out: Iterable[str] = (), *, budgets: tuple[int, ...] = (), depth: int = 0) -> Asker:
    """Return the functions that ask the home; `left_out` are names of legs, stages or terms that every recall leaves
    out.

    `budgets` are those of the contexts to assemble, in characters; without any, contexts have no limit and are left out
    of the answers. An answer has at most `depth` ranks; if that is 0, 100 with `budgets`, and `topK` without.
    """
    max_count = depth or (UNCUT if budgets else 0)
    changes = {"top_k_facts": max_count} if max_count else dict[str, int]()
    left_out = frozenset(left_out)

    def questioner(group: Group, question: LabelledQuestion) -> Questioner:
        """Return what asks one question of a group, with the budgets, settings and left-out parts of this asker."""
        request = _request(home, group, question, changes, left_out)
        return Questioner(home.app.recaller, home.kept[group.name], request, budgets, question.about)

    def encode(question: LabelledQuestion) -> float:
        """Encode a question's text; return the milliseconds it takes."""
        started = perf_counter()
        home.app.embedder.encode_query(question.text)
        return (perf_counter() - started) * 1000

    return Asker(
        lambda group, question, variants: questioner(group, question).answers(variants),
        encode,
        lambda group, question, variant: questioner(group, question).clock(variant),
    )


def make_recalling(home: Home, left_out: Iterable[str] = ()) -> Recalling:
    """Return a function that makes recalls of the home with other settings, asked at `home.today` and not recorded;
    `left_out` are names of legs, stages or terms that none of them has.
    """
    always = frozenset(left_out)

    def with_settings(changes: Mapping[str, float], without: tuple[str, ...] = ()) -> AskRecall:
        """Return a function that recalls with these settings changed and these parts left out."""
        left_out = always | frozenset(without)
        return lambda group, question: home.app.recaller.run(_request(home, group, question, changes, left_out))

    return with_settings


def _request(
    home: Home, group: Group, question: LabelledQuestion, changes: Mapping[str, float], left_out: frozenset[str]
) -> Request:
    """Return the recall request of a labelled question, asked at `home.today`, with the recall settings `changes`
    (field names to values). Its context has no limit of characters unless `changes` sets `char_budget`.
    """
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
    """Return the namespace that a group is imported into: `lab/conv-26` for `conv-26`.

    The name is taken in lower case, each character but `a-z0-9._-` as `-`, without `.`, `_` and `-` at both ends;
    `lab/group` if nothing is left. Two names can share a namespace."""
    return f"lab/{re.sub('[^a-z0-9._-]', '-', group.name.lower()).strip('._-') or 'group'}"
