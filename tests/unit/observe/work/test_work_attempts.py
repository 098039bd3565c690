"""A command that failed and the spelling of it that worked become one memory; what differs otherwise does not."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.segment import segments
from pellucid.clock import SystemClock
from pellucid.model.observation import MemoryObservation
from pellucid.model.turn import Turn
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.pipeline import observe
from pellucid.observe.source import with_echoed_source
from pellucid.settings.sections import CaptureSettings

AT = "2026-04-23T15:00:00.000Z"
CLOCK = SystemClock()
EDIT = ("Edit", {"file_path": "app.py", "old_string": "a", "new_string": "b"}, "ok", False)
NO_MODULE = "Exit code 1\n/usr/bin/python: No module named pytest"
NOT_FOUND = "Exit code 127\nbash: line 1: {}: command not found"

PAIRS = [
    ("python -m pytest tests -q", NO_MODULE, ".venv/bin/python -m pytest tests -q"),
    ("pytest tests -q", NOT_FOUND.format("pytest"), "uv run pytest tests -q 2>&1"),
    ("python manage.py migrate", NOT_FOUND.format("python"), "python3 manage.py migrate"),
    ("docker-compose up -d", NOT_FOUND.format("docker-compose"), "docker compose up -d"),
    ("tsc --noEmit", NOT_FOUND.format("tsc"), "npx tsc --noEmit"),
    ("npm run type-check", "Exit code 1\nnpm error Missing script: type-check", "npm run typecheck"),
    ("make test", "Exit code 2\nmake: *** No rule to make target 'test'.  Stop.", "make -C server test"),
    ("cd /srv/tide && python seed.py", NOT_FOUND.format("python"), "cd /srv/tide && python3 seed.py"),
    ("npm test", "Exit code 1\nnpm error enoent no package.json here", "cd web && npm test"),
    ("go vet ./...", "Exit code 1\nbuild constraints exclude all Go files", "go vet -tags=integration ./..."),
    ("psql orders", "Exit code 2\npsql: error: socket is missing", "psql -h localhost -p 5433 orders"),
    ("systemctl restart spool", "Exit code 1\nInteractive authentication required.", "sudo systemctl restart spool"),
    ("rg -n TODO src", NOT_FOUND.format("rg"), "grep -rn TODO src"),
]

OTHERS = {
    "another test": ("go test -run TestOne ./pkg", "Exit code 1\n--- FAIL: TestOne", "go test -run TestTwo ./pkg"),
    "another file": ("cat src/conf.toml", "Exit code 1\ncat: no such file", "cat config/conf.toml"),
    "another task": ("mise run lint", "Exit code 1\nbad import order", "mise run fmt"),
    "no match": ("grep -rn TODO src", "Exit code 1", "grep -rni TODO src"),
    "interrupted": ("npm test", "Exit code 130\nstopped", "cd web && npm test"),
    "a place of the moment": ("cat /tmp/x1/out", "Exit code 127\nno cat", "bat /tmp/x1/out"),
    "how a pipe ended is not known": ("pytest -q x", NOT_FOUND.format("pytest"), "uv run pytest -q x | tail"),
    "a name of its own": ("notify 'The tide table is out'", "Exit code 1\nhook", "notify -n 'The tide table is out'"),
    "what is installed first": ("jq", NOT_FOUND.format("jq"), "brew install jq"),
    "what was told at length": ("go test ./...", "Exit code 1\n" + "FAIL\n" * 20, "go test -short ./..."),
    "what gets past a check": ("npm run lint", "Exit code 1\nunused variable", "npm run lint --force"),
    "a line that breaks off": ("cd &&", "Exit code 2\nsyntax error", "cd web &&"),
    "a number of the moment": ("gh pr checks 203", "Exit code 1\ngone", "sudo gh pr checks 203"),
}

Step = tuple[str, object, str, bool]


def bash(line: str, output: str, *, failed: bool = False) -> Step:
    return ("Bash", {"command": line, "description": "Run it"}, output, failed)


def transcript(steps: list[Step]) -> Iterator[dict[str, object]]:
    """The lines of a Claude Code session in which a person asks once and the agent takes these steps."""
    frame = {"sessionId": "s", "timestamp": AT}
    yield frame | {"type": "user", "uuid": "u", "message": {"role": "user", "content": "look into it"}}
    for number, (tool, given, output, failed) in enumerate(steps):
        call = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output, "is_error": failed}
        yield frame | {"type": "assistant", "uuid": f"a{number}", "message": {"role": "assistant", "content": [call]}}
        yield frame | {"type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [result]}}


def kept(tmp_path: Path, lines: Iterator[dict[str, object]]) -> tuple[list[MemoryObservation], list[Turn]]:
    file = tmp_path / "session.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    turns = list(read([file], CaptureSettings(), CaptureReport()))
    found = [each for part in segments(turns) for each in observe(part, HeuristicExtractor(), HeuristicJudge(), CLOCK)]
    return [with_echoed_source(each, turns) for each in found if each.judge_accepted], turns


@pytest.mark.parametrize(("fails", "printed", "works"), PAIRS)
def test_another_way_to_run_the_same_is_told_with_the_one_that_fails(
    tmp_path: Path, fails: str, printed: str, works: str
) -> None:
    (found,), turns = kept(tmp_path, transcript([bash(fails, printed, failed=True), bash(works, "ok")]))
    said = found.fact.content
    fails, works = (each.removeprefix("cd /srv/tide && ") for each in (fails, works))
    assert said.startswith(f"`{fails}` fails (exit ")
    assert said.endswith(f", `{works.removesuffix(' 2>&1')}` works")
    assert found.fact.category == "procedure"
    assert [turns[each.start - 1].kind for each in found.fact.evidence] == ["call", "call"]
    assert [each.quote in turns[each.start - 1].content for each in found.fact.evidence] == [True, True]
    assert found.source_class == "assistant_output"


@pytest.mark.parametrize("why", OTHERS)
def test_what_differs_in_more_than_the_way_it_is_run_is_no_pair(tmp_path: Path, why: str) -> None:
    fails, printed, works = OTHERS[why]
    assert kept(tmp_path, transcript([bash(fails, printed, failed=True), bash(works, "ok")]))[0] == []


FAILING = bash("pytest tests -q", NOT_FOUND.format("pytest"), failed=True)
WORKING = bash("uv run pytest tests -q", "3 passed")


@pytest.mark.parametrize("between", [[EDIT], [bash("ls", "a"), bash("ls a", "b")] * 3])
def test_what_works_after_an_edit_or_long_after_may_work_for_another_reason(
    tmp_path: Path, between: list[Step]
) -> None:
    assert kept(tmp_path, transcript([FAILING, *between, WORKING]))[0] == []


def test_a_command_that_works_later_does_not_fail(tmp_path: Path) -> None:
    later = bash("pytest tests -q", "3 passed")
    assert kept(tmp_path, transcript([FAILING, WORKING, later]))[0] == []


def test_a_look_around_in_between_changes_nothing(tmp_path: Path) -> None:
    found, _ = kept(tmp_path, transcript([FAILING, bash("ls", "uv.lock"), WORKING]))
    assert [each.fact.content for each in found] == [
        "`pytest tests -q` fails (exit 127), `uv run pytest tests -q` works"
    ]


def test_what_a_tool_told_the_agent_to_run_is_the_tools_word(tmp_path: Path) -> None:
    told = "Exit code 1\npytest tests -q fails with exit code 1, but uv run pytest tests -q works"
    (found,), _ = kept(tmp_path, transcript([bash("pytest tests -q", told, failed=True), WORKING]))
    assert found.source_class == "tool_output"


@pytest.mark.parametrize(("tool", "of"), [("Write", "assistant_output"), ("Read", "tool_output")])
def test_what_an_agent_wrote_itself_is_its_own_word_and_what_it_read_is_not(tmp_path: Path, tool: str, of: str) -> None:
    said = "The lease is written before the lock is taken, because a crash in between must leave a trace of its holder"
    given = {"file_path": "notes.md", "content": said} if tool == "Write" else {"file_path": "notes.md"}
    steps: list[Step] = [(tool, given, "ok" if tool == "Write" else said, False)]
    told = {"sessionId": "s", "timestamp": AT, "type": "assistant", "uuid": "end"}
    told["message"] = {"role": "assistant", "content": [{"type": "text", "text": f"{said}."}]}
    found, _ = kept(tmp_path, iter([*transcript(steps), told]))
    assert [each.source_class for each in found] == [of]


RUN = ["uv", "run", "pytest", "-q", "tests"]


@pytest.mark.parametrize(
    ("fails", "works"),
    [
        (["bash", "-lc", "pytest -q tests"], ["bash", "-lc", "uv run pytest -q tests"]),
        (["/bin/zsh", "-l", "-c", "pytest -q tests"], RUN),
        (["cmd.exe", "/c", "pytest -q tests"], RUN),
        (["C:\\Windows\\powershell.exe", "-NoProfile", "-Command", "pytest -q tests"], RUN),
        (["pytest", "-q", "tests"], RUN),
    ],
)
def test_of_a_list_of_words_only_a_shell_has_its_command_in_the_last(
    tmp_path: Path, fails: list[str], works: list[str]
) -> None:
    steps: list[Step] = [
        ("shell", {"command": fails}, NOT_FOUND.format("pytest"), True),
        ("shell", {"command": works}, "3 passed", False),
    ]
    found, _ = kept(tmp_path, transcript(steps))
    assert [each.fact.content for each in found] == [
        "`pytest -q tests` fails (exit 127), `uv run pytest -q tests` works"
    ]


def test_a_codex_session_tells_its_exit_codes_in_another_way(tmp_path: Path) -> None:
    def item(kind: str, **fields: object) -> dict[str, object]:
        return {"type": "response_item", "timestamp": AT, "payload": {"type": kind, **fields}}

    def ran(number: int, line: str, output: str, code: int) -> Iterator[dict[str, object]]:
        given, name = json.dumps({"command": ["bash", "-lc", line], "workdir": "/work"}), f"c{number}"
        yield item("function_call", name="shell", arguments=given, call_id=name)
        yield item(
            "function_call_output",
            call_id=name,
            output=json.dumps({"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.1}}),
        )

    def lines() -> Iterator[dict[str, object]]:
        yield {"type": "session_meta", "timestamp": AT, "payload": {"id": "s", "timestamp": AT}}
        yield from ran(1, "pytest tests -q", "bash: pytest: command not found", 127)
        yield from ran(2, "uv run pytest tests -q", "3 passed", 0)

    found, _ = kept(tmp_path, lines())
    assert [each.fact.content for each in found] == ["`pytest tests -q` fails, `uv run pytest tests -q` works"]


def test_the_subject_of_a_commit_is_the_agents_though_git_prints_it_back(tmp_path: Path) -> None:
    subject = "Send one mail per event, labels rendered by the label service"
    commit = bash(f'git commit -m "{subject}"', f"[main 4be12f0] {subject}")
    (own,), _ = kept(tmp_path, transcript([commit]))
    assert (own.fact.content, own.source_class) == (f"Committed: {subject}", "assistant_output")
    page = bash("curl -s https://example.com/todo", f"{subject}.")
    (copied,), _ = kept(tmp_path, transcript([page, commit]))
    assert copied.source_class != "assistant_output"
