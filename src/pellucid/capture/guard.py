"""Raw turns in, storable turns out; our own output, off-the-record stretches and secrets are left out."""

from collections.abc import Iterator
from dataclasses import replace

from pellucid.capture.names import NameRedactor
from pellucid.capture.own_output import is_own_output, without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.capture.secrets.redact import redact, redact_after
from pellucid.encoders.chat.prompt_mark import is_own_prompt
from pellucid.model.turn import Turn
from pellucid.settings.sections import CaptureSettings

LONGER_SPEECH = 10
"""How many times longer than a tool's output, of which the ends say most, a turn that somebody said is kept."""


class OffTheRecord:
    """Tracks which sessions are off the record. Only a user's turn can open or close such a stretch.

    A prompt that Pellucid itself sent to a program, and that is in the program's transcript, opens one, too: nobody
    said that prompt, nor its reply.
    """

    def __init__(self, settings: CaptureSettings) -> None:
        self._off_marker = settings.off_the_record.casefold()
        self._on_marker = settings.on_the_record.casefold()
        self._silenced: dict[str, str] = {}  # for each session that is off the record, the reason

    def drop_reason(self, turn: Turn, content: str) -> str:
        """Return why a turn must be dropped, `off-the-record` or `own-prompt`; "" if it can be stored.

        Tracks the session's state by the turn. `content` is the turn's text without Pellucid's own output. A turn with
        the opening marker is dropped as well, whoever speaks, and so is the user's turn that ends a stretch. Of both
        markers in one turn, the later counts; capitals do not matter. In a tool's output or a reply a marker changes
        nothing for later turns: a page that mentions the marker must not silence a session, nor end what the user
        began.
        """
        words = content.casefold()
        # an empty marker switches the feature off; it must not match everywhere
        opened, closed = (words.rfind(marker) if marker else -1 for marker in (self._off_marker, self._on_marker))
        reason = self._silenced.get(turn.session_id, "")
        if turn.role == "user":
            if is_own_prompt(content):
                reason = self._silenced[turn.session_id] = "own-prompt"
            elif opened > closed:
                self._silenced[turn.session_id] = "off-the-record"
            elif closed >= 0:
                self._silenced.pop(turn.session_id, None)
        return reason or ("off-the-record" if opened >= 0 else "")


class Guard:
    """Decides which turns are stored, and redacts them. One guard sees all turns of one capture, in order."""

    def __init__(self, settings: CaptureSettings, report: CaptureReport) -> None:
        self._settings = settings
        self._report = report
        self._off_the_record = OffTheRecord(settings)
        self._names = NameRedactor(report)

    def admit(self, turn: Turn) -> Iterator[Turn]:
        """Yield the turn, redacted and shortened for the store; if it must be dropped, only count the reason.

        A turn without words once Pellucid's own output is removed is dropped, too.
        """
        if is_own_output(turn):
            self._report.drop("own-recall")
            return
        content = without_own_output(turn.content, self._report)
        if reason := self._off_the_record.drop_reason(turn, content):
            self._report.drop(reason)
        elif not content.strip():
            self._report.drop("own-recall")
        else:
            yield self._redacted_turn(turn, content)

    def _redacted_turn(self, turn: Turn, content: str) -> Turn:
        """Return the turn with this content, without secrets in any field but its key, which is only stored hashed.

        A content longer than `max_turn_chars` (ten times that in any turn but a tool's) loses its middle, and is
        counted.
        """
        speaker, words = self._redacted_speech(turn.speaker, content)
        max_chars = self._settings.max_turn_chars * (1 if turn.role == "tool" else LONGER_SPEECH)
        kept, lost = cut_middle(words, max_chars)
        self._report.cut(lost)
        return replace(
            turn,
            content=kept,
            speaker=speaker,
            session_id=self._names.clean_session(turn.session_id),
            tool=turn.tool and self._names.clean(turn.tool),
            agent=turn.agent and self._names.clean(turn.agent),
            folder=turn.folder and self._names.clean(turn.folder),
            branch=turn.branch and self._names.clean(turn.branch),
        )

    def _redacted_speech(self, speaker: str | None, content: str) -> tuple[str | None, str]:
        """Return the speaker's name and the content without secrets.

        They are redacted as one text, `speaker: content`. If a secret begins in the name, the speaker is None and the
        rest of the name stays in the content.
        """
        speaker = speaker and self._names.clean(speaker)
        lead = f"{speaker}: " if speaker else ""
        if (redacted := redact_after(lead, content)) is None:
            speaker, redacted = None, redact(lead + content)
        self._report.redactions.update(redacted.counts)
        return speaker, redacted.text


def cut_middle(text: str, max_chars: int) -> tuple[str, int]:
    """Return a text of at most `max_chars` characters (≥ 100): head and tail, two to one, and a note of the cut.

    Also return the number of characters cut. A text that is no longer than that is returned unchanged.
    """
    if len(text) <= max_chars:
        return text, 0
    kept = max_chars - len(f"\n[… {len(text)} characters cut …]\n")
    tail = kept // 3
    head = kept - tail
    lost = len(text) - kept
    return f"{text[:head]}\n[… {lost} characters cut …]\n{text[len(text) - tail :]}", lost
