"""Chunks of one JSON document in, its array elements out one by one: a large file is never whole in memory."""

import json
import re
from collections.abc import Iterator

from pellucid.capture.transcripts.json_values import as_object

_DECODER = json.JSONDecoder()
MAX_VALUE = 16 * 1024 * 1024
_WORDS = ("true", "false", "null", "NaN", "-Infinity", "Infinity")
_BEGUN = re.compile(r"\.|[eE][-+]?|u[0-9a-fA-F]{0,4}")
"""Matches what is left where a number or a `\\u0000` in a text was cut off, from the place where parsing fails."""
_BEGINS_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")


def begins_json(head: str) -> bool:
    """Whether a file's first characters open a JSON object, or an array that is empty or begins with a string, object
    or array; False for `[10:30] Alice: …`.
    """
    return _BEGINS_JSON.match(head) is not None


def is_lines(head: str) -> bool:
    """Whether a file's first characters are JSON lines; blank lines do not count.

    That is so if line one is a whole JSON object that is not empty; or if line one is not valid JSON and does not begin
    with `[`, and line two begins with `{`.
    """
    lines = [line for line in head.split("\n") if line.strip()][:2]  # U+2028 and others can be within a text
    if not lines or lines[0].lstrip().startswith("["):
        return False
    try:
        return bool(as_object(json.loads(lines[0])))
    except (ValueError, RecursionError):
        return len(lines) > 1 and lines[1].startswith("{")


class BrokenJsonError(ValueError):
    """The document is not JSON, or one element is longer than 16 Mi characters."""


class UnfinishedJsonError(ValueError):
    """The document ends in the middle: its writer is still at work."""


def elements(chunks: Iterator[str], streamed: str) -> Iterator[tuple[str, object]]:
    """Parse a JSON document piece by piece: a top-level array, or a top-level object with one long array in it.

    Yields `("", element)` for each element of a top-level array; for a top-level object `(key, value)` in document
    order, and `(streamed, element)` for each element of the array under the key `streamed`. Once everything before the
    fault was yielded, raises UnfinishedJsonError if the text ends early (also if it is empty), BrokenJsonError if it is
    anything else, goes on after the document, or has a value that `_Buffer.value` refuses. A comma before the last
    bracket of the document, or of that array, is let pass.
    """
    text = _Buffer(chunks)
    if text.peek() == "[":
        yield from (("", value) for value in _array_values(text))
    else:
        yield from _members(text, streamed)
    if not text.is_at_end():
        raise BrokenJsonError("more follows behind the document")


def _members(text: "_Buffer", streamed: str) -> Iterator[tuple[str, object]]:
    """Yield (key, value) of the object that begins at the next character.

    The elements of the array under the key `streamed` are yielded singly, each with that key. Raises as `elements`
    does.
    """
    text.take("{")
    while text.peek() != "}":
        key = text.value()
        if not isinstance(key, str):
            raise BrokenJsonError("an object's key is not a string")
        text.take(":")
        if key == streamed and text.peek() == "[":
            yield from ((key, value) for value in _array_values(text))
        else:
            yield key, text.value()
        if text.peek() != "}":
            text.take(",")
    text.take("}")


def _array_values(text: "_Buffer") -> Iterator[object]:
    """Yield the values of the array that begins at the next character, one at a time. Raises as `elements` does."""
    text.take("[")
    while text.peek() != "]":
        yield text.value()
        if text.peek() != "]":
            text.take(",")
    text.take("]")


class _Buffer:
    """Parses a text that arrives in chunks; stores only as much of it as the next value needs."""

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not white space, without consuming it; UnfinishedJsonError at the end."""
        while True:
            rest = self._text[self._at : self._at + 1]
            if not rest:
                if self._ended:
                    raise UnfinishedJsonError("the document ends early")
                self._read_more(1)
            elif rest.isspace():
                self._at += 1
            else:
                return rest

    def is_at_end(self) -> bool:
        """Whether only white space is left."""
        try:
            return not self.peek()
        except UnfinishedJsonError:
            return True

    def take(self, expected: str) -> None:
        """Consume the next character that is not white space; BrokenJsonError if it is not the expected one.

        UnfinishedJsonError if there is none.
        """
        if self.peek() != expected:
            raise BrokenJsonError(f"expected {expected!r}")
        self._at += 1

    def value(self) -> object:
        """Consume and return the next JSON value, reading chunks as far as needed, each time twice as much.

        UnfinishedJsonError if the text ends within a value; BrokenJsonError if what is there is not JSON, is nested too
        deeply, is a number of too many digits for Python, or is longer than about 16 Mi characters.
        """
        self.peek()
        while (found := self._parsed_value()) is None:
            if self._ended:
                raise UnfinishedJsonError("the document ends early")
            if len(self._text) - self._at > MAX_VALUE:
                raise BrokenJsonError("one value is longer than 16 Mi characters")
            self._read_more(len(self._text) - self._at)
        value, self._at = found
        return value

    def _parsed_value(self) -> tuple[object, int] | None:
        """Return the value at the next character, and the position after it; None if it goes on, or can go on, in text
        that is not read yet. BrokenJsonError if it is not JSON, is nested too deeply, or is a number of too many
        digits.
        """
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except RecursionError as error:
            raise BrokenJsonError("nested too deeply") from error
        except json.JSONDecodeError as error:
            if _is_cut_off(error):
                return None
            raise BrokenJsonError("not valid JSON") from error
        except ValueError as error:
            raise BrokenJsonError("a number has too many digits") from error
        return (value, end) if self._ended or self._is_whole(value, end) else None

    def _is_whole(self, value: object, end: int) -> bool:
        """Whether a parsed value really ends at `end`: False at the end of what is read, and for a number followed by a
        character that numbers contain.
        """
        rest = self._text[end : end + 1]
        return bool(rest) and not (isinstance(value, int | float) and rest in "0123456789.eE+-")

    def _read_more(self, wanted: int) -> None:
        """Drop what was consumed, and read at least `wanted` more characters, fewer only if the text ends; sets
        `_ended` then.
        """
        parts = [self._text[self._at :]]
        self._at = 0
        while wanted > 0 and not self._ended:
            chunk = next(self._chunks, None)
            self._ended = chunk is None
            parts.append(chunk or "")
            wanted -= len(chunk or "")
        self._text = "".join(parts)


def _is_cut_off(error: json.JSONDecodeError) -> bool:
    """Whether the text could still be parsed if more followed: what is left where parsing failed is empty or only white
    space, or the beginning of a word such as `true`, of a number's rest or an escape, or an unterminated string.
    """
    rest = error.doc[error.pos :].strip()
    is_begun = any(word.startswith(rest) for word in _WORDS) or _BEGUN.fullmatch(rest) is not None
    return is_begun or error.msg.startswith("Unterminated string")
