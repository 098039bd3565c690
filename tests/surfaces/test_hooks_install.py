"""A program's file of hooks in; the same with ours, and without them again, out."""

import json
from pathlib import Path

import pytest

from kits.cli import Cli
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
    assert "nothing to do" in cli("hooks", "install", "--for", program).out
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{program}, user: {file}" in cli("hooks", "status").out
    cli("hooks", "remove", "--for", program)
    assert not file.exists()
    assert list(file.parent.iterdir()) == []
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
    assert f"before that: {backup}" in said.out
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


def test_a_dry_run_shows_what_would_be_written_and_writes_nothing(cli: Cli, at_home: Path) -> None:
    said = cli("hooks", "install", "--for", "codex", "--dry-run")
    assert "UserPromptSubmit" in said.out
    assert "not written" in said.out
    assert not (at_home / ".codex").exists()


def test_a_file_that_is_something_else_is_left_alone(cli: Cli, at_home: Path) -> None:
    file = at_home / FILES["claude-code"]
    file.parent.mkdir()
    for text in ('{"hooks": [', "[]", '{"hooks": {"Stop": {}}}', '// mine\n{"hooks": {}}'):
        file.write_text(text)
        said = cli("hooks", "install", "--for", "claude-code", code=None)
        assert said.code
        assert file.read_text() == text


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
