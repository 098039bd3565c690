"""A memory and a question in, why it was recalled or what lost it out, with a change that was tried and admits it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Annotated

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError, field_name
from pellucid.model.memory import MEMORY_ID, Memory
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces
from pellucid.operations.recall.asked_about.states import state_changes
from pellucid.operations.recall.asked_about.target import Matched, Target, find_by_name, find_target
from pellucid.operations.recall.recalling import build_snapshot, load_receipt
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.operations.recall.wording import headlines_of
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

    Without a question or recall: if memories hold the words, name them; if the words are a question, ask it and explain
    the first results.

    Records a use of the memory that is explained.

    Raises:
        InputError: neither a question nor an earlier recall is given, or both; or the question is off.
        NotFoundError: no such memory or recall in the namespace, or only the results of that recall are kept; or,
            without a question, nothing is on record of these words.
    """
    of_recall = request.question is not None or request.recall_id is not None
    if of_recall:
        output = _explain_in_recall(app, request)
    else:
        output = _explain_never_kept(app, request) or _explain_kept(app, request)
    note_use(app, request.namespace, [output.memory_id] if output.memory_id else [], "opened")
    return output


def _explain_in_recall(app: App, request: WhyInput) -> WhyOutput:
    """Explain a memory's part in the recall of the request; or why its words were never kept."""
    receipt, asked = _receipt_and_request(app, request)
    return _explain_never_kept(app, request) or explain_memory(app, asked, request.memory, receipt)


def _explain_never_kept(app: App, request: WhyInput) -> WhyOutput | None:
    """Say why the words became no memory; None if they name or are held by a memory, or no decision is recorded."""
    words = request.memory.strip()
    try:
        is_kept = not words or find_by_name(app, request.namespace, words) is not None
    except NotFoundError:
        return None
    sentence = None if is_kept else never_kept(app, request.namespace, words)
    if sentence is None:
        return None
    query = request.question.query if request.question else ""
    return WhyOutput(sentence=sentence, namespace=request.namespace, query=query, matched="verdict", total=0)


def _explain_kept(app: App, request: WhyInput) -> WhyOutput:
    """Say which memory holds the words, when neither a question nor a recall is given; words that are a question are
    asked. NotFoundError if no memory holds them."""
    words = request.memory.strip()
    target = find_by_name(app, request.namespace, words) if words else None
    if words and target is None and gate(words).reason == ASKS:
        return _explain_question(app, request.namespace, words)
    if words and target is None:
        raise NotFoundError(
            "no memory says these words, and nothing is on record of them",
            next_step="write the sentence as it was said; or "
            f'give {field_name("query")} "…" to look for the memory nearest to them',
        )
    if target is None or target.matched not in ("content", "words"):
        return _explain_in_recall(app, request)
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
        candidates=() if held else _candidate_views(target),
    )


def _explain_question(app: App, namespace: str, question: str) -> WhyOutput:
    """Ask the words as a question, unrecorded, and explain its first results or how sure it is that nothing answers."""
    state = app.recaller.run(build_request(app, RecallInput(query=question, namespace=namespace)), app.deadline)
    snapshot = build_snapshot(app, unpack(pack(state)), state.served)
    held = {each.memory.id: each.memory for each in state.served}
    doubt, many = snapshot.abstention, len(snapshot.results)
    found = f"they bring {counted(many, 'memory', 'memories')}" if many else "they bring none"
    if doubt and (many or doubt.abstained):
        found += f": {sureness(doubt.doubt, doubt.threshold, abstained=doubt.abstained)}"
    return WhyOutput(
        sentence=f"No memory says these words; as a question, {found}.",
        namespace=namespace,
        query=question,
        matched="question",
        total=many,
        candidates=tuple(
            _candidate_view(held[each.memory_id], each.path, each.why) for each in snapshot.results[:_FIRST]
        ),
    )


def explain_memory(app: App, asked: Request, memory: str, receipt: Receipt | None = None) -> WhyOutput:
    """Explain what a recall did with a memory: one run now as `asked` or, with a receipt, the one on record.

    What would have changed the result is tried with `asked` in both cases. `memory` is its id or words of it; if they
    fit several, these are named, and what became of the first.
    """
    target = find_target(app, asked, memory)
    held = target.held
    if held is None:
        return _ambiguous_output(app, asked, target, receipt)
    finding = _find_cause(app, asked, held, receipt)
    said = sentences(finding)
    return WhyOutput(
        sentence=said,
        words=headlines_of(app, asked.namespace, asked.scopes, set(MEMORY_ID.findall(said)) - {held.memory.id}),
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
    """Return the earlier recall's receipt (None for a question), and the request on which to try changes. An earlier
    recall about the past is tried again at the present time. InputError for neither or both."""
    if (request.question is None) == (request.recall_id is None):
        raise InputError(
            "why: a question or an earlier recall is required, and not both",
            code="missing_query",
            next_step=f'`pellucid why ID "question"`, or {field_name("recall_id")} rec_…',
        )
    if request.question is not None:
        return None, build_request(app, request.question.model_copy(update={"namespace": request.namespace}))
    receipt = load_receipt(app, request.namespace, request.recall_id or "")
    asked = receipt.state.request
    return receipt, replace(asked, at=app.clock.now()) if asked.as_of or asked.as_known_at else asked


def _find_cause(app: App, asked: Request, held: Served, receipt: Receipt | None) -> WhyFinding:
    """Find why a memory was recalled or lost, by running the recall with changes."""
    with app.recaller.world(asked, app.deadline) as world:
        return look(world, asked, held.memory, lambda rows: state_changes(app, held, rows, asked.at), receipt)


def _ambiguous_output(app: App, asked: Request, target: Target, receipt: Receipt | None) -> WhyOutput:
    """List the memories that the words may mean, and explain the first three."""
    how = "are near these words" if target.matched == "meaning" else "fit"
    became = [sentences(_find_cause(app, asked, each, receipt)) for each in target.candidates[:_FIRST]]
    return WhyOutput(
        sentence=f"{target.total} memories {how}: name one of them by its id.",
        namespace=asked.namespace,
        query=asked.query,
        recall_id=asked.recall_id if receipt else None,
        matched=target.matched,
        total=target.total,
        candidates=_candidate_views(target, became),
    )


def _candidate_views(target: Target, became: Sequence[str] = ()) -> tuple[WhyCandidate, ...]:
    """Show the candidates of a target; `became` explains the first of them, the others get no explanation."""
    whys = chain(became, repeat(""))
    return tuple(
        _candidate_view(each.memory, each.path, why) for each, why in zip(target.candidates, whys, strict=False)
    )


def _candidate_view(memory: Memory, path: str, why: str) -> WhyCandidate:
    """Show one memory that may be meant, with its headline and `why` it was recalled or not ("" if not looked at)."""
    excerpt = headline(memory.content, _SHORT)
    return WhyCandidate(memory_id=memory.id, path=path, status=memory.status, excerpt=excerpt, why=why)


WHY = Operation(
    "memory.why",
    "Say why a memory was recalled, or why not, or never kept.\n\n"
    "Of a miss: what lost it, and the smallest change that admits it.\n",
    WhyInput,
    WhyOutput,
    lambda call, asked: why(call.app, asked),
    "append",
    Surfaces("why", http=("POST /v1/why",), mcp="memory_xray:why"),
    needs="read",
)
