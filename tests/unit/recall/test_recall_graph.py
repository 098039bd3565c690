"""The graph leg: what it starts from, how far it goes, which way, and what it says of it."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from kits.vault import NOON, Opener, a_memory, file_memories, run
from pellucid.app import App
from pellucid.model.entity import entity_id
from pellucid.model.memory import unpack_id
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.recall.recalling import recall, xray_by_id, xray_new_recall
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.recall.ablate import ablate
from pellucid.recall.context.abstain import UNKNOWN_FROM
from pellucid.recall.legs.graph import is_part
from pellucid.recall.legs.nominate import legs
from pellucid.recall.query.entities import names_in
from pellucid.recall.query.plan import plan
from pellucid.recall.receipt.record import inflate, pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.fuse import COMPANY
from pellucid.recall.state import State

HERE = "local/default"
ALONE = ("vector", "lexical", "passage", "procedural", "review", "recent")
TOWN = {
    "SPEC-1": ("The harbour gate", "requires: SPEC-2, SPEC-3", "Boats wait here."),
    "SPEC-2": ("Tide tables", "requires: SPEC-4", "Water comes and goes."),
    "SPEC-3": ("The lamp keeper", "", "Somebody lights the lamp."),
    "SPEC-4": ("Moon phases", "requires: SPEC-2", "Bright or dark."),  # a circle
    "SPEC-5": ("Ferry timetable", "requires: SPEC-1", "Every hour."),
    "SPEC-6": ("Bakery hours", "supersedes: SPEC-7", "Bread at six."),
    "SPEC-7": ("Old bakery hours", "", "Bread at five."),
}


def put(folder: Path, name: str, title: str, header: str = "", text: str = "") -> None:
    head = (
        f"---\nid: {name}\ntitle: {title}\n{header}\n---\n\n" if header else f"---\nid: {name}\ntitle: {title}\n---\n\n"
    )
    file, written = folder / f"{name}.md", NOON.timestamp() - 3600
    file.write_text(f"{head}# {title}\n\n{text}\n", "utf-8")
    os.utime(file, (written, written))


@pytest.fixture
def town(house: Opener, tmp_path: Path) -> App:
    folder = tmp_path / "town"
    folder.mkdir()
    for name, (title, header, text) in TOWN.items():
        put(folder, name, title, header, text)
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    return app


def leg(state: State) -> str:
    return next(each.health for each in state.legs if each.name == "graph")


def reached(app: App, query: str, **given: object) -> list[str]:
    """The documents the graph leg nominated, in its order, each once."""
    state = run(app, query, without=ALONE, top_k=100, budget=1_000_000, **given)
    of = {each.memory.id: each.memory.entity_ref for each in app.index.memories(HERE)}
    pool = state.pool
    ranked = sorted((rank, at) for at, rank in enumerate(pool.ranks.get("graph", ())) if rank)
    return list(dict.fromkeys(str(of[unpack_id(pool.ids[at])]) for _, at in ranked))


@pytest.mark.requirement("GRAPH-3")
def test_dependencies_come_first_by_distance_and_a_circle_ends(town: App) -> None:
    found = reached(town, "what does SPEC-1 depend on")
    assert set(found[:2]) == {"SPEC-2", "SPEC-3"}
    assert found[2] == "SPEC-4"
    assert "SPEC-1" not in found


@pytest.mark.requirement("GRAPH-3")
def test_dependents_are_followed_the_other_way(town: App) -> None:
    found = reached(town, "what depends on SPEC-2")
    assert set(found[:2]) == {"SPEC-1", "SPEC-4"}
    assert found[2] == "SPEC-5"


def test_what_replaced_a_document_is_found_from_its_old_name(town: App) -> None:
    assert reached(town, "what replaced SPEC-7?")[0] == "SPEC-6"


@pytest.mark.parametrize("name", ["SPEC-1", "spec 001", "Spec #1", "the harbour gate", "SPEC-001.md"])
def test_a_document_is_known_by_its_id_however_it_is_written_by_its_title_and_by_its_file(town: App, name: str) -> None:
    assert leg(run(town, f"what does {name} depend on")) == "ok"
    assert set(reached(town, f"what does {name} depend on")[:2]) == {"SPEC-2", "SPEC-3"}


@pytest.mark.requirement("GRAPH-4")
def test_a_query_that_names_nothing_switches_the_leg_off_and_an_unknown_name_leaves_it_empty(town: App) -> None:
    nothing, unknown = run(town, "when is the bread ready"), run(town, "what does SPEC-99 depend on")
    assert (leg(nothing), leg(unknown)) == ("off", "empty")
    reasons = {each.name: each.reason for state in (nothing, unknown) for each in state.legs}
    assert "SPEC-99" not in reasons["graph"]


def test_a_path_has_one_edge_fewer_than_nodes_and_names_no_words(town: App) -> None:
    state = run(town, "what does SPEC-1 depend on")
    paths = {path.nodes[-1]: path for path in state.paths.values()}
    one, two, four = (entity_id(HERE, f"spec-{number}", town.key) for number in (1, 2, 4))
    far = paths[four]
    assert far.nodes == (one, two, four)
    assert (far.types, far.forward, far.confidences) == (("DEPENDS_ON",) * 2, (True, True), (1.0, 1.0))


def test_the_explanation_names_the_path_and_its_direction(town: App) -> None:
    snapshot = xray_new_recall(town, RecallInput(query="what depends on SPEC-3", namespace=HERE))
    found = next(each for each in snapshot.results if each.graph_path and each.graph_path[-1] == "SPEC-1")
    assert (found.graph_path, found.graph_edge_confidences) == (("SPEC-3", "SPEC-1"), (1.0,))
    assert found.graph_edges == ("SPEC-1 DEPENDS_ON SPEC-3",)
    assert found.score_decomposition.graph == town.settings.recall.graph_asked_weight == snapshot.weights["graph"]
    assert "along the graph" in found.why


def test_a_receipt_keeps_the_ways_and_an_ablation_is_a_live_run(town: App) -> None:
    query = RecallInput(query="what does SPEC-1 depend on", namespace=HERE)
    made = recall(town, query)
    assert xray_by_id(town, HERE, made.recall_id).results == xray_by_id(town, HERE, made.recall_id).results
    state = run(town, "what does SPEC-1 depend on")
    kept = unpack(pack(state)).state
    assert (kept.paths, kept.plan.asked) == (state.paths, state.plan.asked)
    without, live = ablate(kept, ("graph",)), run(town, "what does SPEC-1 depend on", without=("graph",))
    assert [without.pool.ids[at] for at in without.order] == [live.pool.ids[at] for at in live.order]
    assert without.pool.final[without.order].tolist() == live.pool.final[live.order].tolist()


def test_edges_that_lead_nowhere_are_not_paid_for(house: Opener, tmp_path: Path) -> None:
    """A person who is only spoken of is no document: his memories are not lifted as if they had been asked for."""
    app = house(tmp_path / "home")
    file_memories(app, [a_memory(1, "Ines repairs cranes", entity_ref="Ines"), a_memory(2, "Otto repairs ships")])
    state = run(app, "what does Ines depend on")
    assert leg(state) == "ok"
    assert state.plan.asked is None
    assert max(state.pool.terms["graph"]) <= app.settings.recall.leg_weights.graph


def test_a_memory_is_reached_by_another_name_of_what_it_is_about(house: Opener, tmp_path: Path) -> None:
    app = house(tmp_path / "home")
    file_memories(
        app,
        [
            a_memory(1, "The new name is Halyard", entity_ref="Halyard", structured_attributes={"formerly": "Rigging"}),
            a_memory(2, "It ships on Fridays", entity_ref="Halyard"),
        ],
    )
    state = run(app, "Rigging", without=ALONE)
    assert leg(state) == "ok"
    assert len(state.order) == 2


def test_quarantined_memories_are_neither_found_nor_gone_through(house: Opener, tmp_path: Path) -> None:
    app = house(tmp_path / "home")
    file_memories(
        app,
        [
            a_memory(1, "SPEC-1 hangs on SPEC-2", entity_ref="SPEC-1"),
            a_memory(2, "SPEC-2 is a secret of SPEC-3", entity_ref="SPEC-2", trust_zone="quarantine"),
            a_memory(3, "SPEC-3 is here", entity_ref="SPEC-3"),
        ],
    )
    state = run(app, "SPEC-1", without=ALONE)
    assert [unpack_id(state.pool.ids[at]) for at in state.order] == [a_memory(1, "").id]


def test_the_ranking_of_a_rebuilt_home_is_the_same(town: App) -> None:
    before = [reached(town, query) for query in ("what does SPEC-1 depend on", "SPEC-2 and SPEC-6")]
    town.indexer.rebuild()
    assert [reached(town, query) for query in ("what does SPEC-1 depend on", "SPEC-2 and SPEC-6")] == before


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("graphTraversalConfidenceFloor", 1.0),
        ("graphHops", 1),
        ("graphDecay", 0.5),
        ("graphTraversalPageRankIterations", 0),
    ],
)
def test_each_setting_of_the_walk_matters(town: App, tmp_path: Path, setting: str, value: float) -> None:
    folder = tmp_path / "town"
    put(folder, "SPEC-8", "A stroll", "", "Past SPEC-1 one comes to the sea.")  # in passing: confidence .5
    index_docs(town, IndexDocsInput(namespace=HERE, paths=(folder,)))
    query = "SPEC-8"
    plain, again, changed = (
        run(town, query, without=ALONE, settings=given, top_k=100).pool.scores["graph"].tolist()
        for given in ({}, {}, {setting: value})
    )
    assert plain == again != changed


def test_names_are_runs_of_words_the_longest_first_between_words_that_say_something() -> None:
    assert names_in("what is the Typed Transaction Envelope of Cancun")[:2] == [
        "the Typed Transaction Envelope of Cancun",
        "Typed Transaction Envelope of Cancun",
    ]
    found = names_in("the tide of SPEC-2's gate")
    assert {"SPEC-2", "tide", "the tide", "gate", "SPEC-2 gate"} <= set(found)
    assert not {"the", "of", "tide of", "of SPEC-2"} & set(found)


@pytest.mark.parametrize(
    ("heading", "anchor", "meant"),
    [
        ("3. The contract", "3", True),
        ("§3 The contract", "3", True),
        ("3.1 Edges", "3", False),
        ("Dedup contract", "dedup-contract", True),
        ("The contract", "3", False),
        ("33. Others", "3", False),
    ],
)
def test_an_anchor_means_a_section_by_its_number_or_its_words(heading: str, anchor: str, *, meant: bool) -> None:
    assert is_part(heading, anchor) == meant


def test_the_opposite_is_no_answer_to_what_was_asked(town: App) -> None:
    """SPEC-3 depends on nothing: that something depends on it is not lifted as if it had been asked for."""
    state = run(town, "what does SPEC-3 depend on")
    assert state.plan.asked is None
    assert max(state.pool.terms["graph"]) <= town.settings.recall.leg_weights.graph


def test_a_second_pass_asks_for_the_same_edges(town: App) -> None:
    request = build_request(town, RecallInput(namespace=HERE, query="what does SPEC-3 depend on"))
    with town.recaller.world(request) as world:
        once = legs(plan(State(request), world), world)
        again = legs(once, world)
    assert once.plan.asked is again.plan.asked is None
    assert again.legs == once.legs
    reason = next(each.reason or "" for each in again.legs if each.name == "graph")
    assert reason.startswith("nothing is known that ")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("what does SPEC-3 depend on", "Nothing is known that SPEC-3 depends on."),
        ("what replaced SPEC-1?", "Nothing is known that replaces SPEC-1."),
        ("what replaced SPEC-7?", ""),
        ("when does the harbour gate open", ""),
    ],
)
def test_edges_that_are_asked_for_and_not_there_are_said_not_to_be_known(town: App, query: str, said: str) -> None:
    state = run(town, query)
    told = [line for line in state.context.text.splitlines() if line.startswith("Nothing is known")]
    reason = next(each.reason or "" for each in state.legs if each.name == "graph")
    assert told == [said] * bool(said)
    assert reason.startswith("nothing is known that ") == bool(said)
    assert "SPEC" not in reason


@pytest.mark.parametrize("query", ["what is SPEC-99 about", "what does spec 99 require", "who wrote SPEC #99?"])
def test_a_document_that_is_not_there_is_said_not_to_be_there_and_is_a_cause_for_doubt(town: App, query: str) -> None:
    state = run(town, query)
    name = next(word for word in ("SPEC-99", "spec 99", "SPEC #99") if word in query)
    assert f"No document here is {name}." in state.context.text.splitlines()
    assert state.abstention
    assert state.abstention.score >= UNKNOWN_FROM
    packed = pack(state)
    assert name.encode() not in inflate(packed)[0]
    assert unpack(packed).state.plan.unknown == (name,)


@pytest.mark.parametrize(
    "query", ["what is SPEC-3 about", "what is RFC-99 about", "what did we do in May 2026", "SPEC"]
)
def test_nothing_is_said_of_what_is_there_or_numbered_as_no_document_here_is(town: App, query: str) -> None:
    assert "No document here is" not in run(town, query).context.text


def test_a_receipt_without_the_question_names_nothing_that_it_named(town: App) -> None:
    for query in ("what replaced SPEC-1?", "what is SPEC-99 about"):
        packed = pack(run(town, query, settings={"storeQueryText": False}))
        assert b"SPEC" not in inflate(packed)[0]


def test_nobody_learns_what_private_memories_know(house: Opener, tmp_path: Path) -> None:
    """A thing that only a private memory is about is as unknown as one that nobody is; and so is a private name."""
    app = house(tmp_path / "home")
    secret = {"entity_ref": "Nightingale", "structured_attributes": {"alias": "codename blue"}, "scopes": ("private",)}
    file_memories(
        app,
        [
            a_memory(1, "Falconer flies at dawn", entity_ref="Falconer", scopes=("private",)),
            a_memory(2, "It is called otherwise", **secret),
            a_memory(3, "The clinic opens at nine", entity_ref="Nightingale"),
        ],
    )
    for known, unknown in (("Falconer", "Falkoner"), ("tell me of codename blue", "tell me of codename red")):
        told, made_up = run(app, known), run(app, unknown)
        reports = [next(each for each in state.legs if each.name == "graph") for state in (told, made_up)]
        assert reports[0] == reports[1]
        assert told.plan.named == made_up.plan.named == {}
        assert not told.paths
    granted = run(app, "Falconer", scopes=("private",), without=ALONE)
    assert len(granted.order) == 1


def test_what_the_graph_leads_to_says_nothing_of_the_sections_beside_it(town: App) -> None:
    state = run(town, "what does SPEC-1 depend on")
    graph, owed = state.pool.terms["graph"], state.pool.terms["expansion"]
    assert max(graph) == town.settings.recall.graph_asked_weight
    assert max(owed) < 3


TIES = {
    "requires": ("required", "SPEC-51", "SPEC-52"),
    "supersedes": ("superseded", "SPEC-53", "SPEC-54"),
    "implements": ("implemented", "SPEC-55", "SPEC-56"),
    "extends": ("extended", "SPEC-57", "SPEC-58"),
    "references": ("referenced", "SPEC-59", "SPEC-60"),
}
SHAPES = {
    "what {does} {name}": False,
    "what does {name} {do}": True,
    "which specs does {name} {do}": True,
    "{name} {does} what": True,
    "what is {done} by {name}": True,
    "which specs are {done} by {name}": True,
    "what is {name} {done} by": False,
    "what {name} is {done} by": False,
    "{name} is {done} by what": False,
}
"""Each with whether it asks for what the named thing does something to."""


@pytest.fixture
def ties(house: Opener, tmp_path: Path) -> App:
    """SPEC-50 does everything to one document, and one document does it to SPEC-50."""
    folder = tmp_path / "ties"
    folder.mkdir()
    put(folder, "SPEC-50", "The pier", "\n".join(f"{does}: {target}" for does, (_, target, _) in TIES.items()))
    for number, (does, (_, target, source)) in enumerate(TIES.items()):
        put(folder, target, f"Plank {number}")
        put(folder, source, f"Rope {number}", f"{does}: SPEC-50")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    return app


@pytest.mark.requirement("GRAPH-3")
@pytest.mark.parametrize("name", ["SPEC-50", "The pier"])
@pytest.mark.parametrize("does", TIES)
def test_in_either_voice_what_is_asked_for_stands_first(ties: App, does: str, name: str) -> None:
    done, target, source = TIES[does]
    for shape, out in SHAPES.items():
        query = shape.format(does=does, do=does.removesuffix("s"), done=done, name=name)
        found = [each.memory.entity_ref for each in run(ties, query).served]
        assert found[0] == (target if out else source), query


def test_why_one_thing_hangs_on_another_is_answered_by_the_section_that_says_so(town: App, tmp_path: Path) -> None:
    folder = tmp_path / "town"
    put(folder, "SPEC-8", "Rope walk", "", "Ropes.\n\n## Depends on\n\n- SPEC-3, for its light\n\n## Sale\n\nIn May.")
    index_docs(town, IndexDocsInput(namespace=HERE, paths=(folder,)))
    for query in ("why does SPEC-8 depend on SPEC-3?", "is the lamp keeper required by SPEC-8"):
        state = run(town, query, top_k=2)
        served = {str(each.memory.entity_ref): each.memory.content for each in state.served}
        assert set(served) == {"SPEC-8", "SPEC-3"}, query
        assert "for its light" in served["SPEC-8"]
        assert reached(town, query)[:2] == ["SPEC-8", "SPEC-3"]
        shown = {path.nodes: (path.types, path.forward) for path in state.paths.values()}
        source, target = (entity_id(HERE, key, town.key) for key in ("spec-8", "spec-3"))
        assert shown[source, target] == (("DEPENDS_ON",), (True,))
        assert shown[target, source] == (("DEPENDS_ON",), (False,))
        assert unpack(pack(state)).state.paths == state.paths


def test_two_named_things_that_no_asked_edge_joins_are_left_out_as_one_is(town: App) -> None:
    found = reached(town, "what do SPEC-5 and SPEC-6 depend on")
    assert found[0] == "SPEC-1"
    assert not {"SPEC-5", "SPEC-6"} & set(found)


def test_an_anchor_is_looked_for_in_what_an_edge_leads_to_alone(house: Opener, tmp_path: Path) -> None:
    """SPEC-2 depends on the second part of SPEC-1; its own second part is nothing to SPEC-1."""
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder, "SPEC-1", "Gate", "", "## 1. Boats\n\nWait.\n\n## 2. Lamps\n\nGlow.")
    put(folder, "SPEC-2", "Ferry", "", "## Depends on\n\n- SPEC-1 §2\n\n## 1. Hours\n\nNoon.\n\n## 2. Bread\n\nRye.")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    onward = run(app, "what does SPEC-2 depend on", without=ALONE)
    assert "Lamps" in onward.served[0].memory.content
    back = run(app, "what depends on SPEC-1", without=ALONE)
    assert back.served[0].memory.entity_ref == "SPEC-2"
    assert "Rye" not in back.served[0].memory.content


def test_what_is_near_stands_behind_all_that_was_asked_for(house: Opener, tmp_path: Path) -> None:
    """However many words of the question documents hold that say the opposite."""
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder, "SPEC-1", "Signals", "requires: SPEC-2, SPEC-3, SPEC-4")
    for number, title in ((2, "Windows"), (3, "Kitchens"), (4, "Gardens")):
        put(folder, f"SPEC-{number}", title)
    for number in (5, 6, 7):
        said = "What are the dependencies of SPEC-1? This document depends on SPEC-1."
        put(folder, f"SPEC-{number}", "The dependencies of SPEC-1", "", f"## Depends on\n\n{said}")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    state = run(app, "what are the dependencies of SPEC-1", top_k=6)
    assert {each.memory.entity_ref for each in state.served[:3]} == {"SPEC-2", "SPEC-3", "SPEC-4"}
    ranks, terms, asked = state.pool.ranks["graph"], state.pool.terms["graph"], app.settings.recall.graph_asked_weight
    answers = state.pool.answering(state.plan)
    assert sorted(ranks[answers]) == list(range(1, state.plan.answers + 1)) == [1, 2, 3]
    assert terms[answers] == pytest.approx(asked * 11 / (10 + ranks[answers]))
    near = (ranks > 0) & ~answers
    assert near.any()
    assert terms[near] == pytest.approx(COMPANY * asked * 11 / (10 + ranks[near]))
    snapshot = xray_new_recall(app, RecallInput(query="what are the dependencies of SPEC-1", namespace=HERE))
    assert (snapshot.weights["graph"], snapshot.weights["graphCompany"]) == (asked, COMPANY * asked)


@pytest.mark.requirement("GRAPH-3")
def test_nothing_newer_takes_the_place_of_what_was_asked_for(house: Opener, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    put(folder, "SPEC-1", "Horn", "requires: SPEC-3")
    put(folder, "SPEC-3", "Thing")
    put(folder, "SPEC-4", "Other thing", "requires: SPEC-1\nsupersedes: SPEC-1")
    written = NOON.timestamp() - 600
    os.utime(folder / "SPEC-4.md", (written, written))
    old = written - 3 * 86_400
    os.utime(folder / "SPEC-3.md", (old, old))
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    state = run(app, "what does SPEC-1 depend on")
    assert state.served[0].memory.entity_ref == "SPEC-3"
    kept = rescore(unpack(pack(state)).state)
    assert kept[0].final[kept[1]].tolist() == state.pool.final[state.order].tolist()


def test_a_receipt_from_before_company_had_its_own_weight_is_read_as_it_was_worth_then(town: App) -> None:
    state = run(town, "what does SPEC-1 depend on")
    old = replace(state, plan=replace(state.plan, answers=0))
    ranks = old.pool.ranks["graph"]
    term = rescore(unpack(pack(old)).state)[0].terms["graph"]
    assert term[ranks > 0] == pytest.approx(town.settings.recall.graph_asked_weight * 11 / (10 + ranks[ranks > 0]))
