"""Observations in, statements that can be decided about out: each with the memory that it would be."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from pellucid.language.spelling import content_hash
from pellucid.memory.changes import ChangeSet
from pellucid.memory.trust.zones import first_zone
from pellucid.model.ledger import Event
from pellucid.model.memory import Memory
from pellucid.model.observation import MemoryObservation, Resolution

BY_A_PERSON = frozenset({"manual", "user_input"})
"""Source classes of a person's own words."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory to be decided about, what it resolves, and its observation (None if a person asks directly)."""

    memory: Memory
    resolves: Resolution | None = None
    observation: MemoryObservation | None = None
    event: Event | None = None
    """The event by which the ledger records its creation, so that it can be undone; None: it does not."""
    reason: str = ""


def statement_of(
    observation: MemoryObservation, changes: ChangeSet, agent: str | None = None, *, trust: bool = True
) -> Statement:
    """Make the statement of an observation, with a new memory of it; nothing is written.

    `changes` gives clock and namespace only. `agent` is the name of the program that the session ran in, if known.
    `trust` says whether doubtful words begin in quarantine.
    """
    fact, now = observation.fact, changes.clock.now()
    memory = Memory(
        id=changes.clock.new_id("mem"),
        category=fact.category,
        namespace=changes.namespace,
        created=observation.observed_at,
        updated=now,
        source="extraction",
        asserted_by="user" if observation.source_class in BY_A_PERSON else "inferred",
        source_class=observation.source_class,
        session_id=observation.session_id,
        agent=agent,
        evidence=tuple(str(each) for each in fact.evidence),
        evidence_quotes={str(each): each.quote for each in fact.evidence if each.quote},
        confidence=fact.confidence,
        tags=fact.tags,
        entity_ref=fact.entity_ref,
        structured_attributes=fact.structured_attributes,
        importance_score=observation.importance,
        trust_zone=first_zone(observation.source_class, fact.content, enabled=trust),
        valid_at=min(observation.observed_at, now),
        content_hash=content_hash(fact.content, fact.entity_ref),
        content=fact.content,
    )
    return Statement(memory, fact.resolves, observation)


def quarantine_if_doubted(statement: Statement, doubted: Collection[int]) -> Statement:
    """Return the statement with its memory in quarantine, if its evidence has a turn that is doubted (`doubted`:
    ordinals).

    It is returned unchanged without an observation, if the judge did not accept that, or if the memory is in another
    zone than `working`.
    """
    observation = statement.observation
    if observation is None or not observation.judge_accepted or statement.memory.trust_zone != "working":
        return statement
    if set(doubted).isdisjoint(observation.fact.cited):
        return statement
    return replace(statement, memory=statement.memory.model_copy(update={"trust_zone": "quarantine"}))
