"""A memory in, its first words on one line out: what stands in an explanation where an id would say nothing."""

import re
from collections.abc import Collection

from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.recall.context.text import harmless

LENGTH = 160
"""Characters of a headline at most."""
_LAYOUT = re.compile(r"\A\s*[-*+•][ \t]+|^[ \t]*(?:#{1,6}[ \t]+|(?:```|~~~)[^\n`]*$)", re.MULTILINE)
_BOLD = re.compile(r"(?<![\w/*])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\w/*])")
_KEPT_BACK = ("forgotten", "rejected", "quarantined")


def headline(content: str, length: int = LENGTH) -> str:
    """The first words of a text on one line of at most `length` characters, without what could pass for our own marks.

    Cut with `…`, between words unless that loses half. Markup that only lays it out (headings, fences, bold, a first
    bullet) is removed, but for a text that is nothing else.
    """
    line = harmless(_BOLD.sub(r"\1", _LAYOUT.sub("", content))) or harmless(content)
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    whole = cut.rpartition(" ")[0] if line[length - 1] != " " else cut
    return f"{(whole if len(whole) > length // 2 else cut).rstrip()}…"


def may_be_told(memory: Memory, scopes: Collection[str]) -> bool:
    """Whether an explanation may show a memory's text to a caller who named these scopes.

    A memory that a recall rejects for its scopes or trust is named by id alone: an explanation must not be a way around
    that rung.
    """
    unmet = any(scope in memory.scopes and scope not in scopes for scope in BOUNDARY_SCOPES)
    return not unmet and memory.trust_zone != "quarantine" and memory.status not in _KEPT_BACK
