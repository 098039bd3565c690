"""A recall and a memory in, where the memory is in it out: position, ranks, state, and the rung that rejected it."""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pellucid.clock import epoch_ms
from pellucid.errors import bare_step
from pellucid.model.entity import FOREVER
from pellucid.model.memory import Memory, unpack_id
from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import ASKED_EDGES, RUNGS, SAID_ALREADY, TELLS_NOTHING
from pellucid.recall.score.repeats import is_carried_along
from pellucid.recall.state import Pool, State
from pellucid.store.index_port import Admission, Filters, IndexReader, MemoryStanding
from pellucid.xray.words.rungs import missing_characters, repeat_in_words

_RESULT = re.compile(r"\[(\d+)\]")
"""The number of a result in a recorded reason, read back from it: a receipt keeps the words alone."""


def position_of(pool: Pool, row: int) -> int | None:
    """Return the pool position of the candidate with this index row; None if no candidate has it."""
    at = np.flatnonzero(pool.rows == row)
    return int(at[0]) if len(at) else None


def rank_in(order: Ints, position: int | None) -> int | None:
    """Return the rank, from 1, of a pool position in the ranking; None if it is None or not ranked."""
    if position is None:
        return None
    at = np.flatnonzero(order == position)
    return int(at[0]) + 1 if len(at) else None


def rung_of(verdicts: NDArray[np.uint8], position: int | None) -> str | None:
    """Return the rung that a column of verdicts has at a pool position: of `rejected` the one that rejected the
    candidate, of `soft` the one that flagged it and let it pass. None if the position is None, or there is no such
    rung.
    """
    number = int(verdicts[position]) if position is not None else 0
    return RUNGS[number - 1] if number else None


def cut_in_words(state: State, memory_id: str) -> str | None:
    """Say how much of a memory the context shows, as `2 of 5 sentences, the whole: …` with the call that shows it; None
    if the context shows all or nothing of it.
    """
    cut = next((each for each in state.context.cuts if each.memory_id == memory_id), None)
    return cut and f"{cut.shown} of {cut.of} sentences, the whole: {bare_step('memory.show', memory_id=memory_id)}"


def omitted_reason(state: State, memory_id: str) -> str | None:
    """Return why the context left a ranked memory out: as recorded, but of a memory that did not fit, how many
    characters of the budget the finished context left. None if no omission is recorded.
    """
    recorded, budget = _recorded_reason(state, memory_id), state.request.settings.char_budget
    if missing_room(state, memory_id) is None:
        return recorded
    return f"did not fit: {max(budget - state.context.length, 0):,} of {budget:,} characters were left"


def reason_in_full(state: State, pool: Pool, position: int, memory: Memory | None) -> str | None:
    """Return why the context left out the candidate at `position`, as `omitted_reason`; of one that a result says in
    full, also that the result scores lower, if it does. Of a passage that tells nothing of what is asked, return
    instead that it lacks the question's key words or, if it has some, that it only says what an agent does next.

    `pool` has the scores; `memory` is the candidate's (None: it is gone, and a passage has the recorded reason).
    """
    memory_id = unpack_id(pool.ids[position])
    reason, included = omitted_reason(state, memory_id), state.context.included
    rung = next((each.rung for each in state.context.omitted if each.memory_id == memory_id), None)
    if reason and rung == SAID_ALREADY and (found := _RESULT.search(reason)) and int(found[1]) <= len(included):
        covering = included[int(found[1]) - 1]
        above = pool.final[position] > pool.final[[unpack_id(raw) for raw in pool.ids].index(covering)]
        return f"{reason}, which scores lower, but says more" if above else reason
    if rung == TELLS_NOTHING and memory is not None and memory.category == "moment":
        held = int(pool.matched[position])
        if any(held >> at & 1 for at in state.plan.telling or state.plan.searched):
            return "it only says what an agent does next"
        return "it holds none of the question's key words, and says little else"
    return reason


def ids_left_out_for_another(state: State) -> list[str]:
    """Return the ids of the memories that a recall left out as repeats of better ones, as sections beside those that
    the edges lead to for which the question asks, or as telling nothing: the reason for each is told from its words.
    """
    repeats = [unpack_id(state.pool.ids[at]) for at in state.repeats]
    return [*repeats, *(each.memory_id for each in state.context.omitted if each.rung in (ASKED_EDGES, TELLS_NOTHING))]


def repeat_reason(
    state: State, pool: Pool, position: int, memory: Memory | None, label: Callable[[str], str] = str
) -> str | None:
    """Say why the candidate at `position` was left out for another: `repeats [4]`; None if it is no recorded repeat.

    `pool` has the scores; `label` names the other memory by its id. A `memory` that is a licence, references or the
    like gives way to any other section of its document: the receipt records the pair and not the reason, which is read
    from the memory (None: it is gone, and counts as a plain repeat).
    """
    better = state.repeats.get(position)
    if better is None:
        return None
    better_id = unpack_id(pool.ids[better])
    bare = memory is not None and is_carried_along(memory)
    above = bool(pool.final[position] > pool.final[better])
    return repeat_in_words(label(better_id), shown=better_id in state.context.included, bare=bare, above=above)


def missing_room(state: State, memory_id: str) -> int | None:
    """Return how many characters more a memory needed than were left when the context was filled; None if the recall
    did not leave it out for the budget, or did not record the number.
    """
    return missing_characters(_recorded_reason(state, memory_id) or "")


def _recorded_reason(state: State, memory_id: str) -> str | None:
    """Return why the context left a memory out, as recorded; None if the recall did not omit it."""
    return next((each.reason for each in state.context.omitted if each.memory_id == memory_id), None)


def rank_in_context(state: State, memory_id: str) -> int | None:
    """Return the rank, from 1, of a memory in the context; None if it is not in the context."""
    included = state.context.included
    return included.index(memory_id) + 1 if memory_id in included else None


def ids_quoting(state: State, memory_id: str) -> tuple[str, ...]:
    """Return the ids of the results whose lines in the context quote words of a memory, in the order of rank."""
    return tuple(by for quoted, by in state.context.quotes if quoted == memory_id)


def standing(memory: Memory) -> MemoryStanding:
    """Return the state of a memory that decides whether it may answer, as the index would store it: active, out of
    quarantine, valid from and until, pinned.

    Instants are epoch milliseconds; a missing beginning is `-FOREVER`, a missing end `FOREVER`. Of two ends the earlier
    counts.
    """
    ends = [epoch_ms(end) for end in (memory.invalid_at, memory.expires_at) if end]
    return MemoryStanding(
        active=memory.status == "active",
        trusted=memory.trust_zone != "quarantine",
        since=epoch_ms(memory.valid_at) if memory.valid_at else -FOREVER,
        until=min(ends, default=FOREVER),
        pinned=memory.pinned,
    )


def rows_of(reader: IndexReader, admission: Admission) -> dict[str, int]:
    """Map the id of every memory of the namespace to its index row, whether or not the `admission` admits it."""
    rows = reader.select(Filters())
    ids = map(unpack_id, reader.columns(rows, admission).ids.tolist())
    return dict(zip(ids, rows.tolist(), strict=True))
