"""Lines in, a text inside its budget out: which lines, under which headings, with which citations.

A line is put whole or not at all. Its cost does not depend on the order in which lines are put, so the length is known
before anything is written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pellucid.model.memory import Memory
from pellucid.model.snapshot import CutTrace
from pellucid.recall.context.citations import (
    BETWEEN,
    CLOSING,
    OPENING,
    SHORT_ID,
    SOURCES,
    citations_of,
    oai_block,
    plain_line,
    rollout_of,
)
from pellucid.recall.context.text import NOTICE, OTHER_EPISODES, body_of, day_of, end_of_document, mark_of, wrap
from pellucid.recall.state import Omission

SAYS_NOTHING, SAYS_ALL = 30, 150
"""The first characters of a line, which carry no information yet, and how many after them carry more."""
STEEPNESS = 2.5
"""A rank counts as one over itself to this power."""
SHARE = 1 / 3
"""The share of the budget that one memory can take while others wait; a longer one is cut."""
LEAST = 200
"""The fewest characters that a memory is cut down to."""
NEAR = "\n## Near it; not led to by the edges that were asked for"
"""The heading of what is only near, if nothing but edges is asked for."""
Citing = Literal["off", "oai", "plain"]
Group = tuple[str, str]
"""The id of the episode or session that lines belong to ("" for none), and their day."""


@dataclass(frozen=True, slots=True)
class ContextLine:
    """One memory as it would be written in the context; `place` is its rank in the ranking, from 0."""

    memory: Memory
    place: int
    mark: str
    body: str
    group: Group
    cut: CutTrace | None = None
    """How much of the memory is shown; None if all of it."""
    end: str = ""
    """How the document of a section ended, `its document is withdrawn`; empty if it holds."""
    near: bool = False
    """Whether no edge that the query asks for leads to the memory, although it asks for nothing else."""
    sources: frozenset[str] = frozenset()
    """The ids of other memories that the line quotes."""

    @classmethod
    def of(
        cls, memory: Memory, place: int, at: datetime, disputed: Sequence[str] = (), day: str | None = None
    ) -> "ContextLine":
        """Return the line of a memory as it is read at the instant `at`; `place` is its rank, from 0; for `disputed`
        see `mark_of`.

        `day` is the ISO date that its document gives itself; None for the day from which the memory is valid.
        """
        group = (memory.episode_id or memory.session_id or "", day or day_of(memory))
        mark, end = mark_of(memory, at, disputed), end_of_document(memory, at)
        return cls(memory, place, mark, body_of(memory.content), group, end=end)

    @property
    def heading(self) -> str:
        """Return the heading that the line belongs under, without details: that of its day, or `NEAR` if the line is
        only near."""
        if self.near:
            return NEAR
        return f"\n## {self.group[1]}"

    @property
    def text(self) -> str:
        """Return the text of the line: how its document ended, its marks, and its words; before them, if the memory is
        cut, a note with the end of its id."""
        part = f"(in part; whole: {self.memory.id[-SHORT_ID:]}) " if self.cut else ""
        end = f"({self.end}) " if self.end else ""
        return f"{part}{end}{self.mark}{self.body}"

    @property
    def length(self) -> int:
        """Return how many characters the text of the line has."""
        return len(self.text)

    @property
    def density(self) -> float:
        """Estimate what a character of the line adds to an answer: its length less the first `SAYS_NOTHING` characters,
        1 to `SAYS_ALL`, divided by its rank (from 1) to the power of `STEEPNESS` and by its length with a number."""
        informative = min(max(self.length - SAYS_NOTHING, 1), SAYS_ALL)
        return informative / (self.place + 1) ** STEEPNESS / (self.length + len("\n[1] "))


Shorten = Callable[[ContextLine, int], ContextLine | None]
"""Cuts a line to the best passages of its memory in so many characters; None if not even one passage fits."""


class ContextBuilder:
    """A context being put together. `max_lines` is the most lines that will be put: it bounds the width of numbers."""

    def __init__(self, recall_id: str, citing: Citing, max_lines: int, notice: str = NOTICE) -> None:
        """Begin a context of no lines: the fence with this id, `notice` in it; `citing` is the style of citations."""
        self.lines: list[ContextLine] = []
        self._notice = notice
        self.length = len(wrap(recall_id, notice))
        """Characters of the text: exact, but with plain citations a number can be narrower than `max_lines`."""
        self._recall_id, self._citing, self._max_lines = recall_id, citing, max_lines
        self._headings: set[str] = set()
        self._ages: dict[str, str] = {}
        """Maps headings to how long ago their day was."""
        self._details: dict[Group, str] = {}
        self._episodes: list[str] = []
        self._rollouts: dict[str, None] = {}
        self._cites = False

    def cost(self, line: ContextLine) -> int:
        """Return how many characters this line would add to the text: its own, its number, a new heading and its
        citations."""
        heading = 0 if line.heading in self._headings else len(line.heading)
        return len(f"\n[{len(self.lines) + 1}] ") + line.length + heading + self._citing_cost(line.memory)

    def _citing_cost(self, memory: Memory) -> int:
        """Return how many characters citing this memory would add, in the chosen style; 0 without citations."""
        if self._citing == "plain":
            cited = plain_line(self._max_lines, memory)
            return len(cited) + (len(SOURCES) if cited and not self._cites else 0)
        if self._citing == "oai":
            rollout = rollout_of(memory)
            new_rollouts = [rollout] if rollout and rollout not in self._rollouts else []
            cited = oai_block(citations_of(memory), new_rollouts)
            return len(cited) - (len(OPENING + BETWEEN + CLOSING) if cited and self._cites else 0)
        return 0

    def put(self, line: ContextLine) -> None:
        """Add a line under its heading, whether or not it fits, and add its cost to the length."""
        self.length += self.cost(line)
        self.lines.append(line)
        self._headings.add(line.heading)
        rollout = rollout_of(line.memory)
        if self._citing == "oai" and rollout:
            self._rollouts[rollout] = None
        self._cites |= bool(citations_of(line.memory)) or (self._citing == "oai" and rollout is not None)

    def fill(self, lines: Sequence[ContextLine], budget: int, shorten: Shorten = lambda _, __: None) -> None:
        """Put the lines that fit: the best line first, then the others by falling `density`.

        A line longer than the room for it (the characters left; at most a third of the budget if there are several
        lines) is cut by `shorten` to that room, if this is 200 characters or more. What is not cut is put whole if it
        fits, else left out. In the end, the cut lines are lengthened by the characters left over, best first.
        """
        longest = int(budget * SHARE) if len(lines) > 1 else budget
        for line in sorted(lines, key=lambda line: (line.place > 0, -line.density)):
            room = min(longest, budget - self.length - self.cost(line) + line.length)
            short = shorten(line, room) if LEAST <= room < line.length else None
            if short or self.length + self.cost(line) <= budget:
                self.put(short or line)
        whole = {line.place: line for line in lines}
        for at, line in sorted(enumerate(self.lines), key=lambda each: each[1].place):
            room = line.length + budget - self.length
            if line.cut and (longer := shorten(whole[line.place], room)):
                self.length += longer.length - line.length
                self.lines[at] = longer

    def omitted(self, lines: Sequence[ContextLine], budget: int) -> tuple[Omission, ...]:
        """Return an omission for each of these lines that was not put, in their order; its reason says how many
        characters the context would have with the line, and how many `budget` allows."""
        put = {line.place for line in self.lines}
        return tuple(self._omission(line, budget) for line in lines if line.place not in put)

    def _omission(self, line: ContextLine, budget: int) -> Omission:
        """Return the record of a line that does not fit the budget, with a reason such as `needs 912 of 800
        characters`. `xray.words.rungs.missing_characters` reads the two numbers back from it: a receipt keeps nothing
        else."""
        in_part = ", and no passage of it fits" if line.length > LEAST else ""
        return Omission(line.memory.id, f"needs {self.length + self.cost(line)} of {budget} characters{in_part}")

    def describe(
        self, ages: Mapping[str, str], details: Mapping[Group, str], episodes: Iterable[str], budget: int
    ) -> list[int]:
        """Fill what is left of `budget` characters with details of headings, best heading first (none for `NEAR`), then
        with the lines `episodes`; return the indices in `episodes` of the lines put. What does not fit is left out.

        `ages` maps days to how long ago they were, `details` groups to what can be said of them beside the day. Of the
        groups under one heading all are described or none.
        """
        for heading, lines in self._lines_by_heading().items():
            if heading == NEAR:
                continue
            groups, old = _by_group(lines), ages.get(lines[0].group[1], "")
            known = any(details.get(each) for each in groups)
            described = {each: _detail(details.get(each, ""), len(groups)) for each in groups if known}
            needed = len(old) + sum(map(len, described.values()))
            if self.length + needed <= budget:
                self._ages[heading] = old
                self._details |= described
                self.length += needed
        put: list[int] = []
        for number, line in enumerate(episodes):
            needed = self.length + len(line) + (0 if put else len(OTHER_EPISODES))
            if needed <= budget:
                put.append(number)
                self._episodes.append(line)
                self.length = needed
        return put

    @property
    def included(self) -> tuple[str, ...]:
        """Return the ids of the memories that were put, in order of rank."""
        return tuple(line.memory.id for line in self.ranked)

    @property
    def groups(self) -> dict[Group, list[ContextLine]]:
        """Return the lines of each group, in order of rank; the group whose best line has the best rank comes first."""
        return _by_group(self.ranked)

    @property
    def ranked(self) -> list[ContextLine]:
        """Return the lines in order of rank."""
        return sorted(self.lines, key=lambda line: line.place)

    def _lines_by_heading(self) -> dict[str, list[ContextLine]]:
        """Return the lines in order of rank, by heading: the heading with the best line first, the near ones last."""
        out: dict[str, list[ContextLine]] = {}
        for line in sorted(self.lines, key=lambda line: (line.near, line.place)):
            out.setdefault(line.heading, []).append(line)
        return out

    def render(self) -> str:
        """Return the text in its fence: each heading, that of the best line first, with its numbered lines in order of
        rank; under a heading with details, the lines of one group together. Then come episodes and the citations."""
        ranked = self.ranked
        number = {line.place: n for n, line in enumerate(ranked, start=1)}
        body = self._notice
        for heading, lines in self._lines_by_heading().items():
            body += heading + self._ages.get(heading, "")
            described = [*_by_group(lines).values()] if lines[0].group in self._details else [lines]
            for group in described:
                body += self._details.get(group[0].group, "")
                body += "".join(f"\n[{number[line.place]}] {line.text}" for line in group)
        if self._episodes:
            body += OTHER_EPISODES + "".join(self._episodes)
        if self._citing == "plain":
            sources = "".join(plain_line(number[line.place], line.memory) for line in ranked)
            body += SOURCES + sources if sources else ""
        text = wrap(self._recall_id, body)
        return text + self._citation_block(ranked) if self._citing == "oai" else text

    def _citation_block(self, ranked: Sequence[ContextLine]) -> str:
        """Return the `<oai-mem-citation>` block with the citations of these lines in order, and their distinct session
        ids; empty if they have neither."""
        rollouts = dict.fromkeys(name for line in ranked if (name := rollout_of(line.memory)))
        return oai_block((each for line in ranked for each in citations_of(line.memory)), list(rollouts))


def _by_group(lines: Iterable[ContextLine]) -> dict[Group, list[ContextLine]]:
    """Map each group to its lines, in the order given; groups come in the order of their first lines."""
    out: dict[Group, list[ContextLine]] = {}
    for line in lines:
        out.setdefault(line.group, []).append(line)
    return out


def _detail(detail: str, groups: int) -> str:
    """Return the text that describes one group: an addition to its heading if that has this group alone (`groups` is
    1), else a heading of its own below it, `without a session` if `detail` is empty."""
    return f" · {detail}" if groups == 1 else f"\n### {detail or 'without a session'}"
