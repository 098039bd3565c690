"""The tool calls of a stretch of work in, a command that failed and the spelling of it that worked out.

`pytest` fails, `uv run pytest` works: what an agent finds out anew in each session. Only what differs in the *way* a
thing is run is such a pair. Another file, another test, another branch is another thing, and what passes after an edit
passes because of the edit.
"""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.artifacts import artifacts

FURTHER = 4
"""Commands, at most, that may have worked between the one that failed and the one that is another spelling of it."""
BRIEF = 4
"""Lines a program prints at most when it refuses how it was called; one that ran and failed prints more."""
_LONGEST = 160
_LONGEST_WRAPPER = 6
"""Words in front of a command, or options in it, by which two spellings of it may differ."""
_FEWEST_LETTERS = 3
_NOT_FOUND = 127
_TIMED_OUT = 124
_BY_SIGNAL = 128

_LINE = re.compile(r"^(?:command|cmd): ([^\n]{2,400})(?=\n\w+: |\Z)", re.MULTILINE)
_EXIT = re.compile(r"^(?:Exit code:?|Process exited with code) (\d{1,3})\b[^\n]*\n?", re.MULTILINE)
_LOOKED_AT = 400
_AROUND = re.compile(r"^cd [/~$]\S* && |(?<!\s)\s*+2>&1\s*+$")
"""A step into a folder that is named from the root (mostly the project's own), and errors led along."""
_SHELL_SYNTAX = re.compile(r"[|;<>`\n\\{}*]|(?<!&)&(?!&)|\$[({]|&&.*&&")
_ONE_OFF = re.compile(
    r"/(?:tmp|var/folders)\b|\bte?mp[./_-]|\b[0-9a-f]{8,}\b|\bredacted\b|(?<![.\w])\.\.(?:/|\s|$)", re.IGNORECASE
)
_SPACE = re.compile(r"\s")
_PLACE = re.compile(r"[/.]")


@dataclass(frozen=True, slots=True)
class Run:
    """One command that was run by itself, with the turn of its call; `code` is what it ended with, if it failed."""

    call: Turn
    line: str
    words: tuple[str, ...]
    failed: bool
    code: int | None
    printed: int
    """Lines of its output."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A command that failed and another spelling of it that worked soon after, nothing having been edited between."""

    failing: Run
    working: Run

    @property
    def text(self) -> str:
        """Both in the agent's own words; what the failing one printed is the tool's, and is not told."""
        code = f" (exit {self.failing.code})" if self.failing.code else ""
        return f"`{self.failing.line}` fails{code}, `{self.working.line}` works"


def attempts(segment: Segment) -> list[Pair]:
    """The pairs of a segment, in the order in which the working commands were run.

    A command that works later on, once something was installed or started, does not fail: nothing is told of it.
    """
    runs = list(_runs_of(segment))
    made: list[Pair] = []
    for at, run in enumerate(runs):
        if run and not run.failed and (failing := _failing_before(runs[:at], run)):
            made.append(Pair(failing, run))
    return [pair for pair in made if not _works(pair.failing, runs)]


def _failing_before(earlier: Sequence[Run | None], worked: Run) -> Run | None:
    """The last failed command, few enough commands ago, of which the one that `worked` is another way; else None."""
    succeeded = 0
    for run in reversed(earlier):
        if run is None or succeeded > FURTHER:
            return None
        if run.failed and _another_way(run, worked, at_once=succeeded == 0):
            return run
        succeeded += not run.failed
    return None


def _works(failing: Run, runs: Sequence[Run | None]) -> bool:
    return any(run and not run.failed and run.words == failing.words for run in runs)


def _runs_of(segment: Segment) -> Iterator[Run | None]:
    """Each command with how it ended; a None in between where files were edited or a person spoke.

    A call counts whose output comes right after it: of calls made at once nobody knows here which output is whose.
    """
    edited = artifacts(segment.turns)
    call: Turn | None = None
    for turn in segment.turns:
        if turn.role == "user" or any(each.role != "mentioned" for each in edited.get(turn.ordinal, ())):
            yield None
        if turn.role != "tool":
            continue
        if turn.kind == "call":
            call = turn
            continue
        if call and (line := _command_line(call.content)) is not None:
            yield _run_of_call(call, line, turn)
        call = None


def _command_line(content: str) -> str | None:
    """The command line that a call's text holds, without what wraps it; None where it holds none."""
    found = _LINE.search(content)
    line = found[1].strip() if found else ""
    if line.startswith("["):
        with suppress(ValueError):
            given = [str(word) for word in json.loads(line)]
            line = given[2] if len(given) == 3 and given[1].startswith("-") else shlex.join(given)
    return _AROUND.sub("", line) if found else None


def _run_of_call(call: Turn, line: str, output: Turn) -> Run:
    """The run of a command line: whether it failed by its output, with which exit code, and how much it printed."""
    told = output.content
    found = _EXIT.search(told[:_LOOKED_AT])
    rest = told.replace(found[0], "", 1) if found else told
    return Run(
        call=call,
        line=line,
        words=_command_words(line),
        failed=output.kind == "failure",
        code=int(found[1]) if found else None,
        printed=sum(bool(each.strip()) for each in rest.splitlines()),
    )


def _command_words(line: str) -> tuple[str, ...]:
    """The words of one simple command, behind a `cd` within the project; none of any other command line.

    What only a shell can tell apart, what is long, and what names a place that is gone tomorrow is left out.
    """
    if len(line) > _LONGEST or _SHELL_SYNTAX.search(line) or _ONE_OFF.search(line):
        return ()
    try:
        words = shlex.split(line)
    except ValueError:
        return ()
    if any(_SPACE.search(word) or (word.isdigit() and not before.startswith("-")) for before, word in pairwise(words)):
        return ()
    joined = "&&" in words and (words[0] != "cd" or words[2] != "&&")
    return () if joined else tuple(words)


def _another_way(failed: Run, worked: Run, *, at_once: bool) -> bool:
    """Whether a command that worked is another way to run the one that failed.

    Args:
        at_once: no other command had succeeded in between, which might be why this one did.
    """
    one, other, code = failed.words, worked.words, failed.code or 0
    if not one or not other or failed.printed == 0 or code == _TIMED_OUT or code >= _BY_SIGNAL:
        return False
    ahead, old, new, behind = _parts_that_differ(one, other)
    if not (old or new) or max(len(old), len(new)) > _LONGEST_WRAPPER:
        return False
    if not ahead:
        named = len(behind) > 1 or "&&" in (*old, *new)  # `install jq` is no way to run `jq`
        wrapped = named and not (old and new)
        return wrapped or _hold_same_letters(old, new) or bool(code == _NOT_FOUND and old and behind)
    if failed.printed > BRIEF or not at_once:
        return False
    if old and new:
        return not ahead[-1].startswith("-") and not any(map(_PLACE.search, (*old, *new))) and _same_name(old, new)
    return bool(behind) and _are_options(old or new)  # at the end stands what one adds to get past: `--force`, `--fix`


def _parts_that_differ(
    one: Sequence[str], other: Sequence[str]
) -> tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str]]:
    """The words two commands share in front, those in the middle of each, and the words they share at the end."""
    least = min(len(one), len(other))
    front = next((at for at in range(least) if one[at] != other[at]), least)
    left = least - front
    back = next((at for at in range(left) if one[-1 - at] != other[-1 - at]), left)
    return one[:front], one[front : len(one) - back], other[front : len(other) - back], one[len(one) - back :]


def _hold_same_letters(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether one stretch of words holds the letters of the other: `python3` and `python`, `docker-compose`."""
    one, other = sorted((_letters(old), _letters(new)), key=len)
    return len(one) >= _FEWEST_LETTERS and one in other


def _same_name(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a name is spelled in two ways: `type-check` and `typecheck`, `tests` and `test`."""
    return _letters(old).rstrip("s") == _letters(new).rstrip("s")


def _letters(words: Sequence[str]) -> str:
    return "".join(char for word in words for char in word.lower() if char.isalnum())


def _are_options(words: Sequence[str]) -> bool:
    """Whether words are options, each with one value at most."""
    bare = [at for at, word in enumerate(words) if not word.startswith("-")]
    return all(at > 0 and words[at - 1].startswith("-") for at in bare)
