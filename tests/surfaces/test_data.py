"""`data export` and `data erase` as commands and as requests."""

import json
from pathlib import Path

import pytest

from kits.cli import Cli
from kits.serving import served
from pellucid.settings import load


@pytest.mark.requirement("FORGET-6")
def test_what_is_exported_is_what_is_erased_once_it_is_confirmed(cli: Cli, tmp_path: Path) -> None:
    kept = cli("remember", "The canary sings at dawn", "--session", "s9", "--json").json["memory"]["id"]
    cli("recall", "when does it sing?", "--session", "s9")
    out = tmp_path / "s9.jsonl"
    cli("data", "export", "--session", "s9", "--out", str(out))
    records = [json.loads(line)["record"] for line in out.read_text("utf-8").splitlines()]
    assert sorted(records) == ["memory", "queries", "recall_events", "receipts", "xray"]
    preview = cli("data", "erase", "--session", "s9").out
    assert f"{kept}  fact, asked: The canary sings at dawn" in preview
    assert "to go on: pellucid data erase --session s9 --yes" in preview
    assert kept[-10:] in cli("list").out
    assert "this cannot be undone" in cli("data", "erase", "--session", "s9", "--yes").out
    assert cli("data", "export", "--session", "s9").out == ""
    assert "nothing is kept of it" in cli("data", "erase", "--session", "s9").out
    assert "name a session or an agent" in cli("data", "erase", code=2).err


@pytest.mark.requirement("FORGET-6")
def test_over_http_both_take_every_right(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "The canary sings at dawn", "--session", "s9")
    token = cli("token", "create", "--name", "writer", "--grant", "local/default:write", "--json").json["token"]
    with served(load(home=tmp_path / "home")) as server:
        erase = {"sessionId": "s9", "preview": False}
        assert server.get("/v1/data/export?sessionId=s9", token=token).status == 403
        assert server.post("/v1/data/erase", erase, token=token).status == 403
        assert b"canary" in server.get("/v1/data/export?sessionId=s9").body
        assert not server.post("/v1/data/erase", {"sessionId": "s9"}).json["done"]
        assert server.post("/v1/data/erase", erase).json["done"]
        assert server.get("/v1/data/export?sessionId=s9").body == b""
