"""An agent's program in, its file of hooks with ours in it, or without them, out; the rest of the file as it was."""

import difflib
import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pellucid.errors import ConflictError, InputError, NotFoundError
from pellucid.git.checkout import checkout_of
from pellucid.model.wire import Wire
from pellucid.operations.hooks.hosts import HOSTS, HostName
from pellucid.settings import Settings
from pellucid.store.local.hooked import HookedSessions
from pellucid.surfaces.hooks.client import is_held

Scope = Literal["user", "project"]
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
    "claude-code": "sessions that begin from now on use them; /hooks in Claude Code shows them",
    "codex": "Codex asks whether you trust them when it starts: say yes",
    "cursor": "restart Cursor; its settings list them under Hooks",
}


class Installed(Wire):
    """What became of a file: how it differs from before, and where it was copied to first."""

    host: HostName
    path: str
    changed: bool
    written: bool
    diff: str = ""
    backup: str | None = None
    next_step: str = ""


class HookStatus(Wire):
    """Where the hooks of a program stand, if they do, and whether what they run is there."""

    host: HostName
    scope: Scope
    path: str
    installed: bool
    current: bool = False
    """Whether they run this installation, for this home, at every event."""


class HooksStatus(Wire):
    """Where hooks stand, whether a server runs that they ask, and what they told of."""

    places: tuple[HookStatus, ...]
    serving: bool
    sessions: int
    unread: int
    """Sessions of which there is something to read."""
    waiting: int
    """Sessions that were told of while no server ran, and that nobody has looked at."""


@dataclass(frozen=True, slots=True)
class _Place:
    host: HostName
    path: Path
    """Links followed: what a link names is changed, not the link."""


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


def install(host: HostName, scope: Scope, settings: Settings, *, dry_run: bool = False) -> Installed:
    """Put our hooks into a program's file, in the place of older ones of ours.

    Raises:
        InputError: the file is no JSON object, or lies elsewhere than the program's files do.
    """
    place = _place(host, scope)
    before = _text(place.path)
    table = _without_ours(_table(place.path, before))
    if host == "cursor":
        table.setdefault("version", 1)
    hooks = table.setdefault("hooks", {})
    for name, ours in entries(host, command_of(host, settings)).items():
        hooks[name] = [*hooks.get(name, []), *ours]
    after = _written(table, before)
    return _put(place, before, after, dry_run=dry_run, keep=not _has_ours(_table(place.path, before)))


def remove(host: HostName, scope: Scope, *, dry_run: bool = False) -> Installed:
    """Take our hooks out again; a file that nobody touched since is as it was before, to the byte.

    Raises:
        NotFoundError: there are none in it.
        InputError: see `install`.
    """
    place = _place(host, scope)
    before = _text(place.path)
    table = _table(place.path, before)
    if not _has_ours(table):
        raise NotFoundError(
            f"{place.path} has no hooks of ours", next_step="`pellucid hooks status` says where they are"
        )
    left = _without_ours(table)
    backup = _backup(place.path)
    original = _text(backup)
    if original is not None and _table(backup, original) == left:
        return _put(place, before, original, dry_run=dry_run, keep=False)
    is_empty = original is None and not {name: part for name, part in left.items() if name != "version" and part}
    return _put(place, before, None if is_empty else _written(left, before), dry_run=dry_run, keep=False)


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
                path = _place(host, scope).path
                table = _table(path, _text(path))
            except InputError:
                continue
            wanted = entries(host, command_of(host, settings))
            hooks = table.get("hooks", {})
            current = all(ours[0] in hooks.get(name, []) for name, ours in wanted.items())
            found.append(
                HookStatus(host=host, scope=scope, path=str(path), installed=_has_ours(table), current=current)
            )
    return found


def _place(host: HostName, scope: Scope) -> _Place:
    """The program's file, where links lead, as long as that is still beneath the user's home or in the project."""
    checkout = checkout_of(Path.cwd())
    root = Path.home() if scope == "user" else checkout.top if checkout else Path.cwd()
    named = root / _FILES[host][scope]
    path = Path(os.path.realpath(named))
    if not path.is_relative_to(os.path.realpath(root)):
        raise InputError(f"{named} leads to {path}, outside {root}", next_step=f"put the hooks into {path} yourself")
    return _Place(host, path)


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", next_step="put it right, then repeat") from error


def _table(path: Path, text: str | None) -> dict[str, Any]:
    """The file's JSON, which has hooks by the name of an event if it has any.

    Raises:
        InputError: it is something else, which may be somebody's work: nothing is changed.
    """
    try:
        found: object = json.loads(text) if text and text.strip() else {}
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}", next_step="put it right, then repeat") from error
    table = cast("dict[str, Any]", found) if isinstance(found, dict) else None
    hooks: Any = table.get("hooks", {}) if table is not None else None
    if table is None or not isinstance(hooks, dict) or not _are_lists(cast("dict[str, Any]", hooks)):
        raise InputError(f"{path} is no file of hooks", next_step="put it right, then repeat")
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


def _written(table: dict[str, Any], before: str | None) -> str:
    """The table as JSON, indented as the file was."""
    lines = (before or "").splitlines()
    inner = next((line for line in lines[1:] if line.strip()), "  ")
    indent = inner[: len(inner) - len(inner.lstrip())] or "  "
    ending = "" if before and not before.endswith("\n") else "\n"
    return json.dumps(table, indent=indent, ensure_ascii=False) + ending


def _backup(path: Path) -> Path:
    return path.with_name(f"{path.name}.before-pellucid")


def _put(place: _Place, before: str | None, after: str | None, *, dry_run: bool, keep: bool) -> Installed:
    path, changed = place.path, after != before
    backup = _backup(path) if keep and before is not None else None
    if changed and not dry_run:
        if backup:
            _replace(backup, before or "", 0o600)
        if _text(path) != before:
            raise ConflictError(f"{path} was changed meanwhile", next_step="repeat")
        if after is None:
            path.unlink()
        else:
            _replace(path, after, None)
        if after is None or not _has_ours(json.loads(after)):
            _backup(path).unlink(missing_ok=True)
    diff = difflib.unified_diff(
        (before or "").splitlines(keepends=True), (after or "").splitlines(keepends=True), f"{path}", f"{path}"
    )
    return Installed(
        host=place.host,
        path=str(path),
        changed=changed,
        written=changed and not dry_run,
        diff="".join(line if line.endswith("\n") else f"{line}\n" for line in diff),
        backup=str(backup) if backup and changed and not dry_run else None,
        next_step=_NEXT[place.host] if changed and after and _has_ours(json.loads(after)) else "",
    )


def _replace(path: Path, text: str, mode: int | None) -> None:
    """Put a file in place whole, with the mode it had, or that it is to have."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    had = path.stat().st_mode & 0o777 if path.exists() else 0o600
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode or had)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        draft.chmod(mode or had)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
