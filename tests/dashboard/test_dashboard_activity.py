"""Panels of a seeded month: none is empty, the page says what the operation says, and anybody can read it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest

from kits.browser import Browser, Visitor, browsing, needs_chromium
from kits.serving import Served, served
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.operations.telemetry.panels import PANELS
from pellucid.settings import Settings
from pellucid.surfaces.cli.month import NAMESPACE, run_month
from pellucid.surfaces.dashboard.charts.bars import format_amount

HERE = f"/ui/{NAMESPACE}/activity"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        settings = Settings(home=tmp_path_factory.mktemp("month") / "home")
        run_month(settings, lambda _said: None)
        with served(settings) as one:
            yield one


def told(server: Served, panel: str, **query: str) -> dict[str, Any]:
    words = "&".join(f"{name}={value}" for name, value in query.items())
    return server.get(f"/v1/stats/{panel}?namespace={NAMESPACE}&{words}").json


@pytest.mark.parametrize("panel", PANELS)
def test_no_panel_of_the_month_is_empty_and_the_page_says_what_the_operation_says(server: Served, panel: str) -> None:
    found = told(server, panel)
    page = Visitor(server).get(f"{HERE}/{panel}?days=").text
    assert found["rows"]
    assert any(value for value in found["totals"][1:])
    cells = re.findall(r'<td class="number">([^<]*)</td>', page)
    units = [column["unit"] for column in found["columns"]][1:]
    rows = [format_amount(value, unit) for row in found["rows"] for value, unit in zip(row[1:], units, strict=True)]
    assert cells[: len(rows)] == rows
    assert all(note.replace("'", "&#39;") in page for note in found["notes"])


@pytest.mark.parametrize("days", ["", "7"])
def test_the_question_is_answered_first_by_the_sums_of_the_panels(server: Served, days: str) -> None:
    page = " ".join(unescape(re.sub(r"<[^>]+>", " ", Visitor(server).get(f"{HERE}?days={days}").text)).split())
    since = {"since": f"{datetime.now(UTC) - timedelta(days=int(days)):%Y-%m-%d}"} if days else {}
    sums = dict[str, Any]()
    for panel in ("hit-rate", "tokens"):
        found = told(server, panel, **since)
        sums |= {each["name"]: value for each, value in zip(found["columns"], found["totals"], strict=True)}
    balance = sums["saved"] - sums["loaded"]
    assert balance == sums["balance"]
    assert ("Not by what is known:" in page) == (balance < 0)
    assert f"loaded {sums['loaded']:,} tokens, and {sums['spared']:,} times somebody said" in page
    assert f"{abs(balance):,} more {'loaded than saved' if balance < 0 else 'saved than loaded'}" in page
    assert f"Of {sums['gave']:,} recalls that gave something, {sums['hits']:,} gave" in page


@pytest.mark.parametrize("by", ["agent", "day", "class", "leg"])
def test_a_panel_is_summed_by_what_is_asked(server: Served, by: str) -> None:
    page = Visitor(server).get(f"{HERE}/hit-rate?days=&by={by}").text
    assert f'aria-current="true">by {by}<' in page
    for row in told(server, "hit-rate", by=by)["rows"]:
        assert row[0] is None or str(row[0]) in page  # None: recalls of no agent, which other tests may ask


def test_what_cannot_be_asked_is_said_on_a_page(server: Served) -> None:
    visitor = Visitor(server)
    for path in (f"{HERE}/nothing", f"{HERE}/never-cited?by=agent"):
        answer = visitor.get(path)
        assert answer.status == 400
        assert answer.headers["content-type"].startswith("text/html")
        assert "expects" in answer.text


def test_a_memory_that_nobody_works_with_is_put_away_from_its_panel(server: Served) -> None:
    visitor, found = Visitor(server), told(server, "never-cited")
    row = next(each for each in found["rows"] if "office" in found["words"][each[0]])  # no section of a document
    assert f'name="memoryId" value="{row[0]}"' in visitor.get(f"{HERE}/never-cited?days=").text
    assert visitor.send(f"/ui/{NAMESPACE}/do/memory.archive", memoryId=row[0], next=HERE).status == 303
    kept = server.get(f"/v1/memories/{row[0]}?namespace={NAMESPACE}").json
    assert kept["memory"]["status"] == "archived"


@needs_chromium
def test_what_can_be_put_away_is_put_away_from_the_panel_and_what_cannot_is_not_offered(server: Served) -> None:
    asked = server.post(f"/v1/recall?namespace={NAMESPACE}", {"query": "how often is the search index rebuilt?"}).json
    rows = told(server, "never-cited")["rows"]
    where = f"/v1/trust/{{}}?namespace={NAMESPACE}"
    kinds = [server.get(where.format(row[0])).json["memory"]["category"] for row in rows]
    assert {"section"} < set(kinds)
    with browsing(server) as browser:
        browser.go(f"{HERE}/never-cited?days=")
        browser.go(f"{HERE}/never-cited?days=")
        assert told(server, "never-cited")["rows"] == rows  # to look at a list is no use of what it names
        given = server.get(f"/v1/snapshots/{asked['recallId']}/event?namespace={NAMESPACE}").json
        assert not any(each.get("citations") for each in given["memories"])
        for kind, row in zip(kinds, browser.page.locator("tbody tr").all(), strict=True):
            assert row.locator("button").count() == (kind != "section")
            assert ("part of a document" in row.inner_text()) == (kind == "section")
        browser.page.locator("tbody button").last.click()
        browser.page.wait_for_selector(".said button")
        assert browser.page.locator("tbody tr").count() == len(rows) - 1
        browser.page.click(".said button")
        browser.page.wait_for_selector(".said:has-text('undone')")
        assert browser.page.locator("tbody tr").count() == len(rows)
        assert not browser.wrong


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
def test_anybody_can_read_the_panels(server: Served, dark: bool) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with browsing(server, dark=dark) as browser:
        for path in (HERE, f"{HERE}/never-cited?days=", f"{HERE}/tokens"):
            browser.go(path)
            found = Axe().run(browser.page).response["violations"]
            assert not [
                (each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")
            ]
        assert not browser.wrong
        assert not browser.elsewhere


@needs_chromium
def test_the_stretch_of_time_is_chosen_without_a_script(server: Served) -> None:
    with browsing(server, script=False) as browser:
        _choose(browser, "7")
        browser.page.wait_for_url("**days=7**")


def _choose(browser: Browser, days: str) -> None:
    browser.go(HERE)
    browser.page.select_option("#days", days)
    browser.page.click("button:has-text('Show')")
