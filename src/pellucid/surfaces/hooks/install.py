"""An agent's program in, its hooks file with our hooks added or removed out; the rest of the file as it was."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pellucid.errors import InputError, NotFoundError
from pellucid.model.wire import Wire
from pellucid.operations.hooks.hosts import HOSTS, HostName
from pellucid.settings import Settings
from pellucid.store.local.hooked import HookedSessions
from pellucid.surfaces.extra import has_server
from pellucid.surfaces.hooks import registration
from pellucid.surfaces.hooks.client import is_held
from pellucid.surfaces.hooks.hostfile import Edit, FileChange, HostFile, Scope, host_file

CLIENT = Path(__file__).with_name("client.py")
_OURS = ("surfaces/hooks/client.py", "pellucid-hook")
"""Parts of a hook's command that mark it as ours, whichever installation it runs."""
_TIMEOUT_S = 5
_FILES: Mapping[HostName, Mapping[Scope, str]] = {
    "claude-code": {"user": ".claude/settings.json", "project": ".claude/settings.local.json"},
    "codex": {"user": ".codex/hooks.json", "project": ".codex/hooks.json"},
    "cursor": {"user": ".cursor/hooks.json", "project": ".cursor/hooks.json"},
}
"""The hooks files. A project's for Claude Code is the one not in git, since a hook names a path of this machine."""
_NEXT: Mapping[HostName, str] = {
    "claude-code": "sessions that begin from now on use them; /hooks and /mcp in Claude Code show them",
    "codex": "Codex asks whether you trust them when it starts: say yes; /mcp shows the tools",
    "cursor": "restart Cursor; its settings list them under Hooks and MCP",
}
_NO_SERVER = "no tools are registered for the agent: pip install 'pellucid[server]' brings them, then repeat"


class Installed(Wire):
    """The changes of a program's files of hooks and of MCP servers, and what the user should do next."""

    host: HostName
    files: tuple[FileChange, ...]
    next_step: str = ""


class HookStatus(Wire):
    """Whether our hooks and MCP server are installed for a program in one scope, and the path of its hooks file."""

    host: HostName
    scope: Scope
    path: str
    installed: bool
    current: bool = False
    """Whether hooks of this installation, for this home, are there for every event."""
    tools: bool = False
    """Whether our MCP server is registered."""


class HooksStatus(Wire):
    """The installed hooks, whether a server runs that they call, and how many sessions they reported."""

    places: tuple[HookStatus, ...]
    serving: bool
    sessions: int
    unread: int
    """Sessions whose transcripts have something new."""
    waiting: int
    """Sessions that were reported while no server ran, and that no server has handled yet."""


def entries(host: HostName, command: str) -> dict[str, list[dict[str, Any]]]:
    """Map the events of a program, such as `SessionStart`, to our hooks for them, as the program's file has them: a
    list of one handler that runs the shell command `command` or, for any program but Cursor, a list of one group that
    has such a handler.
    """
    if host == "cursor":
        return {name: [{"command": command}] for name in HOSTS[host].events}
    handler = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
    return {name: [{"hooks": [handler]}] for name in HOSTS[host].events}


def command_of(host: HostName, settings: Settings) -> str:
    """Return the shell command of our hooks: this Python, isolated from the environment, with our client. `--home` is
    part of it unless the home is the default.
    """
    home = [] if settings.home == Path("~/.pellucid").expanduser() else ["--home", str(settings.home)]
    return shlex.join([sys.executable, "-S", "-E", str(CLIENT), host, *home])


def install(
    host: HostName, scope: Scope, settings: Settings, *, tools: bool = True, dry_run: bool = False
) -> Installed:
    """Add our hooks to a program's file (the user's or the project's, by `scope`), replacing older ones of ours; with
    `tools` also register our MCP server, unless the extra `server` is missing, which `next_step` says then. Return the
    changes of the files; a dry run writes nothing.

    `InputError` if a file cannot be read, or has a form that is not changed by itself: nothing is written.
    `ConflictError` if it is changed meanwhile, `StoreError` if it cannot be written: a file written before stays.
    """
    edits, is_able = [_installation_edit(host, scope, settings)], has_server()
    if tools and is_able:
        edits.append(registration.register_edit(host, scope, settings))
    files = tuple(each.make(dry_run=dry_run) for each in edits)
    next_step = _NEXT[host] if any(each.written for each in files) else ""
    return Installed(host=host, files=files, next_step=next_step if is_able or not tools else _NO_SERVER)


def remove(host: HostName, scope: Scope, *, dry_run: bool = False) -> Installed:
    """Remove our hooks and MCP server from a program's files and return the changes of the files; a dry run writes
    nothing. `NotFoundError` if there is nothing of ours. A file that nobody changed since is restored byte by byte, and
    a file that we made is deleted. Other errors as for `install`.
    """
    edits = [_removal_edit(host, scope), registration.unregister_edit(host, scope)]
    edits = [each for each in edits if each.after != each.file.text]
    if not edits:
        path = _hooks_file(host, scope).path
        raise NotFoundError(f"{path} has no hooks of ours", next_step="`pellucid hooks status` says where they are")
    return Installed(host=host, files=tuple(each.make(dry_run=dry_run) for each in edits))


def _installation_edit(host: HostName, scope: Scope, settings: Settings) -> Edit:
    """Return the edit that adds our hooks to a program's file in place of older ones; no change if they are there. It
    keeps a backup if the file had none of our hooks.
    """
    file = _hooks_file(host, scope)
    table_before = _hooks_table(file)
    table = _versioned(host, _without_ours(table_before))
    hooks = table.setdefault("hooks", {})
    for name, ours in entries(host, command_of(host, settings)).items():
        hooks[name] = [*hooks.get(name, []), *ours]
    return Edit(file, file.text if table == table_before else file.json_text(table), keep=not _has_ours(table_before))


def _versioned(host: HostName, table: dict[str, Any]) -> dict[str, Any]:
    """Return the hooks file's table with the `version` that Cursor requires: 1, unless it has one. Unchanged for other
    programs.
    """
    return {"version": 1, **table} if host == "cursor" else table


def _removal_edit(host: HostName, scope: Scope) -> Edit:
    """Return the edit that removes our hooks from a program's file; no change if it has none. The backup is restored if
    the file differs from it only in our hooks; without a backup, a file with nothing else is deleted.
    """
    file = _hooks_file(host, scope)
    table = _hooks_table(file)
    if not _has_ours(table):
        return Edit(file, file.text)
    left, original = _without_ours(table), file.original
    if original is not None and _versioned(host, _hooks_table(HostFile(file.backup, original))) == left:
        return Edit(file, original)
    is_empty = original is None and not {name: part for name, part in left.items() if name != "version" and part}
    return Edit(file, None if is_empty else file.json_text(left))


def status(settings: Settings) -> HooksStatus:
    """Return the status of our hooks for every program and scope, whether a server runs, and the sessions reported."""
    sessions = HookedSessions(settings.home)
    reported = sessions.known()
    return HooksStatus(
        places=tuple(_hook_statuses(settings)),
        serving=is_held(str(settings.home / "server.lock")),
        sessions=len(reported),
        unread=sum(each.due for each in reported),
        waiting=sessions.count_waiting(),
    )


def _hook_statuses(settings: Settings) -> list[HookStatus]:
    """Return the status for every program and scope; those whose files cannot be read or parsed are left out."""
    statuses: list[HookStatus] = []
    for host, files in _FILES.items():
        for scope in files:
            try:
                file = _hooks_file(host, scope)
                table = _hooks_table(file)
                tools = registration.is_registered(host, scope, settings)
            except InputError:
                continue
            wanted = entries(host, command_of(host, settings))
            hooks = table.get("hooks", {})
            current = all(ours[0] in hooks.get(name, []) for name, ours in wanted.items())
            statuses.append(
                HookStatus(
                    host=host,
                    scope=scope,
                    path=str(file.path),
                    installed=_has_ours(table),
                    current=current and tools is not False,
                    tools=tools is not None,
                )
            )
    return statuses


def _hooks_file(host: HostName, scope: Scope) -> HostFile:
    """Return the hooks file of a program, the user's or the project's by `scope`; errors as of `host_file`."""
    return host_file(_FILES[host][scope], scope)


def _hooks_table(file: HostFile) -> dict[str, Any]:
    """Return the JSON object of a hooks file; `InputError` if it is none, or if its `hooks` do not map events
    to lists.
    """
    table = file.table()
    hooks: Any = table.get("hooks", {})
    lists = list(cast("dict[str, Any]", hooks).values()) if isinstance(hooks, dict) else [None]
    if not all(isinstance(each, list) for each in lists):
        raise InputError(f"{file.path} is no file of hooks", next_step="put it right, then repeat")
    return table


def _is_ours(handler: object) -> bool:
    """Whether a handler in a hooks file runs our client, of any installation: its `command` contains
    `surfaces/hooks/client.py` or `pellucid-hook`. False if it is not a handler.
    """
    command = cast("dict[str, Any]", handler).get("command", "") if isinstance(handler, dict) else ""
    return isinstance(command, str) and any(mark in command for mark in _OURS)


def _has_ours(table: dict[str, Any]) -> bool:
    """Whether a hooks file's table has hooks of ours (`_is_ours`), alone or in a group."""
    return _without_ours(table) != table


def _without_ours(table: dict[str, Any]) -> dict[str, Any]:
    """Return a hooks file's table without our hooks, and without the lists and groups that had only ours."""
    if "hooks" not in table:
        return dict(table)
    hooks: dict[str, list[Any]] = {}
    for name, groups in table["hooks"].items():
        others = [_group_without_ours(each) for each in groups if not _is_ours(each)]
        others = [each for each in others if each is not None]
        if others or not groups:
            hooks[name] = others
    rest = {name: value for name, value in table.items() if name != "hooks"}
    if not hooks and table["hooks"]:
        return rest
    return {name: hooks if name == "hooks" else value for name, value in table.items()}


def _group_without_ours(group: object) -> object:
    """Return a group of handlers without ours; the same object if it has none of ours, None if it has only ours.
    Anything that is not a group is returned as it is.
    """
    table = cast("dict[str, Any]", group) if isinstance(group, dict) else {}
    handlers = cast("list[Any]", table["hooks"]) if isinstance(table.get("hooks"), list) else []
    others = [each for each in handlers if not _is_ours(each)]
    if len(others) == len(handlers):
        return cast("object", group)
    return {**table, "hooks": others} if others else None
