"""A memory that a recall served, and how it was used, in; a citation of it out."""

from typing import Annotated, ClassVar

from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import NotFoundError, field_name
from pellucid.model.wire import Wire
from pellucid.operations.browsing import find_memory
from pellucid.operations.operation import Agent, Flag, MemoryId, Operation, Session, Surfaces, Text, in_home
from pellucid.operations.safe_input import SafeInput
from pellucid.operations.using import note_use, occasion_of, served_ids
from pellucid.store.history.citations_port import FAVOURABLE, CitationKind, CitationRow


class CiteInput(SafeInput):
    """A memory that a recall served, and the kind of its citation."""

    RAW: ClassVar[frozenset[str]] = SafeInput.RAW | {"memory_id", "recall_id", "kind"}

    namespace: str
    memory_id: MemoryId
    kind: Annotated[
        CitationKind,
        Flag("cited, used, saved_rework, rewrote or good; or dismissed, flagged_stale or bad."),
    ] = "cited"
    recall_id: Annotated[str | None, Flag("The recall that served it (rec_…); else the newest of the session.")] = None
    notes: Annotated[str, Flag("What it was good for, or what is wrong with it, in a few words.")] = ""
    session_id: Session = None
    agent: Agent = None


class CiteOutput(Wire):
    """The citation; `is_new` is false if the session has such a citation already, which then stays."""

    recall_id: str
    memory_id: str
    kind: CitationKind
    is_new: bool


def cite(app: App, request: CiteInput) -> CiteOutput:
    """Store a citation of a memory (what became of it after a recall served it), once for each memory, kind and session
    (else day). For a favourable kind (`cited`, `used`, `saved_rework`, `rewrote`, `good`), a use of the memory is
    recorded, too, whether or not the citation is new.

    Raises:
        NotFoundError: no such memory in the namespace, or no such recall served it.
        InputError: the id fits several memories.
        StoreError: the citation cannot be written.
    """
    namespace, now = request.namespace, app.clock.now()
    memory_id = find_memory(app, namespace, request.memory_id).memory.id
    recall_id = _cited_recall(app, request, memory_id)
    occasion = occasion_of(request.session_id, now)
    row = CitationRow(memory_id, request.kind, recall_id, occasion, request.agent, epoch_ms(now), request.notes.strip())
    is_new = app.citations.put(namespace, app.clock.new_id("cit"), row)
    if request.kind in FAVOURABLE:
        note_use(app, namespace, [memory_id], "cited", request.session_id)
    return CiteOutput(recall_id=recall_id, memory_id=memory_id, kind=request.kind, is_new=is_new)


def _cited_recall(app: App, request: CiteInput, memory_id: str) -> str:
    """Return the id of the recall to cite: the request's recall, else the newest recall of the session (or outside of
    sessions) that served the memory. NotFoundError if the request's recall did not serve it, or no recall did."""
    if request.recall_id is None:
        found = app.citations.serving(request.namespace, request.session_id, memory_id)
        which = f"no recall of session {request.session_id}" if request.session_id else "no recall outside of sessions"
    else:
        found = request.recall_id if memory_id in served_ids(app, request.namespace, request.recall_id) else None
        which = f"no recall {request.recall_id}"
    if found is None:
        raise NotFoundError(
            f"{which} served {memory_id}",
            next_step=f"{field_name('recall_id')} names the recall; its context begins with its id",
        )
    return found


CITE = Operation(
    "memory.cite",
    "Say what became of a memory that a recall gave.\n\n"
    "Whether it was used, spared work, was of no use or no longer true. Once a memory and kind in a session.\n",
    CiteInput,
    CiteOutput,
    in_home(cite),
    "append",
    Surfaces("cite", http=("POST /v1/citations",), mcp="memory_cite"),
    text=Text("closing.citation_text", excerpts=True),
)
