"""Kept memories in, what a consolidation does to them out: candidates, decisions as data, and how each is applied.

Without a model only what can be proved is done: the same statement twice becomes one, a newer value of an attribute
retires the older, what has expired is archived. Everything else is a skip that says why.
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
from pellucid.memory.reconcile.known import live_attributes
from pellucid.memory.reconcile.rivals import RANK, distrust_rank, holds_since
from pellucid.memory.trust.zones import lowest
from pellucid.model.memory import Category, Memory
from pellucid.store.index_port import Served

Kind = Literal["add", "merge", "update", "invalidate", "split", "skip"]
LEFT_ALONE: frozenset[Category] = frozenset(
    {"correction", "commitment", "procedure", "reasoning_trace", "moment", "section"}
)
Undone = frozenset[frozenset[str]]
"""The ids that stood in changes of earlier passes which somebody undid."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done with some memories, and why.

    merge: `of` become one that says `contents[0]`. split: the one of `of` becomes several. add: a new memory beside
    `of`. update: of two, the first gives way to the second in `attributes`. invalidate: it is archived. skip: nothing.
    """

    kind: Kind
    of: tuple[str, ...]
    reason: str
    contents: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    """The ids of the memories it made."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Memories that are decided about together: a cluster of near ones, two that disagree, or one whose time is over.

    `names` are those of speakers, as they may stand in front of a statement.
    """

    kind: Literal["expired", "values", "near"]
    ids: tuple[str, ...]
    names: frozenset[str] = field(default=frozenset(), repr=False)


def is_candidate(memory: Memory) -> bool:
    """Whether a pass may touch a memory: active, and not pinned, an axiom, in quarantine, or of a kind left alone."""
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
    """All that a pass has to decide about, in a fixed order.

    `new` are the ids of memories since the last pass: of the others, only what has expired is decided about.
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
    """Batches of memories that are near one another, each with a new one in it; `vectors` gives a memory's vector."""
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
    """The ids, in order, of pairs of memories that state different values of one attribute, one of them new."""
    stating: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for memory in live:
        for key, value in live_attributes(memory).items():
            stating[key].append((memory.id, normalise(value)))
    return {
        (one, other) if one < other else (other, one)
        for said in stating.values()
        if len({value for _, value in said}) > 1
        for one, mine in said
        if one in new
        for other, theirs in said
        if mine != theirs
    }


def decide(batch: Batch, held: Mapping[str, Memory], now: datetime, undone: Undone = frozenset()) -> list[Decision]:
    """What can be proved about a batch; `held` are its memories as they stand now, by id.

    Those that may not be touched any more are left out.
    """
    found = [held[each] for each in batch.ids if each in held and is_candidate(held[each])]
    if batch.kind == "expired":
        taken = [Decision("invalidate", (each.id,), why) for each in found if (why := _why_expired(each, now))]
    elif len(found) < 2:
        taken = []
    elif batch.kind == "values":
        taken = [_newer_of_two(found[0], found[1])]
    else:
        taken = list(_merges_of_equals(found, batch.names))
    return [checked_decision(each, held, undone) for each in taken]


def checked_decision(decision: Decision, held: Mapping[str, Memory], undone: Undone) -> Decision:
    """The decision, or a skip instead: what somebody undid is not done again, and a weaker memory replaces none."""
    together = {frozenset(pair) for pair in combinations(decision.of, 2)} or {frozenset(decision.of)}
    is_alone = decision.kind == "invalidate"
    back = any(pair == each or (pair < each and not is_alone) for pair in together for each in undone)
    if decision.kind != "skip" and back:
        return Decision("skip", decision.of, "it was undone before")
    if decision.kind == "update":
        older, newer = (held[each] for each in decision.of)
        if RANK[older.asserted_by] > RANK[newer.asserted_by]:
            return Decision("skip", decision.of, f"the older was asserted by {older.asserted_by}")
        if holds_since(older) >= holds_since(newer):
            return Decision("skip", decision.of, "values differ, and neither is newer")
    return decision


def _why_expired(memory: Memory, now: datetime) -> str:
    """Why a memory holds no more by itself, `expired` or `all attributes retired`; empty while it does."""
    if memory.expires_at and memory.expires_at <= now:
        return "expired"
    stated = memory.structured_attributes
    return "all attributes retired" if stated and stated.keys() <= memory.retired_attributes.keys() else ""


def _newer_of_two(one: Memory, other: Memory) -> Decision:
    """The update by which the older of two memories gives way in the attributes that they disagree about."""
    older, newer = sorted((one, other), key=lambda each: (holds_since(each), each.id))
    old, new = live_attributes(older), live_attributes(newer)
    keys = {key for key in old.keys() & new.keys() if normalise(old[key]) != normalise(new[key])}
    entity = older.entity_ref or ""
    names = tuple(name for name in older.structured_attributes if attribute_key(entity, name) in keys)
    both = (older.id, newer.id)
    return Decision("update", both, "newer value", attributes=names) if names else Decision("skip", both, "they agree")


def _merges_of_equals(found: Sequence[Memory], names: Collection[str]) -> Iterator[Decision]:
    """A merge for each group of memories that are provably the same, each with each; then a skip for each other one.

    `names` are those of speakers.
    """
    forms = {each.id: form(each, names) for each in found}
    groups: list[list[Memory]] = []
    for memory in sorted(found, key=lambda each: (each.created, each.id)):
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


def _skips_of_others(left: Sequence[Memory], forms: Mapping[str, Form]) -> Iterator[Decision]:
    """For each memory but the first a skip that says what keeps it from being merged with the nearest one before."""
    for at, memory in enumerate(left[1:], 1):
        reasons = [(_difference(memory, each, forms), each.id) for each in left[:at]]
        reason, other = max(reasons, key=lambda each: _NEARNESS.get(each[0], len(_NEARNESS)))
        yield Decision("skip", (other, memory.id), reason)


def _difference(one: Memory, other: Memory, forms: Mapping[str, Form]) -> str:
    """What keeps two memories from being provably the same, given the forms of all by id; empty if nothing does."""
    return difference(one, other, (forms[one.id], forms[other.id]))


_FAR_TO_NEAR = (
    *("words differ", "entities differ", "identifiers differ", "numbers differ", "negation differs"),
    *("order differs", "function words differ", "punctuation differs", "capitals differ", "speakers differ"),
)
_NEARNESS = {reason: rank for rank, reason in enumerate(_FAR_TO_NEAR)}
"""How near to a proof a difference is; those of circumstances are nearest."""


def apply(decision: Decision, changes: ChangeSet, held: Mapping[str, Served], clock: Clock) -> Decision:
    """Carry out a decision; returns it, with the ids of the memories it made. `held` are the memories by id."""
    parts = [held[each] for each in decision.of]
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
    """Create the memories that a decision asks for, and retire its parts; returns it, with the ids of the new ones."""
    memories = [each.memory for each in parts]
    reason = f"consolidate:{decision.kind}"
    made = [
        derive_memory(memories, content, clock, stating=_attributes_stated(decision, memories, content))
        for content in decision.contents
    ]
    for memory in made:
        changes.create(memory, "merged", reason, decision.of)
    ids = tuple(each.id for each in made)
    for part in parts if decision.kind != "add" else ():
        changes.change(part, "merged", {"status": "superseded", "superseded_by": ids[0]}, reason, ids)
    return Decision(decision.kind, decision.of, decision.reason, decision.contents, decision.attributes, ids)


def _attributes_stated(decision: Decision, parts: Sequence[Memory], content: str) -> dict[str, str]:
    """The attributes of a memory made of others: all of theirs, or those whose value it says if a model wrote it."""
    stated = {name: value for each in parts for name, value in each.structured_attributes.items()}
    if decision.kind == "merge" and content in {each.content for each in parts}:
        return stated
    return {name: value for name, value in stated.items() if f" {normalise(value)} " in f" {normalise(content)} "}


def derive_memory(parts: Sequence[Memory], content: str, clock: Clock, *, stating: Mapping[str, str]) -> Memory:
    """A new memory, with an id from the clock, made of others (one at least): as old as the oldest of them.

    It has new content, and the attributes `stating` if all are about one entity.

    It is as trusted as the least trusted, and has the scopes of all.
    """
    first = min(parts, key=lambda each: (each.created, each.id))
    entity = _common_value([each.entity_ref for each in parts])
    attributes = dict(stating) if entity else {}
    retired = {name: by for each in parts for name, by in each.retired_attributes.items() if name in attributes}
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
            "structured_attributes": attributes,
            "retired_attributes": retired,
            "status": "active",
            "trust_zone": lowest(each.trust_zone for each in parts),
            "valid_at": min(map(holds_since, parts)),
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
    """Retire the attributes of the older memory that the newer states anew; the whole of it where no other is left."""
    old, new = changes.now(parts[0].memory), changes.now(parts[1].memory)
    retired = {**old.retired_attributes, **dict.fromkeys(sorted(decision.attributes), new.id)}
    if decision.attributes and old.structured_attributes.keys() - retired.keys():
        changes.change(parts[0], "attribute_retired", {"retired_attributes": retired}, "consolidate:update", [new.id])
        return
    fields = {"status": "superseded", "superseded_by": new.id, "invalid_at": holds_since(new)}
    changes.change(parts[0], "superseded", fields, "consolidate:update", [new.id])
    supersedes = {"supersedes": (*new.supersedes, old.id)}
    changes.change(parts[1], "merged", supersedes, "consolidate:update", [old.id])


def count_decisions(decisions: Iterable[Decision]) -> Counter[str]:
    """The number of decisions by kind, and of skips also by reason (`skip: …`)."""
    counts: Counter[str] = Counter()
    for each in decisions:
        counts[each.kind] += 1
        if each.kind == "skip":
            counts[f"skip: {each.reason}"] += 1
    return counts


def _common_value(values: Sequence[_T]) -> _T | None:
    """The value that all are equal to; None if they differ."""
    return values[0] if all(each == values[0] for each in values) else None


def _union(parts: Iterable[Memory], name: str) -> tuple[str, ...]:
    """The values of a field of texts in all of these memories, each once."""
    return tuple(dict.fromkeys(value for each in parts for value in getattr(each, name)))
