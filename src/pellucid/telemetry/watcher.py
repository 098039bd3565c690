"""The port for watchers of a home: each finished recall and operation in, nothing out.

A home without a watcher pays nothing, because a recall knows all that is reported anyway.
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
"""The change that an operation makes to memories, in the words of OpenTelemetry's conventions for generative AI."""
CALLER: ContextVar[Mapping[str, str]] = ContextVar("CALLER", default=MappingProxyType[str, str]({}))
"""The headers of an HTTP request that name the trace that the request is a part of."""


@dataclass(frozen=True, slots=True)
class RecallDone:
    """A finished recall, failed or not. Times are nanoseconds since 1970."""

    request: "Request"
    event: RecallEvent
    ended: int
    state: "State | None" = None
    """The state after its last stage; None if it failed."""
    ranked: int = 0
    """When the last stage was done; only the receipt comes after."""
    error: Exception | None = None

    @property
    def began(self) -> int:
        """Return when the recall began, in nanoseconds since 1970."""
        return self.ended - int(self.event.millis * 1e6)


@dataclass(frozen=True, slots=True)
class OperationDone:
    """A finished operation, failed or not. Times are nanoseconds since 1970."""

    name: str
    began: int
    ended: int
    namespace: str = ""
    """Empty for an operation on the home as a whole."""
    session_id: str | None = None
    agent: str | None = None
    span: MemorySpan | None = None
    """The change it makes to memories; None if it changes none, as a preview."""
    memories: Sequence[tuple[str, str]] = ()
    """The memories that it returns or was asked to change, as (id, text); the text is empty if it is not known."""
    count: int | None = None
    """The number of memories that it changed, if it does not name them."""
    error: Exception | None = None


class Watcher(Protocol):
    """Receives finished recalls and operations in the thread that ran them; it must not block or raise."""

    def recalled(self, done: RecallDone) -> None:
        """Receive a finished recall, also one that failed."""
        ...

    def performed(self, done: OperationDone) -> None:
        """Receive a finished operation, also one that failed or changed nothing."""
        ...

    def close(self) -> None:
        """Send what was not sent yet, and release everything the watcher holds; called when the home is closed."""
        ...
