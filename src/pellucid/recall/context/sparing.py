"""Lines of a context in, those that can be left out out: turns that say nothing, and what another line says in full."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, log

import numpy as np

from pellucid.language.substance import is_narration, is_specific, without_announcement
from pellucid.language.words import carries_meaning
from pellucid.model.entity import node_key
from pellucid.recall.context.abstain import says_unknown
from pellucid.recall.context.builder import ContextBuilder, ContextLine
from pellucid.recall.query.entities import names_in
from pellucid.recall.score.repeats import covered_by_later, is_bare, sought
from pellucid.recall.state import State, World

Fill = Callable[[Sequence[ContextLine]], ContextBuilder]


def uninformative_lines(state: State, world: World, lines: Sequence[ContextLine]) -> list[ContextLine]:
    """Return the lines that tell nothing of what is asked, in order.

    These are turns in which an agent only says what it does next; turns that contain no content word of the question
    and no name, number, path or code, and say little else; licences, references and the like that nobody asked for;
    and, if a named document is not known, headers of other documents that do not mention it. The best line of the
    ranking is among them only as such a header or such a turn of an agent; a pinned memory never is. If all lines would
    be, the first stays, unless a named document is not known.
    """
    telling = np.uint64(sum(1 << i for i in state.plan.telling))
    asked, stems = sought(state, world)
    names = {node_key(name) for name in (*names_in(state.plan.text), *state.plan.entities)}
    unknown, is_answer = says_unknown(state), state.pool.answering(state.plan)

    def tells_nothing(line: ContextLine) -> bool:
        """Whether a line tells nothing of what is asked, as `uninformative_lines` defines it."""
        memory, at = line.memory, int(state.kept[line.place])
        if memory.pinned:
            return False
        if memory.source_class == "assistant_output" and memory.category == "moment" and is_narration(memory.content):
            return True
        if memory.category == "section":
            if unknown and state.pool.ordinal[at] == 0 and node_key(memory.entity_ref or "") not in names:
                return not any(name.casefold() in memory.content.casefold() for name in state.plan.unknown)
            return bool(line.place) and not is_answer[at] and is_bare(memory, asked, stems)
        return (
            memory.category == "moment"
            and bool(line.place)
            and not state.pool.matched[at] & telling
            and not is_specific(memory.content)
            and _has_little_content(memory.content, state, world)
        )

    silent = [line for line in lines if tells_nothing(line)]
    return silent if unknown or len(silent) < len(lines) else silent[1:]


def _has_little_content(text: str, state: State, world: World) -> bool:
    """Whether a text's content words are together worth less than one word that only this memory contains; a word is
    worth log(1 + N/(1 + df)). A last sentence that ends with a colon does not count."""
    own, rows = without_announcement(text), state.corpus.rows
    terms = world.reader.survey(own, names=False).terms
    telling = {each.stem: each.frequency for each in terms if carries_meaning(own[each.start : each.end].casefold())}
    return fsum(log(1 + rows / (1 + frequency)) for frequency in telling.values()) < log(1 + rows / 2)


def fill_without_repeats(
    fill: Fill, lines: Sequence[ContextLine], must_stay: Callable[[ContextLine], bool]
) -> tuple[ContextBuilder, list[ContextLine], dict[str, str]]:
    """Return the context that `fill` makes of these lines, without each line that another in it says in full, so that
    others get its characters.

    Also returns the lines that the context was made of, and a map from the id of each line left out to the id of the
    line that covers it. Lines for which `must_stay` holds stay, and so does a line if leaving it out would not leave
    the line that covers it whole in the context.
    """
    context, left = fill(lines), list(lines)
    covered_by, tried = dict[str, str](), set[tuple[str, str]]()
    while pair := next((each for each in _pairs_to_spare(context, must_stay) if each not in tried), None):
        tried.add(pair)
        fewer = [line for line in left if line.memory.id != pair[0]]
        without, covered = fill(fewer), {**covered_by, pair[0]: pair[1]}
        whole = {line.memory.id for line in without.lines if not line.cut}
        if all(line_covering(covered, each) in whole for each in covered):
            context, left, covered_by = without, fewer, covered
    return context, left, covered_by


def _pairs_to_spare(context: ContextBuilder, must_stay: Callable[[ContextLine], bool]) -> list[tuple[str, str]]:
    """Return pairs of memory ids, each of a line that can be left out and of a line of lower rank that shares a turn
    with it and says all of it (`covered_by_later`).

    Lines for which `must_stay` holds cannot be left out. The best line is only paired with the next in rank. A cut line
    is in no pair."""
    ranked = context.ranked
    whole = [line for line in ranked if not line.cut]
    pairs = ((whole[less], whole[more]) for less, more in covered_by_later([line.memory for line in whole]))
    return [
        (less.memory.id, more.memory.id)
        for less, more in pairs
        if not must_stay(less) and (less is not ranked[0] or more is ranked[1])
    ]


def line_covering(covered_by: Mapping[str, str], memory_id: str) -> str:
    """Return the id of the line that covers this one, directly or through others, and is not left out itself; the id
    given if none covers it. `covered_by` maps the ids of lines left out to those of lines that cover them."""
    while memory_id in covered_by:
        memory_id = covered_by[memory_id]
    return memory_id
