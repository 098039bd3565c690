"""Many threads at work in one home: nobody is refused, nothing acknowledged is lost, nobody waits for a model."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from kits.clients import Client, at_work, lost
from pellucid.app import App, open_app
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.port import Encoding
from pellucid.operations.admin.health import examine_home
from pellucid.settings import load

PLENTY_S = 120


@pytest.fixture
def app(tmp_path: Path, model_cache: Path) -> Iterator[App]:
    app = open_app(load(home=tmp_path / "home"), models=model_cache.parent)
    yield app
    app.close()


def hold_their_own(app: App, models: Path, clients: int, operations: int, namespaces: int) -> None:
    found = at_work(app, clients, operations, namespaces)
    assert [error for each in found for error in each.errors] == []
    assert lost(app, found) == []
    assert not app.indexer.drift().paths
    again = open_app(load(home=app.settings.home), models=models)  # another process would see the same
    try:
        assert lost(again, found) == []
        again.indexer.rebuild()
        assert lost(again, found) == []
        assert {each.check for each in examine_home(again).findings} <= {"model", "lifecycle"}
        assert {each.session_id for each in again.spool.waiting()} <= {f"s{each.number}" for each in found}
    finally:
        again.close()


@pytest.mark.slow
@pytest.mark.requirement("STORE-6")
def test_eight_clients_in_three_namespaces_meet_no_error_and_lose_nothing(app: App, model_cache: Path) -> None:
    hold_their_own(app, model_cache.parent, 8, 30, 3)


@pytest.mark.nightly
@pytest.mark.requirement("STORE-6")
def test_sixty_four_clients_in_eight_namespaces_meet_no_error_and_lose_nothing(app: App, model_cache: Path) -> None:
    hold_their_own(app, model_cache.parent, 64, 100, 8)


class SlowEncoder(MiniLM):
    """The real encoder, which waits for `goes_on` before it encodes what is to be kept."""

    def __init__(self, cache: Path) -> None:
        super().__init__(cache)
        self.began, self.goes_on = Event(), Event()

    def encode(self, texts: Sequence[str]) -> Iterator[Encoding]:
        self.began.set()
        assert self.goes_on.wait(PLENTY_S)
        return super().encode(texts)


@pytest.mark.requirement("STORE-6")
def test_nobody_waits_for_a_text_that_is_being_encoded(app: App, model_cache: Path) -> None:
    first, slow = Client(app, 1, "load/n0"), SlowEncoder(model_cache)
    first._remember(0)
    indexer = replace(app.indexer, embedder=slow)
    waiting = Client(
        replace(app, indexer=indexer, unit_of_work=replace(app.unit_of_work, indexer=indexer)), 2, "load/n0"
    )
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(waiting._remember, 0)
        assert slow.began.wait(PLENTY_S)
        with app.unit_of_work.exclusive(0.0) as alone:
            assert alone, "the right to write is not held meanwhile"
        first._pin(0)
        first._remember(1)
        first._recall(2)
        assert not done.done()
        slow.goes_on.set()
        done.result(PLENTY_S)
    assert lost(app, [first, waiting]) == []
