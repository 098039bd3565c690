"""Judged observations in, decisions out: which become memories, which say what is known already, and why."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pellucid.clock import Clock
from pellucid.model.memory import Memory
from pellucid.model.observation import MemoryObservation, Verdict
from pellucid.model.text import content_hash
from pellucid.model.wire import Instant, Wire
from pellucid.store.index_port import Index

_DUPLICATE = "duplicate: the same words about the same thing are kept already"


class VerdictRow(Wire):
    """A line of the ledger: what was decided about one observation. It holds no text."""

    kind: str = "verdict"
    observation_id: str
    session_id: str
    observed_at: Instant
    category: str
    confidence: float
    importance: float
    verdict: Verdict
    reason: str
    content_hash: str
    resulting_primitive_id: str | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """New memories, one ledger row an observation, and the verdicts counted by reason."""

    memories: tuple[Memory, ...]
    rows: tuple[VerdictRow, ...]
    verdicts: tuple[str, ...]


@dataclass(slots=True)
class Reconciler:
    """Decides about observations of one namespace. Equal words about the same entity are one memory."""

    index: Index
    namespace: str
    clock: Clock
    _considered: list[tuple[MemoryObservation, str | None]] = field(
        default_factory=list[tuple[MemoryObservation, "str | None"]]
    )

    def consider(self, observations: Iterable[MemoryObservation], agent: str | None) -> None:
        """Add observations of one segment, in order."""
        self._considered += [(observation, agent) for observation in observations]

    def decide(self) -> Decided:
        """Decide about all that was considered."""
        hashes = [content_hash(o.fact.content, o.fact.entity_ref) for o, _ in self._considered]
        known = self.index.holding(self.namespace, set(hashes))
        memories: list[Memory] = []
        rows: list[VerdictRow] = []
        for (observation, agent), digest in zip(self._considered, hashes, strict=True):
            duplicate = observation.judge_accepted and digest in known
            if observation.judge_accepted and not duplicate:
                memory = to_memory(observation, self.namespace, digest, agent, self.clock)
                memories.append(memory)
                known[digest] = memory.id
            rows.append(_row(observation, digest, known.get(digest), duplicate=duplicate))
        return Decided(tuple(memories), tuple(rows), tuple(f"{row.verdict}:{_code(row.reason)}" for row in rows))


def to_memory(observation: MemoryObservation, namespace: str, digest: str, agent: str | None, clock: Clock) -> Memory:
    """The memory an accepted observation becomes. It was created when it was said, and is valid from then."""
    fact = observation.fact
    return Memory(
        id=clock.new_id("mem"), category=fact.category, namespace=namespace, created=observation.observed_at,
        updated=clock.now(), source="extraction", session_id=observation.session_id, agent=agent,
        evidence=tuple(str(each) for each in fact.evidence), confidence=fact.confidence, tags=fact.tags,
        entity_ref=fact.entity_ref, structured_attributes=fact.structured_attributes,
        importance_score=observation.importance, valid_at=min(observation.observed_at, clock.now()),
        content_hash=digest, content=fact.content,
    )  # fmt: skip


def _row(observation: MemoryObservation, digest: str, known: str | None, *, duplicate: bool) -> VerdictRow:
    fact = observation.fact
    return VerdictRow(
        observation_id=observation.id, session_id=observation.session_id, observed_at=observation.observed_at,
        category=fact.category, confidence=fact.confidence, importance=observation.importance,
        verdict="reject" if duplicate else observation.verdict,
        reason=_DUPLICATE if duplicate else observation.verdict_reason,
        content_hash=digest, resulting_primitive_id=known if observation.judge_accepted else None,
    )  # fmt: skip


def _code(reason: str) -> str:
    return reason.partition(":")[0].strip() or "durable"
