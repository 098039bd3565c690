"""Five documents of our own in the format of the EIP set, with their truth: written into a folder."""

import json
import lzma
from pathlib import Path

PROSE = {
    10: ("Lanterns", "A lantern stands at each end of the bridge, lit from dusk on."),
    20: ("Signals", "Three blinks of a lantern call the ferry, two send it back."),
    30: ("Ferry timetable", "The ferry crosses when it is called, and at noon."),
    40: ("Night crossings", "At night the ferry waits for five minutes and sounds its bell."),
    50: ("Old lanterns", "This file was moved to another shelf."),
}
REQUIRES = {20: (10,), 30: (20,), 40: (10, 30)}
STATUS = {10: "Final", 20: "Final", 30: "Review", 40: "Draft", 50: "Moved"}
CHANGES = (
    (10, "2021-03-01T10:00:00+01:00", "status", None, "Draft"),
    (10, "2022-05-01T09:30:00-07:00", "status", "Draft", "Final"),
    (40, "2022-01-10T08:00:00+13:00", "status", None, "Draft"),
    (40, "2022-01-10T08:00:00+13:00", "requires", None, "30, 10"),
    (40, "2023-06-01T12:00:00+00:00", "requires", "30, 10", "10, 30"),
)
STATUS_QUESTIONS = (
    (10, "2021-12-01T00:00:00+00:00", "Draft"),
    (10, "2022-05-01T16:29:59+00:00", "Draft"),
    (10, "2022-05-01T16:30:00+00:00", "Final"),
)
REQUIRES_QUESTIONS = (
    (40, "2022-01-09T19:00:00+00:00", "30, 10"),
    (40, "2024-01-01T00:00:00+00:00", "10, 30"),
)


def document(number: int) -> dict[str, object]:
    """One row of `docs.jsonl`."""
    title, prose = PROSE[number]
    required = ", ".join(map(str, REQUIRES.get(number, ())))
    header = f"eip: {number}\ntitle: {title}\nstatus: {STATUS[number]}\n"
    header += f"requires: {required}\n" if required else ""
    text = f"---\n{header}---\n\n## Abstract\n\n{prose}\n\n## Rationale\n\nNobody likes to wait at the bridge.\n"
    return {
        "id": number,
        "title": title,
        "status": STATUS[number],
        "created": "2021-03-01",
        "headers": {},
        "path": f"EIPS/eip-{number}.md",
        "text": text,
    }


def lines(rows: list[dict[str, object]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def questions(field: str, rows: tuple[tuple[int, str, str], ...]) -> str:
    """The rows of a file of questions."""
    return lines(
        [
            {
                "doc": number,
                "question": f"What was the {field} of EIP {number} on {at[:10]}?",
                "as_of": at,
                "answer": answer,
            }
            for number, at, answer in rows
        ]
    )


def write_set(folder: Path) -> Path:
    """All files of the set."""
    folder.mkdir(exist_ok=True)
    with lzma.open(folder / "docs.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(lines([document(number) for number in PROSE]))
    edges = [f"{source}\trequires\t{target}" for source, targets in REQUIRES.items() for target in targets]
    edges += ["40\tmentions\t50", "50\trequires\t10", "30\trequires\t50"]
    (folder / "edges.tsv").write_text("\n".join(["src\trel\tdst", *edges]) + "\n", "utf-8")
    (folder / "status_history.jsonl").write_text(
        lines(
            [
                {"doc": number, "date": at, "commit": f"{place:040x}", "field": field, "old": old, "new": new}
                for place, (number, at, field, old, new) in enumerate(CHANGES)
            ]
        ),
        "utf-8",
    )
    (folder / "asof_status_questions.jsonl").write_text(questions("status", STATUS_QUESTIONS), "utf-8")
    (folder / "asof_requires_questions.jsonl").write_text(questions("requires", REQUIRES_QUESTIONS), "utf-8")
    return folder
