"""A long memory in a small context: its best passages, whole ones, what is cut marked and said."""

import json
import re
from pathlib import Path

import pytest

from kits.vault import Opener, a_memory, bring_in, file_memories, keep, run
from kits.why import told
from pellucid.app import App
from pellucid.operations.recall.recalling import recall, xray_new_recall
from pellucid.operations.recall.request import RecallInput
from pellucid.recall.context.excerpt import excerpt, pieces
from pellucid.recall.context.text import body_of
from pellucid.recall.receipt.record import pack, unpack
from pellucid.xray.render.as_markdown import render_markdown
from pellucid.xray.render.as_text import render_text

FILLER = "The quay was painted last spring and nobody has complained about its colour so far. "
DENIED = "The harbour crane does not lift forty tonnes unless the wind is below six."
LONG = f"{FILLER * 12}{DENIED} {FILLER * 12}"


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "One sentence of some length is used? No. Another one of some length follows here.",
        "# Title\n\n- an item\n  with a second line\n- another\n\n```\ncode. Here\n\nmore\n```\nwords behind it",
        "",
        "\n",
        "a line that was\nwrapped here. It goes on\n\n1. first\n2. second: \n\nend",
    ],
)
def test_pieces_joined_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


def test_a_short_answer_stays_with_its_question_and_a_block_of_code_and_an_item_stay_whole() -> None:
    said = [
        each.strip()
        for each in pieces("Is the old crane of the harbour still in use? No. The new one lifts more tonnes.")
    ]
    assert said == ["Is the old crane of the harbour still in use? No.", "The new one lifts more tonnes."]
    code = "```\nfirst. Second\n\nthird\n```\n"
    assert list(pieces(f"Before it.\n{code}After it.")) == ["Before it.\n", code, "After it."]
    assert list(pieces("- one\n  and more. Still one\n- two")) == ["- one\n  and more. Still one\n", "- two"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```\nThe gate opens.", "The gate opens."),
        ("end()\n```\nThe gate.\n```sh\nopen\n```", "end()\n The gate.\n ```sh\n open\n ```"),
        ("So:\n```sh\nopen\nwait", "So:\n ```sh\n open\n wait\n ```"),
        ("It opens so:\n```\n\n", "It opens so:"),
        ("```sh\nopen\n```\nand ```` in it", "```sh\n open\n ```\n and ```` in it"),
    ],
)
def test_code_that_begins_or_ends_outside_a_passage_is_closed_within(text: str, shown: str) -> None:
    assert body_of(text) == shown


def test_a_part_of_a_section_stands_below_its_title_which_never_stands_alone(house: Opener) -> None:
    title = "SPEC-1: The harbour › Specification › Cranes"
    app = house()
    file_memories(
        app, [a_memory(1, f"{title}\n{FILLER * 3}The crane lifts forty tonnes. {FILLER * 3}", category="section")]
    )
    text = run(app, "what does the crane lift?", budget=370).context.text
    assert re.search(rf"\[1\] \(in part; whole: 0000000001\) {title}\n … .*The crane lifts forty tonnes\. …", text)
    assert title not in run(app, "what does the crane lift?", budget=240).context.text


def test_what_announces_comes_along_and_nothing_is_taken_apart_to_fit() -> None:
    text = f"{FILLER}\n\nThe steps are:\n\n- lift the crane\n\n{FILLER}"
    found = excerpt(text, [("crane", text.index("crane"))], {"crane": 1.0}, 60)
    assert found
    assert found.body == "… The steps are:\n - lift the crane …"
    assert (found.shown, found.of) == (2, 4)
    wanted = "The steps are:\n\n- lift the crane\n\nHarbour days are calm.\n\nWind is low."
    places = [(word, wanted.lower().index(word)) for word in ("crane", "wind")]
    before_the_next_best = excerpt(wanted, places, {"crane": 1.0, "wind": 0.5}, 45)
    assert before_the_next_best
    assert before_the_next_best.body == "The steps are:\n - lift the crane …"
    assert excerpt("word " * 100, [], {}, 90) is None


def cut_out(said: str, *words: str, room: int) -> str:
    """What is cut out of a text in some room, where the first of each of these words counts."""
    found = excerpt(said, [(word, said.index(word)) for word in words], dict.fromkeys(words, 1.0), room)
    assert found
    return found.body


def test_the_sentences_around_what_matched_are_cut_in_too_before_those_at_the_beginning() -> None:
    before, after = "The old crane was sold in June.", "Its buyer came from the next town."
    first, matched = "The quay was painted last spring.", "A lorry took the jib away at dawn."
    said = f"{first} {first} {before} {matched} {after} {first} {first}"
    assert cut_out(said, "jib", room=120) == f"… {before} {matched} {after} …"


def test_between_two_passages_that_do_not_touch_stands_a_mark_and_between_two_that_do_none() -> None:
    apart, between = "The crane lifts forty tonnes.\n\n", "Its keeper has a long blue book.\n\n"
    said = f"{apart}{between}{between}The wind was below six all day."
    assert cut_out(said, "crane", "wind", room=80) == (
        "The crane lifts forty tonnes. …\n The wind was below six all day."
    )
    assert cut_out(said, "crane", "keeper", room=80) == (
        "The crane lifts forty tonnes.\n Its keeper has a long blue book. …"
    )


@pytest.fixture
def harbour(house: Opener) -> App:
    app = house()
    keep(app, LONG)
    keep(app, "the ferry leaves the harbour at nine")
    return app


def test_a_memory_longer_than_the_budget_is_told_by_the_sentence_that_answers_whole(harbour: App) -> None:
    state = run(harbour, "how much does the harbour crane lift?", budget=700)
    (cut,) = state.context.cuts
    assert DENIED in state.context.text
    assert "…" in state.context.text
    assert f"(in part; whole: {cut.memory_id[-10:]})" in state.context.text
    assert 0 < cut.shown < cut.of == 25
    assert len(state.context.included) == 2
    assert not state.context.omitted


def test_it_takes_its_share_where_others_wait_and_all_the_room_that_nobody_needs(harbour: App) -> None:
    wide = run(harbour, "how much does the harbour crane lift?", budget=1_500)
    assert wide.context.cuts[0].shown > run(harbour, "harbour crane lift", budget=700).context.cuts[0].shown
    assert wide.context.length > 1_300
    assert not run(harbour, "harbour crane lift", budget=16_000).context.cuts
    waiting = f"the ferry of the harbour carries the cars of these plates: {', '.join(map(str, range(100, 140)))}"
    keep(harbour, waiting)
    assert waiting in run(harbour, "how much does the harbour crane lift?", budget=700).context.text


def test_the_receipt_and_the_xray_say_how_much_is_told(harbour: App) -> None:
    state = run(harbour, "how much does the harbour crane lift?", budget=700)
    assert unpack(pack(state)).state.context.cuts == state.context.cuts
    asked = RecallInput(query="how much does the harbour crane lift?", namespace="local/default", budget=700)
    found = xray_new_recall(harbour, asked)
    (cut,) = found.context.cuts
    told = {each.memory_id: each.told for each in found.results}
    whole = f'call("memory.show", memory_id="{cut.memory_id}")'
    assert told.pop(cut.memory_id) == f"{cut.shown} of {cut.of} sentences, the whole: {whole}"
    assert list(told.values()) == [None]
    again = recall(harbour, asked)
    assert again.context.count(DENIED) == 1


def test_an_xray_says_of_a_memory_that_was_cut_and_of_no_other_how_much_of_it_is_told(harbour: App) -> None:
    asked = RecallInput(query="how much does the harbour crane lift?", namespace="local/default", budget=700)
    found = xray_new_recall(harbour, asked)
    (cut,) = found.context.cuts
    said = f'{cut.shown} of 25 sentences, the whole: call("memory.show", memory_id="{cut.memory_id}")'
    for verbose in (False, True):
        text, markdown = render_text(found, verbose=verbose), render_markdown(found, verbose=verbose)
        assert [line for line in text.splitlines() if line.startswith("    told: ")] == [f"    told: {said}"]
        assert [line for line in markdown.splitlines() if "**Told:**" in line] == [f"- **Told:** `{said}`"]
        assert said in text.partition(f"    memory: {cut.memory_id}\n")[2].partition("\n[")[0]


def test_why_says_of_a_memory_that_was_cut_and_of_no_other_how_much_of_it_is_told(harbour: App) -> None:
    query = "how much does the harbour crane lift?"
    (cut,) = run(harbour, query, budget=700).context.cuts
    whole = f'call("memory.show", memory_id="{cut.memory_id}")'
    said = f"The context tells {cut.shown} of 25 sentences, the whole: {whole}."
    assert said in told(harbour, cut.memory_id, query, budget=700).sentence
    assert "The context tells" not in told(harbour, cut.memory_id, query).sentence
    assert "The context tells" not in told(harbour, "the ferry leaves the harbour at nine", query, budget=700).sentence


def test_a_passage_that_breaks_off_in_mid_sentence_says_so_at_both_ends(house: Opener, tmp_path: Path) -> None:
    app, said = house(), tmp_path / "said.jsonl"
    line = "The harbour crane lifts forty tonnes when the wind allows it, and then its keeper\n"
    turn = f"The harbour crane was inspected.\n\n{line * 3}writes each weight into the long blue book of the quay."
    turns = ({"role": "assistant", "content": turn}, {"role": "user", "content": "And the ferry of the crane keeper"})
    said.write_text("\n".join(map(json.dumps, turns)), "utf-8")
    bring_in(app, said, mode="verbatim")
    text = run(app, "which book does the keeper of the crane write weights of loads into").context.text
    assert "and then its keeper …\n" in text
    assert "] … writes each weight" in text
    assert "blue book of the quay.\n" in text
    assert "crane keeper\n" in text  # nothing of that turn is left out
