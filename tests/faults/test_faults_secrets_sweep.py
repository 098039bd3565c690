"""Transcripts with a fake token in every field in, every byte and file name of the home out: none holds a token."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from pellucid.app import App, open_app
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.settings import load

HERE = "local/default"
Fill = Callable[[str], str]


def body(field: str) -> str:
    return sha256(field.encode()).hexdigest()[:36]


class Filled:
    """Fills fields with what is made of their names, and remembers which there were."""

    def __init__(self, make: Fill) -> None:
        self._make = make
        self.fields: list[str] = []

    def __call__(self, field: str) -> str:
        self.fields.append(field)
        return self._make(field)


def secret(field: str) -> str:
    """What looks like a token, put together here."""
    return "gh" + "p_" + body(field)


def canary(field: str) -> str:
    """The same length and letters, and nothing that looks like a secret."""
    return "the-" + body(field)


def decided(fill: Fill, name: str) -> str:
    return f"We decided to use {fill(name)} for the harbour crane, because it lifts forty tonnes."


def claude_code(fill: Fill) -> list[object]:
    def line(kind: str, content: object, **more: object) -> dict[str, object]:
        message = {"role": kind, "content": content, "id": fill("cc.message"), "model": fill("cc.model")}
        return {
            "type": kind,
            "message": message,
            "uuid": fill("cc.uuid"),
            "parentUuid": fill("cc.parent"),
            "sessionId": fill("cc.session"),
            "cwd": fill("cc.cwd"),
            "gitBranch": fill("cc.branch"),
            "version": fill("cc.version"),
            "timestamp": "2026-05-01T10:00:00Z",
            **more,
        }

    call = {"type": "tool_use", "id": fill("cc.call"), "name": fill("cc.tool"), "input": {fill("cc.key"): fill("cc.v")}}
    output = {"type": "tool_result", "tool_use_id": fill("cc.call"), "content": decided(fill, "cc.output")}
    return [
        {"type": "summary", "summary": fill("cc.summary"), "leafUuid": fill("cc.leaf")},
        line("user", decided(fill, "cc.text")),
        line("assistant", [{"type": "text", "text": decided(fill, "cc.block")}, call]),
        line("user", [output]),
        line("user", decided(fill, "cc.side"), isSidechain=True, agentId=fill("cc.agent")),
    ]


def codex(fill: Fill) -> list[object]:
    def item(payload: dict[str, object]) -> dict[str, object]:
        return {"timestamp": "2026-05-01T10:00:00Z", "type": "response_item", "payload": payload}

    words = [{"type": "input_text", "text": decided(fill, "cx.text")}]
    call = {"name": fill("cx.tool"), "arguments": json.dumps({fill("cx.key"): fill("cx.v")}), "call_id": fill("cx.c")}
    meta = {"id": fill("cx.session"), "cwd": fill("cx.cwd"), "git": {"branch": fill("cx.branch")}}
    return [
        {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": meta},
        item({"type": "message", "role": "user", "id": fill("cx.id"), "content": words}),
        item({"type": "function_call", **call}),
        item({"type": "function_call_output", "call_id": fill("cx.c"), "output": decided(fill, "cx.output")}),
        item({"type": "local_shell_call", "id": fill("cx.shell"), "action": {"command": ["echo", fill("cx.word")]}}),
    ]


def openai_chat(fill: Fill) -> list[object]:
    call = {"id": fill("oa.call"), "function": {"name": fill("oa.tool"), "arguments": json.dumps({"a": fill("oa.v")})}}
    messages = [
        {"role": "user", "content": decided(fill, "oa.text"), "name": fill("oa.name"), "id": fill("oa.id")},
        {"role": "assistant", "content": None, "refusal": fill("oa.refusal"), "tool_calls": [call]},
        {"role": "tool", "tool_call_id": fill("oa.call"), "content": decided(fill, "oa.output")},
        {"role": "user", "content": decided(fill, "oa.more"), "agent": fill("oa.agent")},
    ]
    return [{"messages": messages, "id": fill("oa.session"), "title": fill("oa.title")}]


def plain_jsonl(fill: Fill) -> list[object]:
    def line(number: int, **more: object) -> dict[str, object]:
        return {"role": "user", "content": decided(fill, f"pj.text{number}"), **more}

    long = "n" * 90 + " "
    return [
        line(1, session=fill("pj.session"), name=fill("pj.name"), agent=fill("pj.agent"), id=fill("pj.id")),
        line(2, session=long + fill("pj.long-session"), name=long + fill("pj.long-name"), ts=fill("pj.ts")),
        line(3) | {"role": "tool", "tool": fill("pj.tool"), "session": fill("pj.session")},
        line(4),
        {"role": fill("pj.role"), "content": fill("pj.unread")},
    ]


def write_transcripts(folder: Path, fill: Fill) -> None:
    """One file of each format; each is named by a token, too."""
    folder.mkdir()
    for name, lines in (
        ("cc", claude_code(fill)),
        ("cx", codex(fill)),
        ("oa", openai_chat(fill)),
        ("pj", plain_jsonl(fill)),
    ):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{fill(f'{name}.file')}.jsonl").write_text(text, "utf-8")
    spoken = f"Alice: {decided(fill, 'pt.text')}\n[{fill('pt.at')[:30]}] Bob: {decided(fill, 'pt.more')}\n"
    (folder / f"{fill('pt.file')}.txt").write_text(spoken, "utf-8")


def keep(app: App, fill: Fill) -> None:
    """Once anew, and once again with more to say of it."""
    words = decided(fill, "remember.content")
    for again in ("", "-again"):
        given = RememberInput(
            content=words,
            namespace=HERE,
            tags=(fill(f"remember.tag{again}"),),
            entity_ref=fill("remember.entity"),
            session_id=fill("remember.session"),
            agent=fill("remember.agent"),
            scopes=(fill("remember.scope"),),
        )
        assert remember(app, given).created is (again == "")


def traces(home: Path, fields: list[str]) -> dict[str, set[str]]:
    """Where pieces of a field's filling stand in the home: in the name of a file, or in its bytes."""
    pieces = {field: body(field)[:12].encode() for field in fields}
    found: dict[str, set[str]] = {}
    for path in (path for path in home.rglob("*") if "models" not in path.parts):
        name = str(path.relative_to(home))
        data = path.read_bytes().lower() if path.is_file() else b""
        haystack = name.lower().encode() + b"\n" + data
        for field, piece in pieces.items():
            if piece in haystack or piece.decode().encode("utf-16-le") in haystack:
                found.setdefault(field, set()).add(name)
            if piece in name.encode():
                found.setdefault(field, set()).add("a file's name")
    return found


@pytest.fixture
def app(tmp_path: Path, model_cache: Path) -> Iterator[App]:
    opened = open_app(load(home=tmp_path / "home", namespace=HERE), models=model_cache.parent)
    yield opened
    opened.close()


def sweep(app: App, folder: Path, make: Fill) -> dict[str, set[str]]:
    fill = Filled(make)
    write_transcripts(folder, fill)
    keep(app, fill)
    for mode in ("extract", "verbatim"):
        outcome = import_transcripts(app, ImportInput(paths=tuple(folder.iterdir()), mode=mode, namespace=HERE))
        assert (outcome.files, outcome.turns_taken > 10, outcome.memories > 0) == (5, True, True)
    return traces(app.settings.home, fill.fields)


@pytest.mark.requirement("CAP-2")
def test_a_canary_in_any_stored_field_is_found(app: App, tmp_path: Path) -> None:
    found = sweep(app, tmp_path / "canaries", canary)
    stored = {
        "cc.text",
        "cc.session",
        "cc.agent",
        "cc.output",
        "cc.v",
        "cx.text",
        "cx.session",
        "cx.word",
        "oa.text",
        "oa.name",
        "oa.session",
        "oa.v",
        "pj.text1",
        "pj.session",
        "pj.name",
        "pj.agent",
        "pj.file",
        "pt.text",
        "pt.file",
        "pj.long-name",
        "pj.long-session",
        "remember.content",
        "remember.tag",
        "remember.tag-again",
        "remember.entity",
        "remember.session",
        "remember.agent",
        "remember.scope",
    }
    assert stored <= found.keys(), stored - found.keys()
    places = set().union(*found.values())
    for place in ("a file's name", "index.db", "vault/.pellucid/ledger/", "vault/episodes/", "vault/facts/"):
        assert any(name.startswith(place) for name in places), place


@pytest.mark.requirement("CAP-2")
def test_a_secret_in_any_field_is_in_no_byte_and_no_name_of_the_home(app: App, tmp_path: Path) -> None:
    assert sweep(app, tmp_path / "secrets", secret) == {}
