"""The blocks of one message in, its turns out: words, calls, and what the result of a call really holds.

A result may be a tool's output, but also the user's answer, feedback, or consent to a plan; and a call that succeeded
may have written a commit message.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.blocks import MessageBlock
from pellucid.capture.transcripts.json_values import text_at
from pellucid.capture.transcripts.tools.calls import PendingCalls, ToolCall, read_call
from pellucid.capture.transcripts.tools.commits import landed
from pellucid.capture.transcripts.tools.dialogue import answers, asked_back, refusal
from pellucid.model.turn import Role, Turn, TurnKind

_FOREIGN = re.compile(r"^mcp__|web|fetch|brows", re.IGNORECASE)
"""Tools whose error text others write: what looks like the user's refusal in it may be theirs."""
_ACCEPTED = re.compile(r"^## Approved Plan[^\n]{0,80}\n", re.MULTILINE)


def turns_of(
    found: Iterable[MessageBlock], message: Turn, calls: PendingCalls, report: CaptureReport
) -> Iterator[Turn]:
    """The turns of a message's blocks, each like `message` but for its words; calls are noted for their results.

    Thinking is no turn, and is counted.
    """
    for index, block in enumerate(found):
        frame = replace(message, key=f"{message.key}#{index}" if message.key else None)
        if block.kind == "thinking":
            report.drop("thinking")
        elif block.kind == "text":
            yield replace(frame, content=block.text)
        elif block.kind == "call":
            call = read_call(block.tool, block.arguments)
            calls.remember(block.call_id, call)
            yield _tool_turn(frame, block.text, call.tool, "call")
        else:
            yield from _result_turns(block, calls.take_answered(block.call_id), frame, report)


def _result_turns(block: MessageBlock, call: ToolCall, frame: Turn, report: CaptureReport) -> Iterator[Turn]:
    """The turns of a tool's result: a person's words in it or the output, then what it shows was written to history.

    A result of our own commands gives none, and is counted.
    """
    if call.ours:
        report.drop("own-recall")
        return
    said = list(_persons_turns(block, call, frame, report))
    kind = "failure" if block.failed else "message"
    yield from said or [_tool_turn(frame, block.text, block.tool or call.tool, kind)]
    texts = [text for each in call.landings if (text := landed(each, block.text, failed=block.failed))]
    for number, text in enumerate(texts, 1):
        yield _beside(frame, f"commit{number}", "assistant", "commit", text)


def _persons_turns(block: MessageBlock, call: ToolCall, frame: Turn, report: CaptureReport) -> Iterator[Turn]:
    """A person's answers and refusals in a result, and the plan they accepted, which is the assistant's turn."""
    refused = refusal(block.text) if block.failed and not _FOREIGN.search(call.tool or "") else None
    if refused and not refused[1]:
        yield replace(frame, role="user", kind="feedback", content=refused[0], speaker=None)
    elif call.questions:
        found = asked_back(call.questions, refused[0]) if refused else []
        if not refused and not block.failed:
            found = answers(call.questions, block.text, block.details)
        report.count_dropped("unanswered", len(call.questions) - len(found))
        for number, answer in enumerate(found, 1):
            yield _beside(frame, f"answer{number}", "user", "answer", answer.text())
    elif call.plan is not None and block.failed is False:
        accepted = _ACCEPTED.split(block.text, 1)[1:] or [text_at(block.details, "plan") or call.plan]
        if accepted[0].strip():
            yield replace(frame, role="assistant", kind="plan", content=accepted[0].strip(), speaker=None)


def _tool_turn(frame: Turn, content: str, tool: str | None, kind: TurnKind) -> Turn:
    return replace(frame, role="tool", content=content, tool=tool, speaker=None, kind=kind)


def _beside(frame: Turn, name: str, role: Role, kind: TurnKind, content: str) -> Turn:
    key = f"{frame.key}.{name}" if frame.key else None
    return replace(frame, role=role, kind=kind, content=content, speaker=None, key=key)
