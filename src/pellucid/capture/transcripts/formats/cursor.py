"""A session file of Cursor (`~/.cursor/projects/<project>/agent-transcripts/**/<session>.jsonl`) in, its turns out.

An object a line: `{role, message: {content}}`, and marks such as `{type: turn_ended}`. No line names the session, the
project or a time, and no tool's output is in the file. A person's words are in `<user_query>`, after text that the
editor puts before them. A sub-agent's file is in `subagents/`, and is a session of its own beside the one it serves.
"""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.transcripts.blocks import MessageBlock, message_blocks
from pellucid.capture.transcripts.formats.chat_messages import role_of
from pellucid.capture.transcripts.json_values import JsonObject, as_object, text_at
from pellucid.capture.transcripts.noise import is_harness_text, without_reminders
from pellucid.capture.transcripts.numbering import UNNUMBERED, numbered
from pellucid.capture.transcripts.source import Source
from pellucid.capture.transcripts.tools.results import block_turns
from pellucid.model.turn import Turn

AGENT = "cursor"
_OPENING, _CLOSING = "<user_query>", "</user_query>"
_HIDDEN = "[REDACTED]"  # the mark for the agent's thinking at the end of its words


def recognises(value: JsonObject) -> bool:
    """Whether a line of JSON is a message of this format: a known `role`, a `message` with `content`, no `type`."""
    return role_of(value) is not None and "content" in as_object(value.get("message")) and "type" not in value


@numbered
def read(source: Source) -> Iterator[Turn]:
    """Yield the turns of a Cursor session file; in a sub-agent's file (in a folder `subagents`), all are the
    assistant's.

    A turn's session is the one that its line names, else the file's stem, for a sub-agent `<session>/<stem>`. Other
    lines, and blocks that Cursor wrote in the user's name, are counted in the report.
    """
    own, folder = source.path.stem, source.path.parent
    is_sub_agent = folder.name == "subagents"
    session = f"{folder.parent.name}/{own}" if is_sub_agent else own
    for number, line in source.objects():
        role = role_of(line)
        if "type" in line or role is None:
            source.report.drop("not-a-turn")
        elif not recognises(line):
            source.report.cannot_read(source.path, number, "no role and message")
        else:
            frame = Turn(text_at(line, "sessionId") or session, UNNUMBERED, role, "", agent=AGENT)
            found = [
                _without_wrapping(each, role) for each in message_blocks(as_object(line.get("message")).get("content"))
            ]
            kept = [each for each in found if each.kind != "text" or not is_harness_text(each.text)]
            source.report.drop("harness-noise", len(found) - len(kept))
            frame = replace(frame, role="assistant") if is_sub_agent else frame
            yield from block_turns(kept, frame, source.thread.calls, source.report)


def _without_wrapping(block: MessageBlock, role: str) -> MessageBlock:
    """Return a text block with the person's or agent's own words alone, without system reminders.

    Of a user, only what is within `<user_query>`, if it has that; of others, without the `[REDACTED]` at the end. A
    block of another kind is returned as it is.
    """
    if block.kind != "text":
        return block
    text = without_reminders(block.text)
    if role != "user":
        return replace(block, text=text.rstrip().removesuffix(_HIDDEN).rstrip())
    _, opening, rest = text.partition(_OPENING)
    words, closing, _ = rest.rpartition(_CLOSING)
    return replace(block, text=words.strip() if opening and closing else text)
