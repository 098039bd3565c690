"""A story of changes in, the same answers out whenever its past is asked about: no later change shows in them."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from kits.calendar import NEW_YEAR, Calendar
from kits.graph import HERE
from pellucid.app import App
from pellucid.model.snapshot import XrayResult
from pellucid.operations.browsing import ListInput, list_memories
from pellucid.operations.graph.graphing import GraphShowInput, show_entity
from pellucid.operations.memory.changing import UpdateInput, Verb, VerbInput, apply_verb, update
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.memory.remembering import RememberInput, remember
from pellucid.operations.memory.reverifying import ReverifyInput, reverify
from pellucid.operations.memory.storytelling import history_of_memory
from pellucid.operations.memory.undoing import UndoInput, undo
from pellucid.operations.recall.recalling import RecallInput, recall, xray_by_id
from pellucid.surfaces.present.memory import changes as present_changes

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def _remembered(app: App, content: str, **attributes: str) -> str:
    given = RememberInput(content=content, namespace=HERE, entity_ref="relay", attributes=attributes)
    return remember(app, given).memory.id


def _verb(app: App, verb: Verb, memory_id: str) -> str:
    op_id = apply_verb(app, verb, VerbInput(namespace=HERE, memory_id=memory_id)).op_id
    assert op_id
    return op_id


def _past(at: datetime | None) -> dict[str, Any]:
    return {"as_of": at, "as_known_at": at} if at else {}


def _told(app: App, memory_id: str, at: datetime | None) -> object:
    told = history_of_memory(app, HERE, memory_id, **_past(at))
    return [each.memory for each in told.versions], told.events, told.verdicts


def _shown(app: App, name: str, at: datetime | None) -> object:
    seen = show_entity(app, GraphShowInput(namespace=HERE, name=name, **_past(at)))
    return seen.entity, seen.state, sorted(seen.nodes, key=lambda each: each.key), sorted(map(str, seen.edges))


def _provenance(result: XrayResult) -> object:
    """Where a hit comes from, less how it was found."""
    return result.provenance and result.provenance.model_copy(update={"retrieval_reason": ""})


def _recalled(app: App, at: datetime | None) -> object:
    """What every hit says of itself, and the lines of the context, whatever their order."""
    answer = recall(app, RecallInput(query="the relay", namespace=HERE, top_k=20, **_past(at)))
    told = re.sub(r"(?m)^(Nothing recalled): .*", r"\1", answer.context)  # why: a past one names its day
    lines = sorted(re.sub(r"^\[\d+\] ", "", line) for line in told.splitlines() if "<" not in line)
    results = xray_by_id(app, HERE, answer.recall_id).results
    hits = {each.memory_id: (each.staleness, _provenance(each)) for each in results}
    said = {each.memory.id: (each.memory, each.staleness) for each in answer.memories}
    return lines, hits, said, sorted(answer.stale)


def _listed(app: App, at: datetime | None) -> object:
    found = list_memories(app, ListInput(namespace=HERE, **_past(at)))
    return found.total, [each.memory for each in found.memories]


def test_every_answer_about_a_moment_of_a_story_is_the_one_that_was_given_then(app: App) -> None:
    ids = [_remembered(app, "The relay listens on port 8080 in the east wing", port="8080", wing="east")]
    steps: list[Callable[[], object]] = [
        lambda: ids.append(_remembered(app, "The relay belongs to Ines", owner="Ines")),
        lambda: ids.append(_remembered(app, "The relay listens on port 9090", port="9090")),
        lambda: reverify(app, ReverifyInput(namespace=HERE, memory_ids=(ids[1],))),
        lambda: reverify(app, ReverifyInput(namespace=HERE, memory_ids=(ids[1], ids[0]))),
        lambda: undo(app, UndoInput(namespace=HERE, target=ids[0])),
        lambda: _verb(app, "archive", ids[1]),
        lambda: undo(app, UndoInput(namespace=HERE, target=ids[1])),
        lambda: _verb(app, "pin", ids[2]),
        lambda: ids.append(
            update(
                app, UpdateInput(namespace=HERE, memory_id=ids[2], content="The relay listens on port 7070")
            ).memory.id
        ),
        lambda: _verb(app, "dispute", ids[3]),
        lambda: _verb(app, "retract", ids[1]),
        lambda: _verb(app, "archive", ids[0]),
        lambda: forget(app, ForgetInput(namespace=HERE, memory_ids=(_remembered(app, "The kiosk is green"),))),
    ]
    notes: list[tuple[datetime, tuple[str, ...], dict[str, object]]] = []
    for step in [*steps, lambda: None]:
        Calendar.at += HOUR
        notes.append((Calendar.at, tuple(ids), _everything(app, ids, None)))
        Calendar.at += DAY
        step()
    for at, held, note in notes:
        again = _everything(app, held, at)
        for name, said in note.items():
            assert again[name] == said, f"{name}, {(at - NEW_YEAR).days} days in"


def _everything(app: App, ids: Sequence[str], at: datetime | None) -> dict[str, object]:
    told = {f"history {each}": _told(app, each, at) for each in ids}
    seen = {f"graph show {each}": _shown(app, each, at) for each in ("relay", *ids)}
    return {**told, **seen, "list": _listed(app, at), "recall": _recalled(app, at)}


def test_the_story_as_known_before_a_memory_was_superseded_prints_it_in_force_and_nothing_of_what_came(
    app: App,
) -> None:
    old = _remembered(app, "The relay listens on port 8080", port="8080")
    first = Calendar.at
    Calendar.at += DAY
    new = _remembered(app, "The relay listens on port 9090", port="9090")
    Calendar.at += DAY
    told = history_of_memory(app, HERE, old, as_known_at=first)
    assert new not in told.model_dump_json()
    said = present_changes.history_text(told).splitlines()
    assert said[0].startswith(
        f"as known at 2026-01-01T00:00:00.000Z: {old} [2026-01-01T00:00:00.000Z – open], in force"
    )
    assert said[1] == f"{old}  active, user, trusted  [2026-01-01T00:00:00.000Z – now]"
    assert [each.memory.id for each in history_of_memory(app, HERE, new, as_known_at=Calendar.at).versions] == [
        old,
        new,
    ]


def test_a_restatement_that_was_put_back_is_told_of_the_time_in_between_and_of_no_other(app: App) -> None:
    old = _remembered(app, "The relay listens on port 8080 in the east wing", port="8080", wing="east")
    Calendar.at += DAY
    new = _remembered(app, "The relay listens on port 9090", port="9090")
    between = Calendar.at
    Calendar.at += DAY
    undo(app, UndoInput(namespace=HERE, target=old))
    Calendar.at += DAY

    def retired(at: datetime) -> list[dict[str, str]]:
        listed = list_memories(app, ListInput(namespace=HERE, as_known_at=at)).memories
        told = history_of_memory(app, HERE, old, as_known_at=at).versions
        return [each.memory.retired_attributes for each in (*listed, *told) if each.memory.id == old]

    assert retired(NEW_YEAR) == [{}, {}]
    assert retired(between) == [{"port": new}, {"port": new}]
    assert retired(Calendar.at) == [{}, {}]
