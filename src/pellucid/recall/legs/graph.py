"""A query that names things in, the memories connected to these things out: the graph leg."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from pellucid.model.memory import unpack_id
from pellucid.recall.legs.graph_walk import Reached, Walk, strongest
from pellucid.recall.legs.leg import NO_HITS, GraphHits, LegAnswer, empty_report, report
from pellucid.recall.legs.named_nodes import NamedNodes
from pellucid.recall.query.edges import ABSENT, reason_for_no_edge
from pellucid.recall.score.equation import Floats, Ints, Mask
from pellucid.recall.state import Plan, State, Way, World
from pellucid.store.graph_port import GraphReader
from pellucid.store.index_port import Columns, Rows

NODES, ROWS = 128, 512
"""The most nodes, and rows of these, whose nearness to the query is looked at: the most active."""
BESIDE = 2
"""If edges are asked for, at least so many other things are nominated, and as many as the edges lead to."""
ANCHORED = 32
"""Nodes whose section an edge points to is looked for, at most."""
PER_NODE = 3
"""Rows of one node nominated, at most, if no edge is asked for; the n-th nearest scores 1/n² of the nearest."""
LISTS = 8
"""How many sections away from a thing's section a section is looked for that lists what the thing is connected to."""
MORE = 0.5
"""By how much a section's share of the words beside the edges must exceed a lead's to come before the lead."""
MEANT = 5.0
"""For the section that an edge points to: outweighs its nearness, the lead, and the words beside the edges."""
FOR_ITSELF = 1.0  # for the lead of a document that alone is asked for: no score without it is above 1
NOTHING = "nothing that may answer hangs together with what the query names"
_NUMBER = re.compile(r"§?\s*(\d+(?:\.\d+)*)\b")


def graph(state: State, plan: Plan, world: World) -> LegAnswer:
    """Return the report and the hits of the graph leg: the memories connected to the things that the query names, those
    that asked edges lead to first, then the others, each best first; if there are none, see `_empty_answer`.

    The raw score is the activation of a memory's node (`graph_walk`) times `.4 + .2·PageRank + .4·cosine`, or, if asked
    edges lead to it, times `.85 + .1·PageRank + .05·cosine`; a node's further rows score less (`_scored_rows`). If the
    asked edges lead nowhere, it is as if none were. If only a document is asked for, its header scores 1 more.
    """
    reader = world.reader.graph
    named = NamedNodes(state, plan, world)
    seeds, absent = named.seeds, named.missing_in_series()
    if not seeds:
        return _empty_answer(plan, absent)
    settings = state.request.settings
    plan = replace(plan, beside=named.stems_beside())
    walk = Walk(reader, state.admission, settings)
    reached = walk.from_seeds([node.number for node in seeds], plan.asked)
    sought = named.asked_for()
    found = _scored_rows(state, plan, world, reached, sought, leads=plan.asked is not None or len(sought) > 0)
    answers = (found.columns.admitted & reached.asked[found.place]).any()
    absent = absent if not answers else ()
    note, names = ABSENT if absent else "", absent
    if plan.asked is not None and not answers:  # what is asked for is not there: the opposite is no answer to it
        if not absent and not reached.asked.any() and (names := named.names_of_defined()):
            note = reason_for_no_edge(plan.asked)
        plan = replace(plan, asked=None)
        reached = walk.from_seeds([node.number for node in seeds], None)
        found = _scored_rows(state, plan, world, reached, sought, leads=True)
    order = _ordered_rows(found, reached)
    admitted = found.columns.admitted[order]
    inside, outside = order[admitted][: settings.pool], order[~admitted][: settings.open_pool]
    if state.admission.known is not None:  # what was not written down yet is no evidence
        outside = outside[:0]
    if not len(inside) and not any(node.defined for node in seeds):  # nobody learns whom private memories know
        return _empty_answer(plan, absent)
    raw = found.scores.astype(np.float32)
    ways = Ways(reached, found.columns.ids[inside], reached.nodes[found.place[inside]])
    count = int(reached.asked[found.place[inside]].sum()) or int((raw[inside] > FOR_ITSELF).sum())
    hits = GraphHits(
        found.rows[inside],
        raw[inside],
        found.rows[outside],
        raw[outside],
        ways=ways,
        answers=count,
        beside=plan.beside,
        only_edges=plan.asked is not None and not plan.beside and not reached.joins,
        unknown=names,
    )
    return report("graph", hits, note=note if len(inside) or absent else NOTHING), hits


def _empty_answer(plan: Plan, absent: tuple[str, ...]) -> LegAnswer:
    """Return the answer of a leg that found nothing: `empty` if the query names something or asks for an edge, else
    `off`.

    `absent` are names in the query of documents that a known series lacks; if there are some, the answer is `empty` and
    tells them.
    """
    if absent:
        no_hits = GraphHits(NO_HITS.rows, NO_HITS.scores, NO_HITS.open_rows, NO_HITS.open_scores, unknown=absent)
        return empty_report("graph", "empty", ABSENT), no_hits
    found = empty_report("graph", "empty", NOTHING) if plan.entities or plan.asked else None
    return found or empty_report("graph", "off", "the query names nothing"), NO_HITS


@dataclass(frozen=True, slots=True)
class _ScoredRows:
    """The index rows of reached nodes, aligned: columns, the position of each row's node in `Reached`, scores."""

    rows: Rows
    columns: Columns
    place: Ints
    scores: Floats


class Ways(Mapping[str, Way]):
    """Maps the id of each memory that the leg admitted to its way through the graph.

    A way is the nodes from a seed to the memory's own, each with the edge that led to it and whether that was followed
    in its direction. Most ways are never read, so each is worked out when it is.
    """

    def __init__(self, reached: Reached, ids: NDArray[np.bytes_], nodes: Ints) -> None:
        self._reached, self._ids, self._nodes = reached, ids, nodes

    @cached_property
    def _node(self) -> dict[str, int]:
        """Map the id of each memory that the leg admitted to the number of its node."""
        return dict(zip(map(unpack_id, self._ids.tolist()), self._nodes.tolist(), strict=True))

    @cached_property
    def _came_from(self) -> Mapping[int, tuple[int, int, bool]]:
        """Map each reached node except the seeds to the node before it, the edge between, and whether that edge points
        to it."""
        return self._reached.came_from()

    @cached_property
    def _between(self) -> Mapping[int, tuple[int, int, bool]]:
        """Map each seed that an asked edge joins to another seed to that other seed, the edge, and whether the edge
        points to the first of them."""
        return self._reached.between()

    def __getitem__(self, memory_id: str) -> Way:
        """Return the way to this memory's node, from the seed on: (node, edge to it or -1, whether in its direction).

        Raises KeyError if the leg did not reach the memory.
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


def _scored_rows(state: State, plan: Plan, world: World, reached: Reached, sought: Ints, *, leads: bool) -> _ScoredRows:
    """Return the rows that belong to the nodes, with their scores; rows of seeds (named nodes) only if no edge is asked
    for.

    If an edge that is asked for joins two seeds, both stay, too; the section that states the edge scores best. With
    `leads` the header of a document comes before its sections that are nearer to the question. `sought` are the nodes
    of `NamedNodes.asked_for`, whose best row, if admissible, scores `FOR_ITSELF` more. The n-th row of a node scores
    1/n² as much, rows after `PER_NODE` and, if asked edges lead somewhere, those not in `_rows_to_keep` score 0.
    """
    reader = world.reader.graph
    rows, place = _with_listing_sections(state, world, reached, *_rows_of_nodes(reader, plan, reached))
    columns, near = world.reader.columns(rows, state.admission), _row_cosines(plan, world, rows)
    ranked, asked = reached.rank[place], reached.asked[place]
    fit = np.where(asked, 0.85 + 0.1 * ranked + 0.05 * near, 0.4 + 0.2 * ranked + 0.4 * near)
    states_edge = _rows_stating_edges(reader, reached, columns) & reached.seed[place]
    fit[states_edge] = 1.0
    if leads:
        near = near + _scores_of_leads(state, plan, world, columns, rows, place)
    places = _ranks_in_node(
        columns, place, near + MEANT * _scores_of_meant_sections(reader, reached, rows, place) + 2 * MEANT * states_edge
    )
    scores = reached.activation[place] * fit * np.where(places < PER_NODE, 1.0 / (places + 1) ** 2, 0.0)
    scores[np.isin(reached.nodes[place], sought) & (places == 0) & columns.admitted] += FOR_ITSELF
    if asked.any():
        scores[~_rows_to_keep(scores, asked, places)] = 0.0
    return _ScoredRows(rows, columns, place, scores)


def _ordered_rows(found: _ScoredRows, reached: Reached) -> Ints:
    """Return the positions in `found` of the rows with a score above 0: first those of nodes reached along asked edges,
    then the others, each best first; of equals the newer first, then by id."""
    scoring = (found.scores > 0).nonzero()[0]
    some = (
        found.columns.ids[scoring],
        -found.columns.created[scoring],
        -found.scores[scoring],
        ~reached.asked[found.place[scoring]],
    )
    return scoring[np.lexsort(some)]


def _row_cosines(plan: Plan, world: World, rows: Rows) -> Floats:
    """Return the cosine of each row to the query, not below 0; 0 without an encoder.

    A row's cosine is the same to the last bit whatever rows are beside it.
    """
    query = plan.encoding.vector if plan.encoding else None
    return np.maximum(world.reader.features(rows, query, ()).cosine, 0.0).astype(np.float64)


def _rows_of_nodes(reader: GraphReader, plan: Plan, reached: Reached) -> tuple[Rows, Ints]:
    """Return the rows of the most active nodes (`NODES` nodes and `ROWS` rows at most), and for each row the position
    of its node in `reached`. Rows of seeds are among them only if no edge is asked for or an asked edge joins the seed
    to another."""
    wanted = (~reached.seed | reached.asked).nonzero()[0] if plan.asked else np.arange(len(reached.nodes))
    homes = reader.homes(reached.nodes[strongest(wanted, reached.activation, NODES)])
    place = reached.nodes.searchsorted(homes.nodes)
    first = strongest(np.arange(len(place)), reached.activation[place], ROWS)
    return homes.rows[first], place[first]


def _rows_to_keep(scores: Floats, asked: Mask, places: Ints) -> Mask:
    """Return a mask of the rows that stay if edges are asked for: the best row of each node reached along these
    (`asked`), and the best rows, by `scores`, of as many of the other nodes, `BESIDE` (2) at least. `places` are the
    ranks of the rows within their nodes, from 0."""
    best = places == 0
    out = asked & best
    out[strongest((~asked & best).nonzero()[0], scores, max(BESIDE, int(out.sum())))] = True
    return out


def _scores_of_leads(state: State, plan: Plan, world: World, columns: Columns, rows: Rows, nodes: Ints) -> Floats:
    """Return what each row gains by its place in its node: 1 for the lead, more for a section that says more, else 0.

    The lead is the first part of a document: its header. Of the words `plan.beside`, by which the query asks for a part
    of what edges lead to, a row has a share, a word weighing log(1 + N/(1 + df)). A section gains 1 + its share if that
    exceeds the lead's by at least `MORE`. `nodes` has each row's node, ascending.
    """
    if not len(rows):
        return np.zeros(0)
    order = np.lexsort((columns.ids, columns.ordinal, ~columns.admitted, nodes))
    lead = order[nodes[order].searchsorted(nodes)]
    out = (lead == np.arange(len(rows))).astype(np.float64)
    if not plan.beside:
        return out
    matched = world.reader.features(rows, None, [plan.stems[i] for i in plan.beside]).matched
    weights = np.array([log(1 + state.corpus.rows / (1 + plan.frequencies[i])) for i in plan.beside])
    bits = np.arange(len(weights), dtype=np.uint64)
    share = (matched[:, None] >> bits & np.uint64(1)).astype(np.float64) @ weights / weights.sum()
    return out + np.where(share - share[lead] >= MORE, 1.0 + share, 0.0)


def _scores_of_meant_sections(reader: GraphReader, reached: Reached, rows: Rows, place: Ints) -> Floats:
    """Return 1 for each row of a section that an edge points to (`SPEC-037 §3`), else 0; `place` has the position of
    each row's node in `reached`.

    Only nodes with several rows, reached along an asked edge in its direction, are looked at: the first `ANCHORED`.
    """
    again = place[1:][place[1:] == place[:-1]]  # a choice there is only where a node has several rows
    several = np.unique(again[reached.asked[again]])[:ANCHORED]
    if not len(several):
        return np.zeros(len(rows))
    came = {**reached.came_from(), **reached.between()}
    steps_to = ((node, came[node]) for node in reached.nodes[several].tolist())
    # an anchor is a part of an edge's target
    edge_of = {node: edge for node, (_, edge, forward) in steps_to if forward}
    numbers = np.array(sorted(set(edge_of.values())), dtype=np.int64)
    anchors = dict(zip(numbers.tolist(), (edge.anchor for edge in reader.edges(numbers)), strict=True))
    anchor = {node: anchors[edge] for node, edge in edge_of.items() if anchors[edge]}
    out = np.zeros(len(rows))
    among = np.flatnonzero([node in anchor for node in reached.nodes[place].tolist()])
    for at, heading in zip(among.tolist(), reader.headings(rows[among]), strict=True):
        out[at] = is_part(heading, anchor[int(reached.nodes[place[at]])])
    return out


def _with_listing_sections(state: State, world: World, reached: Reached, rows: Rows, place: Ints) -> tuple[Rows, Ints]:
    """Return the rows and the position in `reached` of each one's node (`place`), sorted by node, as `_ranks_in_node`
    needs. If an asked edge joins two seeds, sections at most `LISTS` turns away from the seeds' own that state such an
    edge are added as rows of these seeds; else both are returned as they are, and must be sorted so."""
    if not reached.joins:
        return rows, place
    for node in (reached.seed & reached.asked).nonzero()[0].tolist():
        more = np.setdiff1d(world.reader.neighbours(rows[place == node], LISTS, state.admission), rows)
        said = more[_rows_stating_edges(world.reader.graph, reached, world.reader.columns(more, state.admission))]
        rows, place = np.concatenate((rows, said)), np.concatenate((place, np.full(len(said), node)))
    order = np.lexsort((rows, place))
    return rows[order], place[order]


def _rows_stating_edges(reader: GraphReader, reached: Reached, columns: Columns) -> Mask:
    """Return a mask of the rows, whose index columns are given, whose memory states an asked edge that joins two seeds
    (`reached.joins`)."""
    if not reached.joins:
        return np.zeros(len(columns.ids), dtype=np.bool_)
    edges = reader.edges(np.array([edge for _, _, edge in reached.joins], dtype=np.int64))
    stating_ids = {edge.memory_id for edge in edges}
    return np.array([unpack_id(raw) in stating_ids for raw in columns.ids.tolist()], dtype=np.bool_)


def is_part(heading: str, anchor: str) -> bool:
    """Whether an edge's anchor (the part of a document that a link names) points to this heading: by its number, or by
    its words joined with hyphens.
    """
    number = _NUMBER.match(heading)
    slug = "-".join(re.findall(r"\w+", heading.casefold()))
    return bool(number and number[1] == anchor) or slug == anchor.casefold()


def _ranks_in_node(columns: Columns, nodes: Ints, near: Floats) -> Ints:
    """Return the rank, from 0, of each row in its node: admissible rows first, then the nearest (`near`), then by id.
    `nodes` has each row's node, ascending.
    """
    out = np.zeros(len(nodes), dtype=np.int64)
    if (nodes[1:] > nodes[:-1]).all():
        return out
    order = np.lexsort((columns.ids, -near, ~columns.admitted, nodes))
    out[order] = np.arange(len(nodes)) - nodes.searchsorted(nodes)
    return out
