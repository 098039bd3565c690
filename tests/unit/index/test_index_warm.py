"""Namespaces that are asked in, columns kept warm out: loaded once, by nobody else's waiting, and let go of by size."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kits.vault import ELSEWHERE, HERE, Opener, keep
from pellucid.app import App, open_app
from pellucid.settings import load
from pellucid.store.local.index.local_index import LocalIndex

PLENTY_S = 60


@pytest.fixture
def app(house: Opener) -> App:
    """A home with two namespaces, neither of them asked yet."""
    app = house()
    keep(app, "the harbour crane")
    keep(app, "the harbour ferry", namespace=ELSEWHERE)
    app.scrubber.scrub()
    return app


def index_of(app: App) -> LocalIndex:
    assert isinstance(app.index, LocalIndex)
    return app.index


def frequency(app: App, word: str, namespace: str) -> int:
    with app.index.reading(namespace) as reader:
        return reader.survey(word).terms[0].frequency


def test_a_namespace_that_is_being_loaded_keeps_nobody_from_another(app: App) -> None:
    assert frequency(app, "crane", HERE) == 1
    (warm,) = index_of(app)._warm.held.values()
    with ThreadPoolExecutor(2) as threads:
        with warm.columns._lock:  # as while its rows are read from the disk
            waiting = threads.submit(frequency, app, "crane", HERE)
            assert threads.submit(frequency, app, "ferry", ELSEWHERE).result(PLENTY_S) == 1
            assert not waiting.done()
        assert waiting.result(PLENTY_S) == 1


def test_two_that_ask_for_a_cold_namespace_at_once_load_it_once(app: App) -> None:
    def columns() -> int:
        with app.index.reading(HERE):
            (warm,) = index_of(app)._warm.held.values()
            return id(warm.columns._view)

    with ThreadPoolExecutor(4) as threads:
        assert len({each.result() for each in [threads.submit(columns) for _ in range(4)]}) == 1


def test_beyond_the_cap_the_least_recently_asked_is_let_go_of_and_never_one_in_use(app: App) -> None:
    warm = index_of(app)._warm
    numbers = {name: number for number, name in enumerate((HERE, ELSEWHERE), 1)}
    for name, word in ((HERE, "crane"), (ELSEWHERE, "ferry"), (HERE, "crane")):
        assert frequency(app, word, name) == 1
    assert list(warm.held) == [numbers[ELSEWHERE], numbers[HERE]]
    assert all(each.size >= 384 * 4 for each in warm.held.values())
    warm.most_bytes = max(each.size for each in warm.held.values())
    assert frequency(app, "crane", HERE) == 1
    assert list(warm.held) == [numbers[HERE]]
    warm.most_bytes = 0
    with app.index.reading(HERE) as reader:
        assert frequency(app, "ferry", ELSEWHERE) == 1
        assert list(warm.held) == [numbers[HERE]], "it is in use"
        assert reader.survey("crane").terms[0].frequency == 1
    assert warm.held == {}
    assert frequency(app, "crane", HERE) == 1


def test_the_cap_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_STORE__WARM_MB", "3")
    app = open_app(load(home=tmp_path / "home"))
    assert index_of(app)._warm.most_bytes == 3 << 20
    app.close()
