"""The page of what retrieval is worth in, its tables out: those of the runs that are published, and nobody's by hand.

`PELLUCID_UPDATE_DOCS=1` writes the tables anew.
"""

import json
import os
import re

import pytest

from kits.snippets import ROOT
from pellucid.lab.every_set import LabTable
from pellucid.surfaces.present.lab import lab_text

PAGE, RESULTS = ROOT / "docs" / "retrieval.md", ROOT / "bench" / "results"
TABLES = {"floors": "lab-floors.json", "every-set": "lab-all.json"}
UPDATE = os.environ.get("PELLUCID_UPDATE_DOCS") == "1"  # noqa: TID251 - a switch of this test, not a setting


@pytest.mark.requirement("LAB-3")
@pytest.mark.parametrize("name", TABLES)
def test_the_page_shows_the_table_of_the_published_run(name: str) -> None:
    found = json.loads((RESULTS / TABLES[name]).read_text("utf-8"))
    beside = ("seconds", "command", "machine")
    table = LabTable.model_validate({key: value for key, value in found.items() if key not in beside})
    place = re.compile(rf"(?<=<!-- {name}:start -->\n).*?(?=<!-- {name}:end -->)", re.DOTALL)
    page = PAGE.read_text("utf-8")
    drawn = place.sub(lambda _: lab_text(table) + "\n", page)
    if UPDATE:
        PAGE.write_text(drawn, "utf-8")
    assert drawn == page
    assert place.search(page)


def test_the_page_of_the_context_says_what_the_published_sessions_say_of_doubt() -> None:
    found = json.loads((RESULTS / "lab-sessions.json").read_text("utf-8"))["abstention"]
    refused, marked = (
        tuple(f"{found['abstained'][at][side]:.2f}".removeprefix("0") for side in ("unanswerable", "answerable"))
        for at in ("0.65", "0.5")
    )
    auc = f"{found['auc']:.3f}".removeprefix("0")
    page = (ROOT / "docs" / "context.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| the same, `both` |"))
    assert row.startswith(f"| the same, `both` | {auc} (")
    assert row.endswith(f"| {refused[0]}, of the others {refused[1]} | {marked[0]}, of the others {marked[1]} |")
    assert f"| **0.5**, in the mildest words | .84 / .37 | .87 / .37 | {marked[0]} / {marked[1]} |" in page
    assert f"| **0.65**, refused | .20 / .02 | .13 / .02 | {refused[0]} / {refused[1]} |" in page
