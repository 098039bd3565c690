"""Ids of memories in, their headlines out, for memories that the caller is allowed to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pellucid.model.memory import MEMORY_ID
from pellucid.xray.words.headline import LENGTH, headline, may_be_told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pellucid.app import App
    from pellucid.model.snapshot import RecallXraySnapshot
    from pellucid.operations.recall.recalling import RecallOutput
    from pellucid.recall.state import Request

OF_RESULT = 300
"""Characters of a result's headline: enough for a whole passage, since its answer is often at the end."""


def headlines_of(
    app: App, namespace: str, scopes: Collection[str], memory_ids: Iterable[str], results: Collection[str] = ()
) -> dict[str, str]:
    """Return a map from ids to headlines, for those memories that exist and that a caller with these scopes is allowed
    to read (`may_be_told`: in no boundary scope that is not among them, not in quarantine, not forgotten or rejected).
    A headline has 160 characters at most, 300 if the id is in `results`."""
    wanted = list(dict.fromkeys(memory_ids))
    found = (each.memory for each in (app.index.memories(namespace, wanted) if wanted else ()))
    shown = (each for each in found if may_be_told(each, scopes))
    return {each.id: headline(each.content, OF_RESULT if each.id in results else LENGTH) for each in shown}


def with_headlines(app: App, request: Request, snapshot: RecallXraySnapshot) -> RecallXraySnapshot:
    """Return the snapshot with a headline of each memory that it names and that the caller is allowed to read.

    All of these are read anew, in one query: those that were left out were not read yet, and what a memory says, and
    who may read it, counts as of now, not as of the recall.
    """
    results = {each.memory_id for each in snapshot.results}
    words = headlines_of(app, request.namespace, request.scopes, _memory_ids(snapshot), results)
    return snapshot.model_copy(update={"words": words})


def _memory_ids(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Return the ids of all memories that a snapshot names; an id can recur.

    They are those of results, of what was rejected or omitted, of the nearest when it abstained, and those in a
    result's `why`, quotes or graph path.
    """
    nearest = snapshot.abstention.nearest if snapshot.abstention else ()
    listed = (*snapshot.results, *snapshot.rejected, *snapshot.context.omitted)
    nodes = (node for each in snapshot.results for node in each.graph_path or () if MEMORY_ID.fullmatch(node))
    named = (found for each in snapshot.results for found in (*MEMORY_ID.findall(each.why), *each.quotes))
    return (*(each.memory_id for each in listed), *nearest, *named, *nodes)


def result_ids(answer: RecallOutput) -> str:
    """Render the ranks and ids of the recalled memories, such as `rec_…: [1] mem_…, [2] mem_…`, one line for each
    recall of the answer that found any, so that the memories can be cited later; "" if none found any. For surfaces of
    agents: MCP, hooks."""
    return "\n".join(
        f"{each.recall_id}: {', '.join(f'[{at}] {one.memory.id}' for at, one in enumerate(each.memories, start=1))}"
        for each in (answer, *answer.also)
        if each.memories
    )
