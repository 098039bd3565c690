"""A namespace in, its memories consolidated out: equal memories merged and old values retired, a pass at a time."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.encoders.chat.model import ChatError
from pellucid.encoders.port import Vector
from pellucid.errors import StoreBusyError
from pellucid.memory.changes import ChangeSet
from pellucid.memory.consolidation.consolidate import (
    Batch,
    Decision,
    Kind,
    Undone,
    apply,
    batches,
    checked_decision,
    count_decisions,
    decide,
)
from pellucid.memory.encoding import text_digest
from pellucid.memory.ledger_rows import typed
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.ledger import LifecycleRow, PassRow
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.observe.model.consolidate import Consolidator, LlmConsolidator
from pellucid.operations.browsing import memories_by_id
from pellucid.operations.extraction import default_model_kind, open_chat
from pellucid.operations.operation import DryRun, Flag, Operation, Surfaces, Text, in_home
from pellucid.store.index_port import Served
from pellucid.store.local.lock import exclusive

CLUSTERS_A_COMMIT = 100
"""Clusters that are committed together; the next pass does what a crash left undone."""
NAMED = 100
"""The maximum number of decisions, and of skips, that an output lists; its counts are of all."""
LOCK = "consolidate.lock"


class ConsolidateInput(Wire):
    """The namespace of a pass; a dry run writes nothing, and `limit` ends the pass after so many changed clusters.

    With `use_model`, the model of `[llm]` is asked about clusters about which nothing can be proved.
    """

    namespace: str
    dry_run: DryRun = False
    limit: Annotated[int | None, Flag("End the pass after so many changed clusters.")] = Field(default=None, ge=1)
    use_model: Annotated[
        bool, Flag("Ask the model of [llm] about what cannot be proved, and check its answers.", "--model", beyond=True)
    ] = False


class Consolidated(Wire):
    """One decision: what was done with the memories `of`, why, and the ids of the memories made."""

    kind: Kind
    of: tuple[str, ...]
    reason: str
    made: tuple[str, ...] = ()
    content: str | None = None
    """The content of the memory that it made or, in a dry run, would make; None if it makes none."""


class ConsolidateOutput(Wire):
    """The decisions and counts of a pass, or of a dry run."""

    namespace: str
    dry_run: bool
    memories: int = 0
    new: int = 0
    """Memories written since the last complete pass began."""
    clusters: int = 0
    decisions: tuple[Consolidated, ...] = ()
    skips: tuple[Consolidated, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    complete: bool = True
    """Whether all clusters were processed; if not, the next pass continues."""
    problem: str = ""
    """Why the model failed, if it did; what was done before is kept."""
    op_ids: tuple[str, ...] = ()


@dataclass(slots=True)
class _Pass:
    """One consolidation pass: clusters of memories are decided and written in chunks."""

    app: App
    request: ConsolidateInput
    model: Consolidator | None
    undone: Undone
    decisions: list[Decision] = field(default_factory=list[Decision])
    op_ids: list[str] = field(default_factory=list[str])
    problem: str = ""
    changed: int = 0

    def run(self, clusters: Iterable[Batch]) -> bool:
        """Process the clusters (memories that are decided about together) in order, 100 in a commit. Return True if all
        were processed, False if the limit or a failing model ended the pass."""
        waiting = iter(clusters)
        while chunk := list(islice(waiting, CLUSTERS_A_COMMIT)):
            if not self._process_chunk(chunk) or self.problem:
                return False
        return True

    def _process_chunk(self, chunk: Sequence[Batch]) -> bool:
        """Decide about a chunk of clusters and commit the changes (none in a dry run). Return False if the limit of
        changed clusters was reached and left some of them out, else True."""
        proposals = dict(self._proposals(chunk))
        contents = (text for each in proposals.values() for decision in each.decisions for text in decision.contents)
        with self.app.unit_of_work.deciding(self.request.namespace, contents):
            now = self.app.clock.now()
            served = memories_by_id(self.app, self.request.namespace, (each for batch in chunk for each in batch.ids))
            changes = ChangeSet(self.app.records, self.request.namespace, "consolidate", self.app.clock)
            is_within_limit = True
            for batch in chunk:
                is_within_limit = self.request.limit is None or self.changed < self.request.limit
                if not is_within_limit:
                    break
                self._decide_batch(batch, proposals.get(batch), changes, served, now)
            self._commit(changes)
        return is_within_limit

    def _decide_batch(
        self, batch: Batch, proposal: "_Proposal | None", changes: ChangeSet, served: dict[str, Served], now: datetime
    ) -> None:
        """Decide about a cluster: by the model's proposal, if there is one and the cluster's memories have not changed
        since, else by rules alone (`decide`), which act only on what they can prove. Appends the decisions to
        `decisions`, counts the cluster in `self.changed` if one of them is no skip, and adds their changes to `changes`
        unless it is a dry run. `served` maps ids to memories."""
        current = {each: changes.now(served[each].memory) for each in batch.ids if each in served}
        decisions = decide(batch, current, now, self.undone)
        if proposal and proposal.seen == current:
            decisions = [checked_decision(each, current, self.undone) for each in proposal.decisions]
        if not self.request.dry_run:
            decisions = [apply(each, changes, served, self.app.clock) for each in decisions]
        self.changed += any(each.kind != "skip" for each in decisions)
        self.decisions += decisions

    def _commit(self, changes: ChangeSet) -> None:
        """Commit the changes as one operation, if there are any, and append its id to `op_ids`."""
        plan = changes.plan()
        if plan.rows:
            self.op_ids.append(self.app.unit_of_work.commit("consolidate", plan.writes, plan.rows).op_id)

    def _proposals(self, chunk: Sequence[Batch]) -> Iterator[tuple[Batch, "_Proposal"]]:
        """Yield each cluster of memories with near vectors of which the rules prove nothing, with the model's proposal;
        nothing without a model. If the model fails, put its error into `problem` and yield no more. To be called
        without a lock, since models are slow."""
        if self.model is None:
            return
        served = memories_by_id(self.app, self.request.namespace, (each for batch in chunk for each in batch.ids))
        for batch in chunk:
            seen = {each: served[each].memory for each in batch.ids if each in served}
            provable = decide(batch, seen, self.app.clock.now())
            if batch.kind != "near" or not provable or any(each.kind != "skip" for each in provable):
                continue
            try:
                proposals = self.model.propose([seen[each] for each in batch.ids])
            except ChatError as error:
                self.problem = str(error)
                return
            yield batch, _Proposal(seen, [Decision(p.kind, p.of, p.reason, p.contents) for p in proposals])


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A model's decisions about a cluster, and the cluster's memories (by id) as the model saw them."""

    seen: dict[str, Memory]
    decisions: list[Decision]


def consolidate(app: App, request: ConsolidateInput) -> ConsolidateOutput:
    """Run one consolidation pass, continuing an interrupted pass: merge memories that provably say the same, retire old
    values, and archive what has expired; with `use_model`, ask a chat model about the rest. A dry run decides alike,
    and writes nothing.

    Raises:
        StoreBusyError: another pass is running in this home, or a writer did not stop in a minute; what was
            acknowledged is kept.
        InputError: a model is wanted, and the settings do not name its URL or its program.
        ChatError: the program of the settings does not exist.
    """
    with exclusive(app.settings.home / LOCK, 0.0) as alone:
        if not alone:
            raise StoreBusyError("a consolidation is running already", next_step="wait until it has ended")
        return _run_pass(app, request)


def _run_pass(app: App, request: ConsolidateInput) -> ConsolidateOutput:
    """Run a pass while the caller holds the lock of passes; if it is complete and not a dry run, record it in the
    ledger. Only clusters with a memory in files written since the last complete pass, and expired memories, are
    processed."""
    chat = open_chat(app.settings, default_model_kind(app.settings), app.deadline) if request.use_model else None
    model = LlmConsolidator(chat) if chat else None
    with app.unit_of_work.deciding(request.namespace):
        pass  # folds what a killed process acknowledged
    started, reached = app.clock.now(), app.index.state().applied_seq
    memories = app.index.memories(request.namespace)
    written = _paths_since_last_pass(app, request)
    new = {each.memory.id for each in memories if written is None or each.path in written}
    clusters = batches([each.memory for each in memories], new, _vector_lookup(app, memories), started)
    run = _Pass(app, request, model, _undone_groups(app, request.namespace))
    is_complete = run.run(clusters)
    counts = count_decisions(run.decisions)
    if is_complete and not request.dry_run:
        reach = {"reached": reached, "clusters": len(clusters), "model": int(request.use_model)}
        run.op_ids.append(_record_pass(app, request.namespace, started, counts, reach))
    done = [_decision_view(each) for each in run.decisions if each.kind != "skip"]
    skips = [_decision_view(each) for each in run.decisions if each.kind == "skip"]
    return ConsolidateOutput(
        namespace=request.namespace,
        dry_run=request.dry_run,
        memories=len(memories),
        new=len(new),
        clusters=len(clusters),
        decisions=tuple(done[:NAMED]),
        skips=tuple(skips[:NAMED]),
        counts=dict(sorted(counts.items())),
        complete=is_complete,
        problem=run.problem,
        op_ids=tuple(run.op_ids),
    )


def _paths_since_last_pass(app: App, request: ConsolidateInput) -> set[str] | None:
    """Return the paths of the files, of any namespace, written since the last complete pass over the request's
    namespace began; None (all files) if there was no such pass. For a pass with a model, only earlier passes with a
    model count."""
    rows = (row for row in typed(app.ledger.rows(), request.namespace, ("pass",)) if isinstance(row, PassRow))
    earlier = [
        row.counts
        for row in rows
        if row.name == "consolidate" and (row.counts.get("model", 0) or not request.use_model)
    ]
    since = max((counts.get("reached", 0) for counts in earlier), default=0)
    return {path for row in app.records.operations(after=since) for path, _ in row.paths} if since else None


def _undone_groups(app: App, namespace: str) -> Undone:
    """Return the groups (sets) of memory ids that earlier passes changed together and that somebody undid since."""
    groups: dict[str, frozenset[str]] = {}  # by the id of the event
    undone: set[frozenset[str]] = set()
    for row in typed(app.ledger.rows(), namespace, ("lifecycle",)):
        if isinstance(row, LifecycleRow) and row.actor == "consolidate":
            groups[row.event_id] = frozenset((row.memory_id, *row.related_memory_ids))
        elif isinstance(row, LifecycleRow) and row.event_type == "undone":
            undone |= {groups[event] for event in [row.reason_code.removeprefix("undo:")] if event in groups}
    return frozenset(undone)


def _vector_lookup(app: App, memories: Iterable[Served]) -> Callable[[Memory], Vector | None]:
    """Return a function that returns the vector of a memory's text; None if no active one of these memories has that
    text, or it is not encoded.
    """
    encodings = app.index.encodings({text_digest(each.memory) for each in memories if each.memory.status == "active"})
    vectors = {digest: encoding.vector for digest, encoding in encodings.items()}
    return lambda memory: vectors.get(text_digest(memory))


def _record_pass(app: App, namespace: str, started: datetime, counts: Counter[str], more: dict[str, int]) -> str:
    """Write the ledger's row of a complete pass, with its counts of decisions (without the reasons of skips) and `more`
    counts; return the operation's id."""
    done = {kind: number for kind, number in counts.items() if not kind.startswith("skip:")}
    row = PassRow(
        name="consolidate", namespace=namespace, started=started, finished=app.clock.now(), counts={**done, **more}
    )
    with app.unit_of_work.exclusive(WAIT_S, namespace, app.deadline):
        return app.unit_of_work.commit("consolidate", [], ledger=[row.to_wire()]).op_id


def _decision_view(decision: Decision) -> Consolidated:
    """Convert a decision into its output form, with the contents of the memories that it makes joined by line ends
    (None if it makes none)."""
    return Consolidated(
        kind=decision.kind,
        of=decision.of,
        reason=decision.reason,
        made=decision.made,
        content="\n".join(decision.contents) or None,
    )


CONSOLIDATE = Operation(
    "lifecycle.consolidate",
    "Merge memories that say the same, and retire old values.\n\n"
    "Only what provably says the same; what has expired is archived. Undoable.\n",
    ConsolidateInput,
    ConsolidateOutput,
    in_home(consolidate),
    "change",
    Surfaces("lifecycle consolidate", http=("POST /v1/lifecycle/consolidate",)),
    text=Text("memory.lifecycle.consolidation_text", excerpts=True),
    span="upsert_memory",
)
