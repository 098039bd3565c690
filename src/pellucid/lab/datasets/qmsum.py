"""QMSum's file in, one group a meeting out: a record a turn, every turn of a question's spans as labels."""

import re
from pathlib import Path
from typing import Any

from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record
from pellucid.lab.datasets.files import find, rows
from pellucid.model.turn import Turn

_MARK = re.compile(r"\{\w+\}")  # A noise, a pause or a broken-off word, such as `{vocalsound}`: nobody said it


def load(path: Path) -> Dataset:
    """Load the meetings of a file, or of a folder with a file `val.jsonl[.xz]` in it or one below; each meeting is a
    group with its specific questions.

    Raises InputError if the file is missing or a row lacks a field.
    """
    meetings = rows(find(path, "val.jsonl*"), ("meeting_transcripts", "specific_query_list"))
    return Dataset("qmsum", tuple(_group(f"meeting-{number}", each) for number, each in enumerate(meetings, start=1)))


def _group(name: str, meeting: dict[str, Any]) -> Group:
    """Return the group of one meeting: its turns as records, its questions with the turns of their spans.

    Turns in which nobody said anything, and questions without a turn, are left out.
    """
    texts = [" ".join(_MARK.sub("", turn["content"]).split()) for turn in meeting["meeting_transcripts"]]
    records = [
        Record(_key(name, place), Turn(name, place + 1, "user", text, speaker=turn["speaker"] or None))
        for place, (text, turn) in enumerate(zip(texts, meeting["meeting_transcripts"], strict=True))
        if text
    ]
    keys = {record.key for record in records}
    questions = [
        LabelledQuestion(f"{name}-{number}", each["query"], labels)
        for number, each in enumerate(meeting["specific_query_list"], start=1)
        if (labels := _labels(name, each["relevant_text_span"], keys))
    ]
    return Group(name, tuple(records), tuple(questions))


def _labels(name: str, spans: list[list[str]], keys: set[str]) -> dict[str, int]:
    """Return those of `keys` that are in these spans (first and last turn, from 0, both included), graded 1."""
    span_keys = [_key(name, place) for first, last in spans for place in range(int(first), int(last) + 1)]
    return {key: 1 for key in span_keys if key in keys}


def _key(name: str, place: int) -> str:
    """Return the key of a turn of a meeting, by its place from 0: `meeting-1#0`."""
    return f"{name}#{place}"
