"""Two memories equal but for one property in, who stands higher with the part that asks for it and without it out.

The favoured one always has the higher id, so that every tie goes against it; `rrf_k` is so large that one place in a
list is worth next to nothing (so that a list of its own weighs more where that list is what is tested).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from kits.vault import HERE, NOON, Opener, a_memory, file_memories, ranking, run
from pellucid.app import App
from pellucid.model.ledger import FoldRow
from pellucid.model.memory import Memory
from pellucid.settings.sections import LegWeights

OTHER, FAVOURED = 10, 20
SAID = "The harbour crane lifts forty tonnes."
ASKED = "What does the harbour crane lift?"
TASK = "How do I grease the harbour crane?"
STEPS = "Grease the harbour crane at the hook, then at the wheels."


@dataclass(frozen=True)
class Part:
    """A part of the recall, two memories that it tells apart, and what else is set or left out, with it and without."""

    name: str
    memories: Callable[[], list[Memory]]
    query: str = ASKED
    folds: tuple[dict[str, Any], ...] = ()
    given: dict[str, Any] = field(default_factory=dict)
    apart: tuple[str, ...] = ()
    asked: dict[str, Any] = field(default_factory=dict)
    weight: str = ""
    """The setting whose value 0 switches it off, too."""


def two(*, other: dict[str, Any] | None = None, **favoured: Any) -> Callable[[], list[Memory]]:
    """The same words twice; what is given is of the favoured one."""
    return lambda: [
        a_memory(OTHER, **{"content": SAID, **(other or {})}),
        a_memory(FAVOURED, **{"content": SAID, **favoured}),
    ]


def turn(number: int, session: str, at: int, content: str) -> Memory:
    return a_memory(number, content, session_id=session, evidence=(f"{session}:{at}-{at}",))


def beside() -> list[Memory]:
    """The same words in two sessions: only beside the favoured one is the crane spoken of."""
    return [
        turn(OTHER, "a", 2, "It lifts forty tonnes."),
        turn(11, "a", 1, "Where is the ferry table?"),
        turn(FAVOURED, "b", 2, "It lifts forty tonnes."),
        turn(21, "b", 1, "Here is the harbour crane."),
    ]


def alike() -> list[Memory]:
    """The best twice, and another."""
    return [a_memory(1, SAID), a_memory(OTHER, SAID), a_memory(FAVOURED, "A crane may lift a ferry in a storm.")]


DECIDED: dict[str, Any] = {
    "category": "decision",
    "trust_zone": "trusted",
    "importance_score": 0.8,
    "content": "We decided that the harbour crane lifts forty tonnes.",
}
TURN: dict[str, Any] = {"session_id": "s", "evidence": ("s:1-1",)}
PARTS = (
    Part(
        "direct",
        two(**DECIDED, **TURN, other={**TURN, "content": DECIDED["content"], "importance_score": 0.8}),
        given={"importance_weight": 0},
        apart=("renew",),
    ),
    Part("diversify", alike, given={"mmr_lambda": 20.0}, weight="mmr_lambda"),
    Part(
        "expand",
        beside,
        query="harbour crane forty tonnes",
        apart=("passage", "rerankPassage", "direct"),
        weight="score_propagation_alpha",
    ),
    Part(
        "passage",
        beside,
        query="harbour crane forty tonnes",
        apart=("expand", "rerankPassage", "direct"),
        given={"leg_weights": LegWeights(passage=10)},
        weight="leg_weights.passage",
    ),
    Part(
        "rerankPassage",
        beside,
        query="harbour crane forty tonnes",
        apart=("expand", "passage", "direct"),
        given={"leg_weights": LegWeights(rerank_passage=10)},
        weight="leg_weights.rerank_passage",
    ),
    Part("reinforcement", two(), folds=({"reinforcement_count": 5},), weight="reinforcement_weight"),
    Part("heat", two(), folds=({"heat": 0.9},), weight="heat_weight"),
    Part("tierPrior", two(), folds=({"number": OTHER, "tier": "cold"},), weight="tier_weight"),
    Part("importance", two(importance_score=0.9, other={"importance_score": 0.2}), weight="importance_weight"),
    Part("pin", two(pinned=True), weight="pin_weight"),
    Part(
        "named",
        two(entity_ref="Ines", other={"entity_ref": "Otto"}),
        query="What does Ines know of the crane?",
        apart=("graph",),
        weight="named_weight",
    ),
    Part(
        "voice",
        two(source_class="user_input", other={"source_class": "assistant_output"}),
        query="What did I say that the harbour crane lifts?",
        weight="voice_weight",
    ),
    Part("asking", two(other={"content": SAID.replace(".", "?")}), weight="asking_weight"),
    Part(
        "renew",
        two(
            content=f"{SAID} Today, too.",
            created=NOON,
            session_id="new",
            evidence=("new:1-1",),
            other={"created": NOON - timedelta(days=9), "session_id": "old", "evidence": ("old:1-1",)},
        ),
        apart=("temporal",),
        weight="renewal_weight",
    ),
    Part(
        "procedural",
        two(category="procedure", content=STEPS, other={"content": STEPS}),
        query=TASK,
        weight="leg_weights.procedural",
    ),
    Part("review", two(evidence=("src/crane.py:1-9",)), asked={"review": "src/crane.py"}, weight="leg_weights.review"),
)


def fold(app: App, number: int = FAVOURED, **given: Any) -> None:
    """What a lifecycle pass puts on the ledger."""
    known = {"heat": 0.0, "decay": 0.0, "tier_value": 0.5, "memory_id": f"mem_{number:032x}", "namespace": HERE}
    row = FoldRow(**{**known, "at": NOON, **given})
    app.unit_of_work.commit("lifecycle", [], ledger=[row.to_wire()])


def first(app: App, part: Part, without: tuple[str, ...] = (), **settings: Any) -> int:
    """Which of the two stands higher."""
    state = run(app, part.query, without=(*part.apart, *without), settings=settings, **part.asked)
    ids = [memory_id for memory_id, _ in ranking(state)]
    return min((OTHER, FAVOURED), key=lambda number: ids.index(f"mem_{number:032x}"))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_puts_the_intended_memory_higher_and_without_it_it_is_not(house: Opener, part: Part) -> None:
    app = house(rrf_k=1000, **part.given)
    file_memories(app, part.memories())
    for row in part.folds:
        fold(app, **row)
    assert first(app, part) == FAVOURED
    assert first(app, part, without=(part.name,)) == OTHER
    if part.weight:
        assert first(app, part, **{part.weight: 0.0}) == OTHER
