"""Turns in, segments out: a session's stream cut where its cutters say so, one open segment a session."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pellucid.model.turn import FlushSignal, Segment, Turn


@dataclass(frozen=True, slots=True)
class Break:
    """Where to cut the held turns and the coming one: `at` of them, 1 or more, go before the cut."""

    signal: FlushSignal
    at: int


Cutter = Callable[[Sequence[Turn], Turn], FlushSignal | Break | None]
"""Given the turns of an open segment and the next turn, why to cut, or None; a bare signal cuts between them."""

OPEN_SESSIONS = 64


def time_gap(gap: timedelta = timedelta(minutes=30)) -> Cutter:
    """A cutter before a turn that comes more than `gap` after the last one whose time is known."""

    def cut(held: Sequence[Turn], coming: Turn) -> FlushSignal | None:
        last = next((turn.at for turn in reversed(held) if turn.at), None)
        return "time_elapsed" if last and coming.at and coming.at - last > gap else None

    return cut


LONG_TASKS = 4
"""How many times longer a segment may be whose agent is still at work."""


def turn_count(count: int = 40) -> Cutter:
    """Cuts before a segment would hold more than `count` turns; where tools are used, when a person speaks again.

    What an agent concludes stands at the end of its work: a cut in the middle would part it from what it is about.
    """

    def cut(held: Sequence[Turn], coming: Turn) -> FlushSignal | None:
        if len(held) < count:
            return None
        at_work = coming.role != "user" and len(held) < LONG_TASKS * count and any(t.role == "tool" for t in held)
        return None if at_work else "turn_count"

    return cut


def full(count: int) -> Cutter:
    """A cutter behind the turn with which a segment holds `count`: as `turn_count`, without waiting for the next."""

    def cut(held: Sequence[Turn], coming: Turn) -> Break | None:  # noqa: ARG001  # a cutter's shape
        return Break("turn_count", len(held) + 1) if len(held) + 1 >= count else None

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
        done, held[turn.session_id] = _add_turn(current, turn, cutters, ask_empty=False)
        yield from done
        if len(held) > open_sessions:
            yield from _last_segment(*held.popitem(last=False))
    for session_id, rest in held.items():
        yield from _last_segment(session_id, rest)


def cut_waiting(turns: Sequence[Turn], cutters: Sequence[Cutter]) -> tuple[list[Segment], list[Turn]]:
    """Cut the waiting turns of one session: the segments that are complete, and the turns that still wait.

    A pure function of the turns, so that whoever looks at the same turns again cuts them alike.
    """
    done: list[Segment] = []
    held: list[Turn] = []
    for turn in turns:
        found, held = _add_turn(held, turn, cutters, ask_empty=True)
        done += found
    return done, held


def _add_turn(
    held: list[Turn], coming: Turn, cutters: Sequence[Cutter], *, ask_empty: bool
) -> tuple[list[Segment], list[Turn]]:
    """The segments that end with the coming turn's arrival, and what is open afterwards, that turn included.

    `ask_empty`: cutters are asked before the first turn, too, for some cut behind the coming turn.
    """
    done: list[Segment] = []
    while (held or ask_empty) and (found := _first_break(cutters, held, coming)):
        joined = [*held, coming]
        done.append(Segment(coming.session_id, tuple(joined[: found.at]), found.signal))
        if found.at > len(held):
            return done, []
        held = joined[found.at : -1]
    return done, [*held, coming]


def _last_segment(session_id: str, turns: list[Turn]) -> Iterator[Segment]:
    if turns:
        yield Segment(session_id, tuple(turns), "session_end")


def _first_break(cutters: Sequence[Cutter], held: Sequence[Turn], coming: Turn) -> Break | None:
    found: FlushSignal | Break | None = next((said for cutter in cutters if (said := cutter(held, coming))), None)
    return found if found is None or isinstance(found, Break) else Break(found, len(held))
