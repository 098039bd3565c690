"""The page of what retrieval is worth in, its table out: that of the run that is published, and nobody's by hand.

`PELLUCID_UPDATE_DOCS=1` writes the table anew.
"""

import json
import os
import re

import pytest

from kits.snippets import ROOT
from pellucid.lab.every_set import LabTable
from pellucid.surfaces.present.lab import measured

PAGE, PUBLISHED = ROOT / "docs" / "retrieval.md", ROOT / "bench" / "results" / "lab-all.json"
UPDATE = os.environ.get("PELLUCID_UPDATE_DOCS") == "1"  # noqa: TID251 - a switch of this test, not a setting
TABLE = re.compile(r"(?<=<!-- every-set:start -->\n).*?(?=<!-- every-set:end -->)", re.DOTALL)


@pytest.mark.requirement("LAB-3")
def test_the_page_shows_the_table_of_the_published_run() -> None:
    found = json.loads(PUBLISHED.read_text("utf-8"))
    beside = ("seconds", "command", "machine")
    table = LabTable.model_validate({name: value for name, value in found.items() if name not in beside})
    page = PAGE.read_text("utf-8")
    drawn = TABLE.sub(lambda _: measured(table) + "\n", page)
    if UPDATE:
        PAGE.write_text(drawn, "utf-8")
    assert drawn == page
    assert TABLE.search(page)
