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
