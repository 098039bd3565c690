"""A data set's files in, groups of records and labelled questions out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pellucid.model.turn import Turn


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """One labelled query: the keys of the records that answer it, with their grade; `kind` is the set's own class."""

    id: str
    text: str
    relevant: Mapping[str, int]
    kind: str = ""
    at: datetime | None = None
    about: str = ""
    """The key of a record that the question itself names: it is no answer, and takes no place in a ranking."""


@dataclass(frozen=True, slots=True)
class Record:
    """One thing to remember: a turn of a session, or (ordinal 0) a document by itself."""

    key: str
    turn: Turn
    unsaid: int = 0
    """Characters of the turn that nobody said, such as a picture's caption."""


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """One memory as it is measured: its text, and the keys of the records that are evidence of it.

    `transcribed`: it holds a record's own words (a moment of a turn, a section of a document), and a record may have
    several such.
    """

    text: str
    keys: tuple[str, ...]
    transcribed: bool = False


@dataclass(frozen=True, slots=True)
class Update:
    """A fact that changed: a question about it, the keys of the records that state it first, and of the later ones."""

    question: LabelledQuestion
    older: tuple[str, ...]
    newer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """One namespace's worth: what is remembered, and what is asked of it."""

    name: str
    records: tuple[Record, ...]
    questions: tuple[LabelledQuestion, ...]
    cited: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What the set says is worth keeping: the keys of records, each with the sentences that cite it."""
    updates: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """One question of so many is asked: number `which` of each `of` in the order of the set, from 1.

    `most`: of these so many at most, spread evenly; 0 for all.
    """

    which: int
    of: int
    most: int = 0

    def picked(self, count: int) -> range | list[int]:
        """The numbers of the questions that are asked, of so many, from 0."""
        share = range(count)[self.which - 1 :: self.of]
        few = self.most and len(share) > self.most
        return [share[number * len(share) // self.most] for number in range(self.most)] if few else share


EVERY = Share(1, 1)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A loaded set."""

    name: str
    groups: tuple[Group, ...]

    @property
    def questions(self) -> int:
        """How many questions are asked in all."""
        return sum(len(group.questions) for group in self.groups)

    def sampled(self, share: Share) -> "Dataset":
        """The same set with a share of its questions; what is remembered stays whole."""
        asked = [(group.name, each.id) for group in self.groups for each in group.questions]
        chosen = {asked[number] for number in share.picked(len(asked))}
        groups = (
            replace(group, questions=tuple(each for each in group.questions if (group.name, each.id) in chosen))
            for group in self.groups
        )
        return replace(self, groups=tuple(groups))
