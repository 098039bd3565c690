"""Answers about hooks and claims in, text for a person out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pellucid.errors import bare_step
from pellucid.xray.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pellucid.operations.hooks.claiming import ClaimOutcome, ClaimOutput
    from pellucid.operations.hooks.event import HookOutput
    from pellucid.surfaces.hooks.hostfile import FileChange
    from pellucid.surfaces.hooks.install import HooksStatus, Installed


def hook_output_text(outcome: HookOutput) -> str:
    """Return the JSON that a hook prints for its agent's program."""
    return json.dumps(outcome.print, ensure_ascii=False)


def claims_text(outcome: ClaimOutput) -> str:
    """Render an agent's claims (statements that it wants remembered), a line for each: the id of the memory that the
    claim became, or why it was not kept, which is followed by a line with a hint, if there is one.
    """
    return "\n".join(map(_claim_line, outcome.outcomes))


def _claim_line(claim: ClaimOutcome) -> str:
    """Render `remembered:` and the id of the memory that a claim became, else why it was not kept, with a hint if there
    is one.
    """
    if claim.memory_id:
        return f"remembered: {claim.memory_id}"
    hint = f"\n  {visible(claim.hint)}" if claim.hint else ""
    return f"not kept, {claim.reason}: {visible(claim.statement)}{hint}"


def installed_text(outcome: Installed) -> str:
    """Render the changes of a program's files, and what the user should do next, if anything."""
    lines = [line for each in outcome.files for line in _change_lines(each)]
    return "\n".join([*lines, outcome.next_step] if outcome.next_step else lines)


def _change_lines(file: FileChange) -> Iterator[str]:
    """Yield a file's diff, whether it was written, and its backup if it has one; one line if nothing changed."""
    if not file.changed:
        yield f"{visible(file.path)} is as it should be: nothing to do"
        return
    yield from (visible(line) for line in file.diff.splitlines())
    yield "written" if file.written else "not written: --dry-run"
    if file.backup:
        yield f"as it was before ours: {visible(file.backup)}"


def status_text(status: HooksStatus) -> str:
    """Render the installed hooks and whether they are up to date, whether a server runs, the number of sessions
    reported, how many of these have something new to read, and how many were reported while no server ran.
    """
    lines: list[str] = []
    for each in status.places:
        if each.installed:
            stale = (
                ""
                if each.current
                else ": of another installation, or not complete; `pellucid hooks install` renews them"
            )
            tools = "" if each.tools else "; the agent has no tools of ours"
            lines.append(f"{each.host}, {each.scope}: {visible(each.path)}{tools}{stale}")
    lines = lines or [f"no hooks are installed: {bare_step('hooks install', program='claude-code')}"]
    lines.append(f"server: {'running' if status.serving else 'not running; the next event starts it'}")
    lines.append(f"told of: {status.sessions} sessions, {status.unread} of them with something to read")
    return "\n".join([*lines, *([f"waiting for a server: {status.waiting} sessions"] if status.waiting else [])])
