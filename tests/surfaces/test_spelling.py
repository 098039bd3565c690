"""What Pellucid says to do next in, how each surface says it out: its own tools, routes and fields, and no flags."""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from kits.cli import Cli
from kits.mcp import call, standing
from kits.serving import served
from pellucid.errors import InputError, NotFoundError
from pellucid.operations.browsing import LIST
from pellucid.operations.memory.forgetting import ForgetInput, PurgeInput
from pellucid.operations.operation import Argument, flag_name, input_error_of
from pellucid.settings import load
from pellucid.surfaces import inputs
from pellucid.surfaces.answers import spell_for_program
from pellucid.surfaces.command_line import commands
from pellucid.surfaces.commands import Spelling, answering, quoted, spell_commands, spelled_by
from pellucid.surfaces.http import routes
from pellucid.surfaces.http.openapi import document
from pellucid.surfaces.http.routes import routes_of
from pellucid.surfaces.mcp import tools
from pellucid.surfaces.requests import command_for, parse_command
from pellucid.table import OPERATIONS

SOURCE = Path(__file__).parents[2] / "src" / "pellucid"
SERVERS = {"http": routes.SPELLING, "mcp": tools.SPELLING}
EACH = pytest.mark.parametrize("spelling", SERVERS.values(), ids=SERVERS)
BEYOND_SERVERS = ("surfaces/cli/", "surfaces/hooks/", "lab/", "surfaces/present/hooks.py", "operations/hooks/event.py")
"""What no server says: commands of their own, and what a hook prints into a program's own screen."""
RAW = ("capture/", "surfaces/commands.py", "recall/receipt/pool", "xray/why/suggest.py")
"""Layouts that are recognised, and the flags that `why` puts on record; its text spells them, see below."""


def said() -> Iterator[tuple[str, str]]:
    """Every text with a command in it that the code may say, and where; what is filled in stands as X."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = str(path.relative_to(SOURCE))
        if name.startswith((*BEYOND_SERVERS, *RAW)):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in within | docs:
                continue
            text = _text(node)
            if text and "`pellucid " in text:
                yield f"{name}:{node.lineno}", text  # type: ignore[attr-defined]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "X" for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


SAID = list(said())


@EACH
def test_every_command_in_a_text_is_one_that_there_is_and_is_said_as_the_surface_says_it(spelling: Spelling) -> None:
    assert len(SAID) > 30
    for where, text in SAID:
        for words in re.findall("`pellucid ([^`]+)`", text):
            named = words.split()
            assert {" ".join(named[:n]) for n in (1, 2)} & set(commands()), f"{where}: {words}"
        with spelled_by(spelling):
            told = spell_commands(text)
        for left in re.findall(r"`pellucid ([^`]+)`(.{0,11})", told):
            assert left[1].startswith(" in a shell"), f"{where}: {told}"
            assert spelling.command(left[0]) is None
        assert not re.search(r"(?<![\w`-])--[a-z]", re.sub("`[^`]*`", "", told)), f"{where}: {told}"


def test_no_answer_names_a_command_or_a_flag_but_through_the_spelling() -> None:
    for path in (SOURCE / "surfaces" / "present").rglob("*.py"):
        if path.name in ("hooks.py", "adopt.py", "lab.py", "lab_table.py"):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        flag_name = {
            id(each)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("command", "quoted", "flag", "_going_on")
            for each in ast.walk(node)
        }
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in flag_name | docs:
                assert not re.search(r"(?<![\w-])--[a-z]|pellucid [a-z]+ |the same command", node.value), (
                    path,
                    node.value,
                )


def test_what_fields_are_said_to_be_is_no_command_line() -> None:
    told = [json.dumps(document(routes_of(OPERATIONS)))]
    told += [each.listed.model_dump_json() for each in tools.tools().values()]
    for text in told:
        assert not re.search(r"may be repeated|`pellucid |(?<![\w-])--[a-z]|standard input", text)


@EACH
@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.on.cli], ids=lambda row: row.name)
def test_a_flag_is_the_field_that_it_sets_of_the_operation_that_is_asked(spelling: Spelling, row: Any) -> None:
    fields = inputs.writable_fields(row)
    here = fields if spelling is routes.SPELLING else inputs.agent_fields(row)
    if not (row.on.http if spelling is routes.SPELLING else row.on.mcp):
        return
    with spelled_by(spelling), answering(row):
        for name, each in fields.items():
            typed = flag_name(each.model, each.name)
            if not isinstance(each.flag, Argument):
                assert spell_commands(typed) == (json.dumps(name) if name in here else f"{typed} (in a shell)")


def test_every_field_that_a_message_names_is_one_that_there_is() -> None:
    known = {each.name for row in OPERATIONS for each in inputs.writable_fields(row).values()} | {"help", "namespace"}
    known |= {name for row in OPERATIONS if not (row.on.http or row.on.mcp) for name in row.input.model_fields}
    for path in SOURCE.rglob("*.py"):
        for named in re.findall(r"field_name\([\"'](\w+)[\"']\)", path.read_text("utf-8")):
            assert named in known, (path, named)


def test_what_would_admit_a_memory_is_said_in_the_fields_of_the_surface(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "The relay listens on port 9041.", "--tag", "net")
    asked = {"memory": "relay listens", "query": "Which port does the relay listen on?"}
    lifted = {"tags": ["air"], "categories": ["decision"], "byAgent": "ada", "inSession": "s9", "asOf": "2020-01-01"}
    told = [({name: value}, f'leave out "{name}"') for name, value in lifted.items()]
    settings = {**asked, "settings": {"abstainAt": 0.01}}
    with served(load(home=tmp_path / "home")) as server:
        for field, expected in told:
            said = server.post("/v1/why?format=text", {**asked, **field}).text
            assert expected in said
            assert "--" not in said
        assert '"settings": {"abstainAt": 1}' in server.post("/v1/why?format=text", settings).text
    with standing(tmp_path / "home") as calls:
        for field, expected in told:
            said = call(calls, "memory_xray", mode="why", **asked, **field).content[0].text
            assert expected in said
            assert "--" not in said


def test_a_request_is_the_same_however_it_is_said() -> None:
    assert [parse_command("undo op_1"), parse_command("nosuch thing"), parse_command("list --nosuch x")][1:] == [
        None,
        None,
    ]
    flag_name = {
        "undo op_1": ('POST /v1/undo {"target": "op_1"}', None),
        "xray --id rec_1": ("GET /v1/snapshots/rec_1", 'memory_xray {"recallId": "rec_1"}'),
        "history mem_1": ("GET /v1/history/mem_1", 'memory_history {"mode": "history", "name": "mem_1"}'),
        "list --status any": ("GET /v1/memories?status=any", 'memory_search {"status": "any"}'),
        "episodes list": ("GET /v1/episodes", 'memory_search {"mode": "episodes"}'),
        "forget m_1 m_2 --chain --yes": (
            'POST /v1/forget {"memoryIds": ["m_1", "m_2"], "chain": true, "preview": false}',
            'memory_forget {"memoryIds": ["m_1", "m_2"], "chain": true, "preview": false}',
        ),
        "pin mem_1 --off": ('POST /v1/memories/mem_1/pin {"pinned": false}', None),
        "undo op_1 --namespace a/b": ('POST /v1/undo?namespace=a%2Fb {"target": "op_1"}', None),
        "rebuild": ("POST /v1/rebuild", None),
        "models pull": (None, None),
    }
    for words, (over_http, over_mcp) in flag_name.items():
        assert (routes.SPELLING.command(words), tools.SPELLING.command(words)) == (over_http, over_mcp), words
    with spelled_by(tools.SPELLING):
        assert quoted("models pull") == "`pellucid models pull` in a shell"


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        ("list --limit many", "limit", '--limit expects a whole number, such as 20; got "many" '),
        ("list --limit 2.5", "limit", '--limit expects a whole number, such as 20; got "2.5" '),
        ("list --limit", "limit", "--limit expects a whole number, such as 20; nothing stands behind it "),
        ("remember x --confidence high", "confidence", '--confidence expects a number, such as 0.5; got "high" '),
    ],
)
def test_a_number_that_is_none_is_told_with_its_field_and_does_not_keep_a_text_from_being_spelled(
    typed: str, field: str, said: str
) -> None:
    with pytest.raises(InputError) as raised:
        parse_command(typed)
    raised.value.spell(lambda name: f"--{name}")
    assert raised.value.code == f"invalid_{field}"
    assert str(raised.value).startswith(said)
    assert "(write it as a " in str(raised.value)
    for spelling in (routes.SPELLING, tools.SPELLING):
        with spelled_by(spelling):
            assert quoted(typed) == f"`pellucid {typed}` in a shell"


def test_a_preview_names_the_call_that_does_it() -> None:
    asked = ForgetInput(namespace="a/b", memory_ids=("mem_1",), chain=True)
    assert command_for("forget", asked, preview=False) == "forget mem_1 --chain --yes"
    fitting = PurgeInput(namespace="a/b", status="archived", session_id="it's one")
    typed = command_for("purge", fitting, preview=False)
    request = parse_command(typed)
    assert request
    assert request.fields == {"status": "archived", "sessionId": "it's one", "preview": False}
    assert shlex.split(typed)[-2:] == ["--session", "it's one"] or "--yes" in typed


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_a_value_that_is_not_allowed_is_told_in_our_words(row: Any) -> None:
    theirs = r"Input should|a valid |validation|Tuple|instance of|dictionary|None|True"
    for field in inputs.writable_fields(row).values():
        for value in (object, -1, "zzz", 3.5, True, [], [1], [{}], {"a": [1]}):
            assert not re.search(theirs, _refused(field.model, {field.name: value}))


def _refused(kind: Any, given: dict[str, Any]) -> str:
    """What is said of an input of these fields; nothing, where it may be."""
    needed = [name for name, info in kind.model_fields.items() if info.is_required()]
    try:
        kind.model_validate({**dict.fromkeys(needed, "x"), **given})
    except ValidationError as error:
        return input_error_of(error, kind).message
    except InputError as error:
        return error.message
    return ""


def test_a_refusal_over_mcp_names_tools_and_fields(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "The crane lifts forty tonnes.")
    with standing(tmp_path / "home") as calls:
        unknown = call(calls, "memory_history", memoryId="mem_0")
        assert "`memory_search`" in unknown.content[0].text
        listed = call(calls, "memory_search").structured_content["memories"][0]["memory"]["id"]
        preview = call(calls, "memory_forget", memoryIds=[listed]).content[0].text
        assert f'memory_forget {{"memoryIds": ["{listed}"], "preview": false}}' in preview
        own = call(calls, "memory_remember", content="The port opens at six.").structured_content["memory"]["id"]
        changed = call(calls, "memory_remember", mode="archive", memoryId=own).content[0].text
        assert re.search(r"back: pellucid undo op_\w+ \(in a shell\)", changed)
        many = call(calls, "memory_search", limit="many")
        assert '"limit" expects a whole number from 1 to 10000; got "many"' in many.content[0].text


def test_an_error_that_names_a_command_is_spelled_where_it_is_told() -> None:
    error = NotFoundError("nothing here", next_step="`pellucid list` shows ids")
    with spelled_by(routes.SPELLING):
        spell_for_program(error, "/openapi.json")
    assert error.next_step == "`GET /v1/memories` shows ids"
    assert LIST.on.http == ("GET /v1/memories",)
