"""Answers about hooks and claims in, text for a person out."""

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


def hook_output_text(outcome: HookOutput) -> str:
    """The JSON that a hook prints for its agent's program."""
    return json.dumps(outcome.print, ensure_ascii=False)


def claims_text(outcome: ClaimOutput) -> str:
    """An agent's claims, each with the memory that it became, or why it was not kept and a hint."""
    return "\n".join(map(_claim_line, outcome.outcomes))


def _claim_line(claim: ClaimOutcome) -> str:
    """`remembered:` and the memory that a claim became, else the reason why it was not kept, and a hint if there is
    one.
    """
    if claim.memory_id:
        return f"remembered: {claim.memory_id}"
    hint = f"\n  {visible(claim.hint)}" if claim.hint else ""
    return f"not kept, {claim.reason}: {visible(claim.statement)}{hint}"


def installed_text(found: Installed) -> str:
    """The changes of a program's files, and what the user should do next, if anything."""
    lines = [line for each in found.files for line in _change_lines(each)]
    return "\n".join([*lines, found.next_step] if found.next_step else lines)


def _change_lines(file: FileChange) -> Iterator[str]:
    """A file's diff, whether it was written, and its backup if there is one; one line if nothing changed."""
    if not file.changed:
        yield f"{visible(file.path)} is as it should be: nothing to do"
        return
    yield from (visible(line) for line in file.diff.splitlines())
    yield "written" if file.written else "not written: --dry-run"
    if file.backup:
        yield f"as it was before ours: {visible(file.backup)}"


def status_text(found: HooksStatus) -> str:
    """The installed hooks, whether a server runs, how many sessions the hooks reported, and how many wait for one."""
    lines: list[str] = []
    for each in found.places:
        if each.installed:
            stale = (
                ""
                if each.current
                else ": of another installation, or not complete; `pellucid hooks install` renews them"
            )
            tools = "" if each.tools else "; the agent has no tools of ours"
            lines.append(f"{each.host}, {each.scope}: {visible(each.path)}{tools}{stale}")
    lines = lines or [f"no hooks are installed: {command('hooks install --for claude-code')}"]
    lines.append(f"server: {'running' if found.serving else 'not running; the next event starts it'}")
    lines.append(f"told of: {found.sessions} sessions, {found.unread} of them with something to read")
    return "\n".join([*lines, *([f"waiting for a server: {found.waiting} sessions"] if found.waiting else [])])
