"""A LongMemEval evidence file in, one pooled group out: a record a turn, each question's own turns as labels."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record, Update
from pellucid.lab.datasets.files import find
from pellucid.model.turn import Turn


def load(path: Path) -> Dataset:
    """Load the questions of a file, or of a folder with a file `evidence*.json` in it or one below; all turns are
    pooled in one group, and all turns of a question's evidence sessions are relevant to it.

    Questions that nothing answers (see `unanswerable`), or whose evidence has no turns, are left out; their turns are
    not. InputError if there is no such file; other errors (`KeyError`, `ValueError`, …) if it is of another form."""
    entries: list[dict[str, Any]] = json.loads(find(path, "evidence*.json").read_text("utf-8"))
    records: dict[str, Record] = {}
    questions: list[LabelledQuestion] = []
    updates: list[Update] = []
    for entry in entries:
        own_records = [record for session in entry["evidence_sessions"] for record in _records(session)]
        records |= {record.key: record for record in own_records}
        if own_records and not entry["question_id"].endswith("_abs"):
            labels = {record.key: 1 for record in own_records}
            questions.append(LabelledQuestion(entry["question_id"], entry["question"], labels, entry["question_type"]))
            updates += _update(questions[-1], own_records)
    group = Group("pooled", tuple(records.values()), tuple(questions), updates=tuple(updates))
    return Dataset("longmemeval", (group,))


def unanswerable(path: Path) -> tuple[LabelledQuestion, ...]:
    """Load the questions that nothing answers (their id ends in `_abs`), in the file's order, from the file that `load`
    finds for `path` (a file or a folder); turns that nearly answer them can be among the records of `load`. InputError
    if there is no such file; other errors (`KeyError`, `ValueError`, …) if it is of another form."""
    entries: list[dict[str, Any]] = json.loads(find(path, "evidence*.json").read_text("utf-8"))
    return tuple(
        LabelledQuestion(entry["question_id"], entry["question"], {}, entry["question_type"])
        for entry in entries
        if entry["question_id"].endswith("_abs")
    )


def _update(question: LabelledQuestion, own_records: list[Record]) -> list[Update]:
    """Return the older and newer turns of a question about updated knowledge whose evidence has exactly two dates.

    An empty list for any other question.
    """
    dates = sorted({record.turn.at for record in own_records if record.turn.at})
    if question.kind != "knowledge-update" or len(dates) != 2:
        return []
    older, newer = (tuple(record.key for record in own_records if record.turn.at == date) for date in dates)
    return [Update(question, older, newer)]


def _records(session: dict[str, Any]) -> list[Record]:
    """Return the turns of a session as records, in order; all have the session's date, None if that is malformed."""
    at = _date(session.get("date", ""))
    name = session["session_id"]
    return [
        Record(f"{name}#{ordinal}", Turn(name, ordinal, turn["role"], turn["content"], at=at))
        for ordinal, turn in enumerate(session["turns"], start=1)
    ]


def _date(text: str) -> datetime | None:
    """Parse a date such as `2023/05/20 (Sat) 02:21`, with or without time (0:00), taken as UTC; None if it is
    malformed.
    """
    plain = re.sub(r"\s*\([A-Za-z]+\)", "", text)
    for form in ("%Y/%m/%d %H:%M", "%Y/%m/%d"):
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
