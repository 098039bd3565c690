"""Facts of made-up files in, an index that holds them out, and plain Python that says what it must hold."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from pellucid.model.document import Document
from pellucid.model.entity import EDGE_TYPES, FOREVER, Claim, Edge, EdgeType, EntityFact, GraphFacts
from pellucid.model.memory import Memory
from pellucid.store.index_changes import IndexRecord, IndexState, PathChange
from pellucid.store.index_port import Admission
from pellucid.store.local.index.local_index import LocalIndex

HERE, ELSEWHERE = "local/default", "other/place"
EARLY = datetime(2001, 1, 1, tzinfo=UTC)
AT = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp()) * 1000
NOW = Admission(AT)
SECRET = b"a vault's own"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LocalIndex]:
    opened = LocalIndex(tmp_path / "index.db", SECRET)
    yield opened
    opened.close()


def mem(number: int) -> str:
    return f"mem_{number:032x}"


def a_memory(number: int, **given: Any) -> Memory:
    known = {
        "id": mem(number),
        "category": "fact",
        "namespace": HERE,
        "created": EARLY,
        "updated": EARLY,
        "source": "manual",
        "content": f"note number {number}",
    }
    return Memory(**{**known, **given})


def a_document(number: int = 1, **given: Any) -> Document:
    known = {
        "id": f"doc_{number:032x}",
        "namespace": HERE,
        "created": EARLY,
        "updated": EARLY,
        "path": f"docs/{number}.md",
        "root": "/docs",
        "format": "markdown",
        "digest": "d",
        "title": f"Title {number}",
        "entity": f"SPEC-{number}",
    }
    return Document(**{**known, **given})


def spec(number: int, since: int = 0, until: int = FOREVER, **given: Any) -> EntityFact:
    known = {"key": f"spec-{number}", "name": f"SPEC-{number:03}", "type": "Specification", "defines": True}
    return EntityFact(**{**known, "since": since, "until": until, **given})


def mention(number: int, since: int = 0, name: str = "") -> EntityFact:
    return EntityFact(f"spec-{number}", name or f"spec {number}", since=since)


def edge(source: str, target: str, kind: EdgeType = "DEPENDS_ON", by: int = 1, **given: Any) -> Edge:
    return Edge(source, target, kind, mem(by), **given)


def claim(key: str, attribute: str, value: str, since: int = 0, until: int = FOREVER, **given: Any) -> Claim:
    return Claim(key, attribute, value, given.pop("memory_id", mem(1)), since, until, **given)


def tell(
    index: LocalIndex, path: str, facts: GraphFacts | None, memories: Sequence[Memory] = (), **given: Any
) -> dict[str, str] | None:
    """Fold a file that says this, or is gone."""
    memories = memories or [a_memory(sum(map(ord, path)))]
    records = tuple(IndexRecord(each, 0, b"x" * 16, None) for each in memories)
    if facts is None:
        change = PathChange(path, "", -1, -1, "op_1", ())
    else:
        change = PathChange(path, "d", 1, 1, "op_1", records, facts=facts, **given)
    return index.apply([change], IndexState(1, "", ""))


def rows(tmp_path: Path, table: str, order: str = "1, 2") -> list[tuple[Any, ...]]:
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as connection:
        return connection.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()


def around(
    index: LocalIndex, *keys: str, admission: Admission = NOW, floor: float = 0.0
) -> list[tuple[str, bool, str, str]]:
    """Node, direction, type and other end of each step at these nodes, in a fixed order."""
    with index.reading(HERE) as reader:
        graph = reader.graph
        numbers = np.array([node.number for node in graph.find(keys)], dtype=np.int64)
        steps = graph.around(numbers, admission, floor)
        ends = np.unique(np.concatenate((steps.here, steps.there)))
        name = {node.number: node.key for node in graph.nodes(ends)}
        found = zip(steps.here.tolist(), steps.forward.tolist(), steps.type.tolist(), steps.there.tolist(), strict=True)
        return sorted((name[here], forward, EDGE_TYPES[kind], name[there]) for here, forward, kind, there in found)
