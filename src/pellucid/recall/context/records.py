"""The records of an assembled context: its text, what is in it and left out, what is cut, what each model pass did."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Omission:
    """A ranked memory that was left out of the context, and why."""

    memory_id: str
    reason: str
    rung: str = "budget-fit"


@dataclass(frozen=True, slots=True)
class NamedEpisode:
    """An episode that the context names although none of its memories is in the context."""

    episode_id: str
    score: float
    """Comes from its best candidates, or from its topic if it has no candidate; see `recall.context.episodes`."""
    matches: int
    """How many of its session's memories passed every filter; 0 if only its topic answers."""


@dataclass(frozen=True, slots=True)
class CutMemory:
    """A memory of which the context shows only the best passages."""

    memory_id: str
    shown: int
    """How many of its sentences (or list items, or blocks of code) are shown."""
    of: int
    """How many of these the memory has."""


@dataclass(frozen=True, slots=True)
class PassReport:
    """The changes that one pass by a model made to the context: ids and counts, without the text of a memory."""

    name: str
    note: str = ""
    """Why the pass changed nothing: the model could not be asked, or its answer was rejected."""
    removed: tuple[str, ...] = ()
    rephrased: tuple[str, ...] = ()
    before: int = 0
    """Characters of the rephrased memories before the pass."""
    after: int = 0
    """Characters of their new wordings."""


@dataclass(frozen=True, slots=True)
class Context:
    """The assembled text (absent in a receipt), its length in characters, and what is in it."""

    text: str = ""
    length: int = 0
    included: tuple[str, ...] = ()
    omitted: tuple[Omission, ...] = ()
    cuts: tuple[CutMemory, ...] = ()
    episodes: tuple[NamedEpisode, ...] = ()
    passes: tuple[PassReport, ...] = ()
