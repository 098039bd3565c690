"""A home, a question and a memory in, what `why` finds and what a real recall says of it out."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from kits.receipts_before import assembled, columns_before, header_of, said_in
from kits.vault import NOON, a_memory, ask, file_memories
from pellucid.app import App
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.recall.why import WhyInput, WhyOutput, why
from pellucid.recall.receipt.record import unpack
from pellucid.xray.why.finding import WhyChange, WhyFinding

CRANE = "which crane lifts the cargo"
THINGS = (
    "timber",
    "cotton",
    "grain",
    "steel",
    "coal",
    "coffee",
    "paper",
    "copper",
    "cement",
    "salt",
    "sugar",
    "wool",
    "glass",
    "rubber",
    "tea",
    "cocoa",
    "fruit",
    "fish",
    "tiles",
    "bricks",
    "machines",
    "tyres",
    "wine",
    "oil",
    "barley",
    "maize",
    "rice",
    "cork",
    "slate",
    "marble",
)


def told(app: App, memory: str, query: str, **given: Any) -> WhyOutput:
    """The whole answer about a memory and a question asked now."""
    here = app.settings.namespace
    return why(app, WhyInput(namespace=here, memory=memory, question=RecallInput(query=query, namespace=here, **given)))


def found(app: App, memory: str, query: str, **given: Any) -> WhyFinding:
    """What was found out, of a memory that is clearly named."""
    finding = told(app, memory, query, **given).finding
    assert finding is not None
    return finding


def change_of(finding: WhyFinding, kind: str) -> WhyChange:
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


_LEGS_2 = ("vector", "lexical")
_COLUMNS_2 = (
    "ids",
    "ordinal",
    "boundary",
    "importance",
    "cosine",
    "matched",
    "rerank_score",
    "rejected",
    "session",
    "created",
)
_RUNGS_3 = ("caller-filter", "time-window")
_HEADER_3 = (
    "pool",
    "said",
    "subPlans",
    "filters",
    "review",
    "made",
    "rerank",
    "tier",
    "abstention",
    "episodes",
    "passes",
)
_SETTINGS_2 = (
    "top_k_facts",
    "pool",
    "open_pool",
    "rrf_k",
    "leg_weights",
    "enable_reranking",
    "min_fact_score",
    "score_propagation_alpha",
    "mmr_lambda",
    "mmr_threshold",
    "char_budget",
    "expand_from",
    "lexical_cost",
    "min_token_overlap",
    "importance_weight",
    "renewal_weight",
    "pin_weight",
    "store_query_text",
)


def as_version_2(packed: bytes) -> bytes:
    """The same recall as a receipt of the second version: two legs, four flags, and no rung of a later time."""
    header, pool = header_of(packed), unpack(packed).state.pool
    held = columns_before(pool)
    names = [name for name, *_ in header["rungs"]]
    kept = [name for name in names if name not in _RUNGS_3]
    numbers = np.array([0, *(kept.index(name) + 1 if name in kept else 0 for name in names)], dtype=np.uint8)
    columns = {name: held[name] for name in _COLUMNS_2}
    columns |= {"rejected": numbers[held["rejected"]], "flags": (held["flags"] & 0b1111).astype(np.uint8)}
    for leg in _LEGS_2:
        columns |= {name: held[name] for name in (f"{leg} ranks", f"{leg} open", f"{leg} scores")}
    header = {name: value for name, value in header.items() if name not in _HEADER_3} | {
        "v": 2,
        "n": len(pool),
        "legs": _LEGS_2,
        "settings": {name: header["settings"][name] for name in _SETTINGS_2},
        "reports": [each for each in header["reports"] if each[0] in _LEGS_2],
        "rungs": [each for each in header["rungs"] if each[0] in kept],
    }
    return assembled(header, columns, said_in(packed))
