"""A request in, a recall and its receipt out: the door of the room, around one index snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid.encoders.port import Embedder
from pellucid.recall.pipeline import run
from pellucid.recall.receipt import pack
from pellucid.recall.state import Request, State, World
from pellucid.store.history_port import History, RecallRecord
from pellucid.store.index_port import Index


@dataclass(frozen=True, slots=True)
class Recaller:
    """Runs recalls and keeps their receipts."""

    index: Index
    history: History
    embedder: Embedder | None

    def run(self, request: Request) -> State:
        """One recall over one snapshot of the namespace; nothing is kept of it."""
        held = self.index.state().model
        embedder, problem = self.embedder, "no encoder"
        if held == "":
            embedder, problem = None, "no memory has a vector yet: run `pellucid models pull`, then `pellucid rebuild`"
        elif embedder is not None and held != embedder.model:
            problem = f"model-changed: the index holds vectors of {held}, not {embedder.model}: run `pellucid rebuild`"
            embedder = None
        with self.index.reading(request.namespace) as reader:
            return run(request, World(reader, embedder, problem))

    def record(self, state: State) -> None:
        """Keep the receipt of a finished recall, and one audit row a result that reached the context."""
        request = state.request
        included = set(state.context.included)
        rows: Sequence[tuple[str, str | None]] = [(each.memory.id, each.op_id) for each in state.served]
        self.history.record(
            RecallRecord(
                recall_id=request.recall_id,
                at=int(request.at.timestamp() * 1000),
                namespace=request.namespace,
                session_id=request.session_id,
                packed=pack(state),
                served=tuple(row for row in rows if row[0] in included),
            )
        )
