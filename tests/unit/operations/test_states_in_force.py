"""Memories that are undone, set aside, restored or consolidated in; what is true of a thing, now and then, out."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from kits.calendar import NEW_YEAR, Calendar
from kits.graph import APRIL, HERE, MARCH, MAY, document, section
from pellucid.app import App
from pellucid.operations.admin.health import rebuild
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.graph.graphing import GraphShowInput, show_entity
from pellucid.operations.graph.states import history_of_entity
from pellucid.operations.memory.changing import UpdateInput, Verb, VerbInput, apply_verb, update
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.lifecycle.consolidating import ConsolidateInput, consolidate
from pellucid.operations.memory.remembering import RememberInput, RememberOutput, remember
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput

DAY = timedelta(days=1)


def day(number: float) -> datetime:
    return NEW_YEAR + number * DAY


def says(app: App, on: float, content: str, **attributes: str) -> RememberOutput:
    Calendar.at = day(on)
    asked = RememberInput(content=content, namespace=HERE, entity_ref="relay", attributes=attributes)
    return remember(app, asked)


def verb(app: App, on: float, name: Verb, memory_id: str) -> None:
    Calendar.at = day(on)
    apply_verb(app, name, VerbInput(namespace=HERE, memory_id=memory_id))


def back(app: App, on: float, target: str) -> None:
    Calendar.at = day(on)
    undo(app, UndoInput(namespace=HERE, target=target))


def told(app: App, on: float | None = None) -> dict[str, str]:
    """What is true of the relay, on which its history, the graph around it and a rebuilt index agree."""
    as_of = None if on is None else day(on)
    holds = history_of_entity(app, HERE, "relay", as_of).holds or {}
    state = show_entity(app, GraphShowInput(namespace=HERE, name="relay", as_of=as_of)).state
    assert (state.props if state else {}) == holds
    return holds


def listed(app: App, on: float) -> set[str]:
    return {each.memory.id for each in list_memories(app, ListInput(namespace=HERE, as_of=day(on))).memories}


def test_what_was_undone_is_true_no_more_and_was_true_until_then(app: App) -> None:
    says(app, 0, "The relay listens on port 8080", port="8080")
    second = says(app, 2, "The relay listens on port 9090", port="9090")
    assert second.op_id
    back(app, 4, second.op_id)
    Calendar.at = day(6)
    assert [told(app, each)["port"] for each in (1, 2, 3, 4, 5)] == ["8080", "9090", "9090", "8080", "8080"]
    assert told(app) == {"port": "8080"}
    rebuild(app)
    assert [told(app, each)["port"] for each in (1, 3, 5)] == ["8080", "9090", "8080"]


@pytest.mark.parametrize("name", ["archive", "dispute", "retract"])
def test_what_is_set_aside_is_true_no_more_and_a_gap_stays_a_gap(app: App, name: Verb) -> None:
    kept = says(app, 0, "The relay is painted red", colour="red")
    verb(app, 2, name, kept.memory.id)
    Calendar.at = day(3)
    assert (told(app, 1), told(app, 2.5), told(app)) == ({"colour": "red"}, {}, {})
    back(app, 4, kept.memory.id)
    Calendar.at = day(5)
    assert [told(app, each) for each in (1, 2.5, 4)] == [{"colour": "red"}, {}, {"colour": "red"}]
    known = history_of_entity(app, HERE, "relay", day(2.5), as_known_at=day(1.5))
    assert known.holds == {"colour": "red"}


def test_a_retired_attribute_is_true_again_once_what_retired_it_is_undone(app: App) -> None:
    says(app, 0, "The relay has port 8080 and host north", port="8080", host="north")
    second = says(app, 2, "The relay listens on port 9090", port="9090")
    assert second.op_id
    Calendar.at = day(3)
    assert told(app) == {"host": "north", "port": "9090"}
    back(app, 4, second.op_id)
    Calendar.at = day(5)
    assert told(app) == {"host": "north", "port": "8080"}
    assert told(app, 3) == {"host": "north", "port": "9090"}


@pytest.mark.parametrize("name", ["archive", "retract", "forget"])
def test_a_retired_value_comes_back_only_where_what_retired_it_is_forgotten(app: App, name: str) -> None:
    says(app, 0, "The relay has port 8080 and host north", port="8080", host="north")
    second = says(app, 2, "The relay listens on port 9090", port="9090")
    Calendar.at = day(4)
    if name == "forget":
        forget(app, ForgetInput(namespace=HERE, memory_ids=(second.memory.id,)))
    else:
        verb(app, 4, cast("Verb", name), second.memory.id)
    Calendar.at = day(6)
    back = {"port": "8080"} if name == "forget" else {}
    assert told(app) == {"host": "north"} | back
    assert told(app, 1) == {"host": "north", "port": "8080"}
    assert told(app, 3) == {"host": "north"} | (back or {"port": "9090"})
    early = history_of_entity(app, HERE, "relay", day(1), as_known_at=day(1.5))
    assert [(each.props["port"], each.valid_until) for each in early.states] == [("8080", None)]
    rebuild(app)
    assert told(app) == {"host": "north"} | back


def test_other_words_for_the_same_value_leave_it_standing(app: App) -> None:
    says(app, 0, "The relay has port 8080 and host north", port="8080", host="north")
    second = says(app, 2, "The relay listens on port 9090", port="9090")
    Calendar.at = day(4)
    new = update(app, UpdateInput(namespace=HERE, memory_id=second.memory.id, content="It listens on 9090, by TLS"))
    Calendar.at = day(5)
    assert told(app) == {"host": "north", "port": "9090"}
    update(app, UpdateInput(namespace=HERE, memory_id=new.memory.id, content="It listens on 90901 now"))
    Calendar.at = day(6)
    assert told(app) == {"host": "north"}, "words that do not say the value do not state it"


def test_a_state_set_by_hand_in_the_file_counts(app: App) -> None:
    kept = says(app, 0, "The relay is painted red", colour="red")
    file = app.settings.home / "vault" / kept.path
    file = file if file.exists() else next(app.settings.home.rglob(Path(kept.path).name))
    file.write_text(file.read_text("utf-8").replace("status: active", "status: archived"), "utf-8")
    Calendar.at = day(2)
    app.unit_of_work.take_over_edits()
    assert told(app) == {}


def test_an_edge_that_ended_later_is_open_by_what_was_known(app: App) -> None:
    Calendar.at = APRIL
    document(
        app,
        "SPEC-902",
        [(MARCH, {"title": "Middle"})],
        [section(app, "Depends on", "- SPEC-900", since=MARCH, until=MAY)],
    )
    Calendar.at = MAY + 30 * DAY
    asked = GraphShowInput(namespace=HERE, name="SPEC-902", as_known_at=APRIL + DAY)
    (edge,) = show_entity(app, asked).edges
    assert (edge.target, edge.valid_until) == ("SPEC-900", None)
    assert show_entity(app, asked.model_copy(update={"as_known_at": MAY + DAY})).edges == ()


def test_a_merge_and_its_undo_change_no_answer_about_the_days_before(app: App) -> None:
    one = says(app, 0, "The relay opens with the morning tide", opens="early")
    other = says(app, 1, "Relay opens with the morning tide", opens="early")
    before = {one.memory.id, other.memory.id}
    Calendar.at = day(3)
    done = consolidate(app, ConsolidateInput(namespace=HERE))
    (made,) = [each for decision in done.decisions for each in decision.made]
    Calendar.at = day(5)
    around = GraphShowInput(namespace=HERE, name="relay", hops=1, direction="in", types=("ABOUT",))

    def sayers(on: float) -> set[str]:
        return {each.memory_id for each in show_entity(app, around.model_copy(update={"as_of": day(on)})).edges}

    assert (listed(app, 2), listed(app, 4)) == (before, {made})
    assert [made in sayers(each) for each in (2, 4)] == [False, True]
    whole = [filed for filed in app.graph.edges(HERE) if "relay" in (filed.edge.source, filed.edge.target)]
    assert made in {filed.edge.memory_id for filed in whole}
    assert whole == app.graph.edges(HERE, ["relay"]), "whether all are asked for or those of one thing"
    assert [told(app, each) for each in (2, 4)] == [{"opens": "early"}] * 2
    back(app, 6, done.op_ids[0])
    Calendar.at = day(8)
    assert (listed(app, 2), listed(app, 4), listed(app, 7)) == (before, {made}, before)
    assert [told(app, each) for each in (2, 4, 7)] == [{"opens": "early"}] * 3


def test_a_verification_later_than_the_instant_asked_about_is_not_told_of_it(app: App) -> None:
    kept = says(app, 0, "The relay stands in the north tower")
    Calendar.at = day(300)
    reverify(app, ReverifyInput(namespace=HERE, memory_ids=(kept.memory.id,)))
    asked = RecallInput(query="where does the relay stand", namespace=HERE, as_of=day(200))
    (hit,) = recall(app, asked).memories
    assert hit.staleness
    assert (hit.staleness.last_verified_at, hit.staleness.age_days) == (None, 200)
