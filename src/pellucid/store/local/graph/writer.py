"""What files say of named things in, rows of nodes, edges, claims and states out: the graph's share of one `apply`.

A path's facts are replaced as a whole. What follows from several files (the name and type of an entity, its chain of
states) is worked out anew, at the end, for the entities that were touched; what nobody speaks of any more goes.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import apsw

from pellucid.clock import EPOCH, epoch_ms
from pellucid.model.document import Document
from pellucid.model.entity import (
    EDGE_TYPES,
    FOREVER,
    IDENTITY,
    NO_FACTS,
    Claim,
    Edge,
    EntityFact,
    EntityState,
    GraphFacts,
    chain,
)
from pellucid.model.memory import Memory, recorded_at
from pellucid.store.index_changes import PathChange
from pellucid.store.local.database import Value, execute, execute_many
from pellucid.store.local.index.past_view import in_force, standing_now

GRAPH_SEGMENT = 64
"""Files whose edges are read together."""
NUMBERS = 1 << 62
"""Nodes are numbered below this."""
_NUMBERED = re.compile(r"[a-z][a-z0-9]*-\d+")
_NODES = ("Memory", "Episode")
_BATCH = 1000
_TRAIL = " › "
Rows = set[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace and its number."""

    name: str
    ns: int


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What all files together say of a node."""

    node: int
    name: str
    type: str
    defined: bool
    since: int
    until: int
    held: tuple[str, str, bool, int | None]
    """Name, type, defined and since, as the node has them."""


def standing_type(key: str, said: str = "") -> str:
    """The type of a node: a memory or an episode by its id, else what is said of it, else by the look of its key."""
    if found := IDENTITY.fullmatch(key):
        return "Memory" if found[1] == "mem" else "Episode"
    if said and said not in _NODES:
        return said
    if not _NUMBERED.fullmatch(key):
        return "Thing"
    return "Decision" if key.startswith("adr-") else "Specification"


def _plain_name(key: str) -> str:
    """What a node is called that no file names: `SPEC-54` for an id, else its key."""
    return key.upper() if _NUMBERED.fullmatch(key) else key


def _hash_of(*parts: object) -> int:
    """62 bits that name these parts, whatever the order in which files are folded."""
    data = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") % NUMBERS


def number_of(namespace: str, key: str) -> int:
    """The number of a node, unless another has it: then it is the next that is free."""
    return _hash_of(namespace, key)


def heading_of(memory: Memory, document: Document | None) -> str:
    """The heading of a section's row: the last of the trail in its first line; empty for what is no section."""
    if memory.category != "section":
        return ""
    first = memory.content.partition("\n")[0]
    title = document.title if document else ""
    _, _, trail = first.partition(title + _TRAIL) if title else first.partition(_TRAIL)
    return trail.rpartition(_TRAIL)[2]


class GraphFold:
    """The graph's writes of one `apply`."""

    def __init__(self, connection: apsw.Connection, queries: dict[str, str]) -> None:
        self._connection = connection
        self._queries = queries
        self._touched: set[int] = set()
        self._segments: set[tuple[int, int]] = set()
        self._known: dict[tuple[int, str], int] = {}
        self._run("watch_standings")

    def _run(self, query: str, *bindings: Value) -> list[tuple[Any, ...]]:
        return execute(self._connection, self._queries[query], bindings)

    def put_file(self, change: PathChange, space: Space | None, refused: Collection[str]) -> None:
        """Make the facts of one file what the change says; `refused` are memories that another file holds."""
        facts = _accepted_facts(change.facts, refused)
        says = space is not None and (change.document is not None or facts != NO_FACTS)
        held = self._run("source", change.path)
        if held and (space is None or not says or held[0][1] != space.ns):
            self._put_facts(held[0][0], change, Space("", held[0][1]), NO_FACTS)
            self._run("drop_document", held[0][0])
            self._run("drop_source", held[0][0])
            held = []
        if says and space is not None:
            file: int = held[0][0] if held else self._run("add_source", space.ns, change.path)[0][0]
            self._put_facts(file, change, space, facts)
            self._put_document(file, change.document)

    def _put_document(self, file: int, document: Document | None) -> None:
        self._run("drop_document", file)
        if document:
            record = document.model_dump_json(by_alias=True)
            self._run("put_document", file, document.root, document.path, record)

    def _put_facts(self, file: int, change: PathChange, space: Space, facts: GraphFacts) -> None:
        self._segments.add((space.ns, file // GRAPH_SEGMENT))
        self._replace_rows("entity_facts", file, {self._entity(space, fact) for fact in facts.entities}, [0])
        self._replace_rows("edges", file, {self._edge_row(space, change.path, edge) for edge in facts.edges}, [1, 2])
        claims = {self._claim_row(space, claim) for claim in facts.claims}
        self._replace_rows("claims", file, claims, [0])
        if change.document is None:  # how a memory stands may differ where its claims do not
            self._touched |= {int(row[0] or 0) for row in claims}
        aliases = {(space.ns, key, self._node_of_key(space, entity)) for key, entity in facts.aliases}
        self._replace_rows("aliases", file, set[tuple[Value, ...]](aliases), [2])
        self._replace_rows("homes", file, self._home_rows(change, space, facts), [1])

    def _replace_rows(self, table: str, file: int, rows: Rows, nodes: Sequence[int]) -> None:
        """Make the rows of a file in a table these; `nodes` are the columns that hold one."""
        held: Rows = set(self._run(f"{table}_of", file))
        if held == rows:
            return
        self._run(f"drop_{table}", file)
        execute_many(self._connection, self._queries[f"put_{table}"], [(file, *row) for row in rows])
        self._touched |= {int(row[place] or 0) for row in held ^ rows for place in nodes}

    def _entity(self, space: Space, fact: EntityFact) -> tuple[Value, ...]:
        node = self._node_of_key(space, fact.key)
        return node, int(not fact.defines), fact.since, fact.name, fact.type, fact.until

    def _edge_row(self, space: Space, path: str, edge: Edge) -> tuple[Value, ...]:
        said = (
            EDGE_TYPES.index(edge.type),
            edge.memory_id,
            edge.section,
            edge.confidence,
            edge.valid_from,
            edge.valid_until,
            edge.recorded,
            edge.anchor,
        )
        ends = self._node_of_key(space, edge.source), self._node_of_key(space, edge.target)
        return _hash_of(path, edge.source, edge.target, *said), *ends, *said

    def _claim_row(self, space: Space, claim: Claim) -> tuple[Value, ...]:
        node = self._node_of_key(space, claim.entity)
        said = claim.attribute, claim.value, claim.memory_id
        return node, *said, claim.valid_from, claim.valid_until, claim.recorded, claim.retired_by

    def _home_rows(self, change: PathChange, space: Space, facts: GraphFacts) -> Rows:
        if not facts.homes:
            return set()
        rows = {memory_id: row for row, ns, memory_id in self._run("rows_of_path", change.path) if ns == space.ns}
        headings = {each.memory.id: heading_of(each.memory, change.document) for each in change.records}
        return {
            (rows[memory_id], self._node_of_key(space, key), headings.get(memory_id, ""))
            for memory_id, key in facts.homes
            if memory_id in rows
        }

    def _node_of_key(self, space: Space, key: str) -> int:
        """The node of a key, made where there is none."""
        known = self._known.get((space.ns, key))
        if known is None:
            known = self._known[space.ns, key] = self._node_number(space, key)
        return known

    def _node_number(self, space: Space, key: str) -> int:
        node = number_of(space.name, key)
        while taken := self._run("node_at", node):
            if taken[0] == (space.ns, key):
                return node
            node = (node + 1) % NUMBERS
        type_ = standing_type(key)
        self._run("add_node", node, space.ns, key, key, type_, type_ in _NODES, None if type_ in _NODES else 0)
        self._touched.add(node)
        return node

    def finish(self) -> None:
        """Work out what follows for the nodes that were touched, and say which segments changed."""
        self._touched |= {node for (node,) in self._run("moved_nodes")}
        self._run("drop_moved")
        touched = sorted(self._touched)
        for start in range(0, len(touched), _BATCH):
            self._settle_nodes(touched[start : start + _BATCH])
        for ns, seg in self._segments:
            self._run("bump_graph", ns, seg)
        if touched:
            self._run("drop_unused_types")

    def _settle_nodes(self, nodes: Sequence[int]) -> None:
        wanted = json.dumps(nodes)
        spoken = [_spoken_row(row) for row in self._run("spoken_of_nodes", wanted)]
        claims = claims_in_force(self._run("claims_of_nodes", wanted))
        states: dict[int, list[tuple[Value, ...]]] = defaultdict(list)
        for node, *rest in self._run("states_of_nodes", wanted):
            states[node].append(tuple(rest))
        here = {each.node for each in spoken}
        for node in nodes:
            if node not in here:
                self._run("drop_states", node)
                self._run("drop_node", node)
        for each in spoken:
            self._describe_node(each, claims.get(each.node, ()), states[each.node])

    def _describe_node(self, spoken: _Spoken, claims: Iterable[Claim], held: Sequence[tuple[Value, ...]]) -> None:
        """The name, the type and the states of one node."""
        since: int | None = None
        if spoken.type not in _NODES:
            held_by = tuple(claims)
            until = max([spoken.until, *(claim.valid_until for claim in held_by)])
            rows = [state_row(state) for state in chain(held_by, spoken.since, until)]
            since = int(rows[0][0] or 0)
            self._write_states(spoken.node, rows, held)
        said = spoken.name, spoken.type, spoken.defined, since
        if said != spoken.held:
            self._run("put_type", spoken.type)
            self._run("put_node", *said, spoken.node)

    def _write_states(self, node: int, rows: Sequence[tuple[Value, ...]], held: Sequence[tuple[Value, ...]]) -> None:
        """Replace the states of a node if they changed; each names the one before it."""
        if list(rows) == list(held):
            return
        self._run("drop_states", node)
        before = [None, *(row[1] for row in rows[:-1])]
        said = [(node, *row[:2], succeeds, *row[2:]) for row, succeeds in zip(rows, before, strict=True)]
        execute_many(self._connection, self._queries["put_states"], said)


def claims_in_force(rows: Iterable[tuple[Any, ...]], known: int | None = None) -> dict[int, list[Claim]]:
    """Rows of `claims_of_nodes` as claims, by node: each over the intervals in which its memory was in force.

    By what was known at an instant, if that is given. A claim that holds again holds as the one that began when it did.
    """
    pieces: dict[tuple[int, str], list[_Piece]] = defaultdict(list)
    read = [(node, Claim(*said[:8]), said[8:]) for node, *said in rows]
    said_by = {(node, claim.attribute, claim.memory_id): claim for node, claim, _ in read}
    for node, claim, stands in read:
        end = _retired_from(claim, said_by.get((node, claim.attribute, claim.retired_by)), known)
        held = ((start, min(until, end)) for start, until in spans(claim, stands, known))
        pieces[node, claim.attribute] += [_Piece(claim, *span) for span in held if span[0] < span[1]]
    out: dict[int, list[Claim]] = defaultdict(list)
    for (node, _), each in pieces.items():
        again = any(piece.start != piece.claim.valid_from for piece in each)
        out[node] += [
            replace(piece.claim, valid_from=piece.start, valid_until=piece.end)
            for piece in (_without_overlaps(each) if again else each)
        ]
    return out


def _retired_from(claim: Claim, anew: Claim | None, known: int | None) -> int:
    """From when on a memory says nothing of an attribute any more: another said it anew, and may be gone by now."""
    if not claim.retired_by:
        return FOREVER
    written = epoch_ms(recorded_at(claim.retired_by, EPOCH)) or (anew.recorded if anew else FOREVER)
    if known is not None and written > known:
        return FOREVER
    return anew.valid_from if anew else written


@dataclass(frozen=True, slots=True)
class _Piece:
    """A claim over one of the intervals in which it is in force."""

    claim: Claim
    start: int
    end: int


NOBODY: tuple[Any, ...] = (None, None, None, None, None, None, 0, "[]")
"""How a memory stands that the index does not hold."""


def spans(said: Claim | Edge, stands: Sequence[Any], known: int | None) -> list[tuple[int, int]]:
    """When a claim or an edge is in force, by how its memory stands (`stands_of`, `claims_of_nodes`).

    One whose memory the index does not hold is in force when it says, as far as that was known.
    """
    if known is not None and said.recorded > known:
        return []
    *now, consolidated, changes = stands
    span = said.valid_from, said.valid_until
    if now[0] is None:
        return [span if known is None or span[1] <= known else (span[0], FOREVER)]
    found = in_force(standing_now(*now), json.loads(changes), span, known)
    least = said.recorded if consolidated else said.valid_from
    return [(max(start, least), end) for start, end in found if end > least]


def _without_overlaps(pieces: Sequence[_Piece]) -> list[_Piece]:
    """The same without overlaps: of several the one whose claim began last holds, then the one written last."""
    out: list[_Piece] = []
    for start, end in pairwise(sorted({at for piece in pieces for at in (piece.start, piece.end)})):
        here = [piece.claim for piece in pieces if piece.start <= start < piece.end]
        if here:
            best = max(here, key=lambda claim: (claim.valid_from, claim.recorded, claim.memory_id))
            joins = bool(out) and out[-1].claim is best and out[-1].end == start
            out[-1 if joins else len(out) :] = [_Piece(best, out[-1].start if joins else start, end)]
    return out


def state_row(state: EntityState) -> tuple[Value, ...]:
    """Begin, end (None: open), what held (JSON), event and cause."""
    end = None if state.valid_until >= FOREVER else state.valid_until
    props = json.dumps(dict(state.props), ensure_ascii=False, sort_keys=True)
    return state.valid_from, end, props, state.event, state.cause


def _accepted_facts(facts: GraphFacts, refused: Collection[str]) -> GraphFacts:
    """The facts without what memories say that stand elsewhere, and without intervals that hold nothing."""
    if facts == NO_FACTS:
        return facts
    edges = (edge for edge in facts.edges if edge.memory_id not in refused and edge.valid_from < edge.valid_until)
    claims = (claim for claim in facts.claims if claim.memory_id not in refused)
    return GraphFacts(
        facts.entities,
        tuple(edges),
        tuple(claim for claim in claims if claim.valid_from < claim.valid_until),
        facts.aliases,
        tuple(home for home in facts.homes if home[0] not in refused),
    )


def _spoken_row(row: tuple[Any, ...]) -> _Spoken:
    """A row of `spoken_of_nodes`."""
    node, key, name, type_, defined, since, first, last, best, said, edges = row
    named, mentioned = json.loads(best) if best else (_plain_name(key), 1)
    kind = standing_type(key, said or "")
    begin = next((at for at in (first, edges) if at is not None), 0)
    return _Spoken(
        node,
        named,
        kind,
        not mentioned or kind in _NODES,
        begin,
        FOREVER if last is None else last,
        (name, type_, bool(defined), since),
    )
