"""Settings in, a wired system out: which store, which encoder, which stages. Wiring only.

What is wired here loads what it works with when it is first asked: a command waits for no room that it does not enter.
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
from pellucid.store.access_port import AccessStore
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
from pellucid.store.projects_port import Registry
from pellucid.store.records import Eraser, Ledger, Records
from pellucid.store.spool_port import Spool
from pellucid.telemetry.watcher import Watcher

if TYPE_CHECKING:
    from pellucid.encoders.chat.model import ChatModel

HAND_WRITTEN = DEFAULT
"""The namespace of a file that names none: the same whoever looks at it, and from wherever."""


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
    uses: Uses
    citations: Citations
    telemetry: Telemetry
    traces: Traces
    spool: Spool
    projects: Registry
    access: AccessStore
    embedder: Embedder
    indexer: Indexer
    unit_of_work: UnitOfWork
    recaller: Recaller
    key: bytes
    """The vault's key, or its stand-in: see `Ledger.state`."""
    read_only: bool = False
    """Whether the home may only be read: nothing is kept, recorded or taken over."""
    project: Project | None = None
    """The project of the working folder, where it decides which namespace is asked."""
    also: tuple[str, ...] = ()
    """Namespaces that a recall asks beside the one of the settings."""
    watchers: tuple[Watcher, ...] = ()
    """Who is told of each recall and each operation that is done; nobody, unless the settings say so."""
    deadline: Deadline = field(default_factory=Deadline)
    """When the call that this is opened for is given up; never, unless whoever calls says so."""
    surface: Surface = "python"
    """Where the call came in."""

    @property
    def graph(self) -> GraphLookup:
        """Exact questions about the graph."""
        return self.index.graph

    def close(self) -> None:
        """Settle and let go of every file."""
        for each in self.watchers:
            each.close()
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
    """Wire a home, creating it if it is not there.

    `models` is where the encoder is cached, if not in the home; `report` is told about slow first-time work and losses.
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
    chat, clock = _model_opener(settings.llm), clock or SystemClock()
    recaller = Recaller(index, history, embedder, settings.history, settings.rerank, reranker, chat)
    unit_of_work = UnitOfWork(records, indexer, clock, _without_secrets, WriteLock(home))
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
        watchers=_watchers(settings.telemetry) if settings.telemetry.otel else (),
    )


def _watchers(settings: TelemetrySettings) -> tuple[Watcher, ...]:
    from pellucid.telemetry.otel import open_otel

    return (open_otel(settings),)


def _without_secrets(text: str) -> str:
    from pellucid.capture.secrets.redact import redact

    return redact(text).text


def _model_opener(settings: LlmSettings) -> "Callable[[Deadline], ChatModel] | None":
    if not settings.base_url:
        return None
    from pellucid.encoders.chat.model import OpenAIChat

    return partial(OpenAIChat, settings)
