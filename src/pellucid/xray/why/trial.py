"""The records for trying changes on a recall that missed a memory: what was missed, and the changes to try."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pellucid.recall.state import Request, State
from pellucid.settings.sections import RecallSettings
from pellucid.store.index_port import MemoryStanding
from pellucid.xray.whereabouts import position_of, rank_in, rung_of
from pellucid.xray.why.finding import ChangeKind, WhyLeg, WhyTried


@dataclass(frozen=True, slots=True)
class StateChange:
    """A possible change of stored memories; `standings` maps index rows to their states after the change."""

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
    """A change to try: the request, and the states of memories by index row, that it leads to."""

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
"""A change or search to try, or the record of a change that cannot be tried."""


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
    """The stage or rung that lost it."""
    legs: tuple[WhyLeg, ...]
    states: Callable[[], Iterable[StateChange]]
    """Returns the possible changes of the memory's state, most natural first."""

    @property
    def settings(self) -> RecallSettings:
        """The settings that the recall ran with."""
        return self.state.request.settings

    @property
    def position(self) -> int | None:
        """The memory's position in the pool; None if it was not a candidate."""
        return position_of(self.state.pool, self.row)

    @property
    def place(self) -> int | None:
        """The memory's rank in the ranking, from 1; None if it is not ranked."""
        return rank_in(self.state.order, self.position)

    @property
    def rung(self) -> str | None:
        """The rung that rejected the memory; None if no rung did."""
        return rung_of(self.state.pool.rejected, self.position)

    def with_settings(self, **values: object) -> Request:
        """Return the request with these settings changed, as if the caller had chosen them.

        Raises:
            ValidationError: a value is out of range.
        """
        settings = RecallSettings.model_validate(self.request.settings.model_dump() | values)
        return replace(self.request, settings=settings, chosen=self.request.chosen | frozenset(values))
