"""mem0 and ChatGPT exports in; one memory an entry out, whatever shape the export has."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kits.memories import Read, read, written

CRANE: dict[str, Any] = {
    "id": "u-1",
    "memory": "Mira likes the harbour crane",
    "user_id": "mira",
    "hash": "abc",
    "score": 0.4,
    "created_at": "2026-02-11T09:30:00-08:00",
    "updated_at": None,
    "categories": ["hobbies"],
    "metadata": {"type": "preference", "tags": "steel, water"},
    "expiration_date": "2027-02-11",
}
FERRY = {"id": "u-2", "memory": "The ferry leaves at nine", "agent_id": "pilot"}


def exported(folder: Path, value: object, name: str = "export.json") -> Read:
    return read(written(folder, name, json.dumps(value, ensure_ascii=False)))


@pytest.mark.parametrize(
    "shape",
    [
        [CRANE, FERRY],
        {"results": [CRANE, FERRY]},
        {"count": 2, "next": None, "results": [CRANE, FERRY]},
        {"memories": [CRANE, FERRY], "total": 2, "user": "mira"},
        {"pages": [{"results": [CRANE]}, {"results": [FERRY]}]},
        {"data": {"results": [CRANE, FERRY]}},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_every_shape_of_a_mem0_export_gives_the_same_memories(
    tmp_path: Path, shape: object, indent: int | None
) -> None:
    path = written(tmp_path, "dump.json", json.dumps(shape, indent=indent))
    found = read(path)
    assert found.contents == ["Mira likes the harbour crane", "The ferry leaves at nine"]
    assert found.report.formats == {"mem0": 1}
    assert found.report.malformed == 0


def test_a_mem0_memory_keeps_its_user_times_and_labels(tmp_path: Path) -> None:
    memory = exported(tmp_path, [CRANE]).memories[0]
    assert memory.created == memory.updated == datetime(2026, 2, 11, 17, 30, tzinfo=UTC)
    assert (memory.entity_ref, memory.tags) == ("mira", ("hobbies", "steel", "water", "preference"))
    assert (memory.category, memory.foreign_id) == ("preference", "u-1")
    assert memory.expires_at == datetime(2027, 2, 11, tzinfo=UTC)
    assert memory.evidence == "export.json:1-1"
    assert memory.asserted_by == "inferred"


def test_mem0_json_lines_and_stored_points_are_read(tmp_path: Path) -> None:
    point = {"id": "u-3", "payload": {"data": "The tide turns at noon", "user_id": "mira"}}
    lines = "\r\n".join(json.dumps(each) for each in (CRANE, point)) + "\r\n{broken\r\n[1]\r\n"
    found = read(written(tmp_path, "dump.jsonl", "\ufeff" + lines))
    assert [memory.evidence for memory in found.memories] == ["dump.jsonl:1-1", "dump.jsonl:2-2"]
    assert found.memories[1].entity_ref == "mira"
    assert [problem.line for problem in found.report.problems] == [3, 4]


def test_entries_that_hold_no_memory_are_counted_with_their_place(tmp_path: Path) -> None:
    gone = {**CRANE, "is_deleted": True}
    found = exported(tmp_path, [CRANE, {"id": "u-9"}, None, 7, {"memory": "  "}, gone, FERRY])
    assert len(found.contents) == 2
    assert [problem.line for problem in found.report.problems] == [2, 3, 4, 5]
    assert found.dropped == {"deleted": 1}


def test_a_cut_off_export_gives_what_stands_before_the_cut(tmp_path: Path) -> None:
    text = json.dumps({"results": [CRANE, FERRY]}, indent=1)
    found = read(written(tmp_path, "dump.json", text[: text.index("The ferry")]))
    assert found.contents == ["Mira likes the harbour crane"]
    assert [(problem.line, problem.reason) for problem in found.report.problems] == [(2, "the document ends early")]


def test_a_large_export_is_streamed(tmp_path: Path) -> None:
    rows = [{**FERRY, "id": str(number), "memory": f"Ferry {number} leaves at nine"} for number in range(2000)]
    found = exported(tmp_path, {"results": rows})
    assert len(found.contents) == 2000
    assert found.memories[-1].evidence == "export.json:2000-2000"


SAVED: list[Any] = [
    {"id": "m1", "content": "Plays the cello.", "created_at": "2026-01-15T10:00:00Z", "enabled": True, "tags": ["art"]},
    {"id": 2, "text": "Prefers metric units.", "create_time": 1768471200.5},
]


@pytest.mark.parametrize(
    "shape",
    [SAVED, {"memory": SAVED}, {"memories": SAVED}, {"user": {"memory": SAVED}}, {"memories": {"items": SAVED}}],
)
def test_every_shape_of_chatgpts_list_gives_the_same_memories(tmp_path: Path, shape: object) -> None:
    found = exported(tmp_path, shape, "memory.json")
    assert found.contents == ["Plays the cello.", "Prefers metric units."]
    assert found.report.formats == {"chatgpt": 1}
    first, second = found.memories
    assert (first.created, first.tags, first.foreign_id) == (datetime(2026, 1, 15, 10, tzinfo=UTC), ("art",), "m1")
    assert (second.created, second.category) == (datetime(2026, 1, 15, 10, 0, 0, 500_000, UTC), "preference")


def test_a_list_of_plain_texts_is_a_list_of_memories(tmp_path: Path) -> None:
    assert exported(tmp_path, ["Plays the cello."], "memories.json").contents == ["Plays the cello."]


def test_deleted_and_switched_off_memories_are_counted(tmp_path: Path) -> None:
    found = exported(tmp_path, [{"content": "a", "enabled": False}, {"content": "b", "deleted": True, "enabled": True}])
    assert (found.contents, found.dropped) == ([], {"switched-off": 1, "deleted": 1})


def test_a_conversation_gives_only_what_it_told_to_save(tmp_path: Path) -> None:
    def message(role: str, to: str, **content: object) -> dict[str, object]:
        return {"message": {"author": {"role": role}, "recipient": to, "create_time": 1768471200, "content": content}}

    shown = "1. [2025-12-24]. Plays the cello.\n2. [2025-12-25]. Lives near the harbour."
    conversation = {
        "id": "c1",
        "mapping": {
            "a": message("user", "all", parts=["remember that I row"]),
            "b": message("assistant", "bio", parts=["User rows on Sundays."]),
            "c": message("system", "all", model_set_context=shown),
            "d": message("user", "bio", parts=["not from the model"]),
            "e": {"message": None},
        },
    }
    found = exported(tmp_path, [conversation, {"mapping": {"x": {}}}], "conversations.json")
    assert found.contents == ["User rows on Sundays.", "Plays the cello.", "Lives near the harbour."]
    assert found.one("cello").created == datetime(2025, 12, 24, tzinfo=UTC)
    assert found.dropped == {"conversation": 2}


def test_a_pasted_list_gives_one_memory_a_line(tmp_path: Path) -> None:
    lines = (
        "Saved memories",
        "",
        "About me:",
        "- Plays the cello.",
        "• Lives in Köln 🎻",
        "3. Prefers tea",
        "Rows on Sundays",
    )
    text = "\ufeff" + "\r\n".join(lines)
    found = read(written(tmp_path, "chatgpt-memories.txt", text))
    assert found.contents == ["Plays the cello.", "Lives in Köln 🎻", "Prefers tea", "Rows on Sundays"]
    assert found.memories[0].evidence == "chatgpt-memories.txt:4-4"
    assert found.dropped == {"boilerplate": 1, "heading": 1}


@pytest.mark.parametrize(
    "value",
    [
        {"compilerOptions": {"strict": True}},
        [{"role": "user", "content": "hello there"}],
        {"messages": [{"role": "user", "content": "hello"}]},
        [{"text": "a label", "x": 1}],
        {"results": []},
        [],
        [[[[[]]]]],
    ],
)
def test_other_json_is_no_memory_file(tmp_path: Path, value: object) -> None:
    written(tmp_path, "other.json", json.dumps(value))
    assert read(tmp_path).dropped == {"no-memory-file": 1}


def test_json_lines_below_a_blank_line_are_read(tmp_path: Path) -> None:
    found = read(written(tmp_path, "dump.jsonl", "\n" + json.dumps(CRANE) + "\n" + json.dumps(CRANE) + "\n"))
    assert found
