"""A memory and a question in, why it was recalled or what lost it out, with a change that was tried and admits it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Annotated

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError, field_name
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces
from pellucid.operations.recall.asked_about.states import state_changes
from pellucid.operations.recall.asked_about.target import Matched, Target, named, resolve
from pellucid.operations.recall.recalling import receipt_of, snapshot_of
from pellucid.operations.recall.request import RecallInput, request_of
from pellucid.operations.recall.wording import words_of
from pellucid.operations.session.looking.verdicts import never_kept
from pellucid.operations.using import note_use
from pellucid.recall.query.gate import ASKS, gate
from pellucid.recall.receipt.record import Receipt, pack, unpack
from pellucid.recall.state import Request
from pellucid.store.index_port import Served
from pellucid.xray.why.answer import why as look
from pellucid.xray.why.finding import WhyFinding
from pellucid.xray.why.sentence import sentences
from pellucid.xray.words.headline import headline
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.sureness import sureness

_FIRST = 3
"""Memories told of those that answer a question."""
_SHORT = 100
"""Characters of a memory in a list of those that may be meant."""

_ID = re.compile(r"\bmem_[0-9a-f]{32}\b")
_ASK = "Why a question finds it or not: ask with the question, or with the id of a recall."


class WhyInput(Wire):
    """Which memory, and which recall: one that is run now as `asked`, or an earlier one by its id."""

    namespace: str
    memory: Annotated[str, Argument("A memory's id (the first or last digits do), its path, or its words in quotes.")]
    """The first eight digits of an id or more, or the last ten."""
    question: RecallInput | None = None
    recall_id: Annotated[str | None, Flag("An earlier recall (rec_…), instead of a question.", "--recall")] = None


class WhyCandidate(Wire):
    """A memory that may be meant."""

    memory_id: str
    path: str
    status: str
    excerpt: str
    why: str = ""
    """Of what answers a question: what it owes its place to; of the first that may be meant: what became of it."""


class WhyOutput(Wire):
    """Why a memory is in the context of a recall, or what lost it and what admits it; `sentence` says all of it.

    Where several memories may be meant there is no `finding`: `candidates` are the first of `total`.
    """

    sentence: str
    namespace: str
    query: str
    recall_id: str | None = None
    """The earlier recall that is explained; none of one that was run now, which leaves no receipt."""
    matched: Matched
    memory_id: str | None = None
    path: str | None = None
    excerpt: str | None = None
    candidates: tuple[WhyCandidate, ...] = ()
    total: int = 1
    finding: WhyFinding | None = None
    words: Mapping[str, str] = {}
    """What the other memories that `sentence` names say, by id."""


def why(app: App, request: WhyInput) -> WhyOutput:
    """Explain one memory's part in one recall, or why a sentence became no memory. No receipt is written.

    Without a question, words that a memory says just so, or holds, are told to be kept, and by which; words that
    themselves ask are asked, and the first that answer told, with what each owes its place to.

    The memory is opened by this, which is a use.

    Raises:
        InputError: neither a question nor an earlier recall is given, or both; or the question is off.
        NotFoundError: no such memory or recall in the namespace, or only the results of that recall are kept; or,
            without a question, nothing is on record of these words.
    """
    of_recall = request.question is not None or request.recall_id is not None
    told = _why_asked(app, request) if of_recall else _why_unkept(app, request) or _kept_memories(app, request)
    note_use(app, request.namespace, [told.memory_id] if told.memory_id else [], "opened")
    return told


def _why_asked(app: App, request: WhyInput) -> WhyOutput:
    """What became of the memory in a recall; or of words that never became one."""
    receipt, asked = _receipt_and_request(app, request)
    return _why_unkept(app, request) or why_of(app, asked, request.memory, receipt)


def _why_unkept(app: App, request: WhyInput) -> WhyOutput | None:
    """Why words that no memory says became none, where that was decided; None of an id."""
    words = request.memory.strip()
    try:
        is_kept = not words or named(app, request.namespace, words) is not None
    except NotFoundError:
        return None
    said = None if is_kept else never_kept(app, request.namespace, words)
    query = request.question.query if request.question else ""
    return (
        WhyOutput(sentence=said, namespace=request.namespace, query=query, matched="verdict", total=0) if said else None
    )


def _kept_memories(app: App, request: WhyInput) -> WhyOutput:
    """Which memory says words that were asked about with no question; of an id, what is missing.

    Raises:
        InputError: it is an id, which says nothing without a question.
        NotFoundError: nothing is on record of these words.
    """
    words = request.memory.strip()
    target = named(app, request.namespace, words) if words else None
    if words and target is None and gate(words).reason == ASKS:
        return _why_answers(app, request.namespace, words)
    if words and target is None:
        raise NotFoundError(
            "no memory says these words, and nothing is on record of them",
            next_step="write the sentence as it was said; or "
            f'give {field_name("query")} "…" to look for the memory nearest to them',
        )
    if target is None or target.matched not in ("content", "words"):
        return _why_asked(app, request)
    held, many = target.held, f"{target.total} memories hold these words."
    said = f"Kept, as {held.memory.id}, which is {held.memory.status}." if held else many
    if held and held.memory.category == "moment" and (unmade := never_kept(app, request.namespace, words)):
        said = f"Kept word for word, in passage {held.memory.id}. As a memory of its own: {unmade}"
    return WhyOutput(
        sentence=f"{said} {_ASK}",
        namespace=request.namespace,
        query="",
        matched=target.matched,
        total=target.total,
        memory_id=held.memory.id if held else None,
        path=held.path if held else None,
        excerpt=headline(held.memory.content, _SHORT) if held else None,
        candidates=() if held else _candidates_of(target),
    )


def _why_answers(app: App, namespace: str, question: str) -> WhyOutput:
    """The first that answer a question, each with its reason; or how sure it is that nothing does."""
    state = app.recaller.run(request_of(app, RecallInput(query=question, namespace=namespace)), app.deadline)
    snapshot = snapshot_of(app, unpack(pack(state)), state.served)
    held = {each.memory.id: each.memory for each in state.served}
    doubt, many = snapshot.abstention, len(snapshot.results)
    found = f"they bring {counted(many, 'memory', 'memories')}" if many else "they bring none"
    sure = (
        [sureness(doubt.doubt, doubt.threshold, abstained=doubt.abstained)]
        if doubt and (many or doubt.abstained)
        else []
    )
    return WhyOutput(
        sentence=f"No memory says these words; as a question, {': '.join((found, *sure))}.",
        namespace=namespace,
        query=question,
        matched="question",
        total=many,
        candidates=tuple(
            WhyCandidate(
                memory_id=each.memory_id,
                path=each.path,
                status=held[each.memory_id].status,
                excerpt=headline(held[each.memory_id].content, _SHORT),
                why=each.why,
            )
            for each in snapshot.results[:_FIRST]
        ),
    )


def why_of(app: App, asked: Request, memory: str, receipt: Receipt | None = None) -> WhyOutput:
    """Explain a memory's part in a recall: run now as `asked`, or, with a receipt, tried again as `asked`."""
    target = resolve(app, asked, memory)
    held = target.held
    if held is None:
        return _ambiguous_output(app, asked, target, receipt)
    finding = _look(app, asked, held, receipt)
    said = sentences(finding)
    return WhyOutput(
        sentence=said,
        words=words_of(app, asked.namespace, asked.scopes, set(_ID.findall(said)) - {held.memory.id}),
        namespace=asked.namespace,
        query=asked.query,
        matched=target.matched,
        recall_id=asked.recall_id if receipt else None,
        memory_id=held.memory.id,
        path=held.path,
        excerpt=headline(held.memory.content),
        finding=finding,
    )


def _receipt_and_request(app: App, request: WhyInput) -> tuple[Receipt | None, Request]:
    """The earlier recall, if one is meant, and the request to try things on: what asks about the past is asked now."""
    if (request.question is None) == (request.recall_id is None):
        raise InputError(
            "why: a question or an earlier recall is required, and not both",
            code="missing_query",
            next_step=f'`pellucid why ID "question"`, or {field_name("recall_id")} rec_…',
        )
    if request.question is not None:
        return None, request_of(app, request.question.model_copy(update={"namespace": request.namespace}))
    receipt = receipt_of(app, request.namespace, request.recall_id or "")
    asked = receipt.state.request
    return receipt, replace(asked, at=app.clock.now()) if asked.as_of or asked.as_known_at else asked


def _look(app: App, asked: Request, held: Served, receipt: Receipt | None) -> WhyFinding:
    with app.recaller.world(asked, app.deadline) as world:
        return look(world, asked, held.memory, lambda rows: state_changes(app, held, rows, asked.at), receipt)


def _ambiguous_output(app: App, asked: Request, target: Target, receipt: Receipt | None) -> WhyOutput:
    """The memories that may be meant, of the first what became of them."""
    how = "are near these words" if target.matched == "meaning" else "fit"
    became = [sentences(_look(app, asked, each, receipt)) for each in target.candidates[:_FIRST]]
    return WhyOutput(
        sentence=f"{target.total} memories {how}: name one of them by its id.",
        namespace=asked.namespace,
        query=asked.query,
        recall_id=asked.recall_id if receipt else None,
        matched=target.matched,
        total=target.total,
        candidates=_candidates_of(target, became),
    )


def _candidates_of(target: Target, became: Sequence[str] = ()) -> tuple[WhyCandidate, ...]:
    """The memories that may be meant, each with what became of it."""
    return tuple(
        WhyCandidate(
            memory_id=each.memory.id,
            path=each.path,
            status=each.memory.status,
            excerpt=headline(each.memory.content, _SHORT),
            why=why,
        )
        for each, why in zip(target.candidates, chain(became, repeat("")), strict=False)
    )


WHY = Operation(
    "memory.why",
    """Say why a memory was recalled, or why not, or never kept.

Of a miss: what lost it, and the smallest change that admits it.
""",
    WhyInput,
    WhyOutput,
    lambda call, asked: why(call.app, asked),
    "append",
    Surfaces("why", http=("POST /v1/why",), mcp="memory_xray:why"),
    needs="read",
)
