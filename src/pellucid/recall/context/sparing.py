"""Lines of a context in, those that it can spare out: turns that say nothing, and what another line says in full."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, log

import numpy as np

from pellucid.language.substance import is_specific, without_announcement
from pellucid.language.words import carries_meaning
from pellucid.recall.context.builder import ContextBuilder, ContextLine
from pellucid.recall.score.repeats import covered_by_later
from pellucid.recall.state import State, World

Fill = Callable[[Sequence[ContextLine]], ContextBuilder]


def uninformative_turns(state: State, world: World, lines: Sequence[ContextLine]) -> list[ContextLine]:
    """The turns with no word of the question, name, number, path or code, and little else; never the best line."""
    asked = np.uint64(sum(1 << i for i in state.plan.telling))
    return [
        line
        for line in lines
        if line.place
        and line.memory.category == "moment"
        and not line.memory.pinned
        and not state.pool.matched[state.kept[line.place]] & asked
        and not is_specific(line.memory.content)
        and _has_little_content(line.memory.content, state, world)
    ]


def _has_little_content(text: str, state: State, world: World) -> bool:
    """Whether a text's content words are together worth less than one word that only this memory holds."""
    own, rows = without_announcement(text), state.corpus.rows
    terms = world.reader.survey(own, names=False).terms
    telling = {each.stem: each.frequency for each in terms if carries_meaning(own[each.start : each.end].casefold())}
    return fsum(log(1 + rows / (1 + frequency)) for frequency in telling.values()) < log(1 + rows / 2)


def fill_without_repeats(
    fill: Fill, lines: Sequence[ContextLine], firm: Callable[[ContextLine], bool]
) -> tuple[ContextBuilder, list[ContextLine], dict[str, str]]:
    """The context of these lines, without each that another line in it says in full: its characters are for others.

    Returns it, the lines it was made of, and by the id of each line left out the id of the one that covers it. Lines
    that are `firm` stay, as does a line whose covering one would not be there without it.
    """
    context, left = fill(lines), list(lines)
    covered_by, tried = dict[str, str](), set[tuple[str, str]]()
    while pair := next((each for each in _repeats(context, firm) if each not in tried), None):
        tried.add(pair)
        fewer = [line for line in left if line.memory.id != pair[0]]
        without, covering = fill(fewer), {**covered_by, pair[0]: pair[1]}
        whole = {line.memory.id for line in without.lines if not line.cut}
        if all(line_covering(covering, each) in whole for each in covering):
            context, left, covered_by = without, fewer, covering
    return context, left, covered_by


def _repeats(context: ContextBuilder, firm: Callable[[ContextLine], bool]) -> list[tuple[str, str]]:
    """Pairs of memory ids: one that may be left out, and a later one (of the best line: the next) that covers it."""
    ranked = context.ranked
    whole = [line for line in ranked if not line.cut]
    pairs = ((whole[less], whole[more]) for less, more in covered_by_later([line.memory for line in whole]))
    return [
        (less.memory.id, more.memory.id)
        for less, more in pairs
        if not firm(less) and (less is not ranked[0] or more is ranked[1])
    ]


def line_covering(covered_by: Mapping[str, str], memory_id: str) -> str:
    """The id of the line that covers this one, directly or through others, and is not left out itself."""
    while memory_id in covered_by:
        memory_id = covered_by[memory_id]
    return memory_id
