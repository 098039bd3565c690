"""The turns a fact stands on in, whose words they are out: never what an extractor says of itself."""

import re
from collections.abc import Iterable, Mapping

from pellucid.model.memory import SOURCE_CLASSES, SourceClass
from pellucid.model.observation import Evidence
from pellucid.model.turn import Role, Turn

_WEB = re.compile(r"web|fetch|brows|search_?(?:engine|results)|google|bing|http|url|crawl|scrape", re.IGNORECASE)
_SUBAGENT = re.compile(r"^(?:task|agent|sub_?agent|delegate|spawn_?agent|dispatch_?agent)\b", re.IGNORECASE)
_WIDEST = 1000
"""Turns of one range that are looked at; a segment has far fewer."""
_BY_ROLE: dict[Role, SourceClass] = {
    "user": "user_input",
    "assistant": "assistant_output",
    "system": "system_memory",
    "tool": "tool_output",
}


def source_class(evidence: Iterable[Evidence], said: Mapping[int, Turn]) -> SourceClass:
    """The least trusted source class of the evidence's turns; `said` has these by ordinal, `web_content` if none.

    What an agent asks of a tool are its own words.
    """
    voices = {
        "assistant_output" if said[at].kind == "call" else voice_of(said[at])
        for part in evidence
        for at in range(part.start, min(part.end, part.start + _WIDEST) + 1)
        if at in said
    }
    for voice in reversed(SOURCE_CLASSES):
        if voice in voices:
            return voice
    return "web_content"


def voice_of(turn: Turn) -> SourceClass:
    """Whose words a turn holds: by its role, and by the name of its tool. A note is no word of a user to an agent.

    What a program relays as a person's is that program's word for it.
    """
    if turn.relayed and turn.role != "tool":
        return "assistant_output"
    if turn.kind == "note":
        return "system_memory"
    if turn.role != "tool":
        return _BY_ROLE[turn.role]
    if _SUBAGENT.search(turn.tool or ""):
        return "subagent_trace"
    return "web_content" if _WEB.search(turn.tool or "") else "tool_output"
