"""A question in, a context, its receipt and its explanation out."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from time import perf_counter, time_ns
from typing import Annotated

from pydantic import Field

from pellucid.app import App
from pellucid.clock import ms_if_any
from pellucid.errors import InputError, NotFoundError, StoreError, field_name, step
from pellucid.memory.indexer import readable
from pellucid.model.memory import Memory, unpack_id
from pellucid.model.snapshot import LegHealth, OmittedMemory, RecallXraySnapshot, Staleness
from pellucid.model.wire import Instant, Wire
from pellucid.operations.as_known import memories_as_known
from pellucid.operations.graph.states import unknown_entities
from pellucid.operations.instants import PastInstants
from pellucid.operations.operation import Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.recall.recall_names import resolve_recall_id
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.operations.recall.wording import headlines_of, with_headlines
from pellucid.recall.context.abstain import unsure
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
from pellucid.xray.whereabouts import ids_left_out_for_another
from pellucid.xray.words.failures import failure_in_words
from pellucid.xray.words.rungs import cuts_by_rung, turned_away_by_filters

NAMESPACE_SHARE = 4
"""Each further namespace gets at least one in this many parts of the budget and of topK, and what others leave over."""


class XrayInput(Wire):
    """The recall to explain: a new recall of `question`, or the earlier recall `recall_id`."""

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
    """The context to put before a model, and the memories in it. `recallId` names the receipt and the X-ray."""

    recall_id: str
    query: str
    namespace: str
    context: str
    memories: tuple[RecalledMemory, ...]
    omitted: tuple[OmittedMemory, ...] = ()
    legs: tuple[LegHealth, ...] = ()
    degraded: bool = False
    """Whether a leg was down or a stage failed, so that better answers are possible."""
    failed: dict[str, str] = Field(default_factory=dict)
    """Maps the stages that failed, such as the reranker, to what went wrong; the recall went on without them."""
    asked_in_vain: tuple[str, ...] = ()
    """Legs that the question itself asks for, by files to review or by edges, and that found nothing."""
    cut: dict[str, int] = Field(default_factory=dict)
    """Maps rungs to the number of memories that they cut although these had passed every filter."""
    filtered_out: int = 0
    """The number of memories that a filter turned away."""
    doubt: float | None = None
    """How unsure the recall is of having an answer, from 0 to 1; `docs/context.md` has the formula."""
    abstain_at: float = 1.0
    """The doubt from which on the recall would have abstained; at 1 it never does."""
    abstained: bool = False
    """Whether nothing is recalled because nothing was near enough."""
    nearest: tuple[str, ...] = ()
    """The ids of the nearest misses of a recall that abstained."""
    words: dict[str, str] = Field(default_factory=dict)
    """Maps the ids of the nearest misses to their first words, if the caller is allowed to read them."""
    stale: tuple[str, ...] = ()
    """The ids of recalled memories that are due for verification: superseded since, or not verified for a long time."""
    known_from: dict[str, Instant] = Field(default_factory=dict)
    """Maps things that the question names and that were not known as early as `asOf` to when they began to be known."""
    also: tuple["RecallOutput", ...] = ()
    """The non-empty answers of further namespaces; their contexts are part of `context`, after the first answer's."""
    receipt_problem: str | None = None
    """Why this recall cannot be explained later, if its receipt could not be kept."""


def recall(app: App, request: RecallInput) -> RecallOutput:
    """Answer a question from memory within a budget of characters, and store the receipt.

    Each namespace of `request.also` that holds anything is searched by a recall of its own, with a quarter of budget
    and `topK` (an equal part, if there are more than three) and what is left over; not if that is 0. Its answer, unless
    empty, is in `also`; its context is joined to the first. InputError if the query is empty or too long, or a value is
    out of range; DeadlineError if the time of the call was over, and then the recall has no receipt."""
    further = [each for each in request.also if app.lookup.held(each).anything]
    if not further:
        return _recall_one_namespace(app, request)
    # with what this call overrides; each namespace's recall makes a request of its own, with its id and share
    limits = build_request(app, request).settings
    budget, top_k, part = limits.char_budget, limits.top_k_facts, max(NAMESPACE_SHARE, 1 + len(further))
    own_budget, own_top_k = (whole - len(further) * (whole // part) for whole in (budget, top_k))
    answers = [_recall_with_limits(app, request, own_budget, own_top_k)]
    for remaining, namespace in zip(range(len(further), 0, -1), further, strict=True):
        # what the answers so far left over is shared by the namespaces that remain
        chars = (budget - sum(len(each.context) + 1 for each in answers if each.memories)) // remaining
        places = (top_k - sum(len(each.memories) for each in answers)) // remaining
        if chars > 0 and places > 0:
            further_request = request.model_copy(update={"namespace": namespace})
            answers.append(_recall_with_limits(app, further_request, chars, places))
    context = "\n".join(each.context for each in answers if each.memories) or answers[0].context
    also = tuple(each for each in answers[1:] if each.memories)
    return answers[0].model_copy(update={"context": context, "also": also})


def _recall_with_limits(app: App, request: RecallInput, budget: int, top_k: int) -> RecallOutput:
    """Recall in the request's namespace with this budget (characters) and top K (memories) in place of the request's or
    the settings'."""
    # an override counts as chosen by the caller; if the caller chose nothing, the settings are changed instead
    if request.budget is None and request.top_k is None and not request.settings:
        recall = app.settings.recall.model_copy(update={"char_budget": budget, "top_k_facts": top_k})
        return _recall_one_namespace(replace(app, settings=app.settings.model_copy(update={"recall": recall})), request)
    return _recall_one_namespace(app, request.model_copy(update={"budget": budget, "top_k": top_k}))


def _recall_one_namespace(app: App, request: RecallInput) -> RecallOutput:
    """Recall in the request's namespace alone and record it; return the answer with the reason of each memory or, if it
    abstains (since nothing is near enough), with the nearest misses. Errors as of `_run_recall`."""
    state, receipt_draft, problem = _run_recall(app, request)
    # of the receipt and as a whole, as every later X-ray is: no reason is told in two ways
    snapshot = build_snapshot(app, receipt_draft.receipt(), state.served, turned_away=0)
    results = {result.memory_id: result for result in snapshot.results}
    served = {each.memory.id: each for each in state.served}
    failed = {stage.name: failure_in_words(stage.note or "") for stage in state.stages if stage.failed}
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
                final=results[memory_id].score_decomposition.final,
                why=results[memory_id].why,
                audit_entry_id=audit_id(state.request.recall_id, place),
                staleness=results[memory_id].staleness,
            )
            for place, memory_id in enumerate(state.context.included, start=1)
        ),
        omitted=snapshot.context.omitted,
        # of the snapshot, whose reasons are spelled for this surface; what a leg found barred is the X-ray's
        legs=tuple(leg.model_copy(update={"barred": None}) for leg in snapshot.legs),
        degraded=is_degraded(state),
        failed=failed,
        asked_in_vain=tuple(leg.name for leg in state.legs if _is_asked_in_vain(state, leg)),
        cut=cuts_by_rung(snapshot.filters),
        filtered_out=turned_away_by_filters(snapshot.filters),
        doubt=snapshot.abstention.doubt if snapshot.abstention else None,
        abstain_at=snapshot.abstention.threshold if snapshot.abstention else 1.0,
        abstained=snapshot.abstention is not None and snapshot.abstention.abstained,
        nearest=nearest,
        words=headlines_of(app, request.namespace, state.request.scopes, nearest),
        stale=tuple(each.memory_id for each in snapshot.results if each.staleness and each.staleness.due),
        known_from=unknown_entities(app, request.namespace, state.plan.text, past),
        receipt_problem=problem or None,
    )


def _is_asked_in_vain(state: State, leg: LegHealth) -> bool:
    """Whether a leg (one of the searches of a recall) has the health `empty`, and is `review`, or is `graph` and the
    question's words ask for edges (relations). For `graph`, False if the recall's doubt is known and below 0.5: the
    question only seemed to ask for edges ("what does Ines need?")."""
    if leg.health != "empty":
        return False
    sure = state.abstention is not None and not unsure(state.abstention.score)
    return leg.name == "review" or (leg.name == "graph" and not sure and asked_edges(state.plan.text) is not None)


def xray_new_recall(
    app: App, request: RecallInput, *, align: bool = False, turned_away: int = REJECTED_SHOWN
) -> RecallXraySnapshot:
    """Run, record and explain a recall of the request's own namespace alone. With `align`, the words of question and
    memories that matched are added; `turned_away` is the most rejected memories to name. InputError for a request that
    is not valid, DeadlineError if the time of the call was over."""
    state, receipt_draft, _ = _run_recall(app, request, hands_out=False)
    receipt = receipt_draft.receipt()
    found = (*state.served, *_left_out_for_another(app, receipt.state))
    snapshot = build_snapshot(app, receipt, found, align=align, turned_away=turned_away)
    return with_headlines(app, state.request, snapshot)


def xray_by_id(
    app: App, namespace: str, recall_id: str, *, align: bool = False, turned_away: int = REJECTED_SHOWN
) -> RecallXraySnapshot:
    """Explain a recorded recall (its id, or `last`, `last~1` …), with the first words of its memories as they are now;
    with `align`, also which words of question and memories match. `turned_away` is the maximum number of rejected
    memories to name. NotFoundError if there is no such recall, it failed or its receipt was pruned; StoreError if it
    cannot be read."""
    receipt = load_receipt(app, namespace, recall_id)
    snapshot = build_snapshot(app, receipt, align=align, turned_away=turned_away)
    return with_headlines(app, receipt.state.request, snapshot)


def load_receipt(app: App, namespace: str, recall_id: str) -> Receipt:
    """Load the receipt of a recall; `recall_id` can also be `last`, `last~1` and so on.

    Raises:
        NotFoundError: no recall of this namespace has that id, or it failed, or its receipt was pruned.
        StoreError: the receipt cannot be read.
    """
    recall_id = resolve_recall_id(app, namespace, recall_id)
    packed = app.history.receipt(recall_id, namespace)
    if packed is not None:
        return unpack(packed)
    row = app.receipts.find(recall_id, namespace)
    if row and row.outcome == "failed":
        raise NotFoundError(
            f"{recall_id} failed, so there is nothing to explain",
            next_step=f"{step('recall.event', recall_id=recall_id)} says what went wrong",
        )
    if row:
        raise NotFoundError(
            f"the receipt of {recall_id} was pruned: only its results are kept",
            next_step=f"{step('recall.pin')} keeps a recall in full whatever its age",
        )
    raise NotFoundError(
        f"no recall {recall_id} in {namespace}",
        next_step=f"{step('recall.list')} shows those of {namespace}; {field_name('namespace')} names another project",
    )


def recent_receipts(app: App, namespace: str, since: datetime | None, limit: int) -> Iterator[bytes]:
    """Yield the packed receipts of the newest `limit` recalls of a namespace, newest first; with `since`, only of
    recalls from then on. Recalls of these that are not kept in full are left out."""
    for row in app.receipts.recalls(namespace, since=ms_if_any(since) or 0, limit=limit):
        if row.in_full and (packed := app.history.receipt(row.recall_id, namespace)) is not None:
            yield packed


def _run_recall(app: App, asked: RecallInput, *, hands_out: bool = True) -> tuple[State, Draft, str]:
    """Run a recall, tell the watchers of `app` (with the request as built, which the plan changes in the state), and
    store its receipt and event. Return its state (with memories as known at the instants asked about), the draft of its
    receipt, and why that could not be stored ("" if it was). Of one that fails or runs out of time, the watchers are
    told, only an event is stored, and the error is raised again; an InputError is raised without either. `hands_out`:
    whether the caller gets the context; if not, its size counts as 0 in the event.
    """
    request, began = build_request(app, asked), perf_counter()
    try:
        state, ranked_ns = _recall_of_current_files(app, request), time_ns()
        receipt_draft = draft(state)
        state = replace(state, served=_memories_as_known(app, state.request, state.served))  # the receipt has ids alone
        app.deadline.check()  # a recall that was given up leaves no receipt
    except InputError:
        raise
    except Exception as error:
        failure = failure_of(request, app.surface, _millis_since(began), error)
        _notify_watchers(app, RecallDone(request, failure, time_ns(), error=error))
        with suppress(StoreError):
            app.recaller.record_failure(request, failure)
        raise
    event = event_of(state, app.surface, _millis_since(began), hands_out=hands_out)
    _notify_watchers(app, RecallDone(request, event, time_ns(), state, ranked_ns))
    try:
        app.recaller.record(state, receipt_draft, event)
    except StoreError as error:
        return state, receipt_draft, str(error)
    return state, receipt_draft, ""


def _notify_watchers(app: App, done: RecallDone) -> None:
    """Tell every watcher of the home (an observer such as telemetry) that a recall ended or failed."""
    for watcher in app.watchers:
        watcher.recalled(done)


def _recall_of_current_files(app: App, request: Request) -> State:
    """Run a recall and return its state. If others edited or removed a file that it would serve, index that (not if
    others are writing, the home is read-only or the disk is full) and run it once more."""
    state = app.recaller.run(request, app.deadline)
    served = {each.path for each in state.served}
    is_edited = served and app.indexer.drift(served).paths
    if is_edited and app.unit_of_work.take_over_edits(served)[0].paths:
        state = app.recaller.run(request, app.deadline)
    return state


def _millis_since(began: float) -> float:
    """Return the milliseconds since `began`, a reading of `perf_counter`."""
    return (perf_counter() - began) * 1000


def _memories_as_known(app: App, request: Request, found: Sequence[Served]) -> tuple[Served, ...]:
    """Return the memories as they were known at the instants of the request; unchanged if the request is about now."""
    past = PastInstants(request.as_of, request.as_known_at)
    known = memories_as_known(app, request.namespace, [each.memory for each in found], past)
    return tuple(replace(each, memory=memory) for each, memory in zip(found, known, strict=True))


def build_snapshot(
    app: App,
    receipt: Receipt,
    found: Sequence[Served] | None = None,
    *,
    align: bool = False,
    turned_away: int = REJECTED_SHOWN,
) -> RecallXraySnapshot:
    """Build the X-ray (explanation) of a recall from its receipt. `found` are the memories that it served and, for
    their reasons, those of `_left_out_for_another`; if None, they are read from the index. With `align`, the words of
    question and memories that match are added; `turned_away` is the maximum number of rejected memories to name."""
    if found is None:
        request = receipt.state.request
        found = app.index.memories(request.namespace, receipt.state.context.included)
        found = (*_memories_as_known(app, request, found), *_left_out_for_another(app, receipt.state))
    plan = receipt.state.plan
    aligner = Aligner(app.embedder, plan.text, plan.words, plan.telling) if align and plan.text else None
    memories = {each.memory.id: each for each in found}
    walked = {node for path in receipt.state.paths.values() for node in path.nodes}
    names = app.graph.named(receipt.state.request.namespace, sorted(walked)) if walked else {}
    anchor, stale_after = _answer_location(app, receipt, memories), app.settings.lifecycle.stale_after_days
    return build(receipt, memories, aligner, stale_after, names=names, anchor=anchor, max_rejected=turned_away)


def _left_out_for_another(app: App, state: State) -> list[Served]:
    """Return the memories, as of today, that a recall left out as repeats of a better one, as sections beside those
    that the relations lead to which the question asks for, or as telling nothing about it."""
    return app.index.memories(state.request.namespace, ids_left_out_for_another(state))


def _answer_location(app: App, receipt: Receipt, memories: Mapping[str, Served]) -> str:
    """Return the lines of the vault file that contain the recall's direct answer, as `path:first-last`; only the path
    if the file changed since it was indexed, "" if there is no direct answer or `memories` lack it."""
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


def xray(app: App, asked: XrayInput) -> RecallXraySnapshot:
    """Explain the recorded recall of the input, else run, record and explain a recall of its question. InputError if
    the input has neither, or the question is not valid; NotFoundError if the recall or its receipt is gone."""
    if asked.recall_id:
        return xray_by_id(app, asked.namespace, asked.recall_id, align=asked.align, turned_away=asked.turned_away)
    if asked.question is None:
        raise InputError("there is no question and no recall to explain", code="missing_query")
    return xray_new_recall(app, asked.question, align=asked.align, turned_away=asked.turned_away)


RECALL = Operation(
    "recall.ask",
    "Answer a question from memory, inside a budget. Prints the context and the recall id of its explanation.",
    RecallInput,
    RecallOutput,
    in_home(recall),
    "append",
    Surfaces("recall", http=("POST /v1/recall",), mcp="memory_recall"),
    text=Text("recall.recall.recall_text", namespace_hints=True, takes_options=True),
    needs="read",  # what it appends is the record of the question
)
XRAY = Operation(
    "recall.xray",
    "Explain why a recall gave these memories, and not others. It says what each stage cost, too.",
    XrayInput,
    RecallXraySnapshot,
    in_home(xray),
    "append",
    Surfaces("xray", http=("GET /v1/recall/xray", "GET /v1/snapshots/{recall_id}"), mcp="memory_xray:xray"),
    needs="read",
)
