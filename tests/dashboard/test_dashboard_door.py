"""Who may look: a link works once, a cookie is sent to us alone, a form is one of our own pages'."""

import re
from contextlib import closing

import pytest

from kits.browser import Browser, Visitor, link, needs_chromium
from kits.serving import Served
from pellucid.app import open_app
from pellucid.operations.admin.tokens import CreateTokenInput, TokenInput, create_token, revoke_token
from pellucid.settings import Settings

HOME = "local/default"


def test_a_link_lets_one_browser_in_once(server: Served) -> None:
    path = link(server).partition(str(server.port))[2]
    first = server.get(path, token=None)
    assert first.status == 303
    cookie = first.headers["set-cookie"]
    assert all(said in cookie for said in ("HttpOnly", "SameSite=Strict", "Path=/"))
    again = server.get(path, token=None)
    assert again.status == 401
    assert "was used already" in again.text
    assert "set-cookie" not in again.headers


def test_nobody_who_was_not_let_in_sees_a_page(server: Served) -> None:
    for path in ("/ui/", f"/ui/{HOME}", f"/ui/{HOME}/nowhere"):
        answer = server.get(path, token=None)
        assert answer.status == 401
        assert "cache TTL" not in answer.text
        assert server.get(path, token=None, Cookie="pellucid=guessed").status == 401
    assert server.ask("POST", "/ui/link", {}, token=None).status == 401
    assert server.get("/", token=None).headers["location"] == "/ui/"


def test_a_token_lets_in_and_its_end_ends_the_visit(server: Served) -> None:
    with closing(open_app(Settings(home=server.home))) as app:
        token = create_token(app, CreateTokenInput(name="looker", grants=(f"{HOME}:read",))).token
    visitor = Visitor(server, token)
    assert HOME in visitor.get("/ui/").text
    assert visitor.get("/ui/other/place").status == 404
    refused = visitor.send(f"/ui/{HOME}/do/memory.remember", content="Bo owns billing")
    assert refused.status == 403
    with closing(open_app(Settings(home=server.home))) as app:
        revoke_token(app, TokenInput(name="looker"))
    assert visitor.get("/ui/").status == 401


def test_a_form_that_no_page_of_ours_made_is_refused(server: Served, visitor: Visitor) -> None:
    where = f"/ui/{HOME}/do/memory.remember"
    for csrf in ("", "guessed"):
        assert visitor.send(where, csrf=csrf, content="Bo owns billing").status == 403
    assert visitor.ask("POST", where, b"content=Bo", Origin="https://elsewhere.example").status == 403
    assert visitor.get("/ui/", Sec_Fetch_Site="cross-site").status == 403
    assert "Bo owns" not in server.get("/v1/memories?contains=Bo").text


def test_a_form_runs_an_operation_and_comes_back_to_our_page_alone(server: Served, visitor: Visitor) -> None:
    done = visitor.send(f"/ui/{HOME}/do/memory.remember", content="Cy owns search", next=f"/ui/{HOME}")
    assert (done.status, done.headers["location"]) == (303, f"/ui/{HOME}")
    assert "Cy owns search" in server.get("/v1/memories?contains=Cy").text
    for elsewhere in ("https://elsewhere.example/", "//elsewhere.example/ui/", "/v1/memories", "javascript:x"):
        done = visitor.send(f"/ui/{HOME}/do/memory.remember", content="Di owns mail", next=elsewhere)
        assert done.headers["location"] == "/ui/"


@pytest.mark.parametrize("place", ["{a}/b", "%7Ba%7D/b", "a/{0}", "..%2f../x", "a b/c"])
def test_a_place_of_any_name_is_looked_for_by_that_name(visitor: Visitor, place: str) -> None:
    for page in ("", "/memories", "/recalls", "/memories/{x}"):
        answer = visitor.get(f"/ui/{place.replace(' ', '%20')}{page}")
        assert answer.status in (200, 400, 404)
        assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("name", ["memory.nothing", "memory.doctor", ""])
def test_what_is_no_operation_is_not_there(visitor: Visitor, name: str) -> None:
    assert visitor.send(f"/ui/{HOME}/do/{name}").status == 404


@pytest.mark.parametrize("path", ["/ui/x", "/ui/one/more/than/do/memory.pin", f"/ui/x/{HOME}/do/memory.pin"])
def test_a_form_that_is_sent_elsewhere_finds_nothing(visitor: Visitor, path: str) -> None:
    assert visitor.send(path).status == 404


@needs_chromium
@pytest.mark.parametrize("broken", ["_show_page", "_run_form"])
def test_a_fault_of_ours_is_a_page_in_words_that_leads_back(
    browser: Browser, broken: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("secret words of a memory")

    browser.go(f"/ui/{HOME}/memories")
    with monkeypatch.context() as patch:
        patch.setattr(f"pellucid.surfaces.dashboard.service.{broken}", fails)
        if broken == "_run_form":
            browser.page.evaluate("document.querySelector('form.leave').action = '/ui/local/default/do/change.undo'")
            browser.page.click("form.leave button")
        else:
            browser.go(f"/ui/{HOME}/review")
    told, log = browser.page.inner_text("main"), capfd.readouterr().err
    assert "That did not work" in told
    assert "not foreseen" in told
    assert "secret words" not in log + browser.page.content()
    assert re.search(r"number (\w{16})", told)[1] in log  # type: ignore[index]
    browser.page.click(f"text=Back to {HOME}")
    browser.page.wait_for_url(f"**/ui/{HOME}")
    browser.wrong.clear()


def test_a_page_of_what_went_wrong_leads_only_to_places_that_are_some(visitor: Visitor) -> None:
    for answer in (visitor.get("/ui/static/nothing"), visitor.get("/ui/other"), visitor.send("/ui/do/nothing")):
        assert answer.status == 404
        assert "All projects" in answer.text
        assert "Back to" not in answer.text


def test_what_erases_is_shown_before_it_is_done(server: Served, visitor: Visitor) -> None:
    kept = server.post("/v1/memories", {"content": "The staging password rotates weekly"}).json["memory"]["id"]
    shown = visitor.send(f"/ui/{HOME}/do/memory.forget", memoryIds=kept)
    assert shown.status == 200
    assert 'name="preview" value="false"' in shown.text
    assert server.get(f"/v1/memories/{kept}").status == 200
    assert visitor.send(f"/ui/{HOME}/do/memory.forget", memoryIds=kept, preview="false").status == 303
    assert server.get(f"/v1/memories/{kept}").status == 404


def test_every_answer_forbids_what_is_not_ours(visitor: Visitor) -> None:
    for path in ("/ui/", "/ui/nobody/nowhere/at/all"):
        policy = visitor.get(path).headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


@needs_chromium
def test_a_browser_finds_its_way_in_and_out(browser: Browser) -> None:
    browser.enter()
    assert browser.page.title() == "Projects · Pellucid"
    browser.go("/favicon.ico")
    browser.go("/ui/")
    assert browser.page.evaluate("typeof htmx") == "object"
    assert not browser.wrong
    assert not browser.elsewhere
