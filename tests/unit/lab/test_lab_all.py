"""A folder with small data sets in, one row a set out; and a set of meetings by itself."""

import json
from pathlib import Path

import pytest
from eips_kit import write_set
from sessions_kit import write_sessions
from vault_kit import Opener

from pellucid.errors import InputError, StoreError
from pellucid.lab.datasets.dataset import Dataset, Group, Record
from pellucid.lab.datasets.qmsum import load
from pellucid.lab.every_set import LabAllInput, LabTable, run_all
from pellucid.lab.home import Home
from pellucid.lab.measuring import LabInput, LabOutput, run_lab
from pellucid.lab.variants import ABLATED, TRIED
from pellucid.memory.keep import memory_write
from pellucid.model.memory import Memory
from pellucid.model.turn import Turn
from pellucid.surfaces.cli.present.lab import measured

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


@pytest.mark.slow
@pytest.mark.requirement("LAB-3")
def test_every_set_below_a_folder_is_a_row_with_floors_gains_and_costs(
    data: Path, tmp_path: Path, house: Opener
) -> None:
    said: list[str] = []
    table = run_all(house(tmp_path / "home").settings, LabAllInput(data=data, ablate=True), said.append)
    assert list(table.rows) == ["qmsum", "sessions", "eips"]
    for row in table.rows.values():
        assert set(row.floors) == {"bm25", "vector"}
        assert set(row.ablation) == set(row.costs) == {*ABLATED, *TRIED}
        assert 0.0 <= row.metrics["evidence@2000"] <= 1.0
        assert row.ablation["vector"]["evidence@2000"]["interval"]
    assert table.rows["eips"].metrics["recall@5"] == 1.0
    imports = [line for line in said if line.startswith(("importing", "indexing"))]
    assert len(imports) == 4, "each set once, and the floors of the sessions"
    lines = measured(table).splitlines()
    assert [line.split(" ")[1] for line in lines[2:5]] == ["qmsum", "sessions", "eips"]
    assert len({line.count("|") for line in lines[:5]}) == 1
    assert any(line.startswith("| rerank |") for line in lines)
    assert any(line.startswith("sessions: strict@2000 1.000") for line in lines)


def test_only_the_sets_that_are_named_are_measured(data: Path, tmp_path: Path, house: Opener) -> None:
    settings = house(tmp_path / "home").settings
    request = LabAllInput(data=data, sets=("qmsum",), settings={"recall.legWeights.vector": 0, "recall.topKFacts": 1})
    table = run_all(settings, request, lambda _: None)
    assert list(table.rows) == ["qmsum"]
    assert table.rows["qmsum"].legs.get("vector", {"fired": 0})["fired"] == 0
    assert table.rows["qmsum"].floors["vector"]["recall@10"] == 0.0
    assert table.rows["qmsum"].ablation == {}
    assert "| part |" not in measured(table)


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
    assert measured(LabTable(rows={})).startswith("| set | questions | recall@5 |")


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
        app.keeper.commit("import", [memory_write(memory)])
        return Home.of(app, Dataset("d", (Group("g", records, ()),)), 1.0)

    keep("d1", "The first passage.")
    with pytest.raises(StoreError, match="1 are not there; the first is d2"):
        keep("d1", "The second passage.").check_all_there()
    keep("d2", "The other record.").check_all_there()
