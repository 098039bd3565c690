"""Lists page by page: everything once, whatever is written meanwhile; a cursor that was not given is refused."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kits.cli import Cli
from kits.serving import Served, served
from kits.vault import SESSIONS
from pellucid.settings import load


@pytest.fixture
def server(cli: Cli, tmp_path: Path) -> Iterator[Served]:
    cli("import", str(SESSIONS), "--namespace", "local/default")
    with served(load(home=tmp_path / "home")) as one:
        for number in range(7):
            one.post("/v1/recall", {"query": f"question {number} about the cache"})
        assert one.post("/v1/lifecycle/run").status == 200  # a first fold would move every tier
        yield one


NEWS = (
    "Olga waters the ferns on Mondays",
    "The harbour crane lifts forty tonnes",
    "Our coffee comes from Sidamo",
    "Bicycles stand behind the gate",
    "The archive smells of cedar",
    "Trumpets are locked in the cellar",
    "Snow closes the northern pass",
)
LISTS = {
    "/v1/memories?": lambda told: [each["memory"]["id"] for each in told["memories"]],
    "/v1/memories?category=moment&": lambda told: [each["memory"]["id"] for each in told["memories"]],
    "/v1/episodes?": lambda told: [each["episode"]["id"] for each in told["episodes"]],
    "/v1/episodes?query=cache+lease+alarm&": lambda told: [each["episode"]["id"] for each in told["episodes"]],
    "/v1/snapshots?": lambda told: [each["recallId"] for each in told["recalls"]],
    "/v1/trust?zone=working&": lambda told: [each["memory"]["id"] for each in told["memories"]],
    "/v1/tiers?": lambda told: [each["memoryId"] for each in told["memories"]],
}


@pytest.mark.requirement("HTTP-5")
def test_every_list_comes_page_by_page_and_writing_meanwhile_moves_nothing(server: Served) -> None:
    for news, (path, ids) in zip(NEWS, LISTS.items(), strict=True):
        whole = server.get(f"{path}limit=1000").json
        assert "next" not in whole
        found: list[str] = []
        told: dict[str, Any] = server.get(f"{path}limit=3").json
        for number in range(1000):
            found += ids(told)
            if "next" not in told:
                break
            if number == 0:
                server.post("/v1/memories", {"content": news})
                server.post("/v1/recall", {"query": "meanwhile"})
            told = server.get(f"{path}limit=3&after={told['next']}").json
        assert [each for each in found if each in ids(whole)] == ids(whole), path
        assert len(found) == len(set(found))


def test_a_cursor_that_was_not_given_for_this_list_is_refused(server: Served) -> None:
    given = server.get("/v1/memories?limit=1").json["next"]
    raw = bytearray(base64.urlsafe_b64decode(given + "=="))
    raw[-3] ^= 1
    changed = base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")
    for wrong in (changed, given[:-4], "", "%00", "bWVtXzA", given.swapcase()):
        answer = server.get(f"/v1/memories?limit=1&after={wrong}")
        assert (answer.status, answer.json["code"]) == (400, "invalid_after"), wrong
    for path in ("/v1/trust?zone=working&", "/v1/episodes?", "/v1/memories?namespace=local/other&"):
        assert server.get(f"{path}after={given}").json["code"] == "invalid_after"


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("/v1/memories?status=any&limit=1", "/v1/memories?limit=1"),
        ("/v1/memories?category=moment&limit=1", "/v1/memories?category=fact&limit=1"),
        ("/v1/memories?since=2020-01-01&limit=1", "/v1/memories?since=2024-01-01&limit=1"),
        ("/v1/memories?since=2020-01-01&limit=1", "/v1/memories?limit=1"),
        ("/v1/snapshots?since=7d&limit=1", "/v1/snapshots?since=6d&limit=1"),
        ("/v1/snapshots?limit=1", "/v1/snapshots?sessionId=s-1&limit=1"),
        ("/v1/trust?zone=working&limit=1", "/v1/trust?zone=trusted&limit=1"),
        ("/v1/tiers?limit=1", "/v1/tiers?tier=cold&limit=1"),
    ],
)
def test_a_cursor_of_other_filters_is_refused_and_its_own_goes_on(server: Served, path: str, other: str) -> None:
    given = server.get(path).json["next"]
    assert server.get(f"{other}&after={given}").json["code"] == "invalid_after"
    assert server.get(f"{path.replace('limit=1', 'limit=2')}&after={given}").status == 200


def test_the_command_line_goes_on_in_the_same_way(server: Served, cli: Cli) -> None:
    first = cli("list", "--limit", "2", "--json", "--namespace", "local/default").json
    second = cli("list", "--limit", "2", "--after", first["next"], "--json", "--namespace", "local/default").json
    assert second == server.get(f"/v1/memories?limit=2&after={first['next']}").json
