"""Hooks in, text for a person out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pellucid.surfaces.commands import command
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pellucid.operations.hooks.claiming import ClaimOutcome, ClaimOutput
    from pellucid.operations.hooks.event import HookOutput
    from pellucid.surfaces.hooks.hostfile import FileChange
    from pellucid.surfaces.hooks.install import HooksStatus, Installed


def printed(outcome: HookOutput) -> str:
    """What the hook prints, as its program reads it."""
    return json.dumps(outcome.print, ensure_ascii=False)


def claimed(outcome: ClaimOutput) -> str:
    """A line a claim: the memory that it is, or why it is none, and what would help."""
    return "\n".join(map(_claim_line, outcome.outcomes))


def _claim_line(each: ClaimOutcome) -> str:
    """What became of one thing that an agent said is worth keeping."""
    if each.memory_id:
        return f"remembered: {each.memory_id}"
    hint = f"\n  {visible(each.hint)}" if each.hint else ""
    return f"not kept, {each.reason}: {visible(each.statement)}{hint}"


def installed(found: Installed) -> str:
    """The differences, and what to do next."""
    lines = [line for each in found.files for line in _change_lines(each)]
    return "\n".join([*lines, found.next_step] if found.next_step else lines)


def _change_lines(file: FileChange) -> Iterator[str]:
    if not file.changed:
        yield f"{visible(file.path)} is as it should be: nothing to do"
        return
    yield from (visible(line) for line in file.diff.splitlines())
    yield "written" if file.written else "not written: --dry-run"
    if file.backup:
        yield f"as it was before ours: {visible(file.backup)}"


def status(found: HooksStatus) -> str:
    """A line a place, then what hooks told of."""
    return "\n".join(_status_lines(found))


def _status_lines(found: HooksStatus) -> Iterator[str]:
    standing = [each for each in found.places if each.installed]
    for each in standing:
        said = (
            "" if each.current else ": of another installation, or not complete; `pellucid hooks install` renews them"
        )
        tools = "" if each.tools else "; the agent has no tools of ours"
        yield f"{each.host}, {each.scope}: {visible(each.path)}{tools}{said}"
    if not standing:
        yield f"no hooks are installed: {command('hooks install --for claude-code')}"
    yield f"server: {'running' if found.serving else 'not running; the next event starts it'}"
    yield f"told of: {found.sessions} sessions, {found.unread} of them with something to read"
    if found.waiting:
        yield f"waiting for a server: {found.waiting} sessions"
