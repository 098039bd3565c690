"""A query in, the nodes of the graph that it names out, and what its other words ask of them."""

import re
from collections.abc import Collection
from functools import cached_property

import numpy as np

from pellucid.model.entity import node_key, series_of
from pellucid.recall.query.edges import text_beside_edges
from pellucid.recall.query.entities import WORD, names_in
from pellucid.recall.score.equation import Ints
from pellucid.recall.state import Plan, State, World
from pellucid.store.graph_port import Node
from pellucid.store.index_port import within_scopes

SEEDS = 10
"""Named things that a walk begins at, at most."""
NAMED = 3
"""Named things that a report calls unknown, at most: they, or the edges of theirs that are asked for, are not known."""
ALIKE = 16
"""Documents of a named document's numbered series that are looked at, at most, for one that is allowed to answer."""
_KEY = re.compile(r"^([\w-]+):", re.MULTILINE)


class NamedNodes:
    """The names in one query, and the nodes that they mean.

    `seeds` looks all names up in one question to the graph. What one name means by itself is asked only where an answer
    hangs on it, and once: most queries have many possible names, and need none of that.
    """

    def __init__(self, state: State, plan: Plan, world: World) -> None:
        """Take the names in the query of `plan`, those of `plan.entities` first; each is looked up, in the graph that
        `world` reads, when it is first needed. `state` is the recall so far: its request and admission say what is
        allowed to answer.
        """
        self._state, self._plan, self._world = state, plan, world
        self._reader = world.reader.graph
        self._names = list(dict.fromkeys((*plan.entities, *names_in(plan.text))))
        self._nodes: dict[str, list[Node]] = {}

    def _find(self, name: str) -> list[Node]:
        """Return the nodes that one name means, empty if none; looked up when first asked for, and cached."""
        if name not in self._nodes:
            self._nodes[name] = self._reader.find([name])
        return self._nodes[name]

    @cached_property
    def seeds(self) -> list[Node]:
        """The first ten nodes of the things that the query names, each once; episodes are not among them.

        They are in the order of the names: `plan.entities`, then other runs of words, the longest first. If the query
        asks for edges and a file defines one of the named things, only things that a file defines are among them.
        """
        found = [node for node in self._reader.find(self._names) if node.type != "Episode"]
        defined = [node for node in found if node.defined]
        return (defined if self._plan.asked and defined else found)[:SEEDS]

    def missing_in_series(self) -> tuple[str, ...]:
        """Return the query's names that look like a document of a numbered series known here (`SPEC-99`, where there is
        a SPEC-1), but of which there is no document.

        Only documents that are allowed to answer count, of the series the first 16. At most three names, each as the
        query spells it; one of several spellings of the same name. Empty for a question about the past (`as_of`,
        `as_known_at`): a document may have existed then although its history is not known.
        """
        if self._state.request.as_of or self._state.request.as_known_at:
            return ()
        out = list[str]()
        for name in {node_key(name): name for name in (*names_in(self._plan.text), *self._plan.entities)}.values():
            if kind := series_of(name):
                nodes = np.array([node.number for node in self._find(name)], dtype=np.int64)
                if not self._any_admissible(nodes) and self._any_admissible(self._reader.numbered(kind, ALIKE)):
                    out.append(name)
        return tuple(out[:NAMED])

    def _any_admissible(self, nodes: Ints) -> bool:
        """Whether recall is allowed to return a memory of one of these nodes (numbers), the caller's filters aside.

        It must be active, valid, trusted, and within the caller's scopes. False if there are no nodes.
        """
        if not len(nodes):
            return False
        columns = self._world.reader.columns(self._reader.homes(np.unique(nodes)).rows, self._state.admission)
        visible = within_scopes(columns.boundary, self._state.request.granted)
        return bool((columns.active & columns.valid & columns.trusted & visible).any())

    def names_of_defined(self) -> tuple[str, ...]:
        """Return the names that the query uses for those seeds that a file defines, the first name of each, at most
        three, in the order of the names."""
        left = {node.number for node in self.seeds if node.defined}
        out: list[str] = []
        for name in self._names:
            if left and (matched := left.intersection(node.number for node in self._find(name))):
                left -= matched
                out.append(name)
        return tuple(out[:NAMED])

    def stems_beside(self) -> tuple[int, ...]:
        """Return the indices in `plan.stems` of the content words (`plan.telling`) that stand after the words that ask
        for edges, in order; empty if the query asks for no edges.

        Left out are words in a seed's name, the word after such a name, and stems that no memory contains.
        """
        plan = self._plan
        if plan.asked is None:
            return ()
        named = self._names_of({node.number for node in self.seeds})
        left = set(WORD.findall(text_beside_edges(plan.text, named).casefold()))
        return tuple(i for i in plan.telling if plan.frequencies[i] and plan.words[i].casefold() in left)

    def _names_of(self, numbers: Collection[int]) -> list[str]:
        """Return the names in the query that mean one of the nodes with these numbers, as the query spells them."""
        return [name for name in self._names if any(node.number in numbers for node in self._find(name))]

    def asked_for(self) -> Ints:
        """Return the numbers of the named documents' nodes if only they, or what their headers say (`the status of
        SPEC-3`), are asked for: each content word belongs to a name, a date, or the key of a line in such a header.

        Words of one character do not count. The numbers are sorted, at most ten. Empty if more is asked for, if edges
        are asked for, or if no file defines a seed.
        """
        plan, no_nodes = self._plan, np.zeros(0, dtype=np.int64)
        defined = {node.number for node in self.seeds if node.defined}
        if plan.asked or not defined:
            return no_nodes
        explained = [*self._names_of(defined), plan.period.phrase if plan.period else ""]
        words = {word for each in explained for word in re.findall(r"\w+", each.casefold())}
        others = {word for i in plan.telling if len(word := plan.words[i].casefold()) > 1} - words  # `SPEC-3's`
        found = np.array(sorted(defined), dtype=np.int64)
        return found if not others or others <= self._header_keys(found) else no_nodes

    def _header_keys(self, nodes: Ints) -> set[str]:
        """Return the keys of the lines in the headers of the documents with these nodes, casefolded; only of admissible
        memories.

        They are read from the text of the header's memory, as `vault.documents.header_text` wrote it: a recall may know
        no more of a document than that memory says.
        """
        rows = self._reader.homes(nodes).rows
        columns = self._world.reader.columns(rows, self._state.admission)
        headers = self._world.reader.memories(rows[columns.admitted & (columns.ordinal == 0)])
        return {key.casefold() for each in headers for key in _KEY.findall(each.memory.content)}
