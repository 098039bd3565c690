"""The example specifications in, what a port stands on out: found by its edges, on the first recall that plans it."""

import os
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from kits.cli import Cli
from kits.vault import HERE, NOON, ask, open_home, run
from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.model.entity import FOREVER, node_key
from pellucid.model.memory import unpack_id
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.recall.legs.nominate import LEGS
from pellucid.recall.state import State
from pellucid.store.index_port import Admission

SPECS = Path(__file__).parents[2] / "examples" / "specs"
PLANNING = "SPEC-054 dependencies port plan TypeScript"
UPSTREAM = {"spec-37", "spec-34", "spec-44", "spec-52"}
OTHER_LEGS = tuple(leg for leg in (*LEGS, "temporal") if leg != "graph")


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[App]:
    """A home that has indexed the example specifications. Recalls only."""
    folder = tmp_path_factory.mktemp("specs")
    app = open_home(folder / "home", minilm)
    index(app, copied(folder / "copy"))
    yield app
    app.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[App, Path]]:
    """A home and a copy of the specifications that a test may change; nothing is embedded."""
    folder = copied(tmp_path / "copy")
    app = open_home(tmp_path / "home", None)
    index(app, folder)
    yield app, folder
    app.close()


def copied(folder: Path) -> Path:
    """The specifications in a folder of their own, all written a month before noon."""
    shutil.copytree(SPECS, folder)
    for path in folder.rglob("*.md"):
        stamp(path, NOON - timedelta(days=30))
    return folder


def stamp(path: Path, at: datetime) -> None:
    nanoseconds = epoch_ms(at) * 1_000_000
    os.utime(path, ns=(nanoseconds, nanoseconds))


def index(app: App, folder: Path) -> None:
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))


def documents(state: State) -> list[str]:
    """The documents of a recall, each where its best section stands."""
    return list(dict.fromkeys(node_key(each.memory.entity_ref or "") for each in state.served))


def graph_terms(state: State) -> dict[str, float]:
    """Of each document served, what the graph adds to its best section."""
    terms = dict(zip(map(unpack_id, state.pool.ids), state.pool.terms["graph"].tolist(), strict=True))
    out: dict[str, float] = {}
    for each in state.served:
        out.setdefault(node_key(each.memory.entity_ref or ""), terms[each.memory.id])
    return out


def told(name: str) -> str:
    """The text of one specification."""
    (path,) = SPECS.rglob(f"{name}-*.md")
    return path.read_text("utf-8")


def targets(app: App, source: str, at: datetime) -> set[str]:
    """What a document pointed at, at an instant, as a recall walks it."""
    instant = epoch_ms(at)
    with app.index.reading(HERE) as reader:
        (here,) = reader.graph.find([source])
        steps = reader.graph.around(np.array([here.number]), Admission(instant, past=True), 0.0)
        return {node.key for node in reader.graph.nodes(steps.there[steps.forward])}


def test_the_corpus_does_not_give_the_answer_away() -> None:
    for name in ("SPEC-037", "SPEC-034", "SPEC-044", "SPEC-052"):
        words = told(name).lower()
        assert not [word for word in ("port plan", "typescript", "spec-054", "dependencies") if word in words]
    nearer = [path for path in SPECS.glob("*.md") if "typescript" in path.read_text("utf-8").lower()]
    assert len(nearer) >= 6


def test_the_corpus_is_large_enough() -> None:
    assert len(list(SPECS.glob("SPEC-*.md"))) >= 48
    assert len(list(SPECS.glob("adr/ADR-*.md"))) >= 6


@pytest.mark.requirement("GRAPH-3")
def test_planning_the_port_brings_everything_it_stands_on(specs: App) -> None:
    state = run(specs, PLANNING)
    five = {node_key(each.memory.entity_ref or "") for each in state.served[:5]}
    assert set(documents(state)[:5]) >= UPSTREAM
    assert five >= UPSTREAM
    assert {key for key, term in graph_terms(state).items() if term > 0} >= UPSTREAM


def test_without_the_graph_some_of_it_is_missed(specs: App) -> None:
    state = run(specs, PLANNING, without=("graph",))
    assert not set(documents(state)[:5]) >= UPSTREAM


def test_the_graph_alone_names_the_contract_among_the_first_three(specs: App) -> None:
    state = run(specs, "what does SPEC-054 depend on", without=OTHER_LEGS)
    assert "spec-37" in documents(state)[:3]
    assert {leg.name: leg.health for leg in state.legs}["graph"] == "ok"


@pytest.mark.requirement("GRAPH-2")
def test_every_specification_points_at_something(specs: App) -> None:
    edges = [filed.edge for filed in specs.graph.edges(HERE) if filed.edge.valid_until >= FOREVER]
    pointing = {edge.source for edge in edges if edge.type != "ALIAS_OF"}
    assert len(specs.graph.documents(HERE)) >= 54
    silent = [
        filed.document.path for filed in specs.graph.documents(HERE) if node_key(filed.document.entity) not in pointing
    ]
    assert silent == []


def test_the_edge_knows_which_paragraph_is_meant(specs: App) -> None:
    edges = [filed.edge for filed in specs.graph.edges(HERE, ["spec-54"], ["REFERENCES"])]
    assert [edge.anchor for edge in edges if edge.target == "spec-37"] == ["3"]


@pytest.mark.requirement("TIME-3")
def test_a_dropped_reference_is_gone_now_and_there_then(own: tuple[App, Path]) -> None:
    app, folder = own
    before = app.clock.now()
    (path,) = folder.glob("SPEC-054-*.md")
    text = path.read_text("utf-8")
    line = next(line for line in text.splitlines(keepends=True) if "SPEC-052" in line)
    path.write_text(text.replace(line, ""), "utf-8")
    stamp(path, app.clock.now())
    index(app, folder)
    edges = [filed.edge for filed in app.graph.edges(HERE, ["spec-54"]) if filed.edge.target == "spec-52"]
    assert edges
    assert all(edge.valid_until < FOREVER for edge in edges)
    assert "spec-52" in targets(app, "SPEC-054", before)
    assert "spec-52" not in targets(app, "SPEC-054", app.clock.now())


def test_a_recall_as_of_then_serves_the_words_of_then(own: tuple[App, Path]) -> None:
    app, folder = own
    before = app.clock.now()
    (path,) = folder.glob("SPEC-054-*.md")
    path.write_text(path.read_text("utf-8").replace("whose file both shims will share", "whose file stays unread"))
    stamp(path, app.clock.now())
    index(app, folder)
    asked = "file both shims will share during the rollout"
    then, now = ask(app, asked, as_of=before), ask(app, asked)
    assert "whose file both shims will share" in then.context
    assert "whose file both shims will share" not in now.context


def test_a_lazy_target_is_known_and_not_defined(specs: App) -> None:
    node = specs.graph.entity(HERE, "SPEC-061")
    assert node is not None
    assert not node.defined


def test_the_command_line_shows_the_same(cli: Cli) -> None:
    cli("index", "docs", str(copied(Path("specs"))))
    found = cli("recall", PLANNING, "--json").json
    five = {node_key(each["memory"].get("entityRef") or "") for each in found["memories"][:5]}
    assert five >= UPSTREAM
