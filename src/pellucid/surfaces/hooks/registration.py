"""A program's file of MCP servers in; the same with ours registered in it, and without ours again, out.

Claude Code keeps them in `~/.claude.json`, those of a project under the project's path; Codex in `config.toml`; Cursor
in `mcp.json`. A server of our name that the user registered in another way is left alone.
"""

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pellucid.errors import InputError
from pellucid.operations.hooks.hosts import HostName
from pellucid.settings import Settings
from pellucid.surfaces.hooks.hostfile import Edit, HostFile, Scope, host_file, parse_object, project_root

_NAME = "pellucid"
_FILES: Mapping[HostName, str] = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
}
_OURS = ("-m", "pellucid", "mcp")
"""Arguments that mark a registration as ours, whichever installation it starts."""
_TABLES = re.compile(r"^(?=[ \t]*\[)", re.MULTILINE)
"""Matches where each table of a TOML file begins."""
_HEAD = f"[mcp_servers.{_NAME}]"


def register_edit(host: HostName, scope: Scope, settings: Settings) -> Edit:
    """Return the edit that adds our MCP server to a program's file, or renews an older registration of ours. It changes
    nothing if that is up to date, or if the user registered a server of our name in another way. It keeps a backup if
    there was no server of our name, but never of Claude Code's file. `InputError` if the file cannot be parsed, or has
    an unusual form.
    """
    file, wanted = _servers_file(host, scope), entry(settings)
    registered = _registration(host, scope, file)
    if registered is not None and (not _is_ours(registered) or wanted.items() <= registered.items()):
        return Edit(file, file.text)
    if host == "codex":
        return Edit(file, _toml_with_ours(file, (registered or {}) | wanted), keep=registered is None)
    table = file.table()
    _servers(file.path, table, _key_path(host, scope), make=True)[_NAME] = (registered or {}) | wanted
    return Edit(file, file.json_text(table), keep=registered is None and _has_backup(host))


def unregister_edit(host: HostName, scope: Scope) -> Edit:
    """Return the edit that removes our MCP server from a program's file; no change if there is none of ours. It
    restores the backup if nothing else was changed since; a file that is empty then is deleted, except a JSON file that
    has a backup. `InputError` if the file cannot be parsed, or has an unusual form.
    """
    file = _servers_file(host, scope)
    if not _is_ours(_registration(host, scope, file)):
        return Edit(file, file.text)
    original = file.original if _has_backup(host) else None
    if host == "codex":
        text_left = _toml_without_ours(file)
        is_same = original is not None and original.rstrip() == text_left.rstrip()
        return Edit(file, original if is_same else text_left if text_left.strip() else None)
    table = file.table()
    _remove_server(file.path, table, _key_path(host, scope))
    if original is not None and parse_object(file.backup, original) == table:
        return Edit(file, original)
    return Edit(file, file.json_text(table) if table or original is not None else None)


def is_registered(host: HostName, scope: Scope, settings: Settings) -> bool | None:
    """Return whether a program's file registers our server: True if as this installation does, or in the user's own
    way; False if the registration is ours with another command or home; None if there is no server of our name.
    `InputError` if the file cannot be read or parsed, or has something other than tables where the servers belong.
    """
    registered = _registration(host, scope, _servers_file(host, scope))
    return None if registered is None else not _is_ours(registered) or entry(settings).items() <= registered.items()


def entry(settings: Settings) -> dict[str, Any]:
    """Return the registration of our server: command and arguments, with `--home` for another home than `~/.pellucid`.
    `-P` keeps Python from importing modules of the working folder.
    """
    home = [] if settings.home == Path("~/.pellucid").expanduser() else ["--home", str(settings.home)]
    return {"command": sys.executable, "args": ["-P", *_OURS, *home]}


def _servers_file(host: HostName, scope: Scope) -> HostFile:
    """Return the file in which a program keeps its MCP servers; for Claude Code the user's, whatever the scope."""
    return host_file(_FILES[host], "user" if host == "claude-code" else scope)


def _has_backup(host: HostName) -> bool:
    """Whether the file is backed up: not Claude Code's, which it rewrites all the time and which has its keys."""
    return host != "claude-code"


def _key_path(host: HostName, scope: Scope) -> tuple[str, ...]:
    """Return the keys under which a program's file keeps its MCP servers, outermost first, such as `("mcpServers",)`.
    For Claude Code and the scope `project`, these are `projects`, the path of the project's folder, and `mcpServers`.
    """
    if host == "codex":
        return ("mcp_servers",)
    is_of_project = host == "claude-code" and scope == "project"
    return ("projects", str(project_root()), "mcpServers") if is_of_project else ("mcpServers",)


def _registration(host: HostName, scope: Scope, file: HostFile) -> dict[str, Any] | None:
    """Return the registration of the server of our name; None if there is none. `InputError` if it, or a table that
    should hold it, is no table, or the file cannot be parsed."""
    table = _parse_toml(file.path, file.text or "") if host == "codex" else file.table()
    registered: object = _servers(file.path, table, _key_path(host, scope), make=False).get(_NAME)
    if registered is None or isinstance(registered, dict):
        return cast("dict[str, Any] | None", registered)
    raise InputError(f"{file.path} holds no server by the name of {_NAME}", next_step="put it right, then repeat")


def _servers(path: Path, table: dict[str, Any], keys: tuple[str, ...], *, make: bool) -> dict[str, Any]:
    """Return the table of MCP servers that is in a file's `table` under `keys`, outermost first. If it is missing, it
    is added to `table` with `make`; else an empty table is returned, and `table` stays. `InputError` if the value of a
    key is not a table; `path` is for the message.
    """
    for key in keys:
        inner: object = table.setdefault(key, {}) if make else table.get(key, {})
        if not isinstance(inner, dict):
            raise InputError(f"{path}: {key} is no table", next_step="put it right, then repeat")
        table = cast("dict[str, Any]", inner)
    return table


def _remove_server(path: Path, table: dict[str, Any], keys: tuple[str, ...]) -> None:
    """Remove our server from a file's `table`, where it must be in the table under `keys`, outermost first; also remove
    the tables that are empty then. `path` is for the message of an `InputError`, as of `_servers`.
    """
    del _servers(path, table, keys, make=False)[_NAME]
    for depth in range(len(keys), 0, -1):
        outer = _servers(path, table, keys[: depth - 1], make=False)
        if not outer[keys[depth - 1]]:
            del outer[keys[depth - 1]]


def _is_ours(registered: Mapping[str, Any] | None) -> bool:
    """Whether a registration runs `-m pellucid mcp`, as those that we write do; False for None."""
    arguments: object = (registered or {}).get("args")
    words = cast("list[object]", arguments) if isinstance(arguments, list) else []
    return any(tuple(words[at : at + len(_OURS)]) == _OURS for at in range(len(words)))


def _parse_toml(path: Path, text: str) -> dict[str, Any]:
    """Return a file's TOML text as a table, empty for ""; `InputError` if it does not parse."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, a number of too many digits, too deep a nest
        raise InputError(f"{path} is no TOML: {error}", next_step="put it right, then repeat") from error


def _toml_with_ours(file: HostFile, wanted: Mapping[str, Any]) -> str:
    """Return the TOML text of the file with our table `wanted` added or replaced, and every other line unchanged.
    `InputError` if the file has an unusual form, such as an inline table of servers.
    """
    text = file.text or ""
    plain = [f"{key} = {_toml_value(value)}" for key, value in wanted.items() if not isinstance(value, dict)]
    ours = file.with_line_ends("\n".join([_HEAD, *plain, ""]))
    parts = _TABLES.split(text)
    at = next((at for at, part in enumerate(parts) if part.lstrip().startswith(_HEAD)), None)
    if at is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        parts.append(file.with_line_ends(gap) + ours)
    else:
        parts[at] = ours + file.with_line_ends("\n" if parts[at + 1 :] else "")
    expected = _parse_toml(file.path, text)
    _servers(file.path, expected, ("mcp_servers",), make=True)[_NAME] = dict(wanted)
    return _check_toml(file, "".join(parts), expected)


def _toml_value(value: object) -> str:
    """Return a string, number, boolean or list of these as TOML, which is its JSON, but for two differences: TOML has
    no escapes of halves of a character, and allows DEL only as an escape.
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_without_ours(file: HostFile) -> str:
    """Return the TOML text of the file without our table and its subtables; `InputError` if its form is unusual."""
    expected = _parse_toml(file.path, file.text or "")
    _remove_server(file.path, expected, ("mcp_servers",))
    parts = _TABLES.split(file.text or "")
    other_parts = [part for part in parts if not part.lstrip().startswith((_HEAD, f"{_HEAD[:-1]}."))]
    left = "".join(other_parts)
    return _check_toml(
        file, left if other_parts[-1] is parts[-1] else left.rstrip() + file.with_line_ends("\n"), expected
    )


def _check_toml(file: HostFile, after: str, expected: dict[str, Any]) -> str:
    """Return the new TOML text `after` if it parses to the table `expected`; else `InputError`: its form is unusual."""
    try:
        parsed = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        parsed = None
    if parsed != expected:
        raise InputError(
            f"{file.path} holds its servers in a form that is not changed by itself",
            next_step="codex mcp add pellucid -- pellucid mcp, and codex mcp remove pellucid, do it",
        )
    return after
