"""The tool calls of a stretch of work in, pairs of a command that failed and the spelling of it that worked out.

`pytest` fails, `uv run pytest` works: agents find this out anew in each session. Two commands are a pair only if they
differ in the *way* of running the same thing. Another file, test or branch is another thing, and a success after an
edit is due to the edit.
"""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from pellucid.language.statements.clash import common_ends
from pellucid.model.turn import Segment, Turn
from pellucid.observe.extract.artifacts import artifacts_by_turn

FURTHER = 4
"""Commands that worked, at most, between a failed command and another spelling of it."""
BRIEF = 4
"""Lines that a program prints at most when it rejects its call; a program that ran and failed prints more."""
_LONGEST = 160
_LONGEST_WRAPPER = 6
"""Words in front of a command, or options in it, by which two spellings of it differ at most."""
_FEWEST_LETTERS = 3
_NOT_FOUND = 127
_TIMED_OUT = 124
_BY_SIGNAL = 128

# as `blocks.call_text` writes a call's arguments: a turn is one redacted text, and keeps no fields
_LINE = re.compile(r"^(?:command|cmd): ([^\n]{2,400})(?=\n\w+: |\Z)", re.MULTILINE)
_EXIT = re.compile(r"^(?:Exit code:?|Process exited with code) (\d{1,3})\b[^\n]*\n?", re.MULTILINE)
_LOOKED_AT = 400
_SHELL = re.compile(r"(?:.*[/\\])?(?:(?:ba|z|da)?sh|cmd|powershell|pwsh)(?:\.exe)?", re.IGNORECASE)
_RUNS_NEXT_WORD = re.compile(r"-(?:[a-z]*c|command)|/c", re.IGNORECASE)
"""A shell's option whose value is the command line to run: `-c`, `-lc`, `/c` or `-Command`."""
_AROUND = re.compile(r"^cd [/~$]\S* && |(?<!\s)\s*+2>&1\s*+$")
"""A change into a folder with an absolute path (mostly the project's own), and a redirection of errors."""
_SHELL_SYNTAX = re.compile(r"[|;<>`\n\\{}*]|(?<!&)&(?!&)|\$[({]|&&.*&&")
_ONE_OFF = re.compile(
    r"/(?:tmp|var/folders)\b|\bte?mp[./_-]|\b[0-9a-f]{8,}\b|\bredacted\b|(?<![.\w])\.\.(?:/|\s|$)", re.IGNORECASE
)
_SPACE = re.compile(r"\s")
_PLACE = re.compile(r"[/.]")


@dataclass(frozen=True, slots=True)
class Run:
    """A command that was run by itself, with the turn of its call; `code` is the exit code, None if not printed."""

    call: Turn
    line: str
    words: tuple[str, ...]
    failed: bool
    code: int | None
    printed: int
    """Lines of its output that are not blank."""


@dataclass(frozen=True, slots=True)
class CommandFix:
    """A command that failed, and another spelling that worked soon after, without an edit in between."""

    failing: Run
    working: Run

    @property
    def text(self) -> str:
        """A sentence: ``` `pytest` fails (exit 127), `uv run pytest` works ```.

        It has nothing of what the commands printed, which are a tool's words.
        """
        code = f" (exit {self.failing.code})" if self.failing.code else ""
        return f"`{self.failing.line}` fails{code}, `{self.working.line}` works"


def command_fixes(segment: Segment) -> list[CommandFix]:
    """Return the pairs of a command that failed and another way to run it that worked soon after, in order of the
    latter.

    `_failing_before` and `_is_another_way` say what is a pair. A command that failed, and worked unchanged in another
    run of the segment, makes none.
    """
    runs = list(_read_runs(segment))
    working = {run.words for run in runs if run and not run.failed}
    found: list[CommandFix] = []
    for at, run in enumerate(runs):
        if run and not run.failed and (failing := _failing_before(runs[:at], run)):
            found.append(CommandFix(failing, run))
    return [fix for fix in found if fix.failing.words not in working]


def _failing_before(earlier: Sequence[Run | None], working: Run) -> Run | None:
    """Return the last failed command in `earlier` to which `working` is another way; None if there is none.

    The search goes back until a None (files were edited, or a person spoke) or past four successes (`FURTHER`).
    """
    succeeded = 0
    for run in reversed(earlier):
        if run is None or succeeded > FURTHER:
            return None
        if run.failed and _is_another_way(run, working, at_once=succeeded == 0):
            return run
        succeeded += not run.failed
    return None


def _read_runs(segment: Segment) -> Iterator[Run | None]:
    """Yield each command that was run, in order, and None wherever files were edited or a person spoke in between.

    A call counts only if its output is the next turn of a tool: of calls made at once it is unknown whose output is
    whose.
    """
    edited = artifacts_by_turn(segment.turns)  # read anew for the episode: an extractor gives facts alone
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
    """Return the command line in a call's text (its field `command:` or `cmd:`); None if there is none, or if it has
    several lines, over 400 characters, or only one.

    A `cd /… &&` in front and `2>&1` at the end are left out. Of a JSON list by which a shell runs its last word, such
    as `["bash", "-lc", "make"]`, that word; of any other JSON list its words, quoted for a shell and joined by blanks.
    """
    found = _LINE.search(content)
    line = found[1].strip() if found else ""
    if line.startswith("["):
        with suppress(ValueError):
            argv = [str(word) for word in json.loads(line)]
            in_shell = len(argv) > 2 and _SHELL.fullmatch(argv[0]) and _RUNS_NEXT_WORD.fullmatch(argv[-2])
            line = argv[-1] if in_shell else shlex.join(argv)
    return _AROUND.sub("", line) if found else None


def _run_of_call(call: Turn, line: str, output: Turn) -> Run:
    """Return the run of a command line: whether it failed, its exit code and number of lines come from its output's
    turn."""
    text = output.content
    found = _EXIT.search(text[:_LOOKED_AT])
    rest = text.replace(found[0], "", 1) if found else text
    return Run(
        call=call,
        line=line,
        words=_command_words(line),
        failed=output.kind == "failure",
        code=int(found[1]) if found else None,
        printed=sum(bool(each.strip()) for each in rest.splitlines()),
    )


def _command_words(line: str) -> tuple[str, ...]:
    """Return the words of one simple command; empty if it cannot be compared with others.

    That is if it has over 160 characters, pipes, redirections, substitutions or wildcards, names a temporary place or a
    long hexadecimal id, or has an argument with blanks, or a number that is no option's value. Of `&&`, only a leading
    `cd FOLDER &&` is allowed.
    """
    if len(line) > _LONGEST or _SHELL_SYNTAX.search(line) or _ONE_OFF.search(line):
        return ()
    try:
        words = shlex.split(line)
    except ValueError:
        return ()
    if any(_SPACE.search(word) or (word.isdigit() and not before.startswith("-")) for before, word in pairwise(words)):
        return ()
    joined = "&&" in words and (words[0] != "cd" or words[2:3] != ["&&"])
    return () if joined else tuple(words)


def _is_another_way(failed: Run, worked: Run, *, at_once: bool) -> bool:
    """Whether `worked` runs the same thing as `failed` in another way; `at_once`: no command succeeded in between.

    Never if either is not simple, if `failed` printed nothing, timed out or was ended by a signal, or if they differ in
    over six words. If they differ in front: something was put before it or taken away (but not before a single word),
    the programs share letters, or the failed one was not found. If in the arguments: at once, after at most four
    printed lines, and only in the spelling of a word (`type-check`, `typecheck`) or in options that are not at the end.
    """
    one, other, code = failed.words, worked.words, failed.code or 0
    if not one or not other or failed.printed == 0 or code == _TIMED_OUT or code >= _BY_SIGNAL:
        return False
    front, old, new, back = _split_at_difference(one, other)
    if not (old or new) or max(len(old), len(new)) > _LONGEST_WRAPPER:
        return False
    if not front:  # the program itself is called otherwise, or something is put before it
        named = len(back) > 1 or "&&" in (*old, *new)  # `install jq` is no way to run `jq`
        wrapped = named and not (old and new)
        return wrapped or _share_letters(old, new) or bool(code == _NOT_FOUND and old and back)
    # only the arguments differ: the same thing is meant only if the call was refused, and mended at once
    if failed.printed > BRIEF or not at_once:
        return False
    if old and new:
        is_same_name = _letters(old).rstrip("s") == _letters(new).rstrip("s")  # `type-check`, `typecheck`
        return not front[-1].startswith("-") and not any(map(_PLACE.search, (*old, *new))) and is_same_name
    return bool(back) and _are_options(old or new)  # options at the end only override a check: `--force`, `--fix`


def _split_at_difference(
    one: Sequence[str], other: Sequence[str]
) -> tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str]]:
    """Return four runs of words: those that both share in front, the others of `one`, the others of `other`, and those
    that both share at the end.
    """
    front, back = common_ends(one, other)
    return one[:front], one[front : len(one) - back], other[front : len(other) - back], one[len(one) - back :]


def _share_letters(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the letters and digits of one side's words, joined, at least three, are part of the other's: `python3`
    and `python`.
    """
    one, other = sorted((_letters(old), _letters(new)), key=len)
    return len(one) >= _FEWEST_LETTERS and one in other


def _letters(words: Sequence[str]) -> str:
    """Return the letters and digits of some words in lower case, as one string."""
    return "".join(char for word in words for char in word.lower() if char.isalnum())


def _are_options(words: Sequence[str]) -> bool:
    """Whether words are command line options, each followed by at most one value that begins without a dash."""
    bare = [at for at, word in enumerate(words) if not word.startswith("-")]
    return all(at > 0 and words[at - 1].startswith("-") for at in bare)
