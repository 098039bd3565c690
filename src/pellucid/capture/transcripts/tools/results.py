"""The blocks of one message in, its turns out: words, calls, and the real content of a call's result.

A result can be a tool's output, but also the user's answer, feedback, or consent to a plan; and a call that succeeded
can have written a commit message.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.blocks import MessageBlock
from pellucid.capture.transcripts.json_values import text_at
from pellucid.capture.transcripts.tools.calls import PendingCalls, ToolCall, read_call
from pellucid.capture.transcripts.tools.commits import confirmed_text
from pellucid.capture.transcripts.tools.dialogue import answers, answers_in_refusal, refusal
from pellucid.model.turn import Role, Turn, TurnKind

_FOREIGN = re.compile(r"^mcp__|web|fetch|brows", re.IGNORECASE)
"""Tools whose error text third parties write, so that a refusal in it is not necessarily the user's."""
_ACCEPTED = re.compile(r"^## Approved Plan[^\n]{0,80}\n", re.MULTILINE)


def block_turns(
    blocks: Iterable[MessageBlock], message: Turn, calls: PendingCalls, report: CaptureReport
) -> Iterator[Turn]:
    """Yield the turns of a message's blocks, each a copy of `message` with other content; thinking is left out, and
    counted in `report`.

    A call is remembered in `calls`. An output takes its call out of `calls`, and gives what that call makes of it: a
    tool's turn, or the user's words or an accepted plan, and the commits that it confirms; nothing for a call of
    Pellucid. The key of each turn is the message's with `#` and the block's place, from 0, and sometimes a suffix; None
    if the message has none.
    """
    for index, block in enumerate(blocks):
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
            yield from _result_turns(block, calls.take(block.call_id), frame, report)


def _result_turns(block: MessageBlock, call: ToolCall, frame: Turn, report: CaptureReport) -> Iterator[Turn]:
    """Yield the turns of a tool's result: a user's words or an accepted plan in it, else the output as the tool's turn;
    then, as the assistant's turns, the texts of the commits and requests that it confirms.

    `call` is the call that it answers, `frame` the turn to copy. The output of a Pellucid command yields nothing, and
    is counted as `own-recall`.
    """
    if call.ours:
        report.drop("own-recall")
        return
    from_user = list(_user_turns(block, call, frame, report))
    kind = "failure" if block.failed else "message"
    yield from from_user or [_tool_turn(frame, block.text, block.tool or call.tool, kind)]
    texts = [text for each in call.commit_texts if (text := confirmed_text(each, block.text, failed=block.failed))]
    for number, text in enumerate(texts, 1):
        yield _extra_turn(frame, f"commit{number}", "assistant", "commit", text)


def _user_turns(block: MessageBlock, call: ToolCall, frame: Turn, report: CaptureReport) -> Iterator[Turn]:
    """Yield the user's words in a result: a refusal, else the answers to the call's questions, else the plan that the
    user accepted (as the assistant's turn); nothing if there is none of these.

    A refusal counts only in a call that failed, of a tool whose text no third party writes (`_FOREIGN`); one that asks
    for clearer questions counts as the answers in it. A plan counts only if the call is known not to have failed.
    `frame` is the turn to copy. Questions without an answer are counted as `unanswered`.
    """
    refused = refusal(block.text) if block.failed and not _FOREIGN.search(call.tool or "") else None
    if refused and not refused[1]:
        yield replace(frame, role="user", kind="feedback", content=refused[0], speaker=None)
    elif call.questions:
        found = answers_in_refusal(call.questions, refused[0]) if refused else []
        if not refused and not block.failed:
            found = answers(call.questions, block.text, block.details)
        report.drop("unanswered", len(call.questions) - len(found))
        for number, answer in enumerate(found, 1):
            yield _extra_turn(frame, f"answer{number}", "user", "answer", answer.text())
    elif call.plan is not None and block.failed is False:
        accepted = _ACCEPTED.split(block.text, 1)[1:] or [text_at(block.details, "plan") or call.plan]
        if accepted[0].strip():
            yield replace(frame, role="assistant", kind="plan", content=accepted[0].strip(), speaker=None)


def _tool_turn(frame: Turn, content: str, tool: str | None, kind: TurnKind) -> Turn:
    """Return a copy of `frame` as a turn of the tool role, without a speaker, with this content, kind and name of the
    tool.
    """
    return replace(frame, role="tool", content=content, tool=tool, speaker=None, kind=kind)


def _extra_turn(frame: Turn, name: str, role: Role, kind: TurnKind, content: str) -> Turn:
    """Return a copy of `frame` as one of several turns made of one result, without a speaker, with this role, kind and
    content; `.` and `name` are appended to its key, if it has one.
    """
    key = f"{frame.key}.{name}" if frame.key else None
    return replace(frame, role=role, kind=kind, content=content, speaker=None, key=key)
