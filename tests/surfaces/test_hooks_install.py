"""A program's files of hooks and of MCP servers in; the same with ours, and without them again, out."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kits.cli import Cli
from pellucid.errors import ConflictError
from pellucid.surfaces.hooks.hostfile import Edit, HostFile
from pellucid.surfaces.hooks.install import CLIENT

THEIRS = """{
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh"}]}],
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}
        ]
    },
    "zebra": "ünchanged"
}"""
FILES = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json"}
SERVERS = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}
CONFIG = {
    "claude-code": '{\n  "numStartups": 4,\n  "projects": {\n    "/src": {\n      "mcpServers": {}\n    }\n  }\n}',
    "codex": '# mine\nmodel = "o9"\n\n[mcp_servers.docs]\ncommand = "docs"   # theirs\n\n[tui]\ntheme = "ünchanged"',
    "cursor": '{"mcpServers": {"docs": {"command": "docs", "args": ["-x"]}}}\n',
}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def commands(table: object) -> list[str]:
    if isinstance(table, dict):
        own = [table["command"]] if isinstance(table.get("command"), str) else []
        return own + [each for value in table.values() for each in commands(value)]
    return [each for value in table for each in commands(value)] if isinstance(table, list) else []


@pytest.mark.parametrize("program", FILES)
def test_hooks_go_in_once_and_out_without_a_trace(cli: Cli, at_home: Path, program: str) -> None:
    file = at_home / FILES[program]
    said = cli("hooks", "install", "--for", program)
    assert "+++" in said.out
    table = json.loads(file.read_text())
    ours = commands(table)
    assert ours
    assert all(f"-S -E {CLIENT} {program}" in each for each in ours)
    assert set(table["hooks"]) >= ({"stop", "sessionStart"} if program == "cursor" else {"Stop", "SessionStart"})
    assert (table.get("version") == 1) == (program == "cursor")
    before = file.read_bytes()
    assert cli("hooks", "install", "--for", program).out.count("nothing to do") == 2
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{program}, user: {file}" in cli("hooks", "status").out
    cli("hooks", "remove", "--for", program)
    assert not file.exists()
    assert [each for each in at_home.rglob("*") if not each.is_dir()] == []
    assert cli("hooks", "remove", "--for", program, code=None).code


def test_what_others_put_there_stays_and_comes_back_to_the_byte(cli: Cli, at_home: Path) -> None:
    file = at_home / FILES["claude-code"]
    file.parent.mkdir()
    file.write_text(THEIRS)
    file.chmod(0o644)
    said = cli("hooks", "install", "--for", "claude-code")
    table = json.loads(file.read_text())
    assert list(table) == ["model", "hooks", "zebra"]
    assert [each for each in commands(table) if "pellucid" not in each] == ["check.sh", "say done"]
    assert '    "zebra": "ünchanged"\n}' in file.read_text()
    backup = file.with_name("settings.json.before-pellucid")
    assert backup.read_text() == THEIRS
    assert f"as it was before ours: {backup}" in said.out
    assert file.stat().st_mode & 0o777 == 0o644
    cli("hooks", "remove", "--for", "claude-code")
    assert file.read_text() == THEIRS
    assert not backup.exists()


def test_what_was_changed_since_stays_when_ours_go(cli: Cli, at_home: Path) -> None:
    file = at_home / FILES["claude-code"]
    file.parent.mkdir()
    file.write_text(THEIRS)
    cli("hooks", "install", "--for", "claude-code")
    file.write_text(file.read_text().replace('"opus"', '"haiku"'))
    cli("hooks", "remove", "--for", "claude-code")
    table = json.loads(file.read_text())
    assert table == json.loads(THEIRS.replace("opus", "haiku"))
    assert file.with_name("settings.json.before-pellucid").read_text() == THEIRS


@pytest.mark.parametrize("program", FILES)
def test_windows_line_ends_stay_and_come_back_to_the_byte(cli: Cli, at_home: Path, program: str) -> None:
    files = {at_home / FILES[program]: THEIRS, at_home / SERVERS[program]: CONFIG[program]}
    given = {each: text.replace("\n", "\r\n").encode() for each, text in files.items()}
    for each, data in given.items():
        each.parent.mkdir(exist_ok=True)
        each.write_bytes(data)
    cli("hooks", "install", "--for", program)
    for each in given:
        data = each.read_bytes()
        assert b"pellucid" in data
        assert data.count(b"\r\n") == data.count(b"\n") > 5
    cli("hooks", "remove", "--for", program)
    assert {each: each.read_bytes() for each in given} == given
    assert not [*at_home.rglob("*.before-pellucid")]


def servers(file: Path) -> dict[str, Any]:
    table = tomllib.loads(file.read_text()) if file.suffix == ".toml" else json.loads(file.read_text())
    return table.get("mcp_servers", table.get("mcpServers", {}))


@pytest.mark.parametrize("program", SERVERS)
def test_the_agent_is_given_the_tools_too_beside_what_others_registered(
    cli: Cli, at_home: Path, tmp_path: Path, program: str
) -> None:
    file = at_home / SERVERS[program]
    file.parent.mkdir(exist_ok=True)
    file.write_text(CONFIG[program])
    theirs = servers(file)
    assert "no tools of ours" not in cli("hooks", "status").out
    said = cli("hooks", "install", "--for", program)
    assert f"+++ {file}" in said.out
    ours = servers(file)["pellucid"]
    assert (ours["command"], ours["args"][:4]) == (sys.executable, ["-P", "-m", "pellucid", "mcp"])
    assert ours["args"][4:] == ["--home", str(tmp_path / "home")]
    assert {name: each for name, each in servers(file).items() if name != "pellucid"} == theirs
    assert "no tools of ours" not in cli("hooks", "status").out
    cli("hooks", "remove", "--for", program)
    assert file.read_text() == CONFIG[program]


@pytest.mark.parametrize("name", ["mem-\U0001f600", "größe", 'a "b" \\c', "tab\tand\x7fdel"])
@pytest.mark.parametrize("program", SERVERS)
def test_the_tools_are_registered_for_a_home_of_any_name(
    cli: Cli, at_home: Path, tmp_path: Path, program: str, name: str
) -> None:
    home = str(tmp_path / name)
    cli("hooks", "install", "--for", program, "--home", home)
    assert servers(at_home / SERVERS[program])["pellucid"]["args"][4:] == ["--home", home]
    cli("hooks", "remove", "--for", program, "--home", home)
    assert not (at_home / SERVERS[program]).exists()


@pytest.mark.parametrize("program", SERVERS)
def test_hooks_may_be_had_without_the_tools(cli: Cli, at_home: Path, program: str) -> None:
    cli("hooks", "install", "--for", program, "--no-mcp")
    assert not (at_home / SERVERS[program]).exists()
    assert "the agent has no tools of ours" in cli("hooks", "status").out


@pytest.mark.parametrize("program", SERVERS)
def test_a_server_that_somebody_registered_as_they_like_is_theirs(cli: Cli, at_home: Path, program: str) -> None:
    file = at_home / SERVERS[program]
    file.parent.mkdir(exist_ok=True)
    text = '{"mcpServers": {"pellucid": {"command": "pellucid", "args": ["mcp"]}}}'
    if program == "codex":
        text = '[mcp_servers.pellucid]\ncommand = "pellucid"\nargs = ["mcp"]\n'
    file.write_text(text)
    cli("hooks", "install", "--for", program)
    assert file.read_text() == text
    assert "no tools of ours" not in cli("hooks", "status").out
    cli("hooks", "remove", "--for", program)
    assert file.read_text() == text


@pytest.mark.parametrize("program", SERVERS)
def test_what_else_was_set_of_our_server_stays_when_it_is_renewed(cli: Cli, at_home: Path, program: str) -> None:
    file = at_home / SERVERS[program]
    file.parent.mkdir(exist_ok=True)
    old = {"command": "/old/python", "args": ["-P", "-m", "pellucid", "mcp"], "enabled": False}
    text = json.dumps({"mcpServers": {"pellucid": old}})
    if program == "codex":
        head = "\n".join(f"{key} = {json.dumps(value)}" for key, value in old.items())
        approved = '[mcp_servers.pellucid.tools.memory_recall]\napproval_mode = "approve"\n'
        text = f"[mcp_servers.pellucid]\n{head}\n\n{approved}"
    file.write_text(text)
    cli("hooks", "install", "--for", program, "--no-mcp")
    assert "of another installation" in cli("hooks", "status").out
    cli("hooks", "install", "--for", program)
    ours = servers(file)["pellucid"]
    assert (ours["command"], ours["enabled"]) == (sys.executable, False)
    if program == "codex":
        assert ours["tools"] == {"memory_recall": {"approval_mode": "approve"}}
    cli("hooks", "remove", "--for", program)
    assert not file.exists() or "pellucid" not in file.read_text()


def test_servers_in_a_form_that_cannot_be_added_to_are_left_alone(cli: Cli, at_home: Path) -> None:
    file = at_home / SERVERS["codex"]
    file.parent.mkdir()
    for text in ('mcp_servers = {docs = {command = "docs"}}\n', "[mcp_servers\n", "mcp_servers = 3\n"):
        file.write_text(text)
        said = cli("hooks", "install", "--for", "codex", code=None)
        assert said.code
        assert file.read_text() == text
        assert not (at_home / FILES["codex"]).exists()


def test_a_projects_tools_are_registered_for_that_project_alone(cli: Cli, at_home: Path, tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir()
    (at_home / ".claude.json").write_text('{"numStartups": 4}\n')
    cli("hooks", "install", "--for", "claude-code", "--project")
    table = json.loads((at_home / ".claude.json").read_text())
    assert "pellucid" in table["projects"][str(tmp_path / "work")]["mcpServers"]
    assert "mcpServers" not in table
    for program in ("codex", "cursor"):
        cli("hooks", "install", "--for", program, "--project")
        assert "pellucid" in servers(tmp_path / "work" / SERVERS[program])
    for program in SERVERS:
        cli("hooks", "remove", "--for", program, "--project")
    assert json.loads((at_home / ".claude.json").read_text()) == {"numStartups": 4}
    assert not [each for each in (tmp_path / "work").rglob("*") if each.is_file()]


def test_without_the_extra_no_server_is_registered_that_would_not_start(
    cli: Cli, at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pellucid.surfaces.hooks.install.has_server", lambda: False)
    assert "pellucid[server]" in cli("hooks", "install", "--for", "cursor").out
    assert not (at_home / SERVERS["cursor"]).exists()


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(cli: Cli, at_home: Path) -> None:
    said = cli("hooks", "install", "--for", "codex", "--dry-run")
    assert "UserPromptSubmit" in said.out
    assert "not written" in said.out
    assert not (at_home / ".codex").exists()


def test_a_file_that_is_something_else_is_left_alone(cli: Cli, at_home: Path) -> None:
    file = at_home / FILES["claude-code"]
    file.parent.mkdir()
    for text in ('{"hooks": [', "[]", '{"hooks": {"Stop": {}}}', '// mine\n{"hooks": {}}', "[" * 100_000):
        file.write_text(text)
        said = cli("hooks", "install", "--for", "claude-code", code=2)
        assert str(file) in said.err
        assert file.read_text() == text


@pytest.mark.parametrize("text", ["[mcp_servers", f"x = {'[' * 100_000}", f"x = {'9' * 5000}"])
def test_a_file_of_servers_that_is_no_toml_is_left_alone(cli: Cli, at_home: Path, text: str) -> None:
    file = at_home / SERVERS["codex"]
    file.parent.mkdir()
    file.write_text(text)
    assert f"{file} is no TOML" in cli("hooks", "install", "--for", "codex", code=2).err
    assert file.read_text() == text


def test_a_file_that_cannot_be_written_is_told_with_what_to_do_next_and_stays(cli: Cli, at_home: Path) -> None:
    file = at_home / FILES["claude-code"]
    backup = file.with_name("settings.json.before-pellucid")
    backup.mkdir(parents=True)
    file.write_text(THEIRS)
    said = cli("hooks", "install", "--for", "claude-code", code=5)
    assert f"{backup}: Is a directory" in said.err
    assert said.err.endswith(")\n")
    assert file.read_text() == THEIRS
    assert sorted(file.parent.iterdir()) == [file, backup]


def test_a_folder_that_cannot_be_made_is_told_with_what_to_do_next(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/proc/self")
    said = cli("hooks", "install", "--for", "claude-code", code=5)
    assert "settings.json: No such file" in said.err
    assert said.err.endswith(")\n")


def test_what_somebody_writes_meanwhile_stays_and_so_does_the_backup_of_before(at_home: Path) -> None:
    file = HostFile(at_home / "settings.json", THEIRS)
    file.backup.write_text("of before")
    file.path.write_text("of meanwhile")
    with pytest.raises(ConflictError):
        Edit(file, "{}", keep=True).make(dry_run=False)
    assert (file.backup.read_text(), file.path.read_text()) == ("of before", "of meanwhile")


def test_a_link_is_followed_within_the_home_and_never_out_of_it(cli: Cli, at_home: Path, tmp_path: Path) -> None:
    file = at_home / FILES["claude-code"]
    file.parent.mkdir()
    (at_home / "dotfiles").mkdir()
    mine = at_home / "dotfiles" / "settings.json"
    mine.write_text("{}\n")
    file.symlink_to(mine)
    cli("hooks", "install", "--for", "claude-code")
    assert file.is_symlink()
    assert commands(json.loads(mine.read_text()))
    cli("hooks", "remove", "--for", "claude-code")
    assert mine.read_text() == "{}\n"
    file.unlink()
    theirs = tmp_path / "theirs.json"
    theirs.write_text("{}\n")
    file.symlink_to(theirs)
    said = cli("hooks", "install", "--for", "claude-code", code=None)
    assert said.code
    assert "outside" in said.err
    assert theirs.read_text() == "{}\n"


def test_a_projects_hooks_stand_in_the_file_that_is_not_shared(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir()
    cli("hooks", "install", "--for", "claude-code", "--project")
    assert commands(json.loads((tmp_path / "work" / ".claude" / "settings.local.json").read_text()))
    assert "claude-code, project" in cli("hooks", "status").out


def test_hooks_of_another_installation_are_replaced(cli: Cli, at_home: Path) -> None:
    file = at_home / FILES["codex"]
    file.parent.mkdir()
    old = {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python /old/surfaces/hooks/client.py codex"}]}]}
    }
    file.write_text(json.dumps(old))
    assert "of another installation" in cli("hooks", "status").out
    cli("hooks", "install", "--for", "codex")
    assert not [each for each in commands(json.loads(file.read_text())) if "/old/" in each]
    assert "of another installation" not in cli("hooks", "status").out


def test_the_home_is_named_where_it_is_not_the_usual_one(cli: Cli, at_home: Path, tmp_path: Path) -> None:
    cli("hooks", "install", "--for", "codex")
    assert f"--home {tmp_path / 'home'}" in commands(json.loads((at_home / FILES["codex"]).read_text()))[0]


def test_an_unknown_program_is_refused_with_those_that_are_known(cli: Cli) -> None:
    said = cli("hooks", "install", "--for", "emacs", code=None)
    assert "claude-code, codex, cursor" in said.err


def test_the_plugin_says_what_an_installation_writes(at_home: Path) -> None:
    from pellucid.surfaces.hooks.install import entries

    plugin = Path(__file__).parents[2] / "plugin"
    manifest = json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())
    assert manifest["name"] == "pellucid"
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())
    assert hooks["hooks"] == entries("claude-code", "pellucid-hook claude-code")
    assert json.loads((plugin / ".mcp.json").read_text()) == {
        "mcpServers": {"pellucid": {"command": "pellucid", "args": ["mcp"]}}
    }
