"""A LongMemEval evidence file in, one pooled group out: a record a turn, each question's own turns as labels."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pellucid.lab.dataset import Dataset, Group, Question, Record
from pellucid.lab.files import find
from pellucid.model.turn import Turn


def load(path: Path) -> Dataset:
    """The questions of `path` (a file, or a folder that holds `evidence*.json`), over all their turns pooled."""
    entries: list[dict[str, Any]] = json.loads(find(path, "evidence*.json").read_text("utf-8"))
    records: dict[str, Record] = {}
    questions: list[Question] = []
    for entry in entries:
        own = [record for session in entry["evidence_sessions"] for record in _records(session)]
        records |= {record.key: record for record in own}
        if own and not entry["question_id"].endswith("_abs"):
            labels = {record.key: 1 for record in own}
            at = _date(entry.get("question_date", ""))
            questions.append(Question(entry["question_id"], entry["question"], labels, entry["question_type"], at))
    return Dataset("longmemeval", (Group("pooled", tuple(records.values()), tuple(questions)),))


def _records(session: dict[str, Any]) -> list[Record]:
    at = _date(session.get("date", ""))
    name = session["session_id"]
    return [
        Record(f"{name}#{ordinal}", Turn(name, ordinal, turn["role"], turn["content"], at=at))
        for ordinal, turn in enumerate(session["turns"], start=1)
    ]


def _date(text: str) -> datetime | None:
    """`2023/05/20 (Sat) 02:21`; the weekday says nothing new."""
    plain = re.sub(r"\s*\([A-Za-z]+\)", "", text)
    for form in ("%Y/%m/%d %H:%M", "%Y/%m/%d"):
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
