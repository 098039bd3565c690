"""A data set's files in, groups of records and labelled questions out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pellucid.model.turn import Turn


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """One labelled query: the keys of relevant records with their grades; `kind` is the set's own class of question."""

    id: str
    text: str
    relevant: Mapping[str, int]
    kind: str = ""
    about: str = ""
    """The key of a record that the question itself names: it is not an answer, and takes no rank in a ranking."""


@dataclass(frozen=True, slots=True)
class Record:
    """One thing to remember: a turn of a session, or (ordinal 0) a document by itself."""

    key: str
    turn: Turn
    unsaid: int = 0  # characters of the turn that nobody said, such as a picture's caption


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """One memory as it is measured: its text, and the keys of the records that it is evidence of.

    `transcribed`: whether it has a record's own words (a moment of a turn, a section of a document); several memories
    can have words of one record.
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
    """The content of one namespace: records to remember, and questions about them."""

    name: str
    records: tuple[Record, ...]
    questions: tuple[LabelledQuestion, ...]
    cited: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Maps the keys of records that the set calls worth keeping to the sentences that cite them."""
    updates: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """A share of questions: the `which`-th (from 1) of each `of`, and of these at most `max_count`, evenly (0: all)."""

    which: int
    of: int
    max_count: int = 0

    def picked(self, count: int) -> range | list[int]:
        """Return the indices, from 0 and rising, of this share of `count` questions: the `which`-th of each `of`; of
        these at most `max_count`, spread evenly, or all if that is 0.
        """
        share = range(count)[self.which - 1 :: self.of]
        if not 0 < self.max_count < len(share):
            return share
        return [share[number * len(share) // self.max_count] for number in range(self.max_count)]


EVERY = Share(1, 1)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A loaded data set."""

    name: str
    groups: tuple[Group, ...]

    @property
    def questions(self) -> int:
        """The number of questions of all groups together."""
        return sum(len(group.questions) for group in self.groups)

    def sampled(self, share: Share) -> "Dataset":
        """Return the data set with all its records, but only a share of its questions, which are counted through all
        groups. Groups without a question left stay.
        """
        asked = [(group.name, each.id) for group in self.groups for each in group.questions]
        chosen = {asked[number] for number in share.picked(len(asked))}
        groups = (
            replace(group, questions=tuple(each for each in group.questions if (group.name, each.id) in chosen))
            for group in self.groups
        )
        return replace(self, groups=tuple(groups))
