"""An event as an agent's program tells it in, what it means to us out; and what we say, in that program's own form."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pellucid.capture.transcripts.detect import Format
from pellucid.capture.transcripts.json_values import JsonObject, as_list, text_at
from pellucid.errors import InputError
from pellucid.settings.sections import HookSettings

HostName = Literal["claude-code", "codex", "cursor"]
Moment = Literal["start", "prompt", "stop", "compact", "end"]
"""A session begins or goes on, a prompt was typed, the agent stops, its context is about to be cut, it ends."""
_SESSION = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """One program: the names of its events, where beneath the user's home it keeps transcripts, in which format."""

    name: HostName
    events: Mapping[str, Moment]
    transcripts: str
    format: Format
    a_folder_a_project: bool = False
    """Transcripts of one project, and of no other, lie in one folder."""
    takes_context: tuple[Moment, ...] = ("start", "prompt")
    """When it puts words of ours before the agent."""
    named_by_session: tuple[str, ...] = ()
    """Where a transcript lies beneath that folder that its events may not name; `{}` is the session."""


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
            "claude-code",
            {**_CAMEL, "SessionEnd": "end"},
            ".claude/projects",
            "claude-code",
            a_folder_a_project=True,
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
    """One event: which session of which program it is of, and what it tells."""

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
    """The agent stops a second time, after it was asked to go on."""


def event_of(host: str, said: JsonObject) -> Event:
    """The event that a program's JSON tells.

    Raises:
        InputError: the program or the event is unknown, or the session has no name that a file may have.
    """
    known = HOSTS.get(host)
    if known is None:
        raise InputError(f"host expects one of {', '.join(HOSTS)}; got {host!r}", code="invalid_host")
    name = text_at(said, "hook_event_name") or ""
    if name not in known.events:
        raise InputError(f"event expects one of {', '.join(known.events)}; got {name!r}", code="invalid_event")
    session = text_at(said, "session_id", "conversation_id") or ""
    if not _SESSION.fullmatch(session):
        raise InputError("event names no session that letters, digits and dashes spell", code="invalid_event")
    roots = [each for each in as_list(said.get("workspace_roots")) if isinstance(each, str)]
    return Event(
        known,
        name,
        known.events[name],
        session,
        folder=text_at(said, "cwd") or next(iter(roots), None),
        transcript=text_at(said, "transcript_path"),
        prompt=text_at(said, "prompt") or "",
        source=text_at(said, "source") or "",
        again=said.get("stop_hook_active") is True or bool(said.get("loop_count")),
    )


def transcript_of(event: Event, settings: HookSettings) -> str | None:
    """The transcript of an event's session, if it is a plain file of the user's where that program keeps transcripts.

    What tells us the path may have been told it by a stranger: any other file stays unread.
    """
    own = Path.home() / event.host.transcripts
    named = event.transcript or next(_by_session(own, event), None)
    if not named:
        return None
    path = os.path.realpath(os.path.expanduser(named))
    folders = [own, *(Path(each).expanduser() for each in settings.transcripts)]
    within = any(path.startswith(os.path.realpath(each) + os.sep) for each in folders)
    try:
        is_own = os.stat(path).st_uid == os.geteuid()
    except OSError:  # it is written when there is something to write
        is_own = not os.path.lexists(path)
    return path if within and is_own and path.endswith(".jsonl") else None


def _by_session(folder: Path, event: Event) -> Iterator[str]:
    for pattern in event.host.named_by_session:
        yield from map(str, folder.glob(pattern.replace("{}", event.session_id)))


def spoken(event: Event, context: str, line: str, ask: str) -> JsonObject:
    """What to print for the program to take: context for the agent, a line for the user, a question before it stops."""
    if event.host.name == "cursor":
        said: JsonObject = {"additional_context": context} if context else {}
        return said | ({"followup_message": ask} if ask else {})
    said = {"systemMessage": line} if line else {}
    if context:
        said["hookSpecificOutput"] = {"hookEventName": event.name, "additionalContext": context}
    return said | ({"decision": "block", "reason": ask} if ask else {})
