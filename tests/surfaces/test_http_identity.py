"""The same recall over the command line and over HTTP is the same bytes; and HTTP has nothing of its own."""

from pathlib import Path

import pytest

from kits.cli import Cli
from kits.serving import served
from kits.vault import SESSIONS
from pellucid.settings import load
from pellucid.surfaces import inputs
from pellucid.surfaces.http.openapi import document
from pellucid.surfaces.http.routes import routes_of
from pellucid.table import OPERATIONS

QUESTIONS = (
    "when does the replica lag alarm fire",
    "how often do we cut releases",
    "what did we decide about the cache",
    "who owns billing",
    "which port",
    "why was the lease moved",
    "staging database",
    "nothing about gardening here",
    "what changed in April",
    "badge",
)
DIFFERING = ({}, {"topK": 3}, {"budget": 400}, {"settings": {"legWeights.vector": 2}}, {"without": ["lexical"]})
HERE = ("--namespace", "local/default")
OTHERS = ("list", "snapshots list", "episodes list", "trust list", "tier list", "graph audit")


@pytest.mark.requirement("HTTP-1")
def test_a_recall_is_the_same_bytes_over_every_surface(cli: Cli, tmp_path: Path) -> None:
    cli("import", str(SESSIONS), *HERE)
    home = tmp_path / "home"
    with served(load(home=home)) as server:
        ids = [
            server.post("/v1/recall", {"query": question, **how}).json["recallId"]
            for question in QUESTIONS
            for how in DIFFERING
        ]
        assert len(set(ids)) == 50
        for recall in ids:
            for form in ("json", "text", "markdown"):
                over_http = server.get(f"/v1/snapshots/{recall}?format={form}").text
                assert over_http == cli("xray", "--id", recall, "--format", form).out
        in_full = cli("xray", "--id", ids[0], "--verbose").out
        for said in ("verbose=true", "verbose=1", "verbose="):
            assert server.get(f"/v1/snapshots/{ids[0]}?format=text&{said}").text == in_full
        rows = {row.on.cli: row for row in OPERATIONS}
        for words in OTHERS:
            path = rows[words].on.http[0].removeprefix("GET ")
            told = server.get(f"{path}?format=text").text.splitlines()
            for here, typed in zip(told, cli(*words.split(), *HERE, code=None).out.splitlines(), strict=True):
                assert here == typed or "pellucid " in typed or " --" in typed  # those are said as requests
            assert server.get(path).text == cli(*words.split(), *HERE, "--json", code=None).out


@pytest.mark.requirement("HTTP-2")
def test_every_route_and_field_is_the_tables() -> None:
    told = document(routes_of(OPERATIONS))
    routes = {each for row in OPERATIONS for each in row.on.http}
    assert len(routes) == sum(len(methods) for methods in told["paths"].values())
    known = {name for row in OPERATIONS for name in inputs.writable_fields(row)}
    everywhere = {"namespace", "format", "verbose", "Idempotency-Key"}
    for methods in told["paths"].values():
        for operation in methods.values():
            assert {each["name"] for each in operation["parameters"]} <= known | everywhere
            for content in operation.get("requestBody", {}).get("content", {}).values():
                assert set(content["schema"].get("properties", {})) <= known


def test_no_field_names_a_file_of_the_server() -> None:
    for row in OPERATIONS:
        for each in inputs.writable_fields(row).values():
            assert "Path" not in str(each.info.annotation)


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.on.http], ids=lambda row: row.name)
def test_every_field_is_described(row: object) -> None:
    for name, each in inputs.input_schema(row)["properties"].items():  # type: ignore[arg-type]
        assert each.get("description"), name
