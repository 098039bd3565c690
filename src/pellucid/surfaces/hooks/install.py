"""An agent's program in, its file of hooks with ours in it, or without them, out; the rest of the file as it was."""

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
"""What a command of ours is known by, of this installation or of another."""
_TIMEOUT_S = 5
_FILES: Mapping[HostName, Mapping[Scope, str]] = {
    "claude-code": {"user": ".claude/settings.json", "project": ".claude/settings.local.json"},
    "codex": {"user": ".codex/hooks.json", "project": ".codex/hooks.json"},
    "cursor": {"user": ".cursor/hooks.json", "project": ".cursor/hooks.json"},
}
"""A project's file for Claude Code is the one that is not shared: a command names a place on this machine."""
_NEXT: Mapping[HostName, str] = {
    "claude-code": "sessions that begin from now on use them; /hooks and /mcp in Claude Code show them",
    "codex": "Codex asks whether you trust them when it starts: say yes; /mcp shows the tools",
    "cursor": "restart Cursor; its settings list them under Hooks and MCP",
}
_NO_SERVER = "no tools are registered for the agent: pip install 'pellucid[server]' brings them, then repeat"


class Installed(Wire):
    """What became of a program's files: the one of hooks, and the one of MCP servers where that is concerned."""

    host: HostName
    files: tuple[FileChange, ...]
    next_step: str = ""


class HookStatus(Wire):
    """Where the hooks of a program stand, if they do, and whether its agent has our tools."""

    host: HostName
    scope: Scope
    path: str
    installed: bool
    current: bool = False
    """Whether they run this installation, for this home, at every event."""
    tools: bool = False
    """Whether our MCP server is registered there."""


class HooksStatus(Wire):
    """Where hooks stand, whether a server runs that they ask, and what they told of."""

    places: tuple[HookStatus, ...]
    serving: bool
    sessions: int
    unread: int
    """Sessions of which there is something to read."""
    waiting: int
    """Sessions that were told of while no server ran, and that nobody has looked at."""


def entries(host: HostName, command: str) -> dict[str, list[dict[str, Any]]]:
    """The hooks of a program: by the name of its event, in its own form."""
    if host == "cursor":
        return {name: [{"command": command}] for name in HOSTS[host].events}
    handler = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
    return {name: [{"hooks": [handler]}] for name in HOSTS[host].events}


def command_of(host: HostName, settings: Settings) -> str:
    """What the program is to run: this Python, without what it would look for elsewhere, and our client."""
    home = [] if settings.home == Path("~/.pellucid").expanduser() else ["--home", str(settings.home)]
    return shlex.join([sys.executable, "-S", "-E", str(CLIENT), host, *home])


def install(
    host: HostName, scope: Scope, settings: Settings, *, tools: bool = True, dry_run: bool = False
) -> Installed:
    """Put our hooks into a program's file, and register our MCP server; each in the place of an older one of ours.

    Args:
        tools: also register the server, whose tools the agent remembers by.
        dry_run: only say what would be written.

    Raises:
        InputError: a file is in no form that can be added to, or lies elsewhere than the program's files do.
    """
    edits, is_able = [_hooked(host, scope, settings)], has_server()
    if tools and is_able:
        edits.append(registration.registered(host, scope, settings))
    files = tuple(each.make(dry_run=dry_run) for each in edits)
    next_step = _NEXT[host] if any(each.written for each in files) else ""
    return Installed(host=host, files=files, next_step=next_step if is_able or not tools else _NO_SERVER)


def remove(host: HostName, scope: Scope, *, dry_run: bool = False) -> Installed:
    """Take our hooks and our server out again; a file that nobody touched since is as it was before, to the byte.

    Raises:
        NotFoundError: there is nothing of ours.
        InputError: see `install`.
    """
    edits = [_unhooked(host, scope), registration.unregistered(host, scope)]
    edits = [each for each in edits if each.after != each.file.text]
    if not edits:
        path = _file(host, scope).path
        raise NotFoundError(f"{path} has no hooks of ours", next_step="`pellucid hooks status` says where they are")
    return Installed(host=host, files=tuple(each.make(dry_run=dry_run) for each in edits))


def _hooked(host: HostName, scope: Scope, settings: Settings) -> Edit:
    """The change of a program's file of hooks that puts ours in it."""
    file = _file(host, scope)
    known = _table(file)
    table = _versioned(host, _without_ours(known))
    hooks = table.setdefault("hooks", {})
    for name, ours in entries(host, command_of(host, settings)).items():
        hooks[name] = [*hooks.get(name, []), *ours]
    return Edit(file, file.text if table == known else file.write_json(table), keep=not _has_ours(known))


def _versioned(host: HostName, table: dict[str, Any]) -> dict[str, Any]:
    """The table with what Cursor wants beside hooks."""
    return {"version": 1, **table} if host == "cursor" else table


def _unhooked(host: HostName, scope: Scope) -> Edit:
    """The change of a program's file of hooks that takes ours out."""
    file = _file(host, scope)
    table = _table(file)
    if not _has_ours(table):
        return Edit(file, file.text)
    left, original = _without_ours(table), file.original
    if original is not None and _versioned(host, _table(HostFile(file.backup, original))) == left:
        return Edit(file, original)
    is_empty = original is None and not {name: part for name, part in left.items() if name != "version" and part}
    return Edit(file, None if is_empty else file.write_json(left))


def status(settings: Settings) -> HooksStatus:
    """Where our hooks stand, of every program and in both places, and what they told of."""
    sessions = HookedSessions(settings.home)
    known = sessions.known()
    return HooksStatus(
        places=tuple(_places(settings)),
        serving=is_held(str(settings.home / "server.lock")),
        sessions=len(known),
        unread=sum(each.due for each in known),
        waiting=sessions.count_waiting(),
    )


def _places(settings: Settings) -> list[HookStatus]:
    """Every place; a file that cannot be read has none."""
    found: list[HookStatus] = []
    for host, files in _FILES.items():
        for scope in files:
            try:
                file = _file(host, scope)
                table = _table(file)
                tools = registration.is_registered(host, scope, settings)
            except InputError:
                continue
            wanted = entries(host, command_of(host, settings))
            hooks = table.get("hooks", {})
            current = all(ours[0] in hooks.get(name, []) for name, ours in wanted.items())
            found.append(
                HookStatus(
                    host=host,
                    scope=scope,
                    path=str(file.path),
                    installed=_has_ours(table),
                    current=current and tools is not False,
                    tools=tools is not None,
                )
            )
    return found


def _file(host: HostName, scope: Scope) -> HostFile:
    return host_file(_FILES[host][scope], scope)


def _table(file: HostFile) -> dict[str, Any]:
    """The file's JSON, which has hooks by the name of an event if it has any.

    Raises:
        InputError: it is something else, which may be somebody's work: nothing is changed.
    """
    table = file.table()
    hooks: Any = table.get("hooks", {})
    if not isinstance(hooks, dict) or not _are_lists(cast("dict[str, Any]", hooks)):
        raise InputError(f"{file.path} is no file of hooks", next_step="put it right, then repeat")
    return table


def _are_lists(hooks: Mapping[str, Any]) -> bool:
    return all(isinstance(each, list) for each in hooks.values())


def _is_ours(handler: object) -> bool:
    command = cast("dict[str, Any]", handler).get("command", "") if isinstance(handler, dict) else ""
    return isinstance(command, str) and any(mark in command for mark in _OURS)


def _has_ours(table: dict[str, Any]) -> bool:
    return _without_ours(table) != table


def _without_ours(table: dict[str, Any]) -> dict[str, Any]:
    """The table without our hooks, and without what stood there for them alone."""
    if "hooks" not in table:
        return dict(table)
    hooks: dict[str, list[Any]] = {}
    for name, given in table["hooks"].items():
        kept = [_group_without_ours(each) for each in given if not _is_ours(each)]
        kept = [each for each in kept if each is not None]
        if kept or not given:
            hooks[name] = kept
    rest = {name: value for name, value in table.items() if name != "hooks"}
    if not hooks and table["hooks"]:
        return rest
    return {name: hooks if name == "hooks" else value for name, value in table.items()}


def _group_without_ours(group: object) -> object:
    """A matcher's group of handlers without ours; None if there were only ours."""
    table = cast("dict[str, Any]", group) if isinstance(group, dict) else {}
    handlers = cast("list[Any]", table["hooks"]) if isinstance(table.get("hooks"), list) else []
    kept = [each for each in handlers if not _is_ours(each)]
    if len(kept) == len(handlers):
        return cast("object", group)
    return {**table, "hooks": kept} if kept else None
