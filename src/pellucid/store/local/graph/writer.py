"""Facts of files about named things in, rows of nodes, edges, claims and states out: the graph's share of one `apply`.

A path's facts are replaced as a whole. What follows from several files (an entity's name, type and states) is worked
out anew, at the end, for the entities that were touched; entities that no file mentions any more are deleted.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from pellucid.clock import EPOCH, epoch_ms
from pellucid.model.document import Document, split_naming_line
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
    state_chain,
)
from pellucid.model.memory import Memory, recorded_at
from pellucid.store.index_changes import PathChange
from pellucid.store.local.database import Queries, Value
from pellucid.store.local.index.past_view import in_force, standing_now

FILE_BLOCK = 64  # files whose edges are read together
NUMBERS = 1 << 62  # nodes are numbered below this
_NUMBERED = re.compile(r"[a-z][a-z0-9]*-\d+")
_NODES = ("Memory", "Episode")
_BATCH = 1000
Rows = set[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace and its number."""

    name: str
    ns: int


@dataclass(frozen=True, slots=True)
class _NodeSummary:
    """The name, type and time of a node according to all files together."""

    node: int
    name: str
    type: str
    defined: bool
    since: int
    until: int
    stored: tuple[str, str, bool, int | None]  # name, type, defined and since, as the node's row has them


def node_type(key: str, stated: str = "") -> str:
    """Return a node's type: Memory or Episode for an id, else the type a file stated, else one guessed by the key.

    `adr-18` is a Decision, another numbered key such as `spec-54` a Specification, the rest a Thing.
    """
    if found := IDENTITY.fullmatch(key):
        return "Memory" if found[1] == "mem" else "Episode"
    if stated and stated not in _NODES:
        return stated
    if not _NUMBERED.fullmatch(key):
        return "Thing"
    return "Decision" if key.startswith("adr-") else "Specification"


def _hash_of(*parts: object) -> int:
    """Hash these parts, as text, to a number below 2^62.

    It depends on nothing else, so that an index built in another order of files has the same numbers.
    """
    data = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") % NUMBERS


def preferred_number(namespace: str, key: str) -> int:
    """Return the number that a node should have, the same in every index.

    If another node has it already, the caller takes the next free one.
    """
    return _hash_of(namespace, key)


def heading_of(memory: Memory, document: Document | None) -> str:
    """Return the last part of a section's first line, its own heading, if the title of `document` stands before it;
    empty if not, and for other memories. With None for `document`, whatever stands before will do.
    """
    before, last = split_naming_line(memory.content) if memory.category == "section" else ("", "")
    title = document.title_at(memory.valid_at or memory.created) if document else ""
    return last if before and title in before else ""  # else the line is the title, in which the sign may stand


class GraphFold:
    """The graph's writes of one `apply`."""

    def __init__(self, queries: Queries) -> None:
        """Begin the graph's writes of one `apply`.

        From here on changes of memories' standings are noted by the database.
        """
        self._run = queries.run
        self._run_many = queries.run_many
        self._touched: set[int] = set()
        self._blocks: set[tuple[int, int]] = set()
        self._known: dict[tuple[int, str], int] = {}
        self._run("watch_standings")

    def put_file(self, change: PathChange, space: Space | None, refused: Collection[str]) -> None:
        """Replace the facts and the document of one file by those of the change; a change with neither drops the file.

        `space` is the file's namespace; None if the file has no contents. `refused` are ids of memories that belong to
        another file: their edges, claims and homes are left out. Nodes are settled by `finish`."""
        facts = _accepted_facts(change.facts, refused)
        has_facts = space is not None and (change.document is not None or facts != NO_FACTS)
        source = self._run("source", change.path)
        if source and (space is None or not has_facts or source[0][1] != space.ns):
            self._put_facts(source[0][0], change, Space("", source[0][1]), NO_FACTS)
            self._run("drop_document", source[0][0])
            self._run("drop_source", source[0][0])
            source = []
        if has_facts and space is not None:
            file: int = source[0][0] if source else self._run("add_source", space.ns, change.path)[0][0]
            self._put_facts(file, change, space, facts)
            self._run("drop_document", file)
            if document := change.document:
                record = document.model_dump_json(by_alias=True)
                self._run("put_document", file, document.root, document.path, record)

    def _put_facts(self, file: int, change: PathChange, space: Space, facts: GraphFacts) -> None:
        """Replace the rows of a file (by number) in all tables of facts by those of `facts`, and mark its block of
        `FILE_BLOCK` files, to which `finish` gives a new version.

        Nodes of changed rows and, unless the file is a document, of all its claims become touched: `finish` recomputes
        them."""
        self._blocks.add((space.ns, file // FILE_BLOCK))
        self._replace_rows("entity_facts", file, {self._entity_row(space, fact) for fact in facts.entities}, [0])
        self._replace_rows("edges", file, {self._edge_row(space, change.path, edge) for edge in facts.edges}, [1, 2])
        claims = {self._claim_row(space, claim) for claim in facts.claims}
        self._replace_rows("claims", file, claims, [0])
        if change.document is None:  # how a memory stands may differ where its claims do not
            self._touched |= {int(row[0] or 0) for row in claims}
        aliases = {(space.ns, key, self._node_of_key(space, entity)) for key, entity in facts.aliases}
        self._replace_rows("aliases", file, set[tuple[Value, ...]](aliases), [2])
        self._replace_rows("homes", file, self._home_rows(change, space, facts), [1])

    def _replace_rows(self, table: str, file: int, rows: Rows, node_columns: Sequence[int]) -> None:
        """Replace the rows of a file (by number) in a table by `rows`, which lack the file's number, if they differ.

        The nodes in the `node_columns` of rows that came or went become touched: `finish` recomputes them.
        """
        stored: Rows = set(self._run(f"{table}_of", file))
        if stored == rows:
            return
        self._run(f"drop_{table}", file)
        self._run_many(f"put_{table}", [(file, *row) for row in rows])
        self._touched |= {int(row[column] or 0) for row in stored ^ rows for column in node_columns}

    def _entity_row(self, space: Space, fact: EntityFact) -> tuple[Value, ...]:
        """Return the values of a row of `entity_facts` after `file`; create the entity's node if it is missing."""
        node = self._node_of_key(space, fact.key)
        return node, int(not fact.defines), fact.since, fact.name, fact.type, fact.until

    def _edge_row(self, space: Space, path: str, edge: Edge) -> tuple[Value, ...]:
        """Return the columns of `edges` after the file; the first is a hash that numbers the edge. Creates the nodes of
        its ends if they are missing."""
        what = EDGE_TYPES.index(edge.type), edge.memory_id, edge.section, edge.confidence
        values = *what, edge.valid_from, edge.valid_until, edge.recorded, edge.anchor
        ends = self._node_of_key(space, edge.source), self._node_of_key(space, edge.target)
        return _hash_of(path, edge.source, edge.target, *values), *ends, *values

    def _claim_row(self, space: Space, claim: Claim) -> tuple[Value, ...]:
        """Return the values of a row of `claims` after `file`; create the entity's node if it is missing."""
        node = self._node_of_key(space, claim.entity)
        what = claim.attribute, claim.value, claim.memory_id
        return node, *what, claim.valid_from, claim.valid_until, claim.recorded, claim.retired_by

    def _home_rows(self, change: PathChange, space: Space, facts: GraphFacts) -> Rows:
        """Return the rows of `homes`: (index row of a memory, node that it belongs to, heading); create missing nodes.

        Memories that the file has no row of are left out.
        """
        if not facts.homes:
            return set()
        # read here, where few files have homes: of a file whose bytes are unchanged `Fold` reads no rows
        rows = {memory_id: row for row, ns, memory_id in self._run("rows_of_path", change.path) if ns == space.ns}
        headings = {each.memory.id: heading_of(each.memory, change.document) for each in change.records}
        return {
            (rows[memory_id], self._node_of_key(space, key), headings.get(memory_id, ""))
            for memory_id, key in facts.homes
            if memory_id in rows
        }

    def _node_of_key(self, space: Space, key: str) -> int:
        """Return the number of the node with this key; create the node if there is none."""
        node = self._known.get((space.ns, key))
        if node is None:
            node = self._known[space.ns, key] = self._find_or_add_node(space, key)
        return node

    def _find_or_add_node(self, space: Space, key: str) -> int:
        """Look a key up in the table of nodes, adding a node if there is none; return its number."""
        node = preferred_number(space.name, key)
        while holder := self._run("node_at", node):
            if holder[0] == (space.ns, key):
                return node
            node = (node + 1) % NUMBERS
        type_ = node_type(key)
        self._run("add_node", node, space.ns, key, key, type_, type_ in _NODES, None if type_ in _NODES else 0)
        self._touched.add(node)
        return node

    def finish(self) -> None:
        """Recompute names, types and states of the touched nodes, and give changed blocks (of 64 files) a new version.

        Touched are also the nodes that a memory makes a claim on, if changes of that memory's status, trust or validity
        (rows of the ledger) came into the index, or went. Nodes that no file mentions any more are deleted, and so are
        types, except the built-in ones, that no node has.
        """
        self._touched |= {node for (node,) in self._run("moved_nodes")}
        self._run("drop_moved")
        touched = sorted(self._touched)
        for start in range(0, len(touched), _BATCH):
            self._settle_nodes(touched[start : start + _BATCH])
        for ns, block in self._blocks:
            self._run("bump_graph", ns, block)
        if touched:
            self._run("drop_unused_types")

    def _settle_nodes(self, nodes: Sequence[int]) -> None:
        """Store changed names, types and states of these nodes; delete the nodes that no file mentions any more."""
        wanted = json.dumps(nodes)
        summaries = [_node_summary(row) for row in self._run("spoken_of_nodes", wanted)]
        claims = claims_in_force(self._run("claims_of_nodes", wanted))
        states: dict[int, list[tuple[Value, ...]]] = defaultdict(list)
        for node, *rest in self._run("states_of_nodes", wanted):
            states[node].append(tuple(rest))
        for node in sorted({*nodes} - {each.node for each in summaries}):
            self._run("drop_states", node)
            self._run("drop_node", node)
        for each in summaries:
            self._update_node(each, claims.get(each.node, ()), states[each.node])

    def _update_node(self, summary: _NodeSummary, claims: Sequence[Claim], stored: Sequence[tuple[Value, ...]]) -> None:
        """Write the name, the type and the states of one node if they differ from those in the summary and `stored`.

        Nodes of memories and episodes have no states.
        """
        since: int | None = None
        if summary.type not in _NODES:
            until = max([summary.until, *(claim.valid_until for claim in claims)])
            rows = [state_row(state) for state in state_chain(tuple(claims), summary.since, until)]
            since = int(rows[0][0] or 0)
            if rows != list(stored):
                self._replace_states(summary.node, rows)
        values = summary.name, summary.type, summary.defined, since
        if values != summary.stored:
            self._run("put_type", summary.type)
            self._run("put_node", *values, summary.node)

    def _replace_states(self, node: int, rows: Sequence[tuple[Value, ...]]) -> None:
        """Replace the states of a node by rows of `state_row`, each linked to the end of the one before it."""
        self._run("drop_states", node)
        ends_before = [None, *(row[1] for row in rows[:-1])]
        linked = [(node, *row[:2], before, *row[2:]) for row, before in zip(rows, ends_before, strict=True)]
        self._run_many("put_states", linked)


def claims_in_force(rows: Iterable[tuple[Any, ...]], known: int | None = None) -> dict[int, list[Claim]]:
    """Turn rows of `claims_of_nodes` into claims by node, each over the intervals in which its memory was in force.

    The intervals are as recorded by `known` (epoch milliseconds), if given, and end where another memory took the
    attribute over. If a claim comes into force again, overlaps are resolved: the claim with the latest beginning wins.
    """
    pieces: dict[tuple[int, str], list[_Piece]] = defaultdict(list)
    read = [(node, Claim(*values[:8]), values[8:]) for node, *values in rows]
    claim_by = {(node, claim.attribute, claim.memory_id): claim for node, claim, _ in read}
    for node, claim, standing in read:
        end = _retirement_instant(claim, claim_by.get((node, claim.attribute, claim.retired_by)), known)
        spans = ((start, min(until, end)) for start, until in intervals_in_force(claim, standing, known))
        pieces[node, claim.attribute] += [_Piece(claim, *span) for span in spans if span[0] < span[1]]
    out: dict[int, list[Claim]] = defaultdict(list)
    for (node, _), each in pieces.items():
        is_broken = any(piece.start != piece.claim.valid_from for piece in each)
        out[node] += [
            replace(piece.claim, valid_from=piece.start, valid_until=piece.end)
            for piece in (_without_overlaps(each) if is_broken else each)
        ]
    return out


def _retirement_instant(claim: Claim, successor: Claim | None, known: int | None) -> int:
    """Return when the memory in `claim.retired_by` took over the claim's attribute; FOREVER if none had by `known`.

    `successor` is that memory's claim on the attribute, whose beginning counts; None if it is not indexed: then when
    the memory was written down counts.
    """
    if not claim.retired_by:
        return FOREVER
    written = epoch_ms(recorded_at(claim.retired_by, EPOCH)) or (successor.recorded if successor else FOREVER)
    if known is not None and written > known:
        return FOREVER
    return successor.valid_from if successor else written


@dataclass(frozen=True, slots=True)
class _Piece:
    """A claim over one of the intervals in which it is in force."""

    claim: Claim
    start: int
    end: int


NOT_INDEXED: tuple[Any, ...] = (None, None, None, None, None, None, 0, "[]")
"""The standing of a memory that is not in the index."""


def intervals_in_force(stated: Claim | Edge, standing: Sequence[Any], known: int | None) -> list[tuple[int, int]]:
    """Return the (start, end) intervals, epoch ms, in which a claim or an edge is in force, as recorded by `known`
    (None: now).

    `standing` is how its memory stands: the columns of `stands_of` after the id. The statement must be valid, and the
    memory active (or superseded only later) and not in quarantine (see `in_force`); a consolidated memory counts from
    when it was recorded. If the memory is not in the index, the stated validity counts. Empty for what was recorded
    after `known`.
    """
    if known is not None and stated.recorded > known:
        return []
    *now, consolidated, changes = standing
    span = stated.valid_from, stated.valid_until
    if now[0] is None:
        return [span if known is None or span[1] <= known else (span[0], FOREVER)]
    found = in_force(standing_now(*now), json.loads(changes), span, known)
    least = stated.recorded if consolidated else stated.valid_from
    return [(max(start, least), end) for start, end in found if end > least]


def _without_overlaps(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Return pieces in order, without overlaps: at each instant the claim begun last wins, then the one recorded
    last.
    """
    out: list[_Piece] = []
    for start, end in pairwise(sorted({at for piece in pieces for at in (piece.start, piece.end)})):
        here = [piece.claim for piece in pieces if piece.start <= start < piece.end]
        if here:
            best = max(here, key=lambda claim: (claim.valid_from, claim.recorded, claim.memory_id))
            joins = bool(out) and out[-1].claim is best and out[-1].end == start
            out[-1 if joins else len(out) :] = [_Piece(best, out[-1].start if joins else start, end)]
    return out


def state_row(state: EntityState) -> tuple[Value, ...]:
    """Return the columns of a state: begin, end (None: open), properties (JSON), event and cause."""
    end = None if state.valid_until >= FOREVER else state.valid_until
    props = json.dumps(dict(state.props), ensure_ascii=False, sort_keys=True)
    return state.valid_from, end, props, state.event, state.cause


def _accepted_facts(facts: GraphFacts, refused: Collection[str]) -> GraphFacts:
    """Return the facts; edges and claims with an empty interval, and facts of the `refused` memories, are left out.

    Entities and aliases all stay.
    """
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


def _node_summary(row: tuple[Any, ...]) -> _NodeSummary:
    """Return what a row of `spoken_of_nodes` says of a node.

    A node that no file names is called by its key: `SPEC-54` if that is numbered.
    """
    node, key, name, type_, defined, since, first, last, best, stated, edges = row
    unnamed = key.upper() if _NUMBERED.fullmatch(key) else key
    best_name, mentioned = json.loads(best) if best else (unnamed, 1)
    kind = node_type(key, stated or "")
    begin = next((at for at in (first, edges) if at is not None), 0)
    until = FOREVER if last is None else last
    stored = name, type_, bool(defined), since
    return _NodeSummary(node, best_name, kind, not mentioned or kind in _NODES, begin, until, stored)
