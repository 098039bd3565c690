"""A home, a question and a memory in, what `why` finds and what a real recall says of it out."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from vault_kit import NOON, a_memory, ask, file_memories

from pellucid.app import App
from pellucid.operations.asking import RecallInput
from pellucid.operations.why import WhyInput, WhyOutput, why
from pellucid.xray.finding import Finding, WhyChange

CRANE = "which crane lifts the cargo"
THINGS = (
    "timber", "cotton", "grain", "steel", "coal", "coffee", "paper", "copper", "cement", "salt", "sugar", "wool",
    "glass", "rubber", "tea", "cocoa", "fruit", "fish", "tiles", "bricks", "machines", "tyres", "wine", "oil",
    "barley", "maize", "rice", "cork", "slate", "marble",
)  # fmt: skip


def told(app: App, memory: str, query: str, **given: Any) -> WhyOutput:
    """The whole answer about a memory and a question asked now."""
    here = app.settings.namespace
    return why(app, WhyInput(namespace=here, memory=memory, asked=RecallInput(query=query, namespace=here, **given)))


def found(app: App, memory: str, query: str, **given: Any) -> Finding:
    """What was found out, of a memory that is clearly named."""
    finding = told(app, memory, query, **given).finding
    assert finding is not None
    return finding


def change_of(finding: Finding, kind: str) -> WhyChange:
    """The change found, which must be of this kind and verified."""
    assert finding.change is not None, finding
    assert (finding.change.kind, finding.change.verified) == (kind, True), finding.change
    return finding.change


def recalled(app: App, memory: str, query: str, **given: Any) -> bool:
    """Whether a real recall has the memory in its context."""
    return memory in {each.memory.id for each in ask(app, query, **given).memories}


def cranes(app: App, count: int = 20, **last: Any) -> list[str]:
    """So many memories that answer alike, filed as they are; `last` is what differs in the last one. Their ids."""
    texts = [f"The crane on quay {n} lifts {THINGS[n % len(THINGS)]} cargo" for n in range(1, count + 1)]
    at = [NOON - timedelta(days=n) for n in range(1, count + 1)]
    memories = [a_memory(n, text, created=at[n - 1], updated=at[n - 1]) for n, text in enumerate(texts, start=1)]
    file_memories(app, [*memories[:-1], memories[-1].model_copy(update=last)])
    return [memory.id for memory in memories]


def order(app: App, query: str, **given: Any) -> Sequence[str]:
    """The ids of a context, best first."""
    return [each.memory.id for each in ask(app, query, **given).memories]
