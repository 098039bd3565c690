"""Pairs as sessions say them in, how many corrections are seen and how many other pairs are left alone out."""

import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from kits.case_tables import DAY, run_session, spoken
from kits.intake import START, session, take
from pellucid.app import App, open_app
from pellucid.memory.changes import ChangeSet
from pellucid.memory.reconcile.reconcile import Reconciler
from pellucid.memory.reconcile.statement import Statement
from pellucid.model.memory import Memory
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.settings import load

TABLE = tomllib.loads((Path(__file__).parent / "corrections.toml").read_text(encoding="utf-8"))
Pair = tuple[str, str]
AGENT = "agent: "


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[App]:
    opened = open_app(load(home=tmp_path_factory.mktemp("home")), models=model_cache.parent)
    yield opened
    opened.close()


def say(app: App, words: str, namespace: str) -> None:
    """Keep what a person says; of an agent, as what is read from its answer."""
    if not words.startswith(AGENT):
        remember(app, RememberInput(content=words, namespace=namespace))
        return
    now = app.clock.now()
    memory = Memory(
        id=app.clock.new_id("mem"),
        category="fact",
        namespace=namespace,
        created=now,
        updated=now,
        source="extraction",
        asserted_by="inferred",
        source_class="assistant_output",
        content=words.removeprefix(AGENT),
        valid_at=now,
    )
    with app.unit_of_work.deciding(namespace, [memory.content]):
        changes = ChangeSet(app.records, namespace, "reconcile", app.clock)
        reconciler = Reconciler(app.index, app.lookup, changes, app.key)
        reconciler.consider([Statement(memory)])
        reconciler.decide()
        plan = changes.plan()
        app.unit_of_work.commit("observe", plan.writes, plan.rows)


def side_by_side(app: App, pair: Pair) -> bool:
    """Whether both stand there unmarked after they were said one after the other."""
    namespace = f"pair/{sha256('|'.join(pair).encode()).hexdigest()[:12]}"
    for words in pair:
        say(app, words, namespace)
    found = list_memories(app, ListInput(namespace=namespace, status=None)).memories
    standing = [each.memory for each in found if each.memory.status == "active"]
    return len(standing) == 2 and not all(each.disputed_with for each in standing)


def missed(app: App, name: str, *, held_out: bool) -> list[Pair]:
    return [
        (older, newer)
        for older, newer in TABLE[name][int(held_out) :: 2]
        if side_by_side(app, (older, newer)) == (name == "clash")
    ]


def test_a_correction_does_not_leave_what_it_corrects_in_force_unmarked(app: App) -> None:
    wrong = missed(app, "clash", held_out=False)
    assert len(wrong) <= 2, wrong


def test_what_corrects_nothing_leaves_the_other_alone(app: App) -> None:
    harmed = missed(app, "apart", held_out=False)
    assert len(harmed) <= 1, harmed


def test_a_session_retires_what_its_user_corrects_and_keeps_what_only_shares_words(app: App, tmp_path: Path) -> None:
    said = [
        "We always run make check before committing.",
        "fyi the staging postgres listens on port 5433, not the default, so use that when you test there",
        "look at the ticket list. Add Tabnanny check before Run/F5, not just when Checking module. Then the docs.",
        "no, I told you wrong or rather it changed: staging postgres moved to port 6432 last week. forget 5433",
    ]
    kept = run_session(spoken(said, DAY), app, "session/tidegate", tmp_path)
    retired = [content for content, status in kept if status == "superseded"]
    assert [("5433" in each, len(retired)) for each in retired] == [(True, 1)], kept
    assert any("make check" in content and status == "active" for content, status in kept), kept


def in_sessions(app: App, pair: Pair, count: int) -> list[Memory]:
    """What is kept of a coding session, or of two some days apart, in which the two were said among other things."""
    namespace = f"{count}/{sha256('|'.join(pair).encode()).hexdigest()[:12]}"
    older, newer = (("run the tests again", ("tool", "42 passed"), each, "rename the flag") for each in pair)
    said = [session(*older, *newer)] if count == 1 else [session(*older), session(*newer, name="s2", start=START + DAY)]
    for turns in said:
        take(app, turns, namespace=namespace)
    return [each.memory for each in app.index.memories(namespace)]


def unmarked(kept: Sequence[Memory]) -> list[Memory]:
    return [each for each in kept if each.status == "active" and not each.disputed_with]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("pair", [*TABLE["changed"], *TABLE["changed_blind"]], ids=lambda pair: pair[1][:40])
def test_what_changed_does_not_stand_unmarked_beside_or_instead_of_what_it_changed(
    pair: Pair, count: int, app: App
) -> None:
    kept = in_sessions(app, pair, count)
    assert len(unmarked(kept)) <= 1, kept
    assert (
        not kept
        or max(kept, key=lambda each: each.valid_at or each.created) in unmarked(kept)
        or all(each.disputed_with for each in kept)
    )


@pytest.mark.parametrize("pair", [*TABLE["unchanged"], *TABLE["unchanged_blind"]], ids=lambda pair: pair[1][:40])
def test_what_changed_something_else_is_marked_as_nothing(pair: Pair, app: App) -> None:
    kept = in_sessions(app, pair, 2)
    assert len(unmarked(kept)) == len(kept)


def test_a_change_of_nothing_that_is_kept_is_not_kept_and_says_so(app: App) -> None:
    said = "Jonas took over the billing service"
    kept = in_sessions(app, ("We cut releases every Tuesday", said), 2)
    assert [each.content for each in kept] == ["We cut releases every Tuesday"]


def test_two_findings_of_a_list_stand_side_by_side(app: App) -> None:
    one = "P1 Bug #1 - Active session deletion: sessions just started were marked as orphaned"
    other = "P1 Bug #2 - Hash length mismatch: shadow branches use 7-char hashes"
    assert side_by_side(app, (one, other))


def test_pairs_that_no_rule_was_fitted_to_fare_about_as_well(app: App) -> None:
    overlooked = missed(app, "clash", held_out=True)
    harmed = missed(app, "apart", held_out=True)
    assert (len(overlooked) <= 5, len(harmed) <= 1) == (True, True), (overlooked, harmed)


@pytest.mark.parametrize("pair", TABLE["apart"][::2], ids=lambda pair: pair[1][:40])
def test_a_session_that_corrects_nothing_retires_nothing(pair: Pair, app: App, tmp_path: Path) -> None:
    said = [words for words in pair if not words.startswith(AGENT)]
    namespace = f"session/{sha256('|'.join(pair).encode()).hexdigest()[:12]}"
    kept = run_session(spoken(said, DAY), app, namespace, tmp_path)
    assert [each for each in kept if each[1] == "superseded"] == []
