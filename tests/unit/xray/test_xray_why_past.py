"""Why a memory is not in an answer about the past: what is said of then, and only what would work is offered."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from kits.vault import NOON, Opener, a_memory, ask, file_memories, keep, run
from kits.why import CRANE, change_of, cranes, found, recalled, told
from pellucid.app import App
from pellucid.clock import isoformat
from pellucid.model.memory import recorded_at
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.operations.recall.why import WhyInput, explain_memory, why
from pellucid.recall.receipt.record import pack, unpack
from pellucid.surfaces.present.recall.why import why_text as printed
from pellucid.xray.why.finding import WhyFinding

DAY = timedelta(days=1)


def _asked_verb(app: App, verb: Any, memory_id: str) -> None:
    apply_verb(app, verb, VerbInput(namespace=app.settings.namespace, memory_id=memory_id))


def _no_state(finding: WhyFinding) -> bool:
    return all(each.kind != "state" for each in (*finding.tried, *filter(None, [finding.change])))


@pytest.mark.requirement("XRAY-4")
@pytest.mark.parametrize("verb", ["archive", "retract", "dispute"])
def test_what_was_out_of_force_then_and_is_still_comes_back_by_no_change(house: Opener, verb: Any) -> None:
    app = house()
    kept = cranes(app, 6)[-1]
    _asked_verb(app, verb, kept)
    then = app.clock.now()
    finding = found(app, kept, CRANE, as_of=then)
    assert finding.verdict == "miss"
    assert finding.change is None
    assert _no_state(finding)
    assert finding.tried[0].kind == "now"
    assert "No single change that was tried admits it: with asOf now, " in told(app, kept, CRANE, as_of=then).sentence
    assert change_of(found(app, kept, CRANE), "state").apply == f'call("change.undo", target="{kept}")'


@pytest.mark.requirement("XRAY-4")
def test_what_was_archived_then_and_stands_again_is_found_by_asking_about_now(house: Opener) -> None:
    app = house()
    kept = cranes(app, 6)[-1]
    _asked_verb(app, "archive", kept)
    then = app.clock.now()
    undo(app, UndoInput(namespace=app.settings.namespace, target=kept))
    finding = found(app, kept, CRANE, as_of=then)
    assert (finding.stage, finding.reason, finding.tried) == ("status-active", "it was not active then", ())
    change = change_of(finding, "now")
    assert (change.setting, change.was, change.to) == ("asOf", isoformat(then), "now")
    assert change.apply == "leave out as_of"
    assert not recalled(app, kept, CRANE, as_of=then)
    assert recalled(app, kept, CRANE)
    outcome = told(app, kept, CRANE, as_of=then)
    assert outcome.sentence.endswith("Leaving out asOf admits it (verified).")
    assert f"asOf {isoformat(then)} -> now: admits it at place {change.place} (verified); leave out" in printed(outcome)


@pytest.mark.requirement("XRAY-4")
def test_what_was_superseded_then_is_offered_no_undo(house: Opener) -> None:
    app = house()
    kept = keep(app, "The crane on quay 5 lifts timber cargo").memory.id
    update(app, UpdateInput(namespace=app.settings.namespace, memory_id=kept, content="Nobody works on Sunday"))
    finding = found(app, kept, CRANE, as_of=app.clock.now())
    assert finding.verdict == "miss"
    assert finding.change is None
    assert _no_state(finding)


@pytest.mark.requirement("XRAY-3", "XRAY-4")
@pytest.mark.parametrize("state", [{"valid_at": NOON - DAY}, {"created": NOON - DAY}])
def test_what_was_not_valid_yet_is_found_by_asking_about_now(house: Opener, state: dict[str, Any]) -> None:
    app = house()
    kept = cranes(app, 6, **state)[-1]
    then = NOON - 4 * DAY
    finding = found(app, kept, CRANE, as_of=then)
    assert finding.stage == "valid-at"
    since = "valid from" if "valid_at" in state else "made at"
    assert finding.reason == f"not valid at the instant asked about ({since} {isoformat(NOON - DAY)})"
    assert change_of(finding, "now").apply == "leave out as_of"


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_what_was_not_written_down_yet_says_so_and_nothing_of_legs(house: Opener) -> None:
    app = house()
    cranes(app, 3)
    before = app.clock.now()
    kept = keep(app, "The crane on quay 9 lifts fish cargo").memory
    recorded = isoformat(recorded_at(kept.id, kept.created))
    outcome = told(app, kept.id, CRANE, as_known_at=before)
    finding = outcome.finding
    assert finding
    assert (finding.stage, finding.legs, finding.degraded, finding.scores) == ("not-known-yet", (), (), None)
    assert finding.reason == f"it was recorded at {recorded}, later than {isoformat(before)}"
    change = change_of(finding, "now")
    assert (change.setting, change.apply) == ("asKnownAt", "leave out as_known_at")
    assert outcome.sentence == (
        f"It was not written down then: {finding.reason}. Leaving out asKnownAt admits it (verified)."
    )
    said = printed(outcome)
    assert f"verdict: miss, lost at not-known-yet ({finding.reason})" in said
    assert not any(word in said for word in ("legs:", "vector", "lexical", "No leg", "no place"))
    assert recalled(app, kept.id, CRANE)


@pytest.mark.requirement("XRAY-3")
def test_what_was_written_down_at_that_very_millisecond_was_known(house: Opener) -> None:
    app = house()
    kept = keep(app, "The crane on quay 9 lifts fish cargo").memory
    at = recorded_at(kept.id, kept.created)
    assert found(app, kept.id, CRANE, as_known_at=at - timedelta(milliseconds=1)).stage == "not-known-yet"
    assert found(app, kept.id, CRANE, as_known_at=at).verdict == "hit"


@pytest.mark.requirement("XRAY-4")
def test_of_two_instants_the_one_that_keeps_it_out_is_left_out_or_both(house: Opener) -> None:
    app = house()
    cranes(app, 3)
    before = app.clock.now()
    kept = keep(app, "The crane on quay 9 lifts fish cargo").memory.id
    since = app.clock.now()
    alone = found(app, kept, CRANE, as_of=since, as_known_at=before)
    assert (alone.stage, change_of(alone, "now").apply) == ("not-known-yet", "leave out as_known_at")
    assert recalled(app, kept, CRANE, as_of=since)
    both = found(app, kept, CRANE, as_of=before, as_known_at=before)
    assert change_of(both, "now").apply == "leave out as_of and as_known_at"
    assert [each.setting for each in both.tried] == ["asKnownAt"]
    assert "asOf and asKnownAt admits it" in told(app, kept, CRANE, as_of=before, as_known_at=before).sentence


@pytest.mark.requirement("XRAY-4")
def test_what_was_not_known_and_is_archived_now_is_offered_nothing(house: Opener) -> None:
    app = house()
    cranes(app, 3)
    before = app.clock.now()
    kept = keep(app, "The crane on quay 9 lifts fish cargo").memory.id
    _asked_verb(app, "archive", kept)
    finding = found(app, kept, CRANE, as_known_at=before)
    assert (finding.stage, finding.change) == ("not-known-yet", None)
    assert [each.setting for each in finding.tried] == ["asKnownAt"]


@pytest.mark.requirement("XRAY-3", "XRAY-4")
def test_an_earlier_recall_of_the_past_is_told_the_same_way(house: Opener) -> None:
    app = house()
    here = app.settings.namespace
    cranes(app, 3)
    before = app.clock.now()
    kept = keep(app, "The crane on quay 9 lifts fish cargo").memory.id
    recall_id = ask(app, CRANE, as_known_at=before).recall_id
    finding = why(app, WhyInput(namespace=here, memory=kept, recall_id=recall_id)).finding
    assert finding
    assert (finding.stage, finding.legs) == ("not-known-yet", ())
    assert change_of(finding, "now").apply == "leave out as_known_at"
    receipt = unpack(pack(run(app, CRANE, as_known_at=before)))
    wordless = explain_memory(app, replace(receipt.state.request, query=""), kept, receipt).finding
    assert wordless
    assert (wordless.stage, wordless.legs, wordless.change) == ("not-known-yet", (), None)


@pytest.mark.requirement("XRAY-4")
def test_an_earlier_recall_of_the_past_is_tried_at_this_moment(house: Opener) -> None:
    """What has expired since that recall is not found by asking about now."""
    app = house()
    here = app.settings.namespace
    ends = app.clock.now() + timedelta(seconds=1)
    kept = cranes(app, 6, expires_at=ends, valid_at=NOON - DAY)[-1]
    recall_id = ask(app, CRANE, as_of=NOON - 3 * DAY).recall_id
    asked = WhyInput(namespace=here, memory=kept, recall_id=recall_id)
    finding = why(app, asked).finding
    assert finding
    assert change_of(finding, "now").apply == "leave out as_of"
    while app.clock.now() < ends:
        pass
    finding = why(app, asked).finding
    assert finding
    assert finding.change is None


@pytest.mark.requirement("XRAY-3")
def test_what_was_in_quarantine_then_is_said_of_then(house: Opener) -> None:
    app = house()
    cranes(app, 5)
    file_memories(app, [a_memory(50, "The crane on quay 9 lifts fish cargo", trust_zone="quarantine")])
    kept = f"mem_{50:032x}"
    finding = found(app, kept, CRANE, as_of=build_request(app, _question(app)).at)
    assert (finding.stage, finding.reason, finding.change) == ("trust-zone", "it was in quarantine then", None)
    assert _no_state(finding)


def _question(app: App) -> RecallInput:
    return RecallInput(query=CRANE, namespace=app.settings.namespace)
