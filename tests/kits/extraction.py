"""Spoken lines in, judged observations out: the little wiring that the tests of this room share."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.segment import segments
from pellucid.model.observation import MemoryObservation
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.pipeline import observe
from pellucid.settings.sections import CaptureSettings

EXAMPLES = Path(__file__).parents[2] / "examples" / "sessions"
THURSDAY = datetime(2026, 4, 23, 15, 0, tzinfo=UTC)


@dataclass
class FixedClock:
    """Thursday afternoon for ever; ids count up."""

    numbers: Iterable[int] = field(default_factory=lambda: count(1))

    def now(self) -> datetime:
        return THURSDAY

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{next(iter(self.numbers)):032x}"


def segment(*turns: Turn) -> Segment:
    return Segment("s", turns, "session_end")


def said(content: str, ordinal: int = 1, *, role: str = "user", speaker: str | None = None, **more: object) -> Turn:
    return Turn("s", ordinal, role, content, **{"at": THURSDAY, "speaker": speaker, **more})  # type: ignore[arg-type]


def judged(given: Segment) -> list[MemoryObservation]:
    return observe(given, HeuristicExtractor(), HeuristicJudge(), FixedClock())


def accepted(given: Segment) -> list[MemoryObservation]:
    return [observation for observation in judged(given) if observation.judge_accepted]


def accepted_of(content: str, **more: object) -> list[MemoryObservation]:
    """What is kept of one turn alone."""
    return accepted(segment(said(content, **more)))  # type: ignore[arg-type]


def example_turns(name: str) -> list[Turn]:
    return list(read([EXAMPLES / name], CaptureSettings(), CaptureReport()))


def example(name: str) -> list[MemoryObservation]:
    """Everything the pipeline says of an example session, cut into segments as an import would cut it."""
    return [observation for part in segments(example_turns(name)) for observation in judged(part)]
