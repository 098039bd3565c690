"""A home with memories of all kinds in, what its pages of memories show and do out, beside what operations answer."""

import re
from html import unescape
from urllib.parse import quote

import pytest

from kits.browser import Browser, Visitor, needs_chromium
from kits.serving import Served
from pellucid.surfaces.dashboard.view import ROOT

HERE = f"{ROOT}/local/default"
PAGES = f"{HERE}/memories"
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=https://elsewhere.example/x.png onerror=alert(1)>",
    "[click](javascript:alert(1)) and ![look](https://elsewhere.example/x.png)",
    "</textarea><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "<https://elsewhere.example/><iframe src=//elsewhere.example></iframe>",
    "' onmouseover='alert(1)",
)


def kept(server: Served, content: str, **fields: object) -> str:
    answer = server.post("/v1/memories", {"content": content, **fields})
    assert answer.status == 200, answer.text
    return answer.json["memory"]["id"]


def text_of(page: str) -> str:
    """The words of a page."""
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", page).split()))


@pytest.fixture(scope="module")
def story(server: Served) -> dict[str, str]:
    """A memory that was reworded, one that was quarantined, and recalls of both kinds of answer."""
    old = kept(server, "The harbour crane lifts forty tonnes", entityRef="crane", tags=["harbour"])
    new = server.ask("PATCH", f"/v1/memories/{old}", {"content": "The harbour crane lifts fifty tonnes"})
    newer = new.json["memory"]["id"]
    asked = server.post("/v1/recall", {"query": "how much does the harbour crane lift?"}).json
    assert newer in [each["memory"]["id"] for each in asked["memories"]]
    cited = {"memoryId": newer, "recallId": asked["recallId"], "kind": "used", "notes": "chose the right hook"}
    assert server.post("/v1/citations", cited).status == 200
    return {"old": old, "new": newer, "recall": asked["recallId"]}


# --- the list ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "filters",
    [
        "q=TTL",
        "tag=harbour",
        "entity=crane",
        "status=superseded",
        "category=fact",
        "q=nothing+at+all",
        "since=2999-01-01",
    ],
)
def test_a_list_shows_what_the_operation_answers_to_the_same_filters(
    server: Served, visitor: Visitor, story: dict[str, str], filters: str
) -> None:
    asked = filters.replace("q=", "contains=").replace("entity=", "entityRef=")
    told = server.get(f"/v1/memories?limit=30&{asked}").json
    page = visitor.get(f"{PAGES}?{filters}")
    assert page.status == 200
    ids = re.findall(r'class="words" href="[^"]*/memories/(mem_[0-9a-f]+)"', page.text)
    assert ids == [each["memory"]["id"] for each in told["memories"]]
    assert f"{told['total']} memor" in text_of(page.text)
    if not ids:
        assert "Nothing fits" in page.text


def test_pages_of_a_list_hold_each_memory_once(server: Served, visitor: Visitor) -> None:
    for number in range(33):
        kept(server, f"Berth {number} of pier nine takes ships of {number + 20} metres")
    shown, path = list[str](), f"{PAGES}?q=pier+nine"
    while path:
        page = visitor.get(path).text
        shown += re.findall(r'class="words" href="[^"]*/memories/(mem_[0-9a-f]+)"', page)
        more = re.search(r'<a rel="next" href="([^"]+)"', page)
        path = unescape(more[1]) if more else ""
    assert len(shown) == len(set(shown)) == 33


def test_a_question_is_answered_as_an_agents_and_leads_to_its_explanation(server: Served, visitor: Visitor) -> None:
    page = visitor.get(f"{PAGES}?how=question&q={quote('when does the replica lag alarm fire?')}").text
    newest = server.get("/v1/snapshots?limit=1").json["recalls"][0]
    assert f"{HERE}/recalls/{newest['recallId']}" in page
    assert f"{newest['served']} answer this" in text_of(page)
    assert "The replica lag alarm fires at 200 ms" in text_of(page)


def test_a_list_of_the_past_holds_what_could_answer_then(
    server: Served, visitor: Visitor, story: dict[str, str]
) -> None:
    then = server.get(f"/v1/memories/{story['old']}").json["memory"]["created"]
    page = visitor.get(f"{PAGES}?q=harbour+crane&asOf={then}").text
    assert story["old"] in page
    assert story["new"] not in page


# --- one memory -------------------------------------------------------------------------------------------------------


def test_a_memory_tells_its_words_its_versions_who_recalled_it_and_what_came_of_it(
    server: Served, visitor: Visitor, story: dict[str, str]
) -> None:
    page = visitor.get(f"{PAGES}/{story['new']}").text
    words, told = text_of(page), server.get(f"/v1/memories/{story['new']}/recalls").json
    assert "<h1>The harbour crane lifts fifty tonnes</h1>" in page
    assert f"{PAGES}/{story['old']}" in page
    assert f"{told['total']} recall" in words
    for each in told["recalls"]:
        assert f"{HERE}/recalls/{each['recall']['recallId']}" in page
        assert each["recall"]["query"] in words
    assert "chose the right hook" in words
    assert "A newer one stands in its place" in visitor.get(f"{PAGES}/{story['old']}").text


def test_a_memory_stands_on_a_timeline_as_it_did_at_any_instant(
    server: Served, visitor: Visitor, story: dict[str, str]
) -> None:
    then = server.get(f"/v1/memories/{story['old']}").json["memory"]["created"]
    page = visitor.get(f"{PAGES}/{story['new']}?at={quote(then)}").text
    held = server.get(f"/v1/history/{story['new']}?asOf={quote(then)}").json["held"]
    assert held["memoryId"] == story["old"]
    assert "It said: The harbour crane lifts forty tonnes" in text_of(page)
    assert page.count('class="span ') == 2
    assert 'class="asked"' in page
    assert "No version of it held then" in visitor.get(f"{PAGES}/{story['new']}?at=2001-01-01").text
    assert visitor.get(f"{PAGES}/{story['new']}?at=yesterday").status == 400


def test_what_a_person_does_to_a_memory_is_done_said_and_taken_back(server: Served, visitor: Visitor) -> None:
    crane = kept(server, "The quay lamps burn until six")
    page = f"{PAGES}/{crane}"

    def now() -> tuple[str, str, bool]:
        memory = server.get(f"/v1/memories/{crane}").json["memory"]
        return memory["status"], memory["trustZone"], memory["pinned"]

    before = now()
    for row, given, after in (
        ("memory.archive", {"memoryId": crane}, ("archived", "trusted", False)),
        ("memory.retract", {"memoryId": crane}, ("retracted", "trusted", False)),
        ("memory.dispute", {"memoryId": crane}, ("disputed", "trusted", False)),
        ("memory.pin", {"memoryId": crane, "pinned": "true"}, ("active", "trusted", True)),
        ("trust.quarantine", {"memoryIds": crane}, ("active", "quarantine", False)),
    ):
        assert f"{HERE}/do/{row}" in visitor.get(page).text
        assert visitor.send(f"{HERE}/do/{row}", next=page, **given).headers["location"] == page
        assert now() == after
        said = visitor.get(page).text
        operation = re.search(r'name="target" value="(op_[0-9a-f]+)"', said)
        assert operation
        assert "back: the button below" in said
        visitor.send(f"{HERE}/do/change.undo", next=page, target=operation[1])
        assert now() == before
        visitor.get(page)


def test_new_words_lead_to_the_memory_that_has_them(server: Served, visitor: Visitor) -> None:
    old = kept(server, "The pilot boat leaves at four", tags=["boats", "mornings"])
    form = {"memoryId": old, "content": "The pilot boat leaves at five", "next": f"{PAGES}/{{memoryId}}"}
    where = visitor.send(f"{HERE}/do/memory.update", **form).headers["location"]
    assert where.startswith(f"{PAGES}/mem_")
    assert not where.endswith(old)
    assert "<h1>The pilot boat leaves at five</h1>" in visitor.get(where).text


def test_a_text_of_several_lines_keeps_them_where_it_is_edited_and_where_it_is_told(
    server: Served, visitor: Visitor
) -> None:
    words = "The lock keeper says:\n\n- open at six\n- shut at ten"
    page = visitor.get(f"{PAGES}/{kept(server, words)}").text
    assert (
        unescape(page.partition('<textarea id="content"')[2].partition(">\n")[2].partition("</textarea>")[0]) == words
    )
    shown = visitor.send(f"{HERE}/do/memory.forget", memoryIds=kept(server, "The tide table hangs in the hall")).text
    assert "1 would be forgotten:\n" in shown


def test_what_was_forgotten_says_only_that_it_was(server: Served, visitor: Visitor) -> None:
    gone = kept(server, "The zeppelin hangar is behind the chapel")
    visitor.send(f"{HERE}/do/memory.forget", memoryIds=gone, preview="false")
    page = visitor.get(f"{PAGES}/{gone}")
    assert page.status == 200
    assert "It was forgotten on" in page.text
    visitor.get(f"{PAGES}/{gone}")
    assert "zeppelin" not in visitor.get(f"{PAGES}/{gone}").text
    assert visitor.get(f"{PAGES}/mem_{'0' * 32}").status == 404


# --- texts of others --------------------------------------------------------------------------------------------------


@needs_chromium
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_and_never_run(server: Served, browser: Browser, text: str) -> None:
    memory = kept(server, f"The pier says {text}", tags=[f"tag {text}"], entityRef=f"thing {text}")
    found = quote(text, safe="")
    for path in (
        f"{PAGES}/{memory}",
        f"{PAGES}?q={found}",
        f"{PAGES}?tag=tag+{found}",
        f"{PAGES}?entity=thing+{found}",
        f"{PAGES}?how=question&q={found}",
    ):
        assert browser.go(path).status == 200
        assert (
            browser.page.evaluate("document.querySelectorAll('iframe, object, embed, main img, main script').length")
            == 0
        )
    assert not browser.wrong
    assert not browser.elsewhere


# --- in a browser -----------------------------------------------------------------------------------------------------


@needs_chromium
def test_words_are_looked_for_while_they_are_typed(browser: Browser, story: dict[str, str]) -> None:
    browser.go(PAGES)
    browser.page.fill("#q", "harbour crane")
    browser.page.wait_for_url("**q=harbour**")
    browser.page.wait_for_function("document.querySelectorAll('#found .words').length === 1")
    assert "fifty tonnes" in browser.page.inner_text("#found")
    assert not browser.wrong


@needs_chromium
def test_the_slider_goes_through_time_and_a_button_does_without_script(browser: Browser, story: dict[str, str]) -> None:
    browser.go(f"{PAGES}/{story['new']}")
    browser.page.focus("#at")
    browser.page.keyboard.press("Home")
    browser.page.wait_for_selector("#then .card")
    assert "forty tonnes" in browser.page.inner_text("#then")
    with browser.beside(script=False) as plain:
        plain.go(f"{PAGES}/{story['new']}")
        plain.page.focus("#at")
        plain.page.keyboard.press("Home")
        plain.page.click("text=Show >> nth=0")
        plain.page.wait_for_selector("#then:has-text('forty tonnes')")


@needs_chromium
def test_a_picture_of_what_hangs_together_comes_nearer_and_is_whole_again(server: Served, browser: Browser) -> None:
    kept(server, "SPEC-901 depends on SPEC-902", entityRef="SPEC-901")
    memory = kept(server, "Nobody may edit SPEC-901 without SPEC-902", entityRef="SPEC-901")
    browser.go(f"{PAGES}/{memory}")
    box = "document.querySelector('[data-pan] svg').getAttribute('viewBox')"
    whole = browser.page.evaluate(box)
    browser.page.click("[aria-label=Nearer]")
    assert browser.page.evaluate(box) != whole
    browser.page.click("[aria-label='The whole picture']")
    browser.page.keyboard.press("ArrowLeft")
    assert browser.page.evaluate(box) != whole
    browser.page.click("[aria-label='The whole picture']")
    again = [float(each) for each in browser.page.evaluate(box).split()]
    assert again == pytest.approx([float(each) for each in whole.split()], abs=1e-3)
    browser.page.click("text=The same as a list")
    assert "SPEC-902" in browser.page.locator("details:has-text('The same as a list') table").last.inner_text()
    assert not browser.wrong


@needs_chromium
@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 360)])
def test_pages_of_memories_can_be_used_by_everybody(
    browser: Browser, story: dict[str, str], dark: bool, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with browser.beside(dark=dark, width=width) as one:
        for path in (PAGES, f"{PAGES}?how=question&q=crane", f"{PAGES}/{story['new']}?at=2026-01-01", f"{HERE}/review"):
            one.go(path)
            found = axe.run(one.page).response["violations"]
            assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
            assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not one.wrong
