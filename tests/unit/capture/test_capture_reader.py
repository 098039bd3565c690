"""The room's door: walking, excluding, re-importing, streaming, and how turns become segments."""

import errno
import json
import os
import tracemalloc
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pellucid.capture.identity import new_turns, turn_fingerprint
from pellucid.capture.reader import read
from pellucid.capture.report import CaptureReport
from pellucid.capture.segment import segments, time_gap, turn_count
from pellucid.capture.transcripts.detect import READERS, detect
from pellucid.capture.transcripts.source import Source, head_of
from pellucid.errors import InputError
from pellucid.model.turn import Segment, Turn
from pellucid.observe.source import turn_source_class
from pellucid.settings.sections import CaptureSettings

KEY = b"k" * 32


def captured(*paths: Path, report: CaptureReport | None = None, **settings: object) -> list[Turn]:
    return list(read(paths, CaptureSettings.model_validate(settings), report or CaptureReport()))


def message(content: str, session: str = "s", **more: object) -> str:
    return json.dumps({"role": "user", "content": content, "session": session, **more}) + "\n"


def test_a_folder_is_walked_in_order_and_unknown_files_are_counted(tmp_path: Path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.jsonl").write_text(message("two"))
    (tmp_path / "a.txt").write_text("User: one\nAssistant: and so?\n")
    (tmp_path / "c.json").write_text('{"name": "x", "version": 1}')
    (tmp_path / "d.jsonl").write_text("")
    (tmp_path / "skipped.py").write_text("x = 1\n")
    report = CaptureReport()

    turns = captured(tmp_path, report=report)

    assert [turn.content for turn in turns] == ["one", "and so?", "two"]
    assert report.dropped == {"unknown-format": 1, "empty-file": 1}
    assert (report.files, report.turns_read, report.turns_kept) == (2, 3, 3)
    assert report.formats == {"plain-text": 1, "plain-jsonl": 1}


REPOSITORY = {
    "requirements.txt": "httpcore2==2.16.2\nanyio==4.2.0\n",
    "NOTES.txt": "Release notes 2.1\n\nAlways run the migration twice.\n",
    "robots.txt": "User-agent: *\nDisallow: /admin\n",
    "standup.txt": "2026-03-02\nAmara: The resizer is moved.\nKenji: Still on the search.\n",
    "README.md": "# A tool\n\nRun it.\n",
    "package.json": '{"name": "x", "files": ["a"]}',
    ".cache/old.jsonl": message("from a hidden folder"),
    "node_modules/left/chat.jsonl": message("from somebody else's folder"),
}


def test_in_a_folder_only_what_is_a_transcript_by_its_form_is_read(tmp_path: Path):
    for name, text in REPOSITORY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    report = CaptureReport()

    assert captured(tmp_path, report=report) == []
    assert report.files == 0
    assert report.dropped == {"plain-text": 4, "unknown-format": 2, "folder-not-entered": 2}


def test_a_text_that_is_named_is_read_as_notes_and_as_nobodys_words_to_an_agent(tmp_path: Path):
    for name in ("NOTES.txt", "standup.txt"):
        (tmp_path / name).write_text(REPOSITORY[name])
    (tmp_path / "chat.txt").write_text("You: hi\nClaude: hello\n")
    report = CaptureReport()

    turns = captured(tmp_path / "NOTES.txt", tmp_path / "standup.txt", tmp_path / "chat.txt", report=report)

    assert [turn.kind for turn in turns] == ["note"] * 4 + ["message"] * 2
    assert {turn_source_class(turn) for turn in turns[:4]} == {"system_memory"}
    assert [path.name for path in report.notes] == ["NOTES.txt", "standup.txt"]


def test_exports_in_the_hidden_folder_of_their_program_are_found(tmp_path: Path):
    (tmp_path / ".specstory" / "history").mkdir(parents=True)
    (tmp_path / ".specstory" / "history" / "one.md").write_text("## User\n\nhi\n\n## Assistant\n\nhello\n")

    assert [turn.content for turn in captured(tmp_path)] == ["hi", "hello"]


def test_a_file_whose_only_line_is_too_long_is_refused_for_that(tmp_path: Path):
    (tmp_path / "huge.jsonl").write_text(json.dumps({"sessionId": "s", "uuid": "u", "message": "x" * (17 << 20)}))

    with pytest.raises(InputError, match=r"huge\.jsonl holds no turn that can be read; line 1: longer than 16 MiB"):
        captured(tmp_path / "huge.jsonl")


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.md", "a.txt"])
@pytest.mark.parametrize("bytes_", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_called_empty(tmp_path: Path, name: str, bytes_: bytes):
    (tmp_path / name).write_bytes(bytes_)
    report = CaptureReport()

    assert captured(tmp_path, report=report) == []
    assert report.dropped == {"empty-file": 1}
    with pytest.raises(InputError, match=f"{name} is empty"):
        captured(tmp_path / name)


@pytest.mark.parametrize("pattern", ["*/private/*", "private", "**/diary.jsonl", "{root}/private/**"])
def test_excluded_files_are_never_read(tmp_path: Path, pattern: str):
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.jsonl").write_text(message("hidden"))
    (tmp_path / "work.jsonl").write_text(message("seen"))
    (tmp_path / "private" / "diary.jsonl").chmod(0)
    report = CaptureReport()

    turns = captured(tmp_path, report=report, excludePaths=[pattern.replace("{root}", str(tmp_path))])

    assert [turn.content for turn in turns] == ["seen"]
    assert report.dropped == {"excluded-path": 1}


def test_files_of_a_folder_that_can_be_listed_but_not_entered_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "diary.jsonl").write_text(message("hidden"))
    (tmp_path / "work.jsonl").write_text(message("seen"))
    report, real_stat = CaptureReport(), Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.parent.name == "locked":  # a mode would not stop root
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real_stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", stat)

    assert [turn.content for turn in captured(tmp_path, report=report)] == ["seen"]
    assert report.dropped == {"unreadable-file": 1}


def test_a_link_does_not_lead_around_an_exclusion(tmp_path: Path):
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.jsonl").write_text(message("hidden"))
    (tmp_path / "innocent.jsonl").symlink_to(tmp_path / "private" / "diary.jsonl")

    assert captured(tmp_path / "innocent.jsonl", excludePaths=["private"]) == []


@pytest.mark.parametrize("text", ["{}\n[]\n", '{"broken\n{"broken\n', "\0\0"])
def test_a_named_file_with_nothing_readable_says_which_formats_are_known(tmp_path: Path, text: str):
    path = tmp_path / "odd.jsonl"
    path.write_text(text)

    with pytest.raises(
        InputError, match=r"claude-code, codex, cursor, openai-chat, plain-jsonl, markdown-chat, plain-text"
    ):
        captured(path)


def test_a_path_that_is_not_there_is_an_input_error(tmp_path: Path):
    with pytest.raises(InputError, match="does not exist"):
        captured(tmp_path / "missing.jsonl")


def test_the_format_may_be_forced(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(message("hi"))

    (turn,) = read([path], CaptureSettings(), CaptureReport(), transcript_format="plain-text")

    assert turn.content.startswith('{"role"')


def test_progress_ends_at_the_size_of_all_files(tmp_path: Path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(message("x" * 1000) * 200)
    told: list[tuple[int, int]] = []

    list(
        read([tmp_path], CaptureSettings(), CaptureReport(), on_progress=lambda done, total: told.append((done, total)))
    )

    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert told[-1] == (size, size)
    assert told == sorted(told)


def test_a_grown_transcript_gives_only_its_new_turns(tmp_path: Path):
    path = tmp_path / "grows.jsonl"
    path.write_text("".join(message(f"turn {n}", session="ab"[n % 2]) for n in range(1200)))
    known: set[bytes] = set()
    first = list(new_turns(captured(path), KEY, lambda _: "a/b extract", known.intersection, CaptureReport()))
    known.update(turn.fingerprint for turn in first)
    with path.open("a") as file:
        file.write(message("turn 1200", session="a") + message("turn 1201", session="b"))
    report = CaptureReport()

    again = list(new_turns(captured(path), KEY, lambda _: "a/b extract", known.intersection, report))

    assert len(first) == 1200
    assert [(turn.session_id, turn.ordinal, turn.content) for turn in again] == [
        ("a", 601, "turn 1200"),
        ("b", 601, "turn 1201"),
    ]
    assert report.dropped == {"already-imported": 1200}


def test_a_turns_key_depends_on_all_that_identifies_it_and_on_the_secret():
    turn = Turn("s", 1, "user", "words")
    keyed = [Turn("s", ordinal, "user", "words", key="u") for ordinal in (1, 9)]
    others = [
        Turn("t", 1, "user", "words"),
        Turn("s", 2, "user", "words"),
        Turn("s", 1, "tool", "words"),
        Turn("s", 1, "user", "word"),
        Turn("s", 1, "user", "words", key="1"),
        Turn("su", 1, "ser", "words"),  # type: ignore[arg-type]
    ]

    keys = {turn_fingerprint(each, KEY, "a/b extract") for each in (turn, *others)}
    keys |= {turn_fingerprint(turn, b"other", "a/b extract"), turn_fingerprint(turn, KEY, "a/b verbatim")}

    assert len(keys) == 9
    assert turn_fingerprint(keyed[0], KEY, "") == turn_fingerprint(keyed[1], KEY, "")


def test_dropped_turns_leave_the_numbers_of_the_others_alone(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(message("one") + message("[off the record]") + message("[on the record]") + message("four"))

    assert [turn.ordinal for turn in captured(path)] == [1, 4]


def _as_lines(path: Path, turn: str, count: int) -> None:
    with path.open("w") as file:
        file.writelines(message(f"{n} {turn}", session=f"s{n % 3}") for n in range(count))


def _as_document(path: Path, turn: str, count: int) -> None:
    with path.open("w") as file:
        file.write('{"messages": [')
        file.writelines(("," if n else "") + message(f"{n} {turn}").strip() for n in range(count))
        file.write("]}")


def _as_one_list(path: Path, turn: str, count: int) -> None:
    with path.open("w") as file:
        file.write("[" + ",".join(message(f"{n} {turn}").strip() for n in range(count)) + "]")


def _as_conversations(path: Path, turn: str, count: int) -> None:
    with path.open("w") as file:
        file.writelines(
            json.dumps({"messages": [{"role": "user", "content": f"{n} {turn}"}]}) + "\n" for n in range(count)
        )


def _as_text(path: Path, turn: str, count: int) -> None:
    with path.open("w") as file:
        file.writelines(f"{n} {turn}\n\n" for n in range(count))


WORDS = "The build is green and the release waits for review. " * 400


def peak_of(count: Callable[[], int]) -> tuple[int, int]:
    """What the call returns, and the bytes Python held at most meanwhile."""
    tracemalloc.start()
    try:
        return count(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("written", [_as_lines, _as_document, _as_one_list, _as_conversations, _as_text])
def test_a_file_of_thirty_megabytes_is_never_held_in_memory(tmp_path: Path, written: Callable[[Path, str, int], None]):
    path = tmp_path / "big.json"
    written(path, WORDS, 1450)
    known = detect(path, head_of(path))
    assert known is not None
    report = CaptureReport()

    turns, peak = peak_of(lambda: sum(1 for _ in READERS[known](Source(path, report))))

    assert turns == 1450
    assert report.bytes_read == path.stat().st_size > 30_000_000
    assert peak < 8_000_000


def test_nor_is_it_on_its_way_through_the_guard_and_into_segments(tmp_path: Path):
    path = tmp_path / "big.jsonl"
    _as_lines(path, WORDS, 400)

    turns, peak = peak_of(
        lambda: sum(len(segment.turns) for segment in segments(read([path], CaptureSettings(), CaptureReport())))
    )

    assert turns == 400
    # at most one segment of forty cut turns for each of the three sessions
    assert peak < 8_000_000 < path.stat().st_size


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def made(session: str, *minutes: int | None) -> Iterable[Turn]:
    return [
        Turn(session, n, "user", str(n), at=None if minute is None else NOON + timedelta(minutes=minute))
        for n, minute in enumerate(minutes, 1)
    ]


def shape(found: Iterable[Segment]) -> list[tuple[str, list[int], str]]:
    return [(segment.session_id, [turn.ordinal for turn in segment.turns], segment.signal) for segment in found]


def test_a_session_is_cut_at_a_gap_in_time():
    assert shape(segments(made("s", 0, 10, None, 41, 100))) == [
        ("s", [1, 2, 3], "time_elapsed"),
        ("s", [4], "time_elapsed"),
        ("s", [5], "session_end"),
    ]


def test_a_session_is_cut_at_a_number_of_turns():
    assert shape(segments(made("s", 0, 1, 2, 3, 4), [turn_count(2)])) == [
        ("s", [1, 2], "turn_count"),
        ("s", [3, 4], "turn_count"),
        ("s", [5], "session_end"),
    ]


def test_interleaved_sessions_are_kept_apart():
    a, b = list(made("a", 0, 1, 2)), list(made("b", 0, 90, 91))

    assert shape(segments([a[0], b[0], a[1], b[1], a[2], b[2]], [time_gap()])) == [
        ("b", [1], "time_elapsed"),
        ("a", [1, 2, 3], "session_end"),
        ("b", [2, 3], "session_end"),
    ]


def test_the_session_silent_for_longest_is_flushed_when_too_many_are_open():
    turns = [Turn(name, 1, "user", "x") for name in ("a", "b", "c")]

    found = segments([*turns[:2], Turn("a", 2, "user", "y"), turns[2]], open_sessions=2)

    assert shape(found)[0] == ("b", [1], "session_end")


def test_a_cutter_of_ones_own_can_be_added():
    def at_question(held: object, coming: Turn) -> str | None:
        return "high_signal" if coming.content == "2" else None

    assert shape(segments(made("s", 0, 1, 2), [at_question]))[0] == ("s", [1], "high_signal")
