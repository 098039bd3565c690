"""What is kept and what is being decided in, which of it a new statement repeats or contradicts out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pellucid.language.spelling import attribute_key, content_hash, normalise
from pellucid.language.statements.clash import is_another_value
from pellucid.language.statements.negation import Polarity, polarity
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.rivals import Rivals
from pellucid.memory.reconcile.targets import Found, memory_of
from pellucid.model.memory import BOUNDARY_SCOPES, Memory
from pellucid.store.index_port import Index
from pellucid.store.lookup_port import Lookup

_LABEL = re.compile(r"^\w+: ")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An active memory that cannot be true together with the new one, and the attributes it is about.

    Without attributes the whole statement is denied, or said otherwise.
    """

    of: Found
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
    _by_polarity: dict[str, list[Found]] = field(default_factory=dict[str, "list[Found]"])
    _by_key: dict[str, list[Found]] = field(default_factory=dict[str, "list[Found]"])
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
        self._by_polarity = {key: list[Found](found) for key, found in by_key.items()}
        self._rivals.load(batch)
        keys = {key for memory in batch for key in live_attributes(memory)}
        self._by_key = {key: list[Found](found) for key, found in self.lookup.stating(namespace, keys).items()}

    def add(self, memory: Memory) -> None:
        """Add a memory that this operation creates, so that the next statements of the batch meet it, too."""
        self._fresh[memory.id] = memory
        self._rivals.add(memory)
        self._by_hash.setdefault(content_hash(memory.content, memory.entity_ref), []).append(memory.id)
        self._by_polarity.setdefault(polarity(memory.content, memory.entity_ref).key, []).append(memory)
        for key in live_attributes(memory):
            self._by_key.setdefault(key, []).append(memory)

    def repeated(self, memory: Memory) -> str | None:
        """The id of the memory in force that says the same of the same thing in the same words; None if none does."""
        known = self._by_hash.get(content_hash(memory.content, memory.entity_ref), [])
        doubted = {memory_of(each).id for each in self.doubted(memory)} if memory.trust_zone != "quarantine" else ()
        standing = {each: self.changes.status_of(each, self._fresh.get(each)) for each in known if each not in doubted}
        in_force = (each for each, status in standing.items() if status in (None, "active"))
        for each in in_force:
            held = self._fresh.get(each) or self._known.get(each)
            if held is None or boundary(held) == boundary(memory):  # to callers who do not see one, it repeats nothing
                return each
        return None

    def doubted(self, memory: Memory) -> list[Found]:
        """The quarantined memories that say what the new one says: the same statement, or a value that it states."""
        mine, values = _polarities(memory), live_attributes(memory)
        found: dict[str, Found] = {}
        alike = (subject for each in mine for subject in self._by_polarity.get(each.key, []))
        for subject in (*alike, *(subject for key in values for subject in self._by_key.get(key, []))):
            old = self.changes.now(memory_of(subject))
            if old.id != memory.id and old.status == "active" and old.trust_zone == "quarantine":
                same = polarity(old.content, old.entity_ref) in mine
                stated = live_attributes(old)
                if same or any(normalise(stated.get(key, "")) == normalise(value) for key, value in values.items()):
                    found[old.id] = subject
        return list(found.values())

    def said_in(self, session_id: str | None) -> Iterator[Memory]:
        """The memories in force that this operation creates from one session, the newest first."""
        for memory in reversed(list(self._fresh.values())):
            if memory.session_id == session_id and _is_in_force(self.changes.now(memory)):
                yield self.changes.now(memory)

    def contradicted(self, memory: Memory) -> list[Contradiction]:
        """The memories in force that the new one contradicts.

        By another value of an attribute, a denial, or the same frame with another value.
        """
        found = self._stating_other_values(memory)
        mine = polarity(memory.content, memory.entity_ref)
        for subject in self._by_polarity.get(mine.key, []):
            old = self.changes.now(memory_of(subject))
            if _may_contradict(old, memory) and polarity(old.content, old.entity_ref).denied != mine.denied:
                found[old.id] = Contradiction(subject)
        for rival in self._rivals.clashing_with(memory):
            old = self.changes.now(memory_of(rival.of))
            if old.id not in found and _may_contradict(old, memory):
                found[old.id] = Contradiction(rival.of, restated=True, plain=rival.plain, whole=rival.whole)
        return list(found.values())

    def _stating_other_values(self, memory: Memory) -> dict[str, Contradiction]:
        """By id, the memories in force that state another value of an attribute of this one, and of which."""
        found: dict[str, Contradiction] = {}
        for name, value in memory.structured_attributes.items():
            for subject in self._by_key.get(attribute_key(memory.entity_ref or "", name), []):
                old = self.changes.now(memory_of(subject))
                said = live_attributes(old).get(attribute_key(memory.entity_ref or "", name))
                if said is None or normalise(said) == normalise(value) or not _may_contradict(old, memory):
                    continue
                if is_another_value(old.content, memory.content, (said, value)):
                    held = found.get(old.id, Contradiction(subject))
                    found[old.id] = Contradiction(subject, held.attributes | {name})
        return found


def live_attributes(memory: Memory) -> dict[str, str]:
    """The values that a memory states and has not retired, by `entity::attribute` key; none without an entity."""
    if not memory.entity_ref:
        return {}
    held = memory.structured_attributes.items()
    return {attribute_key(memory.entity_ref, n): v for n, v in held if n not in memory.retired_attributes}


def _polarities(memory: Memory) -> tuple[Polarity, ...]:
    """The polarity of a statement, and that of it without the label in front (`Decided: …`), if it has one."""
    bare = _LABEL.sub("", memory.content)
    return tuple(polarity(text, memory.entity_ref) for text in dict.fromkeys((memory.content, bare)))


def boundary(memory: Memory) -> frozenset[str]:
    """The scopes that keep a memory from callers; memories of different ones do not replace or repeat each other."""
    return frozenset(memory.scopes).intersection(BOUNDARY_SCOPES)


def _may_contradict(old: Memory, new: Memory) -> bool:
    """Whether two memories are of those that can replace each other: the old one in force, seen by the same callers."""
    return old.id != new.id and _is_in_force(old) and boundary(old) == boundary(new)


def _is_in_force(memory: Memory) -> bool:
    """Whether a memory is active, and not in quarantine."""
    return memory.status == "active" and memory.trust_zone != "quarantine"
