"""A recall and one memory of it in, where that came out: its position in the pool, its places, what turned it away."""

import numpy as np
from numpy.typing import NDArray

from pellucid.recall.score.equation import Ints
from pellucid.recall.score.ladder import RUNGS
from pellucid.recall.state import Pool, State


def position_of(pool: Pool, row: int) -> int | None:
    """The position of a row among the candidates; None where it is none."""
    at = np.flatnonzero(pool.rows == row)
    return int(at[0]) if len(at) else None


def place_in(order: Ints, position: int | None) -> int | None:
    """The place, from 1, of a candidate (a pool position) in the ranking; None where it is not in it."""
    if position is None:
        return None
    at = np.flatnonzero(order == position)
    return int(at[0]) + 1 if len(at) else None


def rung_of(verdicts: NDArray[np.uint8], position: int | None) -> str | None:
    """The rung that a column of verdicts (`rejected` or `soft`) names for a candidate; None where it names none."""
    number = int(verdicts[position]) if position is not None else 0
    return RUNGS[number - 1] if number else None


def cut_in_words(state: State, memory_id: str) -> str | None:
    """How much of a memory the context tells; None where it is all, or not there."""
    found = next((each for each in state.context.cuts if each.memory_id == memory_id), None)
    return found and f"{found.shown} of {found.of} sentences, the whole: pellucid show {memory_id}"


def context_place(state: State, memory_id: str) -> int | None:
    """The place of a memory in the context; None where it is not there."""
    included = state.context.included
    return included.index(memory_id) + 1 if memory_id in included else None
