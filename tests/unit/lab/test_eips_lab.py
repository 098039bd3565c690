"""A tiny set in the format of the EIPs in, what `lab run graph` and `lab run asof` measure of it out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.eips import write_set
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.errors import InputError
from pellucid.lab.documents.as_of import AsOfLabOutput
from pellucid.lab.documents.graph import VARIANTS, GraphLabOutput
from pellucid.lab.measuring import run_lab
from pellucid.lab.sets import LabInput
from pellucid.settings import Settings
from pellucid.surfaces.present.lab import lab_text


@pytest.fixture(scope="module")
def settings(minilm: MiniLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of homes that share the encoder which is loaded once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        yield Settings(home=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def told(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> tuple[GraphLabOutput, list[str]]:
    """One run of the graph lab, and what it reported meanwhile."""
    said: list[str] = []
    folder = write_set(tmp_path_factory.mktemp("eips"))
    found = run_lab(settings, LabInput(dataset="graph", data=folder, details=True), said.append)
    assert isinstance(found, GraphLabOutput)
    return found, said


def test_the_edges_of_headers_are_held_against_the_truth(told: tuple[GraphLabOutput, list[str]]) -> None:
    aside = told[0].requires["movedAside"]
    assert (aside["precision"], aside["recall"], aside["true"]) == (1.0, 1.0, 4)
    assert told[0].requires["all"]["missing"] == [[30, 50], [50, 10]]


def test_every_variant_is_measured(told: tuple[GraphLabOutput, list[str]]) -> None:
    assert set(told[0].metrics) == set(told[0].moved_aside) == set(VARIANTS)
    assert told[0].moved_aside["all"]["documents"] == 3
    assert told[0].moved_aside["all"]["direct"] == 1.0
    assert told[0].moved_aside["graphAlone"]["closure"] == 1.0


def test_a_dead_leg_would_be_seen(told: tuple[GraphLabOutput, list[str]]) -> None:
    assert told[0].legs["graph"].get("ok", 0) >= 3
    assert sum(told[0].legs["lexical"].values()) == told[0].questions == 4


def test_progress_is_told_and_details_name_documents(told: tuple[GraphLabOutput, list[str]]) -> None:
    assert any(line.startswith("indexing 5 documents") for line in told[1])
    assert {row["document"] for row in told[0].details} == {20, 30, 40, 50}


def test_the_graph_leg_may_be_left_out_of_all(settings: Settings, tmp_path: Path) -> None:
    request = LabInput(dataset="graph", data=write_set(tmp_path), without=("graph",))
    found = run_lab(settings, request, lambda _: None)
    assert isinstance(found, GraphLabOutput)
    assert found.legs["graph"] == {"off": 4}


def test_past_values_are_answered_from_what_was_indexed(settings: Settings, tmp_path: Path) -> None:
    found = run_lab(settings, LabInput(dataset="asof", data=write_set(tmp_path)), lambda _: None)
    assert isinstance(found, AsOfLabOutput)
    assert found.history["status"] == {"questions": 3, "answered": 3, "wrong": []}
    assert found.history["requires"] == {"questions": 2, "answered": 2, "wrong": []}
    assert found.recall["status"]["found"] == 3
    assert "history answers 3 of 3 about status" in lab_text(found)


def test_the_text_names_the_metrics(told: tuple[GraphLabOutput, list[str]]) -> None:
    text = lab_text(told[0])
    assert "5 documents" in text
    assert "withoutGraph" in text
    assert "graph: ok 4" in text


def test_what_a_set_cannot_do_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="extract"):
        run_lab(settings, LabInput(dataset="graph", data=write_set(tmp_path), mode="extract"), lambda _: None)
