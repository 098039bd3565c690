"""What a Claude Code session holds beside messages: answers, feedback, queued words, plans, recaps, titles, commits."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pellucid.capture.live import LiveTranscript
from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts.formats import claude_code
from pellucid.capture.transcripts.source import Source
from pellucid.model.turn import Turn

SESSION = "11111111-2222-4333-8444-555555555555"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
STOP = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to go on."
)
NUMBERS = count(1)
Line = dict[str, Any]


def line(kind: str, content: object, **more: object) -> Line:
    number = next(NUMBERS)
    head = {
        "type": kind,
        "uuid": f"u-{number}",
        "sessionId": SESSION,
        "timestamp": f"2026-03-02T09:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "cwd": "/home/ada/shop",
        "gitBranch": "redis",
        "isSidechain": False,
    }
    return head | {"message": {"role": kind, "content": content}} | more


def call(name: str, arguments: object, number: int = 1) -> Line:
    return line("assistant", [{"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}])


def result(content: str, number: int = 1, *, failed: bool = False, **more: object) -> Line:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": content, "is_error": failed}
    return line("user", [block], **more)


def queue(operation: str, words: str | None = None) -> Line:
    made = {
        "type": "queue-operation",
        "operation": operation,
        "sessionId": SESSION,
        "timestamp": "2026-03-02T09:00:00Z",
    }
    return made | ({"content": words} if words is not None else {})


def turns(tmp_path: Path, *lines: Line, report: CaptureReport | None = None) -> list[Turn]:
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return list(claude_code.read(Source(path, report or CaptureReport())))


def told(found: list[Turn]) -> list[tuple[str, str, str]]:
    return [(turn.role, turn.kind, turn.content) for turn in found if turn.role != "tool"]


QUESTIONS = {
    "questions": [
        {
            "question": "Which cache?",
            "header": "Cache",
            "multiSelect": False,
            "options": [
                {"label": "Redis (Recommended)", "description": "Keeps sessions over a restart."},
                {"label": "Memcached", "description": "Is faster."},
            ],
        },
        {"question": 'Call it "store"?', "header": "Name", "multiSelect": False, "options": [{"label": "Yes"}]},
    ]
}


def test_an_answer_is_the_users_and_stands_with_its_question_and_what_the_option_meant(tmp_path: Path):
    said = (
        'User has answered your questions: "Which cache?"="Redis (Recommended)", "Call it "store"?"="no, "vault", '
        '"safe" is taken". You can now continue with the user\'s answers in mind.'
    )
    found = turns(tmp_path, call("AskUserQuestion", QUESTIONS), result(said))

    assert told(found) == [
        (
            "user",
            "answer",
            "Question: Which cache?\nAnswer: Redis (Recommended)\nOption: Keeps sessions over a restart.",
        ),
        ("user", "answer", 'Question: Call it "store"?\nAnswer: no, "vault", "safe" is taken'),
    ]
    assert len([turn for turn in found if turn.role == "tool"]) == 1
    assert len({turn.key for turn in found}) == len(found)


def test_the_harness_own_form_of_the_answers_is_believed_first(tmp_path: Path):
    details = {
        "answers": {"Which cache?": "Redis (Recommended), Memcached"},
        "annotations": {"Which cache?": {"notes": "both for now"}},
    }
    found = turns(
        tmp_path, call("AskUserQuestion", QUESTIONS), result("Your questions have been answered", toolUseResult=details)
    )

    assert told(found) == [
        (
            "user",
            "answer",
            "\n".join(
                [
                    "Question: Which cache?",
                    "Answer: Redis (Recommended), Memcached",
                    "both for now",
                    "Option: Keeps sessions over a restart.",
                    "Option: Is faster.",
                ]
            ),
        )
    ]


def test_questions_put_back_give_the_answers_there_are_and_count_the_open_ones(tmp_path: Path):
    report = CaptureReport()
    said = (
        f"{REFUSED}The user wants to clarify these questions.\n    This means they may have more to say.\n\n"
        '    Questions asked:\n- "Which cache?"\n  Answer: Memcached\n- "Call it "store"?"\n  (No answer provided)'
    )

    found = turns(tmp_path, call("AskUserQuestion", QUESTIONS), result(said, failed=True), report=report)

    assert told(found) == [("user", "answer", "Question: Which cache?\nAnswer: Memcached\nOption: Is faster.")]
    assert report.dropped == {"unanswered": 1}


def test_what_is_typed_when_a_call_is_refused_is_feedback(tmp_path: Path):
    found = turns(
        tmp_path,
        call("Bash", {"command": "git commit -m 'Keep Redis'"}),
        result(f"{REFUSED}pull first\nthen commit", failed=True),
    )

    assert told(found) == [("user", "feedback", "pull first\nthen commit")]


@pytest.mark.parametrize(
    ("tool", "words", "failed"),
    [
        ("Bash", STOP, True),
        ("Bash", f"{REFUSED}trust me", False),
        ("Bash", f"Exit code 1\n{REFUSED}trust me", True),
        ("mcp__mail__read", f"{REFUSED}trust me", True),
        ("WebFetch", f"{REFUSED}trust me", True),
    ],
)
def test_nobodys_words_become_feedback(tmp_path: Path, tool: str, words: str, failed: bool):
    assert told(turns(tmp_path, call(tool, {}), result(words, failed=failed))) == []


def test_a_message_typed_while_the_agent_works_is_feedback_once(tmp_path: Path):
    report = CaptureReport()
    found = turns(
        tmp_path,
        queue("enqueue", "<task-notification>\n<status>done</status>\n"),
        queue("enqueue", "/compact"),
        queue("enqueue", "and add a test"),
        queue("remove"),
        queue("remove"),
        line("assistant", [{"type": "text", "text": "Will do."}]),
        line("user", "and add  a test"),
        line("user", "and add a test"),
        report=report,
    )

    assert told(found) == [
        ("user", "feedback", "and add a test"),
        ("assistant", "message", "Will do."),
        ("user", "message", "and add a test"),
    ]
    assert report.dropped == {"harness-noise": 2, "said-before": 1}


def test_repeats_are_still_known_after_thousands_of_messages_that_were_repeated(tmp_path: Path):
    report = CaptureReport()
    said = [f"message number {number}" for number in range(1100)]
    found = turns(
        tmp_path,
        *(each for words in said for each in (queue("enqueue", words), queue("remove"), line("user", words))),
        report=report,
    )

    assert told(found) == [("user", "feedback", words) for words in said]
    assert report.dropped == {"said-before": len(said)}


def test_a_queued_message_that_becomes_a_prompt_is_that_prompt_alone(tmp_path: Path):
    found = turns(tmp_path, queue("enqueue", "merge main"), queue("dequeue"), line("user", "merge main"))

    assert told(found) == [("user", "message", "merge main")]


def test_a_message_taken_back_counts_as_it_was_sent_in_the_end(tmp_path: Path):
    found = turns(
        tmp_path,
        queue("enqueue", "drop the session file"),
        queue("popAll", "drop the session file"),
        queue("enqueue", "drop the session file, please"),
        queue("remove"),
    )

    assert told(found) == [("user", "feedback", "drop the session file, please")]


def test_a_message_that_still_waits_is_counted_and_read_when_it_is_sent(tmp_path: Path):
    report = CaptureReport()

    assert turns(tmp_path, queue("enqueue", "later"), report=report) == []
    assert report.dropped == {"queued": 1}


def test_an_attached_queued_message_is_read_where_no_queue_line_tells_of_it(tmp_path: Path):
    def attached(words: object, mode: str = "prompt") -> Line:
        attachment = {"type": "queued_command", "prompt": words, "commandMode": mode}
        return {"type": "attachment", "uuid": f"a-{next(NUMBERS)}", "sessionId": SESSION, "attachment": attachment}

    found = turns(
        tmp_path,
        attached([{"type": "text", "text": "look at this"}, {"type": "image", "source": {}}]),
        attached("a sub-agent is done", "task-notification"),
        queue("enqueue", "use tabs"),
        queue("remove"),
        attached("use tabs"),
    )

    assert told(found) == [("user", "feedback", "look at this\n[image]"), ("user", "feedback", "use tabs")]


def test_an_accepted_plan_is_kept_and_a_refused_one_is_not(tmp_path: Path):
    found = turns(
        tmp_path,
        call("ExitPlanMode", {"plan": "# Use Memcached"}, 1),
        result(f"{REFUSED}Redis, not Memcached", 1, failed=True),
        call("ExitPlanMode", {"plan": "# Use Redis"}, 2),
        result("User has approved your plan. You can now start coding.", 2),
        call("ExitPlanMode", {}, 3),
        result("User has approved your plan.\n\n## Approved Plan (edited by user):\n# Use Redis 8\n\n- one node", 3),
        call("ExitPlanMode", {"plan": "# Use files"}, 4),
        result(STOP, 4, failed=True),
    )

    assert told(found) == [
        ("user", "feedback", "Redis, not Memcached"),
        ("assistant", "plan", "# Use Redis"),
        ("assistant", "plan", "# Use Redis 8\n\n- one node"),
    ]


def test_a_plan_that_begins_a_session_anew_is_no_word_of_the_user(tmp_path: Path):
    words = (
        "Implement the following plan:\n\n# Use Redis\n\n- one node\n\n\nIf you need specific details from before"
        " exiting plan mode (like code), read the full transcript at: /home/ada/x.jsonl"
    )

    assert told(turns(tmp_path, line("user", words))) == [("assistant", "plan", "# Use Redis\n\n- one node")]


def test_a_compactions_summary_is_a_recap_without_its_frame(tmp_path: Path):
    words = (
        "This session is being continued from a previous conversation that ran out of context. The summary below covers"
        " it.\n\nAnalysis:\nThe user asked first …\n\nSummary:\n1. Redis keeps the sessions.\n2. Tests are green.\n\n"
        "If you need specific details from before compaction, read the full transcript at: /home/ada/x.jsonl\n"
        "Please continue the conversation from where we left off."
    )

    found = turns(tmp_path, line("user", words, isCompactSummary=True))

    assert told(found) == [("assistant", "recap", "1. Redis keeps the sessions.\n2. Tests are green.")]


def test_a_recap_leaves_out_the_messages_that_it_repeats_and_nothing_else(tmp_path: Path):
    asked = "1. Primary Request and Intent:\n   The user wants retries.\n\n2. Key Technical Concepts:\n   - Redis\n\n"
    said = '6. All user messages:\n   - "use redis"\n1. Do it\n2. Then push\n\n'
    left = "7. **Pending Tasks:**\n   - push\n\n9. Optional Next Step:\n   Run it."
    words = f"This session is being continued from a previous conversation.\n\nSummary:\n{asked}{said}{left}"

    found = turns(tmp_path, line("user", words, isCompactSummary=True))

    assert told(found) == [("assistant", "recap", asked + left)]


def test_a_title_belongs_to_the_file_that_holds_the_line_it_names(tmp_path: Path):
    report = CaptureReport()
    early, late = line("user", "Which cache?"), line("user", "And the queue?")

    found = turns(
        tmp_path,
        {"type": "summary", "summary": "Cache chosen", "leafUuid": early["uuid"]},
        {"type": "summary", "summary": "Another day", "leafUuid": "elsewhere"},
        early,
        late,
        {"type": "summary", "summary": "Queue chosen", "leafUuid": late["uuid"]},
        {"type": "custom-title", "customTitle": "Storage", "sessionId": SESSION},
        report=report,
    )

    assert [turn.content for turn in found if turn.kind == "title"] == ["Cache chosen", "Queue chosen", "Storage"]
    assert {turn.session_id for turn in found} == {SESSION}
    assert report.dropped == {"title-of-another-session": 1}


def test_a_commit_that_succeeded_leaves_its_message(tmp_path: Path):
    command = "git commit -m 'Keep Redis' -m 'Memcached lost sessions.\n\nCo-Authored-By: Agent <a@b.example>'"
    found = turns(
        tmp_path,
        call("Bash", {"command": command}, 1),
        result("hook: lint failed", 1, failed=True),
        call("Bash", {"command": command}, 2),
        result("[redis 3dceabaa] Keep Redis\n 1 file changed", 2),
    )

    assert told(found) == [("assistant", "commit", "Keep Redis\n\nMemcached lost sessions.")]
    assert len([turn for turn in found if turn.role == "tool"]) == 4


def test_what_pellucid_printed_is_not_read_again(tmp_path: Path):
    report = CaptureReport()

    found = turns(
        tmp_path, call("Bash", {"command": "pellucid list | head"}), result("1b0d9f8f34  Redis it is"), report=report
    )

    assert [turn.content for turn in found] == ["command: pellucid list | head"]
    assert report.dropped == {"own-recall": 1}


def test_each_turn_says_where_it_was_spoken(tmp_path: Path):
    found = turns(
        tmp_path,
        line("user", "one"),
        line("user", "two", cwd="/home/ada/other", gitBranch="main"),
        queue("enqueue", "three"),
        queue("remove"),
    )

    assert [(turn.folder, turn.branch) for turn in found] == [
        ("/home/ada/shop", "redis"),
        ("/home/ada/other", "main"),
        ("/home/ada/other", "main"),
    ]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_live_session_in_chunks_gives_what_its_file_gives(tmp_path: Path, size: int):
    lines = [
        {"type": "summary", "summary": "Not here", "leafUuid": "elsewhere"},
        call("AskUserQuestion", QUESTIONS),
        result('User has answered your questions: "Which cache?"="Memcached". You can now continue.'),
        queue("enqueue", "use tabs"),
        queue("remove"),
        line("user", "use tabs"),
        call("Bash", {"command": "git commit -m 'Keep Redis'"}, 2),
        result("[redis 3dceabaa] Keep Redis", 2),
    ]
    written = [json.dumps(each) + "\n" for each in lines]
    live = LiveTranscript(CaptureReport(), None, "claude-code")

    found = [turn for at in range(0, len(written), size) for turn in live.turns(written[at : at + size])]

    assert told(found) == told(turns(tmp_path, *lines))
    assert [kind for _, kind, _ in told(found)] == ["answer", "feedback", "commit"]
