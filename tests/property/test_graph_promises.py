"""Any interleaving of changes in, a graph that keeps its promises out: one type, one chain, and a past that stays."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import apsw
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from vault_kit import HERE, TickingClock, drop_index, open_home, run

from pellucid.app import App
from pellucid.errors import PellucidError
from pellucid.model.entity import FOREVER
from pellucid.operations.changing import (
    UndoInput,
    UpdateInput,
    Verb,
    VerbInput,
    apply_verb,
    undo,
    update,
)
from pellucid.operations.documenting import IndexDocsInput, index_docs
from pellucid.operations.forgetting import ForgetInput, forget
from pellucid.operations.house import rebuild
from pellucid.operations.instants import epoch_ms
from pellucid.operations.remembering import RememberInput, remember

THINGS = ("Crane", "Ferry", "SPEC-001", "SPEC-002")
STATUSES = ("draft", "accepted", "withdrawn")
NAMES = ("one.md", "two.md", "three.md")
EVERYTHING = {"pool": 1_000, "top_k_facts": 1_000, "char_budget": 10_000_000, "gate": "off"}
QUESTION = "harbour"


@dataclass
class Past:
    """What was answered at an instant: which memories, and what was true of each thing."""

    at: datetime
    ids: frozenset[str]
    props: dict[str, dict[str, str]] = field(default_factory=dict)


class Story(RuleBasedStateMachine):
    """A home and a folder of documents, and what may happen to both."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(mkdtemp(prefix="pellucid-graph-"))
        self.folder = self.place / "documents"
        self.folder.mkdir()
        self.clock = TickingClock()
        self.app: App = self._open()
        self.operations: list[str] = []
        self.said = 0

    def _open(self) -> App:
        return open_home(self.place / "home", None, clock=self.clock, **EVERYTHING)

    @initialize(name=st.sampled_from(NAMES), number=st.sampled_from((1, 2)))
    def a_document(self, name: str, number: int) -> None:
        self.documents(name, number, "draft", 2)

    @rule(
        name=st.sampled_from(NAMES), number=st.sampled_from((1, 2)), status=st.sampled_from(STATUSES),
        upon=st.integers(1, 3),
    )  # fmt: skip
    def documents(self, name: str, number: int, status: str, upon: int) -> None:
        """Write or rewrite a document, and index the folder."""
        self.said += 1
        text = (
            f"---\ntitle: The harbour, part {number}\nid: SPEC-00{number}\nstatus: {status}\n---\n\n"
            f"# The harbour, part {number}\n\nThe harbour opens at {self.said}.\n\n"
            f"## Depends on\n\n- SPEC-00{upon}, for the harbour\n\n## Notes\n\nThe harbour is quiet.\n"
        )
        self._change(lambda: (self.folder / name).write_text(text, "utf-8"))

    @rule(name=st.sampled_from(NAMES))
    def a_document_goes(self, name: str) -> None:
        self._change(lambda: (self.folder / name).unlink(missing_ok=True))

    @rule(old=st.sampled_from(NAMES), new=st.sampled_from(NAMES))
    def a_document_is_renamed(self, old: str, new: str) -> None:
        def move() -> None:
            if (self.folder / old).exists():
                (self.folder / old).replace(self.folder / new)

        self._change(move)

    def _change(self, change: Callable[[], object]) -> None:
        change()
        index_docs(self.app, IndexDocsInput(namespace=HERE, paths=(self.folder,)))

    @rule(thing=st.sampled_from(THINGS), status=st.sampled_from(STATUSES), about=st.sampled_from(THINGS))
    def remembers(self, thing: str, status: str, about: str) -> None:
        self.said += 1
        content = f"The harbour says in note {self.said} that {thing} is {status}, because of {about}."
        kept = remember(
            self.app,
            RememberInput(content=content, namespace=HERE, entity_ref=thing, attributes={"status": status}),
        )
        self.operations += filter(None, [kept.op_id])

    @rule(pick=st.integers(0, 1 << 16), status=st.sampled_from(STATUSES))
    def updates(self, pick: int, status: str) -> None:
        self.said += 1
        self._try(pick, lambda memory_id: update(self.app, UpdateInput(
            namespace=HERE, memory_id=memory_id, content=f"The harbour says otherwise in note {self.said}.",
            attributes={"status": status},
        )).op_id)  # fmt: skip

    @rule(pick=st.integers(0, 1 << 16), verb=st.sampled_from(("retract", "archive", "dispute")))
    def a_verb(self, pick: int, verb: Verb) -> None:
        self._try(pick, lambda memory_id: apply_verb(
            self.app, verb, VerbInput(namespace=HERE, memory_id=memory_id)
        ).op_id)  # fmt: skip

    def _try(self, pick: int, verb: Callable[[str], str | None]) -> None:
        """Do something to one memory that a verb may be done to; a refusal is an answer, too."""
        held = sorted(each.memory.id for each in self.app.index.memories(HERE) if each.memory.category != "section")
        if not held:
            return
        try:
            self.operations += filter(None, [verb(held[pick % len(held)])])
        except PellucidError:
            return

    @precondition(lambda self: self.operations)
    @rule()
    def undoes(self) -> None:
        try:
            undo(self.app, UndoInput(namespace=HERE, target=self.operations.pop()))
        except PellucidError:
            return

    @rule(hours=st.integers(1, 200))
    def time_passes(self, hours: int) -> None:
        self.clock.at += timedelta(hours=hours)


class GraphPromises(Story):
    """What must hold meanwhile: of the graph as it is, of its file, and of every answer about the past."""

    def __init__(self) -> None:
        super().__init__()
        self.past: list[Past] = []

    def teardown(self) -> None:
        try:
            for each in self.past:
                assert self._ids(each.at) == each.ids, each.at
        finally:
            self.app.close()
            shutil.rmtree(self.place)

    @rule()
    def somebody_asks(self) -> None:
        """What is answered as of now is to be answered as of now for ever."""
        at = self.clock.now()
        self.clock.at += timedelta(seconds=1)
        keys = [node.key for node in self.app.graph.entities(HERE)]
        self.past.append(Past(at, self._ids(at), {key: self._props(key, at) for key in keys}))

    def _ids(self, at: datetime) -> frozenset[str]:
        return frozenset(each.memory.id for each in run(self.app, QUESTION, as_of=at).served)

    def _props(self, key: str, at: datetime) -> dict[str, str]:
        """What was true of a thing; nothing, too, where it was not spoken of: a chain has no gaps."""
        instant = epoch_ms(at)
        held = [state for state in self.app.graph.states(HERE, key) if state.valid_from <= instant < state.valid_until]
        return dict(held[0].props) if held else {}

    @rule(pick=st.integers(0, 1 << 16))
    def forgets(self, pick: int) -> None:
        held = sorted(each.memory.id for each in self.app.index.memories(HERE))
        if not held:
            return
        before = {key: self._sayers(key) for each in self.past for key in each.props}
        try:
            done = forget(self.app, ForgetInput(namespace=HERE, memory_ids=(held[pick % len(held)],)))
        except PellucidError:
            return
        gone = {each.id for each in done.memories}
        for each in self.past:
            each.ids -= gone
            each.props = {key: held for key, held in each.props.items() if not before[key] & gone}

    def _sayers(self, key: str) -> set[str]:
        """The memories that say anything of a thing."""
        claimed = {claim.memory_id for claim in self.app.graph.claims(HERE, key)}
        return claimed | {filed.edge.memory_id for filed in self.app.graph.edges(HERE, [key])}

    @rule()
    def is_rebuilt(self) -> None:
        before = self._everything()
        rebuild(self.app)
        assert self._everything() == before

    @rule()
    def is_opened_again_without_its_index(self) -> None:
        before = self._everything()
        self.app.close()
        drop_index(self.place / "home")
        self.app = self._open()
        self.app.keeper.adopt()
        assert self._everything() == before

    def _everything(self) -> object:
        """The whole graph, in an order of its own."""
        graph = self.app.graph
        nodes = [(node.key, node.name, node.type, node.defined) for node in graph.entities(HERE)]
        states = {key: graph.states(HERE, key) for key, *_ in nodes}
        claims = {key: sorted(graph.claims(HERE, key), key=repr) for key, *_ in nodes}
        return nodes, states, claims, sorted(graph.edges(HERE), key=repr)

    @invariant()
    def every_thing_has_one_type_and_one_chain(self) -> None:
        nodes = self.app.graph.entities(HERE)
        assert len({node.key for node in nodes}) == len(nodes)
        for node in nodes:
            assert node.type
            states = self.app.graph.states(HERE, node.key)
            assert states, node
            assert all(earlier.valid_until == later.valid_from for earlier, later in pairwise(states))
            assert all(state.valid_from < state.valid_until for state in states)
            assert sum(state.valid_until >= FOREVER for state in states) <= 1

    @invariant()
    def so_does_the_file(self) -> None:
        index = apsw.Connection(str(self.place / "home" / "index.db"), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            typed = "SELECT count(*), count(DISTINCT ns || key), count(type) FROM nodes"
            ((nodes, keys, types),) = index.execute(typed)
            assert nodes == keys == types
            for node, chain in index.execute(CHAINS):
                spans = json.loads(chain)
                assert spans, node
                assert all(earlier[1] == later[0] for earlier, later in pairwise(spans))
                assert all(until is None or begun < until for begun, until in spans)
                assert [until for _, until in spans].count(None) <= 1
            assert list(index.execute("PRAGMA foreign_key_check")) == []
        finally:
            index.close()

    @invariant()
    def the_past_stays(self) -> None:
        for each in self.past:
            for key, held in each.props.items():
                assert self._props(key, each.at) == held, (key, each.at)
        for each in self.past[-1:]:
            assert self._ids(each.at) == each.ids, each.at


CHAINS = """
    SELECT node, (SELECT json_group_array(json_array(valid_from, valid_until))
                  FROM (SELECT * FROM states WHERE states.node = nodes.node ORDER BY valid_from))
    FROM nodes WHERE since IS NOT NULL
"""

TestGraphPromises = pytest.mark.requirement("TIME-1")(
    pytest.mark.requirement("TIME-2")(pytest.mark.slow(GraphPromises.TestCase))
)
TestGraphPromises.settings = settings(
    max_examples=20, stateful_step_count=16, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
