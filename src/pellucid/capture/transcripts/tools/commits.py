"""A tool call in, the commit messages and request texts that it writes out, and whether its result confirms them."""

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

Option = tuple[str, str | None]  # an option's name and value; "" if it takes no value, None if the value is not known


@dataclass(frozen=True, slots=True)
class CommitText:
    """The message of a commit or text of a pull request that a call would write.

    `masked`: the call can succeed without having written it; only the output proves that it did.
    """

    what: Literal["commit", "request"]
    text: str
    masked: bool = False


def command_line(tool: str | None, arguments: object) -> str:
    """Return the shell command line that a call runs; "" if `tool` is none of `_SHELLS`, or there is none.

    It is the argument `command`, `cmd` or `script`, or if there is none of these, the arguments themselves. A list of
    words becomes a line with every word quoted; of a list `bash -lc '…'` only the third word is returned.
    """
    if (tool or "").casefold() not in _SHELLS:
        return ""
    named = as_object(arguments)
    command = next((named[key] for key in ("command", "cmd", "script") if key in named), arguments)
    if isinstance(command, str):
        return command
    words = [str(word) for word in as_list(command)]
    if len(words) >= 3 and words[0].rpartition("/")[2] in _INTERPRETERS and words[1].startswith("-"):  # bash -lc '…'
        return words[2]
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def commit_texts(tool: str | None, arguments: object, shell: Sequence[ShellCommand]) -> tuple[CommitText, ...]:
    """Return the commit messages and pull request texts that a call writes if it succeeds; `confirmed_text` tells, by
    its result, whether it did.

    `shell` are the commands of the call's shell command line. If there are none, only the tools of hosting services
    count, whose names match `_HOSTED` (`create_pull_request`, `git_commit`); any other gives ().
    """
    found = [text for command in shell for text in _texts_of_command(command)]
    if tool and not shell and _HOSTED.search(tool):
        found += _text_of_fields(tool, as_object(arguments))
    return tuple(found)


def confirmed_text(candidate: CommitText, output: str, *, failed: bool | None) -> str | None:
    """Return the text if the call's result confirms that it was written, else None; a pull request's text with its
    address, if the output shows one.

    It is confirmed if the output shows the commit, or the request's address; or, unless the text is `masked`, if the
    source says that the call did not fail (`failed` is False; None: unknown). It is not if the call failed, or the
    output shows an error and no commit.
    """
    if failed or (_FAULT.search(output) and not _COMMITTED.search(output)):
        return None
    address = _REQUEST.search(output)
    shown = address if candidate.what == "request" else _COMMITTED.search(output)
    if not shown and (candidate.masked or failed is None):
        return None
    if address and candidate.what == "request":
        return f"{candidate.text}\n\nPull request: {address[0]}"
    return candidate.text


def _texts_of_command(command: ShellCommand) -> Iterator[CommitText]:
    """Yield the text that a `git commit`, `gh pr create` or `gh pr edit` command would write, if any; nothing for
    others.
    """
    words = list(command.words)
    while words and words[0] is not None and re.match(r"\w+=", words[0]):
        words.pop(0)
    program = (words[0] or "").rpartition("/")[2] if words else ""
    if program == "git" and (rest := _after_git_options(words[1:])) and rest[0] == "commit":
        yield from _commit_text(_options(rest[1:]), command)
    elif program == "gh" and words[1:3] in (["pr", "create"], ["pr", "edit"]):
        yield from _pull_request_text(_options(words[3:]), command)


def _after_git_options(words: list[str | None]) -> list[str | None]:
    """Return the words from the subcommand on, of the `words` after `git`; [] if there is none. Options before it are
    left out, with the values of `-C`, `-c`, `--git-dir` and `--work-tree`.
    """
    at = 0
    while at < len(words) and (words[at] or "").startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return words[at:]


def _commit_text(options: list[Option], command: ShellCommand) -> Iterator[CommitText]:
    """Yield the message that a `git commit` with these options would write, without author trailers: its `-m` options
    as paragraphs, and the heredoc of the command for `-F -`. Nothing for `--dry-run`, without a message, or if only the
    shell knows a part of it.
    """
    messages = [value for name, value in options if name in ("-m", "--message")]
    if any(name in ("-F", "--file") and value == "-" for name, value in options):
        messages.append(command.heredoc)
    if any(name == "--dry-run" for name, _ in options) or None in messages:
        return
    if text := without_trailers("\n\n".join(value.strip() for value in messages if value)):
        yield CommitText("commit", text, command.masked)


def _pull_request_text(options: list[Option], command: ShellCommand) -> Iterator[CommitText]:
    """Yield one text, title and body without author trailers, that a `gh pr` command would write; nothing if it has
    neither. A part that only the shell knows is left out.
    """
    titles = [value for name, value in options if name in ("-t", "--title")]
    bodies = [value for name, value in options if name in ("-b", "--body")]
    if any(name in ("-F", "--body-file") and value == "-" for name, value in options):
        bodies.append(command.heredoc)
    parts = [value.strip() for value in (*titles, *bodies) if value]
    if parts and (text := without_trailers("\n\n".join(parts))):
        yield CommitText("request", text, command.masked)


def _options(words: Iterable[str | None]) -> list[Option]:
    """Return the options of a command in order, each as its name and value: "" for a letter that takes no value, None
    for a value that is missing or that only the shell knows.

    Joined letters (`-am`) are several options. The word after an option that can take a value, and has none yet, is its
    value, unless it begins with `-` (a lone `-` is one); other words are left out.
    """
    found: list[Option] = []
    for word in words:
        if word is None or not word.startswith("-") or word == "-":
            if found and found[-1][1] is None:
                # an unknown word is a value all the same; `\0` keeps the next word from becoming it
                found[-1] = (found[-1][0], word if word is not None else "\0")
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            found.append((name, value if equals else None))
        else:
            found += _letter_options(word)
    return [(name, None if value == "\0" else value) for name, value in found]


def _letter_options(word: str) -> list[Option]:
    """Split a word of letters such as `-am` into options: of `m`, `F`, `t` and `b` the rest of the word is the value,
    None if nothing is left of it (the next word is the value then); other letters have the value "".
    """
    for place, letter in enumerate(word[1:], 1):
        if letter in "mFtb":  # the rest of the word is its value, if there is one
            flags = [(f"-{each}", "") for each in word[1:place]]
            return [*flags, (f"-{letter}", word[place + 1 :] or None)]
    return [(f"-{each}", "") for each in word[1:]]


def _text_of_fields(tool: str, fields: JsonObject) -> Iterator[CommitText]:
    """Yield what a hosting service's tool would write, from its arguments: title and body without author trailers, as a
    commit's text if the tool's name ends in `git_commit`, else as a request's; nothing if they have neither.
    """
    parts = [text_at(fields, "title"), text_at(fields, "body", "description", "message")]
    if text := without_trailers("\n\n".join(part.strip() for part in parts if part)):
        yield CommitText("commit" if tool.casefold().endswith("git_commit") else "request", text)


def without_trailers(text: str) -> str:
    """Return a message, stripped, without the lines at its end that name who or what wrote it (`Co-authored-by: …`,
    `Generated with …`); other trailers, such as `Fixes: #1`, stay.
    """
    lines = text.strip().splitlines()
    end = len(lines)
    while end and (not (last := lines[end - 1].strip()) or _names_author(last) or _ANY_TRAILER.fullmatch(last)):
        end -= 1
    tail = [line for line in lines[end:] if not _names_author(line.strip())]
    return "\n".join([*lines[:end], *tail]).strip()


def _names_author(line: str) -> bool:
    """Whether a line names who or what wrote the message: a trailer `…-by: ` or `…-id: `, or `Generated with …` and the
    like.
    """
    return bool(_TRAILER.fullmatch(line) or _GENERATED.fullmatch(line))
