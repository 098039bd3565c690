"""The blocks of a turn in, its sentences and list items out, each with the line that announces it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pellucid.language.sentences import is_closed, sentence_starts
from pellucid.language.words import stop_words, words
from pellucid.observe.prose import ProseBlock, sentences

_ANNOUNCES = re.compile(r"[:：]\W{0,3}$")
_BOX = re.compile(r"\[.\]\s")
_LONGEST_HEADING = 70
_LABEL = re.compile(r"^[^.:!?]{2,40}[:：]$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or list item; `lead` is the heading or announcing line above it, empty if there is none."""

    text: str
    lead: str
    block: int
    """The position of its paragraph or list; units of one block can become one statement."""
    listed: bool = False

    @property
    def whole(self) -> str:
        """The text as it reads alone: a list item after its lead (the heading or announcing line above the list), if
        any."""
        return f"{self.lead} {self.text}" if self.lead and self.listed else self.text


def units(prose: Sequence[ProseBlock]) -> Iterator[Unit]:
    """Yield the sentences of paragraphs and the list items of some blocks, in order, as units.

    A list item has as its lead the heading or the sentence with a colon right before its list. Headings and such
    sentences are no units themselves, nor are items with a checkbox.
    """
    lead, part = "", 0
    found = [block for block in prose if not _BOX.match(block.text)]
    for at, block in enumerate(found):
        if block.marker == "none":
            part = at
            if _is_heading(block, found, at):
                lead = f"{block.text.rstrip(':：')}:"
                continue
            lead = ""
            inside = sentences(block.text)
            leads_list = at + 1 < len(found) and found[at + 1].marker != "none"
            for number, sentence in enumerate(inside):
                if leads_list and number == len(inside) - 1 and _ANNOUNCES.search(sentence):
                    lead = sentence
                else:
                    yield Unit(_labelled(block, sentence), "", at)
        else:
            yield Unit(_labelled(block, block.text), lead, part, listed=True)


def _labelled(block: ProseBlock, sentence: str) -> str:
    """Return the block's first sentence with the label before it (`Root cause: …`), which was parsed as a speaker's
    name.

    Any other sentence, and one of a block without a label, is returned unchanged.
    """
    if block.speaker and block.text.startswith(sentence):
        return f"{block.speaker}: {sentence}"
    return sentence


def _is_heading(block: ProseBlock, prose: Sequence[ProseBlock], at: int) -> bool:
    """Whether the block at index `at` of `prose` is the heading of the blocks after it, of which there must be one.

    It has at most 70 characters, and is a label (`Open points:`) or ends neither in a colon nor like a sentence.
    """
    if len(block.text) > _LONGEST_HEADING or at + 1 == len(prose):
        return False
    return bool(_LABEL.match(block.text)) or not (is_closed(block.text) or _ANNOUNCES.search(block.text))


def joined_items(items: Sequence[Unit]) -> str:
    """Return the items of a list as one text, joined by `; `, each without a last sentence that announces what follows
    it; items of which nothing is left are dropped.
    """
    told = (_without_last_announcement(unit.text).rstrip(".; ") for unit in items)
    return "; ".join(each for each in told if each)


def _without_last_announcement(item: str) -> str:
    """Return an item without a last sentence that ends in a colon; an item of one sentence without the colon."""
    starts = [0, *sentence_starts(item)]
    return item[: starts[-1]] if len(starts) > 1 and _ANNOUNCES.search(item) else without_final_colon(item)


def without_final_colon(text: str) -> str:
    """Return a text without the colon at its end, unchanged if it has none; empty if it says nothing without what it
    announces.

    It says nothing if the last word before the colon means nothing by itself: `You should see:`, not `Each till has a
    trailer:`.
    """
    announces = _ANNOUNCES.search(text)
    said = text[: announces.start()] if announces else text
    last = next(reversed(words(said)), "")
    return "" if announces and not stop_words().isdisjoint((last, last.removesuffix("s"))) else said
