"""Facts of files about named things in, entities, typed edges and chains of states out: the vocabulary of the graph.

Instants are epoch milliseconds; an interval is half-open, and `FOREVER` ends one that is still open.
"""

import heapq
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, get_args

from pellucid.language.spelling import entity_key

FOREVER = 1 << 62

EdgeType = Literal[
    "DEPENDS_ON",
    "IMPLEMENTS",
    "EXTENDS",
    "REFERENCES",
    "SUPERSEDES",
    "RELATES_TO",
    "MENTIONS",
    "ALIAS_OF",
    "ABOUT",
    "DERIVED_FROM",
    "PART_OF",
]
"""The first eight types connect entities; ABOUT and MENTIONS lead from a memory to an entity, SUPERSEDES and
DERIVED_FROM also from a memory to a memory, PART_OF from a memory to its episode.
"""
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)
"""All types, the strongest first. Append only: the index (`edges.type`) and receipts store a type as its place here.

ALIAS_OF is reserved: another name of an entity is not an edge (`GraphFacts.aliases`). It stays so that the types after
it keep their places.
"""

EventType = Literal["created", "changed", "renamed", "version_bumped", "superseded", "retired", "merged"]

IDENTITY = re.compile(r"(mem|ep)_[0-9a-f]{32}")
"""The key of a memory or an episode, which is its id; no name has such a key, for `node_key` leaves no underscore."""
_NUMBERED = re.compile(r"([a-z][a-z0-9]*)[-#]*?-?#?0*(\d+)", re.ASCII)


def node_key(name: str) -> str:
    """Return the key by which names of an entity are compared: equal for `SPEC-054`, `spec 54` and `Spec #54`.

    It is the `entity_key` of the name: in lower case, with hyphens for blanks. For a series with a number (a word of
    ASCII letters and digits, then digits) it is `series-number`, without `#` and leading zeros.
    """
    key = entity_key(name)
    found = _NUMBERED.fullmatch(key.replace("-#", "-").replace("#", "-"))
    return f"{found[1]}-{found[2]}" if found else key


def series_of(name: str) -> str:
    """Return the series of a numbered name, in lower case: `spec` for `SPEC-054`; empty for any other name."""
    found = _NUMBERED.fullmatch(node_key(name))
    return found[1] if found else ""


def entity_id(namespace: str, key: str, secret: bytes) -> str:
    """Return the id of the node with this key (see `node_key`) in a namespace: `ent_` and 32 hex digits.

    `secret` (at most 64 bytes) is the vault's: without it nobody can check whether an id belongs to a guessed name.
    """
    identity = f"{namespace}\0{key}"
    return f"ent_{blake2b(identity.encode(), digest_size=16, key=secret).hexdigest()}"


@dataclass(frozen=True, slots=True)
class EntityFact:
    """A file's mention or definition of an entity: its name, its type (empty if only mentioned), and since when."""

    key: str
    name: str
    type: str = ""
    defines: bool = False
    since: int = 0
    until: int = FOREVER


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed edge from one node to another, given by their keys, and the memory that states it.

    The key of a memory or episode is its id. `memory_id` is the memory (mostly a section) that the edge was read from,
    `section` that memory's heading or header key, `anchor` the part of the target that is meant (`3` of `SPEC-037 §3`).
    """

    source: str
    target: str
    type: EdgeType
    memory_id: str
    section: str = ""
    confidence: float = 1.0
    valid_from: int = 0
    valid_until: int = FOREVER
    recorded: int = 0
    """When the edge was written down: until then it was not known."""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """The value that an attribute of an entity had over an interval, and the memory that states it."""

    entity: str
    attribute: str
    value: str
    memory_id: str
    valid_from: int
    valid_until: int = FOREVER
    recorded: int = 0
    retired_by: str = ""
    """The memory that stated this attribute anew: from then on this claim no longer counts."""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """All that one file states about the graph."""

    entities: tuple[EntityFact, ...] = ()
    edges: tuple[Edge, ...] = ()
    claims: tuple[Claim, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of keys: another name, and the entity that it means."""
    homes: tuple[tuple[str, str], ...] = ()
    """Pairs of a memory's id and a node's key: a section's node is its document, another memory is a node itself."""


NO_FACTS = GraphFacts()


@dataclass(frozen=True, slots=True)
class EntityState:
    """The attributes of an entity over `[valid_from, valid_until)`, and the event that began them.

    A state ends when the next begins: SUPERSEDED_BY {eventType, at, causeMemoryId} lies between the two.
    """

    valid_from: int
    valid_until: int
    props: Mapping[str, str] = field(default_factory=dict[str, str])
    event: EventType = "created"
    cause: str = ""
    """The id of the memory whose claim began the state."""


def state_chain(claims: Iterable[Claim], since: int, until: int = FOREVER) -> tuple[EntityState, ...]:
    """Return the states of an entity, oldest first, without gaps; neighbours differ, and the last ends at `until`.

    Each claim gives an attribute a value for a period. Claims must be cut to the periods in which they count:
    `retired_by` is not read, and empty periods are ignored. Of several claims about one attribute, the one that began
    last counts, then the one recorded last. The chain begins at `since`, when the entity was first mentioned, or with
    an earlier claim. It has at least one state, which lasts 1 ms if `until` is not after its beginning.
    """
    valid = [claim for claim in claims if claim.valid_from < claim.valid_until]
    start = min([since, *(claim.valid_from for claim in valid)])
    until = max(until, start + 1)
    by_attribute: dict[str, list[Claim]] = defaultdict(list)
    for claim in valid:
        by_attribute[claim.attribute].append(claim)
    changes: dict[int, dict[str, Claim | None]] = defaultdict(dict)
    for name, each in by_attribute.items():
        for at, claim in _value_changes(each):
            changes[at][name] = claim
    return _states_from_changes(changes, start, until)


def _value_changes(claims: Sequence[Claim]) -> list[tuple[int, Claim | None]]:
    """Return, in order, the instants at which claims about one attribute begin or end, each with the claim that is in
    force from then on, or None if none is.

    Of several valid claims, the one that began last is in force, then the one recorded last, then the one with the
    greatest `memory_id`. `FOREVER` is no such instant.
    """
    waiting = sorted(claims, key=lambda claim: claim.valid_from)
    instants = sorted({at for claim in claims for at in (claim.valid_from, claim.valid_until)} - {FOREVER})
    in_force: list[tuple[int, int, str, int]] = []
    changes: list[tuple[int, Claim | None]] = []
    next_claim = 0
    for at in instants:
        # the heap has every claim that has begun; its top is the one in force, once those that ended are popped
        while next_claim < len(waiting) and waiting[next_claim].valid_from <= at:
            claim = waiting[next_claim]
            heapq.heappush(in_force, (-claim.valid_from, -claim.recorded, _descending_key(claim.memory_id), next_claim))
            next_claim += 1
        while in_force and waiting[in_force[0][3]].valid_until <= at:
            heapq.heappop(in_force)
        changes.append((at, waiting[in_force[0][3]] if in_force else None))
    return changes


def _descending_key(memory_id: str) -> str:
    """Return a sort key by which the greatest id comes first."""
    return "".join(chr(0x10FFFF - ord(char)) for char in memory_id)


def _states_from_changes(
    changes: Mapping[int, Mapping[str, Claim | None]], start: int, until: int
) -> tuple[EntityState, ...]:
    """Return the states over `[start, until)`, oldest first. `changes` maps an instant to the claims that take effect
    then, by attribute; a claim of None ends the attribute's value.

    `until` must be after `start`, and no change may be before `start`. A change to an equal value begins no state. The
    `cause` of a state is the smallest id of the memories that gave a new value, empty if values only ended.
    """
    current: dict[str, Claim] = {}
    out: list[tuple[int, dict[str, str], EventType, str]] = []
    for at in sorted({start, *changes}):
        if at >= until:
            break
        changed = changes.get(at, {})
        before = {name: claim.value for name, claim in current.items()}
        current = {name: claim for name, claim in {**current, **changed}.items() if claim}
        props = {name: current[name].value for name in sorted(current)}
        if not out or props != before:
            news = (each.memory_id for name, each in changed.items() if each and before.get(name) != each.value)
            event = event_between(before, props) if out else "created"
            out.append((at, props, event, min(news, default="")))
    ends = [*(state[0] for state in out[1:]), until]
    return tuple(
        EntityState(at, end, props, event, cause) for (at, props, event, cause), end in zip(out, ends, strict=True)
    )


_LONGEST_RETIREMENT = 120
_SUCCESSOR_KEYS = ("superseded-by", "replaced-by", "obsoleted-by", "supersededby", "replacedby", "obsoletedby")
_SUPERSEDED = ("superseded", "replaced")
_RETIRED = (
    *("withdrawn", "retired", "abandoned", "deprecated", "rejected", "archived", "obsolete", "removed"),
    *_SUPERSEDED,
)


def is_retired(status: str) -> bool:
    """Whether a status begins with a word, in any case, that says that its owner is no longer in force: `Withdrawn`,
    `deprecated`, `rejected`, `superseded` and the like (`_RETIRED`).
    """
    return _comparable_status(status).startswith(_RETIRED)


def is_superseded(status: str) -> bool:
    """Whether a status begins with `superseded` or `replaced`, in any case: something newer has taken its owner's
    place.
    """
    return _comparable_status(status).startswith(_SUPERSEDED)


def retirement(header: Mapping[str, str]) -> str:
    """Return how a header says that its document is retired: `superseded by SPEC-2`, `withdrawn`; empty if not.

    A key such as `superseded-by` counts before `status`, unless the status ends with the successor's name. A status is
    returned with a small first letter, up to a parenthesis. At most 120 characters.
    """
    values = {re.sub(r"[\s_-]+", "-", key.strip().casefold()): value.strip() for key, value in header.items()}
    status = values.get("status", "")
    successor = next((values[key] for key in _SUCCESSOR_KEYS if values.get(key)), "")
    if successor and not status.casefold().endswith(successor.casefold()):
        return f"superseded by {successor}"[:_LONGEST_RETIREMENT]
    if not successor and not is_retired(status):
        return ""
    return re.split("[(（]", status[:1].lower() + status[1:])[0].strip()[:_LONGEST_RETIREMENT]


def _comparable_status(status: str) -> str:
    """Return a status in compatibility form (NFKC) and without case."""
    return unicodedata.normalize("NFKC", status).casefold()


def event_between(before: Mapping[str, str], after: Mapping[str, str]) -> EventType:
    """Return the kind of change that leads from one state's attributes to the next's, judged by those that differ.

    Names are in comparable form (`superseded-by`). The first that fits: `superseded` if a new status says so
    (`is_superseded`), or `superseded-by` or `replaced-by` is new or has a new value; `retired` if a new status says so
    (`is_retired`); `merged` if a new status begins with `moved`, or `merged-into` differs; `renamed` if `title` or
    `name` has another value, `version_bumped` if `version` or `spec-version` has (in both states); else `changed`.
    """
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    status = _comparable_status(after.get("status", "")) if "status" in changed else ""
    if is_superseded(status) or changed & after.keys() & {"superseded-by", "replaced-by"}:
        return "superseded"
    if is_retired(status):
        return "retired"
    if status.startswith("moved") or "merged-into" in changed:
        return "merged"
    replaced = changed & before.keys() & after.keys()
    if replaced & {"title", "name"}:
        return "renamed"
    return "version_bumped" if replaced & {"version", "spec-version"} else "changed"
