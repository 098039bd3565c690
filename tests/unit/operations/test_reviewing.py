"""A home with all that goes wrong with memories in, what a person is given to look at, and why, out."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

from kits.vault import ask, edit
from pellucid.app import App, open_app
from pellucid.clock import SystemClock
from pellucid.memory.lifecycle import ages, stale
from pellucid.operations.memory.changing import Verb, VerbInput, apply_verb
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.memory.lifecycle.aging import LifecycleInput, run_lifecycle
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.reviewing import ReviewInput, ReviewOutput, list_to_review
from pellucid.operations.memory.trusting import PromoteInput, SourceInput, promote, quarantine
from pellucid.operations.recall.recalling import RecallInput, recall
from pellucid.settings import load
from pellucid.xray.provenance import staleness

HERE = "local/default"


class Calendar(SystemClock):
    """The day that it is said to be."""

    at = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        Calendar.at += timedelta(milliseconds=1)
        return Calendar.at


@pytest.fixture
def app(tmp_path: Path, model_cache: Path) -> App:
    Calendar.at = datetime(2026, 1, 1, tzinfo=UTC)
    return open_app(load(home=tmp_path / "home"), models=model_cache.parent, clock=Calendar())


def keep(app: App, content: str) -> str:
    return remember(app, RememberInput(content=content, namespace=HERE)).memory.id


def look(app: App, **given: object) -> ReviewOutput:
    return list_to_review(app, ReviewInput.model_validate({"namespace": HERE, **given}))


def found(app: App, **given: object) -> list[tuple[str, list[str]]]:
    return [(each.memory.id, [reason.kind for reason in each.reasons]) for each in look(app, **given).items]


def test_nothing_is_to_be_looked_at_where_nothing_is_wrong(app: App) -> None:
    keep(app, "The crane lifts forty tonnes")
    assert found(app) == []
    assert set(look(app).counts.values()) == {0}


def test_what_is_kept_back_is_looked_at_until_somebody_lets_it_in(app: App) -> None:
    crane = keep(app, "The crane lifts forty tonnes")
    quarantine(app, SourceInput(namespace=HERE, memory_ids=(crane,)))
    assert found(app) == [(crane, ["quarantined"])]
    assert look(app).items[0].reasons[0].text
    promote(app, PromoteInput(namespace=HERE, memory_id=crane))
    assert found(app) == []


def test_what_an_agent_flagged_is_looked_at_until_somebody_stands_behind_it(app: App) -> None:
    crane = keep(app, "The crane lifts forty tonnes")
    ask(app, "what does the crane lift?")
    cite(app, CiteInput(namespace=HERE, memory_id=crane, kind="flagged_stale", notes="it is fifty now", agent="codex"))
    [item] = look(app).items
    assert item.reasons[0].text == "codex found it no longer true on 2026-01-01: “it is fifty now”"
    reverify(app, ReverifyInput(namespace=HERE, memory_ids=(crane,)))
    assert found(app) == []


def test_what_was_called_into_question_is_looked_at(app: App) -> None:
    crane = keep(app, "The crane lifts forty tonnes")
    apply_verb(app, "dispute", VerbInput(namespace=HERE, memory_id=crane))
    assert found(app) == [(crane, ["disputed"])]
    apply_verb(app, "retract", VerbInput(namespace=HERE, memory_id=crane))
    assert found(app) == []


def give(app: App, question: str) -> None:
    recall(app, RecallInput(query=question, namespace=HERE))


def test_what_grew_old_is_looked_at_and_what_was_put_away_is_not(app: App) -> None:
    crane, gate = keep(app, "The crane lifts forty tonnes"), keep(app, "The gate closes at ten")
    Calendar.at += timedelta(days=200)
    give(app, "what does the crane lift, and when does the gate close?")
    apply_verb(app, "archive", VerbInput(namespace=HERE, memory_id=gate))
    assert found(app) == [(crane, ["stale"])]
    assert look(app).items[0].reasons[0].text == "nobody stood behind it for 200 days"
    reverify(app, ReverifyInput(namespace=HERE, memory_ids=(crane,)))
    assert found(app, resting=True) == []


def test_what_something_newer_replaced_is_not_said_to_be_old(app: App) -> None:
    made = remember(app, RememberInput(content="The crane lifts forty tonnes", namespace=HERE))
    edit(app.settings.home, made.path, "status: active", "status: active\nsupersededBy: mem_" + "1" * 32)
    app.unit_of_work.take_over_edits()
    give(app, "what does the crane lift?")
    assert [reason.text for reason in look(app).items[0].reasons] == ["something newer has taken its place"]


def test_what_is_stale_waits_until_a_recall_gives_it_and_is_counted_meanwhile(app: App) -> None:
    old = [keep(app, f"The {thing} is painted green") for thing in ("crane", "gate", "pier")]
    give(app, "which colour is the gate?")
    Calendar.at += timedelta(days=200)
    assert (found(app), look(app).resting, look(app).counts["stale"]) == ([], 3, 0)
    assert sorted(found(app, resting=True)) == sorted((each, ["stale"]) for each in old)
    assert look(app, resting=True).resting == 0
    recall(app, RecallInput(query="which colour is the gate?", namespace=HERE, top_k=1))
    [item] = look(app).items
    assert "gate" in item.memory.content
    assert (look(app).resting, look(app).counts["stale"]) == (2, 1)
    Calendar.at += timedelta(days=200)
    assert (found(app), look(app).resting) == ([], 3)


def test_what_is_stale_is_what_an_answer_calls_so_whatever_the_state(app: App) -> None:
    chance = random.Random(7)
    for number in range(120):
        memory = keep(app, f"Door {number} of the {chance.choice(('east', 'west'))} quay opens at {number}")
        Calendar.at += timedelta(days=chance.choice((0, 0, 1, 3)))
        act = chance.choice((*get_args(Verb), "quarantine", "reverify", "", "", ""))
        if act in get_args(Verb):
            apply_verb(app, act, VerbInput(namespace=HERE, memory_id=memory))
        elif act == "quarantine":
            quarantine(app, SourceInput(namespace=HERE, memory_ids=(memory,)))
        elif act == "reverify":
            Calendar.at += timedelta(days=5)
            reverify(app, ReverifyInput(namespace=HERE, memory_ids=(memory,)))
    Calendar.at += timedelta(days=60)
    run_lifecycle(app, LifecycleInput(namespace=HERE))
    folds = app.lookup.folds(HERE)
    for days in (0, 40, 100, 200):
        Calendar.at += timedelta(days=days)
        now, held = Calendar.at, [each.memory for each in app.index.memories(HERE)]
        expected = {
            each.id
            for each in held
            if each.status == "active"
            and ages(each, now)
            and each.trust_zone != "quarantine"
            and (
                staleness(each, now, app.settings.lifecycle.stale_after_days).due
                or (each.id in folds and stale(each, folds[each.id].decay))
            )
        }
        told = look(app, resting=True, kind="stale", limit=1000)
        assert {each.memory.id for each in told.items} == expected
        assert all(each.reasons for each in told.items)
    assert len(expected) > 20


def test_the_gravest_stands_first_kinds_are_counted_and_pages_hold_each_once(app: App) -> None:
    old = keep(app, "The crane lifts forty tonnes")
    Calendar.at += timedelta(days=200)
    give(app, "what does the crane lift?")
    kept_back, disputed = keep(app, "The gate closes at ten"), keep(app, "The pier is forty metres long")
    quarantine(app, SourceInput(namespace=HERE, memory_ids=(kept_back,)))
    apply_verb(app, "dispute", VerbInput(namespace=HERE, memory_id=disputed))
    whole = found(app)
    assert [each for each, _ in whole] == [kept_back, disputed, old]
    assert look(app).counts == {"flagged": 0, "waiting": 0, "quarantined": 1, "disputed": 1, "stale": 1}
    assert found(app, kind="disputed") == [(disputed, ["disputed"])]
    first = look(app, limit=2)
    rest = look(app, limit=2, after=first.next)
    assert [each.memory.id for each in (*first.items, *rest.items)] == [each for each, _ in whole]
    assert rest.next is None
