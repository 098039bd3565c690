"""The golden snapshots in, what the renderer's tests look at out."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pellucid.model.snapshot import Budget, RecallXraySnapshot, ScoreDecomposition, XrayResult

GOLDEN = Path(__file__).parents[1] / "golden" / "xray"
PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
CLOSED = {"schemaVersion", "servedBy", "correctionState", "safety", "health", "tierReason"}
"""Fields of a snapshot whose words are a closed list, so that no other text can stand there."""


def golden(name: str) -> RecallXraySnapshot | None:
    """The snapshot of a golden, read from its JSON form."""
    envelope = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    return RecallXraySnapshot.model_validate(envelope["snapshot"]) if envelope["snapshotFound"] else None


def full() -> RecallXraySnapshot:
    """The golden in which everything is said."""
    snapshot = golden("full")
    assert snapshot is not None
    return snapshot


def empty(**given: Any) -> RecallXraySnapshot:
    """A snapshot of nothing, with some fields given."""
    fields = {"query": "q", "snapshot_id": "rec_1", "captured_at": 0, "budget": Budget(chars=10, used=0), **given}
    return RecallXraySnapshot(**fields)


def holding(*, final: float = 1.0, scores: Mapping[str, float] | None = None, **given: Any) -> RecallXraySnapshot:
    """A snapshot of one result, with some of its fields given."""
    decomposition = ScoreDecomposition(final=final, **(scores or {}))
    fields = {"memory_id": "mem_1", "path": "a.md", "served_by": "hybrid", "admitted_by": (), **given}
    return empty(results=(XrayResult(score_decomposition=decomposition, **fields),), query_terms=("ttl", "cache"))


def reworded(snapshot: RecallXraySnapshot, word: Callable[[], str]) -> RecallXraySnapshot:
    """The snapshot with another word in the place of every text that is not from a closed list."""

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: value if key in CLOSED else walk(value) for key, value in node.items()}
        if isinstance(node, list):
            return [walk(value) for value in node]
        return word() if isinstance(node, str) else node

    other = RecallXraySnapshot.model_validate(walk(snapshot.to_wire()))
    named = (each.memory_id for each in (*other.results, *other.rejected, *other.context.omitted))
    return other.model_copy(update={"words": {memory_id: word() for memory_id in named}})


def structure(markdown: str) -> list[tuple[str, int, list[str]]]:
    """What a Markdown parser makes of a page, without its words."""
    return [
        (token.type, token.nesting, [child.type for child in token.children or () if child.type != "text"])
        for token in PARSER.parse(markdown)
    ]


def inline(markdown: str) -> list[Token]:
    """The pieces of a page's only line or, of a table, of its last cell."""
    return [token for token in PARSER.parse(markdown) if token.type == "inline"][-1].children or []
