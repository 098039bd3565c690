"""Files and a ledger of a home in, the graph and the standings of its index out: by a write, a rebuild, an upgrade."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from kits.old_indexes import as_fourth_version
from kits.vault import HERE, Opener, a_memory, drop_index, edit, file_memories, keep
from pellucid.app import App
from pellucid.clock import epoch_ms
from pellucid.operations.admin.health import check_databases, rebuild
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.store.index_port import Admission

PORT = "SPEC-054 ports the recall stage, as SPEC-037 §3 wants it"


def edges(app: App) -> set[tuple[str, str]]:
    return {(each.edge.type, each.edge.target) for each in app.graph.edges(HERE)}


def standings(home: Path) -> list[tuple[Any, ...]]:
    with closing(apsw.Connection(str(home / "index.db"))) as index:
        return index.execute("SELECT memory_id, before FROM standings ORDER BY seq").fetchall()


def admitted(app: App, memory_id: str, at: int) -> bool:
    admission = Admission(at, past=True)
    with app.index.reading(HERE) as reader:
        rows = reader.recent(admission, 1000).rows
        return any(each.memory.id == memory_id for each in reader.memories(rows))


def test_what_a_memory_names_is_in_the_graph_as_soon_as_it_is_kept(house: Opener) -> None:
    app = house(encoder=None)
    kept = keep(app, PORT, entity_ref="the recall stage")
    assert edges(app) == {("MENTIONS", "spec-54"), ("MENTIONS", "spec-37"), ("ABOUT", "the-recall-stage")}
    with app.index.reading(HERE) as reader:
        (node,) = reader.graph.find(["Spec 37"])
        steps = reader.graph.around(np.array([node.number]), Admission(epoch_ms(app.clock.now())), 0.2)
        homes = reader.graph.homes(steps.there)
        assert [each.memory.id for each in reader.memories(homes.rows)] == [kept.memory.id]
    assert [node.key for node in app.graph.entities(HERE)] == ["spec-37", "spec-54", "the-recall-stage"]
    assert all(app.graph.states(HERE, node.key) for node in app.graph.entities(HERE))


def test_an_edit_in_an_editor_changes_the_graph_and_a_deleted_file_leaves_it(house: Opener, tmp_path: Path) -> None:
    app = house(encoder=None)
    kept = keep(app, PORT)
    edit(tmp_path, kept.path, "SPEC-037 §3 wants it", "nobody wants it")
    app.unit_of_work.take_over_edits()
    assert edges(app) == {("MENTIONS", "spec-54")}
    (tmp_path / "vault" / kept.path).unlink()
    app.unit_of_work.take_over_edits()
    assert edges(app) == set()
    assert app.graph.entities(HERE) == []


@pytest.mark.requirement("STORE-4")
@pytest.mark.parametrize("how", ["rebuilt", "deleted"])
def test_a_new_index_has_the_same_graph_and_answers_for_the_past_the_same(
    house: Opener, tmp_path: Path, how: str
) -> None:
    app = house(encoder=None)
    kept = keep(app, PORT, entity_ref="the recall stage", attributes={"owner": "Ada"})
    before = epoch_ms(app.clock.now())
    apply_verb(app, "retract", VerbInput(namespace=HERE, memory_id=kept.memory.id))
    said, told = app.graph.facts(kept.path), standings(tmp_path)
    assert said.edges
    assert len(told) == 1
    if how == "deleted":
        app.index.close()
        drop_index(tmp_path)
        app = house(encoder=None)
        app.indexer.catch_up()
    else:
        rebuild(app)
    assert app.graph.facts(kept.path) == said
    assert standings(tmp_path) == told
    assert admitted(app, kept.memory.id, before)
    assert not admitted(app, kept.memory.id, epoch_ms(app.clock.now()))
    assert app.indexer.drift().paths == ()


def _of_verb(verb: Any) -> Callable[[App, str], object]:
    return lambda app, memory_id: apply_verb(app, verb, VerbInput(namespace=HERE, memory_id=memory_id))


def _superseded(app: App, memory_id: str) -> object:
    (old,) = app.index.memories(HERE, [memory_id])
    return keep(app, "the owner is Grace", entity_ref=old.memory.entity_ref, attributes={"owner": "Grace"})


@pytest.mark.parametrize("change", [_of_verb("retract"), _of_verb("archive"), _of_verb("dispute"), _superseded])
def test_no_change_of_a_memory_and_no_undo_changes_an_answer_about_the_past(
    house: Opener, change: Callable[[App, str], object]
) -> None:
    app = house(encoder=None)
    kept = keep(app, "the owner is Ada", entity_ref="the recall stage", attributes={"owner": "Ada"})
    instants = [epoch_ms(app.clock.now())]
    told = [True]
    change(app, kept.memory.id)
    instants.append(epoch_ms(app.clock.now()))
    told.append(False)
    assert [admitted(app, kept.memory.id, at) for at in instants] == told
    undo(app, UndoInput(namespace=HERE, target=kept.memory.id))
    instants.append(epoch_ms(app.clock.now()))
    told.append(True)
    assert [admitted(app, kept.memory.id, at) for at in instants] == told


def test_rows_of_the_ledger_that_change_nothing_of_how_a_memory_stands_are_passed_over(
    house: Opener, tmp_path: Path
) -> None:
    app = house(encoder=None)
    kept = keep(app, "the ferry leaves at nine")
    apply_verb(app, "pin", VerbInput(namespace=HERE, memory_id=kept.memory.id))
    assert standings(tmp_path) == []
    apply_verb(app, "archive", VerbInput(namespace=HERE, memory_id=kept.memory.id))
    assert standings(tmp_path) == [(kept.memory.id, '{"status": "active"}')]


@pytest.mark.requirement("STORE-4")
def test_an_index_without_a_graph_has_one_after_the_next_catch_up(house: Opener, tmp_path: Path) -> None:
    old = house(encoder=None)
    kept = keep(old, PORT)
    file_memories(old, [a_memory(number, f"note {number}") for number in range(1, 20)])
    before = epoch_ms(old.clock.now())
    apply_verb(old, "archive", VerbInput(namespace=HERE, memory_id=kept.memory.id))
    said, told = old.graph.facts(kept.path), standings(tmp_path)
    old.close()
    as_fourth_version(tmp_path)
    assert check_databases(tmp_path) is None
    app = house(encoder=None)
    assert (app.index.state().applied_seq, app.index.state().ledger_seq) == (0, 0)
    assert app.graph.entities(HERE) == []
    app.indexer.catch_up()
    assert app.graph.facts(kept.path) == said
    assert standings(tmp_path) == told
    assert admitted(app, kept.memory.id, before)
    assert app.indexer.drift().paths == ()
