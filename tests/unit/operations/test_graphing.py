"""A few documents and memories in, what is shown of their graph out: neighbours, states, an audit, a backfill."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from kits.graph import APRIL, HERE, MARCH, MAY, document, rewrite, section
from kits.somebody_else import said_by_somebody_else
from kits.vault import open_home
from pellucid.app import App
from pellucid.documents.names.naming import Naming
from pellucid.errors import InputError, NotFoundError
from pellucid.model.entity import entity_id
from pellucid.operations.graph.backfilling import BackfillInput, backfill
from pellucid.operations.graph.graphing import EdgeView, GraphAuditInput, GraphShowInput, audit_graph, show_entity
from pellucid.operations.graph.states import history_of_entity
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.recall.recalling import xray_by_id, xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.recall.receipt.record import unpack
from pellucid.vault.documents import document_path
from pellucid.xray.shown import GONE


def _ask(name: str, **given: object) -> GraphShowInput:
    return GraphShowInput.model_validate({"namespace": HERE, "name": name, **given})


def _said(edges: tuple[EdgeView, ...]) -> set[tuple[str, str, str]]:
    return {(each.source, each.type, each.target) for each in edges}


@pytest.fixture
def specs(whole: App) -> App:
    """SPEC-903 depends on 902, which depends on 901; 902 did on 900 until May, and mentions 904."""
    document(whole, "SPEC-901", [(MARCH, {"title": "Ground", "status": "accepted"})])
    document(
        whole,
        "SPEC-902",
        [(MARCH, {"title": "Middle", "status": "draft"}), (APRIL, {"title": "Middle", "status": "final"})],
        [
            section(whole, "Depends on", "- SPEC-901 §3"),
            section(whole, "Depends on", "- SPEC-900", until=MAY, number=2),
            section(whole, "Notes", "As SPEC-904 has it.", number=3),
        ],
        aliases=["the middle layer"],
    )
    document(whole, "SPEC-903", [(MARCH, {"title": "Top"})], [section(whole, "Depends on", "SPEC-902")])
    return whole


@pytest.mark.requirement("GRAPH-5")
def test_a_thing_is_shown_with_its_edges_ring_by_ring_and_with_who_says_each(specs: App) -> None:
    seen = show_entity(specs, _ask("SPEC-902"))
    assert _said(seen.edges) == {
        ("SPEC-902", "DEPENDS_ON", "SPEC-901"),
        ("SPEC-902", "MENTIONS", "SPEC-904"),
        ("SPEC-903", "DEPENDS_ON", "SPEC-902"),
    }
    upon = next(each for each in seen.edges if each.target == "SPEC-901")
    assert (upon.said_in, upon.section, upon.anchor, upon.confidence) == (
        "specs/SPEC-902.md:10-15",
        "Depends on",
        "3",
        0.95,
    )
    assert {(each.name, each.hops) for each in seen.nodes} == {
        ("SPEC-902", 0),
        ("SPEC-901", 1),
        ("SPEC-903", 1),
        ("SPEC-904", 1),
    }
    assert {each.name: each.defined for each in seen.nodes} == {
        "SPEC-901": True,
        "SPEC-902": True,
        "SPEC-903": True,
        "SPEC-904": False,
    }
    assert seen.state
    assert (seen.state.props["status"], seen.state.commit) == ("final", "c0ffee00")


def test_hops_types_and_direction_bound_what_is_shown(specs: App) -> None:
    assert len(show_entity(specs, _ask("SPEC-903", hops=1)).edges) == 1
    assert _said(show_entity(specs, _ask("SPEC-903", types=["DEPENDS_ON"], direction="out")).edges) == {
        ("SPEC-903", "DEPENDS_ON", "SPEC-902"),
        ("SPEC-902", "DEPENDS_ON", "SPEC-901"),
    }
    assert show_entity(specs, _ask("SPEC-903", direction="in")).edges == ()


def test_closed_edges_are_shown_where_asked_for_and_where_the_past_is(specs: App) -> None:
    gone = ("SPEC-902", "DEPENDS_ON", "SPEC-900")
    assert gone not in _said(show_entity(specs, _ask("SPEC-902")).edges)
    closed = show_entity(specs, _ask("SPEC-902", closed=True))
    assert next(each for each in closed.edges if each.target == "SPEC-900").valid_until == MAY
    then = show_entity(specs, _ask("SPEC-902", as_of=APRIL - timedelta(days=1)))
    assert gone in _said(then.edges)
    assert then.state
    assert then.state.props["status"] == "draft"
    before = show_entity(specs, _ask("SPEC-902", as_of=MARCH - timedelta(days=1)))
    assert (before.edges, before.state) == ((), None)


def test_what_was_not_written_down_yet_is_not_shown_as_known_then(specs: App) -> None:
    kept = remember(specs, RememberInput(content="The relay stands on SPEC-902", namespace=HERE, entity_ref="relay"))
    for name in ("SPEC-902", "the middle layer", "SPEC-904", "relay", kept.memory.id):
        with pytest.raises(NotFoundError, match=r"nothing was known of .* at 2026-05-01"):
            show_entity(specs, _ask(name, as_known_at=MAY))
        assert (
            show_entity(specs, _ask(name, as_known_at=specs.clock.now())).entity
            == show_entity(specs, _ask(name)).entity
        )


def test_a_memory_is_in_no_state_of_its_own_whenever_it_is_asked_about(specs: App) -> None:
    kept = remember(specs, RememberInput(content="The relay stands on SPEC-902", namespace=HERE))
    now = specs.clock.now()
    assert show_entity(specs, _ask(kept.memory.id)).state is None
    assert show_entity(specs, _ask(kept.memory.id, as_of=now, as_known_at=now)).state is None


@pytest.mark.parametrize("name", ["spec 902", "The Middle Layer", "specs/SPEC-902.md"])
def test_an_alias_a_loose_spelling_and_a_path_name_the_same_thing(specs: App, name: str) -> None:
    entity = show_entity(specs, _ask(name)).entity
    assert (entity.name, entity.type) == ("SPEC-902", "Specification")
    assert entity.alias == (name != "spec 902")


def test_a_document_is_named_by_its_id_and_by_its_file_in_the_vault(specs: App) -> None:
    filed = next(each for each in specs.graph.documents(HERE) if each.document.entity == "SPEC-902")
    for name in (filed.path, filed.document.id, filed.document.id[-10:]):
        assert show_entity(specs, _ask(name)).entity.name == "SPEC-902"


def test_a_memory_is_named_by_its_id_the_end_of_it_and_its_path(specs: App) -> None:
    kept = remember(specs, RememberInput(content="The relay stands on SPEC-902", namespace=HERE, entity_ref="relay"))
    for name in (kept.memory.id, kept.memory.id[-10:], kept.path):
        edges = show_entity(specs, _ask(name, hops=1)).edges
        assert {(each.type, each.target) for each in edges} == {("ABOUT", "relay"), ("MENTIONS", "SPEC-902")}
        assert {each.said_in for each in edges} == {kept.path}


def test_an_unknown_name_is_refused_with_the_nearest_ones(specs: App) -> None:
    with pytest.raises(NotFoundError) as raised:
        show_entity(specs, _ask("SPEC-92"))
    assert "SPEC-902" in raised.value.next_step
    with pytest.raises(NotFoundError):
        show_entity(specs, _ask(""))
    with pytest.raises(NotFoundError):
        show_entity(specs, GraphShowInput(namespace="other/place", name="SPEC-902"))


def test_the_future_cannot_be_looked_at(specs: App) -> None:
    with pytest.raises(InputError, match="future"):
        show_entity(specs, _ask("SPEC-902", as_of=datetime(2999, 1, 1, tzinfo=UTC)))


def test_types_are_read_in_any_case_and_unknown_ones_refused() -> None:
    named = ("depends-on", "Relates to", "MENTIONS")
    assert GraphShowInput.model_validate({"namespace": HERE, "name": "SPEC-902", "types": named}).types == (
        "DEPENDS_ON",
        "RELATES_TO",
        "MENTIONS",
    )
    with pytest.raises(InputError, match=r"^types expects one of"):
        GraphShowInput.model_validate({"namespace": HERE, "name": "SPEC-902", "types": ["LIKES"]})


@pytest.mark.parametrize("types", [7, "MENTIONS", [7], [["MENTIONS"]], {"MENTIONS": 1}])
def test_types_that_are_no_list_of_words_are_refused_as_a_wrong_value(types: object) -> None:
    with pytest.raises(ValidationError):
        GraphShowInput.model_validate({"namespace": HERE, "name": "SPEC-902", "types": types})


def test_a_look_can_be_drawn(specs: App) -> None:
    seen = show_entity(specs, _ask("SPEC-903"))
    assert "specs/SPEC-903.md:10-15" in seen.text()
    assert seen.text(ascii_only=True).isascii()
    assert seen.svg().startswith("<svg")


def test_an_xray_shows_the_way_by_names_that_no_receipt_holds_and_its_edges_in_their_own_direction(specs: App) -> None:
    snapshot = xray_new_recall(specs, RecallInput(query="what depends on SPEC-901?", namespace=HERE))
    ways = {each.graph_path: each for each in snapshot.results if each.graph_path}
    near = ways["SPEC-901", "SPEC-902"]
    assert (near.graph_edges, near.graph_edge_confidences) == (("SPEC-902 DEPENDS_ON SPEC-901",), (0.95,))
    far = ways["SPEC-901", "SPEC-902", "SPEC-903"]
    assert far.graph_edges == ("SPEC-902 DEPENDS_ON SPEC-901", "SPEC-903 DEPENDS_ON SPEC-902")
    packed = specs.history.receipt(snapshot.snapshot_id, HERE)
    assert packed
    assert (b"SPEC-901" in packed, b"SPEC-903" in packed) == (True, False)
    assert xray_by_id(specs, HERE, snapshot.snapshot_id).results == snapshot.results


def test_the_way_over_what_was_forgotten_tells_no_name_not_even_to_who_guesses_it(specs: App) -> None:
    snapshot = xray_new_recall(specs, RecallInput(query="what depends on SPEC-901?", namespace=HERE))
    packed = specs.history.receipt(snapshot.snapshot_id, HERE)
    assert packed
    nodes = {node for path in unpack(packed).state.paths.values() for node in path.nodes}
    assert nodes == {entity_id(HERE, f"spec-90{number}", specs.key) for number in (1, 2, 3)}
    assert entity_id(HERE, "spec-902", b"") not in nodes
    made = {filed.document.entity: filed.document.id for filed in specs.graph.documents(HERE)}
    forget(specs, ForgetInput(namespace=HERE, memory_ids=(made["SPEC-902"], made["SPEC-903"])))
    ways = [each for each in xray_by_id(specs, HERE, snapshot.snapshot_id).results if each.graph_path]
    assert {name for each in ways for name in each.graph_path or ()} <= {"SPEC-901", GONE}


@pytest.mark.requirement("GRAPH-5")
def test_an_audit_counts_and_names_what_does_not_fit(specs: App) -> None:
    found = audit_graph(specs, GraphAuditInput(namespace=HERE))
    assert (found.documents, {(each.kind, each.subject) for each in found.problems}) == (3, {("dangling", "SPEC-904")})
    assert audit_graph(specs, GraphAuditInput(namespace="other/place")).problems == ()


def test_another_name_leads_to_its_thing_and_one_of_two_things_to_neither(specs: App) -> None:
    document(specs, "SPEC-905", [(MARCH, {"title": "Reader"})], [section(specs, "Depends on", "[it](layer.md)")])
    document(specs, "SPEC-906", [(MARCH, {"title": "One"})], [section(specs, "See", "SPEC-901")], ["specs/layer.md"])
    assert ("dangling", "specs/layer.md") not in {
        (each.kind, each.subject) for each in audit_graph(specs, GraphAuditInput(namespace=HERE)).problems
    }
    assert show_entity(specs, _ask("specs/layer.md")).entity.name == "SPEC-906"
    document(specs, "SPEC-907", [(MARCH, {"title": "Two"})], [section(specs, "See", "SPEC-901")], ["specs/layer.md"])
    (problem,) = (
        each
        for each in audit_graph(specs, GraphAuditInput(namespace=HERE)).problems
        if each.subject == "specs/layer.md"
    )
    assert problem.what == "SPEC-905 depends on specs/layer.md; SPEC-906 and SPEC-907 are called specs/layer.md"
    assert not show_entity(specs, _ask("specs/layer.md")).entity.defined


def test_the_chain_of_a_header_is_told_with_what_differs_and_what_brought_it_about(specs: App) -> None:
    told = history_of_entity(specs, HERE, "SPEC-902")
    assert [(each.valid_from, each.valid_until, each.event) for each in told.states] == [
        (MARCH, APRIL, "created"),
        (APRIL, None, "changed"),
    ]
    last = told.states[1]
    assert [(each.attribute, each.before, each.after) for each in last.changed] == [("status", "draft", "final")]
    assert (last.said_in, last.commit) == ("specs/SPEC-902.md:1-1", "c0ffee00")
    assert told.holds
    assert told.holds["status"] == "final"


def test_a_chain_whose_file_may_not_be_read_is_told_without_its_commit(reachable: Path) -> None:
    app = open_home(reachable, None)
    made = document(app, "SPEC-902", [(MARCH, {"title": "Middle", "status": "draft"})])
    app.close()
    (reachable / "vault" / document_path(made)).chmod(0)

    def look() -> str:
        told = history_of_entity(open_home(reachable, None), HERE, "SPEC-902")
        return str([(each.props["status"], each.said_in, each.commit) for each in told.states])

    assert said_by_somebody_else(reachable, look) == "[('draft', 'specs/SPEC-902.md:1-1', None)]"


def test_one_state_held_at_an_instant_and_none_before_the_first(specs: App) -> None:
    then = history_of_entity(specs, HERE, "SPEC-902", as_of=APRIL - timedelta(milliseconds=1))
    assert [each.props["status"] for each in then.states] == ["draft"]
    assert [each.props["status"] for each in history_of_entity(specs, HERE, "SPEC-902", as_of=APRIL).states] == [
        "final"
    ]
    before = history_of_entity(specs, HERE, "SPEC-902", as_of=MARCH - timedelta(days=1))
    assert (before.states, before.holds) == ((), None)


def test_nothing_was_known_of_a_thing_before_it_was_written_down(specs: App) -> None:
    with pytest.raises(NotFoundError, match="nothing was known of SPEC-902"):
        history_of_entity(specs, HERE, "SPEC-902", as_known_at=MAY)


def test_a_backfill_of_what_was_just_read_has_nothing_to_show(specs: App) -> None:
    done = backfill(specs, BackfillInput(namespace=HERE))
    assert (done.files, done.diffs, done.applied) == (3, (), False)


@pytest.mark.requirement("GRAPH-5")
def test_a_backfill_shows_what_other_settings_read_applies_it_and_then_has_nothing_to_show(specs: App) -> None:
    made = document(specs, "SPEC-905", [(MARCH, {"title": "Other"})])
    rewrite(specs, made, [section(specs, "Depends on", "TICKET-77 and SPEC-901")])
    object.__setattr__(specs.indexer, "naming", Naming(("SPEC", "TICKET"), ()))
    shown = backfill(specs, BackfillInput(namespace=HERE))
    assert shown.added == {"edges": 1, "entities": 1}
    assert [line for each in shown.diffs for line in each.added if "DEPENDS_ON" in line] == [
        "spec-905 DEPENDS_ON ticket-77 (Depends on) 0.95"
    ]
    with pytest.raises(NotFoundError):
        show_entity(specs, _ask("TICKET-77"))
    done = backfill(specs, BackfillInput(namespace=HERE, apply=True))
    assert (done.added, done.applied, done.problem) == (shown.added, True, None)
    assert show_entity(specs, _ask("TICKET-77")).edges
    assert backfill(specs, BackfillInput(namespace=HERE, apply=True)).diffs == ()
    object.__setattr__(specs.indexer, "naming", Naming(("SPEC",), ()))
    assert backfill(specs, BackfillInput(namespace=HERE)).removed == {"edges": 1, "entities": 1}


def test_a_backfill_reads_only_its_own_namespace(specs: App) -> None:
    document(specs, "SPEC-906", namespace="other/place")
    assert backfill(specs, BackfillInput(namespace=HERE)).files == 3
    assert backfill(specs, BackfillInput(namespace="other/place")).files == 1
