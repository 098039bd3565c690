"""Plain Python calls in, operations' answers out: `Pellucid`, one object around one home."""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict, Unpack

from pellucid.app import open_app
from pellucid.capture.transcripts.detect import Format
from pellucid.clock import Clock
from pellucid.model.memory import Category, Status
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.operations import browsing, house, importing, recalling, remembering
from pellucid.settings import load


class RecallOptions(TypedDict, total=False):
    """What may differ from the settings for one recall."""

    top_k: int
    budget: int
    session_id: str
    agent: str
    scopes: tuple[str, ...]
    without: tuple[str, ...]


class RememberOptions(TypedDict, total=False):
    """What is known of a memory beside its words."""

    category: Category
    tags: tuple[str, ...]
    entity_ref: str
    confidence: float
    importance: float
    pinned: bool
    scopes: tuple[str, ...]
    session_id: str
    agent: str


class ListOptions(TypedDict, total=False):
    """Which memories to list; every filter given must hold."""

    category: Category
    status: Status | None
    tag: str
    session_id: str
    entity_ref: str
    contains: str
    since: datetime
    until: datetime
    limit: int


class Pellucid:
    """Memory in one home and one namespace. Use it as a context manager, or close it.

    Every method may raise `InputError` (the request is off), `NotFoundError`, `StoreError` or `EncoderError`.
    """

    def __init__(
        self,
        home: Path | str | None = None,
        *,
        namespace: str | None = None,
        clock: Clock | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        """Open a home, creating it if needed, and take over what others did to its vault since.

        Args:
            home: where everything is kept; else `PELLUCID_HOME`, else `~/.pellucid`.
            namespace: the isolation unit, `tenant/project`; else the settings'.
            clock: where time and ids come from; tests bring their own.
            report: told about slow first-time work, such as fetching the model.
        """
        self._app = open_app(load(home=home, namespace=namespace), clock=clock, report=report)
        self._app.keeper.adopt()

    @property
    def namespace(self) -> str:
        """The namespace that every call reads and writes."""
        return self._app.settings.namespace

    @property
    def vault(self) -> Path:
        """The folder of the Markdown files."""
        return self._app.settings.home / "vault"

    def import_transcripts(
        self, paths: Iterable[Path | str], *, mode: importing.Mode = "extract", transcript_format: Format | None = None
    ) -> importing.ImportOutput:
        """Turn transcripts into memories; turns imported before are left out."""
        request = importing.ImportInput(
            paths=tuple(Path(path) for path in paths),
            mode=mode,
            namespace=self.namespace,
            transcript_format=transcript_format,
        )
        return importing.import_transcripts(self._app, request)

    def remember(self, content: str, **options: Unpack[RememberOptions]) -> remembering.RememberOutput:
        """Keep one memory in the user's own words."""
        request = remembering.RememberInput(content=content, namespace=self.namespace, **options)
        return remembering.remember(self._app, request)

    def list(self, **options: Unpack[ListOptions]) -> browsing.ListOutput:
        """Memories that fit the filters, newest first."""
        return browsing.list_memories(self._app, browsing.ListInput(namespace=self.namespace, **options))

    def show(self, memory_id: str) -> browsing.Listed:
        """One memory by its id."""
        return browsing.show_memory(self._app, self.namespace, memory_id)

    def recall(self, query: str, **options: Unpack[RecallOptions]) -> recalling.RecallOutput:
        """Answer a question from memory inside a budget; the receipt is kept under its `recall_id`."""
        request = recalling.RecallInput(query=query, namespace=self.namespace, **options)
        return recalling.recall(self._app, request)

    def xray(self, recall_id: str) -> RecallXraySnapshot:
        """Why each memory of an earlier recall surfaced, why others did not, and what it cost."""
        return recalling.xray_of(self._app, self.namespace, recall_id)

    def audit(self, entry: str) -> recalling.AuditOutput:
        """The operation that wrote the version of a memory that was served."""
        return recalling.audit(self._app, self.namespace, entry)

    def doctor(self) -> house.DoctorOutput:
        """The condition of the home."""
        return house.examine(self._app)

    def rebuild(self) -> house.RebuildOutput:
        """Make the index anew from the vault."""
        return house.rebuild(self._app)

    def close(self) -> None:
        """Settle and let go of every file."""
        self._app.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
