"""A memory in, its first words on one line out, for explanations in which an id would mean nothing to the reader."""

import re
from collections.abc import Collection

from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.recall.context.text import harmless

LENGTH = 160
"""The most characters of a headline."""
_LAYOUT = re.compile(r"\A\s*[-*+•][ \t]+|^[ \t]*(?:#{1,6}[ \t]+|(?:```|~~~)[^\n`]*$)", re.MULTILINE)
_PARAGRAPH = re.compile(r"(?<![ \t\r\n])[ \t\r]*+\n(?:[ \t\r]*+\n)++[ \t\r]*+(?:[-*+•][ \t]++)?")
_HEADING = re.compile(r"^[ \t]*+#{1,6}[ \t]++([^\n]*+)\n", re.MULTILINE)
_FIELD = re.compile(r"(?<=\S)\n(?=[A-Za-z][A-Za-z-]{1,24}: \S)")
"""Matches the end of a line before a header line such as `Status: accepted`."""
_BREAK = " · "
"""What stands between a title and its text, between paragraphs, and between header lines, on the one line."""
_BOLD = re.compile(r"(?<![\w/*])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\w/*])")
KEPT_BACK = ("forgotten", "rejected", "quarantined")
"""Statuses of memories whose text is never shown."""


def headline(content: str, length: int = LENGTH) -> str:
    """Return the first words of a text on one line of at most `length` characters (at least 1); empty for no text.

    Unseen characters are removed, and what looks like our fence or citation tags is replaced by plain words. A cut ends
    with `…`, between words unless that loses half. Layout markup (headings, fences, bold, a first bullet) is removed
    unless nothing else is left; paragraphs and header lines are set apart by ` · `.
    """
    plain = _LAYOUT.sub("", _HEADING.sub(r"\1\n\n", content.strip())).strip()
    line = harmless(_BOLD.sub(r"\1", _FIELD.sub(_BREAK, _PARAGRAPH.sub(_BREAK, plain)))) or harmless(content)
    if len(line) <= length:
        return line
    start = line[: length - 1]
    whole_words = start.rpartition(" ")[0] if line[length - 1] != " " else start
    return f"{(whole_words if len(whole_words) > length // 2 else start).rstrip()}…"


def may_be_told(memory: Memory, scopes: Collection[str]) -> bool:
    """Whether an explanation is allowed to show a memory's text to a caller who named these scopes: it has no other
    boundary scope, is not in quarantine, and its status is not in `KEPT_BACK`. Else a recall rejects it, and it is
    named by id alone: an explanation must not be a way around that rung.
    """
    unmet = any(scope in memory.scopes and scope not in scopes for scope in BOUNDARY_SCOPES)
    return not unmet and memory.trust_zone != "quarantine" and memory.status not in KEPT_BACK
