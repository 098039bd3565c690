"""Recalls and operations in, the spans that OpenTelemetry is told of out, kept in memory by its own exporter."""

from collections.abc import Iterator
from dataclasses import replace
from math import fsum

import numpy as np
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kits.vault import HERE, Opener
from pellucid.deadline import Deadline
from pellucid.errors import DeadlineError
from pellucid.operations.memory.changing import ARCHIVE
from pellucid.operations.memory.forgetting import FORGET
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL, RecallInput, recall
from pellucid.operations.session.observing import OBSERVE, ObserveOutput
from pellucid.telemetry.otel import OtelWatcher

SECRET = "The gate opens with the blue key"
QUESTION = "which key opens the gate?"


class Watched:
    """Calls in a home that is watched, and the spans that came of them."""

    def __init__(self, house: Opener, *, content: bool = False) -> None:
        self._kept, provider = InMemorySpanExporter(), TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        watcher = OtelWatcher(provider.get_tracer("test"), content=content, own=provider)
        self.app = replace(house(), watchers=(watcher,))
        self.call = Call.over(self.app)

    def named(self, name: str) -> list[ReadableSpan]:
        return [each for each in self.spans if each.name == name]

    def only(self, name: str) -> ReadableSpan:
        (found,) = self.named(name)
        return found

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._kept.get_finished_spans()


@pytest.fixture
def watched(house: Opener) -> Iterator[Watched]:
    found = Watched(house)
    yield found
    for each in found.app.watchers:
        each.close()


def told(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_what_a_surface_reads_as_a_stream_is_told_as_the_operation_is(watched: Watched) -> None:
    asked = watched.call.input_of(OBSERVE.input, {})
    taken = OBSERVE.perform(watched.call, asked, lambda _call, each: ObserveOutput(namespace=each.namespace))
    assert taken.namespace == HERE
    assert told(watched.only("upsert_memory"))["gen_ai.operation.name"] == "upsert_memory"


@pytest.mark.requirement("OTEL-1")
def test_a_recall_is_a_search_with_a_child_for_each_leg_that_was_asked_and_for_the_reranker(watched: Watched) -> None:
    REMEMBER(watched.call, content=SECRET)
    answer = RECALL(watched.call, query=QUESTION, session_id="s1", agent="cody")
    search = watched.only("search_memory")
    known = told(search)
    assert known["gen_ai.operation.name"] == "search_memory"
    assert known["gen_ai.memory.store.id"] == HERE
    assert known["gen_ai.memory.record.count"] == len(answer.memories) == 1
    assert (known["gen_ai.conversation.id"], known["gen_ai.agent.name"]) == ("s1", "cody")
    assert known["pellucid.recall.id"] == answer.recall_id
    assert known["pellucid.recall.outcome"] == "answered"
    assert known["pellucid.doubt.score"] == answer.doubt
    children = [each for each in watched.spans if each.parent and each.parent.span_id == search.context.span_id]
    legs = {told(each)["pellucid.leg.name"]: told(each) for each in children if each.name.startswith("retrieve ")}
    assert legs.keys() == {each.name for each in answer.legs if each.health != "off"}
    assert {each["openinference.span.kind"] for each in legs.values()} == {"RETRIEVER"}
    assert legs["lexical"]["retrieval.documents.0.document.id"] == answer.memories[0].memory.id
    reranker = told(watched.only("rerank"))
    assert reranker["openinference.span.kind"] == "RERANKER"
    assert reranker["reranker.output_documents.0.document.id"] == answer.memories[0].memory.id
    for each in children:
        assert search.start_time <= each.start_time <= each.end_time <= search.end_time


@pytest.mark.requirement("OTEL-1")
def test_the_terms_of_each_result_sum_to_its_score(watched: Watched) -> None:
    for text in (SECRET, "The gate is closed at night", "The key hangs in the hall"):
        REMEMBER(watched.call, content=text)
    answer = RECALL(watched.call, query=QUESTION)
    known = told(watched.only("search_memory"))
    terms = [column for name, column in known.items() if name.startswith("pellucid.terms.")]
    sums = [fsum(each) for each in zip(*terms, strict=True)]
    assert len(sums) > 1
    assert np.allclose(sums, known["pellucid.results.scores"], rtol=0, atol=1e-12)
    assert known["pellucid.results.ids"] == tuple(each.memory.id for each in answer.memories)
    assert known["pellucid.results.scores"] == tuple(each.final for each in answer.memories)


@pytest.mark.requirement("OTEL-1")
def test_no_word_of_a_question_or_a_memory_is_told_unless_content_is_asked_for(house: Opener) -> None:
    words = {each for text in (SECRET, QUESTION, "gates") for each in text.lower().strip("?").split()} - {"the", "with"}
    for content in (False, True):
        watched = Watched(house, content=content)
        kept = REMEMBER(watched.call, content=SECRET, session_id=f"s{content}")
        RECALL(watched.call, query=QUESTION)
        RECALL(watched.call, query="blue gates", settings={"leg_weights": {"graph": 0}})
        ARCHIVE(watched.call, memory_id=kept.memory.id)
        values = " ".join(str(value).lower() for each in watched.spans for value in told(each).values())
        names = " ".join(f"{each.name} {each.status.description}" for each in watched.spans)
        assert any(f" {word} " in f" {values} {names} " for word in words) is content
        assert (SECRET.lower() in values) is content


@pytest.mark.requirement("OTEL-1")
def test_what_changes_memories_is_a_span_and_a_preview_is_none(watched: Watched) -> None:
    kept = REMEMBER(watched.call, content=SECRET).memory
    assert told(watched.only("create_memory"))["gen_ai.memory.record.id"] == kept.id
    ARCHIVE(watched.call, memory_id=kept.id)
    changed = told(watched.only("update_memory"))
    assert (changed["gen_ai.memory.record.id"], changed["pellucid.operation"]) == (kept.id, "memory.archive")
    FORGET(watched.call, memory_ids=(kept.id,))
    assert not watched.named("delete_memory")
    FORGET(watched.call, memory_ids=(kept.id,), preview=False)
    assert told(watched.only("delete_memory"))["gen_ai.memory.record.count"] == 1


@pytest.mark.requirement("OTEL-1")
def test_what_fails_is_told_by_the_kind_of_its_error(watched: Watched) -> None:
    late = replace(watched.app, deadline=Deadline(0.0))
    with pytest.raises(DeadlineError):
        recall(late, RecallInput(query=QUESTION, namespace=HERE))
    failed = watched.only("search_memory")
    assert not failed.status.is_ok
    assert (told(failed)["error.type"], told(failed)["pellucid.recall.outcome"]) == ("DeadlineError", "failed")


@pytest.mark.requirement("OTEL-1")
@pytest.mark.parametrize(("query", "outcome"), [("thanks!", "gated"), ("anything at all?", "abstained")])
def test_a_recall_without_an_answer_says_which_it_was(watched: Watched, query: str, outcome: str) -> None:
    RECALL(watched.call, query=query)
    assert told(watched.only("search_memory"))["pellucid.recall.outcome"] == outcome
