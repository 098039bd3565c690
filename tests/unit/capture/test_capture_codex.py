"""What a Codex rollout holds beside messages: answers, accepted plans, recaps, titles, commits, and where it was."""

import json
from pathlib import Path

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.formats import codex
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn

Line = dict[str, object]


def item(**payload: object) -> Line:
    return {"timestamp": "2026-03-03T10:00:00Z", "type": "response_item", "payload": payload}


def said(role: str, words: str) -> Line:
    kind = "input_text" if role == "user" else "output_text"
    return item(type="message", role=role, content=[{"type": kind, "text": words}])


def call(name: str, arguments: object, call_id: str = "c1") -> Line:
    return item(type="function_call", name=name, arguments=json.dumps(arguments), call_id=call_id)


def output(words: str, call_id: str = "c1") -> Line:
    return item(type="function_call_output", call_id=call_id, output=words)


def other(kind: str, **payload: object) -> Line:
    return {"timestamp": "2026-03-03T10:00:00Z", "type": kind, "payload": payload}


def turns(tmp_path: Path, *lines: Line, report: CaptureReport | None = None) -> list[Turn]:
    path = tmp_path / "rollout.jsonl"
    meta = other("session_meta", id="r1", cwd="/home/ada/shop", git={"branch": "redis"})
    path.write_text("".join(json.dumps(each) + "\n" for each in (meta, *lines)))
    return list(codex.read(Source(path, report or CaptureReport())))


def told(found: list[Turn]) -> list[tuple[str, str, str]]:
    return [(turn.role, turn.kind, turn.content) for turn in found if turn.role != "tool"]


def test_an_answer_to_a_question_dialogue_is_the_users(tmp_path: Path):
    asked = {
        "questions": [
            {
                "id": "cache",
                "header": "Cache",
                "question": "Which cache?",
                "options": [{"label": "Redis", "description": "Keeps sessions."}],
            }
        ]
    }
    given = {"answers": {"cache": {"answers": ["Redis", "user_note: one node only"]}}}

    assert told(turns(tmp_path, call("request_user_input", asked), output(json.dumps(given)))) == [
        ("user", "answer", "Question: Which cache?\nAnswer: Redis\none node only\nOption: Keeps sessions.")
    ]


def test_a_proposed_plan_is_kept_once_it_is_accepted(tmp_path: Path):
    first, second = "<proposed_plan>\n# Files\n</proposed_plan>", "So:\n<proposed_plan>\n# Redis\n</proposed_plan>"
    found = turns(
        tmp_path,
        said("assistant", first),
        said("user", "no files"),
        said("assistant", second),
        said("user", "Implement the plan."),
        said("user", "Implement the plan."),
    )

    assert [turn.content for turn in found if turn.kind == "plan"] == ["# Redis"]
    assert [turn.content for turn in found if turn.role == "user"] == ["no files", "Implement the plan."]


def test_a_plan_sent_into_a_fresh_session_is_no_word_of_the_user(tmp_path: Path):
    assert told(turns(tmp_path, said("user", "PLEASE IMPLEMENT THIS PLAN:\n# Redis"))) == [
        ("assistant", "plan", "# Redis")
    ]


def test_a_compaction_leaves_a_recap_and_a_renamed_session_its_title(tmp_path: Path):
    report = CaptureReport()
    found = turns(
        tmp_path,
        other("compacted", message="Redis keeps the sessions.", replacement_history=[]),
        other("compacted", message=""),
        other("event_msg", type="thread_name_updated", thread_name="Storage"),
        report=report,
    )

    assert told(found) == [("assistant", "recap", "Redis keeps the sessions."), ("assistant", "title", "Storage")]
    assert report.dropped == {"not-a-turn": 1}


def test_a_commit_counts_by_its_exit_code(tmp_path: Path):
    def committed(message: str, result: str, call_id: str) -> list[Line]:
        return [
            call("shell", {"command": ["bash", "-lc", f"git commit -m '{message}'"]}, call_id),
            output(result, call_id),
        ]

    found = turns(
        tmp_path,
        *committed("one", json.dumps({"output": "lint failed", "metadata": {"exit_code": 1}}), "c1"),
        *committed("two", json.dumps({"output": "", "metadata": {"exit_code": 0}}), "c2"),
        *committed("three", "Exit code: 1\nWall time: 1 seconds\nOutput:\n[main 3dceabaa] three", "c3"),
        *committed("four", "Process exited with code 0\nOutput:\n[main 3dceabaa] four", "c4"),
        *committed("five", "command rejected by user", "c5"),
    )

    assert told(found) == [("assistant", "commit", "two"), ("assistant", "commit", "four")]


def test_the_place_follows_the_session(tmp_path: Path):
    found = turns(tmp_path, said("user", "one"), other("turn_context", cwd="/home/ada/other"), said("user", "two"))

    assert [(turn.folder, turn.branch) for turn in found] == [("/home/ada/shop", "redis"), ("/home/ada/other", "redis")]


def test_what_an_editor_put_before_a_request_is_not_the_users(tmp_path: Path):
    words = "# Context from my IDE setup:\n\n## Open tabs:\n- app.toml\n\n## My request for Codex:\nKeep Redis.\n"

    assert told(turns(tmp_path, said("user", words))) == [("user", "message", "Keep Redis.\n")]


def test_an_output_that_names_metadata_itself_is_kept_whole(tmp_path: Path):
    words = "kind: Pod\nmetadata: \n  name: web\nspec: one"
    wrapped = json.dumps({"output": words, "metadata": {"exit_code": 0}})
    (told_by_tool,) = (
        turn
        for turn in turns(tmp_path, call("shell", {"command": "kubectl get"}), output(wrapped))
        if turn.role == "tool" and "Pod" in turn.content
    )
    assert told_by_tool.content.endswith(words)
