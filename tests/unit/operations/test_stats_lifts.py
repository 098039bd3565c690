"""Memories that were worked with in, what a leg did for them out: each as a recall without the leg has it."""

from collections import Counter, defaultdict
from typing import Any

import apsw
import pytest

from pellucid.app import App
from pellucid.operations.memory.citing import CITE
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL
from pellucid.operations.telemetry.lifts import compute_lifts
from pellucid.operations.telemetry.panels import PANELS, PanelName
from pellucid.operations.telemetry.stats import StatsInput, stats
from pellucid.operations.upkeep import IN_THE_BACKGROUND, Upkeep
from pellucid.store.history.citations_port import CitationKind

HERE = "local/default"
SAID = (
    "The ingest service depends on the billing service",
    "The billing service is written in Rust",
    "The billing service depends on the ledger database",
    "The ledger database keeps thirteen months of entries",
    "The ingest worker retries a message five times",
    "Ann leads the billing team",
    "The harbour crane lifts forty tonnes",
)
QUERY = "what does the ingest service depend on?"


@pytest.fixture
def asked(whole: App) -> tuple[App, list[str]]:
    """A home with a recall of several memories, and these."""
    for content in SAID:
        REMEMBER(Call.over(whole), content=content, entity_ref=content.split(" ")[1])
    found = RECALL(Call.over(whole), query=QUERY, top_k=4)
    return whole, [each.memory.id for each in found.memories]


def cite(app: App, memory_id: str, kind: CitationKind = "used") -> None:
    CITE(Call.over(app), memory_id=memory_id, kind=kind)


def lifts(app: App) -> list[dict[str, Any]]:
    connection = apsw.Connection(str(app.settings.home / "history.db"), flags=apsw.SQLITE_OPEN_READONLY)
    names = ("recall_id", "memory_id", "leg", "rank_with", "rank_without")
    found = [
        dict(zip(names, row, strict=True)) for row in connection.execute(f"SELECT {', '.join(names)} FROM leg_lifts")
    ]
    connection.close()
    return found


def test_a_lift_is_what_a_recall_without_the_leg_gives(asked: tuple[App, list[str]]) -> None:
    app, given = asked
    for memory_id in given:
        cite(app, memory_id)
    assert compute_lifts(app, HERE) == 1
    kept = {(each["memory_id"], each["leg"]): (each["rank_with"], each["rank_without"]) for each in lifts(app)}
    assert len(kept) == 3 * len(given)
    for leg in ("graph", "temporal", "renew"):
        live = RECALL(Call.over(app), query=QUERY, top_k=4, without=(leg,))
        without = [each.memory.id for each in live.memories]
        for place, memory_id in enumerate(given, start=1):
            now = without.index(memory_id) + 1 if memory_id in without else None
            assert kept[memory_id, leg] == (place, now)


def test_a_lift_is_worked_out_once_and_for_what_was_worked_with_alone(asked: tuple[App, list[str]]) -> None:
    app, (first, second, *_) = asked
    cite(app, first)
    cite(app, second, "dismissed")
    assert [compute_lifts(app, HERE), compute_lifts(app, HERE)] == [1, 0]
    assert {each["memory_id"] for each in lifts(app)} == {first}
    cite(app, first, "good")
    assert compute_lifts(app, HERE) == 0
    cite(app, second)
    assert compute_lifts(app, HERE) == 1
    assert {each["memory_id"] for each in lifts(app)} == {first, second}


@pytest.mark.parametrize("name", ["graph-lift", "temporal-lift"])
def test_a_lift_panel_shows_what_a_count_of_the_lifts_gives(asked: tuple[App, list[str]], name: PanelName) -> None:
    app, given = asked
    for memory_id in given[:2]:
        cite(app, memory_id)
    outcome = stats(app, StatsInput(namespace=HERE, panel=name, by="leg" if name == "temporal-lift" else None))
    legs = ("graph",) if name == "graph-lift" else ("temporal", "renew")
    counted = defaultdict[str, Counter[str]](Counter)
    for each in lifts(app):
        if each["leg"] in legs:
            before, after = each["rank_with"], each["rank_without"]
            counted[each["leg"]].update(
                cited=1,
                brought=int(after is None),
                raised=int(after is not None and after > before),
                lowered=int(after is not None and after < before),
                places=0 if after is None else after - before,
            )
    for of, sums in counted.items():
        row = next(row for row in outcome.rows if name == "graph-lift" or row[0] == of)
        stayed = sums["cited"] - sums["brought"]
        mean = round(sums["places"] / stayed, 2) if stayed else None
        assert row[1:] == (sums["cited"], sums["brought"], sums["raised"], sums["lowered"], mean, 0)
    assert PANELS[name].from_lifts


def test_what_the_receipt_cannot_tell_is_told_as_unknown(asked: tuple[App, list[str]]) -> None:
    app, (first, *_) = asked
    cite(app, first)
    connection = apsw.Connection(str(app.settings.home / "history.db"))
    connection.execute("UPDATE receipts SET packed = x'00000001ff'")
    connection.close()
    outcome = stats(app, StatsInput(namespace=HERE, panel="graph-lift"))
    assert outcome.totals == (None, 1, 0, 0, 0, None, 1)


def test_a_process_that_stays_works_out_what_is_due(asked: tuple[App, list[str]]) -> None:
    app, (first, *_) = asked
    cite(app, first)
    jobs = [each for each in IN_THE_BACKGROUND if each.name == "lifts"]
    assert [each.count for each in Upkeep(app, jobs).run_due(app.clock.now())] == [1]
    assert lifts(app)
