"""A tool call in, the commit messages and request texts it writes out, and whether its result shows that it did."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pellucid.capture.transcripts.json_values import JsonObject, as_list, as_object, text_at
from pellucid.capture.transcripts.tools.shell import ShellCommand

_SHELL_NAMES = """
    bash shell exec exec_command shell_command container.exec run_terminal_cmd run_shell_command run_command
    execute_command terminal local_shell
    """
_SHELLS = frozenset(_SHELL_NAMES.split())
_INTERPRETERS = frozenset({"bash", "sh", "zsh", "dash"})
_HOSTED = re.compile(r"(?:create|update|edit)_(?:pull|merge)_request$|git_commit$", re.IGNORECASE)
_COMMITTED = re.compile(r"^\[.{1,200} [0-9a-f]{7,40}\] ", re.MULTILINE)
_REQUEST = re.compile(r"https?://\S{1,200}/(?:pull|pulls|merge_requests)/\d+")
_FAULT = re.compile(r"^(?:fatal|error): |^nothing to commit|^no changes added|^Aborting commit", re.MULTILINE)
_TRAILER = re.compile(r"[A-Za-z][\w-]*(?:-by|-id): \S.*", re.IGNORECASE)
_GENERATED = re.compile(r"\W*(?:generated|created|made|written) (?:with|by|using|via)\b.{1,200}", re.IGNORECASE)
_ANY_TRAILER = re.compile(r"[A-Za-z][\w-]*: \S.*")

Option = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class Landing:
    """The words of one commit or pull request; `masked` if only the output can show that it was made."""

    what: Literal["commit", "request"]
    text: str
    masked: bool = False


def command_line(tool: str | None, arguments: object) -> str:
    """The shell command of a call; empty for a call of another tool."""
    if (tool or "").casefold() not in _SHELLS:
        return ""
    named = as_object(arguments)
    given = next((named[key] for key in ("command", "cmd", "script") if key in named), arguments)
    if isinstance(given, str):
        return given
    words = [str(word) for word in as_list(given)]
    if len(words) >= 3 and words[0].rpartition("/")[2] in _INTERPRETERS and words[1].startswith("-"):  # bash -lc '…'
        return words[2]
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def landings(tool: str | None, arguments: object, line: Sequence[ShellCommand]) -> tuple[Landing, ...]:
    """What a call would write into the history if it works: commit messages and requests' texts. See `landed`.

    Args:
        line: the commands of its shell line.
    """
    found = [landing for command in line for landing in _of_command(command)]
    if tool and not line and _HOSTED.search(tool):
        found += _of_fields(tool, as_object(arguments))
    return tuple(found)


def landed(landing: Landing, output: str, *, failed: bool | None) -> str | None:
    """The words to keep, if the result shows that they were written, for a request with its address; else None.

    Args:
        failed: whether the source says that the call failed; None if it does not say.
    """
    if failed or (_FAULT.search(output) and not _COMMITTED.search(output)):
        return None
    address = _REQUEST.search(output)
    shown = address if landing.what == "request" else _COMMITTED.search(output)
    if not shown and (landing.masked or failed is None):
        return None
    told = [landing.text, f"Pull request: {address[0]}"] if address and landing.what == "request" else [landing.text]
    return "\n\n".join(told)


def _of_command(command: ShellCommand) -> Iterator[Landing]:
    """What a shell command would write: `git commit`, `gh pr create` or `gh pr edit`, behind variables and options."""
    words = list(command.words)
    while words and words[0] is not None and re.match(r"\w+=", words[0]):
        words.pop(0)
    program = (words[0] or "").rpartition("/")[2] if words else ""
    if program == "git" and (rest := _after_git_options(words[1:])) and rest[0] == "commit":
        yield from _commit_landing(_options(rest[1:]), command)
    elif program == "gh" and words[1:3] in (["pr", "create"], ["pr", "edit"]):
        yield from _pull_request_landing(_options(words[3:]), command)


def _after_git_options(words: list[str | None]) -> list[str | None]:
    """The words of a `git` command from its subcommand on."""
    at = 0
    while at < len(words) and (words[at] or "").startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return words[at:]


def _commit_landing(options: list[Option], command: ShellCommand) -> Iterator[Landing]:
    """The message that a `git commit` would write; none if it is not in the command, or for `--dry-run`."""
    said = [value for name, value in options if name in ("-m", "--message")]
    if any(name in ("-F", "--file") and value == "-" for name, value in options):
        said.append(command.fed)
    if any(name == "--dry-run" for name, _ in options) or None in said:
        return
    if text := without_trailers("\n\n".join(value.strip() for value in said if value)):
        yield Landing("commit", text, command.masked)


def _pull_request_landing(options: list[Option], command: ShellCommand) -> Iterator[Landing]:
    """The title and text that a `gh pr` command would write; none if they are not in the command."""
    titles = [value for name, value in options if name in ("-t", "--title")]
    bodies = [value for name, value in options if name in ("-b", "--body")]
    if any(name in ("-F", "--body-file") and value == "-" for name, value in options):
        bodies.append(command.fed)
    parts = [value.strip() for value in (*titles, *bodies) if value]
    if parts and (text := without_trailers("\n\n".join(parts))):
        yield Landing("request", text, command.masked)


def _options(words: Iterable[str | None]) -> list[Option]:
    """The options of a command with their values, in order; letters that are joined (`-am`) each alone."""
    found: list[Option] = []
    for word in words:
        if word is None or not word.startswith("-") or word == "-":
            if found and found[-1][1] is None:
                found[-1] = (found[-1][0], word if word is not None else "\0")
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            found.append((name, value if equals else None))
        else:
            found += _letter_options(word)
    return [(name, None if value == "\0" else value) for name, value in found]


def _letter_options(word: str) -> list[Option]:
    """`-am` as `-a` and `-m`; a letter that takes a value takes the rest of the word, None where that follows."""
    for place, letter in enumerate(word[1:], 1):
        if letter in "mFtb":  # the rest of the word is its value, if there is one
            flags = [(f"-{each}", "") for each in word[1:place]]
            return [*flags, (f"-{letter}", word[place + 1 :] or None)]
    return [(f"-{each}", "") for each in word[1:]]


def _of_fields(tool: str, fields: JsonObject) -> Iterator[Landing]:
    """A hosted tool's call: it says whether it succeeded by its result alone."""
    parts = [text_at(fields, "title"), text_at(fields, "body", "description", "message")]
    if text := without_trailers("\n\n".join(part.strip() for part in parts if part)):
        yield Landing("commit" if tool.casefold().endswith("git_commit") else "request", text)


def without_trailers(text: str) -> str:
    """A message without the lines at its end that say who or what wrote it."""
    lines = text.strip().splitlines()
    kept = len(lines)
    while kept and (not lines[kept - 1].strip() or _ends_a_message(lines[kept - 1].strip())):
        kept -= 1
    tail = [line for line in lines[kept:] if not _is_about_writing(line.strip())]
    return "\n".join([*lines[:kept], *tail]).strip()


def _ends_a_message(line: str) -> bool:
    return _is_about_writing(line) or _ANY_TRAILER.fullmatch(line) is not None


def _is_about_writing(line: str) -> bool:
    return bool(_TRAILER.fullmatch(line) or _GENERATED.fullmatch(line))
