"""A recall that missed a memory in, the records that trying changes goes by out: what was missed, what may be tried."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pellucid.recall.state import Request, State
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import MemoryStanding
from pellucid.xray.why.finding import ChangeKind, WhyLeg, WhyTried
from pellucid.xray.why.whereabouts import place_in, position_of, rung_of


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of what is kept, thought through to its end but not made: who would stand how after it."""

    what: str
    """What of the memory changes, such as `status`."""
    was: str
    to: str
    apply: str
    standings: Mapping[int, MemoryStanding] = field(default_factory=dict[int, MemoryStanding])
    problem: str = ""
    """Why it cannot be made."""


@dataclass(frozen=True, slots=True)
class TrialChange:
    """A change in the form of the recall that it leads to."""

    kind: ChangeKind
    setting: str
    was: str
    to: str
    apply: str
    request: Request
    standings: Mapping[int, MemoryStanding] = field(default_factory=dict[int, MemoryStanding])


@dataclass(frozen=True, slots=True)
class Dial:
    """A whole number that does not admit at `low`: it is turned up to the first stop that does, then back as far."""

    low: int
    stops: tuple[int, ...]
    """Ascending. One that is out of the setting's range ends them."""
    draft: Callable[[int], TrialChange]


Idea = TrialChange | Dial | WhyTried
"""What may be tried; or what cannot be, and why."""


@dataclass(frozen=True, slots=True)
class Missed:
    """One memory that one recall missed."""

    request: Request
    """As it was asked; the state's may have been narrowed by a gate."""
    state: State
    """The recall as it went."""
    memory_id: str
    row: int
    stage: str
    """What lost it."""
    legs: tuple[WhyLeg, ...]
    states: Callable[[], Iterable[StateChange]]
    """What could be done to the memory, most natural first."""

    @property
    def settings(self) -> RecallSettings:
        """The settings that the recall went by."""
        return self.state.request.settings

    @property
    def position(self) -> int | None:
        """Its position among the candidates."""
        return position_of(self.state.pool, self.row)

    @property
    def place(self) -> int | None:
        """Its place among all that passed."""
        return place_in(self.state.order, self.position)

    @property
    def rung(self) -> str | None:
        """The rung that turned it away."""
        return rung_of(self.state.pool.rejected, self.position)

    def with_settings(self, **values: object) -> Request:
        """The request with these settings, as a caller would choose them.

        Raises:
            ValidationError: one is out of range.
        """
        settings = RecallSettings.model_validate(self.request.settings.model_dump() | values)
        return replace(self.request, settings=settings, chosen=self.request.chosen | frozenset(values))
