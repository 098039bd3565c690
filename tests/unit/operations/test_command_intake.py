"""A session and a program that is asked in, what is kept, refused or waits out: whatever the program does."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kits.intake import DECIDED, FACT, HERE, INVENTED, LINES, held
from pellucid.app import App, open_app
from pellucid.encoders.chat.model import ChatError
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import FlushRow
from pellucid.operations.session.importing import ImportInput, ImportOutput, import_transcripts
from pellucid.operations.session.observing import ObserveInput, observe_turns
from pellucid.settings import Settings, load
from pellucid.settings.sections import LlmSettings, ObserveSettings

Program = Callable[..., str]
pytestmark = pytest.mark.requirement("LLM-1")
READ = "prompt = sys.stdin.read()"


def says(value: object) -> tuple[str, str]:
    return READ, f"print('Here you are:\\n```json'); print(json.dumps({value!r})); print('```')"


GOOD = says({"facts": [FACT]})


def opened(home: Path, models: Path, command: str, extractor: Any = "command", judge: Any = "heuristic") -> App:
    asked = LlmSettings(command=(command,), retries=0, command_timeout_s=60)
    observe = ObserveSettings(extractor=extractor, judge=judge)
    settings: Settings = load(home=home).model_copy(update={"llm": asked, "observe": observe})
    return open_app(settings, models=models.parent)


def imported(app: App, path: Path) -> ImportOutput:
    return import_transcripts(app, ImportInput(mode="extract", paths=(path,), namespace=HERE))


def test_what_the_segment_bears_out_is_kept_and_what_it_does_not_is_counted(
    home: Path, model_cache: Path, transcript: Path, program: Program
) -> None:
    app = opened(home, model_cache, program(*says({"facts": [FACT, INVENTED]})))
    outcome = imported(app, transcript)
    assert set(held(app)) == {FACT["content"]}
    assert [name for name in outcome.verdicts if name.startswith("drop:")]
    (row,) = rows_of_type(app.ledger, FlushRow)
    assert (row.extractor, row.input_tokens, row.output_tokens, row.cost) == ("command:answerer", 0, 0, 0.0)
    assert row.seconds > 0
    app.close()


_FAILURES = {
    "crash": (READ, "sys.exit('no login')"),
    "garbage": (READ, "print('I cannot do that.')"),
    "other": says({"verdicts": []}),
    "killed": (READ, "os.kill(os.getpid(), signal.SIGKILL)"),
}


@pytest.mark.parametrize("kind", list(_FAILURES))
def test_a_failing_program_loses_nothing_and_a_repeat_takes_what_waited(
    kind: str, home: Path, model_cache: Path, transcript: Path, program: Program
) -> None:
    app = opened(home, model_cache, program(*_FAILURES[kind]))
    failed = imported(app, transcript)
    assert failed.extractor_problem
    assert "repeat the import" in failed.extractor_problem
    assert ("no login" in failed.extractor_problem) == (kind == "crash")
    assert (failed.turns_taken, held(app, None)) == (0, {})
    program(*GOOD)
    again = imported(app, transcript)
    assert (again.extractor_problem, set(held(app))) == (None, {FACT["content"]})
    app.close()


def test_a_program_that_is_not_there_is_an_error_before_anything_is_read(
    home: Path, model_cache: Path, transcript: Path
) -> None:
    app = opened(home, model_cache, "no-such-program-anywhere")
    with pytest.raises(ChatError, match="no-such-program-anywhere"):
        imported(app, transcript)
    app.close()


def test_a_live_session_waits_in_the_spool_and_what_the_program_said_does_not(
    home: Path, model_cache: Path, program: Program
) -> None:
    turns = tuple(json.loads(line) for line in LINES.splitlines())
    app = opened(home, model_cache, program(READ, "sys.exit('a plum-coloured complaint')"))
    failed = observe_turns(app, ObserveInput(namespace=HERE, turns=turns, flush="session_end"))
    assert "plum-coloured" in (failed.extractor_problem or "")
    assert [(each.turns, each.attempts) for each in failed.backlog] == [(2, 1)]
    assert "exit code 1" in (failed.backlog[0].problem or "")
    stored = [path for path in home.rglob("*") if path.is_file() and b"plum-coloured" in path.read_bytes()]
    assert (held(app), stored) == ({}, [])
    program(*GOOD)
    again = observe_turns(app, ObserveInput(namespace=HERE, session_id="s1", flush="session_end", retry=True))
    assert (again.backlog, set(held(app))) == ((), {FACT["content"]})
    app.close()


def test_a_program_may_judge_what_the_rules_found_and_where_it_cannot_they_rule(
    home: Path, model_cache: Path, transcript: Path, program: Program
) -> None:
    rejection = {"number": 0, "verdict": "reject", "code": "transient", "reason": "soon over"}
    judging = program(*says({"verdicts": [rejection]}), name="judging")
    app = opened(home, model_cache, judging, extractor="heuristic", judge="command")
    assert (imported(app, transcript).verdicts, held(app)) == ({"reject:transient": 1}, {})
    app.close()
    failing = program(READ, "sys.exit(1)", name="judging")
    app = opened(home.with_name("other"), model_cache, failing, extractor="heuristic", judge="command")
    assert len(imported(app, transcript).verdicts) == 1
    assert held(app)
    (row,) = rows_of_type(app.ledger, FlushRow)
    assert row.extractor == "heuristic"
    app.close()


_KEEPING = (  # as an agent does that keeps a transcript of each session
    READ,
    "folder = os.path.join(os.environ['HOME'], '.claude', 'projects', '-tmp'); os.makedirs(folder, exist_ok=True)",
    f"answer = json.dumps({{'facts': [{FACT!r}]}})",
    "frame = lambda role: {'type': role, 'uuid': f'{role}{os.getpid()}', 'sessionId': f'asked{os.getpid()}'}",
    "line = lambda role, text: json.dumps(frame(role) | {'message': {'role': role, 'content': text}}) + '\\n'",
    "open(os.path.join(folder, f'{os.getpid()}.jsonl'), 'w').write(line('user', prompt) + line('assistant', answer))",
    "print(answer)",
)


def test_a_transcript_that_the_program_kept_of_our_asking_is_never_imported(
    home: Path, model_cache: Path, transcript: Path, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = opened(home, model_cache, program(*_KEEPING))
    imported(app, transcript)
    (kept,) = (tmp_path / ".claude" / "projects").rglob("*.jsonl")
    assert DECIDED in kept.read_text()
    for _ in range(2):
        outcome = imported(app, tmp_path / ".claude" / "projects")
        assert (outcome.dropped, outcome.turns_taken) == ({"own-prompt": 2}, 0)
    assert len(list((tmp_path / ".claude" / "projects").rglob("*.jsonl"))) == 1
    assert set(held(app)) == {FACT["content"]}
    app.close()


def test_nor_is_it_observed_while_it_runs_whichever_call_brings_the_reply(
    home: Path, model_cache: Path, transcript: Path, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = opened(home, model_cache, program(*_KEEPING))
    imported(app, transcript)
    (kept,) = (tmp_path / ".claude" / "projects").rglob("*.jsonl")
    for line in kept.read_text().splitlines(keepends=True):
        seen = observe_turns(app, ObserveInput(namespace=HERE, lines=(line,), flush="session_end"))
        assert (seen.turns_spooled, seen.backlog, seen.flushes) == (0, (), ())
    app.close()


def test_what_one_run_may_ask_is_counted_over_all_the_projects_it_files_in(
    home: Path, model_cache: Path, tmp_path: Path, program: Program
) -> None:
    app = opened(home, model_cache, program(*GOOD))
    capped = app.settings.llm.model_copy(update={"command_calls": 1})
    app = replace(app, settings=app.settings.model_copy(update={"llm": capped}))
    lines = [json.loads(LINES.splitlines()[0]) | {"session": name, "cwd": f"/srv/{name}"} for name in ("s1", "s2")]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    request = ImportInput(mode="extract", paths=(tmp_path / "two.jsonl",), namespace=HERE, by_folder=True)
    outcome = import_transcripts(app, request)
    assert outcome.extractor_problem
    assert [(each.namespace, each.turns) for each in outcome.filed if each.turns] == [("local/s1", 1)]
    app.close()
