"""A tool call in, what has to be known of it when its result comes out: whom it asked, what it writes, whose it is."""

import json
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pellucid.capture.transcripts.json_values import as_object, text_at
from pellucid.capture.transcripts.tools.commits import Landing, command_line, landings
from pellucid.capture.transcripts.tools.dialogue import DialogueQuestion, questions_in
from pellucid.capture.transcripts.tools.shell import ShellCommand, commands

_OURS = "pellucid"
_RUNNERS = frozenset({"uvx", "uv", "run", "pipx", "tool", "env", "sudo", "time", "nice", "timeout", "command", "exec"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that waits for its result.

    `ours` if Pellucid itself was called; `plan` if a plan was laid before the user, empty where the result tells it.
    """

    tool: str | None = None
    ours: bool = False
    landings: tuple[Landing, ...] = ()
    questions: tuple[DialogueQuestion, ...] = ()
    plan: str | None = None


def read_call(tool: str | None, arguments: object) -> ToolCall:
    """What is to be remembered of a call; arguments that are JSON text are read first."""
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    line = commands(command_line(tool, arguments))
    ours = _OURS in (tool or "").casefold().replace("-", "_").split("__") or any(map(_calls_us, line))
    plan = text_at(as_object(arguments), "plan") or "" if (tool or "").casefold() == "exitplanmode" else None
    return ToolCall(tool, ours, landings(tool, arguments, line), questions_in(tool, arguments), plan)


class PendingCalls:
    """Remembers calls until their results come; the oldest unanswered one is forgotten past 4096."""

    _MOST = 4096

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, ToolCall] = OrderedDict()

    def remember(self, call_id: str | None, call: ToolCall) -> None:
        """Note a call that has an id."""
        if call_id:
            self._waiting[call_id] = call
            if len(self._waiting) > self._MOST:
                self._waiting.popitem(last=False)

    def take_answered(self, call_id: str | None) -> ToolCall:
        """The call that a result answers, which then waits no longer; an empty one if it is not known."""
        return self._waiting.pop(call_id, ToolCall()) if call_id else ToolCall()


def _calls_us(command: ShellCommand) -> bool:
    """Whether a shell command runs Pellucid, behind variables, runners such as `uv run`, or `python -m`."""
    words = [word or "" for word in command.words]
    while words and (_is_setting(words[0]) or words[0] in _RUNNERS or words[0].startswith("-") or words[0].isdigit()):
        words.pop(0)
    names = [word.rpartition("/")[2] for word in words[:3]]
    return names[:1] == [_OURS] or (names[:1] != [] and names[0].startswith("python") and _is_module(names[1:]))


def _is_setting(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _is_module(words: Sequence[str]) -> bool:
    return list(words[:2]) == ["-m", _OURS]
