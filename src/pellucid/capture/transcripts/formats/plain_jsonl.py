"""JSON lines `{role, content, ts?, session?, name?, id?}` in, their turns out."""

from collections.abc import Iterator

from pellucid.capture.transcripts.formats.chat_messages import is_message, message_turns, role_of
from pellucid.capture.transcripts.json_values import JsonObject
from pellucid.capture.transcripts.numbering import Numbering
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn


def read(source: Source) -> Iterator[Turn]:
    """Stream the turns of a file with one message a line."""
    return Numbering(source).number(_turns(source))


def recognises(value: JsonObject) -> bool:
    """Whether a line belongs to this format."""
    return is_message(value)


def _turns(source: Source) -> Iterator[Turn]:
    """The turns of a file of one message a line; lines that are none are counted as unreadable."""
    for number, message in source.objects():
        if not is_message(message):
            source.report.cannot_read(source.path, number, "no role and content")
        elif role_of(message) is None:
            source.report.cannot_read(source.path, number, "unknown role")
        else:
            yield from message_turns(message, "", source.thread.calls, source.report)
