"""The HTML page: the numbers of the other forms, nothing fetched, nothing run, readable by everybody."""

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid.xray
from kits.pages import Node, fields, listed, parsed, terms
from kits.rendering import empty, full, golden, holding, reworded
from pellucid.model.snapshot import ContextTrace, OmittedMemory, RecallXraySnapshot, StageTrace
from pellucid.xray.render.fields import millis
from pellucid.xray.render.formats import render
from pellucid.xray.render.terms import SCORE_KEYS, decimals, term_name
from pellucid.xray.words.rungs import is_idle
from pellucid.xray.words.visible import visible

CSS = (Path(pellucid.xray.__file__).parent / "page.css").read_text("utf-8")
NUMBER = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6)
HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>x</script>",
    "</td></tr></table>",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "&",
    '" onload="x',
    "' style='x",
    "one\ntwo",
    "a\x1b[2Jb",
    "a\x00b",
    "txt.\u202eexe",
    "a\u2066b",
    "a\ud800b",
    "  a  ",
    "javascript:x",
    "{{x}}",
    "<img src=x onerror=x>",
    "שלום",
    "\t",
    " ",
]


def page(snapshot: RecallXraySnapshot | None) -> Node:
    return parsed(render(snapshot, "html"))


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)


def said_in_text(snapshot: RecallXraySnapshot) -> list[dict[str, str]]:
    """The labelled lines of each result in the text form."""
    results = render(snapshot, "text", verbose=True).split("--- results ---")[1].split("\n--- ")[0]
    cards = re.split(r"^\[\d+\] .*$", results, flags=re.MULTILINE)[1:]
    return [dict(re.findall(r"^    ([a-z-]+): (.*)$", card, re.MULTILINE)) for card in cards]


@pytest.mark.requirement("XRAY-2")
def test_text_markdown_json_and_html_show_the_same_numbers() -> None:
    snapshot = full()
    wire: Any = json.loads(render(snapshot, "json"))["snapshot"]
    root = page(snapshot)
    cards = root.all("article")
    text, markdown = said_in_text(snapshot), render(snapshot, "markdown", verbose=True)
    assert len(cards) == len(wire["results"]) == len(text) > 3
    for card, result, lines in zip(cards, wire["results"], text, strict=True):
        expected = {term_name(snake(key)): decimals(value) for key, value in result["scoreDecomposition"].items()}
        assert terms(card) == expected
        score = " ".join(f"{key}={expected[key]}" for key in map(term_name, SCORE_KEYS) if key in expected)
        assert lines.pop("score") == score
        assert f"`{score}`" in markdown
        assert {"why": card.all("p")[0].text, **fields(card)} == lines
        known = wire["words"].get(result["memoryId"], result["memoryId"])
        assert card.one("h3").text.partition("]")[2] == known
    whole = render(snapshot, "text", verbose=True)
    at_work = [each for each in wire["filters"] if each["admitted"] < each["considered"] or each["softAdmitted"]]
    for row, rung in zip(listed(root, "filters-and-cuts"), at_work, strict=True):
        counts = rung["considered"], rung["admitted"], rung["softAdmitted"]
        assert tuple(map(int, (row["Came"], row["Passed"], row["Let pass, but flagged"]))) == counts
        assert f"- {rung['name']}: {rung['admitted']} of {rung['considered']} passed" in whole
        assert "| {} | {} | {} |".format(*counts) in markdown
    legs = sorted(wire["legs"], key=lambda each: each["health"] == "off")
    for row, leg in zip(listed(root, "legs"), legs, strict=True):
        assert (row["Leg"], row["Health"]) == (leg["name"], leg["health"])
        assert (int(row["Found"]), int(row["More that may not answer"])) == (leg["admitted"], leg["open"])
        counted = f", {leg['admitted']} found" if leg["admitted"] else ""
        assert f"- {leg['name']}: {leg['health']}{counted}" in whole
        more = " more" if leg["admitted"] else ""
        why = f": {row['Why not']}" if row["Why not"] else ""
        assert not leg["open"] or f"; {leg['open']}{more} are not allowed to answer{why}\n" in whole
    rejected = sorted(wire["rejected"], key=lambda each: bool(wire["words"]) and each["memoryId"] not in wire["words"])
    for row, lost in zip(listed(root, "rejected"), rejected, strict=True):
        assert (row["Id"], row["Final"]) == (lost["memoryId"], decimals(lost["final"]))
        assert "margin" not in lost or decimals(lost["margin"]) in row["Reason"]
        assert row["Memory"] == wire["words"].get(lost["memoryId"], lost["memoryId"])
        assert f"{lost['rejectedBy']}: {row['Reason']}; final={row['Final']}" in whole
    for row, stage in zip(listed(root, "stages"), wire["stages"], strict=True):
        assert (row["Stage"], row["Milliseconds"]) == (stage["name"], millis(stage["ms"]))
        assert f"{row['Stage']} {row['Milliseconds']} ms" in whole
    used = f"Budget: {wire['budget']['used']} / {wire['budget']['chars']} chars"
    assert used in [each.text for each in root.one("header").all("p")]
    more = wire["rejectedTotal"] - len(wire["rejected"])
    assert root.one("section", id="rejected").one("p").text.startswith(f"{more} more not listed")
    tier = fields(root.one("section", id="direct-answer"))
    assert (tier["candidates-considered"], tier["latency-ms"]) == (
        str(wire["tierExplain"]["candidatesConsidered"]),
        millis(wire["tierExplain"]["latencyMs"]),
    )


@pytest.mark.requirement("XRAY-2")
@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from([key for key in SCORE_KEYS if key != "final"]), NUMBER), NUMBER)
def test_whatever_the_terms_every_form_shows_them_alike(scores: dict[str, float], final: float) -> None:
    snapshot = holding(final=final, scores=scores)
    card = page(snapshot).one("article")
    assert terms(card) == {term_name(key): decimals(value) for key, value in {"final": final, **scores}.items()}
    assert "score" not in fields(card)
    assert f"`{said_in_text(snapshot)[0]['score']}`" in render(snapshot, "markdown", verbose=True)


@cache
def calm() -> tuple[int, Any]:
    quiet = render(reworded(full(), lambda: "x"), "html")
    return len(quiet.splitlines()), parsed(quiet).shape()


def assert_calm(snapshot: RecallXraySnapshot) -> None:
    drawn = render(snapshot, "html")
    assert (len(drawn.splitlines()), parsed(drawn).shape()) == calm()
    assert all(line == visible(line) for line in drawn.split("\n"))
    assert drawn.encode()


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_becomes_no_element_no_attribute_and_no_line(value: str) -> None:
    snapshot = reworded(full(), lambda: value)
    assert_calm(snapshot)
    root = page(snapshot)
    assert root.one("p", class_="query").text == visible(value)
    assert {row["Memory"] for row in listed(root, "rejected")} == {visible(value)}
    assert {card.one("span", dir="auto").text for card in (each.one("h3") for each in root.all("article"))} == {
        visible(value)
    }


@settings(max_examples=150, deadline=None)
@given(st.text(st.one_of(st.sampled_from("<>&\"'/=!-[]\n\r\t\x1b\u202e\u2028 a"), st.characters()), min_size=1))
def test_no_text_at_all_changes_the_page(text: str) -> None:
    assert_calm(reworded(full(), lambda: text))


def test_the_page_holds_no_script_and_fetches_nothing() -> None:
    drawn = render(full(), "html")
    root = parsed(drawn)
    for tag in ("script", "link", "img", "iframe", "object", "embed", "form", "use", "image"):
        assert not root.all(tag), tag
    assert "url(" not in drawn
    assert "@import" not in drawn
    assert all(str(each.attributes["href"]).startswith("#") for each in root.all("a"))
    policies = [each.attributes["content"] for each in root.all("meta") if "http-equiv" in each.attributes]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_the_page_can_be_read_by_ear() -> None:
    root = page(full())
    assert root.one("html").attributes["lang"] == "en"
    assert len(root.all("h1")) == len(root.all("main")) == len(root.all("title")) == 1
    headings = [each.tag for each in headed(root)]
    assert headings[0] == "h1"
    assert all(int(after[1]) - int(before[1]) <= 1 for before, after in pairwise(headings))
    for table in root.all("table"):
        heads = table.all("th")
        assert {head.attributes.get("scope") for head in heads} <= {"row", "col"}
        assert all(len(row.all("th")) == 1 for body in table.all("tbody") for row in body.all("tr"))
    for svg in root.all("svg"):
        assert "aria-hidden" in svg.attributes or svg.attributes["aria-label"]
    anchors = {each.attributes["href"] for each in root.all("a")}
    assert anchors == {f"#{each.attributes['id']}" for each in root.all("section")}


def test_of_a_result_its_words_and_the_reason_stand_first_and_every_number_is_folded_away() -> None:
    snapshot = full()
    cards = page(snapshot).all("article")
    for card, result in zip(cards, snapshot.results, strict=True):
        heading, reason, *others = (each for each in card.children if isinstance(each, Node))
        assert (heading.tag, reason.tag) == ("h3", "p")
        assert result.why
        assert reason.text == result.why
        folded = others.pop()
        assert folded.tag == "details"
        assert "open" not in folded.attributes
        assert folded.one("summary").text.startswith(f"Score {decimals(result.score_decomposition.final)}, ")
        assert terms(folded) == terms(card)
        warned = [row.one("th").text for each in others for row in each.all("tr")]
        assert set(warned) <= {"Ahead", "Safety"}
        assert [each.tag for each in others] == ["svg", *["table"] * bool(warned)]


def headed(node: Node) -> list[Node]:
    out: list[Node] = []
    for each in node.children:
        if isinstance(each, Node):
            out += [each] if re.fullmatch("h[1-6]", each.tag) else headed(each)
    return out


@pytest.mark.parametrize("block", re.findall(r":root \{(.*?)\n *\}", CSS, re.DOTALL), ids=["light", "dark"])
def test_every_ink_is_readable_on_every_ground(block: str) -> None:
    """WCAG 2.2 §1.4.3: a contrast of 4.5 to 1 for text."""
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    for ground in ("ground", "card"):
        for ink in ("ink", "soft", "accent", "good", "bad"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_four_healths_differ_by_word_and_by_sign() -> None:
    signs = {word: re.search(rf"^\.{word}::before {{ content: (.*?);", CSS, re.MULTILINE) for word in HEALTHS}
    assert len({found[1] for found in signs.values() if found}) == len(HEALTHS)
    shown = page(full()).one("section", id="legs").all("span", class_="health")
    assert {(each.text, each.attributes["class"]) for each in shown} == {
        (word, f"health {word}") for word in ("ok", "off", "degraded")
    }


HEALTHS = ("ok", "empty", "degraded", "off")


def rects(card: Node, kind: str) -> list[tuple[float, float]]:
    bar = card.one("svg", class_="score")
    return [(float(str(e.attributes["x"])), float(str(e.attributes["width"]))) for e in bar.all("rect", class_=kind)]


def test_a_bar_is_as_long_as_its_terms_and_the_penalty_is_cut_off_its_end() -> None:
    cards = page(full()).all("article")
    reach = max(sum(width for _, width in rects(card, "term")) for card in cards)
    assert reach == pytest.approx(1000, abs=0.5)
    second = full().results[1].score_decomposition
    wide = [width for _, width in rects(cards[1], "term")]
    summed = second.final + (second.mmr_penalty or 0)
    tallest = full().results[0].score_decomposition.final
    assert sum(wide) == pytest.approx(1000 * summed / tallest, abs=0.5)
    ((at, width),) = rects(cards[1], "taken")
    assert at + width == pytest.approx(sum(wide), abs=0.5)
    assert not rects(cards[0], "taken")
    assert "subtracted" in cards[1].one("ul", class_="terms").text


def test_a_term_below_zero_is_cut_off_the_bar_as_a_penalty_is() -> None:
    card = page(holding(final=0.5, scores={"vector": 1.0, "importance": -0.25, "mmr_penalty": 0.25})).one("article")
    assert rects(card, "term") == [(0.0, 1000.0)]
    assert rects(card, "taken") == [(500.0, 500.0)]
    assert terms(card) == {"final": "0.5000", "vector": "1.0000", "importance": "-0.2500", "mmrPenalty": "0.2500"}
    swatches = [each.one("rect").words("class")[0] for each in card.one("ul", class_="terms").all("svg")]
    assert swatches == ["term", "taken", "taken"]


@pytest.mark.parametrize(
    "scores", [{}, {"vector": 0.0}, {"vector": -1.0}, {"vector": 1e308, "bm25": 1e308}, {"vector": float("nan")}]
)
def test_a_score_that_no_bar_can_show_is_shown_in_numbers(scores: dict[str, float]) -> None:
    card = page(holding(final=1.0, scores=scores)).one("article")
    assert terms(card) == {term_name(key): decimals(value) for key, value in {"final": 1.0, **scores}.items()}
    assert all(0 <= width <= 1000 for _, width in rects(card, "term"))


def test_the_funnel_narrows_as_the_ladder_does() -> None:
    rungs, drawn = full().filters, page(full()).one("section", id="filters-and-cuts")
    for rung, bar in zip([each for each in rungs if not is_idle(each)], drawn.all("svg", class_="thin"), strict=True):
        widths = {e.words("class")[0]: float(str(e.attributes["width"])) for e in bar.all("rect")}
        assert widths["trough"] == 1000
        assert widths["came"] == pytest.approx(1000 * rung.considered / rungs[0].considered, abs=0.05)
        assert widths["passed"] == pytest.approx(1000 * rung.admitted / rungs[0].considered, abs=0.05)
    assert [each.text for each in drawn.all("p")[-1].all("code")] == [each.name for each in rungs if is_idle(each)]


def test_what_found_no_room_is_named_with_its_reason() -> None:
    context = ContextTrace(included=("mem_1",), omitted=(OmittedMemory(memory_id="mem_2", reason="over <2000>"),))
    root = page(empty(context=context))
    assert listed(root, "context") == [{"Memory": "mem_2", "Reason": "over <2000>", "Id": "mem_2"}]
    assert (
        root.one("section", id="context").one("p").text
        == "1 in the context of the 2 that were chosen for it; the others were left out again."
    )


def test_sections_without_content_are_left_out_or_say_so() -> None:
    root = page(empty())
    assert [each.attributes["id"] for each in root.all("section")] == [
        "results",
        "filters-and-cuts",
        "direct-answer",
        "context",
    ]
    assert [each.text for each in root.all("p", class_="none")] == [
        "No results admitted.",
        "No filter traces recorded.",
        "It was not asked whether one memory answers by itself.",
    ]
    assert "No X-ray snapshot captured." in page(golden("null")).text
    assert page(empty(query="")).one("p", class_="query").text == "empty"


def test_a_stage_that_took_no_time_has_an_empty_bar() -> None:
    root = page(empty(stages=(StageTrace(name="plan", ms=0.0),)))
    assert listed(root, "stages") == [{"Stage": "plan", "Milliseconds": "0", "Note": ""}]
