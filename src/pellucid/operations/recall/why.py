"""A memory and a question in, why the memory was recalled or lost out, with a change that was tried and admits it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Annotated

from pellucid.app import App
from pellucid.errors import InputError, NotFoundError, assignment, field_name, step
from pellucid.model.memory import MEMORY_ID, Memory
from pellucid.model.wire import Wire
from pellucid.operations.operation import Argument, Flag, Operation, Surfaces, Text, in_home
from pellucid.operations.recall.asked_about.states import state_changes
from pellucid.operations.recall.asked_about.target import Matched, Target, find_by_name, find_target
from pellucid.operations.recall.recalling import build_snapshot, load_receipt
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.operations.recall.wording import headlines_of
from pellucid.operations.session.looking.verdicts import never_kept
from pellucid.operations.using import note_use
from pellucid.recall.query.gate import ASKS, gate
from pellucid.recall.receipt.record import Receipt, draft
from pellucid.recall.state import Request
from pellucid.store.index_port import Served
from pellucid.xray.why.answer import why as look
from pellucid.xray.why.finding import WhyFinding
from pellucid.xray.why.sentence import sentences
from pellucid.xray.words.headline import headline
from pellucid.xray.words.numbers import counted
from pellucid.xray.words.sureness import sureness

_FIRST = 3
"""The number of memories that are explained in a list of several."""
_SHORT = 100
"""Characters of a memory's headline in a list of several."""

_ASK = "Why a question finds it or not: ask with the question, or with the id of a recall."


class WhyInput(Wire):
    """A memory, and a recall: a new recall of `question`, or the earlier recall `recall_id`."""

    namespace: str
    memory: Annotated[str, Argument("A memory's id (the first or last digits do), its path, or its words in quotes.")]
    """The id's first digits (eight or more) or last ten digits are enough."""
    question: RecallInput | None = None
    recall_id: Annotated[str | None, Flag("An earlier recall (rec_…), instead of a question.", "--recall")] = None


class WhyCandidate(Wire):
    """A memory that the words can mean, or a result of words that are a question."""

    memory_id: str
    path: str
    status: str
    excerpt: str
    why: str = ""
    """Of a question's results, what they owe their ranks to; of the first memories that can be meant, what the recall
    did with them; "" for others."""


class WhyOutput(Wire):
    """Why a memory is in the context of a recall, or what lost it and what admits it; `sentence` says all of it.

    If several memories can be meant, `finding` is None, and `candidates` are the first of `total`.
    """

    sentence: str
    namespace: str
    query: str
    recall_id: str | None = None
    """The earlier recall that is explained; None if a question was asked now, which leaves no receipt."""
    matched: Matched
    memory_id: str | None = None
    path: str | None = None
    excerpt: str | None = None
    candidates: tuple[WhyCandidate, ...] = ()
    total: int = 1
    finding: WhyFinding | None = None
    words: Mapping[str, str] = {}
    """Maps the ids of the other memories that `sentence` names to their headlines."""


def why(app: App, request: WhyInput) -> WhyOutput:
    """Explain what one recall did with one memory, or why a sentence did not become a memory. Records a use of the
    memory that is explained, but no recall.

    Without a question or recall: if memories contain the words, name the memories; if not, and the words are a
    question, ask it and explain the first results.

    Raises:
        InputError: both a question and an earlier recall are given, or neither for an id; `memory` is empty; or the
            question is not valid.
        NotFoundError: no such memory or recall in the namespace, or only the results of that recall are kept; or,
            without a question, nothing is on record of these words.
    """
    if request.question is not None or request.recall_id is not None:
        output = _explain_in_recall(app, request)
    else:
        output = _explain_never_kept(app, request) or _explain_kept(app, request)
    note_use(app, request.namespace, [output.memory_id] if output.memory_id else [], "opened")
    return output


def _explain_in_recall(app: App, request: WhyInput) -> WhyOutput:
    """Explain what the request's recall did with the memory; or, if no memory has the words and a decision about them
    is on record, why they were not kept. InputError unless the request has exactly one of a question and an earlier
    recall; NotFoundError if there is no such recall or memory."""
    receipt, asked = _receipt_and_request(app, request)
    return _explain_never_kept(app, request) or explain_memory(app, asked, request.memory, receipt)


def _explain_never_kept(app: App, request: WhyInput) -> WhyOutput | None:
    """Say why the request's words did not become a memory; None if there are no words, if they are the name or a part
    of a memory or an id without a memory, or if no decision about them is recorded.
    """
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
    """Name the memories that contain the request's words, for a request without a question and without a recall. If no
    memory contains the words and they are a question, ask it. NotFoundError if they are not; InputError for an id or
    path, since an explanation of it takes a question."""
    words = request.memory.strip()
    target = find_by_name(app, request.namespace, words) if words else None
    if words and target is None and gate(words).reason == ASKS:
        return _explain_question(app, request.namespace, words)
    if words and target is None:
        raise NotFoundError(
            f"no memory of {request.namespace} has this name or says these words, and nothing is on record of them",
            next_step=f'write the sentence as it was said; give {field_name("query")} "…" to look for the memory '
            f"nearest to them, or {field_name('namespace')} for a memory of another project",
        )
    if target is None or target.matched not in ("content", "words"):
        return _explain_in_recall(app, request)
    single, many = target.single, f"{target.total} memories hold these words."
    answer = f"Kept, as {single.memory.id}, which is {single.memory.status}." if single else many
    if single and single.memory.category == "moment" and (unmade := never_kept(app, request.namespace, words)):
        answer = f"Kept word for word, in passage {single.memory.id}. As a memory of its own: {unmade}"
    return WhyOutput(
        sentence=f"{answer} {_ASK}",
        namespace=request.namespace,
        query="",
        matched=target.matched,
        total=target.total,
        memory_id=single.memory.id if single else None,
        path=single.path if single else None,
        excerpt=headline(single.memory.content, _SHORT) if single else None,
        candidates=() if single else _candidate_views(target),
    )


def _explain_question(app: App, namespace: str, question: str) -> WhyOutput:
    """Ask a question without recording the recall, and explain its first results, or how sure it is that nothing
    answers."""
    state = app.recaller.run(build_request(app, RecallInput(query=question, namespace=namespace)), app.deadline)
    snapshot = build_snapshot(app, draft(state).receipt(), state.served)
    served = {each.memory.id: each.memory for each in state.served}
    doubt, count = snapshot.abstention, len(snapshot.results)
    answer = f"they bring {counted(count, 'memory', 'memories')}" if count else "they bring none"
    if doubt and (count or doubt.abstained):
        answer += f": {sureness(doubt.doubt, doubt.threshold, abstained=doubt.abstained)}"
    return WhyOutput(
        sentence=f"No memory says these words; as a question, {answer}.",
        namespace=namespace,
        query=question,
        matched="question",
        total=count,
        candidates=tuple(
            _candidate_view(served[each.memory_id], each.path, each.why) for each in snapshot.results[:_FIRST]
        ),
    )


def explain_memory(app: App, asked: Request, memory: str, receipt: Receipt | None = None) -> WhyOutput:
    """Explain what a recall did with a memory: the recorded recall of `receipt`, or if that is None, a recall of
    `asked` that is run now. Changes that would alter the result are tried with `asked` in both cases.

    `memory` is the memory's id, path or words of it; if it fits several memories, ten of these at most are listed, and
    the first three are explained. NotFoundError if it fits none, InputError if it is empty."""
    target = find_target(app, asked, memory)
    served = target.single
    if served is None:
        return _ambiguous_output(app, asked, target, receipt)
    finding = _find_cause(app, asked, served, receipt)
    text = sentences(finding)
    # the sentences name memories that no field of the finding does, such as the one that this repeats
    others = set(MEMORY_ID.findall(text)) - {served.memory.id}
    return WhyOutput(
        sentence=text,
        words=headlines_of(app, asked.namespace, asked.scopes, others),
        namespace=asked.namespace,
        query=asked.query,
        matched=target.matched,
        recall_id=asked.recall_id if receipt else None,
        memory_id=served.memory.id,
        path=served.path,
        excerpt=headline(served.memory.content),
        finding=finding,
    )


def _receipt_and_request(app: App, request: WhyInput) -> tuple[Receipt | None, Request]:
    """Return the receipt of the earlier recall (None for a question), and the recall request with which to try changes.
    The request of an earlier recall about the past gets today's time as `at`. InputError if the input has both or
    neither, or the question is not valid; NotFoundError if there is no such recall or its receipt is gone."""
    if (request.question is None) == (request.recall_id is None):
        raise InputError(
            "why: a question or an earlier recall is required, and not both",
            code="missing_query",
            next_step=f"{step('memory.why', memory='ID', query='…')}, or {assignment('recall_id', 'rec_…')}",
        )
    if request.question is not None:
        return None, build_request(app, request.question.model_copy(update={"namespace": request.namespace}))
    receipt = load_receipt(app, request.namespace, request.recall_id or "")
    asked = receipt.state.request
    return receipt, replace(asked, at=app.clock.now()) if asked.as_of or asked.as_known_at else asked


def _find_cause(app: App, asked: Request, served: Served, receipt: Receipt | None) -> WhyFinding:
    """Find why the recorded recall of `receipt` (if None: a recall of `asked`, run now) returned a memory or did not,
    and which changes would admit it. The changes are tried by running `asked` with them; nothing is recorded."""
    with app.recaller.world(asked, app.deadline) as world:
        return look(world, asked, served.memory, lambda rows: state_changes(app, served, rows, asked.at), receipt)


def _ambiguous_output(app: App, asked: Request, target: Target, receipt: Receipt | None) -> WhyOutput:
    """List the first ten memories that the words can mean, and explain the first three: by the recorded recall of
    `receipt` or, if that is None, by a recall of `asked`."""
    how = "are near these words" if target.matched == "meaning" else "fit"
    explanations = [sentences(_find_cause(app, asked, each, receipt)) for each in target.candidates[:_FIRST]]
    return WhyOutput(
        sentence=f"{target.total} memories {how}: name one of them by its id.",
        namespace=asked.namespace,
        query=asked.query,
        recall_id=asked.recall_id if receipt else None,
        matched=target.matched,
        total=target.total,
        candidates=_candidate_views(target, explanations),
    )


def _candidate_views(target: Target, explanations: Sequence[str] = ()) -> tuple[WhyCandidate, ...]:
    """Show the candidates of a target; `explanations` belong to the first of them, the others get none."""
    whys = chain(explanations, repeat(""))
    return tuple(
        _candidate_view(each.memory, each.path, why) for each, why in zip(target.candidates, whys, strict=False)
    )


def _candidate_view(memory: Memory, path: str, why: str) -> WhyCandidate:
    """Show one memory of a list, with its headline and its explanation `why` ("" if it has none)."""
    excerpt = headline(memory.content, _SHORT)
    return WhyCandidate(memory_id=memory.id, path=path, status=memory.status, excerpt=excerpt, why=why)


WHY = Operation(
    "memory.why",
    "Say why a memory was recalled, or why not, or never kept.\n\n"
    "Of a miss: what lost it, and the smallest change that admits it.\n",
    WhyInput,
    WhyOutput,
    in_home(why),
    "append",
    Surfaces("why", http=("POST /v1/why",), mcp="memory_xray:why"),
    text=Text("recall.why.why_text", excerpts=True),
    needs="read",
)
