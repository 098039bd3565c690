"""Turns in, segments out: a session's stream cut where the cutters want it, with one open segment a session."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pellucid.language.lexicon import phrases
from pellucid.language.sentences import has_question_form, own_sentences
from pellucid.model.turn import FlushSignal, Segment, Turn

_READ = 4000  # characters of a turn that are searched
_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Break:
    """A cut: the first `at` (≥ 1) of the open turns and the next one make a segment; `signal` says why it ends."""

    signal: FlushSignal
    at: int


Cutter = Callable[[Sequence[Turn], Turn], FlushSignal | Break | None]
"""Decides, given the open turns and the next one, where and why to cut; None to go on. A bare signal cuts between."""

OPEN_SESSIONS = 64


def time_gap(gap: timedelta = timedelta(minutes=30)) -> Cutter:
    """Return a cutter that cuts before a turn more than `gap` later than the last one whose time is known; it never
    cuts before a turn without a time. The segment's signal is `time_elapsed`.
    """

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> FlushSignal | None:
        """Return `time_elapsed` if the next turn is more than `gap` after the last open one with a time; else None."""
        last = next((turn.at for turn in reversed(open_turns) if turn.at), None)
        return "time_elapsed" if last and next_turn.at and next_turn.at - last > gap else None

    return cut


LONG_TASKS = 4  # how many times longer than usual a segment may grow while an agent works without a user's turn


def turn_count(count: int = 40) -> Cutter:
    """Return a cutter that cuts before a segment would exceed `count` turns; the segment's signal is `turn_count`.

    If the segment has a tool's turn, it waits for a user's turn, up to four times `count`: an agent's conclusion is at
    the end of its work, and must not be parted from it.
    """

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> FlushSignal | None:
        """Return `turn_count` if `count` turns are open and no agent is at work, or four times as many; else None."""
        if len(open_turns) < count:
            return None
        uses_tools = any(turn.role == "tool" for turn in open_turns)
        at_work = uses_tools and next_turn.role != "user" and len(open_turns) < LONG_TASKS * count
        return None if at_work else "turn_count"

    return cut


def count_reached(count: int) -> Cutter:
    """Return a cutter that cuts right after the `count`th turn, without waiting for the next one, whoever speaks; the
    segment's signal is `turn_count`.
    """

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> Break | None:  # noqa: ARG001  # a cutter's shape
        """Return a cut behind the next turn if there are `count` turns or more with it; else None."""
        return Break("turn_count", len(open_turns) + 1) if len(open_turns) + 1 >= count else None

    return cut


def high_signal() -> Cutter:
    """Return a cutter that cuts right after a user's turn with a phrase of `high_signal_phrase`, so that it is stored
    at once; the segment's signal is `high_signal`.
    """

    def cut(open_turns: Sequence[Turn], next_turn: Turn) -> Break | None:
        """Return a cut behind the next turn if the user asks in it to remember something; else None."""
        if next_turn.role == "user" and high_signal_phrase(next_turn.content):
            return Break("high_signal", len(open_turns) + 1)
        return None

    return cut


def high_signal_phrase(text: str) -> str | None:
    """Return the kind of phrase by which a user asks to remember something: a key of the lists in a language's
    `keeping.toml`, such as `remember` or `decided`.

    None if the first 4,000 characters have no such phrase outside code, quotations and questions.
    """
    for sentence in own_sentences(_CODE.sub(" ", text[:_READ])):
        lowered = sentence.casefold()
        if not has_question_form(lowered):
            for kinds in phrases("keeping"):
                for kind, phrase in kinds.items():
                    if phrase.search(lowered):
                        return kind
    return None


DEFAULT_CUTTERS: tuple[Cutter, ...] = (time_gap(), turn_count())


def segments(
    turns: Iterable[Turn], cutters: Sequence[Cutter] = DEFAULT_CUTTERS, *, open_sessions: int = OPEN_SESSIONS
) -> Iterator[Segment]:
    """Yield the segments of all sessions: group turns by session, and cut each session where a cutter says so.

    A cutter is a function that gets the session's open turns and the next one, and returns where to cut, None for
    nowhere. For each turn but the first of a segment they are asked in order, and the first that wants a cut decides.
    Sessions can interleave. At most `open_sessions` stay open: beyond that the one whose last turn came first ends. At
    the end all open segments are yielded, in the order of their last turns. Segments that no cutter cut have the signal
    `session_end`.
    """
    open_segments: OrderedDict[str, list[Turn]] = OrderedDict()
    for turn in turns:
        current = open_segments.setdefault(turn.session_id, [])
        open_segments.move_to_end(turn.session_id)
        done, open_segments[turn.session_id] = _add_turn(current, turn, cutters, ask_empty=False)
        yield from done
        if len(open_segments) > open_sessions:
            yield from _last_segment(*open_segments.popitem(last=False))
    for session_id, rest in open_segments.items():
        yield from _last_segment(session_id, rest)


def cut_waiting(turns: Sequence[Turn], cutters: Sequence[Cutter]) -> tuple[list[Segment], list[Turn]]:
    """Cut the waiting turns of one session; return the segments that a cutter ended, in order, and the turns after the
    last cut, which wait for more. Cutters are asked at each turn, also at the first of a segment.
    """
    done: list[Segment] = []
    open_turns: list[Turn] = []
    for turn in turns:
        found, open_turns = _add_turn(open_turns, turn, cutters, ask_empty=True)
        done += found
    return done, open_turns


def _add_turn(
    open_turns: list[Turn], next_turn: Turn, cutters: Sequence[Cutter], *, ask_empty: bool
) -> tuple[list[Segment], list[Turn]]:
    """Return the segments that the next turn completes, and the turns that are open after it.

    The cutters are asked again after each cut. With `ask_empty` they are asked before a segment's first turn, too, as
    some cut right after that turn; without it they are not.
    """
    done: list[Segment] = []
    while (open_turns or ask_empty) and (found := _first_break(cutters, open_turns, next_turn)):
        joined = [*open_turns, next_turn]
        done.append(Segment(next_turn.session_id, tuple(joined[: found.at]), found.signal))
        if found.at > len(open_turns):
            return done, []
        open_turns = joined[found.at : -1]
    return done, [*open_turns, next_turn]


def _last_segment(session_id: str, turns: list[Turn]) -> Iterator[Segment]:
    """Yield the open turns as the last segment of an ended session; nothing if no turn is open."""
    if turns:
        yield Segment(session_id, tuple(turns), "session_end")


def _first_break(cutters: Sequence[Cutter], open_turns: Sequence[Turn], next_turn: Turn) -> Break | None:
    """Return the cut of the first cutter that wants one, between the open turns and the next if it returns a signal
    alone; None if no cutter wants one.
    """
    for cutter in cutters:
        if cut := cutter(open_turns, next_turn):
            return cut if isinstance(cut, Break) else Break(cut, len(open_turns))
    return None
