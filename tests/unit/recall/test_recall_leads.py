"""Documents that hang together in, what stands in the context where their edges are asked for out."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from kits.vault import NOON, Opener, a_memory, run
from pellucid.app import App
from pellucid.model.entity import Edge
from pellucid.model.memory import Memory
from pellucid.model.snapshot import RecallXraySnapshot
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.recall.recalling import recall, xray_by_id, xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.recall.why import WhyInput, why
from pellucid.recall.ablate import ablate
from pellucid.recall.context.leads import edge_sentence, paragraphs, shorten_text
from pellucid.recall.receipt.record import pack, unpack
from pellucid.recall.rescore import rescore
from pellucid.recall.score.repeats import AlreadyTold
from pellucid.xray.render.as_text import render_text

HERE = "local/default"
LICENCE = "## Copyright\n\nCopyright and related rights waived via CC0. Nothing else is said here of it.\n"
FILES = {
    "harbour": f"""---
id: SPEC-1
title: The harbour gate
author: Ada, Ben, Cleo and the whole of the harbour office
status: Final
requires: 2, 3
---

## Abstract

Boats wait before the gate until the water is high enough to pass over the sill.

{LICENCE}""",
    "tide": f"""---
id: SPEC-2
title: Tide tables
author: Ada, Ben, Cleo and the whole of the harbour office
status: Draft
---

## Abstract

Tide tables say for each day of the year when the water is highest and lowest.

## Printing

The printer takes blue ink for spring tides, and black ink for neap tides and everything else there is.

{LICENCE}""",
    "lamp": f"""---
id: SPEC-3
title: The lamp
status: superseded
superseded-by: 4
---

## Abstract

Somebody climbs up and lights the lamp with a match at dusk, and puts it out at dawn.

{LICENCE}""",
    "light": f"""---
id: SPEC-4
title: Electric light
status: Final
---

## Abstract

A switch lights the lamp at dusk. Nobody has to climb up any more.

{LICENCE}""",
    "ferry": f"""---
id: SPEC-5
title: Ferry timetable
status: Draft
---

## Abstract

The ferry leaves every hour from the first bridge.

## Depends on

- the gate, SPEC-1: a ferry waits before it
  like any other boat
- nothing else

{LICENCE}""",
}


@pytest.fixture
def harbour(house: Opener, tmp_path: Path) -> App:
    folder = tmp_path / "harbour"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
        written = NOON.timestamp() - 3600
        os.utime(folder / f"{name}.md", (written, written))
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    return app


def lines(app: App, query: str, budget: int = 2_000) -> list[str]:
    return run(app, query, budget=budget).context.text.splitlines()


def test_what_is_required_stands_there_with_title_status_and_first_paragraph_and_the_line_that_says_so(
    harbour: App,
) -> None:
    said = lines(harbour, "what does SPEC-1 require")
    tide = next(at for at, line in enumerate(said) if line.endswith("SPEC-2: Tide tables"))
    assert said[tide + 1 : tide + 3] == [" SPEC-1 depends on SPEC-2", " status: Draft"]
    assert " Tide tables say for each day of the year when the water is highest and lowest." in said[tide:]
    assert said.count(" SPEC-1 › requires: 2, 3") == 1


@pytest.mark.parametrize("query", ["what does SPEC-1 require", "List all dependencies of the harbour gate proposal"])
def test_a_licence_is_no_answer_and_neither_is_who_wrote_it(harbour: App, query: str) -> None:
    text = "\n".join(lines(harbour, query, 8_000))
    assert "SPEC-2: Tide tables" in text
    assert "CC0" not in text
    assert "author:" not in text
    omitted = run(harbour, query, budget=8_000).context.omitted
    assert any("beside what they lead to" in each.reason for each in omitted)


def test_a_section_that_no_edge_leads_to_is_not_said_to_lack_room(harbour: App) -> None:
    question = RecallInput(query="what does SPEC-1 require", namespace=HERE, budget=8_000)
    shown = xray_new_recall(harbour, question)
    rungs = {each.name: each for each in shown.filters}
    assert rungs["asked-edges"].considered > rungs["asked-edges"].admitted == rungs["budget-fit"].admitted
    assert rungs["budget-fit"].considered == rungs["budget-fit"].admitted == len(shown.results)
    assert " of the named document itself, or not joined to it by edges" in render_text(shown)
    assert " indexed=" in render_text(shown)
    assert " created=" not in render_text(shown)
    reasons = {each.reason for each in shown.rejected if each.rejected_by == "asked-edges"}
    assert "[1] stands for its document, and the question asks for edges alone" in reasons
    assert "it is of SPEC-1 itself, and the question asks only for what an edge joins to that" in reasons
    beside = next(each for each in shown.rejected if each.rejected_by == "asked-edges")
    found = why(harbour, WhyInput(namespace=HERE, memory=beside.memory_id, question=question)).finding
    assert found
    assert (found.stage, found.margin) == ("asked-edges", None)
    assert not [each for each in found.tried if each.kind == "budget"]


def test_of_what_is_left_out_it_is_said_under_which_results_its_words_are_quoted(harbour: App) -> None:
    question = RecallInput(query="what does SPEC-1 require", namespace=HERE, budget=8_000)
    answered = recall(harbour, question)
    shown = xray_by_id(harbour, HERE, answered.recall_id)
    assert " SPEC-1 › requires: 2, 3" in answered.context
    by_words = {shown.words[each.memory_id]: each for each in shown.rejected if each.memory_id in shown.words}
    header = next(each for words, each in by_words.items() if words.startswith("SPEC-1: The harbour gate · id"))
    abstract = next(each for words, each in by_words.items() if "Tide tables say for each day" in words)
    licence = next(each for words, each in by_words.items() if words.startswith("SPEC-2: Tide tables › Copyright"))
    tide = next(each.memory_id for each in shown.results if shown.words[each.memory_id].startswith("SPEC-2"))
    assert shown.results[0].memory_id in header.quoted_under
    assert abstract.quoted_under == (tide,)
    assert licence.quoted_under == ()
    text = render_text(shown)
    number = 1 + [each.memory_id for each in shown.results].index(tide)
    assert re.search(rf"Tide tables say for each day.*\n.*; words of it are quoted under \[{number}\]; final=", text)
    asked = WhyInput(namespace=HERE, memory=abstract.memory_id, recall_id=answered.recall_id)
    assert f" Words of it are quoted in the context under [{number}]." in why(harbour, asked).sentence


def test_an_explanation_says_whether_an_edge_is_the_one_asked_for_or_a_reference_or_only_near(
    house: Opener, tmp_path: Path, harbour: App
) -> None:
    whys = _whys(harbour, "what depends on SPEC-3")
    assert whys["SPEC-1: The harbour gate"].startswith("SPEC-1 depends on SPEC-3, as the question asks: found ")
    near = "Near what the question asks, but joined to SPEC-3 by an edge that it does not ask for (SPEC-4 supersedes "
    assert whys["SPEC-4: Electric light"].startswith(near)
    shown = xray_new_recall(harbour, RecallInput(query="what depends on SPEC-3", namespace=HERE, budget=8_000))
    light = next(each for each in shown.results if each.why.startswith(near))
    alone = why(harbour, WhyInput(namespace=HERE, memory=light.memory_id, recall_id=shown.snapshot_id)).sentence
    assert (
        "near what the question asks, but joined to what the question names by an edge that it does not ask for: found "
        in alone
    ), "without names"
    (tmp_path / "mole.md").write_text("# SPEC-7: The mole\n\n## References\n\n- SPEC-8, whose stones it takes\n")
    (tmp_path / "quarry.md").write_text("# SPEC-8: The quarry\n\nThe quarry gives stones of two tonnes and more.\n")
    app = house(tmp_path / "other")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path / "mole.md", tmp_path / "quarry.md")))
    said = _whys(app, "what does SPEC-7 depend on")["SPEC-8: The quarry"]
    assert said.startswith(
        "SPEC-7 references SPEC-8, which counts as well, being direct, where dependencies are asked for: "
    )


def _whys(app: App, query: str) -> dict[str, str]:
    """Map the titles of the results of a recall to the sentences of their X-ray."""
    shown = xray_new_recall(app, RecallInput(query=query, namespace=HERE, budget=8_000))
    return {shown.words[each.memory_id][:60].partition(" · ")[0]: each.why for each in shown.results}


@pytest.mark.parametrize("query", ["what replaced SPEC-1", "how high is its sill in SPEC-1", "what is SPEC-1"])
def test_where_no_edge_answers_a_licence_is_none_either(harbour: App, query: str) -> None:
    state = run(harbour, query)
    text = state.context.text
    assert "Boats wait before the gate" in text
    assert "SPEC-1: The harbour gate › Copyright" not in text
    assert state.repeats
    assert sum(line.endswith("SPEC-1: The harbour gate") for line in text.splitlines()) == 1  # its header is no repeat


@pytest.mark.parametrize("query", ["What is SPEC-1 about?", "the harbour gate", "SPEC-1 and SPEC-3?"])
def test_a_document_asked_for_by_its_name_alone_stands_first_by_its_lead(harbour: App, query: str) -> None:
    state = run(harbour, query)
    first = state.served[0].memory
    assert (first.entity_ref, state.pool.ordinal[state.kept[0]]) in (("SPEC-1", 0), ("SPEC-3", 0))
    assert "Boats wait before the gate until the water is high enough" in state.context.text
    assert "CC0" not in state.context.text
    assert state.plan.answers == query.count("SPEC-") or query.startswith("the")
    assert not state.plan.only_edges


@pytest.mark.parametrize(
    "query", ["What is the status of SPEC-2?", "SPEC-2's author", "What was the status of SPEC-2 on 2030-01-31?"]
)
def test_what_the_header_of_a_document_says_is_answered_by_that_header(harbour: App, query: str) -> None:
    state = run(harbour, query)
    assert (state.served[0].memory.entity_ref, state.pool.ordinal[state.kept[0]]) == ("SPEC-2", 0)
    assert state.plan.answers == 1


def test_what_a_document_says_of_something_is_not_answered_by_its_lead_alone(harbour: App) -> None:
    state = run(harbour, "which ink does SPEC-2 take for neap tides")
    assert state.plan.answers == 0
    assert "black ink for neap tides" in state.context.text


def test_a_licence_is_left_out_too_where_it_is_the_first_of_its_document() -> None:
    def section(number: int, title: str, text: str) -> Memory:
        return a_memory(number, f"SPEC-1: The harbour gate{title}\n{text}", category="section", session_id="doc-1")

    told = AlreadyTold({"harbour", "water"}, lambda text: set(text.casefold().split()))
    licence, other = section(1, " › Copyright", "Waived."), section(2, " › Sill", "The water is deep.")
    assert told.take(licence, 0) == {}
    assert told.take(other, 1) == {0: 1}
    assert told.take(licence, 2) == {2: 1}
    header, again = section(3, "", "status: Final\nauthor: Ada"), section(4, "", "Status: Final\n\nAuthor: Ada")
    assert (told.take(header, 3), told.take(again, 4)) == ({}, {4: 3})
    assert AlreadyTold({"waived."}, lambda text: set(text.casefold().split())).take(licence, 0) == {}


def test_why_says_what_such_a_section_lacks_and_what_the_better_one_says(harbour: App) -> None:
    question = RecallInput(query="what replaced SPEC-1", namespace=HERE)
    licence = next(
        each.memory.id
        for each in harbour.index.memories(HERE)
        if each.memory.content.startswith("SPEC-1: The harbour gate › Copyright")
    )
    told = why(harbour, WhyInput(namespace=HERE, memory=licence, question=question))
    assert "holds nothing of what is asked but its document's title" in told.sentence
    assert [words for words in told.words.values() if words.startswith("SPEC-1: The harbour gate")]


@pytest.mark.parametrize("query", ["which rights of SPEC-1 are waived", "has SPEC-1 a copyright"])
def test_a_short_section_is_told_where_it_or_its_heading_holds_what_is_asked(harbour: App, query: str) -> None:
    assert "SPEC-1: The harbour gate › Copyright" in run(harbour, query).context.text


@pytest.mark.parametrize("query", ["which licence is SPEC-1 under?", "what are the references of SPEC-1?"])
def test_a_licence_is_told_where_one_is_asked_for_by_another_word_than_it_has(harbour: App, query: str) -> None:
    assert "SPEC-1: The harbour gate › Copyright\n" in run(harbour, query).context.text
    assert "SPEC-1: The harbour gate › Copyright" not in run(harbour, "how deep is the gate SPEC-1?").context.text


@pytest.mark.parametrize("heading", ["Acknowledgements", "Acknowledgments", "References", "Thanks"])
def test_acknowledgements_are_left_out_as_a_licence_is_and_a_section_of_another_name_is_not(
    house: Opener, tmp_path: Path, heading: str
) -> None:
    (tmp_path / "mole.md").write_text(
        "---\nid: SPEC-7\ntitle: The mole\n---\n\n## Sill\n\nThe sill of the mole is deep, and boats pass over it.\n\n"
        f"## {heading}\n\nAda, Ben and Cleo of the office read every draft of this.\n",
        "utf-8",
    )
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path / "mole.md",)))
    told = run(app, "how deep is the sill of the mole").context.text
    assert "The sill of the mole is deep" in told
    assert (f"› {heading}" in told) == (heading == "Thanks")


def test_of_what_a_document_begins_with_its_abstract_is_told_wherever_it_stands(house: Opener, tmp_path: Path) -> None:
    story, gist = (
        "The old mole broke in a storm, and many boats were lost.",
        "Boats lie behind the mole when storms come.",
    )
    begun = "---\nid: SPEC-7\ntitle: The mole\nstatus: Final\n---\n\n"
    late = f"## Why\n\n{story}\n\n## Abstract\n\n{gist}\n"
    for number, text in (
        ("7", begun + late),
        ("8", (begun + late).replace("SPEC-7", "SPEC-8").replace("Abstract", "How")),
    ):
        (tmp_path / f"mole-{number}.md").write_text(text, "utf-8")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path,), glob="*.md"))
    for query, told, untold in (("what is SPEC-7", gist, story), ("what is SPEC-8", story, gist)):
        lead = run(app, query).context.text.partition("[1] ")[2].partition("\n[2]")[0]
        assert f"\n {told}" in lead
        assert untold not in lead


def test_a_part_that_is_asked_for_stands_in_the_place_of_the_lead(harbour: App) -> None:
    said = lines(harbour, "what does SPEC-1 require about blue ink?")
    assert next(line for line in said if "Tide tables" in line).endswith("› Printing")
    assert " SPEC-1 › requires: 2, 3" in said


def test_of_a_long_part_that_is_asked_for_the_passage_that_meets_the_other_words_is_told(
    house: Opener, tmp_path: Path
) -> None:
    cleaned = "The printer is cleaned each spring, and nobody has complained of it so far. " * 40
    ink = "It takes blue ink for spring tides."
    long = FILES["tide"].replace("The printer takes blue ink for spring tides", f"{cleaned}{ink} {cleaned}It takes red")
    for name, text in {**FILES, "tide": long}.items():
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path,), glob="*.md"))
    said = lines(app, "what does SPEC-1 require about blue ink?")
    printing = next(at for at, line in enumerate(said) if line.endswith("SPEC-2: Tide tables › Printing"))
    assert "(in part; whole: " in said[printing]
    assert any(ink in line for line in said[printing + 1 : printing + 5])


def test_who_requires_something_says_so_itself_in_a_header_or_in_a_sentence(harbour: App) -> None:
    said = lines(harbour, "what depends on SPEC-1")
    ferry = next(at for at, line in enumerate(said) if line.endswith("SPEC-5: Ferry timetable"))
    assert said[ferry + 1] == " SPEC-5 depends on SPEC-1"
    assert said[ferry + 3] == " Depends on: - the gate, SPEC-1: a ferry waits before it like any other boat"
    said = lines(harbour, "what depends on SPEC-2")
    assert said[next(at for at, line in enumerate(said) if line.endswith("SPEC-1: The harbour gate")) + 3] == (
        " requires: 2, 3"
    )


def test_what_no_asked_edge_leads_to_stands_apart_and_each_hit_says_its_path(harbour: App) -> None:
    asked, _, near = run(harbour, "what depends on SPEC-3", budget=4_000).context.text.partition("\n## Near it; ")
    assert "SPEC-1: The harbour gate\n SPEC-1 depends on SPEC-3\n" in asked
    assert "SPEC-5: Ferry timetable\n SPEC-5 depends on SPEC-1, which depends on SPEC-3\n" in asked
    assert near.startswith("not led to by the edges that were asked for\n[")
    assert "SPEC-4: Electric light\n SPEC-4 supersedes SPEC-3\n" in near
    assert "SPEC-2: Tide tables\n SPEC-1 depends on SPEC-3; SPEC-1 depends on SPEC-2\n" in near
    assert "Near it" not in run(harbour, "what does SPEC-1 require about blue ink?").context.text


def test_a_complete_answer_of_edges_is_not_doubted(harbour: App) -> None:
    abstention = run(harbour, "what does SPEC-5 depend on").abstention
    assert abstention
    assert abstention.score <= 0.4


def test_documents_stand_under_the_dates_of_their_headers_each_date_once_and_say_how_they_ended(
    house: Opener, tmp_path: Path
) -> None:
    for name, dated in (("gate", "date: 2020-03-04"), ("tide", "Created: 7-Mar-2021"), ("lock", "date: 2020-03-04")):
        status = "Final" if name == "lock" else "Withdrawn"
        text = f"---\nid: {name.upper()}-1\ntitle: The {name} of it\nstatus: {status}\n{dated}\n---\n\n"
        text += f"## Water\n\nThe {name} lets water in.\n\n## Boats\n\nThe {name} lets boats in.\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path,), glob="*.md"))
    text = run(app, "what does the gate let in, and the tide, and the lock").context.text
    assert sorted(re.findall(r"^## .*", text, re.MULTILINE)) == [
        "## 2020-03-04, 6 years ago",
        "## 2021-03-07, 5 years ago · tide.md",
    ]
    lines = [line for line in text.splitlines() if line.startswith("[")]
    assert all("(its document is withdrawn) " in line for line in lines if "gate" in line or "tide" in line)
    assert not any("its document is" in line for line in lines if "lock" in line)


@pytest.mark.parametrize(
    "changed",
    [
        "2026-01-31",
        "2026-01-31T10:00:00Z",
        "2026-01-31 10:00",
        "2026-01-31 10:00:00+02:00",
        "2026-01-31, late",
        "31-Jan-2026 10:00",
        "31-JAN-2026T10:00",
        "3-Jan-2026 10:00",
    ],
)
def test_a_time_behind_the_day_of_the_last_change_does_not_hide_that_day(
    changed: str, house: Opener, tmp_path: Path
) -> None:
    header = f"id: GATE-1\ntitle: The gate\nupdated: {changed}\ncreated: 2020-01-01"
    (tmp_path / "gate.md").write_text(f"---\n{header}\n---\n\n## Water\n\nThe gate lets water in.\n", "utf-8")
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path,), glob="*.md"))
    text = run(app, "what does the gate let in").context.text
    assert re.findall(r"^## (\d{4}-\d\d)", text, re.MULTILINE) == ["2026-01"]


def test_of_a_document_whose_history_begins_later_nothing_is_said_to_be_known(house: Opener, tmp_path: Path) -> None:
    app = house(tmp_path / "home")
    for number, days in ((1, 300), (2, 100)):
        file = tmp_path / "specs" / f"{number}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            f"---\nid: SPEC-{number}\ntitle: Purpose {number}\nstatus: Draft\n---\n\n## Why\n\nFor boats.\n"
        )
        os.utime(file, (NOON.timestamp() - days * 86_400,) * 2)
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(tmp_path / "specs",)))
    query, then = "what is the status of SPEC-2", NOON - timedelta(days=200)
    unknown = f"nothing is known of SPEC-2 before {(NOON - timedelta(days=100)).date()}"
    state = run(app, query, as_of=then)
    assert state.abstention
    assert state.abstention.score >= 0.6
    assert unknown in state.context.text.replace("Nothing is", "nothing is")
    assert "SPEC-1: Purpose 1\n" not in state.context.text
    both = run(app, f"{query} and of SPEC-1", as_of=then).context.text
    assert "SPEC-1: Purpose 1\n" in both
    assert f"\n{unknown.capitalize().replace('spec', 'SPEC')}.\n" in both
    assert "nothing is known" not in run(app, query).context.text.casefold()


def test_in_a_small_budget_the_edge_is_said_and_the_rest_is_cut(harbour: App) -> None:
    state = run(harbour, "what does SPEC-1 require", budget=420)
    assert " SPEC-1 › requires: 2, 3" in state.context.text.splitlines()
    assert state.context.length == len(state.context.text) <= 420


def test_a_retired_document_is_marked_in_context_staleness_and_provenance(harbour: App) -> None:
    asked = RecallInput(query="what does SPEC-1 require", namespace=HERE)
    made = recall(harbour, asked)
    assert "[2] (its document is superseded by SPEC-4) SPEC-3: The lamp\n" in made.context
    assert re.findall(r"^## \d.*", made.context, re.MULTILINE) == ["## 2026-06-01"]
    shown = {result.memory_id: result for result in xray_new_recall(harbour, asked).results}
    lamp = next(each for each in made.memories if each.memory.entity_ref == "SPEC-3")
    told = shown[lamp.memory.id]
    assert told.provenance is not None
    assert (told.provenance.stale, told.provenance.safe_to_use) == (True, False)
    assert "document=superseded by SPEC-4" in told.provenance.safety_reasons
    assert told.staleness is not None
    assert (told.staleness.superseded, told.staleness.retired) == (True, "superseded by SPEC-4")
    assert lamp.memory.id in made.stale
    tide = next(each for each in made.memories if each.memory.entity_ref == "SPEC-2")
    assert tide.staleness is not None
    assert (tide.staleness.retired, tide.staleness.due) == (None, False)


def test_before_it_was_retired_nothing_is_marked(house: Opener, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    file = folder / "lamp.md"
    file.write_text(FILES["lamp"].replace("superseded-by: 4\n", "").replace("status: superseded", "status: Final"))
    written = NOON.timestamp() - 86_400
    os.utime(file, (written, written))
    app = house(tmp_path / "home")
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    then = app.clock.now()
    file.write_text(FILES["lamp"])
    index_docs(app, IndexDocsInput(namespace=HERE, paths=(folder,)))
    query = "who lights the lamp with a match?"
    assert "superseded by SPEC-4" in run(app, query).context.text
    for past in ({"as_of": then - timedelta(hours=1)}, {"as_known_at": then}):
        text = run(app, query, **past).context.text
        assert "match at dusk" in text
        assert "its document is" not in text
        before = xray_new_recall(app, RecallInput(query=query, namespace=HERE, **past)).results[0]
        assert before.provenance
        assert (before.provenance.stale, before.provenance.safety_reasons) == (False, ())
        assert before.staleness
        assert (before.staleness.retired, before.staleness.superseded, before.staleness.due) == (None, False, False)


def order(app: App, query: str, **given: object) -> list[str]:
    return [str(each.memory.entity_ref) for each in run(app, query, **given).served]


def test_what_replaced_a_document_stands_before_it_unless_that_one_is_asked_for(harbour: App) -> None:
    query = "who climbs up and lights the lamp with a match at dusk, and puts it out at dawn"
    found = order(harbour, query)
    assert found.index("SPEC-4") < found.index("SPEC-3")
    assert order(harbour, query, without=("renew",))[0] == "SPEC-3"
    assert order(harbour, f"{query}, as SPEC-3 has it")[0] == "SPEC-3"
    assert order(harbour, "what does SPEC-4 supersede")[0] == "SPEC-3"
    required = order(harbour, "what does SPEC-1 require")
    assert required.index("SPEC-4") < required.index("SPEC-3")


@pytest.mark.parametrize("query", ["where is the match", "at what time of the day is it put out, is it dawn"])
def test_a_successor_that_has_nothing_to_do_with_the_question_is_not_lifted(harbour: App, query: str) -> None:
    """Electric light has no match, and is worth less than half of what is said of the lamp that it replaced."""
    found = order(harbour, query)
    assert found == order(harbour, query, without=("renew",))
    assert found.index("SPEC-3") < found.index("SPEC-4")
    assert "(its document is superseded by SPEC-4)" in run(harbour, query).context.text


def test_a_receipt_keeps_who_replaced_whom_and_an_ablation_is_a_live_run(harbour: App) -> None:
    query = "who climbs up and lights the lamp with a match at dusk"
    state = run(harbour, query)
    kept = unpack(pack(state)).state
    assert kept.pool.replaced == state.pool.replaced != ()
    pool, positions = rescore(kept)
    assert positions.tolist() == state.order.tolist()
    assert pool.final.tolist() == state.pool.final.tolist()
    without, live = ablate(kept, ("lexical",)), run(harbour, query, without=("lexical",))
    assert [without.pool.ids[at] for at in without.order] == [live.pool.ids[at] for at in live.order]


@pytest.mark.parametrize(
    ("content", "section", "said"),
    [
        ("SPEC-1: A\nstatus: Draft\nrequires: 2, 3", "requires", "requires: 2, 3"),
        (
            "SPEC-1: A › Notes\n\nOne thing. As :spec:`2` has it, boats\nwait. More.",
            "Notes",
            "Notes: As :spec:`2` has it, boats wait.",
        ),
        ("SPEC-1: A › Depends on\n\n- SPEC-7, first\n- SPEC 002, then", "Depends on", "Depends on: - SPEC 002, then"),
        ("SPEC-1: A › Depends on\n\n[the tables](tide.md)", "Depends on", "Depends on: [the tables](tide.md)"),
        ("SPEC-1 needs SPEC-2", "", "SPEC-1 needs SPEC-2"),
    ],
)
def test_the_words_that_say_an_edge_are_its_header_line_or_its_sentence(content: str, section: str, said: str) -> None:
    memory = Memory.model_validate(
        {
            "id": "mem_" + "0" * 32,
            "category": "section",
            "namespace": HERE,
            "created": NOON,
            "updated": NOON,
            "source": "document",
            "entity_ref": "SPEC-1",
            "content": content,
        }
    )
    assert edge_sentence(memory, Edge("spec-1", "spec-2", "DEPENDS_ON", memory.id, section)) == said


def test_a_first_paragraph_is_prose() -> None:
    content = "A › B\n\n# Heading of some six words here\n\n- an item of a list of some words\n\n| a | b |\n\nshort\n\n"
    content += "Status: superseded\nSuperseded-by: SPEC-34\nAuthor: Ravi of the harbour\n\n"
    prose = "This is a sentence of\nmore than six words."
    assert list(paragraphs(content + prose)) == [re.sub(r"\s+", " ", prose)]


@pytest.mark.parametrize(
    ("room", "cut"),
    [(99, "One two. Three four five."), (20, "One two. Three …"), (12, "One two. …"), (6, "One …")],
)
def test_a_cut_falls_behind_a_sentence_or_a_word_and_shows(room: int, cut: str) -> None:
    assert shorten_text("One two. Three four five.", room) == cut
    assert len(cut) <= room


@pytest.mark.parametrize(("room", "cut"), [(6, "あいう。 …"), (5, "あいう …")])
def test_a_cut_has_room_for_its_mark_also_where_no_blank_follows_a_sentence(room: int, cut: str) -> None:
    assert shorten_text("あいう。えおかきくけこ", room) == cut


def test_an_x_ray_says_of_a_licence_what_it_lacks_and_of_a_successor_whose_document_it_replaces(harbour: App) -> None:
    shown = xray_of(harbour, "who lights the lamp at dusk")
    newer = next(each for each in shown.results if each.newer_than)
    assert shown.words[newer.memory_id].startswith("SPEC-4")
    assert re.search(r"moved just above \[\d\], whose document its own replaces \(\+", newer.why)
    bare = next(each for each in xray_of(harbour, "what replaced SPEC-1").rejected if each.rejected_by == "repeats")
    assert re.match(r"holds nothing of what is asked but its document's title, and gives way to \S+ of ", bare.reason)


def xray_of(app: App, query: str) -> RecallXraySnapshot:
    return xray_new_recall(app, RecallInput(query=query, namespace=HERE))
