"""A question in, a context, its receipt and its explanation out."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter, time_ns
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError, StoreError
from pellucid.memory.indexer import readable
from pellucid.model.memory import Memory, unpack_id
from pellucid.model.snapshot import LegHealth, OmittedMemory, RecallXraySnapshot, Staleness
from pellucid.model.wire import Instant, Wire
from pellucid.operations.as_known import memories_as_known
from pellucid.operations.graph.states import unknown_before
from pellucid.operations.instants import PastInstants
from pellucid.operations.operation import Call, Flag, Operation, Surfaces
from pellucid.operations.recall.request import RecallInput, request_of
from pellucid.operations.recall.wording import named_in, words_of
from pellucid.recall.pipeline import FAILED
from pellucid.recall.query.edges import asked_edges
from pellucid.recall.receipt.event import event_of, failure_of, is_degraded
from pellucid.recall.receipt.record import Draft, Receipt, draft, unpack
from pellucid.recall.state import Request, State
from pellucid.store.history.history_port import audit_id
from pellucid.store.index_port import Served
from pellucid.store.records import content_digest
from pellucid.telemetry.watcher import RecallDone
from pellucid.xray.align import Aligner
from pellucid.xray.build import build
from pellucid.xray.shown import REJECTED_SHOWN
from pellucid.xray.words.rungs import cuts_of

SHARE = 4
"""One in so many parts of budget and places is kept for each further namespace, and what is left over beside."""
_LAST = re.compile(r"last(?:~(\d{1,4}))?")
_RECALL = re.compile(rf"rec_[0-9a-f]{{32}}|{_LAST.pattern}")


class XrayInput(Wire):
    """Which recall to explain: one that is run now as `question`, or an earlier one by its id."""

    namespace: str
    question: RecallInput | None = None
    recall_id: Annotated[str | None, Flag("Explain this earlier recall (rec_…) instead of asking.", "--id")] = None
    align: Annotated[bool, Flag("Also show which words met which.")] = False
    turned_away: Annotated[int, Flag("How many of those turned away to name.")] = Field(
        default=REJECTED_SHOWN, ge=0, le=10_000
    )


class RecalledMemory(Wire):
    """One memory of the context, in order of rank."""

    memory: Memory
    path: str
    final: float
    audit_entry_id: str
    why: str
    staleness: Staleness | None = None


class RecallOutput(Wire):
    """The context to put before a model, and what is in it. `recallId` names the receipt and the X-ray."""

    recall_id: str
    query: str
    namespace: str
    context: str
    memories: tuple[RecalledMemory, ...]
    omitted: tuple[OmittedMemory, ...] = ()
    legs: tuple[LegHealth, ...] = ()
    degraded: bool = False
    """A leg was down, or a stage failed: there may be better answers than these."""
    failed: dict[str, str] = Field(default_factory=dict)
    """Stages that failed, such as the reranker, with what went wrong; the recall went on without them."""
    asked_in_vain: tuple[str, ...] = ()
    """Legs that this question asked for by name, by files to review or by edges, and that found nothing."""
    cut: dict[str, int] = Field(default_factory=dict)
    """How many of those that passed every filter were left out all the same, by the rung that cut them."""
    doubt: float | None = None
    """How unsure the recall is of having an answer, from 0 to 1; `docs/context.md` has the formula."""
    abstain_at: float = 1.0
    """The doubt from which nothing would have been recalled; 1 is never."""
    abstained: bool = False
    """Nothing is recalled, because nothing was near enough."""
    nearest: tuple[str, ...] = ()
    """The ids of the nearest misses of a recall that abstained."""
    words: dict[str, str] = Field(default_factory=dict)
    """The first words of the nearest misses, by id, where the one who asked may read them."""
    stale: tuple[str, ...] = ()
    """The ids of those that are due for verification: superseded since, or not verified for a long time."""
    known_from: dict[str, Instant] = Field(default_factory=dict)
    """Things that the question names and of which nothing is known as early as `asOf`: since when something is."""
    also: tuple["RecallOutput", ...] = ()
    """The answers of the further namespaces asked that had one; their contexts stand in `context`, after its own."""
    receipt_problem: str | None = None
    """Why this recall cannot be explained later, if its receipt could not be kept."""


def recall(app: App, request: RecallInput) -> RecallOutput:
    """Answer a question from memory inside a budget, and keep the receipt.

    Further namespaces are asked apart, each by a recall of its own: nothing of one is ranked beside another's, for
    their scores mean different things, and each answer has its own explanation.

    Raises:
        InputError: the query is empty or too long, or a value is out of range.
        DeadlineError: the time of the call was over; there is no receipt of it.
    """
    further = [each for each in request.also if app.lookup.held(each).anything]
    if not further:
        return _answer(app, request)
    limits, part = request_of(app, request).settings, max(SHARE, 1 + len(further))  # with what this call overrides
    room, places = limits.char_budget, limits.top_k_facts
    own = _answer_within(app, request, room - len(further) * (room // part), places - len(further) * (places // part))
    answers = [own]
    for still, namespace in zip(range(len(further), 0, -1), further, strict=True):
        left = room - sum(len(each.context) + 1 for each in answers if each.memories)
        free = places - sum(len(each.memories) for each in answers)
        if left >= still and free >= still:
            answers.append(
                _answer_within(app, request.model_copy(update={"namespace": namespace}), left // still, free // still)
            )
    context = "\n".join(each.context for each in answers if each.memories) or own.context
    return own.model_copy(update={"context": context, "also": tuple(each for each in answers[1:] if each.memories)})


def _answer_within(app: App, request: RecallInput, budget: int, top_k: int) -> RecallOutput:
    """An answer within a part of budget and places; what the caller left to the settings counts as left to them."""
    if request.budget is None and request.top_k is None and not request.settings:
        recall = app.settings.recall.model_copy(update={"char_budget": budget, "top_k_facts": top_k})
        return _answer(replace(app, settings=app.settings.model_copy(update={"recall": recall})), request)
    return _answer(app, request.model_copy(update={"budget": budget, "top_k": top_k}))


def _answer(app: App, request: RecallInput) -> RecallOutput:
    """Recall in one namespace, and say of each memory of the context why it is there."""
    state, drafted, problem = _run_recall(app, request)
    snapshot = snapshot_of(app, drafted.receipt(), state.served)
    whys = {result.memory_id: result for result in snapshot.results}
    served = {each.memory.id: each for each in state.served}
    failed = {stage.name: stage.note.removeprefix(FAILED) for stage in state.stages if stage.note.startswith(FAILED)}
    nearest = snapshot.abstention.nearest if snapshot.abstention else ()
    past = PastInstants(state.request.as_of, state.request.as_known_at)
    return RecallOutput(
        recall_id=state.request.recall_id,
        query=state.request.query,
        namespace=request.namespace,
        context=state.context.text,
        memories=tuple(
            RecalledMemory(
                memory=served[memory_id].memory,
                path=served[memory_id].path,
                final=whys[memory_id].score_decomposition.final,
                why=whys[memory_id].why,
                audit_entry_id=audit_id(state.request.recall_id, place),
                staleness=whys[memory_id].staleness,
            )
            for place, memory_id in enumerate(state.context.included, start=1)
        ),
        omitted=snapshot.context.omitted,
        legs=snapshot.legs,
        degraded=is_degraded(state),
        failed=failed,
        asked_in_vain=tuple(leg.name for leg in state.legs if leg.health == "empty" and _asked_for(state, leg.name)),
        cut=cuts_of(snapshot.filters),
        doubt=snapshot.abstention.doubt if snapshot.abstention else None,
        abstain_at=snapshot.abstention.threshold if snapshot.abstention else 1.0,
        abstained=snapshot.abstention is not None and snapshot.abstention.abstained,
        nearest=nearest,
        words=words_of(app, request.namespace, state.request.scopes, nearest),
        stale=tuple(each.memory_id for each in snapshot.results if each.staleness and each.staleness.due),
        known_from=unknown_before(app, request.namespace, state.plan.text, past),
        receipt_problem=problem or None,
    )


def _asked_for(state: State, leg: str) -> bool:
    return leg == "review" or (leg == "graph" and asked_edges(state.plan.text) is not None)


def xray(
    app: App, request: RecallInput, *, align: bool = False, turned_away: int = REJECTED_SHOWN
) -> RecallXraySnapshot:
    """Run a recall and explain it from its receipt; with `align`, also which words met."""
    state, drafted, _ = _run_recall(app, request, hands_out=False)
    return _with_words(
        app, state.request, snapshot_of(app, drafted.receipt(), state.served, align=align, turned_away=turned_away)
    )


def xray_of(
    app: App, namespace: str, recall_id: str, *, align: bool = False, turned_away: int = REJECTED_SHOWN
) -> RecallXraySnapshot:
    """The explanation of a recall that was made before; with `align`, also which words meet today.

    Raises:
        NotFoundError: no recall of this namespace has that id, or its receipt was too old to be kept.
    """
    receipt = receipt_of(app, namespace, recall_id)
    return _with_words(app, receipt.state.request, snapshot_of(app, receipt, align=align, turned_away=turned_away))


def _with_words(app: App, request: Request, snapshot: RecallXraySnapshot) -> RecallXraySnapshot:
    """The snapshot with what the memories it names say, as far as the one who asked may read it."""
    results = {each.memory_id for each in snapshot.results}
    words = words_of(app, request.namespace, request.scopes, named_in(snapshot), results)
    return snapshot.model_copy(update={"words": words})


def receipt_of(app: App, namespace: str, recall_id: str) -> Receipt:
    """What is on record of a recall.

    Raises:
        NotFoundError: no recall of this namespace has that id, or its receipt was pruned.
        StoreError: the receipt cannot be read.
    """
    recall_id = recall_named(app, namespace, recall_id)
    packed = app.history.receipt(recall_id, namespace)
    if packed is not None:
        return unpack(packed)
    row = app.receipts.find(recall_id, namespace)
    if row and row.outcome == "failed":
        raise NotFoundError(
            f"{recall_id} failed, so there is nothing to explain",
            next_step=f"`pellucid snapshots show {recall_id}` says what went wrong",
        )
    if row:
        raise NotFoundError(
            f"the receipt of {recall_id} was pruned: only its results are kept",
            next_step="`pellucid snapshots pin` keeps a recall in full whatever its age",
        )
    raise NotFoundError(
        f"no recall {recall_id} in {namespace}",
        next_step="recall ids start with rec_; `pellucid snapshots list` shows them",
    )


def _run_recall(app: App, asked: RecallInput, *, hands_out: bool = True) -> tuple[State, Draft, str]:
    """Recall, and have its receipt and its one event kept, whatever comes of it. A question that is refused is none.

    Also returns what is kept, and why it cannot be, if so: history is never needed to answer. What is served is
    told as it was known then. `hands_out`: whoever asked is given the context.
    """
    request, began = request_of(app, asked), perf_counter()
    try:
        state, ranked = _recall_of_current_files(app, request), time_ns()
        drafted, state = draft(state), replace(state, served=_memories_as_known(app, state.request, state.served))
        app.deadline.check()  # what is given up leaves no receipt
    except InputError:
        raise
    except Exception as error:
        failure = failure_of(request, app.surface, _millis_since(began), error)
        _tell(app, RecallDone(request, failure, time_ns(), error=error))
        with suppress(StoreError):
            app.recaller.record_failure(request, failure)
        raise
    event = event_of(state, app.surface, _millis_since(began), hands_out=hands_out)
    _tell(app, RecallDone(request, event, time_ns(), state, ranked))
    try:
        app.recaller.record(state, drafted, event)
    except StoreError as error:
        return state, drafted, str(error)
    return state, drafted, ""


def _tell(app: App, done: RecallDone) -> None:
    for each in app.watchers:
        each.recalled(done)


def _recall_of_current_files(app: App, request: Request) -> State:
    """A recall, and once more if a file that would be served had been changed by somebody else meanwhile."""
    state = app.recaller.run(request, app.deadline)
    served = {each.path for each in state.served}
    if served and app.indexer.drift(served).paths:
        app.unit_of_work.take_over_edits(served)
        state = app.recaller.run(request, app.deadline)
    return state


def _millis_since(began: float) -> float:
    return (perf_counter() - began) * 1000


def _memories_as_known(app: App, request: Request, found: Sequence[Served]) -> tuple[Served, ...]:
    """Memories as they were known at the instant asked about, where one is."""
    past = PastInstants(request.as_of, request.as_known_at)
    known = memories_as_known(app, request.namespace, [each.memory for each in found], past)
    return tuple(replace(each, memory=memory) for each, memory in zip(found, known, strict=True))


def is_recall(words: str) -> bool:
    """Whether words name a recall, where a question might stand: its id, or `last`."""
    return _RECALL.fullmatch(words) is not None


def recall_named(app: App, namespace: str, name: str) -> str:
    """The id behind `last`, `last~1` (the one before) and so on; anything else is an id already.

    Raises:
        NotFoundError: there were not that many recalls.
    """
    found = _LAST.fullmatch(name)
    if not found:
        return name
    back = int(found[1] or 0)
    rows = app.receipts.recalls(namespace, limit=back + 1)
    if len(rows) <= back:
        raise NotFoundError(f"no recall {name} in {namespace}: {len(rows)} are on record", next_step="ask something")
    return rows[back].recall_id


def snapshot_of(
    app: App,
    receipt: Receipt,
    found: Sequence[Served] | None = None,
    *,
    align: bool = False,
    turned_away: int = REJECTED_SHOWN,
) -> RecallXraySnapshot:
    """The snapshot of a receipt, with the memories it names as they are now (or as `found` just now).

    Raises:
        EncoderError: words are to be aligned, and the model could not be loaded.
    """
    if found is None:
        request = receipt.state.request
        found = _memories_as_known(app, request, app.index.memories(request.namespace, receipt.state.context.included))
    plan = receipt.state.plan
    aligner = Aligner(app.embedder, plan.text, plan.words, plan.telling) if align and plan.text else None
    memories = {each.memory.id: each for each in found}
    walked = {node for path in receipt.state.paths.values() for node in path.nodes}
    names = app.graph.named(receipt.state.request.namespace, sorted(walked)) if walked else {}
    return build(
        receipt,
        memories,
        aligner,
        app.settings.lifecycle.stale_after_days,
        names,
        _anchor(app, receipt, memories),
        turned_away,
    )


def _anchor(app: App, receipt: Receipt, memories: Mapping[str, Served]) -> str:
    """Where a direct answer stands, `path:first-last`; the path alone where its file says something else by now."""
    tier = receipt.state.tier
    answer = unpack_id(receipt.state.pool.ids[tier.answer]) if tier and tier.answer is not None else ""
    if answer not in memories:
        return ""
    served = memories[answer]
    heads, _ = readable(app.records, [served.path])
    data = heads[0].data if heads else None
    if data is None or content_digest(data) != served.stamp.digest:
        return served.path
    from pellucid.vault.markdown import content_lines  # direct answers are few

    first, last = content_lines(data)
    return f"{served.path}:{first}-{last}"


def xray_asked_for(call: Call, asked: XrayInput) -> RecallXraySnapshot:
    """The explanation of a recall, made now or earlier.

    Raises:
        InputError: neither a question nor a recall is given.
    """
    if asked.recall_id:
        return xray_of(call.app, asked.namespace, asked.recall_id, align=asked.align, turned_away=asked.turned_away)
    if asked.question is None:
        raise InputError("there is no question and no recall to explain", code="missing_query")
    return xray(call.app, asked.question, align=asked.align, turned_away=asked.turned_away)


RECALL = Operation(
    "recall.ask",
    "Answer a question from memory, inside a budget. Prints the context and the recall id of its explanation.",
    RecallInput,
    RecallOutput,
    lambda call, asked: recall(call.app, asked),
    "append",
    Surfaces("recall", http=("POST /v1/recall",), mcp="memory_recall"),
    needs="read",  # what it appends is the record of the question
)
XRAY = Operation(
    "recall.xray",
    "Explain why a recall gave these memories, and not others. It says what each stage cost, too.",
    XrayInput,
    RecallXraySnapshot,
    xray_asked_for,
    "append",
    Surfaces("xray", http=("GET /v1/recall/xray", "GET /v1/snapshots/{recall_id}"), mcp="memory_xray:xray"),
    needs="read",
)
