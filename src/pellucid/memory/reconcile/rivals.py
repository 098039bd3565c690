"""Statements in, the kept ones of the same frame that cannot hold beside them out: found by words, checked exactly."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pellucid.clock import epoch_ms
from pellucid.language.spelling import entity_key
from pellucid.language.statements.clash import Clash, clash, have_akin_names
from pellucid.language.statements.frames import clash_keys, search_words
from pellucid.language.words import content_words
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.targets import Found, memory_of, search_hits
from pellucid.model.memory import CATEGORIES, SOURCE_CLASSES, AssertedBy, Memory, SourceClass
from pellucid.store.index_port import EVERY_SCOPE, Admission, Filters, Index

RANK: dict[AssertedBy, int] = {"inferred": 0, "user": 1, "axiom": 2}
"""Entrenchment: what ranks lower never overrides what ranks higher."""
_FRAMELESS = frozenset({"moment", "section", "procedure", "reasoning_trace"})
"""Categories that hold more than one statement, or somebody's words as they stand."""
_ClashKey = tuple[str, str]


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
    _fresh: dict[_ClashKey, list[Memory]] = field(default_factory=dict["_ClashKey", "list[Memory]"])

    def load(self, memories: Iterable[Memory]) -> None:
        """Look up, in one snapshot for the whole batch, the kept memories that share words with each of these."""
        framed = [each for each in memories if _is_framed(each)]
        if framed:
            with self.index.reading(self.changes.namespace) as reader:
                stating = reader.select(Filters(categories=tuple(set(CATEGORIES) - _FRAMELESS)))
                admission = Admission(epoch_ms(self.changes.clock.now()), stating, granted=EVERY_SCOPE)
                queries = {each.id: search_words(each.content) for each in framed}
                self._kept = {key: tuple(search_hits(reader, query, admission)) for key, query in queries.items()}

    def add(self, memory: Memory) -> None:
        """Add a memory that this operation creates, so that the next ones of the batch are compared with it."""
        for key in clash_keys(memory.content) if _is_framed(memory) else ():
            self._fresh.setdefault(key, []).append(memory)

    def clashing_with(self, memory: Memory) -> list[Rival]:
        """The memories that cannot hold beside this one.

        Where it tells of a change that may mean several, none is meant, unless just one has a name akin to its.
        """
        if not _is_framed(memory) or memory.confidence_tier == "speculative":
            return []
        clashing = [(each, found) for each in self._candidates(memory) if (found := self._clash(each, memory))]
        sure = [Rival(each, plain, how.whole) for each, (how, plain) in clashing if how.strength != "guess"]
        if sure:
            return sure
        guessed = [each for each, _ in clashing]
        akin = [each for each in guessed if have_akin_names(memory_of(each).content, memory.content)]
        if len(akin) == 1:
            return [Rival(akin[0], _outranks(memory, memory_of(akin[0])))]
        return [Rival(guessed[0], plain=False, whole=False)] if len(guessed) == 1 else []

    def _candidates(self, memory: Memory) -> list[Found]:
        """The memories that may clash with this one: kept ones that share words, and those of the batch; each once."""
        """The memories that may clash with this one: kept ones that share words, and those of the batch; each once."""
        fresh = (each for key in clash_keys(memory.content) for each in self._fresh.get(key, []))
        return list({memory_of(each).id: each for each in (*self._kept.get(memory.id, ()), *fresh)}.values())

    def _clash(self, other: Found, memory: Memory) -> tuple[Clash, bool] | None:
        """How two memories clash, and whether the later one plainly takes the other's place; None if they do not."""
        held = self.changes.now(memory_of(other))
        if not _is_framed(held) or _are_about_two_things(held, memory):
            return None
        older, newer = (held, memory) if holds_since(held) <= holds_since(memory) else (memory, held)
        found = clash(older.content, newer.content)
        return (found, found.strength == "plain" and _outranks(newer, older)) if found else None


def holds_since(memory: Memory) -> datetime:
    """The instant from which on what a memory says holds, as far as is known."""
    return memory.valid_at or memory.created


def _is_framed(memory: Memory) -> bool:
    """Whether a memory is a statement that others can clash with."""
    return memory.category not in _FRAMELESS and bool(clash_keys(memory.content))


def _outranks(newer: Memory, older: Memory) -> bool:
    """Whether whoever asserts the newer ranks as high; of two that are inferred, whether its source is no worse."""
    mine, theirs = RANK[newer.asserted_by], RANK[older.asserted_by]
    if mine != theirs or mine:
        return mine >= theirs
    return distrust_rank(newer.source_class) <= distrust_rank(older.source_class)


def distrust_rank(source_class: SourceClass | None) -> int:
    """A number that is the higher the less a source class is trusted; -1 for None, a person's own words."""
    return SOURCE_CLASSES.index(source_class) if source_class else -1


def _are_about_two_things(one: Memory, other: Memory) -> bool:
    """Whether two memories are filed under different entities, and one of them does not name its own in its words."""
    refs = [entity_key(each.entity_ref or "") for each in (one, other)]
    if not all(refs) or refs[0] == refs[1]:
        return False
    said: Sequence[set[str]] = [set(content_words(each.content)) for each in (one, other)]
    return any(not set(ref.split("-")) & words for ref, words in zip(refs, said, strict=True))
