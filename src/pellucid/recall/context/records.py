"""Nothing in, the records of an assembled context out: the episodes it names, what is cut, what each model pass did."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedEpisode:
    """An episode that the context names although none of its memories is in it."""

    episode_id: str
    score: float
    """By its best candidates, or by its topic where it has none; see `recall.context.episodes`."""
    matches: int
    """How many of its session's memories passed every filter; 0 where its topic alone answers."""


@dataclass(frozen=True, slots=True)
class CutMemory:
    """A memory of which the context shows only the best passages."""

    memory_id: str
    shown: int
    """Sentences (items of a list, blocks of code) that are shown."""
    of: int
    """All it has."""


@dataclass(frozen=True, slots=True)
class PassReport:
    """What one pass by a model did to the context: ids and counts, no text of a memory."""

    name: str
    note: str = ""
    """Why it changed nothing: the model could not be asked, or its answer was rejected."""
    removed: tuple[str, ...] = ()
    rephrased: tuple[str, ...] = ()
    before: int = 0
    """Characters of the memories it rephrased."""
    after: int = 0
    """Characters of its new wordings."""
