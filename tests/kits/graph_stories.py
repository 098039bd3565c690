"""A home and an instant in, what is true there now, or was then, out: the present, read with no question of the past.

The present is what an answer about the past is held against: it is worked out in plain Python from the memories, the
documents and the files as they are, by no code that knows of instants.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import apsw

from kits.vault import HERE, run
from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.errors import NotFoundError
from pellucid.model.document import HeaderVersion
from pellucid.model.entity import FOREVER, Edge, node_key
from pellucid.model.memory import Memory, recorded_at
from pellucid.operations.browsing import ids_in_force
from pellucid.operations.graph.graphing import GraphShowInput, show_entity
from pellucid.operations.graph.states import history_of_entity

THINGS = ("Crane", "SPEC-001", "SPEC-002", "SPEC-003")
STATUSES = ("draft", "accepted", "withdrawn")
EVERYTHING = {"pool": 1_000, "top_k_facts": 1_000, "char_budget": 10_000_000, "gate": "off"}
QUESTION = "harbour"
Said = tuple[str, str, str, str, str]
"""Source, type, target, section and memory of an edge."""


@dataclass
class Told:
    """What is true at an instant: who answers, which edges hold at the things, and what is true of each thing."""

    at: datetime
    ids: frozenset[str]
    edges: frozenset[Said]
    props: dict[str, dict[str, str]]

    def without(self, ids: Iterable[str], things: Iterable[str]) -> "Told":
        """The same without what these memories say, and without what is true of these things."""
        left, other = frozenset(ids), frozenset(things)
        return Told(
            self.at,
            self.ids - left,
            frozenset(each for each in self.edges if not left & {each[0], each[2], each[4]}),
            {key: held for key, held in self.props.items() if key not in other},
        )


def a_document(number: int, status: str, upon: int, turn: int) -> str:
    """A document that depends on another one (or on none, if that is itself)."""
    return (
        f"---\ntitle: The harbour, part {number}\nid: SPEC-00{number}\nstatus: {status}\n---\n\n"
        f"# The harbour, part {number}\n\nThe harbour opens at {turn}.\n\n"
        f"## Depends on\n\n- SPEC-00{upon}, for the harbour\n\n## Notes\n\nThe harbour is quiet.\n"
    )


def holds(since: datetime, ends: Iterable[datetime | None], at: datetime) -> bool:
    """Whether an interval holds an instant."""
    return since <= at and all(end is None or at < end for end in ends)


def in_its_time(memory: Memory, at: datetime) -> bool:
    """Whether a memory's own interval holds an instant."""
    return holds(memory.valid_at or memory.created, (memory.invalid_at, memory.expires_at), at)


def answers(memory: Memory, at: datetime) -> bool:
    """Whether a memory is in force now, which is `at`."""
    return memory.status == "active" and memory.trust_zone != "quarantine" and in_its_time(memory, at)


def _memories(app: App) -> list[Memory]:
    return [each.memory for each in app.index.memories(HERE)]


def present(app: App, at: datetime) -> Told:
    """What is true now, which is `at`, as it is told without a word about instants."""
    ids = frozenset(each.id for each in _memories(app) if answers(each, at))
    assert frozenset(each.memory.id for each in run(app, QUESTION).served) == ids, "a recall of now"
    return Told(
        at,
        ids,
        frozenset(_said(each) for each in open_edges(app, at)),
        {node_key(name): _holds(app, name) for name in THINGS},
    )


def past(app: App, at: datetime, known: datetime | None) -> Told:
    """What is told today of an instant, by what was known at another."""
    edges: set[Said] = set()
    for name in THINGS:
        try:
            found = show_entity(app, GraphShowInput(namespace=HERE, name=name, hops=1, as_of=at, as_known_at=known))
        except NotFoundError:
            continue
        edges |= {
            (_key(each.source), each.type, _key(each.target), each.section, each.memory_id) for each in found.edges
        }
    props = {node_key(name): _holds(app, name, at, known) for name in THINGS}
    return Told(at, frozenset(ids_in_force(app, HERE, at, known)), frozenset(edges), props)


def _key(name: str) -> str:
    """The key of a node by what it is called; memories and episodes are called by their ids."""
    return name if name.startswith(("mem_", "ep_")) else node_key(name)


def _holds(app: App, name: str, at: datetime | None = None, known: datetime | None = None) -> dict[str, str]:
    """What is true of a thing; nothing, too, where it is not spoken of: a chain has no gaps."""
    try:
        return history_of_entity(app, HERE, name, at, known).holds or {}
    except NotFoundError:
        return {}


def open_edges(app: App, at: datetime) -> list[Edge]:
    """The edges at the things that hold now."""
    keys, instant = [node_key(name) for name in THINGS], epoch_ms(at)
    found = [filed.edge for filed in app.graph.edges(HERE, keys)]
    return [each for each in found if each.valid_from <= instant < each.valid_until]


def _said(edge: Edge) -> Said:
    return edge.source, edge.type, edge.target, edge.section, edge.memory_id


def sayers(app: App, name: str) -> set[str]:
    """The memories that say anything of a thing, ever."""
    key = node_key(name)
    claimed = {claim.memory_id for claim in app.graph.claims(HERE, key)}
    return claimed | {filed.edge.memory_id for filed in app.graph.edges(HERE, [key])}


def upon_now(files: Mapping[str, tuple[int, int]]) -> set[tuple[str, str]]:
    """Who depends on whom by the documents that are there: `files` are their numbers, and those they depend on."""
    return {(f"spec-{number}", f"spec-{upon}") for number, upon in files.values() if number != upon}


def about_now(app: App, at: datetime) -> set[tuple[str, str]]:
    """Which memory is about what, by the memories as they are."""
    return {
        (each.id, node_key(each.entity_ref))
        for each in _memories(app)
        if each.entity_ref and each.category != "section" and answers(each, at)
    }


def status_now(app: App, name: str, at: datetime) -> str | None:
    """The status of a thing by what is said of it now: what began last, of that what was written last."""
    key = node_key(name)
    said = [
        (each.valid_at or each.created, recorded_at(each.id, each.created), each.id, value)
        for each in _memories(app)
        if each.entity_ref
        and node_key(each.entity_ref) == key
        and answers(each, at)
        and each.category != "section"
        and (value := each.structured_attributes.get("status"))
    ]
    said += [
        (each.valid_from, recorded_at(each.id, each.valid_from), each.id, each.values["status"])
        for each in _versions(app, key, at)
    ]
    return max(said)[3] if said else None


def _versions(app: App, key: str, at: datetime) -> list[HeaderVersion]:
    documents = [filed.document for filed in app.graph.documents(HERE)]
    return [
        each
        for document in documents
        if node_key(document.entity) == key
        for each in document.versions
        if holds(each.valid_from, (each.valid_until, document.removed_at), at)
    ]


def everything(app: App) -> object:
    """The whole graph, in an order of its own."""
    graph = app.graph
    nodes = [(node.key, node.name, node.type, node.defined) for node in graph.entities(HERE)]
    states = {key: graph.states(HERE, key) for key, *_ in nodes}
    claims = {key: sorted(graph.claims(HERE, key), key=repr) for key, *_ in nodes}
    return nodes, states, claims, sorted(graph.edges(HERE), key=repr)


def check_chains(app: App) -> None:
    """Every thing has one type and one chain, as the graph tells it."""
    nodes = app.graph.entities(HERE)
    assert len({node.key for node in nodes}) == len(nodes)
    for node in nodes:
        assert node.type
        spans = [(state.valid_from, state.valid_until) for state in app.graph.states(HERE, node.key)]
        _check_chain(node.key, [(since, None if until >= FOREVER else until) for since, until in spans])


def check_file(path: Path) -> None:
    """The same of the rows of the index, read without the program."""
    index = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        ((nodes, keys, types),) = index.execute(TYPED)
        assert nodes == keys == types
        for node, chain in index.execute(CHAINS):
            rows = json.loads(chain)
            _check_chain(node, [(since, until) for since, until, _ in rows])
            assert [succeeds for *_, succeeds in rows] == [None, *(until for _, until, _ in rows[:-1])], node
            assert all(succeeds is None or succeeds == since for since, _, succeeds in rows), node
        assert list(index.execute("PRAGMA foreign_key_check")) == []
    finally:
        index.close()


def _check_chain(node: object, spans: list[tuple[int, int | None]]) -> None:
    """At least one state, adjoining, each later than the one before it, so never a circle; the last alone is open."""
    assert spans, node
    assert all(earlier[1] == later[0] for earlier, later in pairwise(spans)), (node, spans)
    assert all(earlier[0] < later[0] for earlier, later in pairwise(spans)), (node, spans)
    assert all(until is None or since < until for since, until in spans), (node, spans)
    assert all(until is not None for _, until in spans[:-1]), (node, spans)


TYPED = """
    SELECT count(*), count(DISTINCT ns || ' ' || key), count(entity_types.type)
    FROM nodes LEFT JOIN entity_types USING (type)
"""
CHAINS = """
    SELECT node, (SELECT json_group_array(json_array(valid_from, valid_until, succeeds))
                  FROM (SELECT * FROM states WHERE states.node = nodes.node ORDER BY valid_from))
    FROM nodes WHERE type NOT IN ('Memory', 'Episode')
"""
