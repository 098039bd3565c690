"""Statements in, the stored ones of the same frame that contradict them out: found by words, checked exactly."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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
"""Entrenchment: an assertion of lower rank never overrides one of higher rank."""
_FRAMELESS = frozenset({"moment", "section", "procedure", "reasoning_trace"})
"""Categories of memories with more than one statement, or with somebody's words as they are."""
_ClashKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Rival:
    """A memory that contradicts a new one; `plain`: the new one takes its place; `whole`: it says nothing else."""

    of: Found
    plain: bool
    whole: bool = True


@dataclass(slots=True)
class Rivals:
    """The memories that a batch of statements can clash with: stored ones, by their words, and its own new ones."""

    index: Index
    changes: ChangeSet
    _kept: dict[str, tuple[Found, ...]] = field(default_factory=dict[str, "tuple[Found, ...]"])
    _fresh: dict[_ClashKey, list[Memory]] = field(default_factory=dict["_ClashKey", "list[Memory]"])

    def load(self, memories: Iterable[Memory]) -> None:
        """Look up, in one snapshot for the whole batch, the stored memories that share words with each of these: at
        most 30 each, the best.

        They replace those looked up before, unless none of the batch can clash at all (`_can_clash`).
        """
        comparable = [each for each in memories if _can_clash(each)]
        if comparable:
            with self.index.reading(self.changes.namespace) as reader:
                stating = reader.select(Filters(categories=tuple(set(CATEGORIES) - _FRAMELESS)))
                admission = Admission(epoch_ms(self.changes.clock.now()), stating, granted=EVERY_SCOPE)
                queries = {each.id: search_words(each.content) for each in comparable}
                self._kept = {key: tuple(search_hits(reader, query, admission)) for key, query in queries.items()}

    def add(self, memory: Memory) -> None:
        """Add a memory that this operation creates, so that later statements of the batch are compared with it; nothing
        if it cannot clash.
        """
        for key in clash_keys(memory.content) if _can_clash(memory) else ():
            self._fresh.setdefault(key, []).append(memory)

    def clashing_with(self, memory: Memory) -> list[Rival]:
        """Return the memories that contradict this one: stored ones that the last `load` looked up for it, and those
        that `add` took.

        Empty for a memory that is speculative or cannot clash. If any contradiction is certain, all that are certain.
        Else at most one guess: that whose names are akin to this memory's, if just one is; failing that, the guess if
        there is but one.
        """
        if not _can_clash(memory) or memory.confidence_tier == "speculative":
            return []
        clashing = [(each, found) for each in self._candidates(memory) if (found := self._clash(each, memory))]
        certain = [Rival(each, plain, how.whole) for each, (how, plain) in clashing if how.strength != "guess"]
        if certain:
            return certain
        guessed = [each for each, _ in clashing]
        akin = [each for each in guessed if have_akin_names(memory_of(each).content, memory.content)]
        if len(akin) == 1:
            return [Rival(akin[0], _outranks(memory, memory_of(akin[0])))]
        return [Rival(guessed[0], plain=False, whole=False)] if len(guessed) == 1 else []

    def _candidates(self, memory: Memory) -> list[Found]:
        """Return the memories that can clash with this one, each once: stored ones that share words, and new ones."""
        fresh = (each for key in clash_keys(memory.content) for each in self._fresh.get(key, []))
        return list({memory_of(each).id: each for each in (*self._kept.get(memory.id, ()), *fresh)}.values())

    def _clash(self, other: Found, memory: Memory) -> tuple[Clash, bool] | None:
        """Return how two memories clash, and whether the later (by when they hold) plainly replaces the other and may
        do so; None if they do not clash.

        The other counts as this operation has changed it so far.
        """
        current = self.changes.now(memory_of(other))
        if not _can_clash(current) or _are_about_two_things(current, memory):
            return None
        older, newer = (current, memory) if current.holds_since <= memory.holds_since else (memory, current)
        how = clash(older.content, newer.content)
        return (how, how.strength == "plain" and _outranks(newer, older)) if how else None


def _can_clash(memory: Memory) -> bool:
    """Whether a memory is a statement that others can clash with: it has a frame (`frames.frames`: comparable words of
    a statement that holds, which no question or plan has), and is no passage, section, procedure or reasoning trace.
    """
    return memory.category not in _FRAMELESS and bool(clash_keys(memory.content))


def _outranks(newer: Memory, older: Memory) -> bool:
    """Whether the newer's assertion ranks at least as high (axiom > user > inferred); if both are inferred, whether its
    source class is trusted at least as much.
    """
    newer_rank, older_rank = RANK[newer.asserted_by], RANK[older.asserted_by]
    if newer_rank != older_rank or newer_rank:
        return newer_rank >= older_rank
    return distrust_rank(newer.source_class) <= distrust_rank(older.source_class)


def distrust_rank(source_class: SourceClass | None) -> int:
    """Return the place of a source class in `SOURCE_CLASSES`, from 0: higher for less trusted ones; -1 for None, a
    person's own words.
    """
    return SOURCE_CLASSES.index(source_class) if source_class else -1


def _are_about_two_things(one: Memory, other: Memory) -> bool:
    """Whether two memories have different entities, and at least one of them has no word of its own entity in its
    words; False if one has no entity.
    """
    refs = [entity_key(each.entity_ref or "") for each in (one, other)]
    if not all(refs) or refs[0] == refs[1]:
        return False
    content: Sequence[set[str]] = [set(content_words(each.content)) for each in (one, other)]
    return any(not set(ref.split("-")) & words for ref, words in zip(refs, content, strict=True))
