"""What a program tells of a session in, what its hook prints out; and the transcript that it writes meanwhile."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pellucid.app import App
from pellucid.operations.hooks.event import HookInput, HookOutput, handle_event
from pellucid.settings.sections import HookSettings

SESSION = "5f0c7d6e-1111-4222-8333-944455556666"


def set_up(app: App, **hooks: Any) -> App:
    settings = app.settings.model_copy(update={"hooks": HookSettings(**hooks)})
    return replace(app, settings=settings)


def tell(app: App, name: str, host: str = "claude-code", **said: Any) -> HookOutput:
    event = {"hook_event_name": name, "session_id": SESSION, **said}
    return handle_event(app, HookInput(host=host, event=event))


def context_of(out: HookOutput) -> str:
    return out.print.get("hookSpecificOutput", {}).get("additionalContext", "")


def line(role: str, text: str, number: int, **more: Any) -> str:
    said = {
        "type": role,
        "uuid": f"u-{number}",
        "sessionId": SESSION,
        "timestamp": f"2026-04-20T17:{number:02d}:00.000Z",
        "message": {"role": role, "content": text},
        **more,
    }
    return json.dumps(said) + "\n"


def transcript(home: Path, *lines: str, session: str = SESSION) -> Path:
    path = home / ".claude" / "projects" / "-work-crane" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(lines)
    return path


SAID = (
    line("user", "We decided that the crane's brakes are checked on Mondays, because Sunday's crew is too small.", 1),
    line("assistant", "I wrote that into the plan of the harbour.", 2),
)
