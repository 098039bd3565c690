"""The counts of an intake, and the sum of several intakes' counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from pellucid.model.memory import Moment


@dataclass(slots=True)
class IntakeTally:
    """Counts of what an intake has taken and made so far."""

    memories: int = 0
    episodes: int = 0
    passages: int = 0
    passages_in_quarantine: int = 0
    turns: int = 0
    characters_in: int = 0
    characters_out: int = 0
    overtaken: int = 0
    """Turns that another import, or another file of the same import, took in the meantime."""
    forgotten: int = 0
    """Turns that were left out because they were forgotten."""
    encoder_problem: str = ""
    verdicts: Counter[str] = field(default_factory=Counter[str])
    unkept: Counter[str] = field(default_factory=Counter[str])
    """Statements that became no observation, by reason; `why` explains each."""
    operations: list[str] = field(default_factory=list[str])
    """The ids of the committed operations, in their order."""

    def count_passages(self, moments: Sequence[Moment]) -> None:
        """Count passages that were kept, and those that begin in quarantine: doubted ones, and a tool's, as
        `vault.markdown` files them."""
        self.passages += len(moments)
        self.passages_in_quarantine += sum(each.role == "tool" or each.trust_zone == "quarantine" for each in moments)


def sum_tallies(tallies: Iterable[IntakeTally]) -> IntakeTally:
    """Return the sum of several tallies, with the last of their encoder problems; an empty tally if there are none."""
    total = IntakeTally()
    for tally in tallies:
        for name in {each.name for each in fields(IntakeTally)} - {"encoder_problem"}:
            setattr(total, name, getattr(total, name) + getattr(tally, name))
        total.encoder_problem = tally.encoder_problem or total.encoder_problem
    return total
