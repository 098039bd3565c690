"""Ids of memories in, what they say in a line out: of those that the one who asked may read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.xray.words.headline import headline, may_be_told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pellucid.app import App
    from pellucid.model.snapshot import RecallXraySnapshot
    from pellucid.operations.recall.recalling import RecallOutput
    from pellucid.store.index_port import Served


def words_of(app: App, namespace: str, scopes: Collection[str], memory_ids: Iterable[str]) -> dict[str, str]:
    """The headline of each of these memories, by id; none of what is gone, in quarantine or marked for other scopes."""
    wanted = list(dict.fromkeys(memory_ids))
    return told_of(app.index.memories(namespace, wanted), scopes) if wanted else {}


def told_of(found: Iterable[Served], scopes: Collection[str]) -> dict[str, str]:
    """The same of memories that are at hand."""
    told = (each.memory for each in found if may_be_told(each.memory, scopes))
    return {memory.id: headline(memory.content) for memory in told}


def named_in(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Every memory that an explanation names by its id."""
    nearest = snapshot.abstention.nearest if snapshot.abstention else ()
    listed = (*snapshot.results, *snapshot.rejected, *snapshot.context.omitted)
    return tuple(dict.fromkeys((*(each.memory_id for each in listed), *nearest)))


def numbered(answer: RecallOutput) -> str:
    """Which number of a context is which memory, a line a namespace: by its id it is cited, explained, changed."""
    return "\n".join(
        f"{each.recall_id}: {', '.join(f'[{at}] {one.memory.id}' for at, one in enumerate(each.memories, start=1))}"
        for each in (answer, *answer.also)
        if each.memories
    )
