"""What files say of named things in, entities, typed edges and chains of states out: the vocabulary of the graph.

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
"""The first eight lie between entities; ABOUT and MENTIONS lead from a memory to an entity, SUPERSEDES and DERIVED_FROM
also from a memory to a memory, PART_OF from a memory to its episode."""
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)
"""The strongest first. Append only: the place of a type is stored, in the index (`edges.type`) and in receipts.

ALIAS_OF is reserved: no file says it, since another name is no edge (`GraphFacts.aliases`). It keeps its place for the
sake of those behind it.
"""

EventType = Literal["created", "changed", "renamed", "version_bumped", "superseded", "retired", "merged"]

IDENTITY = re.compile(r"(mem|ep)_[0-9a-f]{32}")
"""The whole key of a memory or an episode, its id; no name has such a key, since `node_key` leaves no underscore."""
_NUMBERED = re.compile(r"([a-z][a-z0-9]*)[-#]*?-?#?0*(\d+)", re.ASCII)


def node_key(name: str) -> str:
    """The comparable name of an entity: `SPEC-054`, `spec 54` and `Spec #54` are one."""
    key = entity_key(name)
    found = _NUMBERED.fullmatch(key.replace("-#", "-").replace("#", "-"))
    return f"{found[1]}-{found[2]}" if found else key


def series_of(name: str) -> str:
    """The series that a numbered name belongs to: `spec` for `SPEC-054`; empty for a name without a number."""
    found = _NUMBERED.fullmatch(node_key(name))
    return found[1] if found else ""


def entity_id(namespace: str, key: str, secret: bytes) -> str:
    """The id of the node with this key (see `node_key`) in a namespace: `ent_` and 32 hex digits.

    `secret` (at most 64 bytes) is the vault's: without it nobody can tell from an id whether a guessed name is meant.
    """
    named = f"{namespace}\0{key}"
    return f"ent_{blake2b(named.encode(), digest_size=16, key=secret).hexdigest()}"


@dataclass(frozen=True, slots=True)
class EntityFact:
    """That a file speaks of an entity: by what name, of what type if it knows, from when on, and whether it defines it.

    `type` is empty where the file only mentions it.
    """

    key: str
    name: str
    type: str = ""
    defines: bool = False
    since: int = 0
    until: int = FOREVER


@dataclass(frozen=True, slots=True)
class Edge:
    """One typed edge between two nodes, by key, and who says so.

    Keys of memories and episodes are their ids. `memory_id` is the memory (a section, mostly) that the edge was read
    from, `section` its heading or header key, `anchor` the part of the target that is meant (`3` of `SPEC-037 §3`).
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
    """When it was written down: what was not known before it."""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """That an attribute of an entity had a value over an interval, and who says so."""

    entity: str
    attribute: str
    value: str
    memory_id: str
    valid_from: int
    valid_until: int = FOREVER
    recorded: int = 0
    retired_by: str = ""
    """The memory that said this attribute anew: from then on this one says nothing of it, whatever becomes of that."""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """All that one file says of the graph."""

    entities: tuple[EntityFact, ...] = ()
    edges: tuple[Edge, ...] = ()
    claims: tuple[Claim, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of keys: another name, and the entity it stands for."""
    homes: tuple[tuple[str, str], ...] = ()
    """Pairs of a memory's id and the key of the node it stands for: a section its document, another memory itself."""


NO_FACTS = GraphFacts()


@dataclass(frozen=True, slots=True)
class EntityState:
    """What was true of an entity over `[valid_from, valid_until)`, and what brought it about.

    The end of one is the beginning of the next: SUPERSEDED_BY {eventType, at, causeMemoryId} lies between them.
    """

    valid_from: int
    valid_until: int
    props: Mapping[str, str] = field(default_factory=dict[str, str])
    event: EventType = "created"
    cause: str = ""
    """The memory whose claim began it."""


def state_chain(claims: Iterable[Claim], since: int, until: int = FOREVER) -> tuple[EntityState, ...]:
    """The states of an entity, oldest first: adjoining, never equal to their neighbour, the last open unless `until`.

    Of several claims about one attribute the one that began last holds, then the one written last. `since` is when the
    entity was first spoken of; there is always one state at least.
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
    return _states(changes, start, until)


def _value_changes(claims: Sequence[Claim]) -> list[tuple[int, Claim | None]]:
    """The instants at which the claims about one attribute begin or end, each with the claim that holds from then on.

    None where no claim holds any more.
    """
    waiting = sorted(claims, key=lambda claim: claim.valid_from)
    instants = sorted({at for claim in claims for at in (claim.valid_from, claim.valid_until)} - {FOREVER})
    heap: list[tuple[int, int, str, int]] = []
    out: list[tuple[int, Claim | None]] = []
    taken = 0
    for at in instants:
        while taken < len(waiting) and waiting[taken].valid_from <= at:
            claim = waiting[taken]
            heapq.heappush(heap, (-claim.valid_from, -claim.recorded, _greatest_first(claim.memory_id), taken))
            taken += 1
        while heap and waiting[heap[0][3]].valid_until <= at:
            heapq.heappop(heap)
        out.append((at, waiting[heap[0][3]] if heap else None))
    return out


def _greatest_first(memory_id: str) -> str:
    """A sort key by which the greatest id comes first."""
    return "".join(chr(0x10FFFF - ord(char)) for char in memory_id)


def _states(changes: Mapping[int, Mapping[str, Claim | None]], start: int, until: int) -> tuple[EntityState, ...]:
    """The states over `[start, until)`, by instant the claims that take effect (None: the attribute has no value).

    A change to the value that held before begins no state.
    """
    held: dict[str, Claim] = {}
    out: list[tuple[int, dict[str, str], EventType, str]] = []
    for at in sorted({start, *changes}):
        if at >= until:
            break
        changed = changes.get(at, {})
        before = {name: claim.value for name, claim in held.items()}
        held = {name: claim for name, claim in {**held, **changed}.items() if claim}
        props = {name: held[name].value for name in sorted(held)}
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
    """Whether a status says that what has it no longer holds: `Withdrawn`, `superseded by SPEC-2`, `Ｒｅｍｏｖｅｄ`."""
    return _folded(status).startswith(_RETIRED)


def is_superseded(status: str) -> bool:
    """Whether a status says that something newer has taken its place: `Superseded by SPEC-2`, `replaced`."""
    return _folded(status).startswith(_SUPERSEDED)


def retirement(header: Mapping[str, str]) -> str:
    """How a header says that its document no longer holds: `superseded by SPEC-2`, `withdrawn`; empty while it does."""
    values = {re.sub(r"[\s_-]+", "-", key.strip().casefold()): value.strip() for key, value in header.items()}
    status = values.get("status", "")
    successor = next((values[key] for key in _SUCCESSOR_KEYS if values.get(key)), "")
    if successor and not status.casefold().endswith(successor.casefold()):
        return f"superseded by {successor}"[:_LONGEST_RETIREMENT]
    if not successor and not is_retired(status):
        return ""
    return re.split("[(（]", status[:1].lower() + status[1:])[0].strip()[:_LONGEST_RETIREMENT]


def _folded(status: str) -> str:
    """A status in compatibility form and without case."""
    return unicodedata.normalize("NFKC", status).casefold()


def event_between(before: Mapping[str, str], after: Mapping[str, str]) -> EventType:
    """The kind of change that leads from one state's attributes to the next's, by those that differ."""
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    status = _folded(after.get("status", "")) if "status" in changed else ""
    if is_superseded(status) or changed & {"superseded-by", "replaced-by"}:
        return "superseded"
    if is_retired(status):
        return "retired"
    if status.startswith("moved") or "merged-into" in changed:
        return "merged"
    replaced = changed & before.keys() & after.keys()
    if replaced & {"title", "name"}:
        return "renamed"
    return "version_bumped" if replaced & {"version", "spec-version"} else "changed"
