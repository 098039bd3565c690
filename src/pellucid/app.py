"""Settings in, a wired system out: which store, which encoder, which stages. Wiring only.

Heavy parts are loaded when they are first used, so that a command does not wait for what it does not need.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.clock import Clock, SystemClock
from pellucid.deadline import Deadline
from pellucid.documents.names.naming import Naming
from pellucid.encoders.minilm.encoder import MODEL_NAME, MiniLM
from pellucid.encoders.port import Embedder
from pellucid.encoders.rerank.reranker import open_reranker
from pellucid.memory.indexer import Indexer
from pellucid.memory.unit_of_work import UnitOfWork
from pellucid.model.project import DEFAULT, Project
from pellucid.process import raise_open_files
from pellucid.recall.recaller import Recaller
from pellucid.settings import Settings
from pellucid.settings.sections import LlmSettings, TelemetrySettings
from pellucid.store.graph_port import GraphLookup
from pellucid.store.history.citations_port import Citations
from pellucid.store.history.history_port import History
from pellucid.store.history.receipts_port import Receipts
from pellucid.store.history.telemetry_port import Surface, Telemetry
from pellucid.store.history.traces_port import Traces
from pellucid.store.history.uses_port import Uses
from pellucid.store.index_port import Index, Scrubber
from pellucid.store.local.access_file import AccessFile
from pellucid.store.local.database import may_not_be_written
from pellucid.store.local.history.history import LocalHistory
from pellucid.store.local.index.local_index import LocalIndex
from pellucid.store.local.lock import WriteLock
from pellucid.store.local.spool import LocalSpool
from pellucid.store.local.vault.project_file import ProjectFile
from pellucid.store.local.vault.records import LocalRecords
from pellucid.store.lookup_port import Lookup
from pellucid.store.records import Eraser, Ledger, Records
from pellucid.store.spool_port import Spool
from pellucid.telemetry.watcher import Watcher

if TYPE_CHECKING:
    from pellucid.encoders.chat.model import ChatModel

HAND_WRITTEN = DEFAULT
"""The namespace of a file that names no namespace: always the same, whatever the settings or the working folder."""


@dataclass(frozen=True, slots=True)
class App:
    """The parts of one running Pellucid, wired to one home."""

    settings: Settings
    clock: Clock
    records: Records
    ledger: Ledger
    eraser: Eraser
    index: Index
    scrubber: Scrubber
    lookup: Lookup
    history: History
    receipts: Receipts
    """Lists of recalls by what their receipts say; a receipt itself is `history.receipt`."""
    uses: Uses
    citations: Citations
    telemetry: Telemetry
    traces: Traces
    spool: Spool
    projects: ProjectFile
    access: AccessFile
    embedder: Embedder
    indexer: Indexer
    unit_of_work: UnitOfWork
    recaller: Recaller
    key: bytes
    """The secret key of the vault, or its stand-in: see `Ledger.state`."""
    read_only: bool = False
    """Whether the home is not writable: nothing is kept, recorded or taken over from the vault."""
    project: Project | None = None
    """The project of the working folder, if it decides which namespace is asked."""
    also: tuple[str, ...] = ()
    """Namespaces that a recall searches beside the one of the settings."""
    watchers: tuple[Watcher, ...] = ()
    """Observers that are called after each recall and each operation, such as OpenTelemetry."""
    deadline: Deadline = field(default_factory=Deadline)
    """When the current call is given up; never by default."""
    surface: Surface = "python"
    """The interface that the current call came through."""
    progress: Callable[[int, int], None] = lambda _done, _total: None
    """Called by the current call with the number of items that are done, and the number of all."""
    report: Callable[[str], None] = lambda _text: None
    """Called by the current call with a sentence about what it does or leaves out."""

    @property
    def graph(self) -> GraphLookup:
        """Return read access to the graph of entities: neighbours, edges, documents."""
        return self.index.graph

    def close(self) -> None:
        """Close the watchers (observers such as OpenTelemetry, which first send the spans they have not sent yet), and
        every database and file of the home.
        """
        for watcher in self.watchers:
            watcher.close()
        self.records.close()
        self.index.close()
        self.spool.close()
        self.history.close()


def open_app(
    settings: Settings,
    *,
    clock: Clock | None = None,
    models: Path | None = None,
    report: Callable[[str], None] | None = None,
) -> App:
    """Open the home that the settings name, creating it if need be, and set the process's limit of open files higher.
    `clock` is by default the machine's, `models` (the folder of cached models) `<home>/models`; `report` gets lines for
    the user. `InputError` if `telemetry.otel` is set without its libraries; `StoreError` for a damaged home.
    """
    raise_open_files()
    home = settings.home
    records = LocalRecords(home)
    key = records.ledger.key()
    index = LocalIndex(home / "index.db", key, settings.store.warm_mb)
    history = LocalHistory(home / "history.db", report)
    embedder = MiniLM((models or home / "models") / MODEL_NAME, report=report)
    naming = Naming(settings.graph.series, settings.graph.patterns)
    indexer = Indexer(records, records.ledger, index, embedder, HAND_WRITTEN, key, naming)
    reranker = open_reranker(settings.rerank, models or home / "models")
    open_chat, clock = _chat_opener(settings.llm), clock or SystemClock()
    recaller = Recaller(index, history, embedder, settings.history, settings.rerank, reranker, open_chat)
    unit_of_work = UnitOfWork(records, indexer, clock, WriteLock(home))
    return App(
        settings=settings,
        clock=clock,
        records=records,
        ledger=records.ledger,
        eraser=records,
        index=index,
        scrubber=index,
        lookup=index.lookup,
        history=history,
        receipts=history.receipts,
        uses=history.uses,
        citations=history.citations,
        telemetry=history.telemetry,
        traces=history.traces,
        spool=LocalSpool(home / "spool.db"),
        projects=ProjectFile(home / "vault"),
        access=AccessFile(home),
        embedder=embedder,
        indexer=indexer,
        unit_of_work=unit_of_work,
        recaller=recaller,
        key=key,
        read_only=may_not_be_written(home / "journal.db"),
        watchers=_open_watchers(settings.telemetry) if settings.telemetry.otel else (),
    )


def _open_watchers(settings: TelemetrySettings) -> tuple[Watcher, ...]:
    """Return a tuple of one watcher, which sends spans to OpenTelemetry; `InputError` if its libraries are missing."""
    from pellucid.telemetry.otel import open_otel

    return (open_otel(settings),)


def _chat_opener(settings: LlmSettings) -> "Callable[[Deadline], ChatModel] | None":
    """Return a function that opens the configured endpoint as the chat model of one call, given the call's deadline;
    None if the setting `llm.baseUrl` is empty. The function raises InputError if another `llm` setting is not valid.
    """
    if not settings.base_url:
        return None
    from pellucid.encoders.chat.model import OpenAIChat

    return partial(OpenAIChat, settings)
