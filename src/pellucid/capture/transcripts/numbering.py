"""A format's raw turns in, clean numbered turns out: session ids, ordinals and text that every store can hold."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn

UNNUMBERED = 0
"""The ordinal of a turn that has not passed through here."""

_LONGEST_NAME = 128
_LONGEST_PATH = 4096
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Numbering:
    """Numbers the turns of one file, and names the session of those that come without one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._own_name = ""
        self._ordinals: Counter[str] = Counter()

    def number(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Count each session's turns from 1, going on from call to call; empty turns are dropped without a number."""
        return self._number_turns(turns, self._ordinals, "")

    def number_conversation(self, turns: Iterable[Turn], part: str) -> Iterator[Turn]:
        """Count the turns of one whole conversation from 1, and forget it afterwards.

        Args:
            part: what tells it from the file's other conversations, if it has no name.
        """
        return self._number_turns(turns, Counter(), part)

    def _number_turns(self, turns: Iterable[Turn], ordinals: Counter[str], part: str) -> Iterator[Turn]:
        """Turns with clean names and an ordinal in their session; what says nothing is dropped and takes no number."""
        for turn in turns:
            content = clean_text(turn.content)
            if not content or content.isspace():
                self._source.report.drop("empty")
                continue
            session = self._clean_name(turn.session_id) or self._name_from_file(turn.role, content) + part
            ordinals[session] += 1
            yield replace(
                turn,
                session_id=session,
                ordinal=ordinals[session],
                content=content,
                speaker=self._clean_name(turn.speaker) or None,
                tool=self._clean_name(turn.tool) or None,
                agent=self._clean_name(turn.agent) or None,
                key=self._clean_name(turn.key) or None,
                folder=_printable(turn.folder or "")[:_LONGEST_PATH] or None,
                branch=self._clean_name(turn.branch) or None,
            )

    def _clean_name(self, name: str | None) -> str:
        """A clean name. A long one loses its secrets before it is cut: half a secret no longer looks like one."""
        if name is None or len(name) <= _LONGEST_NAME:
            return clean_name(name or "")
        redacted = redact(name)
        self._source.report.redactions.update(redacted.counts)
        return clean_name(redacted.text)

    def _name_from_file(self, role: str, content: str) -> str:
        """The file's stem and a digest of its first line: the same wherever the file lies and however it grows."""
        if not self._own_name:
            first_line = redact(content.lstrip().partition("\n")[0]).text
            digest = hashlib.blake2b(f"{role}:{first_line}".encode(), digest_size=4).hexdigest()
            self._own_name = f"{clean_name(redact(self._source.path.stem).text)[:100]}-{digest}"
        return self._own_name


def clean_text(text: str) -> str:
    """The text without terminal colours, control characters, lone surrogates and Windows line ends."""
    if text.isprintable():
        return text
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return _CONTROL.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def clean_name(name: str) -> str:
    """A one-line printable name of at most 128 characters; a longer one keeps its head and a digest of the whole."""
    name = _printable(name)
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 17]}-{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}"


def _printable(name: str) -> str:
    name = name.strip()
    return name if name.isprintable() else "".join(char if char.isprintable() else "-" for char in name)
