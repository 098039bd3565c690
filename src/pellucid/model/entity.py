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


def family(name: str) -> str:
    """What numbered names have in common: `spec` of `SPEC-054`; empty for a name that is none."""
    found = _NUMBERED.fullmatch(node_key(name))
    return found[1] if found else ""


def entity_id(namespace: str, key: str, secret: bytes) -> str:
    """`ent_` and 32 hex digits: a node of one key in one namespace, whatever file speaks of it.

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
    """Pairs of a memory's id and the key of the node it answers for: a section its document, another memory itself."""


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


def chain(claims: Iterable[Claim], since: int, until: int = FOREVER) -> tuple[EntityState, ...]:
    """The states of an entity, oldest first: adjoining, never equal to their neighbour, the last open unless `until`.

    Of several claims about one attribute the one that began last holds, then the one written last. `since` is when the
    entity was first spoken of; there is always one state at least.
    """
    held = [claim for claim in claims if claim.valid_from < claim.valid_until]
    start = min([since, *(claim.valid_from for claim in held)])
    until = max(until, start + 1)
    by_attribute: dict[str, list[Claim]] = defaultdict(list)
    for claim in held:
        by_attribute[claim.attribute].append(claim)
    pieces = {name: _value_changes(each) for name, each in by_attribute.items()}
    turns: dict[int, dict[str, Claim | None]] = defaultdict(dict)
    for name, each in pieces.items():
        for at, claim in each:
            turns[at][name] = claim
    return _states(turns, start, until)


def _value_changes(claims: Sequence[Claim]) -> list[tuple[int, Claim | None]]:
    """When the value of one attribute changes, and the claim that then holds (None: nobody says)."""
    waiting = sorted(claims, key=lambda claim: claim.valid_from)
    points = sorted({point for claim in claims for point in (claim.valid_from, claim.valid_until)} - {FOREVER})
    heap: list[tuple[int, int, str, int]] = []
    out: list[tuple[int, Claim | None]] = []
    taken = 0
    for point in points:
        while taken < len(waiting) and waiting[taken].valid_from <= point:
            claim = waiting[taken]
            heapq.heappush(heap, (-claim.valid_from, -claim.recorded, _inverted(claim.memory_id), taken))
            taken += 1
        while heap and waiting[heap[0][3]].valid_until <= point:
            heapq.heappop(heap)
        out.append((point, waiting[heap[0][3]] if heap else None))
    return out


def _inverted(memory_id: str) -> str:
    """A key by which the greatest id comes first."""
    return "".join(chr(0x10FFFF - ord(char)) for char in memory_id)


def _states(turns: Mapping[int, Mapping[str, Claim | None]], start: int, until: int) -> tuple[EntityState, ...]:
    """The states from one change of a value to the next; a change to the value that held before makes none."""
    held: dict[str, Claim] = {}
    out: list[tuple[int, dict[str, str], EventType, str]] = []
    for at in sorted({start, *turns}):
        if at >= until:
            break
        before = {name: claim.value for name, claim in held.items()}
        for name, claim in turns.get(at, {}).items():
            if claim is None:
                held.pop(name, None)
            else:
                held[name] = claim
        props = {name: held[name].value for name in sorted(held)}
        if not out or props != before:
            cause = _cause(turns.get(at, {}), before)
            out.append((at, props, "created" if not out else event_of(before, props), cause))
    ends = [*(state[0] for state in out[1:]), until]
    return tuple(
        EntityState(at, end, props, event, cause) for (at, props, event, cause), end in zip(out, ends, strict=True)
    )


def _cause(changed: Mapping[str, Claim | None], before: Mapping[str, str]) -> str:
    news = (claim.memory_id for name, claim in changed.items() if claim and before.get(name) != claim.value)
    return min(news, default="")


_SUPERSEDED = ("superseded", "replaced")
_SAID = 120
"""Characters of what is said of a document's end, at most."""
_BY = ("superseded-by", "replaced-by", "obsoleted-by", "supersededby", "replacedby", "obsoletedby")
_RETIRED = (
    "withdrawn",
    "retired",
    "abandoned",
    "deprecated",
    "rejected",
    "archived",
    "obsolete",
    "removed",
    *_SUPERSEDED,
)


def retired(status: str) -> bool:
    """Whether a status says that what has it no longer holds: `Withdrawn`, `superseded by SPEC-2`, `Ｒｅｍｏｖｅｄ`."""
    return _folded(status).startswith(_RETIRED)


def is_superseded(status: str) -> bool:
    """Whether a status says that something newer stands in its place."""
    return _folded(status).startswith(_SUPERSEDED)


def retirement(header: Mapping[str, str]) -> str:
    """What a header says of the end of its document: `superseded by SPEC-2`, `withdrawn`; empty while it holds."""
    values = {re.sub(r"[\s_-]+", "-", key.strip().casefold()): value.strip() for key, value in header.items()}
    status = values.get("status", "")
    by = next((values[key] for key in _BY if values.get(key)), "")
    if by and not status.casefold().endswith(by.casefold()):
        return f"superseded by {by}"[:_SAID]
    return re.split("[(（]", status[:1].lower() + status[1:])[0].strip()[:_SAID] if by or retired(status) else ""


def _folded(status: str) -> str:
    return unicodedata.normalize("NFKC", status).casefold()


def event_of(before: Mapping[str, str], after: Mapping[str, str]) -> EventType:
    """What kind of change lies between two states, by the attributes that differ; nothing was renamed from nothing."""
    moved = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    status = _folded(after.get("status", "")) if "status" in moved else ""
    if is_superseded(status) or moved & {"superseded-by", "replaced-by"}:
        return "superseded"
    if retired(status):
        return "retired"
    if status.startswith("moved") or "merged-into" in moved:
        return "merged"
    again = moved & before.keys() & after.keys()
    if again & {"title", "name"}:
        return "renamed"
    return "version_bumped" if again & {"version", "spec-version"} else "changed"
