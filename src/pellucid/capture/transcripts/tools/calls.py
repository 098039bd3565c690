"""A tool call in, the facts about it that its result needs out: whom it asked, what it writes, whose it is."""

import json
import re
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass

from pellucid.capture.transcripts.json_values import as_object, text_at
from pellucid.capture.transcripts.tools.commits import CommitText, command_line, commit_texts
from pellucid.capture.transcripts.tools.dialogue import DialogueQuestion, questions_in
from pellucid.capture.transcripts.tools.shell import ShellCommand, parse_commands

_OURS = "pellucid"
_SKIPPED = re.compile(r"[^\W\d]\w*=|-|\d+\Z")
"""A word that can precede a program: a variable's assignment, a runner's option, a number as its value."""
_RUNNERS = frozenset({"uvx", "uv", "run", "pipx", "tool", "env", "sudo", "time", "nice", "timeout", "command", "exec"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The facts that are remembered of a tool call until its result comes.

    `ours`: Pellucid was called. `plan`: the plan shown to the user for consent, "" if only the result has its text,
    None if the call shows no plan.
    """

    tool: str | None = None
    ours: bool = False
    commit_texts: tuple[CommitText, ...] = ()
    questions: tuple[DialogueQuestion, ...] = ()
    plan: str | None = None


def read_call(tool: str | None, arguments: object) -> ToolCall:
    """Return what must be remembered of a call of `tool` until its result comes: whether it calls Pellucid, the commits
    it would write, its questions to the user, and the plan it shows (see `ToolCall`).

    `arguments` is an object, or a text: JSON or anything else. Nothing is raised for malformed ones.
    """
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    shell = parse_commands(command_line(tool, arguments))
    ours = _OURS in (tool or "").casefold().replace("-", "_").split("__") or any(map(_runs_pellucid, shell))
    plan = text_at(as_object(arguments), "plan") or "" if (tool or "").casefold() == "exitplanmode" else None
    return ToolCall(tool, ours, commit_texts(tool, arguments, shell), questions_in(tool, arguments), plan)


class PendingCalls:
    """Remembers calls, by id, until their results come; beyond 4096 calls the oldest is forgotten."""

    _MAX_CALLS = 4096

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, ToolCall] = OrderedDict()

    def remember(self, call_id: str | None, call: ToolCall) -> None:
        """Remember a call under its id, in place of one remembered under the same; one without an id is not remembered,
        as no result could be matched with it. Beyond 4,096 calls the oldest is forgotten.
        """
        if call_id:
            self._waiting[call_id] = call
            if len(self._waiting) > self._MAX_CALLS:
                self._waiting.popitem(last=False)

    def take(self, call_id: str | None) -> ToolCall:
        """Remove and return the call with this id; an empty call if the id is None or not known."""
        return self._waiting.pop(call_id, ToolCall()) if call_id else ToolCall()


def _runs_pellucid(command: ShellCommand) -> bool:
    """Whether a shell command runs Pellucid, as `pellucid` (with or without a path) or `python -m pellucid`, be it
    after assignments of variables, options and runners such as `uv run`.
    """
    words = [word or "" for word in command.words]
    while words and (words[0] in _RUNNERS or _SKIPPED.match(words[0])):
        words.pop(0)
    program, *rest = [word.rpartition("/")[2] for word in words[:3]] or [""]
    return program == _OURS or (program.startswith("python") and rest == ["-m", _OURS])
