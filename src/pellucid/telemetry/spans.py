"""A finished recall or operation in, its spans out, named by OpenTelemetry's conventions for generative AI.

Names are of OpenTelemetry (`gen_ai.*`), OpenInference (`openinference.*`, `retrieval.*`, `reranker.*`) and our own
(`pellucid.*`). No library is needed, and no word of a question or a memory is in a span unless `content` is true.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.model.memory import unpack_id
from pellucid.model.snapshot import FAILED, LegHealth, StageTrace
from pellucid.recall.legs.nominate import base_of
from pellucid.recall.state import Request, State
from pellucid.store.history.telemetry_port import RecallEvent
from pellucid.telemetry.watcher import OperationDone, RecallDone

Value = str | bool | int | float | Sequence[str] | Sequence[int] | Sequence[float]
MOST_DOCUMENTS = 20
"""The most documents named in a span: legs return more, but a span of OpenTelemetry has room for 128 attributes."""


@dataclass(frozen=True, slots=True)
class Span:
    """One span and its children (`within`). Times are nanoseconds since 1970."""

    name: str
    began: int
    ended: int
    attributes: dict[str, Value]
    error: str = ""
    """The type of the exception that ended it; empty if none did."""
    within: tuple["Span", ...] = ()


def recall_span(done: RecallDone, *, content: bool) -> Span:
    """Return a recall as a `search_memory` span, with a child for each leg (search path) that was on, and one for the
    reranker unless it was skipped.

    The span of a failed recall has the error's type and no children. Only with `content` does it have the query and the
    memories' texts.
    """
    attributes = _request_attributes(done.request, content=content) | _event_attributes(done.event)
    if done.state is None:
        return Span("search_memory", done.began, done.ended, attributes, type(done.error).__name__)
    state = done.state
    attributes |= _outcome_attributes(state) | _term_attributes(state) | _ladder_attributes(state)
    if content:
        attributes["gen_ai.memory.records"] = _records_json(state)
    within = tuple(_child_spans(done, state, content=content))
    return Span("search_memory", done.began, done.ended, attributes, within=within)


def operation_span(done: OperationDone, *, content: bool) -> Span | None:
    """Return an operation as a span named after the change that it makes, with its namespace, session, agent, and the
    number of its memories, and the id of a single one; None for an operation that changes no memories, such as a
    preview.

    With `content` it has the memories' texts, as JSON; after a failure, the error's type.
    """
    if done.span is None:
        return None
    attributes: dict[str, Value] = {"gen_ai.operation.name": done.span, "pellucid.operation": done.name}
    optional = {
        "gen_ai.memory.store.id": done.namespace,
        "gen_ai.conversation.id": done.session_id,
        "gen_ai.agent.name": done.agent,
    }
    attributes |= {name: value for name, value in optional.items() if value}
    ids = [memory_id for memory_id, _ in done.memories]
    if len(ids) == 1:
        attributes["gen_ai.memory.record.id"] = ids[0]
    if ids or done.count is not None:
        attributes["gen_ai.memory.record.count"] = len(ids) if done.count is None else done.count
    if content and any(text for _, text in done.memories):
        records = [{"id": memory_id, "content": text} for memory_id, text in done.memories]
        attributes["gen_ai.memory.records"] = json.dumps(records, ensure_ascii=False)
    return Span(done.span, done.began, done.ended, attributes, type(done.error).__name__ if done.error else "")


def _request_attributes(request: Request, *, content: bool) -> dict[str, Value]:
    """Return the attributes of a request: namespace, recall id and budget, and session and agent if there are any.

    With `content`, also the query itself.
    """
    attributes: dict[str, Value] = {
        "openinference.span.kind": "CHAIN",
        "gen_ai.operation.name": "search_memory",
        "gen_ai.memory.store.id": request.namespace,
        "pellucid.recall.id": request.recall_id,
        "pellucid.budget.characters": request.settings.char_budget,
        "pellucid.budget.memories": request.settings.top_k_facts,
    }
    if request.session_id:
        attributes |= {"gen_ai.conversation.id": request.session_id, "session.id": request.session_id}
    if request.agent:
        attributes["gen_ai.agent.name"] = request.agent
    if content:
        attributes |= {"gen_ai.memory.query.text": request.query, "input.value": request.query}
    return attributes


def _event_attributes(event: RecallEvent) -> dict[str, Value]:
    """Return a recall's measurements as attributes `pellucid.recall.*`: its outcome, class of query, depth, memories
    found, tokens, whether a part failed (`degraded`), and its surface; beside them the number of memories in the
    context, as `gen_ai.memory.record.count`.
    """
    return {
        "gen_ai.memory.record.count": event.selected,
        "pellucid.recall.outcome": event.outcome,
        "pellucid.recall.query_class": event.query_class,
        "pellucid.recall.depth": event.depth,
        "pellucid.recall.degraded": event.degraded,
        "pellucid.recall.surface": event.surface,
        "pellucid.recall.found": event.found,
        "pellucid.recall.tokens": event.payload_tokens,
    }


def _outcome_attributes(state: State) -> dict[str, Value]:
    """Return the budget used, the number of memories left out of the context, and the names of the stages with their
    times in milliseconds. Also the names of failed stages, if any; and, whether or not the recall abstained, its doubt
    and the threshold for abstaining, unless doubt was never judged.
    """
    context, doubt = state.context, state.abstention
    failed = [each.name for each in state.stages if each.failed]
    attributes: dict[str, Value] = {
        "pellucid.budget.used": context.length,
        "pellucid.budget.omitted": len(context.omitted),
        "pellucid.stages.names": [each.name for each in state.stages],
        "pellucid.stages.millis": [round(each.ms, 3) for each in state.stages],
    }
    if failed:
        attributes["pellucid.stages.failed"] = failed
    if doubt:
        attributes |= {"pellucid.doubt.score": doubt.score, "pellucid.doubt.threshold": doubt.threshold}
    return attributes


def _term_attributes(state: State) -> dict[str, Value]:
    """Return the ids and scores of the memories in the context, in its order, and the terms that each score is the sum
    of.

    A term that is 0 for all of them is left out. Empty if the context has no memory.
    """
    pool, places = state.pool, _context_positions(state)
    if not places:
        return {}
    columns = {**pool.terms, "mmrPenalty": -pool.penalty}
    terms = {f"pellucid.terms.{name}": _floats(each[places]) for name, each in columns.items() if each[places].any()}
    return {
        "pellucid.results.ids": _memory_ids(state, places),
        "pellucid.results.scores": _floats(pool.final[places]),
        **terms,
    }


def _ladder_attributes(state: State) -> dict[str, Value]:
    """Return as lists, in the order of the ladder, the names of its rungs (the filters of candidates) and how many
    candidates each rung considered and admitted.
    """
    rungs = state.rungs
    return {
        "pellucid.ladder.rungs": [each.name for each in rungs],
        "pellucid.ladder.considered": [each.considered for each in rungs],
        "pellucid.ladder.admitted": [each.admitted for each in rungs],
    }


def _records_json(state: State) -> str:
    """Return the memories in the context, in its order, as a JSON list of objects with id, content, score and category.
    A memory that `state.served` lacks is left out.
    """
    memories = {each.memory.id: each.memory for each in state.served}
    places = _context_positions(state)
    rows = zip(_memory_ids(state, places), _floats(state.pool.final[places]), strict=True)
    records = [
        {
            "id": each,
            "content": memories[each].content,
            "score": score,
            "metadata": {"category": memories[each].category},
        }
        for each, score in rows
        if each in memories
    ]
    return json.dumps(records, ensure_ascii=False)


def _context_positions(state: State) -> list[int]:
    """Return the positions in the candidate pool of the memories in the context, in the context's order. A memory that
    is not among `state.kept`, the candidates that are served, is left out.
    """
    position_of = dict(zip(_memory_ids(state, state.kept), state.kept.tolist(), strict=True))
    return [position_of[each] for each in state.context.included if each in position_of]


def _child_spans(done: RecallDone, state: State, *, content: bool) -> Iterator[Span]:
    """Yield the spans of the legs (search paths) that were on, and of the reranker unless it was skipped, in the order
    in which they ran.

    Each leg has the time of its whole stage, because legs are not timed one by one.
    """
    began = done.ranked - sum(_nanos(each) for each in state.stages)
    for stage in state.stages:
        name, _, iteration = stage.name.partition("@")
        ended = began + _nanos(stage)
        if name == "legs":
            yield from (
                _leg_span(done, state, leg, (began, ended), content=content)
                for leg in state.legs
                if leg.health != "off" and leg.name.partition("@")[2] == iteration
            )
        elif name == "rerank" and (not stage.note or stage.failed):
            yield _rerank_span(state, stage, began, ended, content=content)
        began = ended


def _nanos(stage: StageTrace) -> int:
    """Return how long a stage took, in nanoseconds."""
    return int(stage.ms * 1e6)


def _leg_span(done: RecallDone, state: State, leg: LegHealth, time: tuple[int, int], *, content: bool) -> Span:
    """Return the span of one leg (search path), which began and ended at `time`, in nanoseconds since 1970: its health,
    its weight in `done.event`, and its 20 best candidates. With `content` it also has the query, the texts and the
    reason of its health. Its error is `degraded` if the leg was down, else "".
    """
    ranks, scores = state.pool.ranks.get(leg.name), state.pool.scores.get(leg.name)
    attributes: dict[str, Value] = {
        "openinference.span.kind": "RETRIEVER",
        "pellucid.leg.name": leg.name,
        "pellucid.leg.health": leg.health,
        "pellucid.leg.found": leg.admitted,
        "pellucid.leg.weight": float(str(done.event.legs[leg.name]["weight"])),
    }
    if content:
        attributes["input.value"] = state.plan.text
        attributes |= {"pellucid.leg.reason": leg.reason} if leg.reason else {}
    if ranks is not None:
        ranked = np.flatnonzero(ranks > 0)
        best = ranked[np.argsort(ranks[ranked], kind="stable")]
        attributes |= _document_attributes(state, "retrieval.documents", best, scores, content=content)
    return Span(f"retrieve {base_of(leg.name)}", *time, attributes, "degraded" if leg.health == "degraded" else "")


def _rerank_span(state: State, stage: StageTrace, began: int, ended: int, *, content: bool) -> Span:
    """Return the span of the reranker: its model and 20 best candidates, or the type of the error if it failed; with
    `content`, also the query and texts. `began` and `ended` are nanoseconds since 1970.
    """
    scores, attributes = state.pool.rerank_score, dict[str, Value]()
    attributes |= {"openinference.span.kind": "RERANKER", "reranker.model_name": state.rerank_backend}
    if content:
        attributes |= {"reranker.query": state.plan.text, "input.value": state.plan.text}
    if failure := (stage.note or "").removeprefix(FAILED).partition(":")[0]:
        return Span("rerank", began, ended, attributes, failure)
    scored = np.flatnonzero(~np.isnan(scores))
    best = scored[np.argsort(-scores[scored], kind="stable")]
    attributes["pellucid.reranker.scored"] = len(best)
    attributes |= _document_attributes(state, "reranker.output_documents", best, scores, content=content)
    return Span("rerank", began, ended, attributes)


def _document_attributes(
    state: State, name: str, best: NDArray[np.int64], scores: NDArray[np.float32] | None, *, content: bool
) -> dict[str, Value]:
    """Return up to 20 candidates as attributes `{name}.{n}.document.id`, `.score` and `.content`, `n` counting from 0.

    `best` has their positions in the pool, best first. `scores` has the scores of the whole pool: a candidate gets no
    score if `scores` is None or NaN there, and a text only with `content` and if its memory was served.
    """
    texts = {each.memory.id: each.memory.content for each in state.served} if content else {}
    attributes: dict[str, Value] = {}
    first = best[:MOST_DOCUMENTS]
    shown_scores = _floats(scores[first]) if scores is not None else [np.nan] * len(first)
    for number, (memory_id, score) in enumerate(zip(_memory_ids(state, first), shown_scores, strict=True)):
        prefix = f"{name}.{number}.document"
        attributes[f"{prefix}.id"] = memory_id
        if not np.isnan(score):
            attributes[f"{prefix}.score"] = score
        if memory_id in texts:
            attributes[f"{prefix}.content"] = texts[memory_id]
    return attributes


def _memory_ids(state: State, places: NDArray[np.int64] | list[int]) -> list[str]:
    """Return the ids of the memories at the positions `places` in the candidate pool, in that order."""
    return [unpack_id(each) for each in state.pool.ids[places].tolist()]


def _floats(column: NDArray[np.floating]) -> list[float]:
    """Return a NumPy column as a list of Python floats."""
    return [float(each) for each in column]
