"""Two coding sessions of our own in the format of the labelled ones, with their labels: written into a folder."""

import json
import lzma
from pathlib import Path

LATER, EARLIER = "aaaa-later", "bbbb-earlier"


def line(session: str, uuid: str, at: str, role: str, content: object, **flags: object) -> dict[str, object]:
    """One line of a Claude Code transcript."""
    return {
        "type": role,
        "uuid": uuid,
        "sessionId": session,
        "timestamp": f"2026-02-{at}:00.000Z",
        "cwd": "/work",
        "message": {"role": role, "content": content},
        **flags,
    }


def text(*words: str) -> list[dict[str, object]]:
    return [{"type": "text", "text": each} for each in words]


EARLIER_LINES = [
    line(EARLIER, "e1", "01T10:00", "user", "How long does the lantern burn?"),
    line(EARLIER, "e2", "01T10:01", "assistant", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]),
    line(EARLIER, "e3", "01T10:02", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "burn = 40"}]),
    line(EARLIER, "e4", "01T10:03", "assistant", text("We decided that the harbour lantern burns for 40 minutes.")),
    line(EARLIER, "e5", "01T10:04", "assistant", text("  \n ")),
    line(EARLIER, "e6", "01T10:05", "user", "<command-name>/clear</command-name>"),
    line(EARLIER, "e7", "01T10:06", "user", "Skill text of the program.", isMeta=True),
]
LATER_LINES = [
    {"type": "summary", "summary": "Lanterns", "leafUuid": "x"},
    line(LATER, "l1", "03T09:00", "user", "Make it burn longer, please."),
    line(LATER, "l2", "03T09:01", "assistant", text("We decided that the harbour lantern burns for 90 minutes.")),
    line(LATER, "l3", "03T09:02", "user", "The ferry bell must always ring twice before it leaves."),
]
QUESTIONS = [
    {
        "id": "q1",
        "question": "For how many minutes does the harbour lantern burn?",
        "answer": "90",
        "must": "90 min",
        "evidence": [{"session": LATER, "uuid": "l2", "turn": 2}],
        "kind": "decision",
        "level": "easy",
        "superseded": [{"session": EARLIER, "uuid": "e4", "turn": 2}],
    },
    {
        "id": "q2",
        "question": "How often does the ferry bell ring?",
        "answer": "Twice",
        "must": "twice",
        "evidence": [{"session": LATER, "uuid": "l3", "turn": 3}],
        "kind": "rule",
        "level": "hard",
    },
    {
        "id": "q3",
        "question": "Which violin does the harbour master play?",
        "answer": None,
        "must": None,
        "evidence": [],
        "kind": "fact",
        "level": "unanswerable",
    },
]
DURABLE = [
    {"session": EARLIER, "uuid": "e1", "turn": 1, "role": "user", "durable": False, "facts": []},
    {"session": EARLIER, "uuid": "e4", "turn": 2, "role": "assistant", "durable": False, "facts": ["f0"]},
    {"session": LATER, "uuid": "l1", "turn": 1, "role": "user", "durable": False, "facts": []},
    {"session": LATER, "uuid": "l2", "turn": 2, "role": "assistant", "durable": True, "facts": ["f1"]},
    {"session": LATER, "uuid": "l3", "turn": 3, "role": "user", "durable": True, "facts": ["f2"]},
]


def lines(rows: list[dict[str, object]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_sessions(folder: Path) -> Path:
    """All files of the set; one transcript is packed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{LATER}.jsonl").write_text(lines(LATER_LINES), "utf-8")
    with lzma.open(folder / f"{EARLIER}.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(lines(EARLIER_LINES))
    (folder / "questions.jsonl").write_text(lines(QUESTIONS), "utf-8")
    (folder / "durable.jsonl").write_text(lines(DURABLE), "utf-8")
    (folder / "user_elsewhere.jsonl").write_text("", "utf-8")
    return folder
