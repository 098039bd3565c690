"""A transcript in, turns and segments out: the raw trace from which memories are extracted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "system", "tool"]
TurnKind = Literal["message", "feedback", "answer", "plan", "recap", "title", "commit", "call", "failure", "note"]
"""The kinds of turns.

`message`: words of the turn's role. `feedback`: a user's words outside user messages (refusing a tool call, or typed
while the agent worked). `answer`: a user's answer to a question dialogue: `Question: …`, `Answer: …` and, if the choice
has a description, `Option: …`, a line each (an answer can have several). `plan`: a plan that the user accepted.
`recap`: a summary in place of earlier turns. `title`: a title of the session. `commit`: the message of a commit, or
title and text of a pull request, from a tool call that succeeded. `call`: an agent's call of a tool, in the tool's
turn. `failure`: the output of a tool whose call failed, if the source says so. `note`: a text in which nobody speaks to
an assistant.
"""
Insistent = Literal["before_reset", "session_end"]
"""Signals that a caller gives, and that flush all turns that wait."""
FlushSignal = Literal["topic_shift", "time_elapsed", "turn_count", "high_signal", Insistent]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, tool call or tool output of a session, redacted once `capture.guard.Guard.admit` has yielded it.

    `ordinal` counts the session's turns from 1 in transcript order, and never changes on re-import. `speaker` is a
    display name if the source has one ("Caroline"); `tool` names the tool of a tool turn. `key` is the source's own
    stable id of the turn (a message uuid), if it has one. `folder` is the working folder of the turn and `branch` the
    git branch there, if the source tells: they decide which project a session belongs to, and are part of no memory.
    `relayed` marks a turn that a program handed over without speaking as the user: nobody else confirms who said it.
    `fingerprint` is the keyed hash by which the turn is recognised when it comes again; empty until it is computed, by
    `capture.identity.turn_fingerprint`.
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
    fingerprint: bytes = b""


@dataclass(frozen=True, slots=True)
class Segment:
    """A coherent stretch of one session, cut for extraction; `signal` is the reason for the cut."""

    session_id: str
    turns: tuple[Turn, ...]
    signal: FlushSignal
