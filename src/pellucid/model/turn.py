"""What a transcript says in, turns and segments out: the raw trace before anything is kept of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "system", "tool"]
TurnKind = Literal["message", "feedback", "answer", "plan", "recap", "title", "commit", "call", "failure", "note"]
"""What a turn is beside a message.

`feedback`: a user's words outside user messages (refusing a tool call, or typed while the agent worked).
`answer`: a user's answer to a question dialogue: `Question: …`, `Answer: …` and, where the choice has a description,
`Option: …`, a line each (an answer may have several).
`plan`: a plan that the user accepted. `recap`: a summary that took the place of earlier turns.
`title`: a title of the session.
`commit`: the message of a commit, or title and text of a pull request, out of a tool call that succeeded.
`call`: what an agent asks of a tool, in the tool's turn. `failure`: what a tool printed whose call failed, where the
source says so. `note`: what stands in a text in which nobody speaks to an assistant.
"""
Insistent = Literal["before_reset", "session_end"]
"""Signals that somebody gives, and that keep all that waits."""
FlushSignal = Literal["topic_shift", "time_elapsed", "turn_count", "high_signal", Insistent]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, tool call or tool output of a session, redacted once `capture.guard.Guard.admit` has yielded it.

    `ordinal` counts the session's turns from 1 in transcript order, and never changes on re-import.
    `speaker` is a display name where the source has one ("Caroline"); `tool` names the tool of a tool turn.
    `key` is the source's own stable id of the turn (a message uuid), if it has one.
    `kind` says what it is beside a message. `folder` is the working folder it was spoken in and `branch` the git branch
    there, where the source tells: they say which project a session belongs to, and are part of no memory.
    `relayed` is what a program hands over that does not speak as the user: nobody else bears out who said it.
    """

    session_id: str
    ordinal: int
    role: Role
    content: str
    at: datetime | None = None
    speaker: str | None = None
    tool: str | None = None
    agent: str | None = None
    key: str | None = None
    kind: TurnKind = "message"
    folder: str | None = None
    branch: str | None = None
    relayed: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A coherent stretch of one session, cut for extraction; `signal` says why it was cut here."""

    session_id: str
    turns: tuple[Turn, ...]
    signal: FlushSignal
