"""A recall that missed a memory in, what trying changes goes by out: who, where it was lost, what was tried."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pellucid.recall.ladder import RUNGS
from pellucid.recall.pipeline import run
from pellucid.recall.state import Request, State, World
from pellucid.settings import RecallSettings
from pellucid.xray.finding import ChangeKind, WhyLeg, WhyTried
from pellucid.xray.pretend import Pretending, Standing


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of what is kept, thought through to its end but not made: who would stand how after it."""

    what: str
    """What of the memory changes, such as `status`."""
    was: str
    to: str
    apply: str
    standings: Mapping[int, Standing] = field(default_factory=dict[int, Standing])
    problem: str = ""
    """Why it cannot be made."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A change in the form of the recall that it leads to."""

    kind: ChangeKind
    setting: str
    was: str
    to: str
    apply: str
    request: Request
    standings: Mapping[int, Standing] = field(default_factory=dict[int, Standing])


@dataclass(frozen=True, slots=True)
class Dial:
    """A whole number that is turned from `low`, which does not admit, as far as `high`."""

    low: int
    high: int
    draft: Callable[[int], Draft]


@dataclass(slots=True)
class Trial:
    """One memory that one recall missed, and what may be tried."""

    world: World
    request: Request
    """As it was asked; the state's may have been narrowed by a gate."""
    state: State
    """The recall as it went, on this world."""
    memory_id: str
    row: int
    stage: str
    """What lost it."""
    legs: tuple[WhyLeg, ...]
    states: Callable[[], Iterable[StateChange]]
    """What could be done to the memory, most natural first."""
    recalls: int = 0
    last: State | None = None
    """The last recall that was run."""
    tried: list[WhyTried] = field(default_factory=list[WhyTried])

    @property
    def settings(self) -> RecallSettings:
        """The settings that the recall went by."""
        return self.state.request.settings

    @property
    def position(self) -> int | None:
        """Its position among the candidates."""
        at = np.flatnonzero(self.state.pool.rows == self.row)
        return int(at[0]) if len(at) else None

    @property
    def place(self) -> int:
        """Its place among all that passed, 0 where it did not."""
        at = np.flatnonzero(self.state.pool.rows[self.state.order] == self.row)
        return int(at[0]) + 1 if len(at) else 0

    @property
    def stopped_by(self) -> str:
        """The rung that turned it away, "" where none did."""
        number = int(self.state.pool.rejected[self.position]) if self.position is not None else 0
        return RUNGS[number - 1] if number else ""

    def run(self, draft: Draft) -> int:
        """The memory's place in the context of the recall with this change; 0 where it is not there."""
        self.recalls += 1
        world = self.world
        if draft.standings:
            world = replace(world, reader=Pretending(world.reader, draft.standings, self.state.corpus.rows))
        self.last = run(draft.request, world)
        included = self.last.context.included
        return included.index(self.memory_id) + 1 if self.memory_id in included else 0

    def with_settings(self, **values: object) -> Request:
        """The request with these settings, as a caller would choose them.

        Raises:
            ValidationError: one is out of range.
        """
        settings = RecallSettings.model_validate(self.request.settings.model_dump() | values)
        return replace(self.request, settings=settings, chosen=self.request.chosen | frozenset(values))
