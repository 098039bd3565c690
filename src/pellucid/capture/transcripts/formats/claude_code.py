"""A Claude Code session file (`~/.claude/projects/<project>/<session>.jsonl`) in, its turns out.

One object a line: `{type, message: {role, content}, uuid, timestamp, sessionId, cwd, gitBranch, isSidechain, …}`.
Beside `user` and `assistant` lines, the user's words stand in tool results and in the queue (`queue-operation`,
`attachment`), titles in lines of their own, and a compaction's summary in a user line that is marked as one. A
sub-agent's side chain is a session of its own, and its prompts are the main agent's words, not the user's.
"""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import MessageBlock, blocks, output_text
from pellucid.capture.transcripts.json_values import JsonObject, as_object, instant_at, text_at
from pellucid.capture.transcripts.noise import is_harness_text, plan_to_carry_out, recap, without_reminders
from pellucid.capture.transcripts.numbering import UNNUMBERED, Numbering
from pellucid.capture.transcripts.source import Source
from pellucid.capture.transcripts.thread import Queued, Thread
from pellucid.capture.transcripts.tools.results import turns_of
from pellucid.model.turn import Role, Turn

AGENT = "claude-code"
_TYPE_NAMES = """
    user assistant system summary file-history-snapshot queue-operation progress attachment custom-title ai-title
    """
LINE_TYPES = frozenset(_TYPE_NAMES.split())


def read(source: Source) -> Iterator[Turn]:
    """Stream the turns of a Claude Code session file."""
    return Numbering(source).number(_turns(source))


def recognises(value: JsonObject) -> bool:
    """Whether a line belongs to this format."""
    named = any(key in value for key in ("sessionId", "uuid", "leafUuid", "messageId"))
    return value.get("type") in LINE_TYPES and named


def _turns(source: Source) -> Iterator[Turn]:
    """The turns of a transcript, line by line; lines that are no turn are counted by their reason."""
    thread = source.thread
    for _, line in source.objects():
        frame = _turn_frame(line, thread)
        match line.get("type"):
            case "user" | "assistant":
                yield from _message_turns(line, frame, source)
            case "queue-operation":
                yield from _queued_turns(line, frame, source)
            case "attachment":
                yield from _attached_turns(line, frame, source)
            case "summary" | "custom-title" | "ai-title":
                yield from _title_turns(line, frame, source)
            case _:
                source.report.drop("not-a-turn")
        yield from _titled(
            thread.titles.note_line(text_at(line, "uuid"), frame.session_id), text_at(line, "uuid"), frame
        )
    if source.ends:
        source.report.count_dropped("queued", thread.queue.left())
        source.report.count_dropped("title-of-another-session", thread.titles.left())


def _message_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The turns of a message line; a summary, an accepted plan and what was said before are told apart."""
    if reason := _not_a_turn(line):
        source.report.drop(reason)
        return
    message = as_object(line.get("message"))
    if line.get("isCompactSummary") is True:
        summary = recap(output_text(message.get("content")))
        yield replace(frame, role="assistant", kind="recap", content=summary)
        return
    details = as_object(line.get("toolUseResult"))
    meant = [
        replace(block, text=without_reminders(block.text), details=details) for block in blocks(message.get("content"))
    ]
    kept = [block for block in meant if not _is_noise(block, line)]
    source.report.count_dropped("harness-noise", len(meant) - len(kept))
    for turn in turns_of(kept, frame, source.thread.calls, source.report):
        if turn.role != "user" or turn.kind != "message":
            yield turn
        elif source.thread.queue.is_repeated(turn.content):
            source.report.drop("said-before")
        elif plan := plan_to_carry_out(turn.content):
            yield replace(turn, role="assistant", kind="plan", content=plan)
        else:
            yield turn


def _not_a_turn(line: JsonObject) -> str | None:
    """Why a message line is nobody's turn: `harness-noise`, `api-error`; None if it is somebody's."""
    if line.get("isMeta") is True:
        return "harness-noise"
    if line.get("isApiErrorMessage") is True or as_object(line.get("message")).get("model") == "<synthetic>":
        return "api-error"
    return None


def _is_noise(block: MessageBlock, line: JsonObject) -> bool:
    return block.kind == "text" and line.get("type") == "user" and is_harness_text(block.text)


def _queued_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The turn of a queued message that now leaves the queue for the agent, if any; else only keeps the queue.

    One that is taken back counts only if it is sent again.
    """
    queue, words = source.thread.queue, text_at(line, "content")
    match line.get("operation"):
        case "enqueue":
            if not queue.enter(Queued(words or "", frame.session_id, frame.at)):
                source.report.drop("harness-noise")
        case "dequeue":
            queue.next_prompt()
        case "popAll":
            queue.taken_back()
        case "remove":
            if message := queue.let_through(words):
                yield _typed(message.text, replace(frame, session_id=message.session, at=message.at))
        case _:
            source.report.drop("not-a-turn")


def _attached_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The turn of a queued message that was handed to the agent; none if its leaving the queue gave it before."""
    attachment = as_object(line.get("attachment"))
    words = output_text(attachment.get("prompt", ""))
    typed = attachment.get("commandMode") in (None, "prompt")
    queue = source.thread.queue
    if attachment.get("type") != "queued_command" or line.get("isMeta") is True:
        source.report.drop("not-a-turn")
    elif not typed or not words.strip() or is_harness_text(words):
        source.report.drop("harness-noise")
    elif queue.is_repeated(words):
        source.report.drop("said-before")
    else:
        queue.repeatable(words)
        yield _typed(words, frame)


def _typed(words: str, frame: Turn) -> Turn:
    key = frame.key or (f"queue:{frame.at.isoformat()}" if frame.at else None)
    return replace(frame, role="user", kind="feedback", content=words, key=key)


def _title_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """The title of a session as a turn; of another session's line, once it is known whose line that is."""
    title, leaf = text_at(line, "summary", "customTitle", "aiTitle", "title"), text_at(line, "leafUuid")
    if title is None:
        source.report.drop("not-a-turn")
    elif leaf is None:
        yield from _titled([title], frame.session_id, frame)
    elif session := source.thread.titles.session_of(leaf, title):
        yield from _titled([title], leaf, replace(frame, session_id=session))


def _titled(titles: list[str], about: str | None, frame: Turn) -> Iterator[Turn]:
    for title in titles:
        yield replace(frame, role="assistant", kind="title", content=title, key=f"title:{about}")


def _turn_frame(line: JsonObject, thread: Thread) -> Turn:
    """A turn without words, with what its line says of session, role, time and place; also notes the place."""
    session = text_at(line, "sessionId") or ""
    thread.note_place(session, text_at(line, "cwd"), text_at(line, "gitBranch"))
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
        folder=thread.folder,
        branch=thread.branch,
    )
