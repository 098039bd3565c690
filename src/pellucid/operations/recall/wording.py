"""Ids of memories in, what they say in a line out: of those that the one who asked may read."""

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
"""Characters of a result's headline: a passage whole, since what answers often stands at its end."""


def headlines_of(
    app: App, namespace: str, scopes: Collection[str], memory_ids: Iterable[str], results: Collection[str] = ()
) -> dict[str, str]:
    """Return the headlines of those memories that exist and that a caller with these scopes may read, by id; longer
    ones for the ids in `results`."""
    wanted = list(dict.fromkeys(memory_ids))
    found = (each.memory for each in (app.index.memories(namespace, wanted) if wanted else ()))
    shown = (each for each in found if may_be_told(each, scopes))
    return {each.id: headline(each.content, OF_RESULT if each.id in results else LENGTH) for each in shown}


def with_headlines(app: App, request: Request, snapshot: RecallXraySnapshot) -> RecallXraySnapshot:
    """Return the snapshot with a headline of each memory it names that the caller may read, and with what became of
    sections that a document only carries along."""
    results = {each.memory_id for each in snapshot.results}
    words = headlines_of(app, request.namespace, request.scopes, memory_ids_in(snapshot), results)
    rejected = tuple(_with_bare_sections(app, request.namespace, snapshot.rejected))
    return snapshot.model_copy(update={"words": words, "rejected": rejected})


def _with_bare_sections(
    app: App, namespace: str, rejected: Collection[RejectedCandidate]
) -> Iterator[RejectedCandidate]:
    """The rejected candidates; of a section that is a licence or the like the reason does not say that it repeats."""
    repeats = [each.memory_id for each in rejected if each.rejected_by == REPEATS]
    found = (each.memory for each in (app.index.memories(namespace, repeats) if repeats else ()))
    bare = {each.id for each in found if each.category == "section" and is_carried_along(each.content)}
    for each in rejected:
        named = each.reason.rpartition(" ")[2]  # the reason ends in the number or id of the one it gives way to
        reason = repeat_in_words(named, shown=True, bare=True) if each.memory_id in bare else each.reason
        yield each.model_copy(update={"reason": reason})


def memory_ids_in(snapshot: RecallXraySnapshot) -> tuple[str, ...]:
    """Return the ids of all memories that an explanation names, each once, also in the texts of its reasons."""
    nearest = snapshot.abstention.nearest if snapshot.abstention else ()
    listed = (*snapshot.results, *snapshot.rejected, *snapshot.context.omitted)
    nodes = (node for each in snapshot.results for node in each.graph_path or ())
    older = (each.newer_than for each in snapshot.results if each.newer_than)
    said = _ID.findall(" ".join((*nodes, *(each.reason for each in snapshot.rejected))))
    return tuple(dict.fromkeys((*(each.memory_id for each in listed), *nearest, *older, *said)))


def result_ids(answer: RecallOutput) -> str:
    """Render which result number is which memory id, such as `rec_…: [1] mem_…, [2] mem_…`, one line per recall of the
    answer that found any, for later citing."""
    return "\n".join(
        f"{each.recall_id}: {', '.join(f'[{at}] {one.memory.id}' for at, one in enumerate(each.memories, start=1))}"
        for each in (answer, *answer.also)
        if each.memories
    )
