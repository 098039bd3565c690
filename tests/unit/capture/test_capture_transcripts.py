"""What each transcript format becomes: turns with roles, tools, times and sessions, and reasons for the rest."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pellucid.capture.report import CaptureReport
from pellucid.capture.transcripts import json_document
from pellucid.capture.transcripts.detect import READERS, detect
from pellucid.capture.transcripts.numbering import clean_name, clean_text
from pellucid.capture.transcripts.source import MAX_LINE, Source, head_of
from pellucid.model.turn import Turn

FIXTURES = Path(__file__).parent / "fixtures"


def turns_in(path: Path, report: CaptureReport | None = None) -> list[Turn]:
    known = detect(path, head_of(path))
    assert known is not None
    return list(READERS[known](Source(path, report or CaptureReport())))


def said(turns: list[Turn]) -> list[tuple[int, str, str]]:
    return [(turn.ordinal, turn.role, turn.content) for turn in turns]


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.requirement("CAP-1")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude_code.jsonl", "claude-code"),
        ("codex.jsonl", "codex"),
        ("codex_bare.jsonl", "codex"),
        ("cursor.jsonl", "cursor"),
        ("openai_chat.json", "openai-chat"),
        ("openai_list.json", "openai-chat"),
        ("openai_finetune.jsonl", "openai-chat"),
        ("openai_messages.jsonl", "openai-chat"),
        ("chatgpt_export.json", "openai-chat"),
        ("plain.jsonl", "plain-jsonl"),
        ("dialogue.txt", "plain-text"),
        ("paragraphs.txt", "plain-text"),
    ],
)
def test_each_fixture_is_detected(name: str, expected: str):
    path = FIXTURES / name
    assert detect(path, head_of(path)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[10:30] Alice: hello\n", "plain-text"),
        ('{"version": 1, "name": "x"}\n', None),
        ('{"torn": \n{"role": "user", "content": "hi"}\n', "plain-jsonl"),
        ('\ufeff{"role": "user", "content": "hi"}\n', "plain-jsonl"),
        ('{"role": "user", "content": "hi"}', "plain-jsonl"),
        ("", None),
        ("  \n\n", None),
        ("a\0b", None),
    ],
)
def test_odd_beginnings_are_detected_or_refused(tmp_path: Path, text: str, expected: str | None):
    path = tmp_path / "odd.jsonl"
    path.write_text(text)

    assert detect(path, head_of(path)) == expected


def test_a_first_line_longer_than_the_sample_is_known_by_its_keys(tmp_path: Path):
    meta = {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s", "text": "x" * 400_000}}
    path = write(tmp_path / "long.jsonl", meta)

    assert detect(path, head_of(path)) == "codex"


@pytest.mark.requirement("CAP-1")
def test_claude_code_keeps_messages_tools_and_side_chains_apart():
    report = CaptureReport()

    turns = turns_in(FIXTURES / "claude_code.jsonl", report)

    main = [turn for turn in turns if "/" not in turn.session_id]
    assert said(main) == [
        (1, "user", "Which cache do we use for sessions?"),
        (2, "assistant", "Let me look."),
        (3, "tool", "command: grep -r redis .\ndescription: Find the cache"),
        (4, "tool", "app.toml: cache = redis\n[image]"),
        (5, "assistant", "Redis, by app.toml."),
        (6, "user", "Keep Redis, then.\n[image]"),
        (7, "assistant", "Picking a cache"),
    ]
    assert [turn.kind for turn in main] == ["message"] * 2 + ["call"] + ["message"] * 3 + ["title"]
    assert [turn.tool for turn in main] == [None, None, "Bash", "Bash", None, None, None]
    assert main[0].at == datetime(2026, 3, 2, 9, 0, 5, 123000, UTC)
    assert len({turn.key for turn in turns}) == len(turns)
    assert dict(report.dropped) == {"not-a-turn": 1, "harness-noise": 2, "thinking": 1, "api-error": 1}


def test_a_sub_agents_prompt_is_not_the_users_word():
    side = [turn for turn in turns_in(FIXTURES / "claude_code.jsonl") if turn.session_id.endswith("/a1b2")]

    assert said(side) == [(1, "assistant", "Check the docs folder for mentions.")]


def test_codex_reads_response_items_and_not_their_echo():
    report = CaptureReport()

    turns = turns_in(FIXTURES / "codex.jsonl", report)

    assert said(turns) == [
        (1, "user", "Run the tests."),
        (2, "tool", 'command: ["bash", "-lc", "pytest -q"]'),
        (3, "tool", "12 passed\n"),
        (4, "tool", "*** Begin Patch\n-a\n+b\n*** End Patch"),
        (5, "tool", "Done"),
        (6, "tool", "git status"),
        (7, "assistant", "All twelve pass."),
    ]
    assert [turn.tool for turn in turns[1:6]] == ["shell", "shell", "apply_patch", "apply_patch", "shell"]
    assert {turn.session_id for turn in turns} == {"0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee"}
    assert dict(report.dropped) == {"harness-noise": 2, "not-a-turn": 2, "thinking": 1}


def test_cursor_tells_what_was_typed_apart_from_what_the_editor_put_before_it(tmp_path: Path):
    report = CaptureReport()

    turns = turns_in(FIXTURES / "cursor.jsonl", report)

    assert said(turns) == [
        (1, "user", "Which cache do we use for sessions?"),
        (2, "assistant", "Let me look."),
        (3, "tool", "command: grep -r redis .\ndescription: Find the cache"),
        (4, "assistant", "Redis, by app.toml."),
        (5, "user", "Keep Redis, then; </user_query> is a mark."),
    ]
    assert {(turn.session_id, turn.agent) for turn in turns} == {("cursor", "cursor")}
    assert dict(report.dropped) == {"thinking": 1, "not-a-turn": 1, "empty": 1}
    assert report.malformed == 1


def test_what_cursor_has_a_sub_agent_do_is_not_the_users_word(tmp_path: Path):
    aside = tmp_path / "main" / "subagents" / "helper.jsonl"
    aside.parent.mkdir(parents=True)
    aside.write_bytes((FIXTURES / "cursor.jsonl").read_bytes())

    turns = turns_in(aside)

    assert {turn.session_id for turn in turns} == {"main/helper"}
    assert {turn.role for turn in turns} == {"assistant", "tool"}


def test_older_bare_codex_files_are_read():
    turns = turns_in(FIXTURES / "codex_bare.jsonl")

    assert [(turn.session_id, turn.role, turn.content) for turn in turns] == [
        ("old-session", "user", "List the files."),
        ("old-session", "tool", "ls"),
        ("old-session", "tool", "README.md"),
        ("old-session", "assistant", "Only a README."),
    ]


def test_an_openai_document_gives_words_tool_calls_and_outputs():
    turns = turns_in(FIXTURES / "openai_chat.json")

    assert said(turns) == [
        (1, "system", "You plan trips."),
        (2, "user", "Where is this?\n[image]"),
        (3, "tool", "place: Delft"),
        (4, "tool", "Delft, Netherlands"),
        (5, "assistant", "That is Delft."),
    ]
    assert [turn.tool for turn in turns] == [None, None, "lookup", "lookup", None]
    assert {turn.session_id for turn in turns} == {"chat-42"}


def test_each_line_of_a_fine_tuning_file_is_a_session():
    turns = turns_in(FIXTURES / "openai_finetune.jsonl")

    sessions = list(dict.fromkeys(turn.session_id for turn in turns))
    assert [turn.ordinal for turn in turns] == [1, 2, 3, 1, 2, 3, 1, 2]
    assert sessions[1] == f"{sessions[0]}-2"
    assert sessions[2] == "named"


def test_a_document_reads_the_same_on_one_line_and_on_many(tmp_path: Path):
    document = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    (tmp_path / "one").mkdir()
    (tmp_path / "many").mkdir()
    one, many = tmp_path / "one" / "chat.json", tmp_path / "many" / "chat.json"
    one.write_text(json.dumps(document))
    many.write_text(json.dumps(document, indent=2))

    assert turns_in(one) == turns_in(many) != []


def test_a_chatgpt_export_gives_the_branch_last_seen():
    turns = turns_in(FIXTURES / "chatgpt_export.json")

    assert [(turn.session_id, turn.content) for turn in turns] == [
        ("conv-7", "How long does dough rest?"),
        ("conv-7", "Twelve hours, cold."),
    ]


def test_plain_lines_of_interleaved_sessions_are_numbered_apart():
    report = CaptureReport()

    turns = turns_in(FIXTURES / "plain.jsonl", report)

    assert [(turn.session_id, turn.ordinal) for turn in turns] == [("s1", 1), ("s2", 1), ("s1", 2), ("s1", 3)]
    assert turns[0].speaker == "Caroline"
    assert turns[1].at == datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
    assert turns[2].at == datetime(2026, 1, 5, 8, 0, 4, tzinfo=UTC)
    assert dict(report.dropped) == {"empty": 1}
    assert [(problem.line, problem.reason) for problem in report.problems] == [(6, "unknown role")]


def test_dialogue_lines_begin_turns_and_other_lines_go_on():
    turns = turns_in(FIXTURES / "dialogue.txt")

    assert [(turn.role, turn.speaker, turn.content) for turn in turns] == [
        ("user", "Caroline", "I started painting again.\nIt helps me rest."),
        ("user", "Melanie", "That is good news!\nNote: she paints on Sundays."),
        ("assistant", None, "Shall I remember that?"),
        ("user", None, "Yes."),
    ]


def test_other_text_is_cut_at_blank_lines():
    assert [turn.content for turn in turns_in(FIXTURES / "paragraphs.txt")] == [
        "We met on Tuesday to settle the storage question.\nSQLite stays.",
        "The review follows in May.",
        "Nobody objected.",
    ]


def test_a_text_that_grows_keeps_its_session_and_numbers(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("First thought.\n\nSecond thought.\n")
    before = turns_in(path)
    path.write_text(path.read_text() + "\nThird thought.\n")

    assert turns_in(path)[:2] == before


@pytest.mark.requirement("CAP-5")
def test_malformed_lines_are_counted_and_the_unfinished_last_one_is_not_an_error(tmp_path: Path):
    path = tmp_path / "torn.jsonl"
    path.write_bytes(
        b'{"role": "user", "content": "ok"}\n{broken\n[1, 2]\n\n{"role": "user", "content": "caf\xe9"}\n{"role": "us'
    )
    report = CaptureReport()

    turns = turns_in(path, report)

    assert [turn.content for turn in turns] == ["ok", "caf\ufffd"]
    assert [(problem.line, problem.reason) for problem in report.problems] == [
        (2, "not valid JSON"),
        (3, "not a JSON object"),
    ]
    assert report.dropped["unfinished-line"] == 1
    assert report.bytes_read == path.stat().st_size


def test_a_line_too_long_is_skipped_and_the_next_is_read(tmp_path: Path):
    path = write(
        tmp_path / "long.jsonl",
        {"role": "user", "content": "before"},
        {"role": "tool", "content": "x" * MAX_LINE},
        {"role": "user", "content": "after"},
    )
    report = CaptureReport()

    assert [turn.content for turn in turns_in(path, report)] == ["before", "after"]
    assert report.problems[0].reason == "longer than 16 MiB, and not read"
    assert report.bytes_read == path.stat().st_size


def test_a_document_cut_off_in_the_middle_gives_what_came_before(tmp_path: Path):
    path = tmp_path / "cut.json"
    path.write_text((FIXTURES / "openai_list.json").read_text()[:60])
    report = CaptureReport()

    assert [turn.content for turn in turns_in(path, report)] == ["One"]
    assert report.dropped["unfinished-document"] == 1


def test_a_document_broken_in_the_middle_is_counted(tmp_path: Path):
    path = tmp_path / "broken.json"
    path.write_text('[\n{"role": "user", "content": "One"} {"role": "user", "content": "Two"}]')
    report = CaptureReport()

    assert [turn.content for turn in turns_in(path, report)] == ["One"]
    assert report.malformed == 1


@pytest.mark.parametrize(
    "second", ['{"role": nope}', '{"role" "user"}', '{"role": "a\\qb"}', f'{{"at": {"9" * 5000}}}']
)
def test_a_document_with_an_element_that_is_no_json_is_broken_there_and_not_cut_off(tmp_path: Path, second: str):
    path = tmp_path / "broken.json"
    path.write_text(f'[{{"role": "user", "content": "One"}}, {second}, {{"role": "user", "content": "Three"}}]')
    report = CaptureReport()

    assert [turn.content for turn in turns_in(path, report)] == ["One"]
    assert [problem.line for problem in report.problems] == [2]
    assert not report.dropped


EVERY_VALUE = (
    r'[{"a": "x\\ \" \ud83d\ude00", "b": [-1.5e-3, 2E+5, true, false], "c": {"d": null}}, -Infinity, NaN, "x"]'
)


@pytest.mark.parametrize("length", range(1, len(EVERY_VALUE)))
def test_wherever_a_document_is_cut_it_is_unfinished_and_not_broken(length: int):
    with pytest.raises(json_document.UnfinishedJsonError):
        list(json_document.elements(_letters(EVERY_VALUE[:length]), ""))


def _letters(text: str) -> Iterator[str]:
    yield from text


@pytest.mark.parametrize(
    "text",
    [
        "[1, 23, 4.5e3]",
        r'[{"a": [-1.5e-3, 2E+5, true, null], "b": "x\\ \" \ud83d\ude00"}]',
        '{"a": 1, "m": [{"x": [1]}, "two", 3], "z": null}',
        "[]",
        ' { "m" : [ ] } ',
        '{"m": 7}',
    ],
)
def test_a_document_read_letter_by_letter_is_the_document(text: str):
    whole = json.loads(text)

    found = list(json_document.elements(_letters(text), "m"))

    if isinstance(whole, list):
        assert found == [("", value) for value in whole]
    else:
        streamed = [value for key, value in found if key == "m"]
        rest = {key: value for key, value in found if key != "m"}
        assert streamed == (whole["m"] if isinstance(whole["m"], list) else [whole["m"]])
        assert rest == {key: value for key, value in whole.items() if key != "m"}


def test_text_is_cleaned_of_what_no_store_can_hold():
    assert clean_text("\x1b[31mred\x1b[0m\r\nnext\x00\tend \ud800") == "red\nnext\tend ?"
    assert clean_text("naïve café\n") == "naïve café\n"


def test_a_session_name_is_one_printable_line_of_bounded_length():
    assert clean_name(" a\nb\x00c\u202e ") == "a-b-c-"
    long, other = clean_name("x" * 500), clean_name("x" * 501)
    assert len(long) == len(other) == 128
    assert long != other
