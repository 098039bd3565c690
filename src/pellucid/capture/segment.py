"""Turns in, segments out: a session's stream cut where its cutters say so, one open segment a session."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta

from pellucid.model.turn import FlushSignal, Segment, Turn

Cutter = Callable[[Sequence[Turn], Turn], FlushSignal | None]
"""Given the turns of an open segment and the next turn, why to cut between them, or None."""

OPEN_SESSIONS = 64


def time_gap(gap: timedelta = timedelta(minutes=30)) -> Cutter:
    """Cuts where more than `gap` passed since the last turn whose time is known."""

    def cut(held: Sequence[Turn], coming: Turn) -> FlushSignal | None:
        last = next((turn.at for turn in reversed(held) if turn.at), None)
        return "time-elapsed" if last and coming.at and coming.at - last > gap else None

    return cut


def turn_count(count: int = 40) -> Cutter:
    """Cuts before a segment would hold more than `count` turns."""

    def cut(held: Sequence[Turn], coming: Turn) -> FlushSignal | None:  # noqa: ARG001  # a cutter's shape
        return "turn-count" if len(held) >= count else None

    return cut


DEFAULT_CUTTERS: tuple[Cutter, ...] = (time_gap(), turn_count())


def segments(
    turns: Iterable[Turn], cutters: Sequence[Cutter] = DEFAULT_CUTTERS, *, open_sessions: int = OPEN_SESSIONS
) -> Iterator[Segment]:
    """Group turns by session and cut them; the first cutter that speaks names the signal.

    Sessions may interleave. At most `open_sessions` stay open: beyond that the one silent for longest is flushed as
    ended, so that memory does not grow with the file. What is open at the end is flushed, oldest first.
    """
    held: OrderedDict[str, list[Turn]] = OrderedDict()
    for turn in turns:
        current = held.setdefault(turn.session_id, [])
        held.move_to_end(turn.session_id)
        if current and (signal := _first_signal(cutters, current, turn)):
            yield Segment(turn.session_id, tuple(current), signal)
            current.clear()
        current.append(turn)
        if len(held) > open_sessions:
            yield _ended(*held.popitem(last=False))
    for session_id, rest in held.items():
        yield _ended(session_id, rest)


def _ended(session_id: str, turns: list[Turn]) -> Segment:
    return Segment(session_id, tuple(turns), "session-end")


def _first_signal(cutters: Sequence[Cutter], held: Sequence[Turn], coming: Turn) -> FlushSignal | None:
    return next((signal for cutter in cutters if (signal := cutter(held, coming))), None)
