"""A Claude Code session file (`~/.claude/projects/<project>/<session>.jsonl`) in, its turns out.

An object a line: `{type, message: {role, content}, uuid, timestamp, sessionId, cwd, gitBranch, isSidechain, …}`. Beside
`user` and `assistant` lines, the user's words are in tool results and in the queue (`queue-operation`, `attachment`),
titles in lines of their own, and a compaction's summary in a user line that is marked so. A sub-agent's side chain is a
session of its own, and its prompts are the main agent's words, not the user's.
"""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import message_blocks, output_text
from pellucid.capture.transcripts.json_values import JsonObject, as_object, instant_at, text_at
from pellucid.capture.transcripts.noise import accepted_plan, is_harness_text, recap, without_reminders
from pellucid.capture.transcripts.numbering import UNNUMBERED, numbered
from pellucid.capture.transcripts.source import Source
from pellucid.capture.transcripts.thread import Queued, Thread
from pellucid.capture.transcripts.tools.results import block_turns
from pellucid.model.turn import Role, Turn

AGENT = "claude-code"
_TYPE_NAMES = """
    user assistant system summary file-history-snapshot queue-operation progress attachment custom-title ai-title
    """
LINE_TYPES = frozenset(_TYPE_NAMES.split())


def recognises(value: JsonObject) -> bool:
    """Whether a line of JSON belongs to this format: its `type` is in `LINE_TYPES`, and it has one of the ids of a
    session, line or message.
    """
    named = any(key in value for key in ("sessionId", "uuid", "leafUuid", "messageId"))
    return value.get("type") in LINE_TYPES and named


@numbered
def read(source: Source) -> Iterator[Turn]:
    """Yield the turns of a Claude Code session file; lines that are not turns are counted in the report, by reason.

    At the end of the source, messages still in the queue and titles whose line never came are counted as left out, too.
    """
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
        titles = thread.titles.note_line(frame.key, frame.session_id)
        yield from (_title_turn(title, frame.key, frame) for title in titles)
    if source.ends:
        source.report.drop("queued", thread.queue.waiting_count())
        source.report.drop("title-of-another-session", thread.titles.waiting_count())


def _message_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Yield the turns of a `user` or `assistant` line; a compaction's summary (kind `recap`) and an accepted plan
    (`plan`) become the assistant's.

    `frame` is the line's turn without content (`_turn_frame`). Left out, and counted in the report of `source`, are
    lines with a `_drop_reason`, repeats of queued messages, and what Claude Code itself wrote into the user's message.
    Calls without an answer yet are noted in `source`."""
    if reason := _drop_reason(line):
        source.report.drop(reason)
        return
    message = as_object(line.get("message"))
    if line.get("isCompactSummary") is True:
        summary = recap(output_text(message.get("content")))
        yield replace(frame, role="assistant", kind="recap", content=summary)
        return
    details = as_object(line.get("toolUseResult"))
    found = message_blocks(message.get("content"))
    cleaned = (replace(block, text=without_reminders(block.text), details=details) for block in found)
    is_user = line.get("type") == "user"
    kept = [block for block in cleaned if not (is_user and block.kind == "text" and is_harness_text(block.text))]
    source.report.drop("harness-noise", len(found) - len(kept))
    for turn in block_turns(kept, frame, source.thread.calls, source.report):
        if turn.role != "user" or turn.kind != "message":
            yield turn
        elif source.thread.queue.take_repeat(turn.content):
            source.report.drop("said-before")
        elif plan := accepted_plan(turn.content):
            yield replace(turn, role="assistant", kind="plan", content=plan)
        else:
            yield turn


def _drop_reason(line: JsonObject) -> str | None:
    """Return why a message line is not a turn: `harness-noise` for a note of Claude Code itself (`isMeta`), `api-error`
    for the text of a failed request; None if it is a turn.
    """
    if line.get("isMeta") is True:
        return "harness-noise"
    if line.get("isApiErrorMessage") is True or as_object(line.get("message")).get("model") == "<synthetic>":
        return "api-error"
    return None


def _queued_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Apply a line about the queue to `source.thread`; in the queue, messages wait that the user typed while the agent
    worked.

    For `remove`, which gives a message to the agent while it works, yield the message's turn, with the session and time
    of its entering, if it was waiting. Yield nothing for other operations, such as `dequeue`: a later line of its own
    has that message. Notices and commands in the queue, and unknown operations, are counted. `frame` is the line's turn
    without content (`_turn_frame`).
    """
    queue, words = source.thread.queue, text_at(line, "content")
    match line.get("operation"):
        case "enqueue":
            if not queue.append(Queued(words or "", frame.session_id, frame.at)):
                source.report.drop("harness-noise")
        case "dequeue":
            queue.drop_oldest()
        case "popAll":
            queue.clear()
        case "remove":
            if message := queue.take_delivered(words):
                yield _feedback_turn(message.text, replace(frame, session_id=message.session, at=message.at))
        case _:
            source.report.drop("not-a-turn")


def _attached_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Yield one user's turn of kind `feedback`, a copy of `frame`, for a queued message that is attached for the agent,
    and note it in the thread's queue as delivered.

    Yield nothing, and count the line in the report, for any other attachment, for words that are blank, a program's or
    typed in another mode than `prompt`, and for a message that was noted as delivered before. `frame` is the line's
    turn without content.
    """
    attachment = as_object(line.get("attachment"))
    words = output_text(attachment.get("prompt", ""))
    is_typed = attachment.get("commandMode") in (None, "prompt")
    queue = source.thread.queue
    if attachment.get("type") != "queued_command" or line.get("isMeta") is True:
        source.report.drop("not-a-turn")
    elif not is_typed or not words.strip() or is_harness_text(words):
        source.report.drop("harness-noise")
    elif queue.take_repeat(words):
        source.report.drop("said-before")
    else:
        queue.note_delivered(words)
        yield _feedback_turn(words, frame)


def _feedback_turn(words: str, frame: Turn) -> Turn:
    """Return a user's turn of kind `feedback`, typed while the agent worked: `frame` (see `_turn_frame`) with these
    words. A frame without a key gets one made of its time, if it has one.
    """
    key = frame.key or (f"queue:{frame.at.isoformat()}" if frame.at else None)
    return replace(frame, role="user", kind="feedback", content=words, key=key)


def _title_turns(line: JsonObject, frame: Turn, source: Source) -> Iterator[Turn]:
    """Yield the turn of a session's title; a title that names a line (`leafUuid`) belongs to that line's session, and
    waits in the thread, yielding nothing, until that line has been seen.

    A line without a title is counted in the report as `not-a-turn`. `frame` is the line's turn (`_turn_frame`).
    """
    title, leaf = text_at(line, "summary", "customTitle", "aiTitle", "title"), text_at(line, "leafUuid")
    if title is None:
        source.report.drop("not-a-turn")
    elif leaf is None:
        yield _title_turn(title, frame.session_id, frame)
    elif session := source.thread.titles.session_for(leaf, title):
        yield _title_turn(title, leaf, replace(frame, session_id=session))


def _title_turn(title: str, about: str | None, frame: Turn) -> Turn:
    """Return `frame` as the assistant's turn of kind `title` with the key `title:<about>`; `about` is the id of the
    session or line that the title names.
    """
    return replace(frame, role="assistant", kind="title", content=title, key=f"title:{about}")


def _turn_frame(line: JsonObject, thread: Thread) -> Turn:
    """Return a line's turn without content and number; its folder and branch are those last named in the session, which
    `thread` remembers.

    A line of the type `user` has the user's role, any other the assistant's. A line of a side chain (a sub-agent's)
    gets a session of its own, `<session>/<agent id>`, and always the assistant's role.
    """
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
