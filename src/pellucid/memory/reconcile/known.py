"""What is kept and what is being decided in, which of it a new statement repeats or contradicts out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pellucid.language.spelling import attribute_key, content_hash, normalise
from pellucid.language.statements.clash import is_another_value
from pellucid.language.statements.negation import Polarity, polarity
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.rivals import Rivals
from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.store.index_port import Index, Served
from pellucid.store.lookup_port import Lookup

_LABEL = re.compile(r"^\w+: ")
Subject = Served | Memory
"""A kept memory, or one this operation creates."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An active memory that cannot be true together with the new one, and the attributes it is about.

    Without attributes the whole statement is denied, or said otherwise.
    """

    of: Subject
    attributes: frozenset[str] = frozenset()
    restated: bool = False
    """The same statement with another value in one place."""
    plain: bool = True
    """The newer takes the place of the older; else both stand, disputed."""
    whole: bool = True
    """The older says nothing besides: what says more is never retired for a part of it."""


@dataclass(slots=True)
class KnownStatements:
    """The statements of a namespace that a batch of new ones may meet, kept in step with what the batch decides."""

    index: Index
    lookup: Lookup
    changes: ChangeSet
    _by_hash: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    _by_polarity: dict[str, list[Subject]] = field(default_factory=dict[str, "list[Subject]"])
    _by_key: dict[str, list[Subject]] = field(default_factory=dict[str, "list[Subject]"])
    _fresh: dict[str, Memory] = field(default_factory=dict[str, Memory])
    _known: dict[str, Memory] = field(default_factory=dict[str, Memory])
    _rivals: Rivals = field(init=False)

    def __post_init__(self) -> None:
        self._rivals = Rivals(self.index, self.changes)

    def load(self, memories: Iterable[Memory]) -> None:
        """Look up, once for the whole batch, whatever these may repeat or contradict."""
        batch, namespace = list(memories), self.changes.namespace
        hashes = {content_hash(memory.content, memory.entity_ref) for memory in batch}
        self._by_hash = {each: [*held.values()] for each, held in self.index.holding(namespace, hashes).items()}
        known = [held for found in self._by_hash.values() for held in found]
        self._known = {each.memory.id: each.memory for each in self.index.memories(namespace, known)}
        polarities = {each.key for memory in batch for each in _polarities(memory)}
        by_key = self.lookup.polarities(namespace, polarities)
        self._by_polarity = {key: list[Subject](found) for key, found in by_key.items()}
        self._rivals.load(batch)
        keys = {key for memory in batch for key in attribute_keys(memory)}
        self._by_key = {key: list[Subject](found) for key, found in self.lookup.stating(namespace, keys).items()}

    def add(self, memory: Memory) -> None:
        """A memory that this operation creates: the next statements of the batch meet it, too."""
        self._fresh[memory.id] = memory
        self._rivals.add(memory)
        self._by_hash.setdefault(content_hash(memory.content, memory.entity_ref), []).append(memory.id)
        self._by_polarity.setdefault(polarity(memory.content, memory.entity_ref).key, []).append(memory)
        for key in attribute_keys(memory):
            self._by_key.setdefault(key, []).append(memory)

    def repeated(self, memory: Memory) -> str | None:
        """The id of the active memory that says the same of the same thing, in the same words."""
        known = self._by_hash.get(content_hash(memory.content, memory.entity_ref), [])
        shut = {_memory(each).id for each in self.doubted(memory)} if memory.trust_zone != "quarantine" else set[str]()
        open_ones = (each for each in known if each not in shut and not self._is_retired(each))
        return next((each for each in open_ones if self._is_as_open(each, memory)), None)

    def _is_as_open(self, memory_id: str, memory: Memory) -> bool:
        """What is kept from some callers says nothing to them: only what all of them see is a repetition."""
        held = self._fresh.get(memory_id) or self._known.get(memory_id)
        return held is None or boundary(held) == boundary(memory)

    def doubted(self, memory: Memory) -> list[Subject]:
        """The quarantined memories that say what the new one says: the same statement, or a value that it states."""
        mine, values = _polarities(memory), live_attributes(memory)
        found: dict[str, Subject] = {}
        alike = (subject for each in mine for subject in self._by_polarity.get(each.key, []))
        for subject in (*alike, *(subject for key in values for subject in self._by_key.get(key, []))):
            old = self.changes.now(_memory(subject))
            if old.id != memory.id and old.status == "active" and old.trust_zone == "quarantine":
                same = polarity(old.content, old.entity_ref) in mine
                stated = live_attributes(old)
                if same or any(normalise(stated.get(key, "")) == normalise(value) for key, value in values.items()):
                    found[old.id] = subject
        return list(found.values())

    def _is_retired(self, memory_id: str) -> bool:
        return self.changes.status_of(memory_id, self._fresh.get(memory_id)) not in (None, "active")

    def said_in(self, session_id: str | None) -> Iterator[Memory]:
        """The active memories of this batch from one session, the newest first."""
        for memory in reversed(list(self._fresh.values())):
            if memory.session_id == session_id and _stands(self.changes.now(memory)):
                yield self.changes.now(memory)

    def contradicted(self, memory: Memory) -> list[Contradiction]:
        """The active memories that the new one contradicts.

        Another value of an attribute, the opposite stance, or the same frame with another filling.
        """
        found = self._of_other_value(memory)
        mine = polarity(memory.content, memory.entity_ref)
        for subject in self._by_polarity.get(mine.key, []):
            old = self.changes.now(_memory(subject))
            if _meets(old, memory) and polarity(old.content, old.entity_ref).denied != mine.denied:
                found[old.id] = Contradiction(subject)
        for rival in self._rivals.of(memory):
            old = self.changes.now(_memory(rival.of))
            if old.id not in found and _meets(old, memory):
                found[old.id] = Contradiction(rival.of, restated=True, plain=rival.plain, whole=rival.whole)
        return list(found.values())

    def _of_other_value(self, memory: Memory) -> dict[str, Contradiction]:
        """By its id, each active memory that states another value of an attribute, and of which."""
        found: dict[str, Contradiction] = {}
        for name, value in memory.structured_attributes.items():
            for subject in self._by_key.get(attribute_key(memory.entity_ref or "", name), []):
                old = self.changes.now(_memory(subject))
                said = live_attributes(old).get(attribute_key(memory.entity_ref or "", name))
                if said is None or normalise(said) == normalise(value) or not _meets(old, memory):
                    continue
                if is_another_value(old.content, memory.content, (said, value)):
                    held = found.get(old.id, Contradiction(subject))
                    found[old.id] = Contradiction(subject, held.attributes | {name})
        return found


def attribute_keys(memory: Memory) -> list[str]:
    """The `entity::attribute` keys a memory states and has not retired; none without an entity."""
    return list(live_attributes(memory))


def live_attributes(memory: Memory) -> dict[str, str]:
    """What a memory still states: its values by `entity::attribute` key."""
    if not memory.entity_ref:
        return {}
    held = memory.structured_attributes.items()
    return {attribute_key(memory.entity_ref, n): v for n, v in held if n not in memory.retired_attributes}


def _polarities(memory: Memory) -> tuple[Polarity, ...]:
    """The side a statement takes, also without the label in front of it (`Decided: …`)."""
    bare = _LABEL.sub("", memory.content)
    return tuple(polarity(text, memory.entity_ref) for text in dict.fromkeys((memory.content, bare)))


def _memory(subject: Subject) -> Memory:
    return subject.memory if isinstance(subject, Served) else subject


def boundary(memory: Memory) -> frozenset[str]:
    """The scopes that keep a memory in; memories behind different ones do not replace or repeat each other."""
    return frozenset(memory.scopes).intersection(BOUNDARY_SCOPES)


def _meets(old: Memory, new: Memory) -> bool:
    return old.id != new.id and _stands(old) and boundary(old) == boundary(new)


def _stands(memory: Memory) -> bool:
    return memory.status == "active" and memory.trust_zone != "quarantine"
