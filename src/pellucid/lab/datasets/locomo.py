"""A LoCoMo file in, one group for each conversation out: a record a turn, evidence turns as labels, cited turns."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pellucid.lab.datasets.dataset import Dataset, Group, LabelledQuestion, Record
from pellucid.lab.datasets.files import find
from pellucid.model.turn import Turn

_TURN_ID = re.compile(r"D\d+:\d+")
_ASKED = ("1", "2", "3", "4")
"""Categories with evidence: multi-hop, temporal, open, single-hop; 5 is adversarial and has none."""


def load(path: Path) -> Dataset:
    """Load the conversations of a LoCoMo file, each as a group; `path` is the file, or a folder with `locomo*.json` in
    it or in a folder below. InputError if there is no such file; other errors (`KeyError`, `ValueError`, …) if it is of
    another form.
    """
    conversations: list[dict[str, Any]] = json.loads(find(path, "locomo*.json").read_text("utf-8"))
    return Dataset("locomo", tuple(_group(each) for each in conversations))


def _group(conversation: dict[str, Any]) -> Group:
    """Return the group of one conversation: its turns as records, its questions with their evidence.

    Adversarial questions, and those whose evidence names no turn, are left out.
    """
    records = tuple(_records(conversation["conversation"]))
    keys = {record.key for record in records}
    questions = [
        LabelledQuestion(f"{conversation['sample_id']}-{i}", qa["question"], labels, str(qa["category"]))
        for i, qa in enumerate(conversation["qa"])
        if str(qa["category"]) in _ASKED and (labels := _labels(qa.get("evidence", []), keys))
    ]
    return Group(str(conversation["sample_id"]), records, tuple(questions), _cited_turns(conversation, keys))


def _cited_turns(conversation: dict[str, Any], keys: set[str]) -> dict[str, tuple[str, ...]]:
    """Return a map from the keys of turns that `observation` entries cite to the sentences that cite them; only of
    turns in `keys`.
    """
    cited: dict[str, tuple[str, ...]] = {}
    speakers = [speaker for session in conversation.get("observation", {}).values() for speaker in session.values()]
    for sentence, turns in (entry for entries in speakers for entry in entries):
        for turn in _labels([str(turns)], keys):
            cited[turn] = (*cited.get(turn, ()), str(sentence))
    return cited


def _labels(evidence: list[str], keys: set[str]) -> dict[str, int]:
    """Return the evidence turns that are in `keys`, graded 1; a string can name several turns, and names none if it is
    malformed.
    """
    return {turn: 1 for text in evidence for turn in _TURN_ID.findall(text) if turn in keys}


def _records(conversation: dict[str, Any]) -> list[Record]:
    """Return the turns of a conversation as records, in order, all as of the role `user`; the caption of a picture is
    added to a turn's text, and its length is the record's `unsaid`.
    """
    out: list[Record] = []
    sessions = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in sessions:
        at = _date(conversation.get(f"session_{number}_date_time", ""))
        for ordinal, turn in enumerate(conversation[f"session_{number}"], start=1):
            caption = turn.get("blip_caption")
            image = f" [shares image: {caption}]" if caption else ""
            spoken = Turn(f"session_{number}", ordinal, "user", turn["text"] + image, at=at, speaker=turn["speaker"])
            out.append(Record(turn["dia_id"], spoken, unsaid=len(image)))
    return out


def _date(text: str) -> datetime | None:
    """Parse a date such as `1:56 pm on 8 May, 2023`, taken as UTC; None if it is malformed."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return None
