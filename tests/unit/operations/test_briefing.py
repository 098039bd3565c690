"""Sessions in, what somebody who comes back after a week is told of them."""

from kits.intake import HERE, START, take
from kits.vault import keep
from pellucid.app import App
from pellucid.model.turn import Role, Turn, TurnKind
from pellucid.operations.session.looking.briefing import BriefInput, SessionBrief, _files, brief

LOG = "\n".join(f"2026-03-09T14:02:{second}.114Z ERROR worker.py:18 delivery failed" for second in range(10, 40))
CAUSE = (
    "The root cause is the jitter: commit 91be0d4 added random.uniform(0, 0.5) to every delay in tidegate/backoff.py."
)
FIXED = "The random source is now a parameter of delay() in tidegate/backoff.py, so the test asserts an exact window."
OWNERS = "According to CODEOWNERS, tidegate/payload/ belongs to @mara-k, so Mara has to approve every change of it."


def _told(app: App, *said: tuple[Role, str] | tuple[Role, str, TurnKind]) -> SessionBrief:
    turns = [
        Turn(
            "s1",
            at,
            each[0],
            each[1],
            at=START,
            kind=each[2] if len(each) > 2 else "message",
            tool="Bash" if each[0] == "tool" else None,
        )
        for at, each in enumerate(said, 1)
    ]
    take(app, turns, "both")
    (session,) = brief(app, BriefInput(namespace=HERE)).sessions
    return session


def test_what_was_asked_is_said_in_the_users_own_words_above_a_pasted_log(whole: App) -> None:
    told = _told(
        whole,
        ("user", f"CI on develop failed again. Why does test_retry_backoff flake?\n\n{LOG}"),
        ("assistant", CAUSE),
        ("user", "yes inject it"),
        ("assistant", FIXED),
    )
    assert told.asked
    assert told.asked.text == "CI on develop failed again. Why does test_retry_backoff flake?"


def test_a_session_that_begins_with_a_plan_was_for_that_plan(whole: App) -> None:
    told = _told(
        whole,
        ("assistant", "# Plan: Versioned stanza manager\n\n## Context\n\nThe setup appends blindly.", "plan"),
        ("assistant", FIXED),
        ("user", "commit this"),
    )
    assert told.asked
    assert told.asked.text == "Versioned stanza manager"


def test_a_word_of_going_on_is_no_request_where_another_says_more(whole: App) -> None:
    told = _told(
        whole, ("assistant", "Which file shall I read?"), ("user", "go on"), ("user", "Make the retry window exact")
    )
    assert told.asked
    assert told.asked.text == "Make the retry window exact"


def test_what_was_done_are_its_commits_rather_than_a_later_answer(whole: App) -> None:
    told = _told(
        whole,
        ("user", "The retry test flakes, mend it"),
        ("tool", "make check && pytest -q tests/test_backoff.py", "call"),
        ("tool", "All checks passed!"),
        ("assistant", CAUSE),
        ("assistant", "Make the window of the retry test exact by a parameter of delay()", "commit"),
        ("user", "who has to approve changes to the payload format? I forgot"),
        ("assistant", OWNERS),
    )
    assert [each.text for each in told.done] == [
        "Committed: Make the window of the retry test exact by a parameter of delay()"
    ]


def test_a_question_at_the_end_is_the_agents_and_nothing_left_to_do(whole: App) -> None:
    told = _told(
        whole,
        ("user", "The retry test flakes, mend it"),
        ("assistant", f"{FIXED} Would you like to mark the PR as ready for review?"),
    )
    assert told.left_open == ()
    assert told.unanswered
    assert told.unanswered.text == "Would you like to mark the PR as ready for review?"
    assert "the agent asked last: Would you like" in brief(whole, BriefInput(namespace=HERE)).text


def test_of_a_long_question_with_its_answer_the_answer_is_told(whole: App) -> None:
    question = (
        "Should the crane's log be sent to the harbour office at once, not waiting for the end of the shift, or keep "
        "the current way, in which the log is only sent once the foreman has read and signed every page of it himself?"
    )
    keep(whole, f"{question} – Keep the current way: signed pages only.", category="decision", session_id="s1")
    told = _told(whole, ("user", "Let us talk about the log of the crane and who gets it."))
    (decided,) = told.decided
    assert decided.text.startswith("Should the crane's log be sent to the harbour office")
    assert "Keep the current way: signed pages only" in decided.text
    assert len(decided.text) <= 240


def test_a_question_without_an_answer_of_its_own_is_no_decision(whole: App) -> None:
    asked = "Which commits do you mean by trailing ones? I see two lookups of the author in the harbour office"
    keep(whole, f"{asked}. Which one is it? – Like so: > git log --oneline", category="decision", session_id="s1")
    keep(whole, f"{asked}. Shall both go?", category="decision", session_id="s1")
    keep(whole, f"{asked}. Which one is it? – The one of the harbour office", category="decision", session_id="s1")
    (decided,) = _told(whole, ("user", "Let us talk about the log of the crane and who gets it.")).decided
    assert decided.text.endswith("– The one of the harbour office")


def test_what_only_goes_on_is_neither_decided_nor_left_open(whole: App) -> None:
    keep(whole, "Continuing from where we left off", category="decision", session_id="s1")
    keep(whole, "commit this", category="commitment", session_id="s1")
    told = _told(whole, ("user", "Let us talk about the log of the crane and who gets it."))
    assert (told.decided, told.left_open, told.memories) == ((), (), 2)


def test_the_request_that_most_work_was_for_is_what_was_asked(whole: App) -> None:
    work: list[tuple[Role, str, TurnKind]] = [("tool", "pytest -q tests/test_tariff.py", "call")] * 12
    told = _told(
        whole,
        ("user", "figure out the path of the crane's log"),
        ("assistant", CAUSE),
        ("user", "The tariff table should be split by harbour and season"),
        *work,
        ("user", "yes"),
        *work,
        ("assistant", FIXED),
    )
    assert told.asked
    assert told.asked.text == "The tariff table should be split by harbour and season"


def test_a_request_that_later_ones_go_on_with_is_what_was_asked(whole: App) -> None:
    work: list[tuple[Role, str, TurnKind]] = [("tool", "pytest -q tests/test_tariff.py", "call")] * 4
    told = _told(
        whole,
        ("user", "The tariff table should be split by harbour and season"),
        ("assistant", CAUSE),
        ("user", "now show the log of the crane in green"),
        *work,
        ("user", "the tariff of a season is still printed twice"),
        *work,
        ("assistant", FIXED),
    )
    assert told.asked
    assert told.asked.text == "The tariff table should be split by harbour and season"


def test_a_plan_is_nothing_that_was_done_and_neither_is_code(whole: App) -> None:
    closing = "To close the branch of the log:\n1. Stage the change of the log\n2. Run the tests of the crane"
    code = "Let me look at it.\n\n```diff\n+ log.close()\n```\n\nThe log of the crane closes with its file."
    told = _told(whole, ("user", "close the branch of the crane's log"), ("assistant", f"{code}\n\n{closing}"))
    assert told.memories == 1
    (done,) = told.done
    assert done.text.startswith("The log of the crane closes with its file.")


def test_files_of_a_temporary_folder_are_none_of_the_sessions() -> None:
    names = [r"C:\Users\ada\AppData\Local\Temp\agent\notes.md", "/tmp/spike/main.go", r"D:\crane\log\reader.py"]
    assert _files([[f"changed file {name}" for name in names]]) == ["crane/log/reader.py"]
