"""Earlier recalls by id in, what can be said of them out: replayed, asked again, compared, less a part."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from pellucid.app import App
from pellucid.memory.ledger_rows import typed
from pellucid.model.ledger import LifecycleRow
from pellucid.model.memory import unpack_id
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Flag, Operation, RecallId, Surfaces
from pellucid.operations.recall.recalling import load_receipt
from pellucid.operations.recall.request import check_removable, spell_parts
from pellucid.operations.recall.wording import headlines_of
from pellucid.recall.effect import Effect, effect, effects
from pellucid.recall.receipt.record import Receipt, pack, unpack
from pellucid.recall.state import State
from pellucid.settings.sections import RecallSettings
from pellucid.store.records import OperationRow
from pellucid.xray.diff import RecallDiff, diff
from pellucid.xray.replay import Ranked, Reason, Since, compare_with_live, replay_receipt, withheld_reason


class LiveOutput(Wire):
    """The same request asked of today's memory: its settings, filters, scopes and instant are the recorded ones."""

    identical: bool | None = None
    """Whether the whole ranking is the same, to the last bit; None where it could not be asked."""
    reasons: tuple[Reason, ...] = ()
    """Why it is not; every reason there is, whether or not it alone would have changed the ranking."""
    difference: RecallDiff | None = None
    """What was served then (a) and would be now (b)."""


class ReplayOutput(Wire):
    """A recall worked out again from its receipt alone."""

    recall_id: str
    identical: bool
    """Whether what was served is what the receipt ranks first; false only for a receipt that was tampered with."""
    results: tuple[Ranked, ...]
    """What was served, best first, with the exact scores."""
    ranked: int
    """How many passed the filters."""
    live: LiveOutput | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of the memories named here, by id, where the one who asked may read them."""


class AblateOutput(Wire):
    """What legs, stages or terms did for the first topK of a recall."""

    recall_id: str
    effects: tuple[Effect, ...]
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of the memories named here, by id, where the one who asked may read them."""


def replay_recall(app: App, namespace: str, recall_id: str, *, live: bool = False) -> ReplayOutput:
    """Recompute a recall from its receipt; with `live`, also ask it again today (unrecorded) and say what differs.
    Errors as of `load_receipt`."""
    receipt = load_receipt(app, namespace, recall_id)
    found = replay_receipt(receipt)
    results, again = found.ranking[: found.served], _live_output(app, receipt) if live else None
    named = [each.memory_id for each in results]
    if again is not None:
        named += [each for reason in again.reasons for each in reason.memory_ids]
        named += again.difference.named if again.difference else ()
    return ReplayOutput(
        recall_id=receipt.state.request.recall_id,
        identical=found.identical,
        results=results,
        ranked=len(found.ranking),
        live=again,
        words=_headlines(app, receipt, named),
    )


def _headlines(app: App, receipt: Receipt, memory_ids: Iterable[str]) -> dict[str, str]:
    """Return headlines of memories by id, as far as the recall's caller may read them and they still exist."""
    request = receipt.state.request
    return headlines_of(app, request.namespace, request.scopes, memory_ids)


def diff_recalls(app: App, namespace: str, a: str, b: str) -> RecallDiff:
    """Compare recall `b` with recall `a`, both of this namespace; only memories both callers may read get headlines."""
    before, after = load_receipt(app, namespace, a), load_receipt(app, namespace, b)
    found = diff(before, after)
    scopes = set(before.state.request.scopes) & set(after.state.request.scopes)
    return found.model_copy(update={"words": headlines_of(app, namespace, scopes, found.named)})


def ablate_recall(app: App, namespace: str, recall_id: str, parts: Sequence[str] | None = None) -> AblateOutput:
    """Compute what leaving out all these parts together does to a recall; without parts, what each leg does. InputError
    for a part that no recall can leave out, other errors as of `load_receipt`."""
    check_removable(parts or ())
    receipt = load_receipt(app, namespace, recall_id)
    state = receipt.state
    found = [effect(state, parts)] if parts else effects(state)
    named = [each for one in found for each in (*one.entered, *one.left, *(move.memory_id for move in one.moved))]
    return AblateOutput(recall_id=state.request.recall_id, effects=tuple(found), words=_headlines(app, receipt, named))


def _live_output(app: App, receipt: Receipt) -> LiveOutput:
    """Ask the recorded request again today, and compare the result with its receipt; if its question was not kept, say
    only that."""
    chosen = receipt.state.request.chosen | set(RecallSettings.model_fields)  # as narrowed as it was
    request = replace(receipt.state.request, chosen=chosen)
    if not request.query:
        return LiveOutput(reasons=(withheld_reason(),))
    state = app.recaller.run(request, app.deadline)
    reasons = compare_with_live(receipt, state, changes_since(app, receipt.state, state.corpus.applied_seq))
    return LiveOutput(identical=not reasons, reasons=tuple(reasons), difference=diff(receipt, unpack(pack(state))))


def changes_since(app: App, then: State, reached: int) -> Since:
    """Find which memories changed between a recall (`then`) and the index, which has applied operation number
    `reached`.

    A memory is added if the ledger says so or no earlier operation wrote its file, and changed if that was rewritten.
    """
    candidates: list[Any] = then.pool.ids.tolist()
    namespace, known = then.request.namespace, dict.fromkeys(map(unpack_id, candidates))
    last = then.corpus.applied_seq if reached >= then.corpus.applied_seq else 0  # else the journal was made anew
    every = app.records.operations()
    earlier, later = [row for row in every if row.seq <= last], [row for row in every if row.seq > last]
    before, written = _written_paths(earlier), _written_paths(later)
    made, forgotten = _made_and_forgotten(
        app, namespace, {row.op_id for row in later}, earlier[-1].at if earlier else None
    )
    here = app.index.memories(namespace)
    touched = [each for each in here if each.path in written]
    new = {
        each.memory.id
        for each in touched
        if each.memory.id not in known and (each.memory.id in made or each.path not in before)
    }
    standing = {each.memory.id for each in here}
    return Since(
        added=tuple(each.memory.id for each in touched if each.memory.id in new),
        changed=tuple(each.memory.id for each in touched if each.memory.id not in new),
        forgotten=tuple(each for each in forgotten if each not in made),
        removed=tuple(each for each in known if each not in standing and each not in forgotten),
    )


def _written_paths(rows: Sequence[OperationRow]) -> set[str]:
    """Return the paths of all files that the operations wrote."""
    return {path for row in rows for path, _ in row.paths}


def _made_and_forgotten(app: App, namespace: str, op_ids: set[str], after: str | None) -> tuple[set[str], list[str]]:
    """Return the ids of memories created by these operations, and of those forgotten after an ISO timestamp (None:
    ever)."""
    made, forgotten = set[str](), dict[str, None]()
    begin = datetime.fromisoformat(after) if after else datetime.min.replace(tzinfo=UTC)
    for row in typed(app.ledger.rows(), namespace, ("lifecycle",)):
        if isinstance(row, LifecycleRow) and row.event_type == "created" and row.correlation_id in op_ids:
            made.add(row.memory_id)
        elif isinstance(row, LifecycleRow) and row.event_type == "forgotten" and row.timestamp > begin:
            forgotten[row.memory_id] = None
    return made, list(forgotten)


class ReplayInput(Wire):
    """Which recall, and whether to ask it again."""

    namespace: str
    recall_id: RecallId
    live: Annotated[bool, Flag("Ask it again, too, and say why the answer differs.")] = False


class DiffInput(Wire):
    """Which two recalls."""

    namespace: str
    a: Annotated[str, Argument("The first recall's id (rec_…).")]
    b: Annotated[str, Argument("The second recall's id.")]


class AblateInput(Wire):
    """Which recall, without which of its parts; without each at a time, where none is named."""

    namespace: str
    recall_id: RecallId
    without: Annotated[tuple[str, ...], AfterValidator(spell_parts), Flag("A leg, stage or term to leave out.")] = ()


REPLAY = Operation(
    "recall.replay",
    "Work out an earlier recall again, from its receipt alone. The same memories, order and scores.",
    ReplayInput,
    ReplayOutput,
    lambda call, asked: replay_recall(call.app, asked.namespace, asked.recall_id, live=asked.live),
    "read",
    Surfaces("replay", http=("GET /v1/snapshots/{recall_id}/replay",), mcp="memory_xray:replay"),
)
DIFF = Operation(
    "recall.diff",
    "Compare two recalls: what entered, left and moved, and why.\n\n"
    "Which term moved it, and what else was not the same.\n",
    DiffInput,
    RecallDiff,
    lambda call, asked: diff_recalls(call.app, asked.namespace, asked.a, asked.b),
    "read",
    Surfaces("diff", http=("GET /v1/snapshots/{a}/diff/{b}",), mcp="memory_xray:diff"),
)
ABLATE = Operation(
    "recall.ablate",
    "Show what each part of the search did for one recall.\n\n"
    "With parts named: what leaving them out together would change.\n",
    AblateInput,
    AblateOutput,
    lambda call, asked: ablate_recall(call.app, asked.namespace, asked.recall_id, asked.without),
    "read",
    Surfaces("ablate", http=("GET /v1/snapshots/{recall_id}/ablate",)),
)
