"""A recall that missed a memory in, the records that trying changes goes by out: what was missed, what may be tried."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pellucid.recall.state import Request, State
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import MemoryStanding
from pellucid.xray.why.finding import ChangeKind, WhyLeg, WhyTried
from pellucid.xray.why.whereabouts import position_of, rank_in, rung_of


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of stored memories that was worked out but not made; `standings` are their states after it, by row."""

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
    """A change to try, as the request (and the states of memories, by row) that it leads to."""

    kind: ChangeKind
    setting: str
    was: str
    to: str
    apply: str
    request: Request
    standings: Mapping[int, MemoryStanding] = field(default_factory=dict[int, MemoryStanding])


@dataclass(frozen=True, slots=True)
class NumberSearch:
    """A search for the least value of a setting that admits the memory: `low` does not, `stops` are tried in turn."""

    low: int
    stops: tuple[int, ...]
    """Ascending; the search ends at one that is out of the setting's range."""
    draft: Callable[[int], TrialChange]
    """The change that sets a value."""


Attempt = TrialChange | NumberSearch | WhyTried
"""What may be tried; or what cannot be, and why."""


@dataclass(frozen=True, slots=True)
class MissedMemory:
    """A memory that a recall did not put into its context."""

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
        """The settings that the recall ran with."""
        return self.state.request.settings

    @property
    def position(self) -> int | None:
        """The memory's pool position; None if it was no candidate."""
        return position_of(self.state.pool, self.row)

    @property
    def place(self) -> int | None:
        """The memory's rank in the ranking, from 1; None where it is not ranked."""
        return rank_in(self.state.order, self.position)

    @property
    def rung(self) -> str | None:
        """The rung that rejected the memory; None if none did."""
        return rung_of(self.state.pool.rejected, self.position)

    def with_settings(self, **values: object) -> Request:
        """The request with these settings changed, as if the caller had chosen them.

        Raises:
            ValidationError: one is out of range.
        """
        settings = RecallSettings.model_validate(self.request.settings.model_dump() | values)
        return replace(self.request, settings=settings, chosen=self.request.chosen | frozenset(values))
