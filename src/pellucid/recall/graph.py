"""A query that names things in, the memories that hang together with them out: the graph leg."""

import re
from dataclasses import dataclass, replace

import numpy as np

from pellucid.model.memory import unpack_id
from pellucid.recall.equation import Floats, Ints, Mask
from pellucid.recall.function_words import FUNCTION_WORDS
from pellucid.recall.graph_walk import Reached, Walk
from pellucid.recall.leg import NO_HITS, Asked, GraphHits, report
from pellucid.recall.state import LegReport, Plan, State, Way, World
from pellucid.store.graph_port import GraphReader, Node
from pellucid.store.index_port import Columns, Rows

SEEDS = 10
"""Named things that a walk begins at, at most."""
NODES, ROWS = 128, 512
"""Nodes, and rows of these, whose nearness to the query is looked at, at most: the most active."""
BESIDE = 2
"""Where edges are asked for, what else is nominated: as many as these lead to, at least so many."""
ANCHORED = 32
"""Nodes of which the section that an edge means is looked for, at most."""
PER_NODE = 3
"""Rows of one node that are nominated at most, where no edge is asked for: the n-th nearest scores an n²-th."""
NOTHING = "nothing that may answer hangs together with what the query names"
_LONGEST = 8
"""Words of a name in a query at most."""
_SHORTEST = 3
"""Characters of a name that is one plain word, at least."""
_ARTICLES = frozenset(("a", "an", "the"))
_WORD = re.compile(r"[^\W_]+(?:[-_./#'’][^\W_]+)*")
_NUMBER = re.compile(r"§?\s*(\d+(?:\.\d+)*)\b")
_POSSESSIVE = re.compile(r"['’]s?$")


def graph(state: State, plan: Plan, world: World) -> Asked:
    """What hangs together with the things that the query names, nearest first; `off` where it names none.

    The raw score of a memory is the activation of its node (`graph_walk`) times `.4 + .2·PageRank + .4·cosine`, or
    `.85 + .1·PageRank + .05·cosine` where the query asks for edges: then the distance decides.
    """
    reader = world.reader.graph
    seeds = _seeds(reader, plan)
    if not seeds:
        return _nothing(plan), NO_HITS
    settings = state.request.settings
    walk = Walk(reader, state.admission, settings)
    reached = walk.from_seeds([node.number for node in seeds], plan.asked)
    found = _scored(state, plan, world, reached)
    answers = bool((found.columns.admitted & reached.asked[found.place]).any())
    if plan.asked is not None and not answers:  # what is asked for is not there: the opposite is no answer to it
        plan = replace(plan, asked=None)
        reached = walk.from_seeds([node.number for node in seeds], None)
        found = _scored(state, plan, world, reached)
    order = np.lexsort((found.columns.ids, -found.columns.created, -found.scores))
    order = order[found.scores[order] > 0]
    may = found.columns.admitted[order]
    inside, outside = order[may][: settings.pool], order[~may][: settings.open_pool]
    if state.admission.known is not None:  # what was not written down yet is no evidence
        outside = outside[:0]
    if not len(inside) and not any(node.defined for node in seeds):  # nobody learns whom private memories know
        return _nothing(plan), NO_HITS
    raw = found.scores.astype(np.float32)
    ends = zip(found.columns.ids[inside].tolist(), reached.nodes[found.place[inside]].tolist(), strict=True)
    ways = {unpack_id(raw_id): _way(reached, node) for raw_id, node in ends}
    hits = GraphHits(found.rows[inside], raw[inside], found.rows[outside], raw[outside], ways=ways, answers=answers)
    return report("graph", hits, note="" if len(inside) else NOTHING), hits


def _nothing(plan: Plan) -> LegReport:
    """How the leg did where the query names something that nothing is known of, or nothing at all."""
    return (
        LegReport("graph", "empty", NOTHING) if plan.entities else LegReport("graph", "off", "the query names nothing")
    )


@dataclass(frozen=True, slots=True)
class _Scored:
    """Rows that answer for reached nodes: their columns, the position of the node of each, and their scores."""

    rows: Rows
    columns: Columns
    place: Ints
    scores: Floats


def names_in(text: str) -> list[str]:
    """What could name something in a text: every run of up to eight words, the longest first.

    None begins or ends with a function word, but for an article before others: titles have these.
    """
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(text)]
    empty = [word.casefold() in FUNCTION_WORDS for word in words]
    opens = [not void or word.casefold() in _ARTICLES for word, void in zip(words, empty, strict=True)]
    out: dict[str, None] = {}
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length - 1
            if not empty[end] and opens[start] and (length > 1 or len(words[start]) >= _SHORTEST):
                out.setdefault(" ".join(words[start : end + 1]))
    return list(out)


def _seeds(reader: GraphReader, plan: Plan) -> list[Node]:
    """The things that the query names; of those, where it asks for edges, the ones that some file defines."""
    found = reader.find([*plan.entities, *names_in(plan.text)])
    found = [node for node in found if node.type != "Episode"]
    defined = [node for node in found if node.defined]
    return (defined if plan.asked and defined else found)[:SEEDS]


def _scored(state: State, plan: Plan, world: World, reached: Reached) -> _Scored:
    """The rows that answer for the nodes, with their scores; those of the seeds only if no edge is asked for."""
    reader = world.reader.graph
    rows, place = _rows(reader, plan, reached)
    columns, near = world.reader.columns(rows, state.admission), _near(plan, world, rows)
    ranked, asked = reached.rank[place], reached.asked[place]
    fit = np.where(asked, 0.85 + 0.1 * ranked + 0.05 * near, 0.4 + 0.2 * ranked + 0.4 * near)
    places = _places(columns, place, near + _meant(reader, reached, rows, place))
    scores = reached.activation[place] * fit * np.where(places < PER_NODE, 1.0 / (places + 1) ** 2, 0.0)
    if asked.any():
        scores[~_company(scores, asked, places)] = 0.0
    return _Scored(rows, columns, place, scores)


def _near(plan: Plan, world: World, rows: Rows) -> Floats:
    """The cosine of each row to the query, not below 0; 0 without an encoder. The same for a row wherever it stands."""
    if plan.encoding is None:
        return np.zeros(len(rows))
    vectors = world.reader.features(rows, None, ()).vectors
    return np.maximum((vectors * plan.encoding.vector).sum(axis=1), 0.0).astype(np.float64)


def _rows(reader: GraphReader, plan: Plan, reached: Reached) -> tuple[Rows, Ints]:
    """The rows of the most active nodes, and the position of the node of each."""
    wanted = np.flatnonzero(~reached.seed) if plan.asked else np.arange(len(reached.nodes))
    wanted = wanted[np.argsort(-reached.activation[wanted], kind="stable")[:NODES]]
    homes = reader.homes(np.sort(reached.nodes[wanted]))
    place = np.searchsorted(reached.nodes, homes.nodes)
    first = np.sort(np.argsort(-reached.activation[place], kind="stable")[:ROWS])
    return homes.rows[first], place[first]


def _company(scores: Floats, asked: Mask, places: Ints) -> Mask:
    """What is kept where edges are asked for: a row of each thing they lead to, and as many of the best of all else."""
    out = asked & (places == 0)
    beside = np.flatnonzero(~asked & (places == 0))
    out[beside[np.argsort(-scores[beside], kind="stable")][: max(BESIDE, int(out.sum()))]] = True
    return out


def _meant(reader: GraphReader, reached: Reached, rows: Rows, place: Ints) -> Floats:
    """1 for the section that an edge means (`SPEC-037 §3`), so that it stands first among those of its document."""
    if not reached.asked.any():
        return np.zeros(len(rows))
    several = np.unique(place[:-1][place[1:] == place[:-1]])  # a choice there is only where a node has several rows
    several = several[reached.asked[several]][:ANCHORED]
    steps = {node: reached.came[node][1] for node in reached.nodes[several].tolist()}
    numbers = np.array(sorted(set(steps.values())), dtype=np.int64)
    anchors = dict(zip(numbers.tolist(), (edge.anchor for edge in reader.edges(numbers)), strict=True))
    anchor = {node: anchors[edge] for node, edge in steps.items() if anchors[edge]}
    out = np.zeros(len(rows))
    among = np.flatnonzero([node in anchor for node in reached.nodes[place].tolist()])
    for at, heading in zip(among.tolist(), reader.headings(rows[among]), strict=True):
        out[at] = is_part(heading, anchor[int(reached.nodes[place[at]])])
    return out


def is_part(heading: str, anchor: str) -> bool:
    """Whether a heading is the one that an anchor means: by its number, or by its words joined with hyphens."""
    number = _NUMBER.match(heading)
    slug = "-".join(re.findall(r"\w+", heading.casefold()))
    return bool(number and number[1] == anchor) or slug == anchor.casefold()


def _places(columns: Columns, nodes: Ints, near: Floats) -> Ints:
    """The place of each row among those of its node: what may answer first, then the nearest, then by id."""
    order = np.lexsort((columns.ids, -near, ~columns.admitted, nodes))
    starts = np.searchsorted(nodes[order], nodes[order], "left")
    out = np.zeros(len(nodes), dtype=np.int64)
    out[order] = np.arange(len(nodes)) - starts
    return out


def _way(reached: Reached, node: int) -> Way:
    """The nodes from a seed to a node, each with the edge that led to it, and whether in its direction."""
    out: list[tuple[int, int, bool]] = []
    while node in reached.came:
        before, edge, forward = reached.came[node]
        out.append((node, edge, forward))
        node = before
    return ((node, -1, True), *out[::-1])
