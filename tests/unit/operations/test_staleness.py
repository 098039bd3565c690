"""Old and replaced memories in, what a recall says of their age out, today and of the past."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from kits.calendar import NEW_YEAR, Calendar
from kits.graph import APRIL, HERE, MARCH, MAY, document, section
from kits.intake import held
from pellucid.app import App, open_app
from pellucid.clock import isoformat
from pellucid.errors import InputError, NotFoundError
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.graph.states import EntityHistoryOutput
from pellucid.operations.memory.changing import UpdateInput, VerbInput, apply_verb, update
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.storytelling import HistoryInput, HistoryOutput, history_of_memory, history_of_name
from pellucid.operations.recall.recalling import RecallOutput, recall, xray_by_id, xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.settings import load
from pellucid.surfaces.present.recall.recall import recall_text
from pellucid.xray.render.formats import render

QUESTION = "where does the staging database live"
DAY = timedelta(days=1)


def _remembered(app: App, content: str = "The staging database lives in eu-west-1", **given: object) -> str:
    return remember(app, RememberInput.model_validate({"content": content, "namespace": HERE, **given})).memory.id


def _recalled(app: App, **given: object) -> RecallOutput:
    return recall(app, RecallInput.model_validate({"query": QUESTION, "namespace": HERE, **given}))


def _listed(app: App, **given: object) -> set[str]:
    found = list_memories(app, ListInput.model_validate({"namespace": HERE, **given}))
    assert found.total == len(found.memories)
    return {each.memory.id for each in found.memories}


def test_an_old_hit_is_offered_for_verification_until_it_is_verified(app: App) -> None:
    memory_id = _remembered(app)
    Calendar.at += 181 * DAY
    old = _recalled(app)
    (hit,) = old.memories
    assert hit.staleness
    assert (hit.staleness.age_days, hit.staleness.superseded, hit.staleness.last_verified_at) == (181, False, None)
    assert old.stale == (memory_id,)
    reverify(app, ReverifyInput(namespace=HERE, memory_ids=(memory_id,)))
    Calendar.at += DAY
    fresh = _recalled(app)
    assert fresh.stale == ()
    assert fresh.memories[0].staleness
    assert fresh.memories[0].staleness.age_days == 1


def test_the_answer_offers_what_somebody_verified_long_ago_and_all_that_is_old_where_everything_is_asked_for(
    app: App,
) -> None:
    memory_id = _remembered(app)
    Calendar.at += 181 * DAY
    assert "not verified" not in recall_text(_recalled(app))
    assert "1 of these was not verified for 181 days, [1]: " in recall_text(_recalled(app), verbose=True)
    reverify(app, ReverifyInput(namespace=HERE, memory_ids=(memory_id,)))
    assert "not verified" not in recall_text(_recalled(app), verbose=True)
    Calendar.at += 182 * DAY
    assert (
        f'not verified for 182 days, [1]: `call("memory.reverify", memory_ids={(memory_id[-10:],)!r})`'
        in recall_text(_recalled(app))
    )


def test_the_age_from_which_a_hit_is_stale_is_a_setting(
    home: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PELLUCID_LIFECYCLE__STALE_AFTER_DAYS", "7")
    Calendar.at = NEW_YEAR
    app = open_app(load(home=home), models=model_cache.parent, clock=Calendar())
    memory_id = _remembered(app)
    Calendar.at += 8 * DAY
    assert _recalled(app).stale == (memory_id,)


def test_an_explanation_says_the_same_as_the_recall(app: App) -> None:
    _remembered(app)
    Calendar.at += 181 * DAY
    (result,) = xray_new_recall(app, RecallInput(query=QUESTION, namespace=HERE)).results
    assert result.staleness == _recalled(app).memories[0].staleness


def test_what_answered_for_the_past_says_that_it_was_superseded_since(app: App) -> None:
    old = _remembered(app)
    Calendar.at += 10 * DAY
    then = Calendar.at
    Calendar.at += 10 * DAY
    update(app, UpdateInput(namespace=HERE, memory_id=old, content="The staging database lives in us-east-2"))
    Calendar.at += DAY
    assert [each.memory.id for each in _recalled(app).memories] != [old]
    past = _recalled(app, as_of=then)
    (hit,) = past.memories
    assert hit.memory.id == old
    assert hit.staleness
    assert (hit.staleness.superseded, hit.staleness.age_days) == (True, 10)
    assert past.stale == (old,)
    assert f"\n1 of these was superseded since: [1] {old}\n" in recall_text(past)
    explained = xray_new_recall(app, RecallInput(query=QUESTION, namespace=HERE, as_of=then, as_known_at=then))
    assert f"as-of: {isoformat(then)}; as known at {isoformat(then)}" in render(explained, "text").splitlines()
    assert "as-of" not in render(xray_new_recall(app, RecallInput(query=QUESTION, namespace=HERE)), "text")


def test_a_list_of_the_past_shows_what_could_answer_then(app: App) -> None:
    old = _remembered(app)
    first = Calendar.at
    Calendar.at += 10 * DAY
    other = _remembered(app, "The mail server lives in eu-north-1")
    second = Calendar.at
    Calendar.at += 10 * DAY
    new = update(app, UpdateInput(namespace=HERE, memory_id=old, content="The staging database is in us-east-2")).memory
    apply_verb(app, "archive", VerbInput(namespace=HERE, memory_id=other))
    Calendar.at += DAY
    assert _listed(app) == {new.id}
    assert _listed(app, as_of=first) == {old}
    assert _listed(app, as_of=second) == {old, other}
    assert _listed(app, as_of=first - DAY) == set()
    assert _listed(app, as_of=second, contains="mail") == {other}
    assert _listed(app, as_of=Calendar.at) == {new.id}
    assert _listed(app, as_known_at=second) == {old, other}


def test_a_list_names_the_instants_that_it_answered_at(app: App) -> None:
    old = _remembered(app)
    Calendar.at += DAY
    between = Calendar.at - timedelta(microseconds=1)
    listed = list_memories(app, ListInput(namespace=HERE, as_of=between, as_known_at=between))
    assert [each.memory.id for each in listed.memories] == [old]
    assert listed.as_of == listed.as_known_at == Calendar.at - timedelta(milliseconds=1)


def test_a_status_cannot_be_asked_of_the_past_nor_anything_of_the_future(app: App) -> None:
    with pytest.raises(InputError, match="status cannot change"):
        _listed(app, as_of=Calendar.at, status="archived")
    with pytest.raises(InputError, match=r"^as_of .* lies in the future"):
        _listed(app, as_of=Calendar.at + DAY)
    with pytest.raises(InputError, match=r"^as_known_at .* lies in the future"):
        _listed(app, as_known_at=Calendar.at + DAY)


def test_the_story_of_a_memory_says_which_version_held_and_whether_it_was_in_force(app: App) -> None:
    old = _remembered(app)
    first = Calendar.at
    Calendar.at += 10 * DAY
    new = update(app, UpdateInput(namespace=HERE, memory_id=old, content="The staging database is in us-east-2")).memory
    turned = Calendar.at
    Calendar.at += 10 * DAY
    apply_verb(app, "archive", VerbInput(namespace=HERE, memory_id=new.id))
    aside = Calendar.at
    Calendar.at += DAY

    def held_at(at: datetime, **given: datetime) -> tuple[str, bool, str] | None:
        told = history_of_memory(app, HERE, new.id, at, **given).held
        return (told.memory_id, told.in_force, told.set_aside) if told else None

    assert held_at(first - DAY) is None
    assert held_at(first) == (old, True, "")
    assert held_at(turned - timedelta(milliseconds=1)) == (old, True, "")
    assert held_at(turned) == (new.id, True, "")
    assert held_at(Calendar.at) == (new.id, False, f"archived {aside:%Y-%m-%d}")
    assert held_at(turned, as_known_at=first) == (old, True, "")


def test_the_story_as_known_then_holds_nothing_that_was_written_later(app: App) -> None:
    old = _remembered(app)
    first = Calendar.at
    Calendar.at += 10 * DAY
    update(app, UpdateInput(namespace=HERE, memory_id=old, content="The staging database is in us-east-2"))
    told = history_of_memory(app, HERE, old, as_known_at=first)
    assert [each.memory.id for each in told.versions] == [old]
    assert [row.event_type for row in told.events] == ["created"]
    (version,) = (each.memory for each in told.versions)
    assert (version.status, version.superseded_by, version.invalid_at) == ("active", None, None)
    assert version.updated == version.created
    assert told.held
    assert (told.held.memory_id, told.held.in_force, told.held.valid_until) == (old, True, None)
    with pytest.raises(NotFoundError, match="not written yet"):
        history_of_memory(app, HERE, old, as_known_at=first - DAY)


def test_a_verification_after_the_instant_known_at_is_not_told_and_the_age_is_that_of_the_instant_asked_about(
    app: App,
) -> None:
    memory_id = _remembered(app)
    Calendar.at += 200 * DAY
    before = Calendar.at
    Calendar.at += DAY
    reverify(app, ReverifyInput(namespace=HERE, memory_ids=(memory_id,)))
    Calendar.at += 9 * DAY
    for given, age in (({"as_known_at": before}, 210), ({"as_of": before}, 200), ({}, 9)):
        (hit,) = _recalled(app, **given).memories
        assert hit.staleness
        assert (hit.staleness.age_days, hit.staleness.last_verified_at is None, hit.staleness.due) == (
            age,
            bool(given),
            bool(given),
        )


def test_every_verification_is_kept_for_questions_about_the_time_after_it(app: App) -> None:
    memory_id = _remembered(app)
    for days in (10, 290):
        Calendar.at += days * DAY
        reverify(app, ReverifyInput(namespace=HERE, memory_ids=(memory_id,)))
    then = Calendar.at - 100 * DAY
    first = isoformat(Calendar.at - 290 * DAY)
    for given in ({"as_of": then}, {"as_of": then, "as_known_at": then}, {"as_known_at": then}):
        answer = _recalled(app, **given)
        (hit,) = answer.memories
        assert hit.staleness
        assert (hit.staleness.last_verified_at, hit.staleness.age_days) == (first, 190 if "as_of" in given else 290)
        assert xray_by_id(app, HERE, answer.recall_id).results[0].staleness == hit.staleness
    (before,) = _recalled(app, as_of=Calendar.at - 295 * DAY).memories
    assert before.staleness
    assert before.staleness.last_verified_at is None


def test_what_was_superseded_or_restated_since_is_told_as_it_stood(app: App) -> None:
    old = _remembered(app, "The relay listens on port 8080", entity_ref="relay", attributes={"port": "8080"})
    wide = _remembered(
        app, "The kiosk is 8 m wide and red", entity_ref="kiosk", attributes={"width": "8", "hue": "red"}
    )
    then = Calendar.at
    Calendar.at += DAY
    _remembered(app, "The relay listens on port 9090", entity_ref="relay", attributes={"port": "9090"})
    _remembered(app, "The kiosk is blue", entity_ref="kiosk", attributes={"hue": "blue"})
    Calendar.at += DAY
    question = {"query": "relay port and kiosk", "top_k": 20}
    assert "(restated since: hue) The kiosk is 8 m" in _recalled(app, **question).context
    for given in ({"as_of": then, "as_known_at": then}, {"as_known_at": then}, {"as_of": then}):
        answer = _recalled(app, **question, **given)
        assert {each.memory.id for each in answer.memories} == {old, wide}
        assert ("superseded" in answer.context, "restated" in answer.context) == (False, False)
        told = {each.memory_id: each for each in xray_by_id(app, HERE, answer.recall_id).results}[old]
        assert told.provenance
        assert (told.provenance.safety, told.provenance.correction_state, told.provenance.stale) == (
            "safe",
            "none",
            False,
        )
        assert told.staleness
        assert told.staleness.superseded == ("as_known_at" not in given)


def test_a_name_tells_the_story_of_a_thing_and_an_id_that_of_a_memory(app: App) -> None:
    Calendar.at = MAY
    document(app, "SPEC-901", [(MARCH, {"title": "Ground", "status": "draft"}), (APRIL, {"title": "Ground"})])
    memory_id = _remembered(app)
    thing = history_of_name(app, HistoryInput(namespace=HERE, name="SPEC-901", as_of=MARCH))
    assert isinstance(thing, EntityHistoryOutput)
    assert [each.props["status"] for each in thing.states] == ["draft"]
    for name in (memory_id, memory_id[-10:]):
        assert isinstance(history_of_name(app, HistoryInput(namespace=HERE, name=name)), HistoryOutput)
    with pytest.raises(NotFoundError) as raised:
        history_of_name(app, HistoryInput(namespace=HERE, name="SPEC-902"))
    assert "SPEC-901" in raised.value.next_step


def test_what_a_memory_says_of_a_thing_is_a_state_of_it(app: App) -> None:
    _remembered(app, "The relay listens on port 8080", entity_ref="relay", attributes={"port": "8080"})
    first = Calendar.at
    Calendar.at += DAY
    _remembered(app, "The relay listens on port 9090", entity_ref="relay", attributes={"port": "9090"})
    told = history_of_name(app, HistoryInput(namespace=HERE, name="relay"))
    assert isinstance(told, EntityHistoryOutput)
    assert [each.props.get("port") for each in told.states] == ["8080", "9090"]
    past = history_of_name(app, HistoryInput(namespace=HERE, name="relay", as_of=first))
    assert isinstance(past, EntityHistoryOutput)
    assert past.holds == {"port": "8080"}


def test_sections_of_a_document_are_not_offered_for_verification(app: App) -> None:
    Calendar.at = MARCH
    document(app, "SPEC-901", [(MARCH, {"title": "Ground"})], [section(app, "Staging", f"{QUESTION}: eu-west-1")])
    Calendar.at += 400 * DAY
    answer = _recalled(app)
    assert answer.memories
    assert answer.stale == ()
    with pytest.raises(InputError, match="section of a document"):
        reverify(app, ReverifyInput(namespace=HERE, memory_ids=(answer.memories[0].memory.id,)))
    assert held(app)
