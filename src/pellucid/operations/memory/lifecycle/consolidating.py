"""A namespace in, its memories consolidated out: the same said twice made one, old values retired, a pass at a time."""

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
from pellucid.operations.operation import DryRun, Flag, Operation, Surfaces
from pellucid.store.index_port import Served
from pellucid.store.local.lock import exclusive

CLUSTERS_A_COMMIT = 100
"""Clusters acknowledged together: what a crash in the middle of a pass leaves undone, and the next pass does."""
NAMED = 100
"""Decisions an output names at most, and skips as many; its counts are of all."""
LOCK = "consolidate.lock"


class ConsolidateInput(Wire):
    """Which namespace; a dry run writes nothing; `limit` ends the pass after so many changed clusters.

    With `use_model` clusters that nothing can be proved about are sent to the model of `[llm]`.
    """

    namespace: str
    dry_run: DryRun = False
    limit: Annotated[int | None, Flag("End the pass after so many changed clusters.")] = Field(default=None, ge=1)
    use_model: Annotated[
        bool, Flag("Ask the model of [llm] about what cannot be proved, and check its answers.", "--model", beyond=True)
    ] = False


class Consolidated(Wire):
    """One decision: what was done with which memories, why, and what came of it."""

    kind: Kind
    of: tuple[str, ...]
    reason: str
    made: tuple[str, ...] = ()
    content: str | None = None
    """What the memory it made says; in a dry run, what it would say."""


class ConsolidateOutput(Wire):
    """What a pass did, or (in a dry run) would have done."""

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
    """Whether everything was looked at; if not, the next pass goes on."""
    problem: str = ""
    """Why the model was asked no more, if so; what was done before is kept."""
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

    def run(self, found: Iterable[Batch]) -> bool:
        """Process the clusters in order, a commit at a time; False if the limit or a failing model ended that early."""
        waiting = iter(found)
        while chunk := list(islice(waiting, CLUSTERS_A_COMMIT)):
            if not self._work_through(chunk) or self.problem:
                return False
        return True

    def _work_through(self, chunk: Sequence[Batch]) -> bool:
        """Decide and write a chunk of clusters; False if the limit of changed clusters was reached before its end."""
        proposed = dict(self._proposals(chunk))
        with self.app.unit_of_work.deciding(self.request.namespace, _proposed_contents(proposed.values())):
            now = self.app.clock.now()
            held = memories_by_id(self.app, self.request.namespace, (each for batch in chunk for each in batch.ids))
            changes = ChangeSet(self.app.records, self.request.namespace, "consolidate", self.app.clock)
            done = True
            for batch in chunk:
                done = self.request.limit is None or self.changed < self.request.limit
                if not done:
                    break
                self._decide_batch(batch, proposed.get(batch), changes, held, now)
            self._commit(changes)
        return done

    def _decide_batch(
        self, batch: Batch, proposed: "_Proposed | None", changes: ChangeSet, held: dict[str, Served], now: datetime
    ) -> None:
        """Decide about a cluster: what can be proved, or what the model proposed, if its memories have not changed
        since. The decisions are applied to `changes`, except in a dry run, and collected."""
        current = {each: changes.now(held[each].memory) for each in batch.ids if each in held}
        taken = decide(batch, current, now, self.undone)
        if proposed and proposed.seen == current:
            taken = [checked_decision(each, current, self.undone) for each in proposed.decisions]
        taken = [each if self.request.dry_run else apply(each, changes, held, self.app.clock) for each in taken]
        self.changed += any(each.kind != "skip" for each in taken)
        self.decisions += taken

    def _commit(self, changes: ChangeSet) -> None:
        """Commit the changes as one operation; nothing if there are none."""
        plan = changes.plan()
        if plan.rows:
            self.op_ids.append(self.app.unit_of_work.commit("consolidate", plan.writes, plan.rows).op_id)

    def _proposals(self, chunk: Sequence[Batch]) -> Iterator[tuple[Batch, "_Proposed"]]:
        """Yield what the model proposes for each cluster of near memories of which nothing can be proved, holding no
        lock; none without a model. A model that fails ends it, and is noted in `problem`."""
        if self.model is None:
            return
        held = memories_by_id(self.app, self.request.namespace, (each for batch in chunk for each in batch.ids))
        for batch in chunk:
            seen = {each: held[each].memory for each in batch.ids if each in held}
            provable = decide(batch, seen, self.app.clock.now())
            if batch.kind != "near" or not provable or any(each.kind != "skip" for each in provable):
                continue
            try:
                proposals = self.model.propose([seen[each] for each in batch.ids])
            except ChatError as error:
                self.problem = str(error)
                return
            yield batch, _Proposed(seen, [Decision(p.kind, p.of, p.reason, p.contents) for p in proposals])


@dataclass(frozen=True, slots=True)
class _Proposed:
    """A model's decisions on a cluster, and its memories as the model saw them."""

    seen: dict[str, Memory]
    decisions: list[Decision]


def _proposed_contents(proposed: Iterable[_Proposed]) -> Iterator[str]:
    """Yield the contents of memories that a model proposed."""
    return (text for each in proposed for decision in each.decisions for text in decision.contents)


def consolidate(app: App, request: ConsolidateInput) -> ConsolidateOutput:
    """Run one consolidation pass; one that was interrupted is continued.

    Raises:
        StoreBusyError: another pass is running, or a writer did not stop in a minute; what was acknowledged is kept.
        InputError: a model is wanted, and the settings do not say which or where.
        ChatError: it is a program, and there is none of that name.
    """
    with exclusive(app.settings.home / LOCK, 0.0) as alone:
        if not alone:
            raise StoreBusyError("a consolidation is running already", next_step="wait until it has ended")
        return _run_pass(app, request)


def _run_pass(app: App, request: ConsolidateInput) -> ConsolidateOutput:
    """Run a pass under the lock; a complete one is recorded in the ledger, except in a dry run."""
    chat = open_chat(app.settings, default_model_kind(app.settings), app.deadline) if request.use_model else None
    model = LlmConsolidator(chat) if chat else None
    with app.unit_of_work.deciding(request.namespace):
        pass  # what a killed process acknowledged and did not fold is folded now
    started, reached = app.clock.now(), app.index.state().applied_seq
    kept = app.index.memories(request.namespace)
    written = _paths_since_last_pass(app, request)
    new = {each.memory.id for each in kept if written is None or each.path in written}
    found = batches([each.memory for each in kept], new, _vector_lookup(app, kept), started)
    run = _Pass(app, request, model, _undone_groups(app, request.namespace))
    complete = run.run(found)
    counts = count_decisions(run.decisions)
    if complete and not request.dry_run:
        reach = {"reached": reached, "clusters": len(found), "model": int(request.use_model)}
        run.op_ids.append(_record_pass(app, request.namespace, started, counts, reach))
    done = [_decision_view(each) for each in run.decisions if each.kind != "skip"]
    skips = [_decision_view(each) for each in run.decisions if each.kind == "skip"]
    return ConsolidateOutput(
        namespace=request.namespace,
        dry_run=request.dry_run,
        memories=len(kept),
        new=len(new),
        clusters=len(found),
        decisions=tuple(done[:NAMED]),
        skips=tuple(skips[:NAMED]),
        counts=dict(sorted(counts.items())),
        complete=complete,
        problem=run.problem,
        op_ids=tuple(run.op_ids),
    )


def _paths_since_last_pass(app: App, request: ConsolidateInput) -> set[str] | None:
    """Return the files written since the last complete pass began; None (all files) if there was none. For a pass with
    a model, only earlier passes with a model count."""
    rows = (row for row in typed(app.ledger.rows(), request.namespace, ("pass",)) if isinstance(row, PassRow))
    alike = [
        row.counts
        for row in rows
        if row.name == "consolidate" and (row.counts.get("model", 0) or not request.use_model)
    ]
    since = max((counts.get("reached", 0) for counts in alike), default=0)
    return {path for row in app.records.operations(after=since) for path, _ in row.paths} if since else None


def _undone_groups(app: App, namespace: str) -> Undone:
    """Return the groups of memory ids that earlier passes changed together and somebody undid since."""
    ours: dict[str, frozenset[str]] = {}
    back: set[frozenset[str]] = set()
    for row in typed(app.ledger.rows(), namespace, ("lifecycle",)):
        if isinstance(row, LifecycleRow) and row.actor == "consolidate":
            ours[row.event_id] = frozenset((row.memory_id, *row.related_memory_ids))
        elif isinstance(row, LifecycleRow) and row.event_type == "undone":
            back |= {ours[undone] for undone in [row.reason_code.removeprefix("undo:")] if undone in ours}
    return frozenset(back)


def _vector_lookup(app: App, kept: Iterable[Served]) -> Callable[[Memory], Vector | None]:
    """Return a function that gives an active memory's vector, None if it has none."""
    known = app.index.encodings({text_digest(each.memory) for each in kept if each.memory.status == "active"})
    vectors = {digest: encoding.vector for digest, encoding in known.items()}
    return lambda memory: vectors.get(text_digest(memory))


def _record_pass(app: App, namespace: str, started: datetime, counts: Counter[str], more: dict[str, int]) -> str:
    """Record in the ledger that a pass ran to its end; return the operation's id."""
    kept = {kind: number for kind, number in counts.items() if not kind.startswith("skip:")}
    row = PassRow(
        name="consolidate", namespace=namespace, started=started, finished=app.clock.now(), counts={**kept, **more}
    )
    with app.unit_of_work.exclusive(WAIT_S, namespace):
        return app.unit_of_work.commit("consolidate", [], ledger=[row.to_wire()]).op_id


def _decision_view(decision: Decision) -> Consolidated:
    """Convert a decision into its output form; contents that it makes are joined by line ends, None if it makes
    none."""
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
    lambda call, asked: consolidate(call.app, asked),
    "change",
    Surfaces("lifecycle consolidate", http=("POST /v1/lifecycle/consolidate",)),
    span="upsert_memory",
)
