"""A folder of labelled coding sessions in, transcripts in order of time, spoken turns, labels and questions out.

The folder contains `<session>.jsonl[.xz]` (Claude Code transcripts), `questions.jsonl` and `durable.jsonl`. Spoken
turns are read here and not by `capture`, so that the floors stay the same when capture learns something.
"""

import json
import lzma
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.errors import InputError, field_name
from pellucid.lab.datasets.dataset import LabelledQuestion
from pellucid.lab.datasets.files import find, rows

_LABELS = frozenset({"durable", "questions", "user_elsewhere"})
_HARNESS = (
    "<command-",
    "<local-command",
    "<task-notification",
    "<bash-",
    "<system-reminder",
    "<user-prompt",
    "<ide_",
    "[Request interrupted",
    "[Image",
    "Caveat:",
)
"""Beginnings of lines of type `user` that the program wrote."""
_ASIDE = ("isMeta", "isCompactSummary", "isSidechain", "isApiErrorMessage")


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session's file: its name, its text, and the timestamp of its first turn."""

    name: str
    text: str
    begins: str


@dataclass(frozen=True, slots=True)
class WantedMemory:
    """What an answer must match, the turns that support it, and the turns that are superseded."""

    must: re.Pattern[str]
    evidence: tuple[str, ...]  # their texts
    superseded: frozenset[str]  # their keys


@dataclass(frozen=True, slots=True)
class TurnLabel:
    """Whether a spoken turn is worth keeping, and the facts that it supports."""

    session: str
    key: str
    durable: bool
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledSessions:
    """The data set. Keys are the uuids of spoken turns."""

    transcripts: tuple[Transcript, ...]  # in order of time
    spoken: Mapping[str, str]  # the text of each spoken turn
    questions: tuple[LabelledQuestion, ...]
    unanswerable: tuple[LabelledQuestion, ...]
    wanted: Mapping[str, WantedMemory]  # by the id of each question with an answer
    labels: tuple[TurnLabel, ...]


def load(path: Path) -> LabelledSessions:
    """Load the labelled sessions of a folder, or of one folder below it. Questions without a required pattern (`must`)
    are the unanswerable ones.

    InputError if a file is missing, or a row of labels or questions lacks a field; other errors (`KeyError`,
    `ValueError`, `re.error`) for a malformed transcript or pattern.
    """
    folder = find(path, "durable.jsonl*").parent
    files = [each for each in sorted(folder.glob("*.jsonl*")) if each.name.partition(".")[0] not in _LABELS]
    transcripts = sorted(map(_transcript, files), key=lambda each: each.begins)
    if not transcripts:
        raise InputError(
            f"{field_name('data')} {folder} holds labels and no transcript",
            code="invalid_data",
            next_step="name the folder of the data set",
        )
    spoken = {key: text for each in transcripts for key, text in _spoken_lines(each.text)}
    question_rows = list(rows(find(folder, "questions.jsonl*"), ("id", "question", "evidence", "must", "level")))
    answerable = [row for row in question_rows if row["must"]]
    return LabelledSessions(
        tuple(transcripts),
        spoken,
        tuple(map(_question, answerable)),
        tuple(_question(row) for row in question_rows if not row["must"]),
        {row["id"]: _wanted(row, spoken) for row in answerable},
        tuple(
            TurnLabel(row["session"], row["uuid"], row["durable"], tuple(row["facts"]))
            for row in rows(find(folder, "durable.jsonl*"), ("session", "uuid", "durable", "facts"))
        ),
    )


def _transcript(path: Path) -> Transcript:
    """Read a transcript file (`.jsonl` or `.xz`), with the first timestamp in it as text, empty if it has none."""
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")
    begins = re.search(r'"timestamp": ?"([^"]+)"', text)
    return Transcript(path.name.partition(".")[0], text, begins[1] if begins else "")


def _spoken_lines(transcript: str) -> Iterator[tuple[str, str]]:
    """Yield (uuid, text) of each line of a transcript that the user or the assistant said. Side chains, summaries,
    lines without text, and lines of the user that the program wrote (they begin as `_HARNESS` says) are left out.
    """
    for line in filter(None, transcript.split("\n")):
        row = json.loads(line)
        if row.get("type") not in ("user", "assistant") or any(row.get(name) for name in _ASIDE):
            continue
        text = _text(row["message"]["content"])
        if text.strip() and not (row["type"] == "user" and text.lstrip().startswith(_HARNESS)):
            yield row["uuid"], text


def _text(content: str | list[dict[str, Any]]) -> str:
    """Return the text of a message's content, or its text blocks joined by line breaks."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


def _question(row: dict[str, Any]) -> LabelledQuestion:
    """Return the labelled question of a row of `questions.jsonl`: its evidence turns are relevant, graded 1; its kind
    is `level`.
    """
    return LabelledQuestion(row["id"], row["question"], {each["uuid"]: 1 for each in row["evidence"]}, row["level"])


def _wanted(row: dict[str, Any], spoken: Mapping[str, str]) -> WantedMemory:
    """Return the criteria for an answer from a row of `questions.jsonl`: the pattern `must`, the texts of the evidence
    turns that `spoken` (uuids to texts) has, and the uuids of superseded turns. `re.error` for a malformed pattern.
    """
    texts = (spoken.get(each["uuid"], "") for each in row["evidence"])
    superseded = frozenset(each["uuid"] for each in row.get("superseded") or ())
    return WantedMemory(re.compile(row["must"]), tuple(filter(None, texts)), superseded)
