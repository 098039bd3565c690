"""The port of those who watch a home: each recall and each operation that is done in, nothing out.

A home without a watcher pays nothing: what is reported here is what a recall knows of itself anyway.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol

from pellucid.store.history.telemetry_port import RecallEvent

if TYPE_CHECKING:
    from pellucid.recall.state import Request, State

MemorySpan = Literal["create_memory", "update_memory", "upsert_memory", "delete_memory"]
"""What an operation does to memories, in the words of OpenTelemetry's conventions for generative AI."""
CALLER: ContextVar[Mapping[str, str]] = ContextVar("CALLER", default=MappingProxyType[str, str]({}))
"""The headers in which whoever asks over HTTP says of which trace his request is a part."""


@dataclass(frozen=True, slots=True)
class RecallDone:
    """A finished recall, failed or not. Times are nanoseconds since 1970."""

    request: "Request"
    event: RecallEvent
    ended: int
    state: "State | None" = None
    """What its stages left behind; None where it failed."""
    ranked: int = 0
    """When the last stage was done: what follows is the receipt."""
    error: Exception | None = None

    @property
    def began(self) -> int:
        """When the recall began, in nanoseconds since 1970."""
        return self.ended - int(self.event.millis * 1e6)


@dataclass(frozen=True, slots=True)
class OperationDone:
    """A finished operation, failed or not. Times are nanoseconds since 1970."""

    name: str
    began: int
    ended: int
    namespace: str = ""
    """Empty where it asks the home as a whole."""
    session_id: str | None = None
    agent: str | None = None
    span: MemorySpan | None = None
    """What it does to memories; None where it changes none, as a preview."""
    memories: Sequence[tuple[str, str]] = ()
    """The memories it answers with, or was asked to change: ids, and what they say where that is known."""
    count: int | None = None
    """How many memories it touched, where it does not name them."""
    error: Exception | None = None


class Watcher(Protocol):
    """Receives finished recalls and operations, in the thread that ran them: it must not block nor raise."""

    def recalled(self, done: RecallDone) -> None:
        """Called after each recall, also after one that failed."""
        ...

    def performed(self, done: OperationDone) -> None:
        """Called after each operation, also after one that failed or changed nothing."""
        ...

    def close(self) -> None:
        """Called when the home is closed: send what is still held, and release it."""
        ...
