"""How a home is in, the page of its health out: the doctor's answer, who may ask, and what is set."""

import html
import re
from contextlib import closing

from kits.browser import Browser, Visitor, needs_chromium
from kits.live_sessions import see, turn
from kits.serving import Served
from pellucid.app import open_app
from pellucid.settings import Settings

HEALTH = "/ui/local/default/health"


def test_health_says_what_the_doctor_says(server: Served, visitor: Visitor) -> None:
    told, page = server.get("/v1/doctor").json, html.unescape(visitor.get(HEALTH).text)
    assert told["healthy"] == ("Everything is in order" in page)
    assert f"{told['memories']} in {told['files']} files" in page
    for each in told["findings"]:
        assert each["problem"] in page
        assert each["nextStep"] in page
    for place in (name for name in told["pulse"]["disk"] if name != "free"):
        assert f"<code>{place}</code>" in page
    receipts = next(each for each in server.get("/v1/settings").json["settings"] if each["name"] == "history.receipts")
    assert f"{told['receipts']:,} of {int(receipts['value']):,}" in page


def test_a_problem_is_told_with_what_to_do(server: Served, visitor: Visitor) -> None:
    broken = server.home / "vault" / "local" / "default" / "facts" / "broken.md"
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_text("---\nid: <script>alert(1)</script>\n---\n", "utf-8")
    try:
        told, page = server.get("/v1/doctor").json, html.unescape(visitor.get(HEALTH).text)
        assert told["findings"]
        assert told["findings"][0]["problem"] in page
    finally:
        broken.unlink()


def test_every_setting_in_force_is_shown_with_where_it_was_set(server: Served, visitor: Visitor) -> None:
    page = html.unescape(visitor.get(HEALTH).text)
    for each in server.get("/v1/settings").json["settings"]:
        assert f"<code>{each['name']}</code>" in page
        assert f"<code>{each['value']}</code>" in page


def test_a_token_is_made_and_shown_once_turned_and_ended(server: Served, visitor: Visitor) -> None:
    visitor.send("/ui/local/default/do/token.create", name="kiosk", grants="local/default:read", next=HEALTH)
    first = _token(visitor.get(HEALTH).text)
    assert first not in visitor.get(HEALTH).text
    assert server.get("/v1/memories?namespace=local/default", token=first).status == 200
    visitor.send("/ui/local/default/do/token.rotate", name="kiosk", next=HEALTH)
    second = _token(visitor.get(HEALTH).text)
    assert server.get("/v1/memories?namespace=local/default", token=first).status == 401
    looker = Visitor(server, second)
    shown = looker.get(HEALTH)
    assert "is shown to those who may administer it everywhere" in shown.text
    assert str(server.home) not in shown.text
    assert "kiosk" not in shown.text
    assert looker.send("/ui/local/default/do/token.create", name="more", grants="*:admin").status == 403
    visitor.send("/ui/local/default/do/token.revoke", name="kiosk", next=HEALTH)
    assert server.get("/v1/memories?namespace=local/default", token=second).status == 401


def test_turns_that_wait_are_shown_and_made_memories_by_one_press(server: Served, visitor: Visitor) -> None:
    with closing(open_app(Settings(home=server.home))) as app:
        see(app, turn("The gate of the north pier listens on port 8443.", session="a/b"))
    elsewhere = "/ui/other/place/health"
    assert "/ui/local/default/sessions/a/b" in visitor.get(elsewhere).text
    done = visitor.send("/ui/local/default/do/session.checkpoint", sessionId="a/b", next=f"{elsewhere}#waiting")
    assert done.headers["location"] == f"{elsewhere}#waiting"
    assert "port 8443" in server.get("/v1/memories").text
    assert "/ui/local/default/sessions/a/b" not in visitor.get(elsewhere).text


@needs_chromium
def test_a_person_makes_a_token_on_the_page(browser: Browser) -> None:
    browser.go(HEALTH)
    browser.page.fill("#token-name", "by-hand")
    browser.page.click("text=Make a token")
    browser.page.wait_for_selector(".said:has-text('pel_')")
    assert _token(browser.page.content())
    browser.page.click("[aria-label='End the token of by-hand']")
    browser.page.wait_for_selector(".said:has-text('has ended')")
    assert not browser.wrong


def _token(page: str) -> str:
    found = re.search(r"pel_\w+", page)
    assert found
    return found[0]
