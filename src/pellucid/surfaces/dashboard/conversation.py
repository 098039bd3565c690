"""The passages of a session and what was made of them in, a conversation out: in its turns, with marks where they are.

What was kept is marked where the sentence stands that says it, and so is what was left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from pellucid.model.memory import Memory, SourceClass
from pellucid.operations.session.looking.sessions import turn_of
from pellucid.operations.session.looking.showing import LeftOut
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
    """A sentence that something was made of, or nothing."""

    sentence: str
    is_kept: bool
    about: str
    """What was made of it, or why nothing."""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A passage as it is shown."""

    memory: Memory
    text: Markup
    marks: tuple[Mark, ...]
    beginning: str = ""
    """Of what is long and has no mark: how it begins; the rest is folded."""


@dataclass(frozen=True, slots=True)
class TurnSaid:
    """What one turn said."""

    number: int
    speaker: str
    passages: tuple[Said, ...]
    kept: tuple[Mark, ...]
    """What was made of the turn, where no single sentence of it is marked for that."""


def turns_said(found: Iterable[Memory], marks: Callable[[int], Sequence[Mark]]) -> Iterator[TurnSaid]:
    """The turns of these passages, in their order; `marks` are those of a turn."""
    by_turn = dict[int, list[Memory]]()
    for each in sorted(found, key=lambda each: (turn_of(each), each.id)):
        by_turn.setdefault(turn_of(each), []).append(each)
    for number, said in by_turn.items():
        source = said[0].source_class
        speaker = _SPEAKERS[source] if source else "Unknown"
        passages = tuple(_said(each, marks(number)) for each in said)
        shown = {mark for each in passages for mark in each.marks}
        kept = tuple(each for each in marks(number) if each.is_kept and each not in shown)
        yield TurnSaid(number, speaker, passages, kept)


def marks_of(
    kept: Sequence[Memory], left: Sequence[LeftOut], href: Callable[[str], str]
) -> Callable[[int], Sequence[Mark]]:
    """The marks of each turn: sentences that memories rest on, and those that were left out."""
    found = dict[int, list[Mark]]()
    for memory in kept:
        for place in memory.evidence:
            quote = memory.evidence_quotes.get(place, "").removesuffix("…")
            _put(found, place, Mark(quote, True, memory.content, href(memory.id)))
    for each in left:
        for place in each.evidence if each.said else ():
            _put(found, place, Mark(each.said or "", False, each.reason))
    return lambda turn: found.get(turn, ())


def _put(found: dict[int, list[Mark]], place: str, mark: Mark) -> None:
    """Add a mark to every turn of a place such as `session:3-5`."""
    first, _, last = place.rpartition(":")[2].partition("-")
    if first.isdigit() and last.isdigit():
        for turn in range(int(first), min(int(last), int(first) + _LONGEST_RANGE) + 1):
            found.setdefault(turn, []).append(mark)


def _said(memory: Memory, marks: Sequence[Mark]) -> Said:
    """A passage with its marks; a long one without any is folded to its beginning."""
    text, found = marked(memory.content, marks)
    is_folded = not found and len(memory.content) > _LONG
    beginning = " ".join(memory.content[:_BEGINNING].split()) if is_folded else ""
    return Said(memory, text, found, beginning)


def marked(text: str, marks: Sequence[Mark]) -> tuple[Markup, tuple[Mark, ...]]:
    """A text as HTML with the marks that stand in it, and which those are. Blanks may differ; marks never overlap."""
    out, at, found = Markup(), 0, list[Mark]()
    for start, end, mark in sorted(_places(text, marks), key=lambda each: each[:2]):
        if start < at:
            continue
        words = _html(text[start:end])
        inside = Markup('<a href="{}">{}</a>').format(mark.href, words) if mark.href else words
        told = f"{'Kept as' if mark.is_kept else 'Left out:'} {visible(' '.join(mark.about.split()))}"
        kind = "kept" if mark.is_kept else "left"
        out += _html(text[at:start]) + Markup('<mark class="{}" title="{}">{}</mark>').format(kind, told, inside)
        at = end
        found.append(mark)
    return out + _html(text[at:]), tuple(found)


def _places(text: str, marks: Sequence[Mark]) -> Iterator[tuple[int, int, Mark]]:
    """Where in a text the sentence of each mark stands, as first and last offset; blanks may differ."""
    for mark in marks:
        words = mark.sentence.split()
        found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
        if found:
            yield found.start(), found.end(), mark


def _html(text: str) -> Markup:
    return Markup("\n").join(escape(visible(line)) for line in text.split("\n"))
