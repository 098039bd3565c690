"""What Pellucid says to do next in, how each surface says it out: its own tools, routes and fields, and no flags."""

import ast
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from kits.cli import Cli
from kits.mcp import call, standing
from kits.serving import served
from pellucid import Pellucid
from pellucid.errors import (
    InputError,
    NotFoundError,
    Spelling,
    assignment,
    bare_step,
    field_name,
    recorded_step,
    spell_recorded,
    spelled_by,
    step,
)
from pellucid.operations.memory.forgetting import ForgetInput, PurgeInput
from pellucid.operations.memory.lifecycle.aging import DuePass
from pellucid.operations.operation import flag_name, input_error_of
from pellucid.operations.recall.request import RecallInput
from pellucid.settings import load
from pellucid.surfaces import inputs
from pellucid.surfaces.command_line import HOME, JSON, NAMESPACE, commands
from pellucid.surfaces.dashboard.acts import page_spelling
from pellucid.surfaces.http import routes
from pellucid.surfaces.http.openapi import document
from pellucid.surfaces.http.routes import routes_of
from pellucid.surfaces.mcp import tools
from pellucid.surfaces.spelling import add_reference, fields_of, shell_spelling
from pellucid.table import OPERATIONS

SOURCE = Path(__file__).parents[2] / "src" / "pellucid"
SHELL = shell_spelling([RecallInput], {})
SERVERS = {"http": routes.SPELLING, "mcp": tools.spelling()}
EACH = pytest.mark.parametrize("spelling", SERVERS.values(), ids=SERVERS)
ROWS = {row.name: row for row in OPERATIONS}
COMMANDS = {each.operation or words: each for words, each in commands().items()}
FLAGS = {flag for each in commands().values() for parameter in each.parameters if (flag := parameter.flag)}
OTHERS_FLAGS = ("git/", "capture/own_output.py", "capture/transcripts/tools/commits.py")
"""Rooms that name flags of git, and the layouts by which our own output is recognised."""
PLACEHOLDER = "X"


def trees(*, below_surfaces: bool = False) -> Iterator[tuple[str, ast.Module]]:
    """Each module by its path in the package; `below_surfaces` leaves the surfaces out."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = str(path.relative_to(SOURCE))
        if not (below_surfaces and name.startswith("surfaces/")):
            yield name, ast.parse(path.read_text("utf-8"))


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every literal text that the code of a module may say, with its line: no docstrings, and no declared flags."""
    unsaid = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    declared = ("Flag", "Parameter", "flag.name")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in declared:
            unsaid |= {id(each) for each in (*node.args[1:], *(keyword.value for keyword in node.keywords))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in unsaid:
            yield node.lineno, node.value


def steps() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every step that the code may name: where, its operation and its fields; what is filled in stands as X."""
    for name, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("step", "bare_step", "recorded_step"):
                fields = {each.arg: _value(each.value) for each in node.keywords if each.arg}
                for operation in filter(lambda each: isinstance(each, ast.Constant), node.args):
                    yield f"{name}:{node.lineno}", str(ast.literal_eval(operation)), fields


def _value(node: ast.expr) -> Any:
    """The value of a step's field as written down, X where it is known at run time only."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return PLACEHOLDER


STEPS = list(steps())


def test_no_module_below_the_surfaces_writes_a_command_or_a_flag() -> None:
    for name, tree in trees(below_surfaces=True):
        if not name.startswith(OTHERS_FLAGS):
            for line, text in texts(tree):
                assert not re.search(r"`pellucid (?:[a-z]|$)", text), f"{name}:{line}: {text}"
                named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+(?![\w-]*=)", text))
                assert not named & FLAGS, f"{name}:{line}: {text}"


def test_every_step_names_an_operation_and_fields_that_it_has() -> None:
    assert len(STEPS) > 80
    for where, operation, fields in STEPS:
        row, command = ROWS.get(operation), COMMANDS.get(operation)
        assert row or command, f"{where}: {operation}"
        known = {each.name for each in inputs.writable_fields(row).values()} if row else set[str]()
        known |= {each.name for each in command.parameters} if command else set()
        assert fields.keys() <= known | {"namespace"}, f"{where}: {fields}"


@EACH
def test_every_step_is_a_call_of_the_surface_or_a_command_in_a_shell(spelling: Spelling) -> None:
    for where, operation, fields in STEPS:
        with spelled_by(SHELL):
            typed = step(operation, **fields)
        with spelled_by(spelling):
            told = step(operation, **fields)
        assert typed.startswith(f"`pellucid {COMMANDS[operation].words}"), where
        assert told == f"{typed} in a shell" or not re.search(r"`pellucid |(?<![\w-])--[a-z]", told), f"{where}: {told}"


def test_a_pass_that_is_due_names_an_operation() -> None:
    for name in ("lifecycle", "consolidate", "report"):
        how = str(DuePass(name, 7.0, 9.0, ran=True)).rpartition("run ")[2]
        assert how == f'`call("lifecycle.{name if name != "lifecycle" else "run"}")`'


def test_no_answer_names_a_command_or_a_flag_but_through_the_spelling() -> None:
    for path in (SOURCE / "surfaces" / "present").rglob("*.py"):
        if path.name in ("hooks.py", "adopt.py", "lab.py", "lab_table.py"):
            continue
        for line, text in texts(ast.parse(path.read_text("utf-8"))):
            assert not re.search(r"(?<![\w-])--[a-z]|pellucid [a-z]+ |the same command", text), (path, line, text)


def test_what_fields_are_said_to_be_is_no_command_line() -> None:
    told = [json.dumps(document(routes_of(OPERATIONS)))]
    told += [each.listed.model_dump_json() for each in tools.tools().values()]
    for text in told:
        assert not re.search(r"may be repeated|`pellucid |(?<![\w-])--[a-z]|standard input", text)


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_a_field_has_the_name_of_the_surface_or_is_a_flag_in_a_shell(row: Any) -> None:
    for name, each in inputs.writable_fields(row).items():
        with spelled_by(routes.SPELLING):
            assert field_name(each.name) == json.dumps(name)
        with spelled_by(tools.spelling(row)):
            typed = f"{flag_name(each.model, each.name)} (in a shell)"
            assert field_name(each.name) == (json.dumps(name) if name in inputs.agent_fields(row) else typed)
        with spelled_by(shell_spelling([each.model], {})):
            common = {HOME.name: HOME.flag, NAMESPACE.name: NAMESPACE.flag}
            assert field_name(each.name) == common.get(each.name, flag_name(each.model, each.name))
    for spelling, whole in ((routes.SPELLING, "format=json"), (tools.spelling(row), "the structured content")):
        with spelled_by(spelling):
            assert field_name(JSON.name) == whole


def test_every_field_that_a_message_names_is_one_that_there_is() -> None:
    known = {each.name for row in OPERATIONS for each in inputs.writable_fields(row).values()} | {
        "help",
        "namespace",
        JSON.name,
    }
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


SAID: list[tuple[str, dict[str, Any], str, str | None, str | None]] = [
    ("change.undo", {"target": "op_1"}, "undo op_1", 'POST /v1/undo {"target": "op_1"}', None),
    (
        "recall.xray",
        {"recall_id": "rec_1"},
        "xray --id rec_1",
        "GET /v1/snapshots/rec_1",
        'memory_xray {"recallId": "rec_1"}',
    ),
    (
        "memory.history",
        {"name": "it's one"},
        """history 'it'"'"'s one'""",
        "GET /v1/history/it%27s%20one",
        'memory_history {"mode": "history", "name": "it\'s one"}',
    ),
    (
        "memory.list",
        {"status": "any"},
        "list --status any",
        "GET /v1/memories?status=any",
        'memory_search {"status": "any"}',
    ),
    ("episode.list", {}, "episodes list", "GET /v1/episodes", 'memory_search {"mode": "episodes"}'),
    (
        "memory.forget",
        {"memory_ids": ("m_1", "m_2"), "chain": True, "preview": False},
        "forget m_1 m_2 --chain --yes",
        'POST /v1/forget {"memoryIds": ["m_1", "m_2"], "chain": true, "preview": false}',
        'memory_forget {"memoryIds": ["m_1", "m_2"], "chain": true, "preview": false}',
    ),
    (
        "memory.pin",
        {"memory_id": "mem_1", "pinned": False},
        "pin mem_1 --off",
        'POST /v1/memories/mem_1/pin {"pinned": false}',
        None,
    ),
    (
        "change.undo",
        {"target": "op_1", "namespace": "a/b"},
        "undo op_1 --namespace a/b",
        'POST /v1/undo?namespace=a%2Fb {"target": "op_1"}',
        None,
    ),
    (
        "memory.purge",
        {"before": datetime(2026, 1, 2, tzinfo=UTC)},
        "purge --before 2026-01-02T00:00:00.000Z",
        'POST /v1/purge {"before": "2026-01-02T00:00:00.000Z"}',
        None,
    ),
    ("home.rebuild", {}, "rebuild", "POST /v1/rebuild", None),
    ("home.models", {"action": "pull"}, "models pull", None, None),
    ("session.observe", {"flush_due": True}, "observe --flush-due", None, None),
    ("hooks install", {"program": "codex"}, "hooks install --for codex", None, None),
]
"""Steps: an operation, its fields; the command, the request and the tool's call of it, None if a surface has none."""


def test_a_step_is_the_same_call_however_it_is_said() -> None:
    for operation, fields, typed, over_http, over_mcp in SAID:
        for spelling, expected in (
            (SHELL, f"pellucid {typed}"),
            (SERVERS["http"], over_http),
            (SERVERS["mcp"], over_mcp),
        ):
            with spelled_by(spelling):
                assert bare_step(operation, **fields) == (expected or f"pellucid {typed} (in a shell)"), operation
                assert step(operation, **fields) == (f"`{expected}`" if expected else f"`pellucid {typed}` in a shell")


def test_a_command_repeats_the_home_and_the_namespace_that_were_typed() -> None:
    typed = {"home": Path("/tmp/my home"), "namespace": "a/b"}
    with spelled_by(shell_spelling([], typed)):
        assert step("change.undo", target="op_1") == "`pellucid undo op_1 --home '/tmp/my home' --namespace a/b`"
        assert step("change.undo", target="op_1", namespace="c/d").endswith(" --namespace c/d`")
        assert step("home.rebuild") == "`pellucid rebuild --home '/tmp/my home'`"


def test_what_gives_a_field_a_value_is_said_as_the_surface_takes_it() -> None:
    told: list[tuple[str, object, str, str, str]] = [
        ("top_k", 3, "--top-k 3", '"topK": 3', "top_k=3"),
        ("scopes", ("a", "b"), "--scope a --scope b", '"scopes": ["a", "b"]', "scopes=('a', 'b')"),
        ("settings", {"gate": "off"}, "--set gate=off", '"settings": {"gate": "off"}', "settings={'gate': 'off'}"),
        ("settings", {"p": []}, "--set p='[]'", '"settings": {"p": []}', "settings={'p': []}"),
    ]
    for name, value, typed, in_json, in_python in told:
        for spelling, expected in ((SHELL, typed), (SERVERS["http"], in_json), (Spelling(), in_python)):
            with spelled_by(spelling):
                assert assignment(name, value) == expected
    with spelled_by(tools.spelling(ROWS["memory.why"])):
        assert assignment("top_k", 3) == '"topK": 3'
        assert assignment("settings", {"gate": "off"}) == "--set gate=off (in a shell)"


def test_a_step_on_record_is_said_as_the_surface_that_shows_it_says_it() -> None:
    pull = recorded_step("home.models", action="pull")
    text = f"no vector yet: run {pull}, then {recorded_step('home.rebuild')}"
    with spelled_by(SHELL):
        assert spell_recorded(text) == "no vector yet: run `pellucid models pull`, then `pellucid rebuild`"
    with spelled_by(routes.SPELLING):
        told = "no vector yet: run `pellucid models pull` in a shell, then `POST /v1/rebuild`"
        assert spell_recorded(text) == told
    assert spell_recorded(text).endswith('run `call("home.models", action="pull")`, then `call("home.rebuild")`')
    with spelled_by(routes.SPELLING):
        assert spell_recorded("\x02later.version\x03") == "`pellucid later.version` in a shell"
    assert spell_recorded("\x02not ours\x03, `pellucid undo op_1`") == "\x02not ours\x03, `pellucid undo op_1`"


def test_an_error_that_is_raised_again_names_the_call_of_the_surface_that_reads_it() -> None:
    error = NotFoundError("no model", next_step=f"run {recorded_step('home.models', action='pull', reranker=True)}")
    assert error.next_step == 'run `call("home.models", action="pull", reranker=True)`'
    with spelled_by(SHELL):
        assert str(error) == "no model (run `pellucid models pull --reranker`)"
    with spelled_by(routes.SPELLING):
        assert str(error) == "no model (run `pellucid models pull --reranker` in a shell)"


def test_a_page_says_commands_and_names_its_own_button() -> None:
    with spelled_by(page_spelling()):
        assert step("memory.list") == "`pellucid list`"
        assert field_name("top_k") == '"topK"'
        assert field_name("help") == "the page"
    with spelled_by(page_spelling(ROWS["memory.forget"])):
        assert bare_step("memory.forget", memory_ids=("mem_1",)) == "the button below"
        assert bare_step("change.undo", target="op_1") == "the button below"
        assert step("change.undo", target="ID") == "`pellucid undo ID` in a shell"


def test_words_of_a_memory_are_never_taken_for_a_step(cli: Cli, tmp_path: Path) -> None:
    words = "Type `pellucid list` and --top-k 3, then \x02home.rebuild\x03."
    with Pellucid(tmp_path / "home") as memory:
        memory.remember("The relay listens on port 9041.")
        with pytest.raises(NotFoundError) as raised:
            memory.show(words)
    assert f"no memory {words} in " in raised.value.message
    assert raised.value.next_step.startswith('`call("memory.list")` shows ids; namespace names')
    with standing(tmp_path / "home") as calls:
        told = call(calls, "memory_history", mode="show", memoryId=words).content[0].text
    assert "Type `pellucid list` and --top-k 3, then \\x02home.rebuild\\x03." in told
    assert '(`memory_search` shows ids; "namespace" names another place)' in told


def test_a_preview_names_the_call_that_does_it() -> None:
    asked = ForgetInput(namespace="a/b", memory_ids=("mem_1",), chain=True)
    assert fields_of(asked, preview=False) == {"memory_ids": ("mem_1",), "chain": True, "preview": False}
    fitting = PurgeInput(namespace="a/b", status="archived", session_id="it's one")
    assert fields_of(fitting, preview=False) == {"status": "archived", "session_id": "it's one", "preview": False}


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


@EACH
def test_an_input_error_without_a_next_step_names_the_reference_of_the_surface(spelling: Spelling) -> None:
    error = InputError("that is off")
    with spelled_by(spelling):
        add_reference(error)
    assert error.next_step in ("/openapi.json says what it takes", "the tool's input schema says what it takes")
