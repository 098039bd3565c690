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
    """The key of a record that the question itself names: it is no answer, and takes no rank in a ranking."""


@dataclass(frozen=True, slots=True)
class Record:
    """One thing to remember: a turn of a session, or (ordinal 0) a document by itself."""

    key: str
    turn: Turn
    unsaid: int = 0  # characters of the turn that nobody said, such as a picture's caption


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """One memory as it is measured: its text, and the keys of the records it is evidence of.

    `transcribed`: it holds a record's own words (a moment of a turn, a section of a document); a record may have
    several.
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
    """What is imported into one namespace: records to remember, and questions about them."""

    name: str
    records: tuple[Record, ...]
    questions: tuple[LabelledQuestion, ...]
    cited: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What the set says is worth keeping: the keys of records, each with the sentences that cite it."""
    updates: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """Which questions are asked: the `which`-th (from 1) of each `of`, and of these at most `most`, evenly (0: all)."""

    which: int
    of: int
    most: int = 0

    def picked(self, count: int) -> range | list[int]:
        """Return the indices, from 0 and ascending, of the questions that are asked, of `count` ones."""
        share = range(count)[self.which - 1 :: self.of]
        few = self.most and len(share) > self.most
        return [share[number * len(share) // self.most] for number in range(self.most)] if few else share


EVERY = Share(1, 1)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A loaded data set."""

    name: str
    groups: tuple[Group, ...]

    @property
    def questions(self) -> int:
        """The number of questions."""
        return sum(len(group.questions) for group in self.groups)

    def sampled(self, share: Share) -> "Dataset":
        """Return the data set with a share of its questions; the records stay."""
        asked = [(group.name, each.id) for group in self.groups for each in group.questions]
        chosen = {asked[number] for number in share.picked(len(asked))}
        groups = (
            replace(group, questions=tuple(each for each in group.questions if (group.name, each.id) in chosen))
            for group in self.groups
        )
        return replace(self, groups=tuple(groups))
