"""A data set of three sentences in, what the lab measures with the recall that a user runs out."""

import json
from pathlib import Path

import pytest
from vault_kit import Opener

from pellucid.errors import InputError
from pellucid.lab.dataset import Dataset, Group, Question, Record
from pellucid.lab.locomo import load as load_locomo
from pellucid.lab.longmemeval import load as load_longmemeval
from pellucid.lab.run import ABLATED, FLOORS, TRIED, Answer, Asker, run
from pellucid.lab.scifact import load as load_scifact
from pellucid.model.turn import Turn
from pellucid.operations import lab
from pellucid.operations.recalling import RecallInput, recall

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
    }
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
        ("What is Ana's cat called?", {"D1:1": 1}), ("Where does Bo live?", {"D2:1": 1}),
    ]  # fmt: skip


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
def test_a_folder_without_the_set_is_refused(tmp_path: Path, load: object) -> None:
    with pytest.raises(InputError, match="--data"):
        load(tmp_path)


def test_metrics_floors_and_ablations_come_from_what_was_asked() -> None:
    questions = (Question("1", "one", {"a": 1}, "x"), Question("2", "two", {"b": 1}, "y"))
    group = Group("g", (Record("a", Turn("s", 1, "user", "a")), Record("b", Turn("s", 2, "user", "b"))), questions)
    asked: list[tuple[str, tuple[str, ...]]] = []

    def ask(_: Group, question: Question, without: tuple[str, ...], trying: str) -> Answer:
        asked.append((question.id, without))
        best = ["b", "a"] if trying == "temporal" else ["a", "b"] if "rerank" not in without else ["z", "a", "b"]
        return Answer(best, 3.0, {"vector": 2, "lexical": 0})

    parts: list[str] = []
    out = run(Dataset("d", (group,)), Asker(ask, lambda _: 1.0), ablate=True, on_part=parts.append)
    assert out["metrics"]["mrr"] == 0.75
    assert out["floors"]["bm25"]["mrr"] == round((1 / 2 + 1 / 3) / 2, 4)
    assert out["byKind"]["y"]["mrr"] == 0.5
    assert out["ablation"]["rerank"]["mrr"]["difference"] == round(0.75 - (1 / 2 + 1 / 3) / 2, 4)
    assert out["ablation"]["vector"]["mrr"]["difference"] == 0.0
    assert out["legs"] == {"vector": {"fired": 2, "meanNominated": 2.0}, "lexical": {"fired": 0, "meanNominated": 0.0}}
    assert out["rankings"] == {"1": ["a", "b"], "2": ["a", "b"]}
    assert out["ablation"]["temporal"]["mrr"]["difference"] == 0.0, "one gains what the other loses"
    assert len(asked) == 2 * (1 + len(FLOORS) + len(ABLATED) + len(TRIED))
    assert parts[0] == "all"


@pytest.mark.requirement("LAB-2")
def test_the_lab_ranks_as_the_recall_of_a_user_does(
    house: Opener, tmp_path: Path, minilm: object, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same turns, imported by hand and asked by hand, come in the order the lab reports."""
    from pellucid.operations.importing import Intake

    app = house(tmp_path / "hand", namespace="lab/conv-1")
    dataset = load_locomo(write(tmp_path, "locomo10.json", LOCOMO))
    (group,) = dataset.groups
    Intake(app, "lab/conv-1", "verbatim").take((bytes([i]), record.turn) for i, record in enumerate(group.records))
    settings = app.settings.model_copy(update={"home": tmp_path / "none"})
    monkeypatch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
    measured = lab.run_lab(settings, lab.LabInput(dataset="locomo", data=tmp_path, details=True), lambda _: None)
    assert measured.questions == 2
    assert measured.records == 3
    assert measured.metrics["hit@5"] == 1.0
    keys = {record.turn.content.split(".")[0]: record.key for record in group.records}
    for row in measured.details:
        answer = recall(app, RecallInput(query=row["question"], namespace="lab/conv-1"))
        by_hand = [keys[each.memory.content.split(": ", 1)[1].split(".")[0]] for each in answer.memories]
        assert by_hand == list(row["ranking"])
    assert not (tmp_path / "none").exists()
