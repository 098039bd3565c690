"""Recalls that were kept and citations of them in, panels out: each is counted again here, from the tables alone."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import apsw
import pytest

from pellucid.app import App, open_app
from pellucid.errors import InputError
from pellucid.operations.memory.changing import ARCHIVE
from pellucid.operations.memory.citing import CITE
from pellucid.operations.memory.forgetting import FORGET
from pellucid.operations.memory.remembering import REMEMBER
from pellucid.operations.operation import Call
from pellucid.operations.recall.recalling import RECALL
from pellucid.operations.telemetry.panels import PANELS, Panel, PanelName
from pellucid.operations.telemetry.stats import StatsInput, StatsOutput, stats
from pellucid.settings import load
from pellucid.store.history.citations_port import FAVOURABLE, CitationRow
from pellucid.store.history.history_port import RecallRecord
from pellucid.store.history.telemetry_port import Grouping, RecallEvent
from pellucid.store.local.history.history import LocalHistory

HERE, ELSEWHERE = "local/default", "acme/web"
DAY_MS = 86_400_000
BEGIN = int(datetime(2026, 4, 1, 12, tzinfo=UTC).timestamp() * 1000)
STALE = ("flagged_stale", "rewrote")
KINDS = ("cited", "used", "saved_rework", "rewrote", "good", "dismissed", "flagged_stale", "bad")
Raw = list[dict[str, Any]]
Counted = tuple[Any, dict[str, int]]
CASES = [(panel.name, by) for panel in PANELS.values() for by in panel.by if "lift" not in panel.name]


def event(chance: random.Random) -> RecallEvent:
    outcome = chance.choices(("answered", "empty", "gated", "abstained", "failed"), (12, 1, 1, 2, 1))[0]
    selected = chance.randint(1, 6) if outcome == "answered" else 0
    legs = {
        name: {"weight": 1.0, "health": "ok", "found": chance.choice((0, 3)) if outcome == "answered" else 0}
        for name in ("vector", "lexical", "lexical@2", "graph")
    }
    return RecallEvent(
        chance.choice((None, "claude", "codex")),
        chance.choice(("cli", "http", "mcp", "hook", "python")),
        chance.choice(("historical", "decision", "other")),
        chance.choice(("full", "minimal")),
        outcome,
        selected + 2,
        selected,
        400 * selected,
        100 * selected,
        12.5,
        degraded=chance.random() < 0.1,
        legs={} if outcome == "failed" else legs,
    )


def fill(history: LocalHistory, namespace: str, ids: Sequence[str], seed: int, recalls: int = 400) -> None:
    """Some weeks of recalls of these memories, and what became of all but the last two."""
    chance = random.Random(seed)
    for number in range(recalls):
        recall_id, at, told = f"rec_{seed:016x}{number:016x}", BEGIN + chance.randrange(20 * DAY_MS), event(chance)
        served = tuple((each, None) for each in chance.sample(ids, told.selected))
        packed = None if told.outcome == "failed" else b"packed"
        history.record(RecallRecord(recall_id, at, namespace, None, packed, served, b"", told))
        for memory_id, _ in served:
            if chance.random() < 0.3 and memory_id not in ids[-2:]:
                kind, occasion = chance.choice(KINDS), f"s{number // 3}"
                row = CitationRow(memory_id, kind, recall_id, occasion, told.agent, at + DAY_MS)
                history.citations.put(namespace, f"cit_{recall_id}{memory_id}{kind}", row)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Path:
    """A home of twelve memories, their recalls and what became of them, beside those of another namespace."""
    home = tmp_path_factory.mktemp("stats") / "home"
    app = open_app(load(home=home), models=model_cache.parent)
    assert isinstance(app.history, LocalHistory)
    said = [REMEMBER(Call.over(app), content=f"Crane {number} lifts {number} tonnes") for number in range(12)]
    ids = [each.memory.id for each in said]
    fill(app.history, HERE, ids, 1)
    fill(app.history, ELSEWHERE, ids[::-1], 2, 50)
    app.close()
    return home


@pytest.fixture
def filled(template: Path, home: Path, model_cache: Path) -> Iterator[App]:
    """A home like that, of the test's own."""
    copytree(template, home)
    app = open_app(load(home=home), models=model_cache.parent)
    yield app
    app.close()


def tables(app: App) -> dict[str, Raw]:
    """Every row of the tables that panels are counted from, as another program reads them."""
    connection = apsw.Connection(str(app.settings.home / "history.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {name: rows(connection, f"SELECT * FROM {name}") for name in ("recall_events", "citations", "receipts")}
    finally:
        connection.close()


def rows(connection: apsw.Connection, sql: str) -> Raw:
    cursor = connection.execute(sql)
    try:
        names = [each[0] for each in cursor.getdescription()]
    except apsw.ExecutionCompleteError:
        return []
    return [dict(zip(names, row, strict=True)) for row in cursor]


def day_of(row: dict[str, Any]) -> str:
    return datetime.fromtimestamp(row["at"] / 1000, UTC).date().isoformat()


def group_of(event: dict[str, Any], by: Grouping) -> Iterable[str | None]:
    if by == "leg":
        return {name.split("@")[0] for name, leg in json.loads(event["legs"]).items() if leg["found"]}
    column = {"class": "query_class", "mode": "depth"}.get(by, by)
    return [day_of(event) if by == "day" else event[column]]


def recounted(app: App, panel: Panel, by: Grouping, keep: Callable[[dict[str, Any]], bool]) -> dict[Any, Counter[str]]:
    """A panel's measures by group, counted row by row."""
    raw = {name: [each for each in kept if each["namespace"] == HERE] for name, kept in tables(app).items()}
    count = {"top-cited": count_citations, "never-cited": count_served}.get(panel.name, count_events)
    out = defaultdict[Any, Counter[str]](Counter)
    for group, counted in count(raw, by, keep):
        out[group].update({name: int(counted[name]) for name in panel.measures})
    return out


def count_citations(raw: dict[str, Raw], by: Grouping, keep: Callable[[dict[str, Any]], bool]) -> Iterator[Counted]:
    for each in filter(keep, raw["citations"]):
        good, of = each["kind"] in FAVOURABLE, {"memory": each["memory_id"], "day": day_of(each)}
        spared = each["kind"] == "saved_rework"
        yield of.get(by, each["agent"]), {"favourable": good, "unfavourable": not good, "spared": spared}


def count_served(raw: dict[str, Raw], _: Grouping, keep: Callable[[dict[str, Any]], bool]) -> Iterator[Counted]:
    liked = {each["memory_id"] for each in raw["citations"] if each["kind"] in FAVOURABLE}
    last = {memory: each for each in sorted(raw["receipts"], key=at_of) for memory, _ in json.loads(each["served"])}
    for each in raw["receipts"]:
        yield from (
            (memory, {"served": 1})
            for memory, _ in json.loads(each["served"])
            if memory not in liked and keep(last[memory])
        )


def at_of(row: dict[str, Any]) -> int:
    return row["at"]


def count_events(raw: dict[str, Raw], by: Grouping, keep: Callable[[dict[str, Any]], bool]) -> Iterator[Counted]:
    said = defaultdict[str, Raw](list)
    for each in raw["citations"]:
        said[each["recall_id"]].append(each)
    for each in filter(keep, raw["recall_events"]):
        told = said[each["recall_id"]]
        counted = {
            "recalls": 1,
            "gave": each["selected"] > 0,
            "hits": any(one["kind"] in FAVOURABLE for one in told),
            "served": each["selected"],
            "stale": len({one["memory_id"] for one in told if one["kind"] in STALE}),
            "loaded": each["payload_tokens"],
            "spared": sum(one["kind"] == "saved_rework" for one in told),
            "degraded": each["degraded"],
            **{name: each["outcome"] == name for name in ("empty", "gated", "abstained", "failed")},
        }
        yield from ((group, counted) for group in group_of(each, by))


def shown(outcome: StatsOutput, measures: Iterable[str]) -> dict[Any, dict[str, Any]]:
    names = [each.name for each in outcome.columns]
    return {row[0]: {n: row[names.index(n)] for n in measures if n in names} for row in outcome.rows}


@pytest.mark.parametrize(("name", "by"), CASES)
@pytest.mark.parametrize("since", [None, datetime(2026, 4, 8, tzinfo=UTC)])
def test_a_panel_shows_what_a_count_of_the_tables_gives(
    filled: App, name, by: Grouping, since: datetime | None
) -> None:
    panel, first = PANELS[name], since.timestamp() * 1000 if since else 0
    outcome = stats(filled, StatsInput(namespace=HERE, panel=name, by=by, since=since, limit=100))
    expected = recounted(filled, panel, by, lambda each: each["at"] >= first)
    wanted = {
        of: {measure: counts[measure] for measure in panel.measures}
        for of, counts in expected.items()
        if panel.keeps(counts, filled.settings.telemetry)
    }
    assert shown(outcome, panel.measures) == wanted
    assert wanted, "nothing was counted"


def test_a_view_gives_any_program_what_the_operation_gives(filled: App) -> None:
    connection = apsw.Connection(str(filled.settings.home / "history.db"), flags=apsw.SQLITE_OPEN_READONLY)
    sql = "SELECT class, sum(hits), sum(gave) FROM panel_hit_rate WHERE namespace = ? GROUP BY class"
    seen = {of: (hits, gave) for of, hits, gave in connection.execute(sql, (HERE,))}
    connection.close()
    outcome = stats(filled, StatsInput(namespace=HERE, panel="hit-rate"))
    assert seen == {row[0]: (row[3], row[2]) for row in outcome.rows}
    assert [row[4] for row in outcome.rows] == [round(row[3] / row[2], 4) for row in outcome.rows]


def test_the_sums_stay_true_when_recalls_and_citations_go(filled: App) -> None:
    connection = apsw.Connection(str(filled.settings.home / "history.db"))
    for table in ("recall_events", "citations", "receipts"):
        connection.execute(f"DELETE FROM {table} WHERE recall_id LIKE '%3'")
    connection.execute("DELETE FROM recall_events WHERE agent = 'codex'")
    connection.close()
    for name, by in CASES:
        expected = recounted(filled, PANELS[name], by, lambda _: True)
        outcome = stats(filled, StatsInput(namespace=HERE, panel=name, by=by, limit=100))
        kept = {of for of, counts in expected.items() if PANELS[name].keeps(counts, filled.settings.telemetry)}
        found = shown(outcome, PANELS[name].measures)
        assert set(found) == kept
        assert all(found[of] == {each: expected[of][each] for each in PANELS[name].measures} for of in kept)


def test_every_kind_of_citation_counts_as_the_program_says(filled: App) -> None:
    connection = apsw.Connection(str(filled.settings.home / "history.db"), flags=apsw.SQLITE_OPEN_READONLY)
    known = {row["kind"]: row for row in rows(connection, "SELECT * FROM citation_kinds")}
    connection.close()
    assert set(known) == set(KINDS)
    assert {kind for kind, row in known.items() if row["favourable"]} == FAVOURABLE


def test_rework_that_was_spared_is_reckoned_at_the_setting(filled: App) -> None:
    outcome = stats(filled, StatsInput(namespace=HERE, panel="tokens"))
    _, _, loaded, spared, saved, balance = outcome.totals
    cost = filled.settings.telemetry.rework_tokens
    assert spared
    assert (saved, balance) == (spared * cost, spared * cost - loaded)
    assert f"{cost} tokens (telemetry.reworkTokens)" in outcome.notes[0]


def test_a_recall_with_several_legs_counts_once_in_all(filled: App) -> None:
    by_leg, by_class = (stats(filled, StatsInput(namespace=HERE, panel="hit-rate", by=by)) for by in ("leg", "class"))
    assert by_leg.totals == by_class.totals
    counts = [count for _, count, *_ in (*by_leg.rows, by_leg.totals) if isinstance(count, int)]
    assert sum(counts[:-1]) > counts[-1]


def test_whole_days_count(filled: App) -> None:
    noon, evening = datetime(2026, 4, 8, 12, tzinfo=UTC), datetime(2026, 4, 8, 20, tzinfo=UTC)
    outcome = stats(filled, StatsInput(namespace=HERE, panel="stale-rate", since=noon, until=evening))
    assert [row[0] for row in outcome.rows] == ["2026-04-08"]
    assert (outcome.since, outcome.until) == (datetime(2026, 4, 8, tzinfo=UTC), datetime(2026, 4, 9, tzinfo=UTC))
    with pytest.raises(InputError, match="since is not before until"):
        stats(filled, StatsInput(namespace=HERE, panel="tokens", since=evening, until=datetime(2026, 4, 1, tzinfo=UTC)))


@pytest.mark.parametrize("until", ["0001-01-01T00:00:00Z", "9999-12-31T12:00:00Z"])
def test_an_end_at_the_edge_of_the_calendar_is_refused_with_what_to_do(filled: App, until: str) -> None:
    asked = StatsInput.model_validate({"namespace": HERE, "panel": "tokens", "until": until})
    with pytest.raises(InputError, match=r"until expects a time after 0001-01-01 .* got") as caught:
        stats(filled, asked)
    assert "leave it out" in caught.value.next_step


def test_a_range_up_to_the_last_day_of_the_calendar_counts_every_day(filled: App) -> None:
    last = datetime(9999, 12, 31, tzinfo=UTC)
    outcome = stats(filled, StatsInput(namespace=HERE, panel="tokens", until=last))
    assert (outcome.totals, outcome.until) == (stats(filled, StatsInput(namespace=HERE, panel="tokens")).totals, last)


def test_a_panel_says_by_what_it_can_be_summed(filled: App) -> None:
    with pytest.raises(InputError, match='by expects one of memory for never-cited; got "agent"'):
        stats(filled, StatsInput(namespace=HERE, panel="never-cited", by="agent"))


def test_what_was_put_away_or_forgotten_is_no_candidate_for_it(filled: App) -> None:
    asked = StatsInput(namespace=HERE, panel="never-cited")
    before = stats(filled, asked)
    first, second = (str(row[0]) for row in before.rows)
    ARCHIVE(Call.over(filled), memory_id=first)
    assert [row[0] for row in stats(filled, asked).rows] == [second]
    FORGET(Call.over(filled), memory_ids=(second,), preview=False)
    after = stats(filled, asked)
    assert (after.rows, after.totals) == ((), before.totals)


def test_what_was_only_complained_of_was_never_worked_with(filled: App) -> None:
    assert isinstance(filled.history, LocalHistory)
    asked = StatsInput(namespace=HERE, panel="never-cited")
    before = stats(filled, asked).rows
    for number, (kind, left) in enumerate([("bad", before), ("used", before[1:])]):
        row = CitationRow(str(before[0][0]), kind, f"rec_{1:016x}{number:016x}", "late", None, BEGIN)
        filled.history.citations.put(HERE, f"cit_{number}", row)
        assert stats(filled, asked).rows == left


def test_of_many_memories_the_first_are_shown(filled: App) -> None:
    whole, first = (stats(filled, StatsInput(namespace=HERE, panel="top-cited", limit=limit)) for limit in (100, 3))
    assert first.rows == whole.rows[:3]
    assert first.totals == whole.totals
    assert "there are more: a higher limit shows them" in first.notes


def test_forgetting_a_memory_leaves_the_sums_and_no_word(filled: App) -> None:
    call = Call.over(filled)
    kept = REMEMBER(call, content="Zanzibar is the name of the harbour project").memory.id
    found = RECALL(call, query="what does Zanzibar name?")
    CITE(call, memory_id=kept, kind="used", notes="Zanzibar it is", recall_id=found.recall_id)
    before = [stats(filled, StatsInput(namespace=HERE, panel=name)).totals for name in PANELS]
    FORGET(call, memory_ids=(kept,), preview=False)
    assert [stats(filled, StatsInput(namespace=HERE, panel=name)).totals for name in PANELS] == before
    for file in filled.settings.home.glob("history.db*"):
        assert b"anzibar" not in file.read_bytes()


@pytest.mark.parametrize(
    ("panel", "rate", "part", "whole"),
    [
        ("hit-rate", "hitRate", "hits", "gave"),
        ("agents", "hitRate", "hits", "gave"),
        ("stale-rate", "staleRate", "stale", "served"),
    ],
)
def test_a_rate_is_the_share_that_its_columns_make(
    filled: App, panel: PanelName, rate: str, part: str, whole: str
) -> None:
    told = stats(filled, StatsInput(namespace=HERE, panel=panel))
    for row in (*told.rows, told.totals):
        value: dict[str, Any] = {each.name: of for each, of in zip(told.columns, row, strict=True)}
        assert value[rate] == (round(value[part] / value[whole], 4) if value[whole] else None)
        assert value[part] <= value[whole]
    assert 0 < value[rate] < 1
