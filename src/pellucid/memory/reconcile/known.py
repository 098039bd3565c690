"""Stored and newly decided statements in, those that a new statement repeats or contradicts out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pellucid.language.spelling import attribute_key, content_hash, normalise
from pellucid.language.statements.clash import is_another_value
from pellucid.language.statements.negation import Polarity, polarity
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.rivals import Rivals
from pellucid.memory.reconcile.targets import Found, memory_of
from pellucid.model.memory import BOUNDARY_SCOPES, Memory, live_attributes
from pellucid.store.index_port import Index
from pellucid.store.lookup_port import Lookup

_LABEL = re.compile(r"^\w+: ")
_Words = tuple[str, frozenset[str]]
"""The hash of a memory's words and entity, and its boundary scopes."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An active memory that cannot be true together with a new one, and the attributes whose values differ.

    Without attributes, the whole statement is denied or restated.
    """

    of: Found
    attributes: frozenset[str] = frozenset()
    restated: bool = False
    """The same statement with another value in one place."""
    plain: bool = True
    """Whether the newer memory takes the older's place; else both stay, disputed."""
    whole: bool = True
    """Whether the older says nothing else: a memory that says more is not retired for a part of it."""


@dataclass(slots=True)
class KnownStatements:
    """The statements of a namespace that a batch of new ones can repeat or contradict, with the batch's own."""

    index: Index
    lookup: Lookup
    changes: ChangeSet
    _by_words: dict[_Words, list[str]] = field(default_factory=dict["_Words", "list[str]"])
    _by_polarity: dict[str, list[Found]] = field(default_factory=dict[str, "list[Found]"])
    _by_key: dict[str, list[Found]] = field(default_factory=dict[str, "list[Found]"])
    _fresh: dict[str, Memory] = field(default_factory=dict[str, Memory])
    _rivals: Rivals = field(init=False)

    def __post_init__(self) -> None:
        self._rivals = Rivals(self.index, self.changes)

    def load(self, memories: Iterable[Memory]) -> None:
        """Look up, in one go for the whole batch, all stored memories that these can repeat or contradict.

        Call it before `add`: it drops what was looked up before, and of what was added it keeps only what `said_in` and
        the comparison of sentences use.
        """
        batch, namespace = list(memories), self.changes.namespace
        # of the words: the field `content_hash` tells what they were when kept, and a file may be edited by hand
        hashes = {content_hash(memory.content, memory.entity_ref) for memory in batch}
        ids_by_hash = self.index.holding(namespace, hashes)
        self._by_words = {(each, scopes): [held] for each, ids in ids_by_hash.items() for scopes, held in ids.items()}
        polarities = {each.key for memory in batch for each in _polarities(memory)}
        by_key = self.lookup.polarities(namespace, polarities)
        self._by_polarity = {key: list[Found](served) for key, served in by_key.items()}
        self._rivals.load(batch)
        keys = {key for memory in batch for key in live_attributes(memory)}
        self._by_key = {key: list[Found](served) for key, served in self.lookup.stating(namespace, keys).items()}

    def add(self, memory: Memory) -> None:
        """Add a memory that this operation creates, so that later statements of the batch are compared with it, too."""
        self._fresh[memory.id] = memory
        self._rivals.add(memory)
        self._by_words.setdefault(_words_of(memory), []).append(memory.id)
        self._by_polarity.setdefault(polarity(memory.content, memory.entity_ref).key, []).append(memory)
        for key in live_attributes(memory):
            self._by_key.setdefault(key, []).append(memory)

    def repeated(self, memory: Memory, doubted: Iterable[Found]) -> str | None:
        """Return the id of an active memory with the same words about the same entity; None if there is none.

        A stored one must also be trusted and valid now. A memory of other boundary scopes (see `boundary`) does not
        count: callers see only one of the two. Nor does one of `doubted`, memories in quarantine that say the same.
        """
        ids_of_doubted = {memory_of(each).id for each in doubted}
        equals = (each for each in self._by_words.get(_words_of(memory), ()) if each not in ids_of_doubted)
        return next((each for each in equals if self.changes.status_of(each) in (None, "active")), None)

    def doubted(self, memory: Memory) -> list[Found]:
        """Return the active, quarantined memories that say what a new one says: the same statement, or one of its
        values.
        """
        polarities, attributes = _polarities(memory), live_attributes(memory)
        found: dict[str, Found] = {}
        same_polarity = (subject for each in polarities for subject in self._by_polarity.get(each.key, []))
        for subject in (*same_polarity, *(subject for key in attributes for subject in self._by_key.get(key, []))):
            old = self.changes.now(memory_of(subject))
            if old.id != memory.id and old.status == "active" and old.trust_zone == "quarantine":
                same = polarity(old.content, old.entity_ref) in polarities
                stated = live_attributes(old)
                if same or any(normalise(stated.get(key, "")) == normalise(value) for key, value in attributes.items()):
                    found[old.id] = subject
        return list(found.values())

    def said_in(self, session_id: str | None) -> Iterator[Memory]:
        """Yield the memories in force (active, not in quarantine) that this operation creates from one session, the
        newest first, as its changes leave them.

        A `session_id` of None means those without a session.
        """
        for memory in reversed(list(self._fresh.values())):
            if memory.session_id == session_id and _is_in_force(self.changes.now(memory)):
                yield self.changes.now(memory)

    def contradicted(self, memory: Memory) -> list[Contradiction]:
        """Return the memories in force (active, not in quarantine) that a new one contradicts, each once; only those of
        equal boundary scopes (see `boundary`).

        They state another value of an attribute, the denial, or the same sentence with another value in one place.
        """
        found = self._stating_other_values(memory)
        own_polarity = polarity(memory.content, memory.entity_ref)
        for subject in self._by_polarity.get(own_polarity.key, []):
            old = self.changes.now(memory_of(subject))
            if _can_replace(old, memory) and polarity(old.content, old.entity_ref).denied != own_polarity.denied:
                found[old.id] = Contradiction(subject)
        for rival in self._rivals.clashing_with(memory):
            old = self.changes.now(memory_of(rival.of))
            if old.id not in found and _can_replace(old, memory):
                found[old.id] = Contradiction(rival.of, restated=True, plain=rival.plain, whole=rival.whole)
        return list(found.values())

    def _stating_other_values(self, memory: Memory) -> dict[str, Contradiction]:
        """Map the ids of the memories in force (active, not in quarantine) that give an attribute of `memory` another
        value to the contradiction, which names these attributes.
        """
        found: dict[str, Contradiction] = {}
        for name, value in memory.structured_attributes.items():
            for subject in self._by_key.get(attribute_key(memory.entity_ref or "", name), []):
                old = self.changes.now(memory_of(subject))
                old_value = live_attributes(old).get(attribute_key(memory.entity_ref or "", name))
                if old_value is None or normalise(old_value) == normalise(value) or not _can_replace(old, memory):
                    continue
                if is_another_value(old.content, memory.content, (old_value, value)):
                    earlier = found.get(old.id, Contradiction(subject))
                    found[old.id] = Contradiction(subject, earlier.attributes | {name})
        return found


def _polarities(memory: Memory) -> tuple[Polarity, ...]:
    """Return the polarity of a statement, and that of its text after a label (`Decided: …`), if it has a label."""
    bare = _LABEL.sub("", memory.content)
    return tuple(polarity(text, memory.entity_ref) for text in dict.fromkeys((memory.content, bare)))


def _words_of(memory: Memory) -> _Words:
    """Return the hash of a memory's words and entity, and its boundary scopes: two memories with equal ones repeat each
    other.
    """
    return content_hash(memory.content, memory.entity_ref), boundary(memory)


def boundary(memory: Memory) -> frozenset[str]:
    """Return the boundary scopes of a memory, those that hide it from callers who do not name them (`private`,
    `temporary` …); memories of different ones do not replace or repeat each other.
    """
    return frozenset(memory.scopes).intersection(BOUNDARY_SCOPES)


def _can_replace(old: Memory, new: Memory) -> bool:
    """Whether a new memory can replace an old one: the old one is another one, and in force, and both have equal
    boundary scopes.
    """
    return old.id != new.id and _is_in_force(old) and boundary(old) == boundary(new)


def _is_in_force(memory: Memory) -> bool:
    """Whether a memory is active and not in quarantine."""
    return memory.status == "active" and memory.trust_zone != "quarantine"
