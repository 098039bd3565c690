"""The JSON of an agent's program in, an event out; and an answer in, the JSON that the program understands out."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pellucid.capture.transcripts.detect import Format
from pellucid.capture.transcripts.json_values import JsonObject, as_list, text_at
from pellucid.errors import InputError
from pellucid.settings.sections import HookSettings

HostName = Literal["claude-code", "codex", "cursor"]
Moment = Literal["start", "prompt", "stop", "compact", "end"]
"""The session begins or goes on, a prompt was typed, the agent stops, its context is about to be cut, the session
ends."""
_SESSION = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An agent's program: its event names, the folder of its transcripts below the user's home, and their format."""

    name: HostName
    events: Mapping[str, Moment]
    transcripts: str
    format: Format
    a_folder_a_project: bool = False
    """Whether each folder contains the transcripts of one project only."""
    takes_context: tuple[Moment, ...] = ("start", "prompt")
    """The moments at which it shows the agent the context that a hook prints."""
    named_by_session: tuple[str, ...] = ()
    """Patterns of transcripts below that folder, for events that do not name one; `{}` is the session's id."""


_CAMEL: Mapping[str, Moment] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "PreCompact": "compact",
}
HOSTS: Mapping[str, AgentProgram] = {
    each.name: each
    for each in (
        AgentProgram(
            "claude-code", {**_CAMEL, "SessionEnd": "end"}, ".claude/projects", "claude-code", a_folder_a_project=True
        ),
        AgentProgram("codex", {**_CAMEL}, ".codex/sessions", "codex"),
        AgentProgram(
            "cursor",
            {
                "sessionStart": "start",
                "beforeSubmitPrompt": "prompt",
                "stop": "stop",
                "preCompact": "compact",
                "sessionEnd": "end",
            },
            ".cursor/projects",
            "cursor",
            takes_context=("start",),
            named_by_session=("*/agent-transcripts/{}/{}.jsonl", "*/agent-transcripts/{}.jsonl"),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Event:
    """One event of one session, as an agent's program reported it to a hook."""

    host: AgentProgram
    name: str
    moment: Moment
    session_id: str
    folder: str | None = None
    transcript: str | None = None
    prompt: str = ""
    source: str = ""
    """Why a session begins: `startup`, `resume`, `clear`, `compact`."""
    again: bool = False
    """Whether the agent stops a second time, after it was asked to go on."""


def parse_event(host: str, fields: JsonObject) -> Event:
    """Parse the JSON that a program (`host`, such as `cursor`) passes to its hooks as an event; missing fields become
    empty or None.

    Raises:
        InputError: the program or the event is unknown, or the session's id is not 1 to 64 letters, digits and dashes.
    """
    program = HOSTS.get(host)
    if program is None:
        raise InputError(f"host expects one of {', '.join(HOSTS)}; got {host!r}", code="invalid_host")
    name = text_at(fields, "hook_event_name") or ""
    if name not in program.events:
        raise InputError(f"event expects one of {', '.join(program.events)}; got {name!r}", code="invalid_event")
    session = text_at(fields, "session_id", "conversation_id") or ""
    if not _SESSION.fullmatch(session):
        raise InputError("event names no session that letters, digits and dashes spell", code="invalid_event")
    roots = [each for each in as_list(fields.get("workspace_roots")) if isinstance(each, str)]
    return Event(
        program,
        name,
        program.events[name],
        session,
        folder=text_at(fields, "cwd") or next(iter(roots), None),
        transcript=text_at(fields, "transcript_path"),
        prompt=text_at(fields, "prompt") or "",
        source=text_at(fields, "source") or "",
        again=fields.get("stop_hook_active") is True or bool(fields.get("loop_count")),
    )


def transcript_of(event: Event, settings: HookSettings) -> str | None:
    """Return the absolute path of the transcript of an event's session: the one that the event names, else the first
    that is found by the session's id. None if there is none, or it may not be read.

    It may if it is in an allowed folder, its name ends in `.jsonl`, and the file is the user's own or does not exist
    yet. Allowed are the folder of that program's transcripts and the folders in the settings: the path in an event can
    come from a stranger, who must not make other files be read.
    """
    program_folder = Path.home() / event.host.transcripts
    patterns = (each.replace("{}", event.session_id) for each in event.host.named_by_session)
    found = (str(each) for pattern in patterns for each in program_folder.glob(pattern))
    transcript = event.transcript or next(found, None)
    if not transcript:
        return None
    path = os.path.realpath(os.path.expanduser(transcript))
    folders = [program_folder, *(Path(each).expanduser() for each in settings.transcripts)]
    within = any(path.startswith(os.path.realpath(each) + os.sep) for each in folders)
    try:
        is_own = os.stat(path).st_uid == os.geteuid()
    except OSError:  # a program writes the file when there is something to write
        is_own = not os.path.lexists(path)
    return path if within and is_own and path.endswith(".jsonl") else None


def hook_reply(event: Event, context: str, line: str, ask: str) -> JsonObject:
    """Return the JSON for a hook to print, in the form of the event's program: `context` for the agent, a `line` for
    the user (left out for Cursor, which shows none), and `ask`, which keeps the agent from stopping before it has
    answered. A text that is "" is left out."""
    if event.host.name == "cursor":
        reply: JsonObject = {"additional_context": context} if context else {}
        return reply | ({"followup_message": ask} if ask else {})
    reply = {"systemMessage": line} if line else {}
    if context:
        reply["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": context}
    return reply | ({"decision": "block", "reason": ask} if ask else {})
