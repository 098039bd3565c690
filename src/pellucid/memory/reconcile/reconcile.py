"""Judged statements in, decisions out: which are new, which repeat or replace another, and why.

A newer statement supersedes an older one about the same `entity::attribute`, or its plain denial, if whoever asserts it
ranks as high (axiom > user > inferred). An older statement that arrives late is kept as superseded. Other attributes of
a superseded memory stay in force. Corrections and retractions find their targets by their words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pellucid.language.spelling import attribute_key, content_hash
from pellucid.memory.changes import ChangeSet, Fields
from pellucid.memory.erasure.tombstone import memory_keys, said_key, words_key
from pellucid.memory.reconcile.known import Contradiction, KnownStatements, boundary
from pellucid.memory.reconcile.rivals import RANK
from pellucid.memory.reconcile.statement import BY_A_PERSON, Statement
from pellucid.memory.reconcile.targets import Found, corrected, memory_of, restated, retracted, search_by_words
from pellucid.memory.trust.zones import (
    counts_as_repetition,
    may_rise,
    says_the_same,
    vouches,
    why_quarantined,
)
from pellucid.model.ledger import VerdictRow
from pellucid.model.memory import Memory, live_attributes
from pellucid.model.observation import MemoryObservation, Verdict
from pellucid.store.index_port import Index, Served
from pellucid.store.lookup_port import Lookup


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision about a statement: final verdict, reason, and id of the memory that it made or matched."""

    verdict: Verdict
    reason: str
    memory_id: str | None = None


_FORGOTTEN = Outcome("reject", "forgotten: it, or the turns it came from, may not come back")


@dataclass(frozen=True, slots=True)
class Decided:
    """The outcome of each statement in order, and the verdict rows of those that have an observation."""

    outcomes: tuple[Outcome, ...]
    rows: tuple[dict[str, object], ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """Each outcome as `verdict:code`: its reason up to the first colon, or `durable` if that is empty."""
        return tuple(f"{each.verdict}:{each.reason.partition(':')[0].strip() or 'durable'}" for each in self.outcomes)


@dataclass(slots=True)
class Reconciler:
    """Decides about statements of one namespace, in their order. `key` is the vault's."""

    index: Index
    lookup: Lookup
    changes: ChangeSet
    key: bytes
    trust: bool = True
    """Whether only trusted sources can reinforce a memory by saying it again; see `memory.trust`."""
    _considered: list[Statement] = field(default_factory=list[Statement])
    _forgotten: set[bytes] = field(default_factory=set[bytes])
    _known: KnownStatements = field(init=False)

    def __post_init__(self) -> None:
        self._known = KnownStatements(self.index, self.lookup, self.changes)

    def consider(self, statements: Iterable[Statement]) -> None:
        """Add statements to be decided about, in order."""
        self._considered += statements

    def decide(self) -> Decided:
        """Decide about all statements that were added, in order; creations and changes go to the `ChangeSet`, and
        nothing is written. Return the outcomes, one for each statement, and a verdict row for the ledger of each
        statement that was observed.
        """
        accepted = [
            s.memory
            for s in self._considered
            if s.observation is None or s.observation.judge_accepted or _is_repeated(s.observation)
        ]
        self._known.load(accepted)
        self._forgotten = self.lookup.tombstones({key for each in accepted for key in memory_keys(self.key, each)})
        outcomes = tuple(self._decide_one(statement) for statement in self._considered)
        rows = tuple(
            self._verdict_row(s.observation, s.memory, outcome).to_wire()
            for s, outcome in zip(self._considered, outcomes, strict=True)
            if s.observation
        )
        return Decided(outcomes, rows)

    def _decide_one(self, statement: Statement) -> Outcome:
        """Decide about one statement, given the decisions about those before it; creations and changes go to the
        `ChangeSet`.

        What the judge did not accept keeps its verdict, unless it is a correction without a subject, or vouches for a
        quarantined memory. Only what was observed can be rejected as forgotten: a person who asks directly is heard.
        """
        memory, observation = statement.memory, statement.observation
        if statement.resolves and statement.resolves.value:
            # before the verdict: the judge had only words without a subject, which it finds vague or unresolved
            return self._apply_correction(statement)
        if observation and not observation.judge_accepted and not self._vouches_in_passing(statement):
            return Outcome(observation.verdict, observation.verdict_reason)
        # worked out again: the batch asked for all of them in one look-up, and kept those that were forgotten
        if observation and not self._forgotten.isdisjoint(memory_keys(self.key, memory)):
            return _FORGOTTEN
        if statement.resolves and statement.resolves.kind == "retraction":
            return self._apply_retraction(memory, statement.resolves.about)
        # what is in quarantine itself may repeat another that is
        doubted = self._known.doubted(memory) if memory.trust_zone != "quarantine" else []
        if repeated_id := self._known.repeated(memory, doubted):
            return self._reject_repeated(repeated_id, memory)
        return self._keep_new(statement, doubted)

    def _restated_correction(self, statement: Statement) -> tuple[Statement, Found] | None:
        """Return a correction without a subject (`it is 600 ms`) as the sentence of the one memory it can mean, its
        number replaced, and that memory; None if none or several fit, no person said it, or it is in quarantine.
        """
        memory, resolves = statement.memory, statement.resolves
        # the caller asked for the value; again for the type checker
        if not (resolves and resolves.value) or memory.source_class not in BY_A_PERSON:
            return None
        candidates = self._targets_to_take_back(memory, resolves.value)
        match = restated(resolves, candidates) if memory.trust_zone != "quarantine" else None
        if match is None:
            return None
        target, new = match
        restated_fields = {
            "content": new.text,
            "category": "correction",
            "entity_ref": new.entity,
            "structured_attributes": new.attributes,
            "content_hash": content_hash(new.text, new.entity),
        }
        return replace(statement, memory=memory.model_copy(update=restated_fields)), target

    def _apply_correction(self, statement: Statement) -> Outcome:
        """Put a correction without a subject, completed, in place of the one memory it can mean. If it can mean none,
        or several, an observed one is deferred, and one that a person entered directly is decided about as any other
        statement. An observed one is rejected if its words, or the completed ones, were forgotten."""
        if (completed := self._restated_correction(statement)) is None:
            if statement.observation is None:
                return self._decide_one(replace(statement, resolves=None))
            return Outcome("defer", "unresolved-reference: what it corrects is not named, and none, or several, fit")
        restatement, target = completed
        keys = (key for each in (statement, restatement) for key in memory_keys(self.key, each.memory))
        if statement.observation and self.lookup.tombstones(set(keys)):
            return _FORGOTTEN
        return self._replace(restatement, [Contradiction(target, restated=True)], "corrected")

    def _vouches_in_passing(self, statement: Statement) -> bool:
        """Whether a person's statement, rejected by the judge as said twice, vouches for a quarantined memory that says
        the same.
        """
        observation, memory = statement.observation, statement.memory
        repeats = observation is not None and _is_repeated(observation)
        return repeats and vouches(memory) and bool(self._known.doubted(memory))

    def _reject_repeated(self, repeated_id: str, memory: Memory) -> Outcome:
        """Reject a repetition of the memory `repeated_id`. A ledger row `corroborated` is added if that memory is
        stored already or of another session, and if the source `counts_as_repetition` or trust is not judged.
        """
        earlier = next((fresh for fresh in self.changes.fresh if fresh.id == repeated_id), None)
        elsewhere = earlier is None or earlier.session_id != memory.session_id
        if elsewhere and (counts_as_repetition(memory.source_class) or not self.trust):
            self.changes.corroborate(repeated_id, memory.source_class or "manual", memory.session_id)
        return Outcome("reject", "duplicate: the same words about the same thing are kept already", repeated_id)

    def _apply_retraction(self, memory: Memory, about: str) -> Outcome:
        """Retract the active memories (five at most) that a person takes back with the words `about`; the outcome names
        the first. Reject it if no person said it, it is in quarantine, no memory or too many have all these words, or
        none of these may be taken back (`_can_take_back`)."""
        if memory.source_class not in BY_A_PERSON or memory.trust_zone == "quarantine":
            return Outcome("reject", "not-a-person: only a person's own words take something back")
        near = self._possible_targets(memory, about)
        candidates = [each for each in near if self.changes.now(memory_of(each)).status == "active"]
        fitting = retracted(about, candidates, memory.session_id)
        meant = [each for each in fitting if self._can_take_back(memory, memory_of(each))]
        if not meant:
            return Outcome("reject", "no-target: nothing, or too much, that is kept is meant by it")
        for each in meant:
            fields = {"status": "retracted", "invalid_at": memory.holds_since}
            self.changes.change(each, "retracted", fields, "spoken-retraction")
        return Outcome("accept", f"retraction: {len(meant)} taken back", memory_of(meant[0]).id)

    def _can_take_back(self, memory: Memory, target: Memory) -> bool:
        """Whether a memory can retract or correct `target`, as changed so far: it is active, not pinned, no axiom, not
        newer, and of the same boundary scopes or session.
        """
        current = self.changes.now(target)
        if (
            current.status != "active"
            or current.pinned
            or current.asserted_by == "axiom"
            or current.holds_since > memory.holds_since
        ):
            return False
        return boundary(current) == boundary(memory) or current.session_id == memory.session_id is not None

    def _possible_targets(self, memory: Memory, words: str) -> list[Found]:
        """Return the memories a statement can mean: those of its session that this operation creates, then the 30
        stored ones that best match `words` (BM25).
        """
        stored = search_by_words(self.index, self.changes.namespace, words, self.changes.clock.now())
        return [*self._known.said_in(memory.session_id), *stored]

    def _targets_to_take_back(self, memory: Memory, words: str) -> list[Found]:
        """Return, in order, those that `memory` can take back (`_can_take_back`) of `_possible_targets` by `words`."""
        near = self._possible_targets(memory, words)
        return [each for each in near if self._can_take_back(memory, memory_of(each))]

    def _keep_new(self, statement: Statement, doubted: Sequence[Found]) -> Outcome:
        """Keep a statement with new words: in quarantine if its memory is, else beside the quarantined memories that
        say the same (`doubted`) or as asserted. A mere update, which tells of a change but not that it is to last, is
        rejected if it contradicts nothing."""
        memory, conflicts = statement.memory, self._known.contradicted(statement.memory)
        if statement.resolves and statement.resolves.kind == "update" and not conflicts:
            return Outcome("reject", "no-sign: nothing in its words says that it is to last, nor changes what is kept")
        if memory.trust_zone == "quarantine":
            return self._create(statement, memory, f"quarantined: {why_quarantined(memory)}")
        if doubted:
            return self._keep_beside_doubted(doubted, statement, conflicts)
        return self._keep_asserted(statement, conflicts)

    def _keep_beside_doubted(
        self, doubted: Sequence[Found], statement: Statement, conflicts: Sequence[Contradiction]
    ) -> Outcome:
        """Keep a statement that quarantined memories (`doubted`) make, too: in quarantine unless it vouches
        (`zones.vouches`), else in place of what it plainly contradicts of `conflicts`, as `_keep_asserted` does. If its
        memory is active then, let those of `doubted` out of quarantine that `may_rise` lets.
        """
        memory = statement.memory
        if not vouches(memory):
            echo = memory.model_copy(update={"trust_zone": "quarantine"})
            return self._create(statement, echo, f"quarantined: {why_quarantined(echo)}")
        outcome = self._keep_asserted(statement, conflicts)
        if outcome.memory_id == memory.id and self.changes.now(memory).status == "active":
            for each in doubted:
                if may_rise(self.changes.now(memory_of(each)), memory):
                    self._lift_doubted(each, memory)
        return outcome

    def admit(self, served: Served, reason: str) -> None:
        """Let a stored memory out of quarantine by hand, into the zone `working`, and settle what it contradicts.

        If it plainly contradicts something newer, its status becomes `superseded`; else, if something of higher rank,
        `pending_review`; else what it plainly contradicts is retired (`_supersede`), and it is disputed with the rest.
        The changes go to the `ChangeSet`; `reason` is for the ledger.
        """
        memory = served.memory
        self._known.load([memory])
        conflicts, open_ones = _plain_and_open(self._known.contradicted(memory))
        others = [memory_of(each.of) for each in conflicts]
        fields: Fields = {"trust_zone": "working"}
        if newer := next((each for each in others if each.holds_since > memory.holds_since), None):
            fields |= {"status": "superseded", "superseded_by": newer.id, "invalid_at": newer.holds_since}
        elif any(RANK[each.asserted_by] > RANK[memory.asserted_by] for each in others):
            fields |= {"status": "pending_review"}
        else:
            whole = [memory_of(each.of).id for each in conflicts if self._supersede(each, memory, "")]
            fields |= {"supersedes": (*memory.supersedes, *whole), "disputed_with": self._dispute(memory, open_ones)}
        self.changes.change(served, "promoted", fields, reason, [each.id for each in others])

    def _lift_doubted(self, doubted: Found, by: Memory) -> None:
        """Move a memory from quarantine to `working` because of `by`: as superseded by it if it says the same, as
        `pending_review` if it contradicts a memory in force.
        """
        current = self.changes.now(memory_of(doubted))
        fields: Fields = {"trust_zone": "working"}
        if says_the_same(current, by):
            fields |= {"status": "superseded", "superseded_by": by.id}
        elif _plain_and_open(self._known.contradicted(current))[0]:
            fields |= {"status": "pending_review"}
        self.changes.change(doubted, "promoted", fields, f"corroborated:{by.source_class or 'manual'}", [by.id])

    def _keep_asserted(self, statement: Statement, conflicts: Sequence[Contradiction]) -> Outcome:
        """Keep a statement in place of those of `conflicts` that it plainly contradicts. A correction takes the place
        of all of them that say nothing else, plainly contradicted or not; if there are no conflicts, of the one memory
        that it most likely means."""
        memory, resolves = statement.memory, statement.resolves
        corrects = bool(resolves and resolves.kind == "correction")
        if corrects:  # who corrects says that the newer takes the place of the older
            conflicts = [replace(each, plain=each.whole) for each in conflicts]
        if resolves and corrects and not conflicts:
            candidates = self._targets_to_take_back(memory, f"{memory.content} {resolves.about}")
            target = corrected(memory, resolves.about, candidates)
            conflicts = [Contradiction(target)] if target else []
        return self._replace(statement, conflicts, "corrected" if corrects else "")

    def _replace(self, statement: Statement, conflicts: Sequence[Contradiction], code: str) -> Outcome:
        """Keep a statement, and retire the older `conflicts` that it plainly contradicts (`code` goes to the ledger);
        mark those that are not plain as disputed. To plain newer ones it gives way first (`_give_way`); superseded by
        one, it is only kept. If an older one ranks higher, nothing is retired, and it is kept as `pending_review`."""
        memory = statement.memory
        conflicts, open_ones = _plain_and_open(conflicts)
        newer = [each for each in conflicts if memory_of(each.of).holds_since > memory.holds_since]
        conflicts = [each for each in conflicts if each not in newer]
        for each in newer:
            memory = self._give_way(memory, each)
        if memory.status == "superseded":
            by = memory.superseded_by or ""
            self.changes.create(memory, "superseded", "arrived-late", [by])
            return Outcome("accept", "arrived-late: a newer statement of the same thing is kept", memory.id)
        older = [memory_of(each.of) for each in conflicts]
        if strong := next((each for each in older if RANK[each.asserted_by] > RANK[memory.asserted_by]), None):
            waiting = memory.model_copy(update={"status": "pending_review"})
            self.changes.create(waiting, "disputed", "contradicts-entrenched", [strong.id])
            return Outcome("accept", f"pending-review: it contradicts what {strong.asserted_by} asserted", memory.id)
        whole = tuple(memory_of(each.of).id for each in conflicts if self._supersede(each, memory, code))
        if whole:
            memory = memory.model_copy(update={"supersedes": (*memory.supersedes, *whole)})
        if disputed := self._dispute(memory, open_ones):
            memory = memory.model_copy(update={"disputed_with": disputed})
        return self._create(statement, memory, "durable: a lasting statement with evidence")

    def _dispute(self, memory: Memory, conflicts: Sequence[Contradiction]) -> tuple[str, ...]:
        """Mark the memories of `conflicts` as disputed with this one; return the new `disputed_with` of this one, which
        is not changed yet."""
        for each in conflicts:
            disputed_with = (*self.changes.now(memory_of(each.of)).disputed_with, memory.id)
            self.changes.change(each.of, "disputed", {"disputed_with": disputed_with}, "cannot-both-hold", [memory.id])
        return tuple(dict.fromkeys((*memory.disputed_with, *(memory_of(each.of).id for each in conflicts))))

    def _create(self, statement: Statement, memory: Memory, reason: str) -> Outcome:
        """Add the memory of a statement to the `ChangeSet`, and to those with which later statements are compared;
        return the outcome that it is accepted for `reason`."""
        self.changes.create(memory, statement.event, statement.reason, memory.supersedes)
        self._known.add(memory)
        return Outcome("accept", reason, memory.id)

    def _give_way(self, memory: Memory, newer: Contradiction) -> Memory:
        """Return a late memory as a newer one leaves it: superseded, or its attributes that the newer states anew
        retired. A newer one of lower rank becomes `pending_review` instead, and the late one stays unchanged."""
        by = memory_of(newer.of)
        if RANK[by.asserted_by] < RANK[memory.asserted_by]:
            fields = {"status": "pending_review"}
            self.changes.change(newer.of, "disputed", fields, "contradicts-entrenched", [memory.id])
            return memory
        if newer.attributes and newer.attributes < set(memory.structured_attributes) - set(memory.retired_attributes):
            retired = {**memory.retired_attributes, **dict.fromkeys(sorted(newer.attributes), by.id)}
            return memory.model_copy(update={"retired_attributes": retired})
        return memory.model_copy(update={"status": "superseded", "superseded_by": by.id, "invalid_at": by.holds_since})

    def _supersede(self, conflict: Contradiction, new: Memory, code: str) -> bool:
        """Retire the memory of `conflict` in favour of `new`, or only the conflict's attributes if others stay; return
        whether it was the whole. `code` is the ledger's reason; if empty, `updated` or `denied`."""
        old = self.changes.now(memory_of(conflict.of))
        keys = {attribute_key(old.entity_ref or "", name) for name in conflict.attributes}
        if conflict.attributes and live_attributes(old).keys() - keys:
            retired = sorted(
                name for name in old.structured_attributes if attribute_key(old.entity_ref or "", name) in keys
            )
            fields = {"retired_attributes": old.retired_attributes | dict.fromkeys(retired, new.id)}
            self.changes.change(conflict.of, "attribute_retired", fields, code or "updated", [new.id])
            return False
        fields = {"status": "superseded", "superseded_by": new.id, "invalid_at": new.holds_since}
        reason = code or ("updated" if conflict.attributes or conflict.restated else "denied")
        self.changes.change(conflict.of, "superseded", fields, reason, [new.id])
        return True

    def _verdict_row(self, observation: MemoryObservation, memory: Memory, outcome: Outcome) -> VerdictRow:
        """Make the ledger's row of `outcome`, the decision on an observation; `memory` is the one made of that
        observation.
        """
        fact, wordings = observation.fact, (memory.content, *memory.evidence_quotes.values())
        return VerdictRow(
            observation_id=observation.id,
            session_id=observation.session_id,
            namespace=self.changes.namespace,
            observed_at=observation.observed_at,
            decided_at=self.changes.clock.now(),
            category=fact.category,
            confidence=fact.confidence,
            importance=observation.importance,
            verdict=outcome.verdict,
            reason=outcome.reason,
            resulting_primitive_id=outcome.memory_id,
            content_hash=words_key(self.key, memory.namespace, memory.content, memory.entity_ref).hex(),
            evidence=memory.evidence,
            said=tuple(dict.fromkeys(said_key(self.key, memory.namespace, each) for each in wordings)),
        )


def _plain_and_open(conflicts: Sequence[Contradiction]) -> tuple[list[Contradiction], list[Contradiction]]:
    """Split conflicts into those in which the newer plainly takes the older's place, and the others."""
    return [each for each in conflicts if each.plain], [each for each in conflicts if not each.plain]


def _is_repeated(observation: MemoryObservation) -> bool:
    """Whether the judge rejected an observation because its segment says the same earlier. This is read from the
    beginning of its reason, for an observation keeps no code.
    """
    return observation.verdict_reason.startswith("duplicate-in-segment")
