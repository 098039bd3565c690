"""A format's raw turns in, clean numbered turns out: session ids, ordinals and text that every store can hold."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps

from pellucid.capture.secrets.redact import redact
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn

UNNUMBERED = 0  # the ordinal of a turn that a format has read, before `Numbering` numbers it

_LONGEST_NAME = 128
_LONGEST_PATH = 4096
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Numbering:
    """Numbers the turns of one file, and names the session of turns that come without one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._own_name = ""
        self._ordinals: Counter[str] = Counter()

    def number(self, turns: Iterable[Turn], conversation: str | None = None) -> Iterator[Turn]:
        """Yield the turns with clean fields, numbered from 1 in each session; turns without words are left out, and
        counted in the report as `empty`.

        Later calls go on with the numbers, unless `conversation` is given, be it empty: then the turns are a whole
        conversation, numbered by itself. Turns that name no session get one named after the file and its first such
        turn (`_name_from_file`), with `conversation` appended.
        """
        ordinals = self._ordinals if conversation is None else Counter[str]()
        for turn in turns:
            content = clean_text(turn.content)
            if not content or content.isspace():
                self._source.report.drop("empty")
                continue
            session = self._clean_name(turn.session_id) or self._name_from_file(turn.role, content) + (
                conversation or ""
            )
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
        """Return a clean name of at most 128 characters (`clean_name`), "" for None.

        A longer one is redacted before it is cut, as half a secret looks harmless; the secrets are counted.
        """
        if name is None or len(name) <= _LONGEST_NAME:
            return clean_name(name or "")
        redacted = redact(name)
        self._source.report.redactions.update(redacted.counts)
        return clean_name(redacted.text)

    def _name_from_file(self, role: str, content: str) -> str:
        """Return the session of turns that name none: the file's stem, `-` and a digest of the role and first line of
        the first such turn. The first call's result is returned for the whole file, whatever the arguments are then.
        """
        if not self._own_name:
            # not counted: the guard redacts the name of every session, and this first line, and counts them there
            first_line = redact(content.lstrip().partition("\n")[0]).text
            digest = hashlib.blake2b(f"{role}:{first_line}".encode(), digest_size=4).hexdigest()
            self._own_name = f"{clean_name(redact(self._source.path.stem).text)[:100]}-{digest}"
        return self._own_name


def numbered(read_raw: Callable[[Source], Iterator[Turn]]) -> Callable[[Source], Iterator[Turn]]:
    """Decorate a format's reader: its raw turns pass through `Numbering.number`, a new `Numbering` for each file."""

    @wraps(read_raw)
    def read(source: Source) -> Iterator[Turn]:
        return Numbering(source).number(read_raw(source))

    return read


def clean_text(text: str) -> str:
    """Return the text without terminal colours and control characters; tabs and line ends stay.

    A Windows line end, or a lone carriage return, becomes a newline, a lone surrogate `?`.
    """
    if text.isprintable():
        return text
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return _CONTROL.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def clean_name(name: str) -> str:
    """Return a name stripped, with `-` for each unprintable character, at most 128 characters long; of a longer one the
    beginning and a digest.
    """
    name = _printable(name)
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 17]}-{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}"


def _printable(name: str) -> str:
    """Return the name stripped, with `-` for each unprintable character."""
    name = name.strip()
    return name if name.isprintable() else "".join(char if char.isprintable() else "-" for char in name)
