"""The goldens and the page that shows one, against the renderer; `PELLUCID_UPDATE_GOLDENS=1` writes them anew."""

import os
import re
from math import fsum
from typing import get_args

import pytest

from kits.rendering import GOLDEN, full, golden
from pellucid.xray.render.formats import RENDERERS, Format, render

SUFFIXES: dict[Format, str] = {"json": "json", "text": "txt", "markdown": "md", "html": "html"}
UPDATE = os.environ.get("PELLUCID_UPDATE_GOLDENS") == "1"  # noqa: TID251 - a switch of this test, not a setting
PAGE = GOLDEN.parents[2] / "docs" / "xray.md"


@pytest.mark.parametrize("form", SUFFIXES)
@pytest.mark.parametrize("name", ["full", "minimal", "null"])
def test_every_format_draws_the_golden_to_the_byte(name: str, form: Format) -> None:
    path = GOLDEN / f"{name}.{SUFFIXES[form]}"
    drawn = render(golden(name), form).encode() + b"\n"
    if UPDATE:
        path.write_bytes(drawn)
    assert path.read_bytes() == drawn


def test_every_format_has_a_renderer_and_a_golden() -> None:
    assert set(get_args(Format)) == RENDERERS.keys() == SUFFIXES.keys()


def test_text_and_markdown_say_the_same_of_every_result() -> None:
    def results(form: Format, start: str) -> str:
        drawn = render(full(), form, verbose=True).split(start)[1]
        return re.split(r"^--- rejected|^## Rejected", drawn, flags=re.MULTILINE)[0]

    text = re.findall(r"^    ([a-z-]+): (.+)$", results("text", "--- results ---"), re.MULTILINE)
    markdown = re.findall(r"^- \*\*([\w ]+):\*\* (.+)$", results("markdown", "## Results"), re.MULTILINE)
    plain = [
        (label.lower().replace(" ", "-"), value.replace("`", "").replace("→", "->").replace("\\", ""))
        for label, value in markdown
    ]
    assert len(text) > 30
    assert plain == text


def test_the_scores_of_the_golden_are_the_sum_of_their_terms() -> None:
    for result in full().results:
        scores = result.score_decomposition.model_dump(exclude_none=True)
        final, penalty = scores.pop("final"), scores.pop("mmr_penalty", 0.0)
        assert abs(fsum([*scores.values(), -penalty]) - final) < 1e-9


def test_the_ladder_of_the_golden_chains_down_to_its_results() -> None:
    snapshot = full()
    admitted = [rung.admitted for rung in snapshot.filters]
    assert [rung.considered for rung in snapshot.filters[1:]] == admitted[:-1]
    assert admitted[-1] == len(snapshot.results) == len(snapshot.context.included)
    assert snapshot.filters[0].considered - admitted[-1] == snapshot.rejected_total


def test_the_results_of_the_golden_stand_in_order_with_one_confidence_an_edge() -> None:
    results = full().results
    assert results == tuple(sorted(results, key=lambda each: -each.score_decomposition.final))
    paths = [(each.graph_path, each.graph_edge_confidences) for each in results if each.graph_path]
    assert paths
    assert all(confidences and len(confidences) == len(path) - 1 for path, confidences in paths)


def test_a_superseded_memory_of_the_golden_is_turned_away_and_none_is_a_result() -> None:
    snapshot = full()
    assert "status-active" in {each.rejected_by for each in snapshot.rejected}
    assert all(each.provenance.safe_to_use for each in snapshot.results if each.provenance)
    assert not {each.memory_id for each in snapshot.results} & {each.memory_id for each in snapshot.rejected}


def test_the_page_shows_the_golden_as_it_is() -> None:
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert (GOLDEN / "full.txt").read_text("utf-8") in blocks
