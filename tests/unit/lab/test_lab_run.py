"""A data set of three sentences in, what the lab measures with the recall that a user runs out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kits.vault import Opener
from pellucid.errors import InputError
from pellucid.lab import measuring as lab
from pellucid.lab.asking import Asker, LabContext, RankedAnswer
from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record
from pellucid.lab.datasets.locomo import load as load_locomo
from pellucid.lab.datasets.longmemeval import load as load_longmemeval
from pellucid.lab.datasets.scifact import load as load_scifact
from pellucid.lab.run import run
from pellucid.lab.variants import ABLATED, FLOORS, TRIED, WEIGHTS, Variant
from pellucid.model.turn import Turn
from pellucid.operations.recall.recalling import RecallInput, recall
from pellucid.settings.sections import LegWeights, RecallSettings
from pellucid.surfaces.present.lab import lab_text

LOCOMO = [
    {
        "sample_id": "Conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a grey cat named Pixel."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Lovely!", "blip_caption": "a cat on a sofa"},
            ],
            "session_2_date_time": "sometime",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I moved to Lisbon in March."}],
        },
        "qa": [
            {"question": "What is Ana's cat called?", "evidence": ["D1:1"], "category": 4},
            {"question": "Where does Bo live?", "evidence": ["D2:1; D9:9"], "category": 1},
            {"question": "Trick?", "evidence": ["D1:1"], "category": 5},
            {"question": "Nothing?", "evidence": [], "category": 2},
        ],
        "observation": {
            "session_1_observation": {"Ana": [["Ana has a cat, Pixel.", "D1:1"]], "Bo": [["Bo likes it.", "D1:2"]]},
            "session_2_observation": {"Bo": [["Bo moved to Lisbon.", ["D2:1", "D9:9"]], ["Bo moved.", "D2:1"]]},
        },
    }
]


def spoken(session: str, date: str, *turns: tuple[str, str]) -> dict[str, object]:
    said = [{"role": role, "content": content} for role, content in turns]
    return {"session_id": session, "date": date, "turns": said}


CHANGED = [
    {
        "question_id": "q1",
        "question": "What is the TTL of the session cache?",
        "question_type": "knowledge-update",
        "question_date": "2023/06/01 (Thu) 00:58",
        "evidence_sessions": [
            spoken("q1_b", "2023/05/27 (Sat) 10:20", ("user", "The TTL of the session cache is 600 seconds.")),
            spoken(
                "q1_a",
                "2023/05/20 (Sat) 02:21",
                ("user", "The TTL of the session cache is 300 seconds."),
                ("assistant", "Noted."),
            ),
        ],
    },
    {
        "question_id": "q2",
        "question": "What did I plant?",
        "question_type": "single-session-user",
        "question_date": "2023/06/01 (Thu) 00:58",
        "evidence_sessions": [spoken("q2_a", "2023/05/21 (Sun) 10:20", ("user", "I planted three apple trees."))],
    },
]


def write(folder: Path, name: str, value: object) -> Path:
    (folder / name).write_text(json.dumps(value), "utf-8")
    return folder


def test_locomo_turns_and_labels(tmp_path: Path) -> None:
    (group,) = load_locomo(write(tmp_path, "locomo10.json", LOCOMO)).groups
    assert [record.key for record in group.records] == ["D1:1", "D1:2", "D2:1"]
    assert group.records[1].turn.content == "Lovely! [shares image: a cat on a sofa]"
    assert str(group.records[0].turn.at) == "2023-05-08 13:56:00+00:00"
    assert group.records[2].turn.at is None
    assert [(question.text, dict(question.relevant)) for question in group.questions] == [
        ("What is Ana's cat called?", {"D1:1": 1}),
        ("Where does Bo live?", {"D2:1": 1}),
    ]


def test_locomo_citations_and_captions(tmp_path: Path) -> None:
    (group,) = load_locomo(write(tmp_path, "locomo10.json", LOCOMO)).groups
    assert group.cited == {
        "D1:1": ("Ana has a cat, Pixel.",),
        "D1:2": ("Bo likes it.",),
        "D2:1": ("Bo moved to Lisbon.", "Bo moved."),
    }
    assert [record.unsaid for record in group.records] == [0, len(" [shares image: a cat on a sofa]"), 0]


def test_a_changed_fact_has_an_older_and_a_newer_side_by_date(tmp_path: Path) -> None:
    (group,) = load_longmemeval(write(tmp_path, "evidence.json", CHANGED)).groups
    assert [(each.question.id, each.older, each.newer) for each in group.updates] == [
        ("q1", ("q1_a#1", "q1_a#2"), ("q1_b#1",))
    ]


def test_a_changed_fact_without_two_dated_sessions_is_no_pair(tmp_path: Path) -> None:
    entry = CHANGED[0] | {"evidence_sessions": CHANGED[0]["evidence_sessions"][:1]}
    (group,) = load_longmemeval(write(tmp_path, "evidence.json", [entry])).groups
    assert len(group.questions) == 1
    assert group.updates == ()


def test_longmemeval_questions_without_an_answer_are_left_out(tmp_path: Path) -> None:
    session = {"session_id": "s", "date": "2023/05/20 (Sat) 02:21", "turns": [{"role": "user", "content": "Hi."}]}
    entries = [
        {"question_id": f"q{end}", "question": "?", "question_type": "t", "evidence_sessions": [session]}
        for end in ("", "_abs")
    ]
    (group,) = load_longmemeval(write(tmp_path, "evidence.json", entries)).groups
    assert [(question.id, dict(question.relevant)) for question in group.questions] == [("q", {"s#1": 1})]
    assert str(group.records[0].turn.at) == "2023-05-20 02:21:00+00:00"


def test_scifact_reads_judgements_above_zero(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n2\td2\t0\n")
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "q one"}\n{"_id": "2", "text": "q two"}\n')
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "T", "text": "x"}\n{"_id": "d2", "title": "", "text": "y"}\n'
    )
    (group,) = load_scifact(tmp_path).groups
    assert [(question.id, dict(question.relevant)) for question in group.questions] == [("1", {"d1": 1})]
    assert [record.turn.content for record in group.records] == ["T. x", ". y"]


@pytest.mark.parametrize("load", [load_locomo, load_longmemeval, load_scifact])
def test_a_folder_without_the_set_is_refused(tmp_path: Path, load: Callable[[Path], Dataset]) -> None:
    with pytest.raises(InputError, match=r"data .* holds no"):
        load(tmp_path)


def test_metrics_floors_and_ablations_come_from_what_was_asked() -> None:
    questions = (LabelledQuestion("1", "one", {"a": 1}, "x"), LabelledQuestion("2", "two", {"b": 1}, "y"))
    group = Group("g", (Record("a", Turn("s", 1, "user", "a")), Record("b", Turn("s", 2, "user", "b"))), questions)
    asked: list[tuple[str, Variant]] = []

    def ask(_: Group, question: LabelledQuestion, variants: Sequence[Variant]) -> list[RankedAnswer]:
        asked.extend((question.id, variant) for variant in variants)
        return [answer(variant) for variant in variants]

    def answer(variant: Variant) -> RankedAnswer:
        weights = variant.change(RecallSettings()).leg_weights
        worse = "rerank" in variant.without or weights.temporal > LegWeights().temporal
        best = ["z", "a", "b"] if worse else ["b", "a"] if variant.anew else ["a", "b"]
        contexts = {2_000: LabContext(best[:1], "…")}
        return RankedAnswer(best, 3.0, {"vector": 2, "lexical": 0}, contexts=contexts, anew=variant.anew)

    def clock(_: Group, __: LabelledQuestion, variant: Variant) -> float:
        return 4.0 if variant.anew else 2.0 if "rerank" in variant.without else 3.0

    parts: list[str] = []
    asker = Asker(ask, lambda _: 1.0, clock)
    out, answers = run(Dataset("d", (group,)), asker, ablate=True, on_part=parts.append, floor=asker)
    worse = 0.75 - (1 / 2 + 1 / 3) / 2
    assert out["metrics"]["mrr"] == 0.75
    assert out["floors"]["bm25"]["mrr"] == round(0.75 - worse, 4)
    assert out["byKind"]["y"]["mrr"] == 0.5
    assert out["ablation"]["rerank"]["mrr"]["difference"] == round(worse, 4)
    assert out["ablation"]["vector"]["mrr"]["difference"] == 0.0
    assert out["ablation"]["diversify"]["mrr"]["difference"] == 0.0, "one gains what the other loses"
    assert out["weights"]["temporal"]["double"]["mrr"]["difference"] == -round(worse, 4)
    assert out["weights"]["temporal"]["half"]["mrr"]["difference"] == 0.0
    assert set(out["weights"]) == set(WEIGHTS)
    assert out["legs"] == {"vector": {"fired": 2, "meanNominated": 2.0}, "lexical": {"fired": 0, "meanNominated": 0.0}}
    assert {name: answer.ranking for name, answer in answers.items()} == {"1": ["a", "b"], "2": ["a", "b"]}
    assert out["metrics"]["evidence@2000"] == 0.5, "one question's only evidence is the first place, the other's is not"
    assert out["metrics"]["worth"] == pytest.approx((1 + 1 + 1 + 0.75 + 0.5) / 5)
    assert out["ablation"]["rerank"]["evidence@2000"]["difference"] == 0.5
    assert out["costs"]["rerank"] == {"millis": 1.0, "share": 0.333}
    assert out["costs"]["vector"] == {"millis": 0.0, "share": 0.0}
    assert out["costs"]["diversify"] == {"millis": 1.0, "share": 0.25}
    assert out["askedAnew"] == {"diversify": 2}
    assert len(asked) == 2 * (1 + len(FLOORS) + len(ABLATED) + len(TRIED) + 2 * len(WEIGHTS))
    assert parts == ["0 of 2 questions", "timing parts on 2 questions"]


@pytest.mark.requirement("LAB-2")
def test_the_lab_ranks_as_the_recall_of_a_user_does(
    house: Opener, tmp_path: Path, minilm: object, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same turns, imported by hand and asked by hand, come in the order the lab reports."""
    from pellucid.operations.session.intake import Intake

    app = house(tmp_path / "hand", namespace="lab/conv-1")
    dataset = load_locomo(write(tmp_path, "locomo10.json", LOCOMO))
    (group,) = dataset.groups
    Intake(app, "lab/conv-1", "verbatim").take(
        replace(record.turn, fingerprint=bytes([i])) for i, record in enumerate(group.records)
    )
    settings = app.settings.model_copy(update={"home": tmp_path / "none"})
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    outcome = lab.run_lab(settings, lab.LabInput(dataset="locomo", data=tmp_path, details=True), lambda _: None)
    assert isinstance(outcome, lab.LabOutput)
    assert outcome.questions == 2
    assert outcome.records == 3
    assert outcome.metrics["hit@5"] == 1.0
    keys = {record.turn.content.split(".")[0]: record.key for record in group.records}
    for row in outcome.details:
        answer = recall(app, RecallInput(query=row["question"], namespace="lab/conv-1"))
        by_hand = [keys[each.memory.content.split(": ", 1)[1].split(".")[0]] for each in answer.memories]
        assert by_hand == list(row["ranking"])
    assert not (tmp_path / "none").exists()


def measure(tmp_path: Path, house: Opener, dataset: str, **given: object) -> lab.LabOutput | lab.UpdatesOutput:
    settings = house(tmp_path / "settings").settings.model_copy(update={"home": tmp_path / "none"})
    return lab.run_lab(settings, lab.LabInput(dataset=dataset, data=tmp_path, **given), lambda _: None)


@pytest.mark.usefixtures("embedded")
def test_extract_mode_says_what_was_kept_and_how_it_compares_with_every_turn(house: Opener, tmp_path: Path) -> None:
    write(tmp_path, "locomo10.json", LOCOMO)
    out = measure(tmp_path, house, "locomo", mode="extract", details=True)
    assert isinstance(out, lab.LabOutput)
    assert out.mode == "extract"
    assert out.extraction["citedTurns"] == 3
    assert 0 < out.extraction["coverage"] <= 1
    assert out.extraction["memories"] >= 1
    assert out.extraction["turnsPerSecond"] > 0
    plain = measure(tmp_path, house, "locomo")
    assert isinstance(plain, lab.LabOutput)
    assert plain.extraction == {}
    assert plain.relative_to_verbatim == {}
    for name, beside in out.relative_to_verbatim.items():
        assert beside["verbatim"] == plain.metrics[name]
        assert beside["ratio"] == pytest.approx(out.metrics[name] / plain.metrics[name], abs=1e-4)
    said = lab_text(out).splitlines()
    assert [line.split() for line in said if line.startswith("citedTurns")] == [["citedTurns", "3"]]
    assert sum("that all turns give" in line for line in said) == len(out.metrics)
    assert len(lab_text(plain).splitlines()) < len(said)


@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize("mode", ["verbatim", "extract"])
def test_the_order_of_a_changed_fact_is_measured(house: Opener, tmp_path: Path, mode: str) -> None:
    write(tmp_path, "evidence.json", CHANGED)
    out = measure(tmp_path, house, "longmemeval", updates=True, mode=mode, details=True)
    assert isinstance(out, lab.UpdatesOutput)
    for found in (out.defaults, out.without_temporal, out.user_turns_only):
        assert found["pairs"] == 1
        assert sum(found["cases"].values()) == 1
    assert out.same_attribute["pairs"] == 1
    assert [row["id"] for row in out.details] == ["q1"]
    assert (out.memories == out.records) == (mode == "verbatim")
    assert lab_text(out).startswith(f"longmemeval, {mode}: {out.memories} memories of 4 records\n\ndefaults ")


@pytest.mark.usefixtures("embedded")
def test_what_is_left_out_is_left_out_of_every_recall(house: Opener, tmp_path: Path) -> None:
    write(tmp_path, "locomo10.json", LOCOMO)
    out = measure(tmp_path, house, "locomo", without=("vector",))
    assert isinstance(out, lab.LabOutput)
    assert "vector" not in out.legs
    assert out.floors["vector"]["recall@10"] == 0.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dataset": "scifact", "mode": "extract"}, "mode extract"),
        ({"dataset": "locomo", "updates": True}, "updates needs"),
        ({"dataset": "locomo", "without": ("luck",)}, "without expects"),
    ],
)
def test_what_a_set_cannot_answer_is_refused_before_anything_is_loaded(
    house: Opener, tmp_path: Path, given: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        measure(tmp_path, house, **given)
