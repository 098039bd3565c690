"""What an intake has taken so far, and what several have taken together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields


@dataclass(slots=True)
class IntakeTally:
    """Counts of what an intake has taken and made so far."""

    memories: int = 0
    episodes: int = 0
    passages: int = 0
    turns: int = 0
    characters_in: int = 0
    characters_out: int = 0
    overtaken: int = 0
    """Turns that another import, or another file of this one, took while this one was reading."""
    forgotten: int = 0
    """Turns that were left out because what they said was forgotten."""
    encoder_problem: str = ""
    verdicts: Counter[str] = field(default_factory=Counter[str])
    unkept: Counter[str] = field(default_factory=Counter[str])
    """Statements of which nothing was made, by reason; `why` answers of each."""
    operations: list[str] = field(default_factory=list[str])
    """What was committed, in its order."""


def sum_tallies(tallies: Iterable[IntakeTally]) -> IntakeTally:
    """Return the sum of several tallies, an empty one for none; of their encoder problems the last."""
    total = IntakeTally()
    for tally in tallies:
        for name in {each.name for each in fields(IntakeTally)} - {"encoder_problem"}:
            setattr(total, name, getattr(total, name) + getattr(tally, name))
        total.encoder_problem = tally.encoder_problem or total.encoder_problem
    return total
