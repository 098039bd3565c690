"""A Claude Code session file (`~/.claude/projects/<project>/<session>.jsonl`) in, its turns out.

One object a line: `{type, message: {role, content}, uuid, timestamp, sessionId, isSidechain, agentId, isMeta}`. Only
`user` and `assistant` lines are messages. A sub-agent's side chain is a session of its own, and its prompts are the
main agent's words, not the user's.
"""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import Block, ToolNames, blocks, turns_of
from pellucid.capture.transcripts.json_values import JsonObject, as_object, instant_at, text_at
from pellucid.capture.transcripts.noise import is_harness_text, without_reminders
from pellucid.capture.transcripts.numbering import UNNUMBERED, Numbering
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Role, Turn

AGENT = "claude-code"
LINE_TYPES = frozenset({
    "user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "progress", "attachment",
})  # fmt: skip


def read(source: Source) -> Iterator[Turn]:
    """Stream the turns of a Claude Code session file."""
    return Numbering(source).number(_turns(source))


def recognises(value: JsonObject) -> bool:
    """Whether a line belongs to this format."""
    named = any(key in value for key in ("sessionId", "uuid", "leafUuid", "messageId"))
    return value.get("type") in LINE_TYPES and named


def _turns(source: Source) -> Iterator[Turn]:
    tools = ToolNames()
    for _, line in source.objects():
        if reason := _not_a_turn(line):
            source.report.drop(reason)
            continue
        message = as_object(line.get("message"))
        meant = [replace(block, text=without_reminders(block.text)) for block in blocks(message.get("content"))]
        kept = [block for block in meant if not _is_noise(block, line)]
        source.report.dropped.update(["harness-noise"] * (len(meant) - len(kept)))
        yield from turns_of(kept, _frame(line), tools, source.report)


def _not_a_turn(line: JsonObject) -> str | None:
    if line.get("type") not in ("user", "assistant"):
        return "not-a-turn"
    if line.get("isMeta") is True:
        return "harness-noise"
    if line.get("isCompactSummary") is True:
        return "compaction-summary"
    if line.get("isApiErrorMessage") is True or as_object(line.get("message")).get("model") == "<synthetic>":
        return "api-error"
    return None


def _is_noise(block: Block, line: JsonObject) -> bool:
    return block.kind == "text" and line.get("type") == "user" and is_harness_text(block.text)


def _frame(line: JsonObject) -> Turn:
    session = text_at(line, "sessionId") or ""
    role: Role = "user" if line.get("type") == "user" else "assistant"
    if line.get("isSidechain") is True:
        session, role = f"{session}/{text_at(line, 'agentId') or 'sidechain'}", "assistant"
    return Turn(
        session_id=session,
        ordinal=UNNUMBERED,
        role=role,
        content="",
        at=instant_at(line, "timestamp"),
        agent=AGENT,
        key=text_at(line, "uuid"),
    )
