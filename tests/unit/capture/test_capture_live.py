"""Lines of a live session in, however they are cut into chunks; the turns a file of the same lines would give out."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.capture.live import LiveTranscript, line_batches
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.errors import InputError
from pellucid.model.turn import Turn
from pellucid.settings.sections import CaptureSettings

SESSIONS = Path(__file__).parents[3] / "examples" / "sessions"


def essence(turn: Turn) -> tuple[object, ...]:
    return turn.session_id, turn.role, turn.content, turn.at, turn.key


@pytest.mark.requirement("CAP-1")
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("name", ["caching-layer.jsonl", "billing-migration.jsonl"])
def test_chunks_of_any_size_give_the_turns_of_the_file(name: str, size: int) -> None:
    path = SESSIONS / name
    lines = path.read_text("utf-8").splitlines(keepends=True)
    live = LiveTranscript(CaptureReport(), None, None)

    found = [turn for at in range(0, len(lines), size) for turn in live.turns(lines[at : at + size])]

    assert [essence(turn) for turn in found] == [
        essence(turn) for turn in read([path], CaptureSettings(), CaptureReport())
    ]


def test_a_rollout_met_in_its_middle_has_the_session_it_is_given() -> None:
    lines = (SESSIONS / "billing-migration.jsonl").read_text("utf-8").splitlines(keepends=True)
    turns = LiveTranscript(CaptureReport(), "r1", "codex").turns(lines[5:9])

    assert {turn.session_id for turn in turns} == {"r1"}


def test_a_rollout_has_its_own_session_from_the_line_on_that_names_it() -> None:
    lines = (SESSIONS / "billing-migration.jsonl").read_text("utf-8").splitlines(keepends=True)
    live = LiveTranscript(CaptureReport(), "r1", "codex")
    before, after = live.turns(lines[5:9]), live.turns([lines[0], *lines[9:12]])

    assert {turn.session_id for turn in before} == {"r1"}
    assert {turn.session_id for turn in after}.isdisjoint({"r1"})


def test_messages_without_a_session_belong_to_the_one_given_else_to_default() -> None:
    line = json.dumps({"role": "user", "content": "hello"}) + "\n"
    named = json.dumps({"role": "user", "content": "hello", "session": "own"}) + "\n"

    assert [turn.session_id for turn in LiveTranscript(CaptureReport(), "given", None).turns([line, named])] == [
        "given",
        "own",
    ]
    assert LiveTranscript(CaptureReport(), None, None).turns([line])[0].session_id == "default"


@pytest.mark.requirement("CAP-5")
def test_a_line_that_cannot_be_read_is_counted_with_its_number_over_all_chunks() -> None:
    report = CaptureReport()
    live = LiveTranscript(report, "s", None)
    good = '{"role": "user", "content": "fine"}\n'

    assert len(live.turns([good, "{broken\n"])) == 1
    assert len(live.turns(['{"role": "wizard", "content": "x"}\n', "[1]\n", good])) == 1

    assert [(each.line, each.reason) for each in report.problems] == [
        (2, "not valid JSON"),
        (3, "unknown role"),
        (4, "not a JSON object"),
    ]


def test_a_stream_of_messages_that_begins_with_no_object_is_read_on_without_a_file() -> None:
    message = {"role": "assistant", "content": "The cache is warmed at six", "tool_calls": []}
    live = LiveTranscript(CaptureReport(), None, "openai-chat")

    assert live.turns(["torn\n", "\n"]) == []
    assert [turn.content for turn in live.turns([json.dumps([message]) + "\n"])] == [message["content"]]


def test_plain_text_is_refused() -> None:
    with pytest.raises(InputError, match="line by line"):
        LiveTranscript(CaptureReport(), None, "plain-text")


def reader_of(*pieces: bytes) -> Callable[[int], bytes]:
    rest = iter(pieces)
    return lambda _most: next(rest, b"")


def test_lines_come_as_they_arrive_and_a_torn_one_waits_for_its_end() -> None:
    pieces = ("é\nb".encode()[:1], "é\nb".encode()[1:], b"\nc\nd", b"")
    assert list(line_batches(reader_of(*pieces))) == [["é\n"], ["b\n", "c\n"], ["d"]]


def test_at_most_so_many_lines_come_at_once() -> None:
    assert [len(lines) for lines in line_batches(reader_of(b"a\n" * 250))] == [100, 100, 50]


@pytest.mark.requirement("CAP-5")
def test_a_line_that_is_too_long_keeps_its_number_and_the_next_is_read() -> None:
    good = b'{"role": "user", "content": "fine"}\n'
    pieces = [b'{"role": "', *[b"x" * 1024 * 1024] * 17, b'"}\n' + good]
    report = CaptureReport()
    live = LiveTranscript(report, "s", None)

    turns = [turn for lines in line_batches(reader_of(*pieces)) for turn in live.turns(lines)]

    assert [turn.content for turn in turns] == ["fine"]
    assert [each.line for each in report.problems] == [1]


@pytest.mark.requirement("CAP-5")
def test_a_last_line_that_is_too_long_is_counted_though_it_has_no_end() -> None:
    pieces = [b'{"role": "user", "content": "fine"}\n', b'{"role": "', *[b"x" * 1024 * 1024] * 17]
    report = CaptureReport()
    live = LiveTranscript(report, "s", None)

    turns = [turn for lines in line_batches(reader_of(*pieces)) for turn in live.turns(lines)]

    assert [turn.content for turn in turns] == ["fine"]
    assert [each.line for each in report.problems] == [2]


def test_a_line_that_tells_no_folder_never_takes_another_sessions() -> None:
    transcript = LiveTranscript(CaptureReport(), None, None)
    said = '{"type":"user","uuid":"%s","sessionId":"%s",%s"message":{"role":"user","content":"Hello."}}\n'
    turns = transcript.turns([said % ("u1", "a", '"cwd":"/srv/a",'), said % ("u2", "b", ""), said % ("u3", "b", "")])
    turns += transcript.turns([said % ("u4", "a", '"cwd":"/srv/a",'), said % ("u5", "a", "")])
    assert [turn.folder for turn in turns] == ["/srv/a", None, None, "/srv/a", "/srv/a"]
