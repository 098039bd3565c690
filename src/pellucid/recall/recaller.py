"""A request in, a recall and its receipt out: around one index snapshot.

The stages are loaded with the first recall, since they are half of what a process loads.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from pellucid.clock import epoch_ms
from pellucid.deadline import Deadline
from pellucid.encoders.port import Embedder
from pellucid.encoders.rerank.reranker import Reranker
from pellucid.errors import recorded_step
from pellucid.settings.sections import HistorySettings, RecallSettings, RerankSettings
from pellucid.store.history.history_port import History, RecallRecord
from pellucid.store.history.telemetry_port import RecallEvent
from pellucid.store.index_port import Index

if TYPE_CHECKING:
    from pellucid.encoders.chat.model import ChatModel
    from pellucid.recall.receipt.record import Draft
    from pellucid.recall.state import Request, State, World

_PRUNE_AT = "00"
"""A recall whose id ends so, one in 256 at random, also empties old receipts."""


def asks_a_model(settings: RecallSettings) -> bool:
    """Whether some part of a recall with these settings asks a chat model.

    That is the gate (`llm`), the search for sub-questions (`decompose` is `llm` and `maxIterations` above 1), or a pass
    over the context (`contextPasses`).
    """
    iterated = settings.decompose == "llm" and settings.max_iterations > 1
    return settings.gate == "llm" or iterated or bool(settings.context_passes)


def trim_history(history: History, limits: HistorySettings, now: datetime) -> int:
    """Delete the events and citations older than `event_days`, and events beyond the newest `events`, and empty the
    receipts beyond the `limits` (`empty_receipts`); return how many were deleted or emptied together.

    `now` must have a time zone.
    """
    dropped = history.trim(epoch_ms(now - timedelta(days=limits.event_days)), limits.events)
    return dropped + empty_receipts(history, limits, now)


def empty_receipts(history: History, limits: HistorySettings, now: datetime) -> int:
    """Empty the receipts that are older, or more, than `limits` allow; return how many.

    A recall with an empty receipt keeps what it served, but cannot be explained; its query goes, too. The limits are
    `receipt_days`, the newest `receipts`, and `receipt_mb`. A receipt of which an agent was seen to use a memory may
    reach the age `cited_days`, if that is longer; pinned and explicitly cited ones stay. `now` must have a time zone.
    """
    before, cited = (epoch_ms(now - timedelta(days=days)) for days in (limits.receipt_days, limits.cited_days))
    return history.prune(before, limits.receipts, limits.receipt_mb << 20, min(before, cited))


@dataclass(frozen=True, slots=True)
class Recaller:
    """Runs recalls and stores their receipts."""

    index: Index
    history: History
    embedder: Embedder | None
    retention: HistorySettings
    rerank: RerankSettings = field(default_factory=RerankSettings)
    reranker: Reranker | None = None
    chat: "Callable[[Deadline], ChatModel] | None" = None
    """Opens the model that optional passes ask; None if none is set up."""

    def run(self, request: "Request", deadline: Deadline | None = None) -> "State":
        """Run one recall over one snapshot of the namespace and return its finished state; nothing is recorded. Raises
        DeadlineError if it takes too long, and other errors as `pipeline.run` does."""
        from pellucid.recall.pipeline import run

        with self.world(request, deadline) as world:
            return run(request, world)

    @contextmanager
    def world(self, request: "Request", deadline: Deadline | None = None) -> "Generator[World]":
        """Open what a recall can read and ask, over one snapshot of the namespace; it can serve several recalls.

        The world has no encoder, and says why, if none is set up, or the index has no vectors or those of another
        model; and a chat model only if the request asks one. Without a `deadline` there is no limit of time.
        """
        from pellucid.recall.state import World

        until = deadline or Deadline()
        # before the snapshot, which does not tell it: a rebuild for another model just now can mix two models once
        model = self.index.state().model
        embedder, problem = self.embedder, "no encoder"
        if model == "":
            embedder, pull = None, recorded_step("home.models", action="pull")
            problem = f"no memory has a vector yet: run {pull}, then {recorded_step('home.rebuild')}"
        elif embedder is not None and model != embedder.model:
            problem = f"model-changed: the index holds vectors of {model}, not {embedder.model}: run "
            embedder, problem = None, problem + recorded_step("home.rebuild")
        with self.index.reading(request.namespace, until) as reader:
            yield World(reader, embedder, problem, self.rerank, self.reranker, self._chat(request, until), until)

    def _chat(self, request: "Request", deadline: Deadline) -> "ChatModel | None":
        """Return the chat model, opened only if the request asks one (`asks_a_model`); None if it asks none or none is
        set up."""
        return self.chat(deadline) if self.chat and asks_a_model(request.settings) else None

    def record(self, state: "State", drafted: "Draft", event: RecallEvent) -> None:
        """Write a recall to the history in the background: receipt (`drafted`), event, and ids of the memories in the
        context.

        After one in 256 recalls, chosen by its id, `empty_receipts` is called. Raises StoreError as `History.later`
        does.
        """
        request, included = state.request, set(state.context.included)
        served = tuple((each.memory.id, each.op_id) for each in state.served if each.memory.id in included)

        def make_record() -> RecallRecord:
            """Return the record of the recall, with the receipt that is packed only here."""
            return _record_of(request, event, drafted.packed(), served, drafted.query)

        # packed by the thread that writes, so that no answer waits for it
        prunes = request.recall_id.endswith(_PRUNE_AT)
        self.history.later(
            make_record, partial(empty_receipts, self.history, self.retention, request.at) if prunes else None
        )

    def record_failure(self, request: "Request", event: RecallEvent) -> None:
        """Write to the history, in the background, that a recall failed, with its event and, if queries are to be
        stored, its query. Raises StoreError as `History.later` does.
        """
        from pellucid.recall.receipt.words import query_bytes

        self.history.later(partial(_record_of, request, event, query=query_bytes(request)))


def _record_of(
    request: "Request",
    event: RecallEvent,
    packed: bytes | None = None,
    served: tuple[tuple[str, str | None], ...] = (),
    query: bytes = b"",
) -> RecallRecord:
    """Return the history record of a recall.

    `packed` is its receipt, None if it failed; `served` are pairs of a memory's id and the operation that wrote the
    memory; `query` are the bytes of the query to store, empty if none are.
    """
    at = epoch_ms(request.at)
    return RecallRecord(request.recall_id, at, request.namespace, request.session_id, packed, served, query, event)
