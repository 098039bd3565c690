"""A turn's text in, the units out that can each be a memory: sentences, and list items with what announces them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.language.sentences import is_closed
from pellucid.observe.prose import ProseBlock, blocks, sentences

_ANNOUNCES = re.compile(r"[:：]\W{0,3}$")
_LONGEST_HEADING = 70
_LABEL = re.compile(r"^[^.:!?]{2,40}[:：]$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or list item; `lead` is the heading or the line with a colon that it stands under, if any."""

    text: str
    lead: str
    block: int
    """Which paragraph or list it is of: units of one block may be told together."""
    listed: bool = False

    @property
    def whole(self) -> str:
        """The unit as it reads alone: a list item behind its lead."""
        return f"{self.lead} {self.text}" if self.lead and self.listed else self.text


def units(text: str) -> list[Unit]:
    """The units of a text in order; code, logs, tables and headings by themselves are none."""
    return list(_units(blocks(text)))


def _units(found: tuple[ProseBlock, ...]) -> Iterator[Unit]:
    lead, part = "", 0
    for at, block in enumerate(found):
        if block.marker == "none":
            part = at
            if _is_heading(block, found, at):
                lead = f"{block.text.rstrip(':：')}:"
                continue
            lead = ""
            spoken = sentences(block.text)
            for number, sentence in enumerate(spoken):
                if number == len(spoken) - 1 and _ANNOUNCES.search(sentence) and _next_is_item(found, at):
                    lead = sentence
                else:
                    yield Unit(_with_label(block, sentence), "", at)
        else:
            yield Unit(_with_label(block, block.text), lead, part, listed=True)


def _with_label(block: ProseBlock, sentence: str) -> str:
    """What opens with a label (`Root cause: …`) is read as a line of somebody's: the label is put back."""
    if block.speaker and block.text.startswith(sentence):
        return f"{block.speaker}: {sentence}"
    return sentence


def _next_is_item(found: tuple[ProseBlock, ...], at: int) -> bool:
    return at + 1 < len(found) and found[at + 1].marker != "none"


def _is_heading(block: ProseBlock, found: tuple[ProseBlock, ...], at: int) -> bool:
    if len(block.text) > _LONGEST_HEADING or at + 1 == len(found):
        return False
    return bool(_LABEL.match(block.text)) or not (is_closed(block.text) or _ANNOUNCES.search(block.text))
