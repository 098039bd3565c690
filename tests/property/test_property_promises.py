"""Vaults at random in, every promise of recall and explanation kept out; `bench/promises.py` runs it for longer."""

import random
from pathlib import Path

import pytest

from kits.promises import Promises, of_every_vault, open_vault
from kits.vault import Town
from pellucid.encoders.minilm.encoder import MiniLM

PROMISES = {
    "terms sum to the score",
    "rungs chain and count",
    "limit stability",
    "determinism",
    "replay is identical",
    "receipt ablation is live ablation",
    "no id after the ladder",
    "why tells a hit from a miss",
    "why names what lost a miss",
    "sentences are true",
    "only what may answer answers",
    "the budget holds",
}


@pytest.mark.requirement("REC-1")
@pytest.mark.requirement("REC-4")
@pytest.mark.requirement("XRAY-4")
@pytest.mark.requirement("XRAY-5")
def test_every_promise_holds_of_every_recall_of_the_town(town: Town) -> None:
    promises = Promises(town.app, random.Random(11))
    for query in town.queries[:25]:
        promises.ask(query)
        promises.why(query, promises.rng.choice(sorted(town.memories)))
    assert promises.broken == []
    assert set(promises.held) >= PROMISES


def test_a_vault_at_random_keeps_them_too(tmp_path: Path, minilm: MiniLM) -> None:
    held, broken, recalls = of_every_vault(lambda number: open_vault(tmp_path, minilm, number), recalls=40, seed=5)
    assert broken == []
    assert recalls >= 40
    assert set(held) >= PROMISES - {"why names what lost a miss"}


def test_a_broken_promise_is_told(town: Town) -> None:
    promises = Promises(town.app, random.Random(1))
    promises.ask(town.queries[0])
    state = promises._run(promises.last)
    state.pool.final[:1] += 1.0
    promises._pointwise(promises.last, state)
    assert any(each.startswith("terms sum to the score") for each in promises.broken)
