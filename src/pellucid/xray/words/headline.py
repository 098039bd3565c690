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
    """The beginning of a text on one line, cut at a word, without anything that could pass for our marks.

    Marks that only lay it out (headings, fences, bold, the first bullet) are left away.
    """
    line = harmless(_BOLD.sub(r"\1", _LAYOUT.sub("", content))) or harmless(content)
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    whole = cut.rpartition(" ")[0] if line[length - 1] != " " else cut
    return f"{(whole if len(whole) > length // 2 else cut).rstrip()}…"


def may_be_told(memory: Memory, scopes: Collection[str]) -> bool:
    """Whether an explanation may say a memory's words to one who named these scopes.

    What a recall turned away for its scopes or its trust is named by its id alone: an explanation must not be the way
    around the rung that kept it out.
    """
    unmet = any(scope in memory.scopes and scope not in scopes for scope in BOUNDARY_SCOPES)
    return not unmet and memory.trust_zone != "quarantine" and memory.status not in _KEPT_BACK
