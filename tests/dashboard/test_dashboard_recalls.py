"""The recalls pages: what they show is what the operations answer, and what is done on them is done."""

import json
import re
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from kits.browser import Browser, Visitor, needs_chromium
from kits.serving import Served, served
from pellucid.app import open_app
from pellucid.deadline import Deadline
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import DeadlineError
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput
from pellucid.settings import Settings
from pellucid.store.history.citations_port import CitationRow

HOME = "local/default"
UI = f"/ui/{HOME}/recalls"
HOSTILE = (
    "<script>alert('s')</script> the crane <img src=x onerror=alert(1)>",
    "the crane [click](javascript:alert(2)) ![i](https://elsewhere.example/i.png)",
    "</textarea></pre></script><svg onload=alert(3)> the crane",
    'the crane {{ 7*7 }} {% raw %} ${7*7} "onfocus=alert(4) autofocus x="',
    "the crane \u202egnp.exe\u0007",
)


@pytest.fixture(scope="module")
def asked(server: Served) -> dict[str, Any]:
    """A recall of an agent, in a session, that turns some away."""
    for number in range(20):
        server.post("/v1/memories", {"content": f"Release {number} of the gateway went out on day {number}"})
    answer = server.post(
        "/v1/recall",
        {"query": "when did release 7 of the gateway go out?", "agent": "ada", "sessionId": "s1", "topK": 5},
    )
    return answer.json


def words(page: str) -> str:
    """What a person reads of a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_recalls_are_listed_and_found_by_how_they_went(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    gated = server.post("/v1/recall", {"query": "thanks!"}).json["recallId"]
    listed = server.get("/v1/snapshots?limit=50").json["recalls"]
    assert re.findall(r'href="[^"]*/recalls/(rec_\w+)"', visitor.get(UI).text) == [each["recallId"] for each in listed]
    for query, found in (
        ("q=GATEWAY+go&session=s1", [asked["recallId"]]),
        ("agent=ada", [asked["recallId"]]),
        ("session=s1", [asked["recallId"]]),
        ("outcome=gated", [gated]),
        ("degraded=yes", []),
        ("q=nowhere", []),
    ):
        text = visitor.get(f"{UI}?{query}").text
        listed = re.findall(r'href="[^"]*/recalls/(rec_\w+)"', text)
        assert [each for each in listed if each in (asked["recallId"], gated)] == found
        assert ("No recall fits" in text) == (not listed)
    assert visitor.get(f"{UI}?class=nothing").status == 400
    assert "Nothing was recalled yet" in visitor.get("/ui/other/place/recalls").text


def test_a_recall_shows_what_its_xray_says(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    recall_id = asked["recallId"]
    xray = server.get(f"/v1/snapshots/{recall_id}?turnedAway=1000").json["snapshot"]
    page = visitor.get(f"{UI}/{recall_id}").text
    read = words(page)
    assert f"<h1>{asked['query']}</h1>" in page
    for result in xray["results"]:
        assert result["why"] in read
        assert xray["words"][result["memoryId"]] in read
    for each in xray["rejected"]:
        assert f"/memories/{each['memoryId']}" in page
        assert xray["words"][each["memoryId"]] in read
    assert len(xray["rejected"]) == xray["rejectedTotal"] > 5
    for rung in xray["filters"]:
        assert f"{rung['name']} {rung['admitted']} of {rung['considered']} passed" in read
    assert [float(each) for each in re.findall(r"from [\d.]+ ms on, for ([\d.]+) ms", page)[::2]] == [
        round(stage["ms"], 1) for stage in xray["stages"]
    ]
    given = re.search(r'aria-label="The context">(.*?)</pre>', page, re.DOTALL)
    assert given is not None
    assert unescape(given[1]) == asked["context"]
    assert "as it was given" in read
    assert f"the same first {len(xray['results'])} of" in read


def test_the_terms_of_a_page_add_up_to_its_scores(visitor: Visitor, asked: dict[str, Any]) -> None:
    tables = re.findall(r'<table class="sum">.*?</table>', visitor.get(f"{UI}/{asked['recallId']}").text, re.DOTALL)
    assert len(tables) == len(asked["memories"])
    for table, memory in zip(tables, asked["memories"], strict=True):
        *rows, final = re.findall(r'scope="row">([^<]*).*?class="number">(-?[\d.]+)<', table, re.DOTALL)
        total = sum(-float(worth) if name.strip() == "mmr_penalty" else float(worth) for name, worth in rows)
        assert total == pytest.approx(float(final[1]), abs=0.001)
        assert float(final[1]) == pytest.approx(memory["final"], abs=0.0001)


def test_a_term_has_the_name_by_which_its_part_is_left_out(
    server: Served, visitor: Visitor, asked: dict[str, Any]
) -> None:
    page = visitor.get(f"{UI}/{asked['recallId']}").text
    tables = re.findall(r'<table class="sum">.*?</table>', page, re.DOTALL)
    named = {name.strip() for table in tables for name in re.findall(r'<tr><th scope="row">([^<]*)', table)}
    assert "lexical" in named
    assert named - {"final"} <= set(re.findall(r'name="without-(\w+)"', page))
    other = server.post("/v1/recall", {"query": asked["query"], "without": ["rerank", "lexical"], "topK": 5}).json
    plain = server.post("/v1/recall", {"query": asked["query"], "without": ["rerank"], "topK": 5}).json
    beside = words(visitor.get(f"{UI}/{plain['recallId']}/diff/{other['recallId']}").text)
    assert "most by lexical (-" in beside
    assert "bm25" not in beside


def test_parts_are_left_out_as_the_receipt_says(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    recall_id = asked["recallId"]
    found = server.get(f"/v1/snapshots/{recall_id}/ablate?without=lexical&without=rerank").json
    page = visitor.get(f"{UI}/{recall_id}?without-lexical=yes&without-rerank=yes").text
    assert 'name="without-lexical" value="yes" checked' in page
    part = page.partition("<h4>Without lexical, rerank</h4>")[2].partition("</section>")[0]
    shown = part.partition("<details>")[0]
    (effect,) = found["effects"]
    assert shown.count("would leave") == len(effect.get("left", ()))
    assert shown.count("would enter") == len(effect.get("entered", ()))
    for move in effect.get("moved", ()):
        assert f"#{move['before']} → #{move['after']}" in shown
    changed = (
        *effect.get("entered", ()),
        *effect.get("left", ()),
        *(each["memoryId"] for each in effect.get("moved", ())),
    )
    assert changed
    assert all(found["words"][each] in words(shown) for each in changed)
    assert visitor.get(f"{UI}/{recall_id}?without-moon=yes").status == 400


def test_the_why_box_takes_an_id_or_any_words(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    recall_id = asked["recallId"]
    rejected = server.get(f"/v1/snapshots/{recall_id}").json["snapshot"]["rejected"][0]["memoryId"]
    told = server.post("/v1/why", {"memory": rejected, "recallId": recall_id}).json["sentence"]
    page = visitor.get(f"{UI}/{recall_id}?why={rejected}")
    assert re.sub(r"mem_\w{22}(\w{10})", r"…\1", told) in words(page.text)
    nobody = visitor.get(f"{UI}/{recall_id}?why=mem_{'0' * 32}")
    assert (nobody.status, 'role="alert"' in nobody.text) == (200, True)


def test_a_question_is_asked_on_the_page_and_explained(server: Served, visitor: Visitor) -> None:
    assert 'name="next" value="/ui/local/default/recalls/{recallId}"' in visitor.get(UI).text
    done = visitor.send(f"/ui/{HOME}/do/recall.ask", query="who owns billing?", next=f"{UI}/{{recallId}}", topK="1")
    assert done.status == 303
    newest = server.get("/v1/snapshots?limit=1").json["recalls"][0]
    assert done.headers["location"] == f"{UI}/{newest['recallId']}"
    assert (newest["surface"], newest["query"]) == ("page", "who owns billing?")
    page = visitor.get(done.headers["location"]).text
    assert "Ana owns billing" in page
    assert 'class="said"' not in page


def test_a_result_is_cited_and_a_recall_is_kept(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    recall_id, memory_id = asked["recallId"], asked["memories"][0]["memory"]["id"]
    where = f"/ui/{HOME}/do/memory.cite"
    assert (
        visitor.send(where, memoryId=memory_id, recallId=recall_id, kind="used", next=f"{UI}/{recall_id}").status == 303
    )
    assert memory_id[-10:] in words(visitor.get(f"{UI}/{recall_id}").text)
    again = server.post("/v1/citations", {"memoryId": memory_id, "recallId": recall_id, "kind": "used"}).json
    assert again["isNew"] is False
    assert visitor.send(f"/ui/{HOME}/do/recall.pin", recallId=recall_id, pinned="true").status == 303
    assert ">pinned<" in visitor.get(f"{UI}/{recall_id}").text


@needs_chromium
def test_beside_each_result_stands_what_was_cited_of_it_by_whom_and_by_what_sign(
    server: Served, browser: Browser, asked: dict[str, Any]
) -> None:
    given = server.post("/v1/recall", {"query": asked["query"], "sessionId": "cited-1", "topK": 3}).json
    first, second, third = (each["memory"]["id"] for each in given["memories"])
    recall_id = given["recallId"]
    said = {"recallId": recall_id, "sessionId": "cited-1", "agent": "bo"}
    for memory, kind, notes in ((second, "used", "it told the day"), (third, "flagged_stale", "")):
        server.post("/v1/citations", {**said, "memoryId": memory, "kind": kind, "notes": notes})
    with closing(open_app(Settings(home=server.home))) as app:
        seen = CitationRow(second, "cited", recall_id, "cited-1", "ada", 1, "went out on day", "automatic", "quoted")
        app.citations.put(HOME, app.clock.new_id("cit"), seen)  # by its id the upkeep tells how old it is
    judged = server.post(f"/v1/snapshots/{recall_id}/feedback", {"verdict": "good", "comment": "well found"})
    assert judged.status == 200
    browser.go(f"{UI}/{recall_id}")
    card = browser.page.locator
    assert card(f"#{first} .cited").count() == 0
    seen, used = card(f"#{second} .cited").all_inner_texts()
    assert seen.startswith("cited")
    assert "seen: quoted, by ada" in seen
    assert "“went out on day”" in seen
    assert "said by bo" in used
    assert "it told the day" in used
    assert card(f"#{third} .cited .chip.bad").inner_text() == "flagged stale"
    assert "well found" in card("main > .cited").inner_text()
    told = server.get(f"/v1/snapshots/{recall_id}/event").json
    assert [len(each.get("citations", ())) for each in told["memories"]] == [0, 2, 1]


@needs_chromium
def test_a_recall_that_failed_has_a_page_of_what_was_asked_what_went_wrong_and_what_next(
    server: Served, browser: Browser
) -> None:
    question = "which crane <img src=x onerror=alert(1)> lifts most?"
    with closing(open_app(Settings(home=server.home))) as app:
        late = replace(app, deadline=Deadline(0.0))
        with pytest.raises(DeadlineError):
            recall(late, RecallInput(query=question, namespace=HOME, agent="bo", session_id="late"))
    browser.go(f"{UI}?outcome=failed")
    assert browser.page.locator("#found li").count() == 1
    browser.page.click("#found h2 a")
    browser.page.wait_for_url("**/recalls/**")
    told = browser.page.inner_text("main")
    for words in (question, "failed", "agent bo", "session late", "its time was over", "deadline_over", "doctor"):
        assert words in told
    browser.page.get_by_role("button", name="Ask, and explain").click()
    browser.page.locator("#results .hit").first.wait_for()
    assert browser.page.inner_text("h1") == question
    assert not browser.wrong


def test_two_recalls_stand_side_by_side(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    other = server.post("/v1/recall", {"query": asked["query"], "without": ["lexical"], "topK": 3}).json["recallId"]
    found = server.get(f"/v1/snapshots/{asked['recallId']}/diff/{other}").json
    page = visitor.get(f"{UI}/{asked['recallId']}/diff/{other}").text
    assert page.count('<span class="chip warn">only here</span>') == len(found["left"]) + len(found.get("entered", ()))
    assert f"{len(found.get('entered', ()))} only in B, {len(found['left'])} only in A" in words(page)
    assert "without: none → lexical" in words(page)
    sides, _, apart = page.partition("<section><h2>")
    shown = server.get(f"/v1/snapshots/{asked['recallId']}").json["snapshot"]
    assert shown["results"]
    assert all(shown["words"][each["memoryId"]] in words(sides) for each in shown["results"])
    assert all(found["words"][each["memoryId"]] in words(apart) for each in found["left"])


def test_where_a_recall_had_no_room_or_is_asked_again_memories_are_told_by_their_words(
    server: Served, visitor: Visitor
) -> None:
    for number in range(6):
        server.post("/v1/memories", {"content": f"The ferry of berth {number} leaves when the bell rings"})
    query = "when does the ferry of a berth leave?"
    made = server.post("/v1/recall", {"query": query, "budget": 200}).json
    tight = server.get(f"/v1/snapshots/{made['recallId']}").json["snapshot"]
    left = visitor.get(f"{UI}/{made['recallId']}").text.partition("<h3>Left out</h3>")[2].partition("</section>")[0]
    assert tight["context"]["omitted"]
    assert all(tight["words"][each["memoryId"]] in words(left) for each in tight["context"]["omitted"])
    before = server.post("/v1/recall", {"query": query, "topK": 2}).json
    gone = before["memories"][0]["memory"]["id"]
    assert server.post(f"/v1/memories/{gone}/archive").status == 200
    live = server.get(f"/v1/snapshots/{before['recallId']}/replay?live=true").json
    shifted = [each["memoryId"] for name in ("entered", "left") for each in live["live"]["difference"][name]]
    assert gone in shifted
    assert len(shifted) == 2
    again = visitor.get(f"{UI}/{before['recallId']}?live=yes").text.partition("Asked again today: not the same.")[2]
    given = words(f"<p>{again.partition('would be given')[2].partition('</section>')[0]}")
    assert all(live["words"][each] in given for each in shifted)


def test_the_json_of_a_recall_is_what_a_program_gets(server: Served, visitor: Visitor, asked: dict[str, Any]) -> None:
    page = visitor.get(f"{UI}/{asked['recallId']}/json").text
    told = re.search(r'aria-label="JSON">(.*?)</pre>', page, re.DOTALL)
    assert told is not None
    assert json.loads(unescape(told[1])) == server.get(f"/v1/snapshots/{asked['recallId']}").json


def test_who_may_only_read_is_offered_nothing_else(server: Served, asked: dict[str, Any]) -> None:
    from pellucid.operations.admin.tokens import CreateTokenInput, create_token

    with closing(open_app(Settings(home=server.home))) as app:
        token = create_token(app, CreateTokenInput(name="reader", grants=(f"{HOME}:read",))).token
    page = Visitor(server, token).get(f"{UI}/{asked['recallId']}").text
    assert "do/recall.ask" in page
    assert "do/memory.cite" not in page
    assert "do/recall.pin" not in page
    assert Visitor(server).get(f"/ui/other/place/recalls/{asked['recallId']}").status == 404


@pytest.fixture(scope="module")
def seen(server: Served, browser: Browser, asked: dict[str, Any]) -> tuple[Browser, list[str]]:
    """A browser, and every page of recalls, of hostile texts too."""
    for text in HOSTILE:
        server.post("/v1/memories", {"content": text, "tags": ["x"]})
    hostile = server.post("/v1/recall", {"query": HOSTILE[0], "agent": HOSTILE[2], "sessionId": HOSTILE[3]}).json
    second = server.post("/v1/recall", {"query": HOSTILE[4], "agent": HOSTILE[1]}).json
    first, other = hostile["recallId"], second["recallId"]
    return (
        browser,
        [
            UI,
            f"{UI}?q=%3Cscript%3Ealert(5)%3C/script%3E&agent=%22onfocus=alert(6)",
            f"{UI}/{first}?align=yes&live=yes&without-vector=yes&why=the+crane",
            f"{UI}/{other}?why=%3Cimg+src=x+onerror=alert(7)%3E",
            f"{UI}/{first}/diff/{other}",
            f"{UI}/{first}/json",
            f"{UI}/{asked['recallId']}?why={asked['memories'][0]['memory']['id']}",
        ],
    )


@needs_chromium
def test_texts_of_others_do_nothing_on_any_page(seen: tuple[Browser, list[str]]) -> None:
    browser, paths = seen
    for path in paths:
        assert browser.go(path).status == 200
        for opened in browser.page.locator("details:not([open]) > summary").all():
            if opened.is_visible():
                opened.click()
    assert browser.page.locator("main img, main script:not([src]), main [onerror], main [onload]").count() == 0
    assert "49" not in (browser.page.text_content("h1") or "")
    assert not browser.wrong
    assert not browser.elsewhere


@needs_chromium
@pytest.mark.parametrize("how", [{}, {"dark": True}, {"width": 360}], ids=["light", "dark", "narrow"])
def test_the_pages_are_accessible_and_fit(seen: tuple[Browser, list[str]], how: dict[str, Any]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with seen[0].beside(**how) as browser:
        for path in seen[1]:
            browser.go(path)
            found = Axe().run(browser.page).response["violations"]
            assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
            assert browser.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


@needs_chromium
def test_without_scripts_everything_is_done_by_forms(browser: Browser, asked: dict[str, Any]) -> None:
    from playwright.sync_api import expect  # waits for the page that a form leads to

    with browser.beside(script=False) as plain:
        page = plain.page
        plain.go(UI)
        page.get_by_label("A question to memory").fill("what is the cache TTL?")
        page.get_by_role("button", name="Ask, and explain").click()
        expect(page.locator("h1")).to_have_text("what is the cache TTL?")
        page.get_by_role("checkbox", name="lexical").check()
        page.get_by_role("button", name="Work it out").click()
        expect(page.get_by_role("heading", name="Without lexical")).to_be_visible()
        page.get_by_label("A memory's id, or any words").fill("Ana owns billing")
        page.get_by_role("button", name="Explain", exact=True).click()
        expect(page.locator("#why .card")).to_be_visible()
        page.get_by_role("button", name="Used: result 1", exact=True).click()
        expect(page.locator(".said")).to_be_visible()
        plain.go(UI)
        page.get_by_label("Agent").fill("ada")
        page.get_by_role("button", name="Filter").click()
        expect(page.locator("#found li")).to_have_count(1)
        expect(page.locator("#found h2 a")).to_have_text(asked["query"])


@needs_chromium
def test_with_scripts_the_list_follows_what_is_typed(browser: Browser, asked: dict[str, Any]) -> None:
    browser.go(UI)
    browser.page.get_by_label("Words of the question").press_sequentially("release 7")
    browser.page.wait_for_url("**q=release*7**")
    assert browser.page.locator("#found h2 a").all_inner_texts()[-1] == asked["query"]
    browser.go(f"{UI}/{asked['recallId']}/json")
    browser.page.get_by_role("button", name="Copy").click()
    browser.page.get_by_role("button", name=re.compile("Copied|Selected")).wait_for()
    assert not browser.wrong


def test_a_recall_of_which_only_results_are_kept_shows_those(
    tmp_path: Path, minilm: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    with served(Settings(home=tmp_path / "home")) as server:
        server.post("/v1/memories", {"content": "Ana owns billing"})
        given = server.post("/v1/recall", {"query": "who owns billing?"}).json
        with closing(open_app(Settings(home=server.home))) as app:
            assert app.history.receipt(given["recallId"], app.settings.namespace)  # it is written behind the answer
            app.history.prune(1 << 60, 0)
        page = Visitor(server).get(f"{UI}/{given['recallId']}")
    assert page.status == 200
    assert "Its receipt is too old" in page.text
    assert "Ana owns billing" in words(page.text)
    for each in given["memories"]:
        assert f"/memories/{each['memory']['id']}" in page.text
