"""Events of an agent's program in; what it prints, and what is kept of its session, out."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kits.hooked import SAID, SESSION, context_of, line, set_up, tell, transcript
from kits.vault import HERE, Opener, keep
from pellucid.app import App
from pellucid.capture.own_output import without_own_output
from pellucid.capture.report import CaptureReport
from pellucid.errors import InputError, StoreError
from pellucid.operations.hooks.event import HOOK, HookInput, HookOutput, handle_event, query_of_prompt
from pellucid.operations.hooks.transcripts import read_transcripts
from pellucid.operations.operation import Call
from pellucid.operations.recall.explaining import REPLAY
from pellucid.operations.recall.recalling import RECALL, XRAY
from pellucid.operations.upkeep import IN_THE_BACKGROUND, Upkeep
from pellucid.settings import Settings
from pellucid.store.local.hooked import HookedSessions

CRANE = "The harbour crane lifts forty tonnes, and its brakes are checked every Monday."


pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def app(house: Opener) -> App:
    return house()


# --- a prompt --------------------------------------------------------------------------------------------------------


def test_what_a_prompt_looks_for_is_put_before_it_with_its_ids_and_the_recall(app: App) -> None:
    kept = keep(app, CRANE)
    out = tell(app, "UserPromptSubmit", prompt="how much can the harbour crane lift, and when are its brakes checked?")
    assert out.memory_ids == (kept.memory.id,)
    context = context_of(out)
    assert CRANE in context
    assert f"{out.recall_id}: [1] {kept.memory.id}" in context
    assert f'<pellucid-recall id="{out.recall_id}">' in context
    assert out.print["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    why = f"PELLUCID_HOME={app.settings.home} pellucid xray {out.recall_id}"
    assert out.print["systemMessage"] == f"pellucid: 1 memory; why: {why}"
    explained = XRAY(Call.over(app), recall_id=out.recall_id)
    assert [each.memory_id for each in explained.results] == [kept.memory.id]
    assert REPLAY(Call.over(app), recall_id=out.recall_id, live=True).live.identical


@pytest.mark.parametrize(
    "prompt",
    [
        "yes",
        "go on",
        "ok do it",
        "continue",
        "commit",
        "3",
        "let's do that",
        "/compact",
        "[Request interrupted by user]",
        "<command-name>/exit</command-name>",
        "```\nharbour crane brakes\n```",
        'Traceback (most recent call last):\n  File "crane.py", line 3, in lift\n    brakes.check()\nCraneError: no\n',
        "2026-04-20T17:30:00 ERROR harbour crane brakes failed\n2026-04-20T17:30:01 ERROR harbour crane stopped\n",
        "",
    ],
)
def test_a_prompt_that_asks_nothing_of_memory_asks_it_nothing(app: App, prompt: str) -> None:
    keep(app, CRANE)
    assert query_of_prompt(prompt) == ""
    assert tell(app, "UserPromptSubmit", prompt=prompt).print == {}
    assert app.history.counts()[0] == 0


def test_what_is_not_known_is_not_answered_with_what_is(app: App) -> None:
    keep(app, CRANE)
    out = tell(app, "UserPromptSubmit", prompt="which sauce won the pasta contest of the village?")
    assert (out.print, out.memory_ids) == ({}, ())


@pytest.mark.parametrize(
    "prompt", ["who repairs the brakes of the crane in winter?", "how heavy is the harbour crane?"]
)
def test_what_would_be_marked_as_not_sure_is_not_put_before_a_prompt(app: App, prompt: str) -> None:
    keep(app, CRANE)
    keep(app, "The harbour office opens at six, and Anna keeps its keys.")
    found = RECALL(Call.over(app), query=prompt, settings={"abstainAt": 1})
    assert found.doubt is not None
    assert 0.5 <= found.doubt < 0.6
    assert tell(app, "UserPromptSubmit", prompt=prompt).memory_ids == ()
    assert tell(set_up(app, abstain_at=0.6), "UserPromptSubmit", prompt=prompt).memory_ids


def test_a_memory_is_shown_once_a_session_until_its_context_is_cut(app: App) -> None:
    keep(app, CRANE)
    prompt = "how much can the harbour crane lift?"
    assert tell(app, "UserPromptSubmit", prompt=prompt).memory_ids
    assert not tell(app, "UserPromptSubmit", prompt=prompt).memory_ids
    tell(app, "SessionStart", source="compact")
    assert tell(app, "UserPromptSubmit", prompt=prompt).memory_ids
    another = HookInput(
        host="claude-code", event={"hook_event_name": "UserPromptSubmit", "session_id": "another", "prompt": prompt}
    )
    assert handle_event(app, another).memory_ids


def test_what_the_session_itself_said_is_not_told_to_it(app: App) -> None:
    keep(app, CRANE, session_id=SESSION)
    assert not tell(app, "UserPromptSubmit", prompt="how much can the harbour crane lift?").memory_ids


def test_a_short_command_is_told_how_it_is_done_here_and_not_that_it_was_done(app: App) -> None:
    keep(app, "Run the tests of the harbour with make check.", category="rule")
    keep(app, "The tests of the harbour were run on Monday.", category="fact")
    out = tell(app, "UserPromptSubmit", prompt="run the harbour tests")
    assert "make check" in context_of(out)
    assert len(out.memory_ids) == 1


def test_hooks_that_are_switched_off_say_and_note_nothing(app: App) -> None:
    keep(app, CRANE)
    off = set_up(app, enabled=False)
    assert tell(off, "UserPromptSubmit", prompt="how much can the harbour crane lift?").print == {}
    assert HookedSessions(app.settings.home).known() == []
    none = set_up(app, items=0)
    assert tell(none, "UserPromptSubmit", prompt="how much can the harbour crane lift?").print == {}


def test_cursor_takes_no_context_at_a_prompt_so_nothing_is_recalled_for_it(app: App) -> None:
    keep(app, CRANE)
    out = handle_event(
        app,
        HookInput(
            host="cursor",
            event={
                "hook_event_name": "beforeSubmitPrompt",
                "conversation_id": SESSION,
                "workspace_roots": ["/src/crane"],
                "prompt": "how much can the harbour crane lift?",
            },
        ),
    )
    assert (out.print, out.memory_ids) == ({}, ())


# --- the project of the folder ------------------------------------------------------------------------------------


def test_the_folder_of_the_event_decides_which_project_is_asked(app: App, tmp_path: Path, at_home: Path) -> None:
    elsewhere = replace(app, settings=Settings(home=app.settings.home))
    folders = {}
    for name in ("harbour", "kitchen"):
        folder = tmp_path / "work" / name
        (folder / ".git").mkdir(parents=True)
        folders[name] = str(folder)
    for number, (name, said) in enumerate(
        {
            "harbour": "We decided that the crane lifts forty tonnes.",
            "kitchen": "We decided that the oven is gas.",
        }.items()
    ):
        session = f"session-{name}"
        path = transcript(
            at_home, line("user", said, number + 1, cwd=folders[name], sessionId=session), session=session
        )
        event = {"hook_event_name": "SessionEnd", "session_id": session, "transcript_path": str(path)}
        handle_event(elsewhere, HookInput(host="claude-code", event={**event, "cwd": folders[name]}))
    read_transcripts(elsewhere)
    start = tell(elsewhere, "SessionStart", cwd=folders["harbour"], source="startup")
    assert start.namespace == "local/harbour"
    assert "forty tonnes" in context_of(start)
    assert "oven" not in context_of(start)


# --- the start ----------------------------------------------------------------------------------------------------


def test_a_session_begins_with_the_brief_of_its_project_which_capture_takes_out_again(app: App, at_home: Path) -> None:
    path = transcript(at_home, *SAID)
    tell(app, "SessionEnd", transcript_path=str(path))
    read_transcripts(app)
    event = {"hook_event_name": "SessionStart", "session_id": "next", "source": "startup"}
    out = handle_event(app, HookInput(host="claude-code", event=event))
    context = context_of(out)
    assert "checked on Mondays" in context
    assert len(context) <= 1500 * 4
    assert out.line == f"pellucid: a brief of the last 1 session of {HERE}"
    assert without_own_output(f"before {context} after", CaptureReport()) == "before  after"
    assert not context_of(tell(app, "SessionStart", source="startup"))  # of the session itself, nothing


@pytest.mark.parametrize("left", [True, False])
def test_a_brief_that_no_server_was_there_for_comes_with_the_first_prompt_once(
    app: App, at_home: Path, left: bool
) -> None:
    tell(app, "SessionEnd", transcript_path=str(transcript(at_home, *SAID)))
    read_transcripts(app)
    keep(app, CRANE)
    start = {"hook_event_name": "SessionStart", "session_id": "next", "source": "startup"}

    def word() -> None:
        waiting = app.settings.home / "hooks" / "waiting"
        waiting.mkdir(parents=True, exist_ok=True)
        said = {"host": "claude-code", "at": app.clock.now().timestamp() - 60, "event": start}
        (waiting / "claude-code_next.json").write_text(json.dumps(said))
        read_transcripts(app)

    def ask(prompt: str) -> HookOutput:
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "next", "prompt": prompt}
        return handle_event(app, HookInput(host="claude-code", event=event))

    if left:
        word()
    first = ask("how much can the harbour crane lift?")
    assert "checked on Mondays" in context_of(first)
    assert CRANE in context_of(first)
    assert len(context_of(first)) <= 10_000
    assert first.line.startswith(f"pellucid: a brief of the last 1 session of {HERE}\npellucid: 1 memory; why: ")
    word()  # taken up late
    assert context_of(ask("go on")) == ""


def test_a_session_that_had_its_brief_or_goes_on_gets_none_at_a_prompt(app: App, at_home: Path) -> None:
    tell(app, "SessionEnd", transcript_path=str(transcript(at_home, *SAID)))
    read_transcripts(app)
    for source in ("startup", "resume"):
        for name, said in (("SessionStart", {"source": source}), ("UserPromptSubmit", {"prompt": "go on"})):
            event = {"hook_event_name": name, "session_id": source, **said}
            out = handle_event(app, HookInput(host="claude-code", event=event))
        assert context_of(out) == ""


# --- the question to the agent ---------------------------------------------------------------------------------------


def test_the_agent_is_asked_once_a_session_and_never_again_while_it_answers(app: App) -> None:
    asking = set_up(app, ask_after=2)
    assert tell(asking, "Stop").print == {}
    for _ in range(2):
        tell(asking, "UserPromptSubmit", prompt="yes")
    assert tell(asking, "Stop", stop_hook_active=True).print == {}
    out = tell(asking, "Stop", stop_hook_active=False)
    assert out.asked
    assert out.print["decision"] == "block"
    assert "next month" in out.print["reason"]
    assert f"memory_observe, mode claims, sessionId {SESSION}" in out.print["reason"]
    assert f"`pellucid claim --session {SESSION}`" in out.print["reason"]
    assert '{"statement": "…", "quote": "…"}' in out.print["reason"]
    assert without_own_output(out.print["reason"], CaptureReport()).strip() == ""
    assert tell(asking, "Stop").print == {}
    assert not tell(asking, "SessionStart", source="compact").asked


def test_after_a_compaction_it_is_asked_with_what_it_is_told_then(app: App) -> None:
    tell(app, "UserPromptSubmit", prompt="yes")
    out = tell(app, "SessionStart", source="compact")
    assert out.asked
    assert "next month" in context_of(out)
    assert "decision" not in out.print


def test_the_question_is_a_setting(app: App) -> None:
    quiet = set_up(app, ask_after=1, ask_agent=False)
    tell(quiet, "UserPromptSubmit", prompt="yes")
    assert tell(quiet, "Stop").print == {}


# --- transcripts -----------------------------------------------------------------------------------------------------


def memories(app: App) -> list[str]:
    return [each.memory.content for each in app.index.memories(HERE) if each.memory.category == "decision"]


def test_a_transcript_is_read_from_where_it_was_left_and_each_turn_is_kept_once(app: App, at_home: Path) -> None:
    path = transcript(at_home, SAID[0])
    tell(app, "Stop", transcript_path=str(path))
    assert read_transcripts(app) == 1
    assert read_transcripts(app) == 0
    transcript(at_home, SAID[1])
    tell(app, "SessionEnd", transcript_path=str(path))
    read_transcripts(app)
    (known,) = HookedSessions(app.settings.home).known()
    assert (known.offset, known.due) == (path.stat().st_size, False)
    assert len(memories(app)) == 1
    assert not app.spool.waiting()


def test_lines_that_come_after_the_last_event_are_read_when_it_is_quiet(
    app: App, at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = transcript(at_home, SAID[1])
    tell(app, "SessionEnd", transcript_path=str(path))
    read_transcripts(app)
    transcript(at_home, SAID[0].rstrip("\n"))
    assert read_transcripts(app) == 0
    later = app.clock.now() + timedelta(minutes=5)
    monkeypatch.setattr(app.clock, "at", later)
    assert read_transcripts(app) == 1
    (known,) = HookedSessions(app.settings.home).known()
    assert known.offset == path.stat().st_size


def test_a_line_that_is_being_written_is_left_for_the_next_time(app: App, at_home: Path) -> None:
    path = transcript(at_home, SAID[1], SAID[0][:40])
    tell(app, "Stop", transcript_path=str(path))
    read_transcripts(app)
    assert HookedSessions(app.settings.home).known()[0].offset == len(SAID[1])
    transcript(at_home, SAID[0][40:])
    tell(app, "SessionEnd", transcript_path=str(path))
    read_transcripts(app)
    assert len(memories(app)) == 1


@pytest.mark.parametrize("place", ["elsewhere", "link", "named otherwise", "of another program"])
def test_only_a_transcript_of_that_program_is_read(app: App, at_home: Path, tmp_path: Path, place: str) -> None:
    path = transcript(at_home)
    secret = tmp_path / "secret.jsonl"
    secret.write_text("".join(SAID))
    match place:
        case "elsewhere":
            path = secret
        case "link":
            path.unlink()
            path.symlink_to(secret)
        case "named otherwise":
            path = path.with_suffix(".txt")
            path.write_text("".join(SAID))
        case _:
            path = at_home / ".codex" / "sessions" / "x.jsonl"
            path.parent.mkdir(parents=True)
            path.write_text("".join(SAID))
    tell(app, "SessionEnd", transcript_path=str(path))
    assert read_transcripts(app) == 0
    assert memories(app) == []


def test_a_link_put_in_the_place_of_a_transcript_later_is_not_followed(app: App, at_home: Path, tmp_path: Path) -> None:
    path = transcript(at_home)
    tell(app, "SessionEnd", transcript_path=str(path))
    secret = tmp_path / "secret.jsonl"
    secret.write_text("".join(SAID))
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(StoreError, match=str(path)):
        read_transcripts(app)
    assert memories(app) == []


@pytest.mark.parametrize("instead", [Path.mkdir, lambda path: path.symlink_to("/etc/hostname")], ids=["folder", "link"])
def test_a_transcript_that_cannot_be_opened_is_told_and_the_others_are_read(
    app: App, at_home: Path, instead: Callable[[Path], None]
) -> None:
    path, another = transcript(at_home, *SAID), transcript(at_home, SAID[0].replace(SESSION, "z"), session="z")
    for session, at in ((SESSION, path), ("z", another)):
        tell(app, "SessionEnd", session_id=session, transcript_path=str(at))
    path.unlink()
    instead(path)
    done = {each.job: each for each in Upkeep(app, IN_THE_BACKGROUND).run_due(app.clock.now())}
    assert isinstance(done["transcripts"].problem, StoreError)
    assert str(path) in done["transcripts"].problem.message
    assert {each.session_id: each.offset for each in HookedSessions(app.settings.home).known()} == {
        SESSION: 0,
        "z": another.stat().st_size,
    }


def test_a_further_folder_of_transcripts_is_a_setting(app: App, tmp_path: Path) -> None:
    kept = tmp_path / "config" / "projects" / f"{SESSION}.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text("".join(SAID))
    allowing = set_up(app, transcripts=(str(tmp_path / "config"),))
    tell(allowing, "SessionEnd", transcript_path=str(kept))
    assert read_transcripts(allowing) == 1


def test_a_session_nobody_told_of_is_found_beside_one_that_was(app: App, at_home: Path) -> None:
    old = transcript(at_home, SAID[0].replace(SESSION, "old"), session="old")
    os.utime(old, (1, 1))
    path = transcript(at_home, SAID[1])
    tell(app, "Stop", transcript_path=str(path))
    lost = transcript(at_home, SAID[0].replace(SESSION, "lost"), session="lost")
    later = app.clock.now().timestamp() + 60
    os.utime(lost, (later, later))
    read_transcripts(app)
    known = {each.session_id: each.offset for each in HookedSessions(app.settings.home).known()}
    assert known == {SESSION: path.stat().st_size, "lost": lost.stat().st_size}


def test_word_that_a_client_left_is_taken_up_and_gone(app: App, at_home: Path) -> None:
    path = transcript(at_home, *SAID)
    waiting = app.settings.home / "hooks" / "waiting"
    waiting.mkdir(parents=True)
    event = {"hook_event_name": "SessionEnd", "session_id": SESSION, "transcript_path": str(path)}
    (waiting / f"claude-code_{SESSION}.json").write_text(json.dumps({"host": "claude-code", "event": event}))
    (waiting / "claude-code_torn.json").write_text('{"host": "cl')
    (waiting / "claude-code_deep.json").write_text("[" * 100_000)
    (waiting / "claude-code_odd.json").write_text('{"host": "claude-code", "event": []}')
    assert read_transcripts(app) == 1
    assert len(memories(app)) == 1
    assert list(waiting.iterdir()) == []


def test_upkeep_reads_transcripts(app: App, at_home: Path) -> None:
    path = transcript(at_home, *SAID)
    tell(app, "SessionEnd", transcript_path=str(path))
    done = {each.job: each for each in Upkeep(app, IN_THE_BACKGROUND).run_due(app.clock.now())}
    assert (done["transcripts"].count, done["transcripts"].problem) == (1, None)


def test_capture_can_be_switched_off(app: App, at_home: Path) -> None:
    quiet = set_up(app, capture=False)
    tell(quiet, "SessionEnd", transcript_path=str(transcript(at_home, *SAID)))
    assert read_transcripts(quiet) == 0


def test_files_of_sessions_are_the_users_own(app: App, at_home: Path) -> None:
    tell(app, "SessionEnd", transcript_path=str(transcript(at_home, *SAID)))
    hooks = app.settings.home / "hooks"
    modes = {path.name: path.stat().st_mode & 0o777 for path in hooks.rglob("*")}
    assert {mode for name, mode in modes.items() if not name.endswith((".json", ".lock"))} == {0o700}
    assert {mode for name, mode in modes.items() if name.endswith((".json", ".lock"))} == {0o600}
    assert "Mondays" not in "".join(path.read_text() for path in hooks.rglob("*.json"))


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"hook_event_name": "Nothing", "session_id": SESSION}, "event expects one of"),
        ({"hook_event_name": "Stop"}, "names no session"),
        ({"hook_event_name": "Stop", "session_id": "../../etc"}, "names no session"),
        ({"hook_event_name": ["Stop"], "session_id": SESSION}, "event expects one of"),
    ],
)
def test_an_event_that_is_none_is_refused(app: App, event: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        HOOK(Call.over(app), host="claude-code", event=event)


def test_codex_and_cursor_are_spoken_to_in_their_own_form(app: App) -> None:
    asking = set_up(app, ask_after=1)
    for host, prompt, stop in (("codex", "UserPromptSubmit", "Stop"), ("cursor", "beforeSubmitPrompt", "stop")):
        handle_event(
            asking, HookInput(host=host, event={"hook_event_name": prompt, "session_id": host, "prompt": "yes"})
        )
        out = handle_event(asking, HookInput(host=host, event={"hook_event_name": stop, "session_id": host}))
        assert set(out.print) == ({"decision", "reason"} if host == "codex" else {"followup_message"})


@pytest.mark.parametrize("layout", ["named", "{0}/{0}.jsonl", "{0}.jsonl"])
def test_a_session_of_cursor_is_kept_under_the_project_of_its_workspace(
    app: App, at_home: Path, tmp_path: Path, layout: str
) -> None:
    elsewhere = replace(app, settings=Settings(home=app.settings.home))
    work = tmp_path / "work" / "harbour"
    (work / ".git").mkdir(parents=True)
    name = ("{0}/{0}.jsonl" if layout == "named" else layout).format(SESSION)
    path = at_home / ".cursor" / "projects" / "work-harbour" / "agent-transcripts" / name
    path.parent.mkdir(parents=True)
    words = "We decided that the crane's brakes are checked on Mondays, because Sunday's crew is too small."
    said = [
        {"role": "user", "message": {"content": [{"type": "text", "text": f"<user_query>\n{words}\n</user_query>"}]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "I wrote that into the plan."}]}},
        {"type": "turn_ended", "status": "success"},
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in said))
    event = {
        "conversation_id": SESSION,
        "generation_id": "g-1",
        "model": "m",
        "cursor_version": "3.7.21",
        "workspace_roots": [str(work)],
        "transcript_path": str(path) if layout == "named" else None,
    }
    for name in ("sessionStart", "sessionEnd"):
        handle_event(elsewhere, HookInput(host="cursor", event={**event, "hook_event_name": name}))
    assert read_transcripts(elsewhere) == 1
    (kept,) = [each for each in elsewhere.index.memories("local/harbour") if each.memory.category == "decision"]
    assert (kept.memory.content, kept.memory.session_id) == (words[:-1], SESSION)
    begun = {**event, "hook_event_name": "sessionStart", "conversation_id": "next", "session_id": "next"}
    out = handle_event(elsewhere, HookInput(host="cursor", event=begun))
    assert set(out.print) == {"additional_context"}
    assert "checked on Mondays" in out.print["additional_context"]


@pytest.mark.parametrize("keep", [True, False])
def test_turns_of_a_transcript_are_kept_as_an_import_keeps_them(app: App, at_home: Path, keep: bool) -> None:
    chosen = set_up(app, keep_turns=keep)
    tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls harbour"}}
    calls = line("assistant", "", 3, message={"role": "assistant", "content": [tool]})
    tell(chosen, "SessionEnd", transcript_path=str(transcript(at_home, *SAID, calls)))
    read_transcripts(chosen)
    kept = [each.memory.content for each in app.index.memories(HERE) if each.memory.category == "moment"]
    assert sorted(kept) == (sorted(json.loads(each)["message"]["content"] for each in SAID) if keep else [])
    out = handle_event(
        chosen, HookInput(host="claude-code", event={"hook_event_name": "SessionStart", "session_id": "next"})
    )
    assert ("asked: We decided that the crane's brakes" in context_of(out)) == keep
