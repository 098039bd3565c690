"""Sessions imported, stopped midway, and taken back: what an import says of itself, and what undoing it leaves."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kits.intake import HERE, held
from kits.vault import ask, keep
from pellucid.app import App
from pellucid.deadline import Deadline
from pellucid.errors import DeadlineError, NotFoundError
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.memory.changing import PinInput, UpdateInput, set_pinned, update
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.operations.session.importing import ImportInput, ImportOutput, import_transcripts
from pellucid.operations.session.intake import TURNS_A_COMMIT
from pellucid.operations.session.looking.briefing import BriefInput, brief

DECIDED = "We decided to deploy the shop every Tuesday, after the nightly build is green."
RULE = "Always run the database migrations before the deploy."


def _session(path: Path, *said: str, filler: int = 0) -> Path:
    """A session of these words, and so many turns that say little behind them."""
    turns = [*said, *(f"Look at line {number} of the log, please." for number in range(filler))]
    rows = [{"role": "user", "content": text, "session": path.stem, "id": f"{n}"} for n, text in enumerate(turns)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _imported(app: App, *paths: Path) -> ImportOutput:
    return import_transcripts(app, ImportInput(paths=paths, namespace=HERE))


def _served(app: App) -> list[str]:
    return [each.memory.content for each in ask(app, "deploy").memories]


def test_an_import_names_what_undo_takes_and_that_puts_all_of_it_away(whole: App, tmp_path: Path) -> None:
    outcome = _imported(whole, _session(tmp_path / "s1.jsonl", DECIDED, RULE))
    assert outcome.undo.keys() == {HERE}
    assert _served(whole)
    undone = undo(whole, UndoInput(namespace=HERE, target=outcome.undo[HERE]))
    assert len(undone.undone) == outcome.memories + outcome.passages
    assert _served(whole) == []
    assert list_memories(whole, ListInput(namespace=HERE)).total == 0
    assert brief(whole, BriefInput(namespace=HERE)).text == ""
    undo(whole, UndoInput(namespace=HERE, target=undone.op_id))
    assert {DECIDED.rstrip("."), RULE.rstrip(".")} <= {each.rstrip(".") for each in held(whole)}


def test_an_import_that_was_undone_has_nothing_to_undo(whole: App, tmp_path: Path) -> None:
    session = _session(tmp_path / "s1.jsonl", DECIDED)
    outcome = import_transcripts(whole, ImportInput(paths=(session,), namespace=HERE, mode="verbatim"))
    undo(whole, UndoInput(namespace=HERE, target=outcome.undo[HERE]))
    with pytest.raises(NotFoundError, match="can be undone"):
        undo(whole, UndoInput(namespace=HERE, target=outcome.undo[HERE]))


def test_an_import_of_several_commits_is_one_to_undo_and_what_was_changed_since_stays(
    whole: App, tmp_path: Path
) -> None:
    before = _imported(whole, _session(tmp_path / "s0.jsonl", "We use PostgreSQL 16 for the ledger, not MySQL."))
    first = _session(tmp_path / "s1.jsonl", DECIDED, filler=TURNS_A_COMMIT + 50)
    outcome = _imported(whole, first, _session(tmp_path / "s2.jsonl", RULE))
    assert ".." in outcome.undo[HERE]
    rule = next(memory for text, memory in held(whole).items() if "migrations" in text and memory.category != "moment")
    reworded = update(whole, UpdateInput(namespace=HERE, memory_id=rule.id, content="Migrations run first."))
    undo(whole, UndoInput(namespace=HERE, target=outcome.undo[HERE]))
    kept = held(whole)
    assert kept["Migrations run first."].id == reworded.memory.id
    assert not [text for text in kept if "Tuesday" in text]
    assert [text for text in kept if "PostgreSQL" in text]
    assert before.undo[HERE] not in outcome.undo[HERE]


def test_an_import_is_undone_whole_though_a_passage_of_its_episode_was_changed_since(
    whole: App, tmp_path: Path
) -> None:
    outcome = _imported(whole, _session(tmp_path / "s1.jsonl", DECIDED, RULE))
    passage = next(each for each in held(whole).values() if each.category == "moment")
    set_pinned(whole, PinInput(namespace=HERE, memory_id=passage.id))
    undone = undo(whole, UndoInput(namespace=HERE, target=outcome.undo[HERE]))
    assert len(undone.undone) == outcome.memories + outcome.passages
    assert held(whole) == {}


def test_what_an_import_only_says_again_stays_when_it_is_undone(whole: App, tmp_path: Path) -> None:
    known = keep(whole, DECIDED, namespace=HERE).memory
    outcome = _imported(whole, _session(tmp_path / "s1.jsonl", DECIDED, RULE))
    undo(whole, UndoInput(namespace=HERE, target=outcome.undo[HERE]))
    assert [each.id for each in held(whole).values()] == [known.id]


def test_an_import_that_is_stopped_says_what_was_kept_and_both_ways_on(whole: App, tmp_path: Path) -> None:
    path = _session(tmp_path / "s1.jsonl", DECIDED, filler=3 * TURNS_A_COMMIT)
    later = _session(tmp_path / "s2.jsonl", RULE, filler=3 * TURNS_A_COMMIT)
    deadline = Deadline()

    def watch(_done: int, _all: int) -> None:
        if list_memories(whole, ListInput(namespace=HERE)).total:
            deadline.cancel()

    with pytest.raises(DeadlineError, match="kept before that: ") as stopped:
        import_transcripts(
            replace(whole, deadline=deadline, progress=watch), ImportInput(paths=(path, later), namespace=HERE)
        )
    assert "repeat the import to go on" in stopped.value.next_step
    target = stopped.value.next_step.partition('target="')[2].partition('"')[0]
    undo(whole, UndoInput(namespace=HERE, target=target))
    assert list_memories(whole, ListInput(namespace=HERE)).total == 0
