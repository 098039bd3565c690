"""The EIP set's folder in, how many past values are known out: of the chain of states, and of recalls as of then."""

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
    drawn,
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
    """Documents of which the set holds the history of the header and no text: they are indexed as that header."""
    changes: int
    """Rows of the history."""
    loading: dict[str, float]
    """Of these rows `unknown` were of no document; how many header versions came of the others, in how many seconds."""
    history: dict[str, dict[str, Any]]
    """By field: how many questions `history` answers exactly as written, and some that it does not."""
    recall: dict[str, dict[str, Any]]
    """By field, of a sample: in how many the header of then, with the answer, stands first, in the first 5, at all."""
    latency_ms: dict[str, float]
    details: tuple[dict[str, Any], ...] = ()


def run_as_of(settings: Settings, request: DocumentsLab, report: Report) -> AsOfLabOutput:
    """Index the documents, import the history of their headers, and ask which values they had at past instants."""
    documents, changes = eips.documents(request.data), eips.changes(request.data)
    gone = eips.headers_only(documents, changes)
    with index_documents(settings, [*documents, *gone], report) as home:
        report(f"loading {len(changes)} changes of headers")
        loading = _load_history(home.app, changes)
        rows: list[dict[str, Any]] = []
        millis: list[float] = []
        history: dict[str, dict[str, Any]] = {}
        brought: dict[str, dict[str, Any]] = {}
        for field in eips.FIELDS:
            questions = request.some(eips.questions(request.data, field))
            report(f"asking the history {len(questions)} questions about {field}")
            said = [_row(question, _value_held(home.app, question)) for question in questions]
            rows += said
            history[field] = _count_answers(said)
            asks = [Ask(each, each.text, each.at) for each in drawn(questions, SAMPLE)]
            found = recall_each(home.app, asks, request.without, f"recalling as of then, {field}", report)
            brought[field] = _places_of_answers(found, millis)
    return AsOfLabOutput(
        documents=len(documents),
        headers_only=len(gone),
        changes=len(changes),
        loading=loading,
        history=history,
        recall=brought,
        latency_ms=spread(millis),
        details=tuple(rows) if request.details else (),
    )


def _load_history(app: App, changes: Sequence[eips.HeaderChange]) -> dict[str, float]:
    """Import the changes as a history of headers; return counts and seconds. Raises StoreError if one is refused."""
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


def _value_held(app: App, question: eips.AsOfQuestion) -> str | None:
    """Return the value of a field at the question's instant by the graph's states; None if document or value is
    unknown."""
    try:
        found = history_of_entity(app, NAMESPACE, f"EIP-{question.number}", as_of=question.at)
    except NotFoundError:
        return None
    return (found.holds or {}).get(question.field)


def _row(question: eips.AsOfQuestion, said: str | None) -> dict[str, Any]:
    """Return one question with its true answer and the answer given (None: unknown), in wire form."""
    asked = {"document": question.number, "field": question.field, "asOf": question.at.isoformat()}
    return asked | {"answer": question.answer, "said": said}


def _count_answers(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the counts `questions` and `answered` (exactly right), and at most five rows that are `wrong`."""
    wrong = [row for row in rows if row["said"] != row["answer"]]
    return {"questions": len(rows), "answered": len(rows) - len(wrong), "wrong": wrong[:EXAMPLES]}


def _places_of_answers(found: Iterable[tuple[eips.AsOfQuestion, State, float]], millis: list[float]) -> dict[str, int]:
    """Count the recalls in which the right header ranks first, in the first 5, or at all; appends to `millis`."""
    places: list[int] = []
    for question, state, spent in found:
        millis.append(spent)
        stating = (place for place, each in enumerate(state.served) if states_it(each.memory, question))
        places.append(next(stating, PLACES))
    within = {"first": 1, "inFive": 5, "found": PLACES}
    return {"asked": len(places)} | {name: sum(place < count for place in places) for name, count in within.items()}


def states_it(memory: Memory, question: eips.AsOfQuestion) -> bool:
    """Whether a memory is the header of the document at the question's instant, and states the answer."""
    began = memory.valid_at is not None and memory.valid_at <= question.at
    lasts = memory.invalid_at is None or question.at < memory.invalid_at
    says = f"{question.field}: {question.answer}" in memory.content.splitlines()
    return began and lasts and says and document_of(memory) == question.number
