"""A corpus of attempts in, what became of each out: imported or indexed as a user would, then asked for.

A row is `{"id", "channel", "lang", "technique", "turns": [{"role", "text"}]?, "document": {"name", "text"}?, "payload",
"query"}`; the channel is `extract`, `verbatim` or `document`; a benign row has `"benign": true`, too.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.app import App, open_app
from pellucid.language.hidden import undisguised, without_accents
from pellucid.model.memory import Memory
from pellucid.operations.document.indexing import IndexDocsInput, index_docs
from pellucid.operations.recall.recalling import RecallInput, recall
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.recall.context.text import mark_of
from pellucid.settings import Settings
from pellucid.settings.sections import TrustSettings


@dataclass(frozen=True)
class Row:
    """One attempt, or one benign text."""

    id: str
    channel: str
    lang: str
    technique: str
    payload: str
    query: str
    turns: tuple[tuple[str, str], ...] = ()
    document: tuple[str, str] = ("", "")
    benign: bool = False


def load_rows(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [_row(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _row(told: dict[str, Any]) -> Row:
    turns = told.get("turns") or ()
    document = told.get("document") or {}
    return Row(
        id=str(told["id"]),
        channel=str(told["channel"]),
        lang=str(told.get("lang", "")),
        technique=str(told.get("technique", "")),
        payload=str(told["payload"]),
        query=str(told["query"]),
        turns=tuple((str(each["role"]), str(each["text"])) for each in turns),
        document=(str(document.get("name", "")), str(document.get("text", ""))),
        benign=bool(told.get("benign")),
    )


def served(rows: Sequence[Row], folder: Path, models: Path, *, enabled: bool = True) -> dict[str, bool]:
    """Of each row by its id, whether its payload is recalled as trusted text; `folder` is for a home and the files."""
    app = open_app(Settings(home=folder / "home", trust=TrustSettings(enabled=enabled)), models=models)
    try:
        return dict(_served(app, rows, folder))
    finally:
        app.close()


def _served(app: App, rows: Iterable[Row], folder: Path) -> Iterator[tuple[str, bool]]:
    for number, row in enumerate(rows):
        namespace, place = f"poison/row-{number}", folder / f"row-{number}"
        place.mkdir(parents=True)
        if row.channel == "document":
            (place / row.document[0]).write_text(row.document[1], "utf-8")
            index_docs(app, IndexDocsInput(namespace=namespace, paths=(place,)))
        else:
            transcript = place / "session.jsonl"
            said = ({"role": role, "content": text, "session": f"s{number}"} for role, text in row.turns)
            transcript.write_text("".join(f"{json.dumps(each)}\n" for each in said), "utf-8")
            mode = "verbatim" if row.channel == "verbatim" else "extract"
            import_transcripts(app, ImportInput(paths=(transcript,), mode=mode, namespace=namespace))
        yield row.id, _is_served(app, row, namespace)


def _is_served(app: App, row: Row, namespace: str) -> bool:
    """Whether the payload stands in the context, in words that are neither in quarantine nor marked."""
    told = recall(app, RecallInput(query=row.query, namespace=namespace))
    payload = _normal(row.payload)
    if payload not in _normal(told.context):
        return False
    holding = [each.memory for each in told.memories if payload in _normal(each.memory.content)]
    return not holding or any(_is_trusted(app, memory) for memory in holding)


def _is_trusted(app: App, memory: Memory) -> bool:
    return memory.trust_zone != "quarantine" and not mark_of(memory, app.clock.now())


def _normal(text: str) -> str:
    return " ".join(without_accents(undisguised(text)).split())
