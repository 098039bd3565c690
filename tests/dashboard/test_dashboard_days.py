"""Sessions, episodes and documents in a home, their pages out: what an operation answers is what is seen."""

import html
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from kits.browser import Visitor, browsing, needs_chromium
from kits.intake import HERE, START, session, take
from kits.serving import Served, served
from kits.vault import a_memory
from pellucid.app import App, open_app
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.recall.recalling import recall
from pellucid.operations.recall.request import RecallInput
from pellucid.settings import Settings
from pellucid.surfaces.dashboard.charts.calendar import DayCell, calendar
from pellucid.surfaces.dashboard.conversation import Mark, highlighted, marks_of

UI = f"/ui/{HERE}"
LEFT = "The build of the harbour page failed again this morning."
KEPT = "We decided to use SQLite for the ledger."
LONG = "a-long-one"
BAD = (
    "<script>alert(1)</script>",
    "<img src=https://elsewhere.example/x.png onerror=alert(2)>",
    "[press here](javascript:alert(3)) and ![seen](https://elsewhere.example/y.png)",
    "</textarea></title><svg onload=alert(4)>",
    "{{ 7*191 }} {% raw %} \" onmouseover=alert(5) x='",
)
BAD_SESSION = "<script>alert(6)</script>/agent 7?x#y%2e"


def _fill(app: App, folder: Path) -> None:
    take(app, session(KEPT, LEFT, ("assistant", "Ana owns billing. Shall I write that down?")), "both")
    take(
        app,
        session(
            *(f"We decided that port {number} is the door of service {number}." for number in range(130)), name=LONG
        ),
        "both",
    )
    evil = session(
        *(f"We decided that {each} is the name of cache {at}." for at, each in enumerate(BAD)), name=BAD_SESSION
    )
    take(app, [*evil, *session(*(f"The build {each} failed this morning." for each in BAD), name="evil-2")], "both")
    for query in (*BAD, "what is the ledger kept in?"):
        given = recall(app, RecallInput(namespace=HERE, query=query, session_id="s1"))
    memory = next(each.memory.id for each in given.memories if "SQLite" in each.memory.content)
    cite(app, CiteInput(namespace=HERE, memory_id=memory, kind="used", session_id="s1", notes=BAD[1]))
    for status in ("Draft", "Final"):
        head = f'---\nspec_id: SPEC-054\nstatus: {status}\nnote: "<b onclick=alert(8)>"\n---\n\n'
        text = f"{head}# Port {BAD[0]}\n\n## {BAD[1]}\n\nAs {status}.\n"
        (folder / "port.md").write_text(text, "utf-8")
        index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Served]:
    folder, home = tmp_path_factory.mktemp("spec"), tmp_path_factory.mktemp("days") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        with closing(open_app(Settings(home=home))) as app:
            _fill(app, folder)
        with served(Settings(home=home)) as one:
            yield one


def text_of(page: str) -> str:
    """What a page says, its marks left away."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def paths(server: Served) -> list[str]:
    """Every kind of page of ours, with the strangest of each."""
    episodes = server.get(f"/v1/episodes?namespace={HERE}").json["episodes"]
    documents = server.get(f"/v1/documents?namespace={HERE}").json["documents"]
    return [
        UI,
        f"{UI}?day={START:%Y-%m-%d}",
        *(f"{UI}/sessions/{quote(name)}" for name in ("s1", BAD_SESSION, "evil-2")),
        f"{UI}/sessions/{LONG}?part=1",
        *(f"{UI}/episodes/{each['episode']['id']}" for each in episodes if each["episode"]["sessionId"] != LONG),
        f"{UI}/documents",
        f"{UI}/documents/{documents[0]['id']}",
        f"{UI}/health",
        "/ui/no/such",
    ]


def test_the_home_of_a_project_tells_each_session_as_a_brief_does(server: Served, visitor: Visitor) -> None:
    told = server.get(f"/v1/brief?namespace={HERE}&sessions=20&budget=100000").json
    page = text_of(visitor.get(UI).text)
    for each in told["sessions"]:
        for line in (each.get("asked"), *each["done"], *each["decided"], *each["leftOpen"]):
            assert line is None or " ".join(line["text"].split())[:60] in page
        assert f"{each['memories']:,} memor" in page
    for day in told["days"]:
        words = f"{day['day']}: {day['sessions']} session"
        assert words in html.unescape(visitor.get(UI).text)


def test_a_day_that_is_none_and_one_without_a_session_are_answered(visitor: Visitor) -> None:
    assert visitor.get(f"{UI}?day=yesterday").status == 400
    for day in ("2026-99-99", "1999-01-01"):
        answer = visitor.get(f"{UI}?day={day}")
        assert answer.status == 200
        assert "No session of that day" in answer.text


def test_a_project_without_anything_says_what_to_do(visitor: Visitor) -> None:
    assert "pellucid import" in visitor.get("/ui/empty/one").text
    assert "pellucid index docs" in visitor.get("/ui/empty/one/documents").text
    assert visitor.get("/ui/empty/one/sessions/none").status == 404


def test_a_session_shows_what_came_of_it_what_was_left_out_and_what_it_recalled(
    server: Served, visitor: Visitor
) -> None:
    answer = visitor.get(f"{UI}/sessions/s1")
    page = text_of(answer.text)
    told = server.get(f"/v1/sessions/s1?namespace={HERE}").json
    for each in told["leftOut"]:
        assert each["said"] in page
        assert f"Left out, because {each['reason']}" in page
    kept = server.get(f"/v1/memories?namespace={HERE}&sessionId=s1").json["memories"]
    assert kept
    for each in kept:
        assert each["memory"]["content"] in page
        assert f"{UI}/memories/{each['memory']['id']}" in answer.text
    for each in server.get(f"/v1/snapshots?namespace={HERE}&sessionId=s1").json["recalls"]:
        assert f"{UI}/recalls/{each['recallId']}" in answer.text
    assert "what is the ledger kept in?" in page
    assert "used" in page


def test_what_was_said_is_read_in_its_turns_with_what_was_kept_and_left_out_marked(visitor: Visitor) -> None:
    page = visitor.get(f"{UI}/sessions/s1").text
    said = page.partition('id="said"')[2]
    assert [int(each) for each in re.findall(r'id="turn-(\d+)"', said)] == [1, 2, 3]
    marks = re.findall(r'<mark class="(\w+)"[^>]*>(.*?)</mark>', said.partition("<ol")[2])
    assert ("left", LEFT) in marks
    assert "SQLite" in next(words for kind, words in marks if kind == "kept")
    assert "Agent" in text_of(said)


def test_a_long_conversation_is_cut_and_each_turn_is_linked_where_it_stands(visitor: Visitor) -> None:
    first = visitor.get(f"{UI}/sessions/{LONG}").text
    links = set(re.findall(r'href="([^"]*)#turn-(\d+)"', first.partition('id="said"')[0]))
    assert {int(number) for _, number in links} == set(range(1, 131))
    for path, number in (each for each in links if int(each[1]) in (1, 60, 61, 130)):
        assert f'id="turn-{number}"' in visitor.get(path).text


def test_a_statement_that_was_left_out_is_kept_by_one_press(server: Served, visitor: Visitor) -> None:
    done = visitor.send(f"{UI}/do/memory.remember", content=LEFT, next=f"{UI}/sessions/s1")
    assert done.headers["location"] == f"{UI}/sessions/s1"
    assert LEFT in server.get(f"/v1/memories?namespace={HERE}&contains=harbour").text


def test_a_document_shows_every_version_of_its_header_and_what_stood_in_it(server: Served, visitor: Visitor) -> None:
    (row,) = server.get(f"/v1/documents?namespace={HERE}").json["documents"]
    shown = server.get(f"/v1/documents/{row['id']}?namespace={HERE}").json
    page = text_of(visitor.get(f"{UI}/documents/{row['id']}").text)
    for version in shown["versions"]:
        assert f"status {version['values']['status']}" in page
    for each in (*shown["sections"], *shown["closed"]):
        assert " ".join(each["excerpt"].split()) in page
    assert row["path"] in text_of(visitor.get(f"{UI}/documents").text)


def test_who_may_only_read_is_offered_nothing_that_changes(server: Served) -> None:
    token = server.post("/v1/tokens", {"name": "reader", "grants": [f"{HERE}:read"]}).json["token"]
    looker = Visitor(server, token)
    for path in paths(server)[:-1]:
        page = looker.get(path)
        assert page.status == 200
        assert "/do/" not in page.text
    server.ask("DELETE", "/v1/tokens/reader")


@needs_chromium
@pytest.mark.parametrize("script", [True, False])
def test_texts_of_others_do_nothing_on_any_page(server: Served, script: bool) -> None:
    with browsing(server, script=script) as browser:
        for path in paths(server):
            browser.go(path)
            assert "36481" not in browser.page.inner_text("body")
            assert not browser.page.query_selector_all("main :is(script, img, iframe, [onerror], [onclick], [onload])")
            assert not [
                each
                for each in browser.page.query_selector_all("a")
                if (each.get_attribute("href") or "").startswith("j")
            ]
        problems = [each for each in browser.wrong if "404" not in each]
        assert not problems
        assert not browser.elsewhere
        assert BAD[0] in (browser.go(f"{UI}/sessions/{quote(BAD_SESSION)}") and browser.page.inner_text("body"))


@needs_chromium
@pytest.mark.parametrize("kind", [{}, {"dark": True}, {"width": 360}], ids=["light", "dark", "narrow"])
def test_every_page_can_be_read_by_everybody(server: Served, kind: dict[str, int]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with browsing(server, **kind) as browser:  # pyright: ignore[reportArgumentType]
        for path in paths(server):
            browser.go(path)
            found = Axe().run(browser.page).response["violations"]
            assert not [(path, each["id"], each["nodes"][0]["html"]) for each in found]
            assert browser.page.evaluate("document.documentElement.scrollWidth") <= browser.page.viewport_size["width"]


@needs_chromium
def test_a_day_is_reached_from_the_calendar_by_keyboard(server: Served) -> None:
    with browsing(server) as browser:
        browser.go(UI)
        browser.page.focus("svg.calendar a")
        browser.page.keyboard.press("Enter")
        browser.page.wait_for_url("**day=*")
        assert browser.page.inner_text("h1") == f"What was done on {START:%Y-%m-%d}"


def test_a_calendar_has_a_link_for_each_day_of_its_last_year() -> None:
    last = date(2026, 3, 1)
    days = [
        DayCell(last - timedelta(days=ago), 1 + ago % 3, f"day {ago}", f"/ui/d?x={ago}&y") for ago in (800, 30, 1, 0)
    ]
    drawn = calendar(days, last)
    assert re.findall(r'href="/ui/d\?x=(\d+)&amp;y"', drawn) == ["30", "1", "0"]
    assert drawn.count("chosen") == 1
    assert f'aria-label="3 days from {last - timedelta(days=30)} to {last}"' in drawn, "of those drawn"
    busy_once = [DayCell(days[0].day, 900, "long ago", "/"), *days[1:]]
    assert calendar(busy_once, last) == drawn, "what is not drawn darkens nothing"
    assert not calendar([])


@pytest.mark.parametrize(
    ("text", "sentence", "shown"),
    [
        ("a  b\nc.", "b c.", 'a  <mark class="left" title="Left out: why">b\nc.</mark>'),
        ("<b>", "<b>", '<mark class="left" title="Left out: why">&lt;b&gt;</mark>'),
        ("(a.b)", "a.b", '(<mark class="left" title="Left out: why">a.b</mark>)'),
        ("aXb", "a.b", "aXb"),
        ("none", "", "none"),
    ],
)
def test_a_sentence_is_marked_where_it_stands_whatever_blanks_are_in_it(text: str, sentence: str, shown: str) -> None:
    assert highlighted(text, [Mark(sentence, False, "why")])[0] == shown


def test_marks_never_stand_in_one_another() -> None:
    drawn, found = highlighted("one two three", [Mark("one two", True, "x"), Mark("two three", True, "y")])
    assert drawn.count("<mark") == len(found) == 1


def test_a_long_piece_of_evidence_is_marked_in_its_first_64_turns() -> None:
    marks = marks_of([a_memory(1, "The crane lifts.", evidence=("one:3-1000", "two:7-8"))], (), str)
    assert [turn for turn in range(2000) if marks(turn)] == list(range(3, 67))
    assert len(marks(7)) == 2
