"""Ids of memories in, their headlines out, for memories that the caller is allowed to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pellucid.recall.score.ladder import REPEATS
from pellucid.recall.score.repeats import is_carried_along
from pellucid.xray.words.headline import LENGTH, headline, may_be_told
from pellucid.xray.words.rungs import repeat_in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pellucid.app import App
    from pellucid.model.snapshot import RecallXraySnapshot, RejectedCandidate
    from pellucid.operations.recall.recalling import RecallOutput
    from pellucid.recall.state import Request


_ID = re.compile(r"mem_[0-9a-f]{32}")
OF_RESULT = 300
"""Characters of a result's headline: enough for a whole passage, since its answer is often at the end."""


def headlines_of(
    app: App, namespace: str, scopes: Collection[str], memory_ids: Iterable[str], results: Collection[str] = ()
) -> dict[str, str]:
    """Return a map from ids to headlines, for those memories that exist and that a caller with these scopes is allowed
    to read; headlines of the ids in `results` are longer."""
    wanted = list(dict.fromkeys(memory_ids))
    found = (each.memory for each in (app.index.memories(namespace, wanted) if wanted else ()))
    shown = (each for each in found if may_be_told(each, scopes))
    return {each.id: headline(each.content, OF_RESULT if each.id in results else LENGTH) for each in shown}


def with_headlines(app: App, request: Request, snapshot: RecallXraySnapshot) -> RecallXraySnapshot:
    """Return the snapshot with a headline of each memory that it names and that the caller is allowed to read, and with
    other reasons for rejected sections that a document only carries along, such as a licence."""
    results = {each.memory_id for each in snapshot.results}
    words = headlines_of(app, request.namespace, request.scopes, memory_ids_in(snapshot), results)
    rejected = tuple(_with_bare_sections(app, request.namespace, snapshot.rejected))
    return snapshot.model_copy(update={"words": words, "rejected": rejected})


def _with_bare_sections(
    app: App, namespace: str, rejected: Collection[RejectedCandidate]
) -> Iterator[RejectedCandidate]:
    """Yield the rejected candidates. If a candidate was rejected as a repeat and is a section that a document only
    carries along, such as a licence, its reason does not say that it repeats."""
    repeats = [each.memory_id for each in rejected if each.rejected_by == REPEATS]
    found = (each.memory for each in (app.index.memories(namespace, repeats) if repeats else ()))
    bare = {each.id for each in found if each.category == "section" and is_carried_along(each.content)}
    for each in rejected:
        kept = each.reason.rpartition(" ")[2]  # the reason ends in the number or id of the memory that was kept instead
        reason = repeat_in_words(kept, shown=True, bare=True) if each.memory_id in bare else each.reason
        yield each.model_copy(update={"reason": reason})


def memory_ids_in(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Return the ids of all memories that a snapshot names, also in its graph paths and in the texts of its reasons,
    each once."""
    nearest = snapshot.abstention.nearest if snapshot.abstention else ()
    listed = (*snapshot.results, *snapshot.rejected, *snapshot.context.omitted)
    nodes = (node for each in snapshot.results for node in each.graph_path or ())
    older = (each.newer_than for each in snapshot.results if each.newer_than)
    in_texts = _ID.findall(" ".join((*nodes, *(each.reason for each in snapshot.rejected))))
    return tuple(dict.fromkeys((*(each.memory_id for each in listed), *nearest, *older, *in_texts)))


def result_ids(answer: RecallOutput) -> str:
    """Render the ranks and ids of the recalled memories, such as `rec_…: [1] mem_…, [2] mem_…`, one line for each
    recall of the answer that found any, so that the memories can be cited later."""
    return "\n".join(
        f"{each.recall_id}: {', '.join(f'[{at}] {one.memory.id}' for at, one in enumerate(each.memories, start=1))}"
        for each in (answer, *answer.also)
        if each.memories
    )
