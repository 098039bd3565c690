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
    admitted,
    apply,
    batches,
    counted,
    decide,
)
from pellucid.memory.encoding import text_digest
from pellucid.memory.ledger_rows import typed
from pellucid.memory.unit_of_work import WAIT_S
from pellucid.model.ledger import LifecycleRow, PassRow
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.observe.model.consolidate import Consolidator, LlmConsolidator
from pellucid.operations.extraction import asked_by_default, open_chat
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
    """One pass over a namespace: a batch of clusters is decided and written at a time."""

    app: App
    request: ConsolidateInput
    model: Consolidator | None
    undone: Undone
    decisions: list[Decision] = field(default_factory=list[Decision])
    op_ids: list[str] = field(default_factory=list[str])
    problem: str = ""
    changed: int = 0

    def run(self, found: Iterable[Batch]) -> bool:
        """Work through clusters in their order; whether all of them were."""
        waiting = iter(found)
        while chunk := list(islice(waiting, CLUSTERS_A_COMMIT)):
            if not self._work_through(chunk) or self.problem:
                return False
        return True

    def _work_through(self, chunk: Sequence[Batch]) -> bool:
        """Decide about some clusters and write it; whether the limit leaves room for all of them."""
        proposed = dict(self._proposals(chunk))
        with self.app.unit_of_work.deciding(self.request.namespace, _contents(proposed.values())):
            now = self.app.clock.now()
            held = self._held_memories(each for batch in chunk for each in batch.ids)
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
        """What can be proved, or else what the model proposed, if its memories are still as it saw them."""
        current = {each: changes.now(held[each].memory) for each in batch.ids if each in held}
        taken = decide(batch, current, now, self.undone)
        if proposed and proposed.seen == current:
            taken = [admitted(each, current, self.undone) for each in proposed.decisions]
        taken = [each if self.request.dry_run else apply(each, changes, held, self.app.clock) for each in taken]
        self.changed += any(each.kind != "skip" for each in taken)
        self.decisions += taken

    def _commit(self, changes: ChangeSet) -> None:
        plan = changes.plan()
        if plan.rows:
            self.op_ids.append(self.app.unit_of_work.commit("consolidate", plan.writes, plan.rows).op_id)

    def _held_memories(self, ids: Iterable[str]) -> dict[str, Served]:
        found = self.app.index.memories(self.request.namespace, list(dict.fromkeys(ids)))
        return {each.memory.id: each for each in found}

    def _proposals(self, chunk: Sequence[Batch]) -> Iterator[tuple[Batch, "_Proposed"]]:
        """What the model makes of the clusters nothing can be proved about; nobody waits for it."""
        if self.model is None:
            return
        held = self._held_memories(each for batch in chunk for each in batch.ids)
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
    """What a model made of a cluster, and the memories as it saw them."""

    seen: dict[str, Memory]
    decisions: list[Decision]


def _contents(proposed: Iterable[_Proposed]) -> Iterator[str]:
    """What memories would say that a model proposed."""
    return (text for each in proposed for decision in each.decisions for text in decision.contents)


def consolidate(app: App, request: ConsolidateInput) -> ConsolidateOutput:
    """Run one pass; it is put on the ledger when it ran to its end, and one that was stopped goes on where it was.

    Raises:
        StoreBusyError: another pass is running, or a writer did not stop in a minute; what was acknowledged is kept.
        InputError: a model is wanted, and the settings do not say which or where.
        ChatError: it is a program, and there is none of that name.
    """
    with exclusive(app.settings.home / LOCK, 0.0) as alone:
        if not alone:
            raise StoreBusyError("a consolidation is running already", next_step="wait until it has ended")
        return _consolidate(app, request)


def _consolidate(app: App, request: ConsolidateInput) -> ConsolidateOutput:
    """One pass, while no other runs."""
    chat = open_chat(app.settings, asked_by_default(app.settings), app.deadline) if request.use_model else None
    model = LlmConsolidator(chat) if chat else None
    with app.unit_of_work.deciding(request.namespace):
        pass  # what a killed process acknowledged and did not fold is folded now
    started, reached = app.clock.now(), app.index.state().applied_seq
    kept = app.index.memories(request.namespace)
    written = _paths_since_last_pass(app, request)
    new = {each.memory.id for each in kept if written is None or each.path in written}
    found = batches([each.memory for each in kept], new, _vectors(app, kept), started)
    run = _Pass(app, request, model, _undone_changes(app, request.namespace))
    complete = run.run(found)
    counts = counted(run.decisions)
    if complete and not request.dry_run:
        reach = {"reached": reached, "clusters": len(found), "model": int(request.use_model)}
        run.op_ids.append(_record_pass(app, request.namespace, started, counts, reach))
    done = [_consolidated(each) for each in run.decisions if each.kind != "skip"]
    skips = [_consolidated(each) for each in run.decisions if each.kind == "skip"]
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
    """The files that some operation wrote since the last complete pass began; None, for all, before the first.

    What a pass without a model could not settle is new to one with a model.
    """
    rows = (row for row in typed(app.ledger.rows(), request.namespace, ("pass",)) if isinstance(row, PassRow))
    alike = [
        row.counts
        for row in rows
        if row.name == "consolidate" and (row.counts.get("model", 0) or not request.use_model)
    ]
    since = max((counts.get("reached", 0) for counts in alike), default=0)
    return {path for row in app.records.operations(after=since) for path, _ in row.paths} if since else None


def _undone_changes(app: App, namespace: str) -> Undone:
    """What stood together in changes of earlier passes that somebody undid."""
    ours: dict[str, frozenset[str]] = {}
    back: set[frozenset[str]] = set()
    for row in typed(app.ledger.rows(), namespace, ("lifecycle",)):
        if isinstance(row, LifecycleRow) and row.actor == "consolidate":
            ours[row.event_id] = frozenset((row.memory_id, *row.related_memory_ids))
        elif isinstance(row, LifecycleRow) and row.event_type == "undone":
            back |= {ours[undone] for undone in [row.reason_code.removeprefix("undo:")] if undone in ours}
    return frozenset(back)


def _vectors(app: App, kept: Iterable[Served]) -> Callable[[Memory], Vector | None]:
    known = app.index.encodings({text_digest(each.memory) for each in kept if each.memory.status == "active"})
    vectors = {digest: encoding.vector for digest, encoding in known.items()}
    return lambda memory: vectors.get(text_digest(memory))


def _record_pass(app: App, namespace: str, started: datetime, counts: Counter[str], more: dict[str, int]) -> str:
    """Put on the ledger that a pass ran to its end; the operation's id."""
    kept = {kind: number for kind, number in counts.items() if not kind.startswith("skip:")}
    row = PassRow(
        name="consolidate", namespace=namespace, started=started, finished=app.clock.now(), counts={**kept, **more}
    )
    with app.unit_of_work.exclusive(WAIT_S, namespace):
        return app.unit_of_work.commit("consolidate", [], ledger=[row.to_wire()]).op_id


def _consolidated(decision: Decision) -> Consolidated:
    """A decision as the answer shows it."""
    return Consolidated(
        kind=decision.kind,
        of=decision.of,
        reason=decision.reason,
        made=decision.made,
        content="\n".join(decision.contents) or None,
    )


CONSOLIDATE = Operation(
    "lifecycle.consolidate",
    """Merge memories that say the same, and retire old values.

Only what provably says the same; what has expired is archived. Undoable.
""",
    ConsolidateInput,
    ConsolidateOutput,
    lambda call, asked: consolidate(call.app, asked),
    "change",
    Surfaces("lifecycle consolidate", http=("POST /v1/lifecycle/consolidate",)),
    span="upsert_memory",
)
