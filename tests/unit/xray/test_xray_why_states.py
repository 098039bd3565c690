"""What could be done to a memory that a recall missed: thought through without a write, and right when it is done."""

from datetime import timedelta
from typing import Any

import pytest

from kits.vault import NOON, Opener, a_memory, edit, file_memories, keep, ranking, run
from kits.why import CRANE, change_of, cranes, found, order, recalled, told
from pellucid.app import App
from pellucid.operations.browsing import find_memory
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.trusting import PromoteInput, promote
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.operations.recall.asked_about.states import state_changes
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.recall.pipeline import run as stages
from pellucid.recall.state import World
from pellucid.store.index_port import MemoryStanding
from pellucid.xray.whereabouts import rows_of, standing

DAY = timedelta(days=1)
WORDS = "Cargo lifts crane bakery dentist"


def undone(app: App, memory_id: str) -> None:
    undo(app, UndoInput(namespace=app.settings.namespace, target=memory_id))


@pytest.mark.requirement("XRAY-3", "XRAY-4")
@pytest.mark.parametrize("verb", ["archive", "retract", "dispute"])
def test_what_a_verb_took_away_comes_back_by_undo(house: Opener, verb: Any) -> None:
    app = house()
    kept = cranes(app, 6)[-1]
    apply_verb(app, verb, VerbInput(namespace=app.settings.namespace, memory_id=kept))
    finding = found(app, kept, CRANE)
    assert (finding.stage, finding.open_arm) == ("status-active", True)
    assert finding.reason == f"its status is {find_memory(app, app.settings.namespace, kept).memory.status}"
    change = change_of(finding, "state")
    assert (change.apply, change.to) == (f'call("change.undo", target="{kept}")', "active")
    undone(app, kept)
    assert order(app, CRANE).index(kept) + 1 == change.place


@pytest.mark.requirement("XRAY-4")
def test_what_was_replaced_by_other_words_comes_back_by_undo(house: Opener) -> None:
    app = house()
    kept = keep(app, "The crane on quay 5 lifts timber cargo").memory.id
    asked = UpdateInput(namespace=app.settings.namespace, memory_id=kept, content="Nobody works on Sunday")
    update(app, asked)
    change = change_of(found(app, kept, CRANE), "state")
    assert change.apply == f'call("change.undo", target="{kept}")'
    undone(app, kept)
    assert recalled(app, kept, CRANE)


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_what_is_in_quarantine_is_vouched_for(house: Opener) -> None:
    app = house()
    cranes(app, 5)
    file_memories(app, [a_memory(50, "The crane on quay 9 lifts fish cargo", trust_zone="quarantine")])
    kept = f"mem_{50:032x}"
    finding = found(app, kept, CRANE)
    assert (finding.stage, finding.reason) == ("trust-zone", "it is in quarantine")
    change = change_of(finding, "state")
    assert change.apply == f'call("trust.promote", memory_id="{kept}")'
    promote(app, PromoteInput(namespace=app.settings.namespace, memory_id=kept))
    assert order(app, CRANE).index(kept) + 1 == change.place


@pytest.mark.requirement("XRAY-4")
def test_vouching_is_thought_through_to_what_the_memory_then_replaces(house: Opener) -> None:
    """Out of quarantine it supersedes what it contradicts: that one is gone from the what-if, too."""
    app = house()
    here = app.settings.namespace
    old = remember(
        app,
        RememberInput(content="The crane is blue", namespace=here, entity_ref="crane", attributes={"colour": "blue"}),
    ).memory
    new = a_memory(
        60,
        "The crane is red",
        entity_ref="crane",
        structured_attributes={"colour": "red"},
        trust_zone="quarantine",
        created=NOON + DAY,
        updated=NOON + DAY,
        asserted_by="user",
    )
    file_memories(app, [new])
    held = find_memory(app, here, new.id)
    rows = {new.id: 1, old.id: 2}
    vouched = next(each for each in state_changes(app, held, rows, NOON) if "promote" in each.apply)
    assert {row: said.active and said.trusted for row, said in vouched.standings.items()} == {1: True, 2: False}
    promote(app, PromoteInput(namespace=here, memory_id=new.id))
    after = {rows[each]: standing(find_memory(app, here, each).memory) for each in rows}
    assert vouched.standings == after


@pytest.mark.requirement("XRAY-3", "XRAY-4")
@pytest.mark.parametrize(
    ("state", "stage", "line", "instead"),
    [
        ({"status": "archived"}, "status-active", "status: archived", "status: active"),
        ({"invalid_at": NOON - DAY}, "valid-at", 'invalidAt: "2026-05-31T12:00:00.000Z"\n', ""),
        ({"expires_at": NOON - DAY}, "valid-at", 'expiresAt: "2026-05-31T12:00:00.000Z"\n', ""),
        ({"valid_at": NOON + DAY}, "valid-at", 'validAt: "2026-06-02T12:00:00.000Z"\n', ""),
    ],
)
def test_what_no_verb_put_there_is_a_line_in_its_file(
    house: Opener, state: dict[str, Any], stage: str, line: str, instead: str
) -> None:
    app = house()
    kept = cranes(app, 6, **state)[-1]
    finding = found(app, kept, CRANE)
    assert finding.stage == stage
    change = change_of(finding, "state")
    path = find_memory(app, app.settings.namespace, kept).path
    assert change.apply.endswith(path)
    text = (app.settings.home / "vault" / path).read_text("utf-8")
    edit(app.settings.home, path, line if line in text else line.replace('"', ""), instead)
    app.unit_of_work.take_over_edits()
    assert order(app, CRANE).index(kept) + 1 == change.place


@pytest.mark.requirement("XRAY-4")
def test_where_a_longer_answer_leaves_no_room_a_pin_may_do(house: Opener) -> None:
    app = house(top_k_facts=1, score_propagation_alpha=0.0)
    cranes(app, 3)
    first, second, _ = order(app, CRANE, top_k=3)
    room = len(app.recaller.run(build_request(app, _asked(app))).context.text)
    finding = found(app, second, CRANE, budget=room)
    assert finding.stage == "top-k"
    assert [each.kind for each in finding.tried] == ["top-k"]
    change = change_of(finding, "state")
    assert (change.apply, change.to) == (f'call("memory.pin", memory_id="{second}")', "pinned")
    apply_verb(app, "pin", VerbInput(namespace=app.settings.namespace, memory_id=second))
    assert order(app, CRANE, budget=room) == [second] != [first]


@pytest.mark.requirement("XRAY-4")
def test_a_weight_is_turned_up_to_two_digits_where_nothing_else_does(house: Opener) -> None:
    app = house(
        top_k_facts=1,
        score_propagation_alpha=0.0,
        enable_reranking=False,
        pin_weight=0.0,
        renewal_weight=0.0,
        direct_answer=False,
        leg_weights={"vector": 1.0, "lexical": 0.5, "passage": 0.1, "temporal": 0.0},
    )
    file_memories(app, [a_memory(1, "The crane that raises freight off ships"), a_memory(2, WORDS)])
    first, second = order(app, CRANE, top_k=2)
    assert find_memory(app, app.settings.namespace, second).memory.content == WORDS
    room = len(app.recaller.run(build_request(app, _asked(app))).context.text)
    finding = found(app, second, CRANE, budget=room)
    assert [each.kind for each in finding.tried if each.ran][:1] == ["top-k"]
    change = change_of(finding, "weight")
    assert (change.setting, change.to, change.smallest) == ("legWeights.lexical", "0.91", True)
    assert order(app, CRANE, budget=room, settings={change.setting: 0.91}) == [second]
    assert order(app, CRANE, budget=room, settings={change.setting: 0.9}) == [first]


def _asked(app: App) -> RecallInput:
    return RecallInput(query=CRANE, namespace=app.settings.namespace)


@pytest.mark.requirement("XRAY-4")
def test_a_recall_that_pretends_ranks_as_the_change_then_does(house: Opener) -> None:
    app = house()
    ids = cranes(app, 12, status="archived")
    request, admission = build_request(app, _asked(app)), run(app, CRANE).admission
    with app.recaller.world(request) as world:
        rows = rows_of(world.reader, admission)
        row = rows[ids[-1]]
        pretended = stages(request, _pretending(world, row))
    path = find_memory(app, app.settings.namespace, ids[-1]).path
    edit(app.settings.home, path, "status: archived", "status: active")
    app.unit_of_work.take_over_edits()
    assert ranking(pretended) == ranking(app.recaller.run(request))
    assert ids[-1] in {each for each, _ in ranking(pretended)}


def _pretending(world: World, row: int) -> World:
    from dataclasses import replace

    return replace(world, reader=world.reader.pretending({row: MemoryStanding()}))


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_what_doubt_kept_back_is_told_from_what_was_not_found(house: Opener) -> None:
    app = house(abstain_at=0.0, abstain_from=0)
    kept = cranes(app, 6)[0]
    finding = found(app, kept, CRANE)
    assert finding.stage == "abstention"
    assert change_of(finding, "abstention").apply == "settings={'abstainAt': 1}"
    assert recalled(app, kept, CRANE, settings={"abstainAt": 1})


@pytest.mark.requirement("XRAY-3")
def test_a_message_that_needs_no_memory_was_lost_at_the_gate(house: Opener) -> None:
    app = house(min_fact_score=-1.0)
    kept = keep(app, "Our vessel departs at dawn").memory.id
    assert run(app, "thanks").plan.depth == "no_recall"
    finding = found(app, kept, "thanks")
    assert finding.stage == "gate"
    assert change_of(finding, "gate").apply == "settings={'gate': 'off'}"
    assert recalled(app, kept, "thanks", settings={"gate": "off"})
    assert told(app, kept, "thanks").sentence.startswith("Nothing was looked up: ")


@pytest.mark.requirement("XRAY-3")
def test_a_memory_of_another_time_was_lost_at_the_period_of_the_question(house: Opener) -> None:
    app = house()
    query = "what did we decide in March 2020 about the crane"
    kept = cranes(app, 6)[-1]
    file_memories(app, [a_memory(77, "the crane was painted", created=NOON.replace(year=2020, month=3))])
    period = run(app, query).plan.period
    assert period
    assert period.asserts
    finding = found(app, kept, query)
    assert finding.stage == "time-window"
    assert change_of(finding, "period").apply == "settings={'queryDates': 'soft'}"
    assert recalled(app, kept, query, settings={"queryDates": "soft"})
