"""The passages of a session and the memories made of them in, a conversation out: turns, with marks on sentences.

A sentence is marked if it became a memory, and also if it was left out.
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
"""The most characters of a passage without marks that is not folded."""
_BEGINNING = 160
_LONGEST_RANGE = 64
"""The most turns that are marked for one piece of evidence."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A sentence of a conversation from which a memory was made, or which was left out."""

    sentence: str
    is_kept: bool
    about: str
    """The memory made of it, or why it was left out."""
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
class ShownTurn:
    """One turn of a conversation."""

    number: int
    speaker: str
    passages: tuple[Passage, ...]
    kept: tuple[Mark, ...]
    """The memories made of the turn for which no sentence of it is marked."""


def conversation_turns(
    passages_of_session: Iterable[Memory], marks: Callable[[int], Sequence[Mark]]
) -> Iterator[ShownTurn]:
    """Yield a `ShownTurn` for each number of a turn at which passages end, ascending, with all passages that end there.
    `marks` returns the marked sentences of the turn with a number. Those found in a passage are highlighted in it; of
    the rest, those that became memories (`is_kept`) are the turn's `kept`, and those left out are not shown.
    """
    by_turn = dict[int, list[Memory]]()
    for each in sorted(passages_of_session, key=lambda each: (last_turn(each), each.id)):
        by_turn.setdefault(last_turn(each), []).append(each)
    for number, passages in by_turn.items():
        source = passages[0].source_class
        speaker = _SPEAKERS[source] if source else "Unknown"
        shown = tuple(_passage(each, marks(number)) for each in passages)
        shown_marks = {mark for each in shown for mark in each.marks}
        unshown = tuple(each for each in marks(number) if each.is_kept and each not in shown_marks)
        yield ShownTurn(number, speaker, shown, unshown)


def marks_of(
    memories: Sequence[Memory], left_out: Sequence[LeftOut], href: Callable[[str], str]
) -> Callable[[int], Sequence[Mark]]:
    """Return a function from a turn's number to the turn's marks: first those of sentences that became `memories`, then
    those of the statements in `left_out` whose words are kept. It returns () for a turn without marks. `href` returns
    the page of a memory by its id.
    """
    marks_by_turn = dict[int, list[Mark]]()
    for memory in memories:
        for place in memory.evidence:
            quote = memory.evidence_quotes.get(place, "").removesuffix("…")
            _add_mark(marks_by_turn, place, Mark(quote, True, memory.content, href(memory.id)))
    for each in left_out:
        for place in each.evidence if each.said else ():
            _add_mark(marks_by_turn, place, Mark(each.said or "", False, each.reason))
    return lambda turn: marks_by_turn.get(turn, ())


def _add_mark(marks_by_turn: dict[int, list[Mark]], place: str, mark: Mark) -> None:
    """Add a mark to `marks_by_turn`, for each turn of a place such as `session:3-5` (the first 64 of a longer range);
    do nothing if the place does not end with a range of turns.
    """
    first, _, last = place.rpartition(":")[2].partition("-")
    if first.isdigit() and last.isdigit():
        for turn in range(int(first), min(int(last) + 1, int(first) + _LONGEST_RANGE)):
            marks_by_turn.setdefault(turn, []).append(mark)


def _passage(memory: Memory, marks: Sequence[Mark]) -> Passage:
    """Return a passage as it is shown, with those of the `marks` that are found in it. If none is, and it has over
    1,500 characters, its `beginning` has the first 160, as the rest is folded.
    """
    text, found_marks = highlighted(memory.content, marks)
    is_folded = not found_marks and len(memory.content) > _LONG
    beginning = " ".join(memory.content[:_BEGINNING].split()) if is_folded else ""
    return Passage(memory, text, found_marks, beginning)


def highlighted(text: str, marks: Sequence[Mark]) -> tuple[Markup, tuple[Mark, ...]]:
    """Return a text as HTML, escaped, in which sentences of the marks are highlighted, and the marks that were
    highlighted, in the order of the text. Of marks that overlap, only the one that begins first is highlighted and
    returned, of those that begin at one place the shortest.
    """
    out, at, found_marks = Markup(), 0, list[Mark]()
    for start, end, mark in sorted(_mark_spans(text, marks), key=lambda each: each[:2]):
        if start < at:
            continue
        words = lines(text[start:end])
        inside = Markup('<a href="{}">{}</a>').format(mark.href, words) if mark.href else words
        title = f"{'Kept as' if mark.is_kept else 'Left out:'} {visible(' '.join(mark.about.split()))}"
        kind = "kept" if mark.is_kept else "left"
        out += lines(text[at:start]) + Markup('<mark class="{}" title="{}">{}</mark>').format(kind, title, inside)
        at = end
        found_marks.append(mark)
    return out + lines(text[at:]), tuple(found_marks)


def _mark_spans(text: str, marks: Sequence[Mark]) -> Iterator[tuple[int, int, Mark]]:
    """Yield start, end and mark for each mark whose sentence is in the text, at its first occurrence. Any whitespace
    can be between its words.
    """
    for mark in marks:
        words = mark.sentence.split()
        found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
        if found:
            yield found.start(), found.end(), mark
