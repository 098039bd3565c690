"""Kept memories in, the changes of a consolidation out: batches, decisions as data, and how each is applied.

Without a model only what can be proved is done: the same statement twice becomes one, a newer value of an attribute
retires the older, what has expired is archived. For everything else a skip gives the reason.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from typing import Literal, TypeVar

from pellucid.clock import Clock
from pellucid.encoders.port import Vector
from pellucid.language.spelling import attribute_key, content_hash, normalise
from pellucid.language.words import content_words
from pellucid.memory.changes import ChangeSet
from pellucid.memory.consolidation.clusters import Item, clusters
from pellucid.memory.consolidation.equivalence import Form, difference, form, form_key, speakers
from pellucid.memory.reconcile.rivals import RANK, distrust_rank
from pellucid.memory.trust.zones import lowest
from pellucid.model.memory import Category, Memory, live_attributes
from pellucid.store.index_port import Served

Kind = Literal["add", "merge", "update", "invalidate", "split", "skip"]
LEFT_ALONE: frozenset[Category] = frozenset(
    {"correction", "commitment", "procedure", "reasoning_trace", "moment", "section"}
)
Undone = frozenset[frozenset[str]]
"""Sets of ids of memories that an earlier pass changed together, and whose change somebody undid."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done with the memories `of`, and why.

    merge: `of` become one memory with `contents[0]`. split: the one of `of` becomes several. add: a new memory beside
    `of`. update: the first of two gives way to the second in `attributes`. invalidate: it is archived. skip: nothing.
    """

    kind: Kind
    of: tuple[str, ...]
    reason: str
    contents: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    """The ids of the memories that the decision created."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Memories that are decided about together: a cluster of near ones, two with different values, or an expired one.

    `names` are names of speakers that can precede a statement.
    """

    kind: Literal["expired", "values", "near"]
    ids: tuple[str, ...]
    names: frozenset[str] = field(default=frozenset(), repr=False)


def is_candidate(memory: Memory) -> bool:
    """Whether consolidation may touch a memory: active, not pinned, no axiom, not in quarantine, and of no category in
    `LEFT_ALONE` (corrections, commitments, procedures, reasoning traces, passages, sections).
    """
    return (
        memory.status == "active"
        and not memory.pinned
        and memory.asserted_by != "axiom"
        and memory.trust_zone != "quarantine"
        and memory.category not in LEFT_ALONE
    )


def batches(
    memories: Sequence[Memory], new: Collection[str], vectors: Callable[[Memory], Vector | None], now: datetime
) -> list[Batch]:
    """Return the batches of memories that a consolidation pass has to decide about: first each expired memory by
    itself, then pairs that give an attribute different values, then clusters of similar statements (see
    `clusters.clusters`).

    `new` are the ids of memories since the last pass: one of a pair must be new, and one of two statements that are
    joined into a cluster (or, if both have equal form, any statement of that form). `vectors` returns a memory's
    vector, None if it has none. Only candidates (`is_candidate`) are in a batch.
    """
    standing = sorted((each for each in memories if is_candidate(each)), key=lambda each: each.id)
    over = {each.id for each in standing if _why_expired(each, now)}
    live = [each for each in standing if each.id not in over]
    values = sorted(_disagreeing_pairs(live, new))
    found = [Batch("expired", (each,)) for each in sorted(over)]
    found += [Batch("values", pair) for pair in values]
    return found + _near_batches(live, new, vectors)


def _near_batches(
    live: Sequence[Memory], new: Collection[str], vectors: Callable[[Memory], Vector | None]
) -> list[Batch]:
    """Return a batch for each cluster of two to eight similar memories among the candidates `live` that has a new one
    in it (see `clusters.clusters`). `new` are the ids of the memories since the last pass; `vectors` returns a memory's
    vector, None if it has none.
    """
    names = speakers(live)
    items = [
        Item(
            each.category,
            form_key(each, form(each, names)),
            frozenset(content_words(each.content)),
            vectors(each),
            each.id in new,
        )
        for each in live
    ]
    return [Batch("near", tuple(live[place].id for place in places), names) for places in clusters(items)]


def _disagreeing_pairs(live: Iterable[Memory], new: Collection[str]) -> set[tuple[str, str]]:
    """Return pairs of ids (the lower first) of memories of `live`, at least one of them in `new`, that give an
    attribute of one entity different values in force.
    """
    stating: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for memory in live:
        for key, value in live_attributes(memory).items():
            stating[key].append((memory.id, normalise(value)))
    return {
        (one, other) if one < other else (other, one)
        for values in stating.values()
        if len({value for _, value in values}) > 1
        for one, mine in values
        if one in new
        for other, theirs in values
        if mine != theirs
    }


def decide(batch: Batch, current: Mapping[str, Memory], now: datetime, undone: Undone = frozenset()) -> list[Decision]:
    """Return the decisions about a batch that can be proved without a model: `invalidate` for an expired memory,
    `update` or `skip` for two with different values, merges and skips for similar ones.

    `current` maps ids to the memories as they are now; those that are gone, or no longer candidates, are left out, and
    a pair or cluster of which one is left gets no decision. A change in `undone` (see `checked_decision`) becomes a
    skip.
    """
    candidates = [current[each] for each in batch.ids if each in current and is_candidate(current[each])]
    if batch.kind == "expired":
        decisions = [Decision("invalidate", (each.id,), why) for each in candidates if (why := _why_expired(each, now))]
    elif len(candidates) < 2:
        decisions = []
    elif batch.kind == "values":
        decisions = [_newer_of_two(candidates[0], candidates[1])]
    else:
        decisions = list(_merges_of_equals(candidates, batch.names))
    return [checked_decision(each, current, undone) for each in decisions]


def checked_decision(decision: Decision, current: Mapping[str, Memory], undone: Undone) -> Decision:
    """Return the decision; or a skip, if such a change was undone before, or if of the two memories of an update the
    first, which has to give way, ranks higher (axiom > user > inferred) or is not older.

    A change was undone if any two of its memories, or its only one, are in one set of `undone`; an `invalidate` only if
    a set has just its memory. `current` maps ids to the memories as they are now, at least those of the decision.
    """
    pairs = {frozenset(pair) for pair in combinations(decision.of, 2)} or {frozenset(decision.of)}
    is_single = decision.kind == "invalidate"
    was_undone = any(pair == each or (pair < each and not is_single) for pair in pairs for each in undone)
    if decision.kind != "skip" and was_undone:
        return Decision("skip", decision.of, "it was undone before")
    if decision.kind == "update":
        older, newer = (current[each] for each in decision.of)
        if RANK[older.asserted_by] > RANK[newer.asserted_by]:
            return Decision("skip", decision.of, f"the older was asserted by {older.asserted_by}")
        if older.holds_since >= newer.holds_since:
            return Decision("skip", decision.of, "values differ, and neither is newer")
    return decision


def _why_expired(memory: Memory, now: datetime) -> str:
    """Return why a memory is no longer valid by itself: `expired` from its `expires_at` on, `all attributes retired` if
    it states some and all are; empty if it is valid.
    """
    if memory.expires_at and memory.expires_at <= now:
        return "expired"
    stated = memory.structured_attributes
    return "all attributes retired" if stated and stated.keys() <= memory.retired_attributes.keys() else ""


def _newer_of_two(one: Memory, other: Memory) -> Decision:
    """Return the update by which the older of two memories (by `holds_since`, then id) gives way in the attributes
    whose values in force differ; a skip (`they agree`) if none does.
    """
    older, newer = sorted((one, other), key=lambda each: (each.holds_since, each.id))
    old, new = live_attributes(older), live_attributes(newer)
    keys = {key for key in old.keys() & new.keys() if normalise(old[key]) != normalise(new[key])}
    entity = older.entity_ref or ""
    names = tuple(name for name in older.structured_attributes if attribute_key(entity, name) in keys)
    both = (older.id, newer.id)
    return Decision("update", both, "newer value", attributes=names) if names else Decision("skip", both, "they agree")


def _merges_of_equals(memories: Sequence[Memory], names: Collection[str]) -> Iterator[Decision]:
    """Put the memories, the oldest first, into groups of which all are provably the same; yield a merge, with the
    longest content, for each group of two or more.

    Then yield, for the oldest memory of each group but the first, a skip whose reason is its difference from the most
    similar one of the groups before (see `_skips_of_others`). `names` are names of speakers.
    """
    forms = {each.id: form(each, names) for each in memories}
    groups: list[list[Memory]] = []
    for memory in sorted(memories, key=lambda each: (each.created, each.id)):
        fitting = (group for group in groups if not any(_difference(memory, each, forms) for each in group))
        group = next(fitting, None)
        if group is None:
            groups.append([memory])
        else:
            group.append(memory)
    for group in groups:
        if len(group) > 1:
            fullest = max(group, key=lambda each: len(each.content))
            yield Decision("merge", tuple(each.id for each in group), "the same statement", (fullest.content,))
    yield from _skips_of_others([group[0] for group in groups], forms)


def _skips_of_others(remaining: Sequence[Memory], forms: Mapping[str, Form]) -> Iterator[Decision]:
    """Yield a skip for each memory but the first: its reason is the difference from the most similar memory before it,
    and its `of` are the ids of that one and of the memory. `forms` maps ids to the memories' forms.
    """
    for at, memory in enumerate(remaining[1:], 1):
        reasons = [(_difference(memory, each, forms), each.id) for each in remaining[:at]]
        reason, other = max(reasons, key=lambda each: _NEARNESS.get(each[0], len(_NEARNESS)))
        yield Decision("skip", (other, memory.id), reason)


def _difference(one: Memory, other: Memory, forms: Mapping[str, Form]) -> str:
    """Return the difference that keeps two memories from being provably the same; empty if there is none.

    `forms` maps ids to the memories' forms.
    """
    return difference(one, other, (forms[one.id], forms[other.id]))


_FAR_TO_NEAR = (
    *("words differ", "entities differ", "identifiers differ", "numbers differ", "negation differs"),
    *("order differs", "function words differ", "punctuation differs", "capitals differ", "speakers differ"),
)
_NEARNESS = {reason: rank for rank, reason in enumerate(_FAR_TO_NEAR)}
"""Maps a difference to its rank: higher is nearer to a proof. Differences of circumstances, not listed, are nearest."""


def apply(decision: Decision, changes: ChangeSet, current: Mapping[str, Served], clock: Clock) -> Decision:
    """Carry out a decision through `changes`, which writes nothing yet; return it with the ids of the memories made.

    A merge, split or add creates memories; those of a merge or split supersede their parts. An update retires in the
    older of two what the newer states anew, or all of it (see `_retire_older`); an invalidate archives, a skip does
    nothing. `current` maps ids to the memories as they are now; KeyError if one of the decision is missing.
    """
    parts = [current[each] for each in decision.of]
    match decision.kind:
        case "merge" | "split" | "add":
            return _make_memory(decision, changes, parts, clock)
        case "update":
            _retire_older(decision, changes, parts)
        case "invalidate":
            changes.change(parts[0], "archived", {"status": "archived"}, decision.reason.replace(" ", "-"))
        case "skip":
            pass
    return decision


def _make_memory(decision: Decision, changes: ChangeSet, parts: Sequence[Served], clock: Clock) -> Decision:
    """Create the memories with the decision's contents in `changes`; unless it is an add, its `parts`, the memories
    that it is about, become superseded by the first of them. Return the decision with the new ids; nothing is written
    yet.
    """
    memories = [each.memory for each in parts]
    reason = f"consolidate:{decision.kind}"
    made = [
        derive_memory(memories, content, clock, attributes=_attributes_stated(decision, memories, content))
        for content in decision.contents
    ]
    for memory in made:
        changes.create(memory, "merged", reason, decision.of)
    ids = tuple(each.id for each in made)
    for part in parts if decision.kind != "add" else ():
        changes.change(part, "merged", {"status": "superseded", "superseded_by": ids[0]}, reason, ids)
    return Decision(decision.kind, decision.of, decision.reason, decision.contents, decision.attributes, ids)


def _attributes_stated(decision: Decision, parts: Sequence[Memory], content: str) -> dict[str, str]:
    """Return the attributes of a memory made of `parts`: those of all parts (a later one's value wins), if the decision
    is a merge and `content` is that of one part; else only those whose value stands in `content`, as words."""
    stated = {name: value for each in parts for name, value in each.structured_attributes.items()}
    if decision.kind == "merge" and content in {each.content for each in parts}:
        return stated
    return {name: value for name, value in stated.items() if f" {normalise(value)} " in f" {normalise(content)} "}


def derive_memory(parts: Sequence[Memory], content: str, clock: Clock, *, attributes: Mapping[str, str]) -> Memory:
    """Make a new memory of others (at least one), and store it nowhere: as old as the oldest, as trusted as the least,
    valid until the first of them ends, with all scopes.

    It has the given content, a new id, the highest confidence and importance, and `attributes` if all parts are about
    one entity. It is active and not pinned, and names its parts in `derived_from`.
    """
    first = min(parts, key=lambda each: (each.created, each.id))
    entity = _common_value([each.entity_ref for each in parts])
    kept_attributes = dict(attributes) if entity else {}
    retired = {name: by for each in parts for name, by in each.retired_attributes.items() if name in kept_attributes}
    verified = [each.last_verified_at for each in parts]
    return first.model_copy(
        update={
            "id": clock.new_id("mem"),
            "updated": clock.now(),
            "source": "consolidation",
            "content": content,
            "asserted_by": min(parts, key=lambda each: RANK[each.asserted_by]).asserted_by,
            "source_class": max(parts, key=lambda each: distrust_rank(each.source_class)).source_class,
            "session_id": _common_value([each.session_id for each in parts]),
            "agent": _common_value([each.agent for each in parts]),
            "episode_id": _common_value([each.episode_id for each in parts]),
            "evidence": _union(parts, "evidence"),
            "evidence_quotes": {place: said for each in parts for place, said in each.evidence_quotes.items()},
            "tags": _union(parts, "tags"),
            "scopes": _union(parts, "scopes"),
            "artifact_ids": _union(parts, "artifact_ids"),
            "confidence": max(each.confidence for each in parts),
            "importance_score": max(each.importance_score for each in parts),
            "pinned": False,
            "entity_ref": entity,
            "structured_attributes": kept_attributes,
            "retired_attributes": retired,
            "status": "active",
            "trust_zone": lowest(each.trust_zone for each in parts),
            "valid_at": min(each.holds_since for each in parts),
            "invalid_at": min(filter(None, (each.invalid_at for each in parts)), default=None),
            "expires_at": min(filter(None, (each.expires_at for each in parts)), default=None),
            "supersedes": (),
            "superseded_by": None,
            "content_hash": content_hash(content, entity),
            "derived_from": tuple(each.id for each in parts),
            "last_verified_at": min(filter(None, verified)) if all(verified) else None,
        }
    )


def _retire_older(decision: Decision, changes: ChangeSet, parts: Sequence[Served]) -> None:
    """Retire, in `changes`, the attributes of the first of two `parts` that the decision names; if it names none, or no
    other attribute is left, supersede the whole memory by the second, which then names it in `supersedes`.
    """
    old, new = changes.now(parts[0].memory), changes.now(parts[1].memory)
    retired = {**old.retired_attributes, **dict.fromkeys(sorted(decision.attributes), new.id)}
    if decision.attributes and old.structured_attributes.keys() - retired.keys():
        changes.change(parts[0], "attribute_retired", {"retired_attributes": retired}, "consolidate:update", [new.id])
        return
    fields = {"status": "superseded", "superseded_by": new.id, "invalid_at": new.holds_since}
    changes.change(parts[0], "superseded", fields, "consolidate:update", [new.id])
    supersedes = {"supersedes": (*new.supersedes, old.id)}
    changes.change(parts[1], "merged", supersedes, "consolidate:update", [old.id])


def count_decisions(decisions: Iterable[Decision]) -> Counter[str]:
    """Count decisions by kind, and skips also by reason (`skip: …`)."""
    counts: Counter[str] = Counter()
    for each in decisions:
        counts[each.kind] += 1
        if each.kind == "skip":
            counts[f"skip: {each.reason}"] += 1
    return counts


def _common_value(values: Sequence[_T]) -> _T | None:
    """Return the value that all values (at least one) equal; None if they differ."""
    return values[0] if all(each == values[0] for each in values) else None


def _union(parts: Iterable[Memory], name: str) -> tuple[str, ...]:
    """Return the values of the field `name`, a tuple of texts, in all of these memories, each once, in order."""
    return tuple(dict.fromkeys(value for each in parts for value in getattr(each, name)))
