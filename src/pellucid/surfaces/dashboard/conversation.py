"""The passages of a session and what was made of them in, a conversation out: in its turns, with marks where they are.

What was kept is marked where the sentence stands that says it, and so is what was left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pellucid.model.memory import Memory, SourceClass
from pellucid.operations.session.looking.sessions import last_turn
from pellucid.operations.session.looking.showing import LeftOut
from pellucid.surfaces.dashboard.rendering import lines
from pellucid.xray.words.visible import visible

_SPEAKERS: dict[SourceClass, str] = {
    "manual": "User",
    "user_input": "User",
    "pasted": "User, pasted",
    "assistant_output": "Agent",
    "subagent_trace": "Subagent",
    "tool_output": "Tool",
    "web_content": "Web page",
    "system_memory": "Program",
}
_LONG = 1500
"""Characters from which what is said is folded, if nothing in it is marked."""
_BEGINNING = 160
_LONGEST_RANGE = 64
"""Turns of one piece of evidence that are marked."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A sentence of a conversation from which a memory was made, or which was left out."""

    sentence: str
    is_kept: bool
    about: str
    """The memory made of it, or why none was."""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as it is shown, with the marks in it."""

    memory: Memory
    text: Markup
    marks: tuple[Mark, ...]
    beginning: str = ""
    """The beginning of a long passage without marks, whose rest is folded; else empty."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    number: int
    speaker: str
    passages: tuple[Passage, ...]
    kept: tuple[Mark, ...]
    """The memories made of the turn for which no sentence of it is marked."""


def conversation_turns(found: Iterable[Memory], marks: Callable[[int], Sequence[Mark]]) -> Iterator[Turn]:
    """The turns of these passages, in order of their numbers; `marks` gives the marks of a turn by its number."""
    by_turn = dict[int, list[Memory]]()
    for each in sorted(found, key=lambda each: (last_turn(each), each.id)):
        by_turn.setdefault(last_turn(each), []).append(each)
    for number, said in by_turn.items():
        source = said[0].source_class
        speaker = _SPEAKERS[source] if source else "Unknown"
        passages = tuple(_passage(each, marks(number)) for each in said)
        shown = {mark for each in passages for mark in each.marks}
        kept = tuple(each for each in marks(number) if each.is_kept and each not in shown)
        yield Turn(number, speaker, passages, kept)


def marks_of(
    kept: Sequence[Memory], left: Sequence[LeftOut], href: Callable[[str], str]
) -> Callable[[int], Sequence[Mark]]:
    """A function from a turn's number to its marks, () for none: sentences that memories rest on (`kept`), and
    statements that became no memory (`left`). `href` gives the page of a memory id.
    """
    found = dict[int, list[Mark]]()
    for memory in kept:
        for place in memory.evidence:
            quote = memory.evidence_quotes.get(place, "").removesuffix("…")
            _add_mark(found, place, Mark(quote, True, memory.content, href(memory.id)))
    for each in left:
        for place in each.evidence if each.said else ():
            _add_mark(found, place, Mark(each.said or "", False, each.reason))
    return lambda turn: found.get(turn, ())


def _add_mark(found: dict[int, list[Mark]], place: str, mark: Mark) -> None:
    """Add a mark to the turns of a place such as `session:3-5`, the first 64 at most; to none if it names no turns."""
    first, _, last = place.rpartition(":")[2].partition("-")
    if first.isdigit() and last.isdigit():
        for turn in range(int(first), min(int(last) + 1, int(first) + _LONGEST_RANGE)):
            found.setdefault(turn, []).append(mark)


def _passage(memory: Memory, marks: Sequence[Mark]) -> Passage:
    """A passage with the marks found in it; one of over 1,500 characters without any is folded to its beginning."""
    text, found = highlighted(memory.content, marks)
    is_folded = not found and len(memory.content) > _LONG
    beginning = " ".join(memory.content[:_BEGINNING].split()) if is_folded else ""
    return Passage(memory, text, found, beginning)


def highlighted(text: str, marks: Sequence[Mark]) -> tuple[Markup, tuple[Mark, ...]]:
    """A text as HTML in which sentences of the marks are highlighted, and the marks that were found.

    One that overlaps an earlier one is left out.
    """
    out, at, found = Markup(), 0, list[Mark]()
    for start, end, mark in sorted(_mark_spans(text, marks), key=lambda each: each[:2]):
        if start < at:
            continue
        words = lines(text[start:end])
        inside = Markup('<a href="{}">{}</a>').format(mark.href, words) if mark.href else words
        told = f"{'Kept as' if mark.is_kept else 'Left out:'} {visible(' '.join(mark.about.split()))}"
        kind = "kept" if mark.is_kept else "left"
        out += lines(text[at:start]) + Markup('<mark class="{}" title="{}">{}</mark>').format(kind, told, inside)
        at = end
        found.append(mark)
    return out + lines(text[at:]), tuple(found)


def _mark_spans(text: str, marks: Sequence[Mark]) -> Iterator[tuple[int, int, Mark]]:
    """Each mark whose sentence is in the text, with start and end of its first occurrence; whitespace may differ."""
    for mark in marks:
        words = mark.sentence.split()
        found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
        if found:
            yield found.start(), found.end(), mark
