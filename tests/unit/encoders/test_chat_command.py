"""Programs of all manners in, what a chat model makes of them out: real processes, groups, pipes and exit codes."""

import json
import os
import select
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pellucid.capture.secrets.redact import redact
from pellucid.encoders import program as programs
from pellucid.encoders.chat.model import ChatError, CommandChat
from pellucid.encoders.chat.prompt_mark import is_own_prompt
from pellucid.encoders.program import LONGEST_OUTPUT
from pellucid.errors import InputError
from pellucid.settings.sections import LlmSettings

Program = Callable[..., str]
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["word"],
    "properties": {"word": {"type": "string"}},
}
DATA = "the words of a turn"
SAY_YES = 'print(json.dumps({"word": "yes"}))'
READ = "prompt = sys.stdin.read()"
FOREVER = "signal.pause()"
LONG_S = 60.0
"""Seconds that a run in these tests never takes; one that hangs would."""


class Bench:
    """A model that runs one program, and the pauses it would have made."""

    def __init__(self, *command: str, **more: Any) -> None:
        settings = LlmSettings(command=command, **{"command_timeout_s": LONG_S, "retries": 0, **more})
        self.pauses: list[float] = []
        self.model = CommandChat(settings, lambda text: redact(text).text, sleep=self.pauses.append, jitter=lambda: 1.0)

    def ask(self, data: str = DATA) -> Any:
        return self.model.ask("Say a word.", data, SCHEMA, "word")

    def word(self, data: str = DATA) -> Any:
        """The word it says, which is JSON in these tests where it is more than one."""
        return self.ask(data)["word"]

    def fails(self) -> ChatError:
        with pytest.raises(ChatError) as caught:
            self.ask()
        assert caught.value.next_step
        return caught.value


def telling(what: str) -> tuple[str, str]:
    """Lines of a program that tells something of itself."""
    return READ, f'print(json.dumps({{"word": json.dumps({what})}}))'


def test_an_answer_is_given_with_what_it_took_and_no_tokens(program: Program) -> None:
    bench = Bench(program(READ, SAY_YES), input_cost=1.0, output_cost=1.0)
    assert bench.ask() == {"word": "yes"}
    meter = bench.model.meter
    assert (meter.calls, meter.attempts, meter.input_tokens, meter.output_tokens, meter.cost) == (1, 1, 0, 0, 0.0)
    assert not meter.estimated
    assert meter.seconds > 0
    assert bench.model.model == "command:answerer"


def test_the_prompt_stands_on_standard_input_alone_below_our_mark(program: Program) -> None:
    prompt, argv = json.loads(Bench(program(*telling("[prompt, sys.argv]")), "--print").word())
    assert prompt.index("Say a word.") < prompt.index(json.dumps(SCHEMA)) < prompt.index(DATA)
    assert prompt.startswith('<pellucid-prompt id="ask_')
    assert is_own_prompt(prompt)
    assert argv[1:] == ["--print"]


def test_no_shell_sees_the_words_of_the_command(program: Program) -> None:
    words = ("$(touch made)", "a b; echo {}", "*", "~", "")
    assert json.loads(Bench(program(*telling("sys.argv[1:]")), *words).word()) == list(words)


def test_a_command_given_as_one_string_is_split_as_a_shell_would(program: Program) -> None:
    settings = LlmSettings(command=f"{program(*telling('sys.argv[1:]'))} -p 'two words' $HOME", retries=0)
    word = CommandChat(settings, str).ask("", DATA, SCHEMA, "word")
    assert json.loads(word["word"]) == ["-p", "two words", "$HOME"]  # type: ignore[index, call-overload]


def test_it_runs_in_an_empty_private_folder_that_is_gone_afterwards(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ('here = [os.getcwd(), os.listdir(), os.stat(".").st_mode & 0o777]', 'open("left", "w").close()')
    where, held, mode = json.loads(Bench(program(*lines, *telling("here"))).word())
    assert (held, mode) == ([], 0o700)
    assert Path(where) not in (tmp_path, *tmp_path.parents)
    assert not Path(where).exists()


def test_of_the_environment_it_is_given_what_is_documented_and_what_is_allowed(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PELLUCID_LLM__API_KEY", "ANTHROPIC_API_KEY", "CLAUDE_PROJECT_DIR", "GIT_DIR"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    allowed = ("ANTHROPIC_API_KEY", "NOT_THERE")
    given = json.loads(Bench(program(*telling("dict(os.environ)")), command_environment=allowed).word())
    assert given.keys() - {"LC_ALL", "LC_CTYPE"} == {"PATH", "HOME", "LANG", "TERM", "ANTHROPIC_API_KEY"}
    assert (given["TERM"], given["HOME"]) == ("dumb", str(Path.home()))


def test_it_has_a_session_of_its_own_and_no_terminal(program: Program) -> None:
    mine, group, own = json.loads(Bench(program(*telling("[os.getsid(0), os.getpgrp(), os.getpid()]"))).word())
    assert mine == group == own != os.getsid(0)


def test_folders_of_the_search_path_that_depend_on_where_one_is_are_not_searched(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(program(READ, SAY_YES)).parent
    monkeypatch.chdir(folder)
    for path in ("", ".", f"..{os.sep}{folder.name}"):
        monkeypatch.setenv("PATH", f"{path}{os.pathsep}/nowhere")
        with pytest.raises(ChatError, match="not in PATH"):
            Bench("answerer")
    monkeypatch.setenv("PATH", f".{os.pathsep}{folder}")
    assert Bench("answerer").word() == "yes"


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ((), "is not set"),
        ("", "is not set"),
        (("",), "is not set"),
        ("claude '-p", "No closing quotation"),
        ("bin/claude -p", "another program in every folder"),
        (("./claude",), "another program in every folder"),
        (("claude", "a\0b"), "zero byte"),
    ],
)
def test_a_command_that_cannot_be_one_is_refused(command: Any, named: str) -> None:
    with pytest.raises(InputError, match=rf"llm\.command.*{named}") as caught:
        CommandChat(LlmSettings(command=command), str)
    assert (caught.value.code, bool(caught.value.next_step)) == ("invalid_setting", True)


@pytest.mark.parametrize("name", ["no-such-program-anywhere", "/nowhere/no-such-program", "~/nowhere/no-such-program"])
def test_a_program_that_is_not_there_is_named_with_what_to_do(name: str) -> None:
    with pytest.raises(ChatError, match="no-such-program") as caught:
        Bench(name)
    assert caught.value.code == "llm_not_installed"
    assert "install it" in caught.value.next_step


@pytest.mark.parametrize("lines", [None, "#!/nowhere/interpreter\n", "\x7fELF no program"])
def test_a_program_that_cannot_be_started_is_not_tried_again(program: Program, lines: str | None) -> None:
    path = program(READ, SAY_YES)
    bench = Bench(path, retries=3)
    if lines is None:
        Path(path).unlink()
    else:
        Path(path).write_text(lines)
    assert (bench.fails().code, bench.pauses) == ("llm_not_installed", [])


def test_a_program_that_crashes_is_tried_again_and_told_of_by_its_exit_code(program: Program, tmp_path: Path) -> None:
    count = f"open({str(tmp_path / 'tries')!r}, 'a').write('x')"
    bench = Bench(program(READ, count, 'sys.exit("no login: run `agent login`")'), retries=2)
    error = bench.fails()
    assert (error.code, error.kind, bench.pauses) == ("llm_failed", "failed", [0.5, 1.0])
    assert "exit code 1 after 3 attempts" in error.message
    assert str(error).endswith("it said: no login: run `agent login`")
    assert (tmp_path / "tries").read_text() == "xxx"


def test_after_a_crash_a_good_answer_is_taken(program: Program, tmp_path: Path) -> None:
    mark = str(tmp_path / "tried")
    bench = Bench(program(READ, f"os.path.exists({mark!r}) or (open({mark!r}, 'w'), sys.exit(3))", SAY_YES), retries=1)
    assert bench.ask() == {"word": "yes"}
    assert bench.model.meter.attempts == 2


def test_an_answer_with_a_bad_exit_code_is_not_believed(program: Program) -> None:
    assert Bench(program(READ, SAY_YES, "sys.exit(2)")).fails().code == "llm_failed"


def test_a_signal_that_ended_it_is_told(program: Program) -> None:
    error = Bench(program(READ, "os.kill(os.getpid(), signal.SIGSEGV)")).fails()
    assert (error.code, "signal 11 ended it" in error.message) == ("llm_failed", True)


@pytest.mark.parametrize(
    "line",
    [
        "pass",
        'print("I would say yes.")',
        'print(\'{"word": "y\')',
        "print('{\"word\": 7}')",
        'sys.stdout.buffer.write(b\'{"word": "caf\\xe9"}\')',
        "os.write(1, bytes(range(256)) * 64)",
    ],
    ids=["nothing", "prose", "cut off", "other schema", "not UTF-8", "bytes"],
)
def test_garbage_is_a_bad_answer(program: Program, line: str) -> None:
    assert Bench(program(READ, line)).fails().code == "llm_bad_answer"


@pytest.mark.parametrize("lines", [(READ, FOREVER), (FOREVER,), ("signal.signal(15, signal.SIG_IGN)", READ, FOREVER)])
def test_one_that_does_not_end_is_stopped_at_its_deadline(program: Program, lines: tuple[str, ...]) -> None:
    error = Bench(program(*lines), command_timeout_s=0.3).fails()
    assert (error.code, "0.3 s" in error.message) == ("llm_timeout", True)


@pytest.mark.parametrize("pipe", [1, 2], ids=["output", "complaints"])
def test_one_that_prints_without_end_is_stopped(program: Program, pipe: int) -> None:
    bench = Bench(program(f"while True: os.write({pipe}, b'x' * 65536)"), command_timeout_s=LONG_S if pipe == 1 else 1)
    assert bench.fails().code == ("llm_bad_answer" if pipe == 1 else "llm_timeout")


def test_output_over_the_bound_is_refused_even_if_it_has_ended(program: Program) -> None:
    bench = Bench(program(READ, SAY_YES, f"print('x' * {LONGEST_OUTPUT})"))
    error = bench.fails()
    assert (error.code, str(LONGEST_OUTPUT) in error.message) == ("llm_bad_answer", True)
    assert Bench(program(READ, f"print('x' * {LONGEST_OUTPUT - 100})", SAY_YES)).word() == "yes"


def test_much_in_and_much_out_at_once_do_not_wait_for_each_other(program: Program) -> None:
    lines = ("print('x' * 500_000, flush=True)", "sys.stderr.write('y' * 500_000)", *telling("len(prompt)"))
    assert int(Bench(program(*lines)).word("turn " * 200_000)) > 1_000_000


def test_one_that_reads_nothing_is_judged_by_what_it_prints(program: Program) -> None:
    big = "turn " * 200_000
    assert Bench(program(SAY_YES)).word(big) == "yes"
    assert Bench(program("os.close(0)", SAY_YES)).word(big) == "yes"


FORK = "if os.fork() == 0: signal.pause()"


@pytest.mark.parametrize("last", [SAY_YES, "sys.exit(1)", FOREVER, "while True: os.write(1, b'x' * 65536)"])
def test_children_that_outlive_it_are_not_waited_for_and_end_with_it(
    program: Program, tmp_path: Path, last: str
) -> None:
    pipe = tmp_path / "alive"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    bench = Bench(
        program(READ, f"alive = os.open({str(pipe)!r}, os.O_WRONLY)", FORK, last),
        command_timeout_s=2 if last == FOREVER else LONG_S,
    )
    if last == SAY_YES:
        assert bench.word() == "yes"
    else:
        bench.fails()
    assert select.select([reader], [], [], LONG_S)[0], "a process still holds the pipe"
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_a_child_that_left_the_group_is_not_waited_for_either(program: Program) -> None:
    lines = ("child = os.fork()", "if child == 0:", "    os.setsid()", "    signal.pause()")
    child = int(Bench(program(*lines, *telling("child"))).word())
    os.kill(child, signal.SIGKILL)  # it is there: only it holds the pipes


def test_the_complaint_is_shown_short_without_secrets_colours_and_the_prompt_and_is_not_to_be_kept(
    program: Program,
) -> None:
    key = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3rS" * 3
    lines = (
        "sys.stderr.write('a' * 100_000 + '\\n' + prompt)",
        f"sys.stderr.write('\\x1b[31mIncorrect API key: {key}\\x1b[0m\\nrun `agent login`\\n')",
        "sys.exit(7)",
    )
    error = Bench(program(READ, *lines)).fails()
    assert len(error.complaint) <= 241
    assert error.complaint.endswith("run `agent login`")
    assert "Incorrect API key: [redacted:" in error.complaint
    assert "exit code 7" in error.storable
    assert "login" not in error.storable
    assert not [each for each in (key, DATA, "Say a word", "\x1b", "[31m") if each in str(error)]


def test_no_line_of_the_prompt_stands_in_the_complaint_whatever_blanks_and_signs_it_has(program: Program) -> None:
    bench = Bench(program(READ, "sys.stderr.write(prompt + '\\nno login\\n')", "sys.exit(7)"))
    with pytest.raises(ChatError) as caught:
        bench.ask("a turn  of two blanks,\n\tone \t of tabs\nand one of \U0001f469\u200d\U0001f4bb signs\n")
    assert caught.value.complaint == "no login"


def test_a_run_starts_it_no_more_often_than_its_cap(program: Program, tmp_path: Path) -> None:
    count = f"open({str(tmp_path / 'tries')!r}, 'a').write('x')"
    bench = Bench(program(READ, count, "sys.exit(1)"), retries=9, command_calls=2)
    assert [bench.fails().code for _ in range(2)] == ["llm_call_cap", "llm_call_cap"]
    assert (tmp_path / "tries").read_text() == "xx"
    assert "llm.commandCalls" in bench.fails().next_step


def test_a_prompt_is_opened_by_a_mark_that_is_its_own(program: Program) -> None:
    bench = Bench(program(*telling("prompt.split('\\n')[0]")))
    first, second, again = bench.word("one"), bench.word("two"), bench.word("one")
    assert first == again != second


@pytest.mark.parametrize(("most", "ended"), [(60_000, "itself"), (50_000, "long")])
def test_what_still_stands_in_the_pipe_when_it_ends_is_read_and_counted(
    program: Program, monkeypatch: pytest.MonkeyPatch, most: int, ended: str
) -> None:
    monkeypatch.setattr(programs, "_CHUNK", 16)  # it has ended long before so many pieces are read
    monkeypatch.setattr(programs, "LONGEST_OUTPUT", most)
    ran = programs.run([program("os.write(1, b'x' * 60_000)")], b"", {}, LONG_S)
    assert ran.ended == ended
    assert len(ran.out) == 60_000 or len(ran.out) > most
