"""JSON lines `{role, content, ts?, session?, name?, id?}` in, their turns out."""

from collections.abc import Iterator

from pellucid.capture.transcripts.formats.chat_messages import is_message, message_turns
from pellucid.capture.transcripts.numbering import numbered
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn


@numbered
def read(source: Source) -> Iterator[Turn]:
    """Yield the turns of a file with one message (`{role, content, …}`) a line. Other lines count as unreadable; blank
    ones do not, nor a last line that is still being written.
    """
    for number, message in source.objects():
        if is_message(message):
            yield from message_turns(number, message, "", source.thread.calls, source)
        else:
            source.report.cannot_read(source.path, number, "no role and content")
