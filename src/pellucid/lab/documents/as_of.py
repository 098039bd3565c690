"""The EIP set's folder in, how many past values are known out: by the chain of states, and by recalls as of then."""

from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any, Literal

from pellucid.app import App
from pellucid.errors import NotFoundError, StoreError
from pellucid.lab.datasets import eips
from pellucid.lab.documents.home import (
    NAMESPACE,
    PLACES,
    Ask,
    DocumentsLab,
    Report,
    document_of,
    draw_sample,
    index_documents,
    recall_each,
)
from pellucid.lab.metrics.ranking import spread
from pellucid.model.memory import Memory
from pellucid.model.wire import Wire
from pellucid.operations.document.rows import load_history
from pellucid.operations.graph.states import history_of_entity
from pellucid.recall.state import State
from pellucid.settings import Settings

SAMPLE = 100  # questions about each field that a recall is asked, too
EXAMPLES = 5  # wrong answers shown, at most


class AsOfLabOutput(Wire):
    """How many past values are known; docs/lab.md says what each number means."""

    dataset: Literal["asof"] = "asof"
    documents: int
    headers_only: int
    """Documents of which the set has the history of the header and no text: indexed as that header."""
    changes: int
    """Rows of the history."""
    loading: dict[str, float]
    """Rows of no known document (`unknown`), header versions that the other rows made, and seconds."""
    history: dict[str, dict[str, Any]]
    """Maps fields to how many questions `history` answers exactly as written, and some wrong answers."""
    recall: dict[str, dict[str, Any]]
    """Maps fields to how often, in a sample, the header of then with the answer ranks first, in the first 5, at all."""
    latency_ms: dict[str, float]
    details: tuple[dict[str, Any], ...] = ()


def run_as_of(settings: Settings, request: DocumentsLab, report: Report) -> AsOfLabOutput:
    """Index the documents in a temporary home, import the history of their headers, ask which values they had at past
    instants, and return how many are known. `report` gets lines about the progress. InputError or ValueError if a file
    of the set is missing or malformed, StoreError if not all is indexed or a history is refused.
    """
    documents, changes = eips.documents(request.data), eips.changes(request.data)
    history_only = eips.headers_only(documents, changes)
    with index_documents(settings, [*documents, *history_only], report) as home:
        report(f"loading {len(changes)} changes of headers")
        loading = _load_history(home.app, changes)
        rows: list[dict[str, Any]] = []
        millis: list[float] = []
        history: dict[str, dict[str, Any]] = {}
        recall_counts: dict[str, dict[str, Any]] = {}
        for field in eips.FIELDS:
            questions = request.sampled(eips.questions(request.data, field))
            report(f"asking the history {len(questions)} questions about {field}")
            answer_rows = [_row(question, _value_by_states(home.app, question)) for question in questions]
            rows += answer_rows
            history[field] = _count_answers(answer_rows)
            asks = [Ask(each, each.text, each.at) for each in draw_sample(questions, SAMPLE)]
            recalls = recall_each(home.app, asks, request.without, f"recalling as of then, {field}", report)
            recall_counts[field] = _ranks_of_answers(recalls, millis)
    return AsOfLabOutput(
        documents=len(documents),
        headers_only=len(history_only),
        changes=len(changes),
        loading=loading,
        history=history,
        recall=recall_counts,
        latency_ms=spread(millis),
        details=tuple(rows) if request.details else (),
    )


def _load_history(app: App, changes: Sequence[eips.HeaderChange]) -> dict[str, float]:
    """Import the changes as a history of headers; return `headerVersions`, `unknown` (rows of no known document) and
    `seconds`. Raises StoreError if one is refused.
    """
    begun = perf_counter()
    rows = (
        {"doc": c.number, "date": c.at, "field": c.field, "new": c.value, "old": c.before, "commit": c.commit}
        for c in changes
    )
    loaded = load_history(app, NAMESPACE, rows)
    if loaded.problems:
        first = loaded.problems[0]
        raise StoreError(
            f"{len(loaded.problems)} histories were not taken; {first.why}",
            next_step=first.next_step or "mend the data set",
        )
    seconds = round(perf_counter() - begun, 1)
    return {"headerVersions": loaded.header_versions, "unknown": loaded.unknown_rows, "seconds": seconds}


def _value_by_states(app: App, question: eips.AsOfQuestion) -> str | None:
    """Return a field's value at the question's instant by the graph's states; None if document or value is unknown."""
    try:
        entity_history = history_of_entity(app, NAMESPACE, f"EIP-{question.number}", as_of=question.at)
    except NotFoundError:
        return None
    return (entity_history.holds or {}).get(question.field)


def _row(question: eips.AsOfQuestion, answer: str | None) -> dict[str, Any]:
    """Return one question in wire form: `document`, `field`, `asOf`, the true `answer`, and `said`, the answer given
    (None if unknown).
    """
    asked = {"document": question.number, "field": question.field, "asOf": question.at.isoformat()}
    return asked | {"answer": question.answer, "said": answer}


def _count_answers(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the counts `questions` and `answered` (exactly right), and at most five rows that are `wrong`."""
    wrong = [row for row in rows if row["said"] != row["answer"]]
    return {"questions": len(rows), "answered": len(rows) - len(wrong), "wrong": wrong[:EXAMPLES]}


def _ranks_of_answers(recalls: Iterable[tuple[eips.AsOfQuestion, State, float]], millis: list[float]) -> dict[str, int]:
    """Return the number of recalls (`asked`), and of those in which a memory that `states_it` ranks `first`, in the
    first five (`inFive`), or at all (`found`). Appends the recalls' milliseconds to `millis`.
    """
    places: list[int] = []
    for question, state, spent in recalls:
        millis.append(spent)
        stating = (place for place, each in enumerate(state.served) if states_it(each.memory, question))
        places.append(next(stating, PLACES))
    within = {"first": 1, "inFive": 5, "found": PLACES}
    return {"asked": len(places)} | {name: sum(place < count for place in places) for name, count in within.items()}


def states_it(memory: Memory, question: eips.AsOfQuestion) -> bool:
    """Whether a memory is of the question's document, valid at its instant, and has a line `field: answer`."""
    has_begun = memory.valid_at is not None and memory.valid_at <= question.at
    is_lasting = memory.invalid_at is None or question.at < memory.invalid_at
    states_answer = f"{question.field}: {question.answer}" in memory.content.splitlines()
    return has_begun and is_lasting and states_answer and document_of(memory) == question.number
