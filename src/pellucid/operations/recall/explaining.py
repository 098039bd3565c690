"""Earlier recalls by id in, their explanations out: replayed, asked again, compared, and with parts left out."""

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
from pellucid.operations.operation import Argument, Flag, Operation, RecallId, Surfaces, Text, in_home
from pellucid.operations.recall.recalling import load_receipt
from pellucid.operations.recall.request import check_removable, spell_parts
from pellucid.operations.recall.wording import headlines_of
from pellucid.recall.effect import Effect, effect, effects
from pellucid.recall.receipt.record import Receipt, draft
from pellucid.recall.state import State
from pellucid.settings.sections import RecallSettings
from pellucid.store.records import OperationRow
from pellucid.xray.diff import RecallDiff, diff
from pellucid.xray.replay import Ranked, Reason, Since, compare_with_live, replay_receipt, withheld_reason


class LiveOutput(Wire):
    """The result of asking a recorded request of today's memory, with its recorded settings, filters, scopes and
    instant."""

    identical: bool | None = None
    """Whether the whole ranking is the same, to the last bit; None if the request could not be asked again."""
    reasons: tuple[Reason, ...] = ()
    """Why the rankings differ; every reason, whether or not it alone would have changed the ranking."""
    difference: RecallDiff | None = None
    """What was served then (a), compared with what would be served now (b)."""


class ReplayOutput(Wire):
    """A recall computed again from its receipt alone."""

    recall_id: str
    identical: bool
    """Whether what was served is what the receipt ranks first; false only for a receipt that was tampered with."""
    results: tuple[Ranked, ...]
    """The memories served, best first, with the exact scores."""
    ranked: int
    """The number of memories that passed the filters."""
    live: LiveOutput | None = None
    words: dict[str, str] = Field(default_factory=dict)
    """Maps the ids of the memories named here to their first words, if the recall's caller is allowed to read them."""


class AblateOutput(Wire):
    """The effects of legs, stages or terms on the first topK of a recall."""

    recall_id: str
    effects: tuple[Effect, ...]
    words: dict[str, str] = Field(default_factory=dict)
    """Maps the ids of the memories named here to their first words, if the recall's caller is allowed to read them."""


class ReplayInput(Wire):
    """A recall, and whether to ask its request again."""

    namespace: str
    recall_id: RecallId
    live: Annotated[bool, Flag("Ask it again, too, and say why the answer differs.")] = False


class DiffInput(Wire):
    """Two recalls to compare."""

    namespace: str
    a: Annotated[str, Argument("The first recall's id (rec_…).")]
    b: Annotated[str, Argument("The second recall's id.")]


class AblateInput(Wire):
    """A recall and the parts to leave out of it; without parts, each leg is left out in turn."""

    namespace: str
    recall_id: RecallId
    without: Annotated[tuple[str, ...], AfterValidator(spell_parts), Flag("A leg, stage or term to leave out.")] = ()


def replay_recall(app: App, request: ReplayInput) -> ReplayOutput:
    """Recompute a recall from its receipt (the record of all that decided it); with `live`, also ask its request again
    today, without recording that, and say what differs. NotFoundError if there is no such recall, or its receipt is
    gone; StoreError if it cannot be read; DeadlineError if asking again takes too long."""
    receipt = load_receipt(app, request.namespace, request.recall_id)
    replayed = replay_receipt(receipt)
    results, live_output = replayed.ranking[: replayed.served], _live_output(app, receipt) if request.live else None
    memory_ids = [each.memory_id for each in results]
    if live_output is not None:
        memory_ids += [each for reason in live_output.reasons for each in reason.memory_ids]
        memory_ids += live_output.difference.named if live_output.difference else ()
    return ReplayOutput(
        recall_id=receipt.state.request.recall_id,
        identical=replayed.identical,
        results=results,
        ranked=len(replayed.ranking),
        live=live_output,
        words=_headlines(app, receipt, memory_ids),
    )


def _headlines(app: App, receipt: Receipt, memory_ids: Iterable[str]) -> dict[str, str]:
    """Return a map from ids to headlines of those memories that still exist and that the recall's caller is allowed to
    read."""
    request = receipt.state.request
    return headlines_of(app, request.namespace, request.scopes, memory_ids)


def diff_recalls(app: App, request: DiffInput) -> RecallDiff:
    """Compare recall `b` with recall `a`, both of this namespace; headlines are added of the memories that the callers
    of both recalls are allowed to read. NotFoundError if one of the recalls or its receipt is gone, StoreError if a
    receipt cannot be read."""
    before, after = load_receipt(app, request.namespace, request.a), load_receipt(app, request.namespace, request.b)
    difference = diff(before, after)
    scopes = set(before.state.request.scopes) & set(after.state.request.scopes)
    return difference.model_copy(update={"words": headlines_of(app, request.namespace, scopes, difference.named)})


def ablate_recall(app: App, request: AblateInput) -> AblateOutput:
    """Compute the effect on a recall of leaving out all these parts together; without parts, the effect of leaving out
    each leg (way of searching) that found something, alone. InputError for a part that no recall can leave out,
    NotFoundError if there is no such recall or its receipt is gone, StoreError if the receipt cannot be read."""
    check_removable(request.without or ())
    receipt = load_receipt(app, request.namespace, request.recall_id)
    state = receipt.state
    found = [effect(state, request.without)] if request.without else effects(state)
    ids = [each for one in found for each in (*one.entered, *one.left, *(move.memory_id for move in one.moved))]
    return AblateOutput(recall_id=state.request.recall_id, effects=tuple(found), words=_headlines(app, receipt, ids))


def _live_output(app: App, receipt: Receipt) -> LiveOutput:
    """Ask the recorded request again today, without recording that, and compare the result with the receipt. If the
    receipt lacks the question, nothing is asked, `identical` is None, and the only reason given is that it was
    withheld."""
    chosen = receipt.state.request.chosen | set(RecallSettings.model_fields)  # every recorded setting applies
    request = replace(receipt.state.request, chosen=chosen)
    if not request.query:
        return LiveOutput(reasons=(withheld_reason(),))
    state = app.recaller.run(request, app.deadline)
    reasons = compare_with_live(receipt, state, changes_since(app, receipt.state, state.corpus.applied_seq))
    return LiveOutput(identical=not reasons, reasons=tuple(reasons), difference=diff(receipt, draft(state).receipt()))


def changes_since(app: App, then: State, applied_seq: int) -> Since:
    """Find the memories that changed between a recall (whose state is `then`) and today's index, which has applied the
    operations up to number `applied_seq`; if that is lower than at the recall, the journal was begun anew, and all its
    operations count as later.

    Of the memories in files that were written since, a memory counts as added if it was not a candidate of the recall
    and either the ledger has its creation or no earlier operation wrote its file; any other counts as changed.
    Forgotten are those that the ledger says were forgotten since, except ones also created since; removed are
    candidates of the recall that are in the index no more for another reason.
    """
    candidates: list[Any] = then.pool.ids.tolist()
    namespace, candidate_ids = then.request.namespace, dict.fromkeys(map(unpack_id, candidates))
    last = then.corpus.applied_seq if applied_seq >= then.corpus.applied_seq else 0  # else the journal was made anew
    operations = app.records.operations()
    earlier, later = [row for row in operations if row.seq <= last], [row for row in operations if row.seq > last]
    before, written = _written_paths(earlier), _written_paths(later)
    made, forgotten = _made_and_forgotten(
        app, namespace, {row.op_id for row in later}, earlier[-1].at if earlier else None
    )
    present = app.index.memories(namespace)
    touched = [each for each in present if each.path in written]
    new = {
        each.memory.id
        for each in touched
        if each.memory.id not in candidate_ids and (each.memory.id in made or each.path not in before)
    }
    present_ids = {each.memory.id for each in present}
    return Since(
        added=tuple(each.memory.id for each in touched if each.memory.id in new),
        changed=tuple(each.memory.id for each in touched if each.memory.id not in new),
        forgotten=tuple(each for each in forgotten if each not in made),
        removed=tuple(each for each in candidate_ids if each not in present_ids and each not in forgotten),
    )


def _written_paths(rows: Sequence[OperationRow]) -> set[str]:
    """Return the paths of all files that the operations wrote or removed."""
    return {path for row in rows for path, _ in row.paths}


def _made_and_forgotten(app: App, namespace: str, op_ids: set[str], after: str | None) -> tuple[set[str], list[str]]:
    """Return the ids of the memories that these operations created, by the ledger, as a set; and of those that were
    forgotten after an ISO timestamp (at any time if `after` is None), by whatever operation, each once, in the order of
    the ledger."""
    made, forgotten = set[str](), dict[str, None]()
    begin = datetime.fromisoformat(after) if after else datetime.min.replace(tzinfo=UTC)
    for row in typed(app.ledger.rows(), namespace, ("lifecycle",)):
        if isinstance(row, LifecycleRow) and row.event_type == "created" and row.correlation_id in op_ids:
            made.add(row.memory_id)
        elif isinstance(row, LifecycleRow) and row.event_type == "forgotten" and row.timestamp > begin:
            forgotten[row.memory_id] = None
    return made, list(forgotten)


REPLAY = Operation(
    "recall.replay",
    "Work out an earlier recall again, from its receipt alone. The same memories, order and scores.",
    ReplayInput,
    ReplayOutput,
    in_home(replay_recall),
    "read",
    Surfaces("replay", http=("GET /v1/snapshots/{recall_id}/replay",), mcp="memory_xray:replay"),
    text=Text("recall.replay.replay_text"),
)
DIFF = Operation(
    "recall.diff",
    "Compare two recalls: what entered, left and moved, and why.\n\n"
    "Which term moved it, and what else was not the same.\n",
    DiffInput,
    RecallDiff,
    in_home(diff_recalls),
    "read",
    Surfaces("diff", http=("GET /v1/snapshots/{a}/diff/{b}",), mcp="memory_xray:diff"),
    text=Text("recall.replay.diff_text"),
)
ABLATE = Operation(
    "recall.ablate",
    "Show what each part of the search did for one recall.\n\n"
    "With parts named: what leaving them out together would change.\n",
    AblateInput,
    AblateOutput,
    in_home(ablate_recall),
    "read",
    Surfaces("ablate", http=("GET /v1/snapshots/{recall_id}/ablate",)),
    text=Text("recall.replay.ablation_text"),
)
