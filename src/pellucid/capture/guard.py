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

        `content` is the turn's text without Pellucid's own output. A user's turn also changes the session's state for
        later turns: a prompt of Pellucid's own, or the marker `off_the_record`, begins a stretch whose turns are all
        dropped; the marker `on_the_record` ends it. Of both markers in one turn, the later counts; capitals do not
        matter. The turn that ends a stretch is itself still dropped, and so is any turn with the opening marker,
        whoever speaks. In a tool's output or a reply a marker changes nothing for later turns: a page that mentions it
        must not silence a session, nor end what the user began.
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
        """Yield one turn: the given one without Pellucid's own output, redacted and shortened for the store; what is
        removed is counted in the report. If it must be dropped, yield nothing and count the reason: `off-the-record`,
        `own-prompt`, or `own-recall`.

        `own-recall` is a tool's turn that is Pellucid's output, and any turn of which nothing is left once such output
        is cut out. A user's turn can begin or end an off-the-record stretch (see `OffTheRecord.drop_reason`)."""
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
        """Return the turn with `content` in place of its own, without secrets in any field but its key, which is only
        stored hashed.

        A content longer than the setting `max_turn_chars` (for any turn but a tool's, ten times that) loses its middle,
        which is counted (see `cut_middle`). Removed secrets are counted in the report.
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
        """Return the speaker's name (None if there is none) and the content, both without secrets, which are counted in
        the report.

        They are redacted as one text, `speaker: content`, as a name such as `password` shows that a secret follows. If
        a secret begins in the name, the speaker becomes None, and the content begins with what is left of `speaker: `.
        """
        speaker = speaker and self._names.clean(speaker)
        lead = f"{speaker}: " if speaker else ""
        if (redacted := redact_after(lead, content)) is None:
            speaker, redacted = None, redact(lead + content)
        self._report.redactions.update(redacted.counts)
        return speaker, redacted.text


def cut_middle(text: str, max_chars: int) -> tuple[str, int]:
    """Return the text cut to at most `max_chars` characters, and the number of characters cut out.

    A text that is no longer is returned unchanged, with 0. A longer one keeps its head and its tail, the head twice as
    long, and between them the line `[… N characters cut …]`. `max_chars` must be 100 or more, which is not checked.
    """
    if len(text) <= max_chars:
        return text, 0
    kept = max_chars - len(f"\n[… {len(text)} characters cut …]\n")
    tail = kept // 3
    head = kept - tail
    lost = len(text) - kept
    return f"{text[:head]}\n[… {lost} characters cut …]\n{text[len(text) - tail :]}", lost
