"""Statements in, the kept ones of the same frame that cannot hold beside them out: found by words, checked exactly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pellucid.clock import epoch_ms
from pellucid.language.spelling import entity_key
from pellucid.language.statements.clash import Clash, clash, is_kin
from pellucid.language.statements.frames import edges, search_words
from pellucid.language.words import content_words
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.targets import SEARCHED, Found, of
from pellucid.model.memory import CATEGORIES, SOURCE_CLASSES, AssertedBy, Memory
from pellucid.store.index_port import EVERY_SCOPE, Admission, Filters, Index, IndexReader

RANK: dict[AssertedBy, int] = {"inferred": 0, "user": 1, "axiom": 2}
"""Entrenchment: what ranks lower never overrides what ranks higher."""
_FRAMELESS = frozenset({"moment", "section", "procedure", "reasoning_trace"})
"""Categories that hold more than one statement, or somebody's words as they stand."""
_Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Rival:
    """A memory that cannot hold beside a new one, and whether the new one plainly takes its place."""

    of: Found
    plain: bool
    whole: bool = True


@dataclass(slots=True)
class Rivals:
    """The memories that a batch of statements may clash with: those kept, by their words, and those of the batch."""

    index: Index
    changes: ChangeSet
    _kept: dict[str, tuple[Found, ...]] = field(default_factory=dict[str, "tuple[Found, ...]"])
    _fresh: dict[_Edge, list[Memory]] = field(default_factory=dict["_Edge", "list[Memory]"])

    def load(self, memories: Iterable[Memory]) -> None:
        """Look up, in one snapshot for the whole batch, what shares words with each."""
        framed = [each for each in memories if _is_framed(each)]
        if framed:
            with self.index.reading(self.changes.namespace) as reader:
                stating = reader.select(Filters(categories=tuple(set(CATEGORIES) - _FRAMELESS)))
                admission = Admission(epoch_ms(self.changes.clock.now()), stating, granted=EVERY_SCOPE)
                self._kept = {each.id: tuple(_sharing_words(reader, each, admission)) for each in framed}

    def add(self, memory: Memory) -> None:
        """A memory that this operation creates."""
        for edge in edges(memory.content) if _is_framed(memory) else ():
            self._fresh.setdefault(edge, []).append(memory)

    def of(self, memory: Memory) -> list[Rival]:
        """What cannot hold beside a memory. Of a change that may mean several, none is meant, unless names are akin."""
        if not _is_framed(memory) or memory.confidence_tier == "speculative":
            return []
        clashing = [(each, met) for each in self._candidates(memory) if (met := self._clash(each, memory))]
        sure = [Rival(each, plain, met.whole) for each, (met, plain) in clashing if met.strength != "guess"]
        if sure:
            return sure
        guessed = [each for each, _ in clashing]
        akin = [each for each in guessed if is_kin(of(each).content, memory.content)]
        if len(akin) == 1:
            return [Rival(akin[0], _outranks(memory, of(akin[0])))]
        return [Rival(guessed[0], plain=False, whole=False)] if len(guessed) == 1 else []

    def _candidates(self, memory: Memory) -> list[Found]:
        fresh = (each for edge in edges(memory.content) for each in self._fresh.get(edge, []))
        return list({of(each).id: each for each in (*self._kept.get(memory.id, ()), *fresh)}.values())

    def _clash(self, other: Found, memory: Memory) -> tuple[Clash, bool] | None:
        """How the two clash, the later one read as the newer, and whether that one plainly takes the other's place."""
        held = self.changes.now(of(other))
        if not _is_framed(held) or _are_about_two_things(held, memory):
            return None
        older, newer = (held, memory) if since(held) <= since(memory) else (memory, held)
        met = clash(older.content, newer.content)
        return (met, met.strength == "plain" and _outranks(newer, older)) if met else None


def since(memory: Memory) -> datetime:
    """The instant that what a memory says holds from, as far as is known."""
    return memory.valid_at or memory.created


def _sharing_words(reader: IndexReader, memory: Memory, admission: Admission) -> Iterator[Found]:
    """Memories that share words with this one, found by BM25, the best first."""
    known = {term.stem: term.frequency for term in reader.survey(search_words(memory.content)).terms}
    stems = [stem for stem, frequency in known.items() if frequency]
    if stems:
        yield from reader.memories(reader.lexical(stems, admission, SEARCHED, 0).rows)


def _is_framed(memory: Memory) -> bool:
    return memory.category not in _FRAMELESS and bool(edges(memory.content))


def _outranks(newer: Memory, older: Memory) -> bool:
    """Whether the newer is of the same or of a higher voice; of two that are inferred, whose source is no worse."""
    mine, theirs = RANK[newer.asserted_by], RANK[older.asserted_by]
    if mine != theirs or mine:
        return mine >= theirs
    return _doubt(newer) <= _doubt(older)


def _doubt(memory: Memory) -> int:
    return SOURCE_CLASSES.index(memory.source_class) if memory.source_class else -1


def _are_about_two_things(one: Memory, other: Memory) -> bool:
    """Whether they are filed under two things, one of which its own words do not name: of which each then speaks."""
    refs = [entity_key(each.entity_ref or "") for each in (one, other)]
    if not all(refs) or refs[0] == refs[1]:
        return False
    said: Sequence[set[str]] = [set(content_words(each.content)) for each in (one, other)]
    return any(not set(ref.split("-")) & words for ref, words in zip(refs, said, strict=True))
