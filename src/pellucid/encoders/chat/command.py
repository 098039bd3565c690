"""One question in, one reply or failure out: a single bounded run of a program that reads a prompt and prints JSON."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pellucid.encoders.chat.exchange import ChatPrompt, Failure, Reply
from pellucid.encoders.chat.prompt_mark import opening_line
from pellucid.encoders.program import LONGEST_OUTPUT, ProgramRun, run
from pellucid.errors import InputError
from pellucid.settings import program_environment
from pellucid.settings.sections import LlmSettings

_SHOWN_COMPLAINT = 240
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_BY_HAND = "try the program of llm.command by hand: it must read a prompt on standard input and print JSON"


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A program that can be asked: its name, its path with arguments, and the environment that it is run in."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    clean: Callable[[str], str]
    """Takes secrets out of the program's complaint."""

    @classmethod
    def from_settings(cls, settings: LlmSettings, clean: Callable[[str], str]) -> "ChatCommand | Failure":
        """Return the program of `llm.command`; a Failure if it is not on this machine. `clean` takes secrets out of the
        program's complaints; prompts are sent as they are given.

        Raises InputError if the setting is missing, or cannot be a command.
        """
        words = _split_command(settings.command)
        environment = program_environment(settings.command_environment)
        places = [each for each in environment.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(each)]
        program = shutil.which(os.path.expanduser(words[0]), path=os.pathsep.join(places))
        name = Path(words[0]).name
        if program is None:
            return _missing_program(name, words[0])
        environment["PATH"] = os.pathsep.join(places)
        return cls(name, (program, *words[1:]), environment, clean)

    def exchange(self, question: ChatPrompt, within_s: float) -> Reply | Failure:
        """Run the program once on a question, as `prompt_of` writes it; return what it printed as the reply, whose JSON
        is not checked, or why there is none.

        There is none if the program cannot be started, takes longer than `within_s` seconds, prints more than 1 MiB,
        ends with an exit code other than 0, or prints no UTF-8.
        """
        prompt = prompt_of(question)
        try:
            result = run(self.argv, prompt.encode("utf-8", "replace"), self.environment, within_s)
        except FileNotFoundError:
            return _missing_program(self.name, self.argv[0])
        except OSError as error:
            return Failure("llm_not_installed", f"it cannot be started: {error.strerror}", "check llm.command")
        return self._outcome(result, prompt, within_s)

    def _outcome(self, result: ProgramRun, prompt: str, within_s: float) -> Reply | Failure:
        """Return the output of a run as a reply; a Failure if the program ran out of time, printed too much, ended with
        an exit code other than 0, or printed no UTF-8. Asking again can help each of these (`again`).

        The failure's `complaint` is the end of what the program wrote to its standard error, on one line of at most 240
        characters, without secrets and lines that stand in `prompt`, which it was given. `within_s`, the time it had,
        is for the message."""
        complaint = _printable(result.complaint.decode("utf-8", "replace"))
        failure = partial(Failure, again=True, complaint=_shortened(self.clean(complaint), prompt))
        if result.ended == "late":
            words = f"it had not ended after {within_s:g} s, and was stopped"
            return failure("llm_timeout", words, "raise llm.commandTimeoutS")
        if result.ended == "long":
            return failure("llm_bad_answer", f"it printed more than {LONGEST_OUTPUT} bytes, and was stopped", _BY_HAND)
        if result.code:
            how = f"it ended with exit code {result.code}" if result.code > 0 else f"signal {-result.code} ended it"
            return failure("llm_failed", how, _BY_HAND)
        try:
            return Reply(result.out.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return failure("llm_bad_answer", "the answer is unusable: it is not UTF-8", _BY_HAND)


def prompt_of(question: ChatPrompt) -> str:
    """Return a question as one text: the line by which capture recognises it (`opening_line`), then instructions,
    schema and data.
    """
    prompt = (
        f"{question.system}\n\n"
        "Answer with one JSON value that follows this JSON schema, and with nothing else. Use no tools.\n"
        f"{json.dumps(question.schema, ensure_ascii=False)}\n\n"
        "The user message is everything below this line.\n"
        f"{question.user}\n"
    )
    return f"{opening_line(prompt)}\n{prompt}"


def _split_command(command: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the setting `llm.command` as a program and its arguments.

    Raises InputError if it is empty or has a zero byte, a quotation mark is not closed, or the program depends on the
    working folder.
    """
    step = 'write it like command = ["claude", "-p"] under [llm] of the pellucid.toml in the home; see docs/llm.md'
    try:
        words = tuple(shlex.split(command)) if isinstance(command, str) else command
    except ValueError as error:
        raise InputError(f"llm.command: {error}", code="invalid_setting", next_step=step) from None
    if not words or not words[0]:
        raise InputError("llm.command is not set", code="invalid_setting", next_step=step)
    if any("\0" in word for word in words):
        raise InputError("llm.command holds a zero byte", code="invalid_setting", next_step=step)
    if "/" in words[0] and not words[0].startswith(("/", "~")):
        raise InputError(
            f"llm.command: {words[0]} would be another program in every folder",
            code="invalid_setting",
            next_step="name a program of PATH, or give its full path",
        )
    return words


def _missing_program(name: str, setting: str) -> Failure:
    """Return the failure `llm_not_installed` for a program that is not on this machine.

    `setting` is the program as `llm.command` has it (a path, if it has a `/`), `name` its last part.
    """
    where = "is not there, or cannot be executed" if "/" in setting else "is not in PATH"
    return Failure("llm_not_installed", f"the program {name} of llm.command {where}", "install it, or give its path")


def _printable(text: str) -> str:
    """Return a text without colours; unprintable characters, such as control characters, become blanks, but line breaks
    stay.
    """
    return "".join(char if char.isprintable() or char == "\n" else " " for char in _COLOUR.sub("", text))


def _shortened(text: str, prompt: str) -> str:
    """Return the end of a printable text on one line, at most 240 characters (after `…` if more was there): its lines,
    with blanks made single, joined by ` | `, without those that stand in the prompt, whatever blanks that has.
    """
    given = " ".join(_printable(prompt).split())
    lines = [line for each in text.split("\n") if (line := " ".join(each.split())) and line not in given]
    joined = " | ".join(lines)
    return joined if len(joined) <= _SHOWN_COMPLAINT else f"…{joined[-_SHOWN_COMPLAINT:]}"
