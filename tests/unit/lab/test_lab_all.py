"""A folder with small data sets in, one row a set out; and a set of meetings by itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from kits.eips import write_set
from kits.sessions import write_sessions
from kits.vault import Opener
from pellucid.errors import InputError, StoreError
from pellucid.lab.datasets.dataset import Dataset, Group, Record, Share
from pellucid.lab.datasets.qmsum import load
from pellucid.lab.every_set import LabAllInput, LabTable, run_all
from pellucid.lab.home import Home
from pellucid.lab.keeping import KeptHome
from pellucid.lab.measuring import LabOutput, run_lab
from pellucid.lab.run import COLUMNS, WORTH
from pellucid.lab.sets import LabInput
from pellucid.lab.variants import ABLATED, TRIED, WEIGHTS
from pellucid.memory.changes import memory_write
from pellucid.model.memory import Memory
from pellucid.model.turn import Turn
from pellucid.surfaces.present.lab import lab_text

MEETING = {
    "meeting_transcripts": [
        {"speaker": "Ana", "content": "The remote {vocalsound} should be yellow . {disfmarker}"},
        {"speaker": "Bo", "content": "{vocalsound} {pause}"},
        {"speaker": "Bo", "content": "Batteries last a year ."},
    ],
    "specific_query_list": [
        {"query": "What colour is the remote?", "answer": "Yellow.", "relevant_text_span": [["0", "1"]]},
        {"query": "How long do batteries last?", "answer": "A year.", "relevant_text_span": [["2", "2"], ["0", "0"]]},
        {"query": "Who laughed?", "answer": "Bo.", "relevant_text_span": [["1", "1"]]},
    ],
}


def write_meetings(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "val.jsonl").write_text(json.dumps(MEETING) + "\n", "utf-8")
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that holds three sets, each in a folder of its own."""
    place = tmp_path / "data"
    write_sessions(place / "sessions")
    write_meetings(place / "meetings")
    write_set(place / "documents")
    return place


def test_meetings_are_turns_that_say_something_and_spans_of_them(tmp_path: Path) -> None:
    (group,) = load(write_meetings(tmp_path)).groups
    assert [(each.key, each.turn.speaker, each.turn.content) for each in group.records] == [
        ("meeting-1#0", "Ana", "The remote should be yellow ."),
        ("meeting-1#2", "Bo", "Batteries last a year ."),
    ]
    assert [sorted(each.relevant) for each in group.questions] == [["meeting-1#0"], ["meeting-1#0", "meeting-1#2"]]


@pytest.mark.requirement("LAB-2")
def test_meetings_are_measured(tmp_path: Path, house: Opener) -> None:
    asked = LabInput(dataset="qmsum", data=write_meetings(tmp_path / "qmsum"))
    out = run_lab(house(tmp_path / "home").settings, asked, lambda _: None)
    assert isinstance(out, LabOutput)
    assert (out.questions, out.records, out.metrics["mrr"], out.metrics["ndcg@10"]) == (2, 2, 1.0, 1.0)


def imports(said: list[str]) -> list[str]:
    return [line for line in said if line.startswith(("importing", "indexing"))]


@pytest.mark.slow
@pytest.mark.usefixtures("embedded")
@pytest.mark.requirement("LAB-3")
def test_every_set_below_a_folder_is_a_row_with_floors_gains_costs_and_choices(
    data: Path, tmp_path: Path, house: Opener
) -> None:
    said: list[str] = []
    table = run_all(house(tmp_path / "home").settings, LabAllInput(data=data, ablate=True), said.append)
    assert list(table.rows) == ["qmsum", "sessions", "eips"]
    for row in table.rows.values():
        assert set(row.floors) == {"bm25", "vector"}
        assert set(row.ablation) == set(row.costs) == {*ABLATED, *TRIED}
        assert set(row.weights) == set(WEIGHTS)
        assert {*COLUMNS, WORTH} <= set(row.metrics)
        assert row.ablation["vector"]["evidence@2000"]["interval"]
        assert {*row.weights["rerank"]["half"]} == {*COLUMNS, WORTH}
    assert table.rows["eips"].metrics["recall@5"] == 1.0
    assert len(imports(said)) == 4, "each set once, and the floors of the sessions"
    assert set(table.missing) == {"locomo", "longmemeval", "scifact"}
    assert set(table.choices) == {*ABLATED, *TRIED}
    assert set(table.together) == set(table.rows)
    assert all(set(found) == set(table.rows) for found in table.choices.values())
    assert all({*COLUMNS, WORTH} <= set(found) for found in table.together.values())
    lines = lab_text(table).splitlines()
    assert [line.split(" |")[0] for line in lines[2:5]] == ["| QMSum", "| coding sessions", "| EIPs"]
    assert len({line.count("|") for line in lines[:5]}) == 1
    assert [line for line in lines if line.startswith(("| time |", "| MRR |", "| recall@10 |", "| evidence in"))]
    assert any(line.startswith("Answered within 2,000 characters, coding sessions: strict **1.000**") for line in lines)
    assert "Not measured: LoCoMo, whose locomo*.json is not there." in lines
    assert LabTable.model_validate(table.to_wire()) == table


@pytest.mark.usefixtures("embedded")
def test_what_is_kept_is_neither_imported_nor_measured_again(data: Path, tmp_path: Path, house: Opener) -> None:
    settings, keep = house(tmp_path / "home").settings, tmp_path / "kept"

    def measure(**asked: object) -> tuple[LabTable, list[str]]:
        said: list[str] = []
        request = LabAllInput(data=data, keep=keep, **{"sets": ("qmsum", "eips"), **asked})
        return run_all(settings, request, said.append), said

    first, said = measure()
    assert len(imports(said)) == 2
    again, said = measure()
    assert again == first
    assert imports(said) == []
    assert sum("measured before" in line for line in said) == 2
    other, said = measure(sample="2/2", sets=("qmsum",))
    assert imports(said) == []
    assert not any("measured before" in line for line in said)
    assert (first.rows["qmsum"].questions, other.rows["qmsum"].questions) == (2, 1)
    assert other.rows["qmsum"].price == first.rows["qmsum"].price
    meetings = (data / "meetings" / "val.jsonl").read_text("utf-8")
    (data / "meetings" / "val.jsonl").write_text(meetings.replace("yellow", "green"), "utf-8")
    _, said = measure()
    assert imports(said) == ["importing 2 records, verbatim"]
    assert [line for line in said if "importing again" in line]


@pytest.mark.usefixtures("embedded")
def test_an_import_that_was_broken_off_is_made_again(data: Path, tmp_path: Path, house: Opener) -> None:
    settings, keep = house(tmp_path / "home").settings, tmp_path / "kept"
    request = LabInput(dataset="qmsum", data=data / "meetings", keep=keep)

    def broken_off(said: str) -> None:
        if said.startswith("importing"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_lab(settings, request, broken_off)
    assert (keep / "qmsum-verbatim" / "home").is_dir()
    said: list[str] = []
    out = run_lab(settings, request, said.append)
    assert imports(said) == ["importing 2 records, verbatim"]
    assert isinstance(out, LabOutput)
    assert out.metrics["mrr"] == 1.0


def test_a_folder_of_somebody_elses_is_not_kept_in(data: Path, tmp_path: Path, house: Opener) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "qmsum-verbatim").mkdir(parents=True)
    (theirs / "qmsum-verbatim" / "letters.txt").write_text("mine", "utf-8")
    request = LabAllInput(data=data, sets=("qmsum",), keep=theirs)
    with pytest.raises(InputError, match="holds something that is not the lab's"):
        run_all(house(tmp_path / "home").settings, request, lambda _: None)
    assert (theirs / "qmsum-verbatim" / "letters.txt").read_text("utf-8") == "mine"


@pytest.mark.parametrize("sample", ["0", "5/4", "1/0", "half", "-1", "", "1/2/3"])
def test_a_share_that_is_none_is_refused(sample: str, data: Path, tmp_path: Path, house: Opener) -> None:
    request = LabAllInput(data=data, sets=("qmsum",), sample=sample)
    with pytest.raises(InputError, match=r"4 \(every fourth question\)"):
        run_all(house(tmp_path / "home").settings, request, lambda _: None)


def test_a_share_that_leaves_no_question_is_refused(data: Path, tmp_path: Path, house: Opener) -> None:
    request = LabAllInput(data=data, sets=("qmsum",), sample="9/9")
    with pytest.raises(InputError, match="qmsum has no question in the share 9/9"):
        run_all(house(tmp_path / "home").settings, request, lambda _: None)


def test_of_a_share_so_many_are_asked_at_most_spread_evenly() -> None:
    assert [*Share(1, 1).picked(5)] == [0, 1, 2, 3, 4]
    assert [*Share(2, 4).picked(11)] == [1, 5, 9]
    assert [*Share(1, 1, 3).picked(10)] == [0, 3, 6]
    assert [*Share(2, 2, 2).picked(11)] == [1, 5]
    assert [*Share(1, 1, 40).picked(3)] == [0, 1, 2]


def test_a_set_that_is_broken_is_refused_before_any_is_measured(data: Path, tmp_path: Path, house: Opener) -> None:
    (data / "documents" / "edges.tsv").write_text("src\tdst\n20\t10\n", "utf-8")
    said: list[str] = []
    with pytest.raises(InputError, match=r"the files of eips in .* are of another form"):
        run_all(house(tmp_path / "home").settings, LabAllInput(data=data), said.append)
    assert said == []


@pytest.mark.parametrize(
    ("dataset", "file", "words"),
    [
        ("graph", "edges.tsv", "src\tdst\n20\t10\n"),
        (
            "asof",
            "status_history.jsonl",
            '{"doc": 20, "date": "soon", "field": "status", "old": "", "new": "", "commit": ""}\n',
        ),
    ],
)
def test_documents_that_are_broken_are_refused_with_what_to_do(
    data: Path, tmp_path: Path, house: Opener, dataset: Any, file: str, words: str
) -> None:
    (data / "documents" / file).write_text(words, "utf-8")
    request = LabInput(data=data / "documents", dataset=dataset)
    with pytest.raises(InputError, match=rf"the files of {dataset} in .* are of another form"):
        run_lab(house(tmp_path / "home").settings, request, lambda _: None)


def test_only_the_sets_that_are_named_are_measured(data: Path, tmp_path: Path, house: Opener) -> None:
    settings = house(tmp_path / "home").settings
    request = LabAllInput(data=data, sets=("qmsum",), settings={"recall.legWeights.vector": 0, "recall.topKFacts": 1})
    table = run_all(settings, request, lambda _: None)
    assert list(table.rows) == ["qmsum"]
    assert table.rows["qmsum"].legs.get("vector", {"fired": 0})["fired"] == 0
    assert table.rows["qmsum"].floors["vector"]["recall@10"] == 0.0
    assert table.rows["qmsum"].ablation == {}
    assert "What each part" not in lab_text(table)


@pytest.mark.parametrize(("sets", "said"), [(("locomo",), r"no locomo \(locomo\*\.json\)"), ((), r"val\.jsonl")])
def test_a_set_that_is_not_there_is_refused(tmp_path: Path, house: Opener, sets: tuple[str, ...], said: str) -> None:
    settings = house(tmp_path / "home").settings
    with pytest.raises(InputError, match=said):
        run_all(settings, LabAllInput(data=tmp_path / "nothing", sets=sets), lambda _: None)


def test_an_unknown_setting_is_refused_before_anything_is_loaded(tmp_path: Path, house: Opener) -> None:
    with pytest.raises(InputError, match=r"recall\.legWeights\.luck"):
        run_lab(
            house(tmp_path / "home").settings,
            LabInput(dataset="qmsum", data=tmp_path, settings={"recall.legWeights.luck": 1}),
            lambda _: None,
        )


def test_a_table_of_no_rows_is_only_a_head() -> None:
    assert lab_text(LabTable(rows={})).startswith("| set | questions | recall@5 |")


def test_records_are_all_there_when_each_is_covered_however_many_memories_that_takes(
    tmp_path: Path, house: Opener
) -> None:
    app = house(tmp_path / "home", namespace="lab/g")
    records = tuple(Record(key, Turn("", 0, "user", key)) for key in ("d1", "d2"))

    def keep(key: str, words: str) -> Home:
        now = app.clock.now()
        memory = Memory(
            id=app.clock.new_id("mem"),
            category="fact",
            namespace="lab/g",
            created=now,
            updated=now,
            source="document",
            evidence=(f"{key}:1-1",),
            content=words,
        )
        app.unit_of_work.commit("import", [memory_write(memory)])
        return Home.of(app, Dataset("d", (Group("g", records, ()),)), KeptHome(tmp_path, "", 1.0))

    keep("d1", "The first passage.")
    with pytest.raises(StoreError, match="1 are not there; the first is d2"):
        keep("d1", "The second passage.").check_all_there()
    keep("d2", "The other record.").check_all_there()
