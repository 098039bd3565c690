"""A home in which much is to be looked at in, the queue of it and what its buttons do out."""

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import urlencode

import pytest

from kits.browser import Browser, Visitor, needs_chromium
from kits.intake import HERE, session, take
from kits.serving import Served
from pellucid.app import open_app
from pellucid.settings import Settings
from pellucid.surfaces.dashboard.view import ROOT

PLACES = iter(f"team/queue{number}" for number in range(100))


class Queue:
    """The queue of a project of its own, as a visitor without a screen sees it."""

    def __init__(self, server: Served, visitor: Visitor) -> None:
        self.server, self.visitor, self.place = server, visitor, next(PLACES)
        self.path = f"{ROOT}/{self.place}/review"

    def keep(self, content: str, zone: str = "quarantine") -> str:
        """A memory in quarantine, or one in force."""
        made = self.server.post(f"/v1/memories?namespace={self.place}", {"content": content}).json["memory"]["id"]
        if zone == "quarantine":
            self.server.post(f"/v1/trust/quarantine?namespace={self.place}", {"memoryIds": [made]})
        return made

    def do(self, name: str, *chosen: str, **fields: str) -> str:
        """Press a button with these chosen; the page that follows."""
        words = [("csrf", self.visitor.csrf), ("next", self.path), *(("chosen", each) for each in chosen)]
        body = urlencode([*words, *fields.items()]).encode()
        kind = "application/x-www-form-urlencoded"
        where = f"{ROOT}/{self.place}/do/{name}"
        done = self.visitor.ask("POST", where, body, Content_Type=kind)
        return self.visitor.get(done.headers["location"]).text if done.status == 303 else done.text

    def undo(self, page: str) -> str:
        """Press the Undo of a page."""
        body = urlencode(
            [("csrf", self.visitor.csrf), ("next", self.path), *(("target", each) for each in self.back(page))]
        )
        where = f"{ROOT}/{self.place}/do/change.undo"
        self.visitor.ask("POST", where, body.encode(), Content_Type="application/x-www-form-urlencoded")
        return self.visitor.get(self.path).text

    def back(self, page: str) -> list[str]:
        return re.findall(r'name="target" value="(op_[0-9a-f]+)"', page)

    def shown(self, page: str = "") -> list[str]:
        """The memories on a page of the queue, in their order."""
        return re.findall(r'<li id="(mem_[0-9a-f]+)"', page or self.visitor.get(self.path).text)

    def now(self, memory: str) -> tuple[str, str]:
        found = self.server.get(f"/v1/memories/{memory}?namespace={self.place}").json["memory"]
        return found["status"], found["trustZone"]


@pytest.fixture
def queue(server: Served, visitor: Visitor) -> Queue:
    return Queue(server, visitor)


def test_a_queue_shows_what_the_operation_answers_and_why(queue: Queue) -> None:
    queue.keep("The crane lifts forty tonnes")
    queue.keep("The gate closes at ten", "trusted")
    told = queue.server.get(f"/v1/review?namespace={queue.place}").json
    page = queue.visitor.get(queue.path).text
    assert queue.shown(page) == [each["memory"]["id"] for each in told["items"]]
    for each in told["items"]:
        assert each["memory"]["content"] in unescape(page)
        assert all(reason["text"] in unescape(page) for reason in each["reasons"])
    assert f"quarantined {told['counts']['quarantined']}" in page


def test_a_queue_without_anything_says_so(queue: Queue) -> None:
    queue.keep("The gate closes at ten", "trusted")
    assert "Nothing waits for you" in queue.visitor.get(queue.path).text


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("trust.promote", ("active", "working")),
        ("memory.archive", ("archived", "quarantine")),
        ("memory.retract", ("retracted", "quarantine")),
    ],
)
def test_several_are_done_at_once_and_taken_back_at_once(queue: Queue, name: str, after: tuple[str, str]) -> None:
    kept = [queue.keep(f"The {thing} is painted green") for thing in ("crane", "gate", "pier")]
    page = queue.do(name, *kept[:2])
    assert [queue.now(each) for each in kept] == [after, after, ("active", "quarantine")]
    assert queue.shown(page) == [kept[2]]
    assert len(queue.back(page)) == 2
    assert sorted(queue.shown(queue.undo(page))) == sorted(kept)
    assert {queue.now(each) for each in kept} == {("active", "quarantine")}


def test_what_cannot_be_done_with_one_is_done_with_the_others_and_said(queue: Queue) -> None:
    crane, gate = queue.keep("The crane is painted green"), queue.keep("The gate is painted red")
    queue.do("memory.archive", gate)
    page = queue.do("trust.promote", crane, gate)
    assert queue.now(crane) == ("active", "working")
    assert f"not done: {gate} is archived" in page


def test_what_is_forgotten_together_is_shown_together_first(queue: Queue) -> None:
    kept = [queue.keep(f"The {thing} is painted green") for thing in ("crane", "gate")]
    page = queue.do("memory.forget", *kept)
    assert "2 would be forgotten" in page
    assert re.findall(r'name="memoryIds" value="(mem_[0-9a-f]+)"', page) == kept
    assert queue.shown() == kept[::-1]


def test_nothing_chosen_changes_nothing(queue: Queue) -> None:
    crane = queue.keep("The crane is painted green")
    assert "memoryId" in queue.do("trust.promote")
    assert queue.now(crane) == ("active", "quarantine")


def test_the_next_one_stands_where_the_one_before_did(queue: Queue) -> None:
    kept = [queue.keep(f"The {thing} is painted green") for thing in ("crane", "gate", "pier")][::-1]
    page = queue.visitor.get(queue.path).text
    assert (
        unescape(page).count(f'value="{queue.path}#{kept[1]}"')
        == unescape(page).count(f'name="chosen" value="{kept[0]}"') - 1
    )


def test_who_may_only_read_is_offered_nothing_to_do(server: Served, queue: Queue) -> None:
    from pellucid.operations.admin.tokens import CreateTokenInput, create_token

    crane = queue.keep("The crane is painted green")
    with closing(open_app(Settings(home=server.home))) as app:
        token = create_token(app, CreateTokenInput(name=queue.place.replace("/", "-"), grants=(f"{queue.place}:read",)))
    reader = Visitor(server, token.token)
    page = reader.get(queue.path).text
    assert crane in page
    assert "/do/" not in page
    memory = reader.get(f"{ROOT}/{queue.place}/memories/{crane}").text
    assert "/do/" not in memory
    assert reader.send(f"{ROOT}/{queue.place}/do/trust.promote", memoryId=crane).status == 403


@needs_chromium
def test_of_old_sessions_only_what_a_recall_gives_is_asked_about_and_the_rest_is_counted(
    server: Served, browser: Browser
) -> None:
    said = ("We decided that the gate is painted green.", "We decided to keep the ledger of the port in SQLite.")
    with closing(open_app(Settings(home=server.home))) as app:
        take(app, session(*said, start=datetime.now(UTC) - timedelta(days=400)), "both")
    page, path = browser.page, f"{ROOT}/{HERE}/review"
    browser.go(path)
    assert "2 more are stale, but no recall gave them in the last" in page.inner_text("main")
    assert page.locator(".queue > li").count() == 0
    page.click("text=Look at them now")
    page.wait_for_selector("text=Only what recalls still give")
    assert page.locator(".queue > li").count() == 2
    page.click("text=Only what recalls still give")
    server.post(f"/v1/recall?namespace={HERE}", {"query": "which colour is the gate painted?", "topK": 1})
    browser.go(path)
    assert "gate is painted green" in page.inner_text(".queue")
    assert "nobody stood behind it for 399 days" in page.inner_text(".queue")
    assert "1 more is stale" in page.inner_text("main")
    page.get_by_role("button", name=re.compile("Reverify")).first.click()
    page.wait_for_selector(".said")
    assert page.locator(".queue > li").count() == 0
    assert not browser.wrong


@needs_chromium
def test_a_queue_is_worked_off_with_a_keyboard_and_without_script(browser: Browser, queue: Queue) -> None:
    kept = [
        queue.keep(f"The {thing} says <img src=x onerror=alert(1)> {{{{7*7}}}}") for thing in ("crane", "gate", "pier")
    ]
    with browser.beside(script=False) as plain:
        plain.go(queue.path)
        for box in plain.page.locator("input[type=checkbox]").all()[:2]:
            box.focus()
            plain.page.keyboard.press("Space")
        plain.page.locator(".several button", has_text="Promote").focus()
        plain.page.keyboard.press("Enter")
        plain.page.wait_for_selector(".said")
        assert plain.page.url.endswith("/review")
        assert plain.page.locator(".queue > li").count() == 1
        assert "promoted" in plain.page.inner_text(".said")
        plain.page.click(".said button")
        plain.page.wait_for_selector(".said:has-text('undone')")
        assert plain.page.locator(".queue > li").count() == 3
        assert not plain.wrong
        assert not plain.elsewhere
    browser.go(queue.path)
    browser.page.locator(".queue button", has_text="Archive").first.click()
    browser.page.wait_for_selector(".said")
    assert queue.now(kept[2]) == ("archived", "quarantine")
    assert not browser.wrong
    assert not browser.elsewhere
