"""What an intake has taken so far, and what several have taken together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class IntakeTally:
    """What an intake has taken so far."""

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


def together(tallies: Iterable[IntakeTally]) -> IntakeTally:
    """What several intakes have taken."""
    out = IntakeTally()
    for each in tallies:
        for name in ("memories", "episodes", "passages", "turns", "characters_in", "characters_out", "overtaken"):
            setattr(out, name, getattr(out, name) + getattr(each, name))
        out.operations += each.operations
        out.forgotten += each.forgotten
        out.encoder_problem = each.encoder_problem or out.encoder_problem
        out.verdicts.update(each.verdicts)
        out.unkept.update(each.unkept)
    return out
