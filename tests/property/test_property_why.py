"""Random questions and random memories in, what must hold of every `why` out: the stage, the places, the change."""

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kits.vault import ELSEWHERE, HERE, Opener, Town, ask, file_memories, queries, run, salad_memories
from pellucid.app import App
from pellucid.errors import NotFoundError
from pellucid.model.memory import Memory, unpack_id
from pellucid.operations.recall.request import RecallInput, build_request
from pellucid.operations.recall.why import WhyInput, why
from pellucid.recall.score.ladder import RUNGS
from pellucid.recall.state import State
from pellucid.store.index_port import Filters, LegHits, MemoryStanding
from pellucid.xray.why.finding import WhyChange, WhyFinding
from pellucid.xray.why.sentence import sentences

PAIRS = 150
GIVEN = {"top-k": "top_k", "budget": "budget"}
"""Changes that are an argument of a recall; the others are settings of it."""


def finding_of(app: App, memory_id: str, query: str, **given: Any) -> WhyFinding:
    asked = RecallInput(query=query, namespace=HERE, **given)
    found = why(app, WhyInput(namespace=HERE, memory=memory_id, question=asked)).finding
    assert found is not None
    return found


def pairs(town: Town, seed: int, count: int) -> list[tuple[str, str]]:
    """Half of the memories are candidates, so that every stage has its share."""
    rng, out = random.Random(seed), list[tuple[str, str]]()
    every = sorted(town.memories)
    for query in rng.choices(town.queries, k=count):
        near = [unpack_id(raw) for raw in run(town.app, query).pool.ids]
        out.append((rng.choice(near if near and rng.random() < 0.6 else every), query))
    return out


def barred(memory: Memory, state: State) -> str | None:
    """Which rung keeps a memory from answering, from its own words."""
    at = state.request.at
    ends = [end for end in (memory.invalid_at, memory.expires_at) if end]
    if memory.status != "active":
        return "status-active"
    if (memory.valid_at and memory.valid_at > at) or any(end <= at for end in ends):
        return "valid-at"
    return "trust-zone" if memory.trust_zone == "quarantine" else None


def places(app: App, memory_id: str, query: str) -> dict[str, int | None]:
    """The place of a memory in each leg, had it been admitted: how many that may answer score higher, or tie before."""
    state = run(app, query)
    with app.recaller.world(build_request(app, RecallInput(query=query, namespace=HERE))) as world:
        reader, plan, at = world.reader, state.plan, state.admission
        rows = reader.select(Filters())
        ids = dict(zip(rows.tolist(), map(unpack_id, reader.columns(rows, at).ids), strict=True))
        stems, every = [plan.stems[i] for i in plan.searched], len(rows)
        row = next(row for row, each in ids.items() if each == memory_id)
        admitting = reader.pretending({row: MemoryStanding(wanted=True)})  # it lends its words to those beside it, then
        assert plan.encoding is not None
        hits = {
            "vector": reader.vector(plan.vector, at, every, every),
            "lexical": reader.lexical(stems, at, every, every),
            "passage": admitting.lexical(stems, at, every, every, passages=True),
        }
        columns = reader.columns(rows, at)
        made = dict(zip(ids.values(), columns.created.tolist(), strict=True))
    return {name: _place(found, memory_id, ids, made) for name, found in hits.items()}


def _place(found: LegHits, wanted: str, ids: dict[int, str], made: dict[str, int]) -> int | None:
    scores = {
        ids[row]: float(score)
        for row, score in zip(
            np.r_[found.rows, found.open_rows].tolist(), np.r_[found.scores, found.open_scores].tolist(), strict=True
        )
    }
    if wanted not in scores:
        return None
    others = (ids[row] for row in found.rows.tolist() if ids[row] != wanted)
    return 1 + sum((-scores[each], -made[each], each) < (-scores[wanted], -made[wanted], wanted) for each in others)


@pytest.mark.requirement("XRAY-3")
def test_the_stage_named_is_the_one_that_lost_it_and_every_place_is_exact(town: Town) -> None:
    stages: Counter[str] = Counter()
    for memory_id, query in pairs(town, 11, PAIRS):
        finding, state = finding_of(town.app, memory_id, query), run(town.app, query)
        known = {unpack_id(raw): int(number) for raw, number in zip(state.pool.ids, state.pool.rejected, strict=True)}
        exact = places(town.app, memory_id, query)
        told = {each.leg: each.rank for each in finding.legs if each.leg in exact}
        assert told == exact
        if memory_id in state.context.included:
            expected = None
        elif memory_id in known:
            refused = state.abstention and state.abstention.abstained and not known[memory_id]
            expected = "abstention" if refused else RUNGS[known[memory_id] - 1]
        else:
            near = any(place and place <= state.request.settings.pool for place in exact.values())
            expected = barred(town.memories[memory_id], state) if near else "not-nominated"
        if state.plan.depth == "no_recall":
            expected = "gate"
        assert finding.stage == expected, (memory_id, query)
        assert (finding.verdict == "hit") == (expected is None)
        order = [unpack_id(raw) for raw in state.pool.ids[state.order]]
        assert finding.place == (order.index(memory_id) + 1 if memory_id in order else None)
        stages[expected or "hit"] += 1
    assert set(stages) >= {"hit", "top-k", "not-nominated", "score-floor", "status-active"}, stages


def narrowed(rng: random.Random) -> dict[str, Any]:
    """A recall with less room than usual: each in its own way, so that every line cuts somebody off."""
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"top_k": rng.randint(1, 6)},
        {"budget": rng.randint(200, 900)},
        {"settings": {"pool": rng.randint(2, 12)}},
        {"settings": {"minTokenOverlap": rng.choice((0.3, 0.5))}},
        {"settings": {"minFactScore": 0.3}},
        {"top_k": rng.randint(1, 3), "budget": rng.randint(250, 400), "settings": {"pinWeight": 0.0}},
    )
    return rng.choice(ways)


def admitted(app: App, memory_id: str, query: str, given: dict[str, Any], change: WhyChange, less: float = 0) -> bool:
    """Whether a real recall with the change (or so much less of it) has the memory in its context."""
    value = round(float(change.to) - less, 4)
    number = int(value) if change.kind in ("top-k", "budget", "pool") else value
    if change.kind in GIVEN:
        given = given | {GIVEN[change.kind]: number}
    else:
        given = given | {"settings": given.get("settings", {}) | {change.setting: number}}
    return memory_id in {each.memory.id for each in ask(app, query, **given).memories}


@pytest.mark.requirement("XRAY-4")
def test_a_change_said_to_admit_it_does_and_one_less_does_not(town: Town) -> None:
    kinds: Counter[str] = Counter()
    rng = random.Random(13)
    for memory_id, query in pairs(town, 12, 2 * PAIRS):
        given = narrowed(rng)
        change = finding_of(town.app, memory_id, query, **given).change
        if change is None or change.kind not in ("top-k", "budget", "pool", "floor", "weight"):
            continue
        assert change.verified
        assert change.smallest
        assert admitted(town.app, memory_id, query, given, change)
        step = {"floor": -1e-4, "weight": 0.01}.get(change.kind, 1)
        assert not admitted(town.app, memory_id, query, given, change, step), (change, given)
        kinds[change.kind] += 1
    assert set(kinds) >= {"top-k", "budget", "floor"}, kinds


@pytest.mark.requirement("XRAY-3")
def test_every_place_in_the_sentence_is_one_of_the_findings(town: Town) -> None:
    rng = random.Random(15)
    for memory_id, query in pairs(town, 14, PAIRS // 3):
        finding = finding_of(town.app, memory_id, query, **narrowed(rng))
        said = sentences(finding)
        assert said.endswith(".")
        told, _, tried = said.partition(" No single change")
        told = re.sub(r"placed \w+ by the reranker", "", told)  # no leg ranks so
        places = {each.rank for each in finding.legs} | {finding.place, finding.context_place}
        assert {int(number) for number in re.findall(r"([0-9]+)(?:st|nd|rd|th)\b", told)} <= places
        assert ("(verified)" in told) == bool(finding.change and finding.change.verified)
        assert not tried or finding.change is None


@pytest.mark.requirement("XRAY-4")
def test_what_an_edit_of_its_file_is_said_to_do_it_does(house: Opener, tmp_path: Path) -> None:
    app, rng = house(), random.Random(21)
    memories = salad_memories(rng, 120)
    file_memories(app, memories)
    done = 0
    for memory in memories:
        query = queries(rng, [memory.content], 1)[0]
        change = finding_of(app, memory.id, query).change
        if change is None or change.kind != "state" or not change.apply.startswith(("set `", "remove `")):
            continue
        file = tmp_path / "vault" / change.apply.rpartition(" ")[2]
        before = file.read_text("utf-8")
        name, _, value = change.apply.split("`")[1].partition(": ")
        lines = before.split("\n")
        file.write_text("\n".join(_edited(lines, name, value)), "utf-8")
        app.unit_of_work.take_over_edits()
        places = [each.memory.id for each in ask(app, query).memories]
        assert places.index(memory.id) + 1 == change.place
        file.write_text(before, "utf-8")
        app.unit_of_work.take_over_edits()
        done += 1
    assert done >= 5


def _edited(lines: list[str], name: str, value: str) -> list[str]:
    """The lines of a file with one key of its frontmatter changed, or gone."""
    out = [line for line in lines if not line.startswith(f"{name}:")]
    return [out[0], f"{name}: {value}", *out[1:]] if value else out


@pytest.mark.requirement("XRAY-3")
def test_what_stands_elsewhere_is_unknown_whatever_is_asked(town: Town) -> None:
    foreign = [each.memory.id for each in town.app.index.memories(ELSEWHERE)]
    said = set[str]()
    for memory_id, query in zip([*foreign, f"mem_{1:032x}"], town.queries, strict=False):
        with pytest.raises(NotFoundError) as refused:
            finding_of(town.app, memory_id, query)
        said.add(str(refused.value).replace(memory_id, "ID"))
    assert len(said) == 1
