"""A copy of the package with one more file and its place in the table in, the operation on every surface out."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.snippets import ROOT

OPERATION = '''
"""A namespace in, how many memories it has out."""

from typing import Annotated

from pellucid.app import App
from pellucid.model.wire import Wire
from pellucid.operations.operation import Flag, Operation, Surfaces, in_home


class CountInput(Wire):
    """The memories to count."""

    namespace: str
    category: Annotated[str, Flag("Only those of this category.")] = ""


class CountOutput(Wire):
    """A number of memories."""

    number: int

    def as_text(self) -> str:
        """Return the number in words."""
        return f"{self.number} memories"


def count_memories(app: App, request: CountInput) -> CountOutput:
    """Count the memories of a namespace."""
    found = app.index.memories(request.namespace)
    return CountOutput(number=sum(request.category in ("", each.memory.category) for each in found))


COUNT = Operation(
    "memory.count",
    "Count the memories of a namespace.",
    CountInput,
    CountOutput,
    in_home(count_memories),
    "read",
    Surfaces("count", http=("GET /v1/count",), mcp="memory_search:count"),
)
'''
PLACE = {
    "from pellucid.operations import browsing,": "from pellucid.operations import browsing, counting,",
    "        browsing.SHOW,\n": "        browsing.SHOW,\n        counting.COUNT,\n",
}
MAKE_INDEX = """
from pellucid.surfaces.cli.derived import commands_json
from pellucid.surfaces.command_line import INDEX

INDEX.write_text(commands_json(), "utf-8")
"""
ASK_PROGRAMS = """
import json
from pellucid import Pellucid
from pellucid.surfaces.http.openapi import document
from pellucid.surfaces.http.routes import SPELLING, routes_of
from pellucid.surfaces.mcp.tools import spelling, tools
from pellucid.table import OPERATIONS

with Pellucid(namespace="local/default") as memory:
    called = memory.call("memory.count", category="fact")
print(json.dumps({
    "python": called.to_wire(),
    "route": document(routes_of(OPERATIONS))["paths"]["/v1/count"]["get"]["operationId"],
    "modes": tools()["memory_search"].listed.input_schema["properties"]["mode"]["enum"],
    "said over HTTP": SPELLING.call("memory.count", {"category": "fact"})[0],
    "said over MCP": spelling().call("memory.count", {"category": "fact"})[0],
}))
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Runs Python in a copy of the package that has the operation, in an empty home; what it printed."""
    package = tmp_path / "src" / "pellucid"
    shutil.copytree(ROOT / "src" / "pellucid", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "operations" / "counting.py").write_text(OPERATION.lstrip(), "utf-8")
    table = (package / "table.py").read_text("utf-8")
    for before, after in PLACE.items():
        assert before in table
        table = table.replace(before, after)
    (package / "table.py").write_text(table, "utf-8")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PELLUCID_")},  # noqa: TID251
        "PYTHONPATH": str(tmp_path / "src"),
        "PELLUCID_HOME": str(tmp_path / "home"),
    }

    def run_python(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run_python("-c", MAKE_INDEX)
    return run_python


def test_a_file_and_its_place_in_the_table_are_an_operation_on_every_surface(run: Callable[..., str]) -> None:
    section = run("-m", "pellucid", "--help").partition("Ask and look around:")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in section.split("\n") if line][:4] == ["recall", "list", "show", "count"]
    assert "Count the memories of a namespace." in section
    assert "--category" in run("-m", "pellucid", "count", "--help")
    assert run("-m", "pellucid", "count") == "0 memories\n"
    assert json.loads(run("-m", "pellucid", "count", "--json")) == {"number": 0}

    answers = json.loads(run("-c", ASK_PROGRAMS))
    assert answers["python"] == {"number": 0}
    assert answers["route"] == "memory.count"
    assert "count" in answers["modes"]
    assert answers["said over HTTP"] == "GET /v1/count?category=fact"
    assert answers["said over MCP"] == 'memory_search {"mode": "count", "category": "fact"}'
