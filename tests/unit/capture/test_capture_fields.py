"""Secrets beside the words in (names of sessions, speakers, tools, agents, places), turns that may be stored out."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from pellucid.capture.guard import Guard
from pellucid.capture.names import REMEMBERED
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.model.turn import Turn
from pellucid.settings.sections import CaptureSettings

NAMES = ("session_id", "speaker", "tool", "agent", "folder", "branch")


def token(seed: str) -> str:
    """What looks like a token, put together here."""
    return "gh" + "p_" + sha256(seed.encode()).hexdigest()[:36]


def admitted(*turns: Turn, report: CaptureReport | None = None) -> list[Turn]:
    guard = Guard(CaptureSettings(), report or CaptureReport())
    return [kept for turn in turns for kept in guard.admit(turn)]


def turn(**given: str) -> Turn:
    return replace(Turn("s", 1, "user", "words"), **given)


def turns_of(path: Path, *lines: dict[str, object], report: CaptureReport | None = None) -> list[Turn]:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return list(read([path], CaptureSettings(), report or CaptureReport()))


@pytest.mark.requirement("CAP-2")
@pytest.mark.parametrize("field", NAMES)
def test_a_secret_in_a_name_is_redacted_and_counted_once_however_often_it_comes(field: str) -> None:
    report = CaptureReport()
    kept = admitted(*(turn(**{field: f"by {token(field)} here"}) for _ in range(3)), report=report)
    assert {getattr(each, field) for each in kept} == {"by [redacted:github-token] here"}
    assert report.redactions == {"github-token": 1}


@pytest.mark.parametrize("field", NAMES)
def test_a_name_without_a_secret_stays_as_it_is(field: str) -> None:
    names = ("Caroline", "0b6e0c0e-7b1a-4f3c-9d51-0a1b2c3d4e5f", "mcp__files__read", "claude-code")
    kept = admitted(*(turn(**{field: name}) for name in names))
    assert [getattr(each, field) for each in kept] == list(names)


def test_sessions_that_differ_only_in_their_secrets_stay_apart() -> None:
    one, two = token("one"), token("two")
    kept = admitted(*(turn(session_id=name) for name in (one, two, one, "s")))
    assert [each.session_id for each in kept] == [
        "[redacted:github-token]",
        "[redacted:github-token]-2",
        "[redacted:github-token]",
        "s",
    ]


def test_more_names_than_are_remembered_are_all_redacted() -> None:
    many = [turn(speaker=f"n{n}") for n in range(REMEMBERED)]
    kept = admitted(turn(session_id=token("a")), *many, turn(session_id=token("a")))
    assert kept[0].session_id == kept[-1].session_id == "[redacted:github-token]"


@pytest.mark.requirement("CAP-2")
def test_off_the_record_still_knows_its_session_by_its_own_name() -> None:
    kept = admitted(
        turn(session_id=token("a"), content="[off the record]"),
        turn(session_id=token("b"), content="heard"),
        turn(session_id=token("a"), content="unheard"),
    )
    assert [each.content for each in kept] == ["heard"]


@pytest.mark.requirement("CAP-2")
def test_a_line_that_names_a_password_is_nobody_speaking(tmp_path: Path) -> None:
    secret, path = "Tr0ub" + "4dor&31", tmp_path / "notes.txt"
    path.write_text(f"Alice: this is for the crane\nPassword: {secret}\nBob: thanks\n", "utf-8")
    report = CaptureReport()
    kept = list(read([path], CaptureSettings(), report))
    assert [each.content for each in kept] == ["this is for the crane", "[redacted:password]", "thanks"]
    assert report.redactions == {"password": 1}


@pytest.mark.requirement("CAP-2")
def test_a_name_that_is_cut_leaves_no_piece_of_a_secret(tmp_path: Path) -> None:
    secret = token("long")
    long = "n" * 90 + f" {secret}"
    report = CaptureReport()
    line = {"role": "user", "content": "words", "session": long, "name": long, "agent": long}
    (kept,) = turns_of(tmp_path / f"{'f' * 85}-{secret}.jsonl", line, report=report)
    (unnamed,) = turns_of(tmp_path / f"{'f' * 85}-{secret}.jsonl", {"role": "user", "content": "words"})
    for name in (kept.session_id, kept.speaker, kept.agent, unnamed.session_id):
        assert name
        assert secret[:12] not in name
    assert report.redactions["github-token"] == 3


@pytest.mark.parametrize("field", ["session", "name", "agent", "id"])
def test_no_control_character_and_no_line_break_gets_into_a_name(tmp_path: Path, field: str) -> None:
    hostile = "a\nb\r\x1b[31mc\x00\x85\u2028\u202e\u200bd\ud800"
    (kept,) = turns_of(tmp_path / "t.jsonl", {"role": "user", "content": "words", field: hostile})
    name = {"session": kept.session_id, "name": kept.speaker, "agent": kept.agent, "id": kept.key}[field]
    assert name
    assert name.isprintable()
