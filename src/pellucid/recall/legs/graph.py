"""A query that names things in, the memories that hang together with them out: the graph leg."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from pellucid.model.entity import node_key, series_of
from pellucid.model.memory import BOUNDARY_SCOPES, unpack_id
from pellucid.recall.legs.graph_walk import Reached, Walk, strongest
from pellucid.recall.legs.leg import NO_HITS, GraphHits, LegAnswer, report
from pellucid.recall.query.edges import ABSENT, beside, unknown
from pellucid.recall.query.entities import WORD, names_in
from pellucid.recall.score.equation import Floats, Ints, Mask
from pellucid.recall.state import LegReport, Plan, State, Way, World
from pellucid.store.graph_port import GraphReader, Node
from pellucid.store.index_port import Columns, Rows

SEEDS = 10
"""Named things that a walk begins at, at most."""
NAMED = 3
"""Named things of which it is told that they, or edges of theirs that are asked for, are not known, at most."""
ALIKE = 16
"""Documents numbered as a named one is, at most, that are looked at for one that may answer."""
NODES, ROWS = 128, 512
"""Nodes, and rows of these, whose nearness to the query is looked at, at most: the most active."""
BESIDE = 2
"""Where edges are asked for, what else is nominated: as many as these lead to, at least so many."""
ANCHORED = 32
"""Nodes of which the section that an edge means is looked for, at most."""
PER_NODE = 3
"""Rows of one node that are nominated at most, where no edge is asked for: the n-th nearest scores an n²-th."""
LISTS = 8
"""How far beside the sections of a thing one is looked for that lists what it hangs together with, in sections."""
MORE = 0.5
"""The share of what a query says beside the edges that a section must hold above a lead to stand in its place."""
MEANT = 5.0
"""More than a section is near to a query, leads its document and holds words of it: the part that an edge means."""
NOTHING = "nothing that may answer hangs together with what the query names"
_KEY = re.compile(r"^([\w-]+):", re.MULTILINE)
_NUMBER = re.compile(r"§?\s*(\d+(?:\.\d+)*)\b")


def graph(state: State, plan: Plan, world: World) -> LegAnswer:
    """What hangs together with the things that the query names, nearest first; `off` where it names none.

    The raw score of a memory is the activation of its node (`graph_walk`) times `.4 + .2·PageRank + .4·cosine`, or
    `.85 + .1·PageRank + .05·cosine` where the query asks for edges: then the distance decides. Where it asks for a
    document and nothing else, the lead of that has 1 more.
    """
    reader = world.reader.graph
    seeds = _seed_nodes(reader, plan)
    gone = _absent_names(state, plan, world)
    if not seeds:
        return _empty_report(plan, gone)
    settings = state.request.settings
    plan = replace(plan, beside=_stems_beside(reader, plan, seeds))
    walk = Walk(reader, state.admission, settings)
    reached = walk.from_seeds([node.number for node in seeds], plan.asked)
    itself = _nodes_asked_for(state, world, plan, seeds)
    found = _scored_rows(state, plan, world, reached, itself, leads=plan.asked is not None or len(itself) > 0)
    answers = (found.columns.admitted & reached.asked[found.place]).any()
    gone = gone if not answers else ()
    note, names = ABSENT if gone else "", gone
    if plan.asked is not None and not answers:  # what is asked for is not there: the opposite is no answer to it
        if not gone and not reached.asked.any() and (names := _names_of_defined(reader, plan, seeds)):
            note = unknown(plan.asked)
        plan = replace(plan, asked=None)
        reached = walk.from_seeds([node.number for node in seeds], None)
        found = _scored_rows(state, plan, world, reached, itself, leads=True)
    order = _ordered_rows(found, reached)
    may = found.columns.admitted[order]
    inside, outside = order[may][: settings.pool], order[~may][: settings.open_pool]
    if state.admission.known is not None:  # what was not written down yet is no evidence
        outside = outside[:0]
    if not len(inside) and not any(node.defined for node in seeds):  # nobody learns whom private memories know
        return _empty_report(plan, gone)
    raw = found.scores.astype(np.float32)
    ways = Ways(reached, found.columns.ids[inside], reached.nodes[found.place[inside]])
    count = int(reached.asked[found.place[inside]].sum()) or int((raw[inside] > 1).sum())
    hits = GraphHits(
        found.rows[inside],
        raw[inside],
        found.rows[outside],
        raw[outside],
        ways=ways,
        answers=count,
        beside=plan.beside,
        only=plan.asked is not None and not plan.beside and not reached.joins,
        unknown=names,
    )
    return report("graph", hits, note=note if len(inside) or gone else NOTHING), hits


def _empty_report(plan: Plan, gone: tuple[str, ...]) -> LegAnswer:
    """The answer of a leg that found nothing: `off` where the query names nothing; `gone` are names nobody knows."""
    if gone:
        nothing = GraphHits(NO_HITS.rows, NO_HITS.scores, NO_HITS.open_rows, NO_HITS.open_scores, unknown=gone)
        return LegReport("graph", "empty", ABSENT), nothing
    found = LegReport("graph", "empty", NOTHING) if plan.entities else None
    return found or LegReport("graph", "off", "the query names nothing"), NO_HITS


def _absent_names(state: State, plan: Plan, world: World) -> tuple[str, ...]:
    """Names in the query numbered as documents here are (`SPEC-99` beside SPEC-1) that none has which may answer.

    These names are numbered as documents here are.

    Of the past nothing is said: a document may have been there, and its history may not be known.
    """
    if state.request.as_of or state.request.as_known_at:
        return ()
    reader, out = world.reader.graph, list[str]()
    for name in {node_key(name): name for name in (*names_in(plan.text), *plan.entities)}.values():
        if kind := series_of(name):
            own = np.array([node.number for node in reader.find([name])], dtype=np.int64)
            if not _any_may_answer(state, world, own) and _any_may_answer(state, world, reader.numbered(kind, ALIKE)):
                out.append(name)
    return tuple(out[:NAMED])


def _any_may_answer(state: State, world: World, nodes: Ints) -> bool:
    """Whether a memory of one of these nodes may be given to whoever asks, leaving the filters of this call aside."""
    if not len(nodes):
        return False
    columns = world.reader.columns(world.reader.graph.homes(np.unique(nodes)).rows, state.admission)
    granted = sum(1 << i for i, scope in enumerate(BOUNDARY_SCOPES) if scope in state.request.scopes)
    return bool((columns.active & columns.valid & columns.trusted & (columns.boundary & ~np.uint8(granted) == 0)).any())


def _names_of_defined(reader: GraphReader, plan: Plan, seeds: Sequence[Node]) -> tuple[str, ...]:
    """The names that the query uses for the first of these nodes that a file defines."""
    left = {node.number for node in seeds if node.defined}
    out: list[str] = []
    for name in dict.fromkeys((*plan.entities, *names_in(plan.text))):
        if met := left.intersection(node.number for node in reader.find([name])):
            left -= met
            out.append(name)
    return tuple(out[:NAMED])


@dataclass(frozen=True, slots=True)
class _Scored:
    """The index rows that belong to reached nodes: their columns, the position of each one's node, their scores."""

    rows: Rows
    columns: Columns
    place: Ints
    scores: Floats


class Ways(Mapping[str, Way]):
    """By the id of a memory, the nodes from a seed to its own, each with the edge that led to it, and whether in its
    direction. Most are never asked for: each is made out when it is.
    """

    def __init__(self, reached: Reached, ids: NDArray[np.bytes_], nodes: Ints) -> None:
        self._reached, self._ids, self._nodes = reached, ids, nodes

    @cached_property
    def _node(self) -> dict[str, int]:
        return dict(zip(map(unpack_id, self._ids.tolist()), self._nodes.tolist(), strict=True))

    @cached_property
    def _came_from(self) -> Mapping[int, tuple[int, int, bool]]:
        """By a reached node, the node before it, the edge between them, and whether in its direction; no seed is in."""
        return self._reached.came_from()

    @cached_property
    def _between(self) -> Mapping[int, tuple[int, int, bool]]:
        """The same of nodes between two seeds."""
        return self._reached.between()

    def __getitem__(self, memory_id: str) -> Way:
        """The way to this memory's node: (node, edge to it or -1, whether in its direction) from the seed on.

        KeyError for a memory that the leg did not reach.
        """
        node, out = self._node[memory_id], list[tuple[int, int, bool]]()
        if node in self._between:
            before, edge, forward = self._between[node]
            return (before, -1, True), (node, edge, forward)
        while node in self._came_from:
            before, edge, forward = self._came_from[node]
            out.append((node, edge, forward))
            node = before
        return ((node, -1, True), *out[::-1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._node)

    def __len__(self) -> int:
        return len(self._node)


def _seed_nodes(reader: GraphReader, plan: Plan) -> list[Node]:
    """The things that the query names; of those, where it asks for edges, the ones that some file defines."""
    found = reader.find([*plan.entities, *names_in(plan.text)])
    found = [node for node in found if node.type != "Episode"]
    defined = [node for node in found if node.defined]
    return (defined if plan.asked and defined else found)[:SEEDS]


def _stems_beside(reader: GraphReader, plan: Plan, seeds: Sequence[Node]) -> tuple[int, ...]:
    """Positions of the query's telling stems that neither ask for edges nor belong to a name; none without edges."""
    if plan.asked is None:
        return ()
    numbers = {node.number for node in seeds}
    named = (name for name in (*plan.entities, *names_in(plan.text)) if _leads(reader, name, numbers))
    left = set(WORD.findall(beside(plan.text, named).casefold()))
    return tuple(i for i in plan.telling if plan.frequencies[i] and plan.words[i].casefold() in left)


def _leads(reader: GraphReader, name: str, numbers: Collection[int]) -> bool:
    return any(node.number in numbers for node in reader.find([name]))


def _nodes_asked_for(state: State, world: World, plan: Plan, seeds: Sequence[Node]) -> Ints:
    """The named documents, where the query asks for them alone or for what their headers say (`the status of SPEC-3`).

    That is so if each key word of the query is of their names, of a date, or the key of a line of such a header.
    Empty if not, if edges are asked for, or if no file defines a seed.
    """
    nobody = np.zeros(0, dtype=np.int64)
    defined = {node.number for node in seeds if node.defined}
    if plan.asked or not defined:
        return nobody
    named = [name for name in (*plan.entities, *names_in(plan.text)) if _leads(world.reader.graph, name, defined)]
    said = [*named, plan.period.phrase if plan.period else ""]
    words = {word for each in said for word in re.findall(r"\w+", each.casefold())}
    others = {word for i in plan.telling if len(word := plan.words[i].casefold()) > 1} - words  # `SPEC-3's`
    found = np.array(sorted(defined), dtype=np.int64)
    return found if not others or others <= _header_keys(state, world, found) else nobody


def _header_keys(state: State, world: World, nodes: Ints) -> set[str]:
    """The keys of the lines in the headers of these documents that may answer, in lower case."""
    rows = world.reader.graph.homes(nodes).rows
    columns = world.reader.columns(rows, state.admission)
    headers = world.reader.memories(rows[columns.admitted & (columns.ordinal == 0)])
    return {key.casefold() for each in headers for key in _KEY.findall(each.memory.content)}


def _scored_rows(state: State, plan: Plan, world: World, reached: Reached, itself: Ints, *, leads: bool) -> _Scored:
    """The rows that belong to the nodes, with their scores; those of the seeds only if no edge is asked for.

    Where an edge that is asked for joins two seeds, both are kept, too; the section that says so answers best. With
    `leads` the lead of a document stands before what is nearer to the question, as it does where edges are asked for.
    """
    reader = world.reader.graph
    rows, place = _with_listing_sections(state, world, reached, *_rows_of_nodes(reader, plan, reached))
    columns, near = world.reader.columns(rows, state.admission), _row_cosines(plan, world, rows)
    ranked, asked = reached.rank[place], reached.asked[place]
    fit = np.where(asked, 0.85 + 0.1 * ranked + 0.05 * near, 0.4 + 0.2 * ranked + 0.4 * near)
    states = _rows_stating_edges(reader, reached, columns) & reached.seed[place]
    fit[states] = 1.0
    if leads:
        near = near + _scores_of_leads(state, plan, world, columns, rows, place)
    places = _ranks_in_node(
        columns, place, near + MEANT * _scores_of_meant_sections(reader, reached, rows, place) + 2 * MEANT * states
    )
    scores = reached.activation[place] * fit * np.where(places < PER_NODE, 1.0 / (places + 1) ** 2, 0.0)
    scores[np.isin(reached.nodes[place], itself) & (places == 0) & columns.admitted] += 1.0
    if asked.any():
        scores[~_rows_to_keep(scores, asked, places)] = 0.0
    return _Scored(rows, columns, place, scores)


def _ordered_rows(found: _Scored, reached: Reached) -> Ints:
    """The positions of the rows with a score above 0, best first, those that asked edges lead to before all others."""
    scoring = (found.scores > 0).nonzero()[0]
    some = (
        found.columns.ids[scoring],
        -found.columns.created[scoring],
        -found.scores[scoring],
        ~reached.asked[found.place[scoring]],
    )
    return scoring[np.lexsort(some)]


def _row_cosines(plan: Plan, world: World, rows: Rows) -> Floats:
    """The cosine of each row to the query, not below 0; 0 without an encoder. The same for a row wherever it stands."""
    if plan.encoding is None:
        return np.zeros(len(rows))
    vectors = world.reader.features(rows, None, ()).vectors
    return np.maximum((vectors * plan.encoding.vector).sum(axis=1), 0.0).astype(np.float64)


def _rows_of_nodes(reader: GraphReader, plan: Plan, reached: Reached) -> tuple[Rows, Ints]:
    """The rows of the memories of the most active nodes, and for each row its node's position in `reached`."""
    wanted = (~reached.seed | reached.asked).nonzero()[0] if plan.asked else np.arange(len(reached.nodes))
    homes = reader.homes(reached.nodes[strongest(wanted, reached.activation, NODES)])
    place = reached.nodes.searchsorted(homes.nodes)
    first = strongest(np.arange(len(place)), reached.activation[place], ROWS)
    return homes.rows[first], place[first]


def _rows_to_keep(scores: Floats, asked: Mask, places: Ints) -> Mask:
    """A mask of what stays where edges are asked for: the best row of each thing they lead to, and as many others."""
    best = places == 0
    out = asked & best
    out[strongest((~asked & best).nonzero()[0], scores, max(BESIDE, int(out.sum())))] = True
    return out


def _scores_of_leads(state: State, plan: Plan, world: World, columns: Columns, rows: Rows, nodes: Ints) -> Floats:
    """What speaks for each row where edges are asked for: 1 for the lead of its node, more for what is asked of it.

    The lead is the first part of a document: its header. A section that holds enough more of the words beside the edges
    stands before it. Each word counts log(1 + N/(1 + df)).
    """
    if not len(rows):
        return np.zeros(0)
    order = np.lexsort((columns.ids, columns.ordinal, ~columns.admitted, nodes))
    lead = order[nodes[order].searchsorted(nodes)]
    out = (lead == np.arange(len(rows))).astype(np.float64)
    if not plan.beside:
        return out
    held = world.reader.features(rows, None, [plan.stems[i] for i in plan.beside]).matched
    weights = np.array([log(1 + state.corpus.rows / (1 + plan.frequencies[i])) for i in plan.beside])
    bits = np.arange(len(weights), dtype=np.uint64)
    share = (held[:, None] >> bits & np.uint64(1)).astype(np.float64) @ weights / weights.sum()
    return out + np.where(share - share[lead] >= MORE, 1.0 + share, 0.0)


def _scores_of_meant_sections(reader: GraphReader, reached: Reached, rows: Rows, place: Ints) -> Floats:
    """1 for each row of a section that an edge means (`SPEC-037 §3`), to put it first in its document; else 0."""
    again = place[1:][place[1:] == place[:-1]]  # a choice there is only where a node has several rows
    several = np.unique(again[reached.asked[again]])[:ANCHORED]
    if not len(several):
        return np.zeros(len(rows))
    came = {**reached.came_from(), **reached.between()}
    led = ((node, came[node]) for node in reached.nodes[several].tolist())
    steps = {node: edge for node, (_, edge, forward) in led if forward}  # an anchor is a part of an edge's target
    numbers = np.array(sorted(set(steps.values())), dtype=np.int64)
    anchors = dict(zip(numbers.tolist(), (edge.anchor for edge in reader.edges(numbers)), strict=True))
    anchor = {node: anchors[edge] for node, edge in steps.items() if anchors[edge]}
    out = np.zeros(len(rows))
    among = np.flatnonzero([node in anchor for node in reached.nodes[place].tolist()])
    for at, heading in zip(among.tolist(), reader.headings(rows[among]), strict=True):
        out[at] = is_part(heading, anchor[int(reached.nodes[place[at]])])
    return out


def _with_listing_sections(state: State, world: World, reached: Reached, rows: Rows, place: Ints) -> tuple[Rows, Ints]:
    """The rows and nodes, with sections of joined seeds that list others added: one may state the edge that joins."""
    if not reached.joins:
        return rows, place
    for node in (reached.seed & reached.asked).nonzero()[0].tolist():
        more = np.setdiff1d(world.reader.neighbours(rows[place == node], LISTS, state.admission), rows)
        said = more[_rows_stating_edges(world.reader.graph, reached, world.reader.columns(more, state.admission))]
        rows, place = np.concatenate((rows, said)), np.concatenate((place, np.full(len(said), node)))
    order = np.lexsort((rows, place))
    return rows[order], place[order]


def _rows_stating_edges(reader: GraphReader, reached: Reached, columns: Columns) -> Mask:
    """A mask of the rows whose memory states an edge that joins two seeds."""
    if not reached.joins:
        return np.zeros(len(columns.ids), dtype=np.bool_)
    edges = reader.edges(np.array([edge for _, _, edge in reached.joins], dtype=np.int64))
    said = {edge.memory_id for edge in edges}
    return np.array([unpack_id(raw) in said for raw in columns.ids.tolist()], dtype=np.bool_)


def is_part(heading: str, anchor: str) -> bool:
    """Whether a heading is the one that an anchor means: by its number, or by its words joined with hyphens."""
    number = _NUMBER.match(heading)
    slug = "-".join(re.findall(r"\w+", heading.casefold()))
    return bool(number and number[1] == anchor) or slug == anchor.casefold()


def _ranks_in_node(columns: Columns, nodes: Ints, near: Floats) -> Ints:
    """The rank of each row among those of its node: what may answer first, then the nearest, then by id."""
    out = np.zeros(len(nodes), dtype=np.int64)
    if (nodes[1:] > nodes[:-1]).all():
        return out
    order = np.lexsort((columns.ids, -near, ~columns.admitted, nodes))
    starts = nodes.searchsorted(nodes)
    out[order] = np.arange(len(nodes)) - starts
    return out
