"""Raw turns in, storable turns out: our own output, off-the-record stretches and secrets stay outside."""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.names import Names
from pellucid.capture.own_output import is_own_output, without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact
from pellucid.encoders.chat.prompt_mark import is_own_prompt
from pellucid.model.turn import Turn
from pellucid.settings.sections import CaptureSettings


class OffTheRecord:
    """Which sessions are off the record just now. Only the user's words open and close a stretch.

    A prompt of ours, of which a program that we asked kept a transcript, opens one, too: nobody said it, nor the reply.
    """

    def __init__(self, settings: CaptureSettings) -> None:
        self._off = settings.off_the_record.casefold()
        self._on = settings.on_the_record.casefold()
        self._closed_ears: dict[str, str] = {}

    def covers(self, turn: Turn, content: str) -> str:
        """Why a turn must be dropped, `off-the-record` or `own-prompt`, judging by its own words `content`; else "".

        Turns that hold a marker are dropped, as well.

        A tool's output or a reply that holds the opening marker is dropped alone: a page that mentions it must not
        silence a session, nor one that mentions the closing marker end what the user began.
        """
        words = content.casefold()
        # an empty marker switches the feature off; it must not match everywhere
        opened, closed = (words.rfind(marker) if marker else -1 for marker in (self._off, self._on))
        silent = self._closed_ears.get(turn.session_id, "")
        if turn.role == "user":
            if is_own_prompt(content):
                silent = self._closed_ears[turn.session_id] = "own-prompt"
            elif opened > closed:
                self._closed_ears[turn.session_id] = "off-the-record"
            elif closed >= 0:
                self._closed_ears.pop(turn.session_id, None)
        return silent or ("off-the-record" if opened >= 0 else "")


class Guard:
    """What stands between a transcript and the store. One guard sees the turns of one capture, in order."""

    def __init__(self, settings: CaptureSettings, report: CaptureReport) -> None:
        self._settings = settings
        self._report = report
        self._off_the_record = OffTheRecord(settings)
        self._names = Names(report)

    def admit(self, turn: Turn) -> Iterator[Turn]:
        """Yield the turn as it may be stored; nothing, with the reason counted, where it may not be."""
        if is_own_output(turn):
            self._report.drop("own-recall")
            return
        content = without_own_output(turn.content, self._report)
        if reason := self._off_the_record.covers(turn, content):
            self._report.drop(reason)
        elif not content.strip():
            self._report.drop("own-recall")
        else:
            yield self._redacted_turn(turn, content)

    def _redacted_turn(self, turn: Turn, content: str) -> Turn:
        """The turn with `content` as its words and no secret in any field stored (its key is only ever hashed)."""
        speaker, words = self._redacted_speech(turn.speaker, content)
        return replace(
            turn,
            content=self._shortened(words),
            speaker=speaker,
            session_id=self._names.session(turn.session_id),
            tool=turn.tool and self._names.clean(turn.tool),
            agent=turn.agent and self._names.clean(turn.agent),
            folder=turn.folder and self._names.clean(turn.folder),
            branch=turn.branch and self._names.clean(turn.branch),
        )

    def _redacted_speech(self, speaker: str | None, content: str) -> tuple[str | None, str]:
        """Speaker and words without secrets, looked at side by side as they are kept.

        Where a secret reaches into the name, there is no speaker, and what is left of the name stands in the words.
        """
        speaker = speaker and self._names.clean(speaker)
        lead = f"{speaker}: " if speaker else ""
        redacted = redact(lead + content)
        self._report.redactions.update(redacted.counts)
        if redacted.text.startswith(lead):
            return speaker, redacted.text.removeprefix(lead)
        return None, redacted.text

    def _shortened(self, text: str) -> str:
        """The text, its middle cut out and the cut counted where it is longer than a turn may be."""
        if len(text) <= self._settings.max_turn_chars:
            return text
        self._report.turns_cut += 1
        return cut_middle(text, self._settings.max_turn_chars)


def cut_middle(text: str, longest: int) -> str:
    """Head and tail of a text that is too long, about two to one, with a note of what is missing between them.

    The result is at most `longest` characters (which must leave room for the note: ≥ 100).
    """
    room = longest - len(f"\n[… {len(text)} characters cut …]\n")
    tail = room // 3
    head = room - tail
    return f"{text[:head]}\n[… {len(text) - room} characters cut …]\n{text[len(text) - tail :]}"
