"""A home with all that goes wrong with memories in, what a person is given to look at, and why, out."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kits.vault import ask
from pellucid.app import App, open_app
from pellucid.clock import SystemClock
from pellucid.operations.memory.changing import VerbInput, apply_verb
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.reviewing import ReviewInput, ReviewOutput, to_review
from pellucid.operations.memory.trusting import PromoteInput, SourceInput, promote, quarantine
from pellucid.settings import load

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
    return to_review(app, ReviewInput.model_validate({"namespace": HERE, **given}))


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


def test_what_grew_old_is_looked_at_and_what_was_put_away_is_not(app: App) -> None:
    crane, gate = keep(app, "The crane lifts forty tonnes"), keep(app, "The gate closes at ten")
    Calendar.at += timedelta(days=200)
    apply_verb(app, "archive", VerbInput(namespace=HERE, memory_id=gate))
    assert found(app) == [(crane, ["stale"])]
    assert look(app).items[0].reasons[0].text == "nobody stood behind it for 200 days"


def test_the_gravest_stands_first_kinds_are_counted_and_pages_hold_each_once(app: App) -> None:
    old = keep(app, "The crane lifts forty tonnes")
    Calendar.at += timedelta(days=200)
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
