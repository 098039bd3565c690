"""Two small sessions in, what the lab makes of their questions and labels out."""

import re
from pathlib import Path

import pytest

from kits.sessions import EARLIER, LATER, write_sessions
from kits.vault import Opener
from pellucid.errors import InputError
from pellucid.lab.asking import LabContext, RankedAnswer
from pellucid.lab.datasets.dataset import KeptMemory, LabelledQuestion
from pellucid.lab.datasets.sessions import TurnLabel, WantedMemory, load
from pellucid.lab.measuring import LabOutput, run_lab
from pellucid.lab.metrics.sessions import SHAPES, by_halves, durable, of_sessions, quotes
from pellucid.lab.sets import LabInput
from pellucid.surfaces.present.lab import lab_text

ASKED = LabelledQuestion("q", "?", {"new": 1, "also": 1})
WANTED = WantedMemory(re.compile("90 min"), ("It burns for 90 minutes.",), frozenset({"old"}))


def measure(*places: tuple[str, str], context: LabContext | None = None) -> dict[str, float]:
    keys, texts = [key for key, _ in places], [text for _, text in places]
    answer = RankedAnswer(keys, 1.0, {}, texts, {2_000: context} if context else {})
    return of_sessions({"q": WANTED})(ASKED, answer)


def test_spoken_turns_are_words_of_people_and_assistants(tmp_path: Path) -> None:
    found = load(write_sessions(tmp_path))
    assert list(found.spoken) == ["e1", "e4", "l1", "l2", "l3"]
    assert found.spoken["l1"] == "Make it burn longer, please."


def test_sessions_come_in_order_of_time_packed_or_not(tmp_path: Path) -> None:
    found = load(write_sessions(tmp_path / "sessions"))
    assert [each.name for each in found.transcripts] == [EARLIER, LATER]
    assert load(tmp_path) == found


def test_questions_without_an_answer_are_read_apart(tmp_path: Path) -> None:
    found = load(write_sessions(tmp_path))
    assert [(each.id, dict(each.relevant), each.kind) for each in found.questions] == [
        ("q1", {"l2": 1}, "easy"),
        ("q2", {"l3": 1}, "hard"),
    ]
    assert [each.id for each in found.unanswerable] == ["q3"]
    assert found.wanted["q1"].superseded == {"e4"}
    assert found.wanted["q2"].evidence == ("The ferry bell must always ring twice before it leaves.",)


def test_labels_without_a_transcript_are_refused(tmp_path: Path) -> None:
    for path in write_sessions(tmp_path).glob("*-*.jsonl*"):
        path.unlink()
    with pytest.raises(InputError, match="no transcript"):
        load(tmp_path)


@pytest.mark.requirement("LAB-1")
def test_a_context_answers_by_matching_quoting_or_citing() -> None:
    def shares(text: str, *keys: str) -> tuple[float, float]:
        found = measure(context=LabContext(keys, text))
        return found["strict@2000"], found["lenient@2000"]

    assert shares("for 90 minutes") == (1.0, 1.0)
    assert shares("so it  burns FOR 90\nminutes!") == (0.0, 1.0)
    assert shares("nothing", "also") == (0.0, 1.0)
    assert shares("nothing", "old") == (0.0, 0.0)


@pytest.mark.requirement("LAB-1")
def test_a_quotation_is_a_run_of_twelve_words_or_the_whole_turn() -> None:
    text = " ".join(f"w{number}" for number in range(14))
    assert quotes("… w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 …", [text])
    assert not quotes("w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 and w13", [text])
    assert not quotes("w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w133", [text])
    assert quotes("so yes, we do", ["Yes, we do!"])
    assert not quotes("anything", ["", "…"])


@pytest.mark.requirement("LAB-1")
def test_the_first_place_is_what_cites_or_matches_evidence() -> None:
    assert measure(("x", "…"), ("new", "…"))["mrrMatched"] == 0.5
    assert measure(("x", "…"), ("y", "for 90 minutes"), ("new", "…"))["mrrMatched"] == 0.5
    assert measure(("x", "…"), ("y", "for 90 minutes"), ("new", "…"))["mrr"] == pytest.approx(1 / 3)
    assert measure(("x", "…"))["mrrMatched"] == 0.0


@pytest.mark.requirement("LAB-1")
def test_an_older_word_is_first_when_it_stands_above_or_alone() -> None:
    assert measure(("old", "…"), ("new", "…"))["supersededFirst"] == 1.0
    assert measure(("old", "…"))["supersededFirst"] == 1.0
    assert measure(("new", "…"), ("old", "…"))["supersededFirst"] == 0.0
    assert measure(("x", "…"))["supersededFirst"] == 0.0
    nothing_older = WantedMemory(WANTED.must, WANTED.evidence, frozenset())
    assert "supersededFirst" not in of_sessions({"q": nothing_older})(ASKED, RankedAnswer(["old"], 1.0, {}, ["…"]))


LABELS = (
    TurnLabel("a", "a1", True, ("f1",)),
    TurnLabel("a", "a2", False, ("f1", "f2")),
    TurnLabel("a", "a3", False, ()),
    TurnLabel("b", "b1", True, ("f3",)),
)


@pytest.mark.requirement("LAB-1")
def test_precision_leaves_neutral_turns_out_and_recall_counts_facts() -> None:
    kept = [
        KeptMemory("x", ("a1", "a3")),
        KeptMemory("x", ("a2",)),
        KeptMemory("x", ("a3",)),
        KeptMemory("x", ("elsewhere",)),
        KeptMemory("x", ()),
    ]
    found = durable(LABELS, kept)
    assert (found["memories"], found["judged"], found["precision"]) == (3, 2, 0.5)
    assert (found["facts"], found["recall"]) == (3, 0.6667)
    assert (found["memoriesPer100Turns"], found["repeats"]) == (75.0, 1.0)


@pytest.mark.requirement("LAB-1")
def test_halves_are_taken_by_name_and_each_is_held_against_its_own_turns() -> None:
    found = by_halves(LABELS, [KeptMemory("x", ("a1",)), KeptMemory("x", ("b1",)), KeptMemory("x", ("b1",))])
    assert {name: (each["memories"], each["recall"]) for name, each in found.items()} == {
        "all": (3, 0.6667),
        "first": (1, 0.5),
        "other": (2, 1.0),
    }
    assert found["other"]["repeats"] == 2.0


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("| set | mrr |\n| --- | --- |", {"table"}),
        ("Which way? 1. Keep both 2. Drop the flag 3. Neither", {"menu"}),
        ("A) keep it\nB) drop it\n", {"menu"}),
        ("2026-02-01T10:00:00Z started", {"log"}),
        ("ok\n--- FAIL: TestCrossing (0.01s)", {"log"}),
        ("ferry_test.go:12: expected a bell", {"log"}),
        ("We ship on 2026-02-01, because a | b is parsed as one.", set()),
        ("Version 2. Nothing else changes.", set()),
        ("The error is raised in bell.go, not at the pier.", set()),
    ],
)
def test_tables_menus_and_logs_are_known_by_their_shape(text: str, shapes: set[str]) -> None:
    assert {name for name, shape in SHAPES.items() if shape.search(text)} == shapes


def run(tmp_path: Path, house: Opener, **given: object) -> LabOutput:
    settings = house(tmp_path / "home").settings
    asked = LabInput(dataset="sessions", data=write_sessions(tmp_path / "sessions"), **given)
    out = run_lab(settings, asked, lambda _: None)
    assert isinstance(out, LabOutput)
    return out


@pytest.mark.requirement("LAB-2")
def test_transcripts_are_imported_as_files_and_labels_find_their_turns(tmp_path: Path, house: Opener) -> None:
    out = run(tmp_path, house, details=True)
    assert (out.questions, out.records) == (2, 7)
    assert out.metrics["hit@5"] == out.metrics["strict@2000"] == out.metrics["lenient@4000"] == 1.0
    assert {row["id"]: row["relevant"][0] in row["ranking"] for row in out.details} == {"q1": True, "q2": True}
    assert set(out.by_kind) == {"easy", "hard"}
    assert out.price["memories"] == 7
    assert out.price["diskBytes"] > out.price["recordCharacters"] > 0
    assert (out.abstention["unanswerable"], out.abstention["answerable"]) == (1, 2)
    assert out.abstention["asSet"] == {"unanswerable": 0.0, "answerable": 0.0}
    assert out.durable == {}


@pytest.mark.requirement("LAB-3")
def test_the_floors_rank_spoken_turns_and_are_compared_question_by_question(tmp_path: Path, house: Opener) -> None:
    out = run(tmp_path, house)
    assert set(out.floors) == {"bm25", "vector"}
    assert out.floors["bm25"]["strict@2000"] == out.floors["vector"]["strict@2000"] == 1.0
    assert out.gain_over_floors["bm25"]["strict@2000"] == {"difference": 0.0, "interval": [0.0, 0.0]}


def test_an_abstaining_recall_is_counted_on_both_sides(tmp_path: Path, house: Opener) -> None:
    out = run(tmp_path, house, settings={"recall.abstainAt": 0.0, "recall.abstainFrom": 0})
    assert out.abstention["asSet"] == {"unanswerable": 1.0, "answerable": 1.0}
    assert out.metrics["strict@2000"] == 0.0
    assert out.settings == {"recall.abstainAt": 0.0, "recall.abstainFrom": 0}


def test_what_extraction_keeps_is_held_against_the_labels(tmp_path: Path, house: Opener) -> None:
    out = run(tmp_path, house, mode="extract")
    assert out.extraction["memories"] == out.price["memories"] == out.durable["all"]["memories"] > 0
    assert (out.durable["all"]["facts"], out.durable["all"]["sessions"]) == (3, 2)
    assert out.durable["first"]["turns"] + out.durable["other"]["turns"] == 5
    assert 0 < out.durable["all"]["recall"] <= 1
    said = lab_text(out).splitlines()
    assert sum(line.startswith("durable, ") for line in said) == 3
    assert any(line.startswith("strict@2000") for line in said)
    assert [line.split(":")[0] for line in said if line.startswith(("easy", "hard"))] == ["easy", "hard"]
