"""The turns that are a fact's evidence in, whose words they are out: never what an extractor says of itself."""

import re
from collections.abc import Iterable, Mapping

from pellucid.model.memory import SOURCE_CLASS_OF, SOURCE_CLASSES, SourceClass
from pellucid.model.observation import Evidence
from pellucid.model.turn import Turn

_WEB = re.compile(r"web|fetch|brows|search_?(?:engine|results)|google|bing|http|url|crawl|scrape", re.IGNORECASE)
_SUBAGENT = re.compile(r"^(?:task|agent|sub_?agent|delegate|spawn_?agent|dispatch_?agent)\b", re.IGNORECASE)
_WIDEST = 1000
"""Turns of one range of evidence that are examined; a segment has far fewer."""


def source_class(evidence: Iterable[Evidence], turns: Mapping[int, Turn]) -> SourceClass:
    """Return the least trusted source class of the evidence's turns in `turns`, by ordinal; else `web_content`."""
    classes: Iterable[SourceClass] = (
        "assistant_output" if turns[at].kind == "call" else turn_source_class(turns[at])
        for part in evidence
        for at in range(part.start, min(part.end, part.start + _WIDEST) + 1)
        if at in turns
    )
    return least_trusted(classes) or "web_content"


def least_trusted(classes: Iterable[SourceClass]) -> SourceClass | None:
    """Return the least trusted of some source classes; None if there are none."""
    return max(classes, key=SOURCE_CLASSES.index, default=None)


def turn_source_class(turn: Turn) -> SourceClass:
    """Return the source class of a turn's words, by its role and tool: `user_input`, `web_content`, `tool_output`, ….

    A note is not a user's word to an agent (`system_memory`), and what a program relays as a person's is only that
    program's word (`assistant_output`).
    """
    if turn.relayed and turn.role != "tool":
        return "assistant_output"
    if turn.kind == "note":
        return "system_memory"
    if turn.role != "tool":
        return SOURCE_CLASS_OF[turn.role]
    if _SUBAGENT.search(turn.tool or ""):
        return "subagent_trace"
    return "web_content" if _WEB.search(turn.tool or "") else "tool_output"
