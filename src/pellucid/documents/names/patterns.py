"""A user's regular expressions in, patterns that search any text in linear time out.

A text is read in windows, so that a match costs no more than a window. Patterns that can take exponential time within a
window (a repeat within a repeat, a back reference) are refused. A match is at most 64 characters long.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.errors import InputError

LONGEST = 64
"""The most characters of a name."""
_STEP = 192
"""Characters of a window in which a match can begin."""
_LENGTH = 200
"""The most characters of a pattern."""
_REPEATS = 3
"""The most open repeats in a pattern: each multiplies the time by the length of a window."""
_OPTIONS = 6
"""The most options (`?`, alternatives) in a pattern: each doubles the time."""
_HEAD = re.compile(r"\?(?:P<\w+>|P=\w+|<[=!]|[:=!>]|[aiLmsux-]+[:)]?|#|\()")
"""What follows `(` in a group that is not a plain one."""
_REPEAT = re.compile(r"[*+?]|\{\d*(?:,\d*)?\}")
_ESCAPE = re.compile(r"\\(?:[1-9]\d?|.)", re.DOTALL)
_SET = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


def compile_safely(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that is safe to search any text with.

    Raises:
        InputError: it is not a regular expression, matches the empty text, is longer than 200 characters, or can take
            more than linear time: it repeats a group that holds a repeat of varying length, an option or an
            alternative, has a back reference, more than three open repeats, or more than six options (`?`, groups
            with alternatives).
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise _pattern_error(pattern, f"is no regular expression: {error}", "correct it") from error
    if compiled.match(""):
        raise _pattern_error(pattern, "matches the empty text, which is no name", "demand at least one character")
    why = "" if len(pattern) <= _LENGTH else f"is longer than {_LENGTH} characters"
    if why := why or _find_danger(pattern):
        raise _pattern_error(pattern, why, "use single repeats such as `TICKET-\\d+`, or write several patterns")
    return compiled


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern, in order and without overlaps; empty ones, and those longer than 64 characters,
    are left out. The text is searched in windows, in each of which matches begin in the first 192 characters: the rest
    of a longer match can be found where the next window begins.
    """
    at, size = 0, len(text)
    while at < size:
        end = min(at + _STEP + LONGEST, size)
        next_begin = at + _STEP if end < size else size
        for match in pattern.finditer(text, at, end):
            if match.start() >= next_begin:
                break
            is_cut = match.end() == end < size
            if match.end() > match.start() and not is_cut and len(match[0]) <= LONGEST:
                yield match
                next_begin = max(next_begin, match.end())
        at = next_begin


def _pattern_error(pattern: str, why: str, next_step: str) -> InputError:
    """Make the error for a pattern of the settings that cannot be used, with the reason and what to do about it."""
    return InputError(f"graph.patterns: {pattern!r} {why}", code="invalid_pattern", next_step=next_step)


def _find_danger(pattern: str) -> str:
    """Return why a pattern can take exponential time, or too many steps a character, as the end of a sentence about the
    pattern; empty if it cannot.
    """
    open_groups = [_Group()]
    at, closed_group, repeats, options = 0, _Group(), 0, 0
    while at < len(pattern):
        step, kind = _piece_at(pattern, at)
        at += step
        if kind == "reference":
            return "refers back to what it matched"
        if kind in {"repeat", "count"} and (closed_group.varies or closed_group.chooses):
            return "repeats a group that holds a repeat or an alternative"
        repeats += kind == "repeat"
        options += kind == "option" or (kind == "close" and open_groups[-1].chooses)
        closed_group = _track_group(open_groups, kind)
    if repeats > _REPEATS:
        return f"holds more than {_REPEATS} open repeats"
    return f"holds more than {_OPTIONS} options" if options > _OPTIONS else ""


def _track_group(open_groups: "list[_Group]", kind: str) -> "_Group":
    """Apply the next piece of a pattern, of this kind (see `_piece_at`), to the stack of `open_groups`, which has one
    for the whole pattern; return the group that it closed, else an empty group.
    """
    if kind == "open":
        open_groups.append(_Group())
    elif kind == "close" and len(open_groups) > 1:
        closed = open_groups.pop()
        open_groups[-1].varies |= closed.varies or closed.chooses
        return closed
    elif kind == "choice":
        open_groups[-1].chooses = True
    elif kind in {"repeat", "option"}:
        open_groups[-1].varies = True
    return _Group()


@dataclass(slots=True)
class _Group:
    """Whether a group of a pattern can match at different lengths (`varies`), and whether it has alternatives
    (`chooses`)."""

    varies: bool = False
    chooses: bool = False


def _piece_at(pattern: str, at: int) -> tuple[int, str]:
    """Return the length and kind of the piece of a pattern at `at`: `open`, `close`, `choice` (`|`), `reference`, a
    repeat's kind (`_repeat_at`), or `plain` for any other.
    """
    char = pattern[at]
    if found := _ESCAPE.match(pattern, at):
        return len(found[0]), "reference" if found[0][1].isdigit() and found[0][1] != "0" else "plain"
    if char == "[" and (found := _SET.match(pattern, at)):
        return len(found[0]), "plain"
    if char == "(":
        head = _HEAD.match(pattern, at + 1)
        mark = head[0] if head else ""
        if mark.startswith(("?P=", "?(")):
            return 1 + len(mark), "reference"
        return 1 + len(mark), "plain" if mark.endswith(")") else "open"
    if found := _REPEAT.match(pattern, at):
        return _repeat_at(pattern, found)
    return 1, {")": "close", "|": "choice"}.get(char, "plain")


def _repeat_at(pattern: str, found: re.Match[str]) -> tuple[int, str]:
    """Return the length of a repeat with its suffix (`?` or `+`), and its kind: `option` for `?`, `count` for a fixed
    number (`{3}`), or `repeat` for any other.

    `found` is the match of the repeat, without suffix.
    """
    length = len(found[0]) + (pattern[found.end() : found.end() + 1] in {"?", "+"})
    if found[0] in "*+?":
        return length, "option" if found[0] == "?" else "repeat"
    low, comma, high = found[0][1:-1].partition(",")
    return length, "repeat" if comma and high != low else "count"
