"""A served home with a few memories, which the tests of a module share; visitors and browsers of it."""

from collections.abc import Iterator

import pytest

from kits.browser import Browser, Visitor, browsing
from kits.serving import Served, served
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.settings import Settings

SAID = (
    "The cache TTL is 300 seconds",
    "The replica lag alarm fires at 200 ms",
    "Ana owns billing",
    "We never deploy on Fridays",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", lambda *_, **__: minilm)
        with served(Settings(home=tmp_path_factory.mktemp("looked-at") / "home")) as one:
            for text in SAID:
                assert one.post("/v1/memories", {"content": text}).status == 200
            yield one


@pytest.fixture
def visitor(server: Served) -> Visitor:
    return Visitor(server)


@pytest.fixture(scope="module")
def browser(server: Served) -> Iterator[Browser]:
    with browsing(server) as one:
        yield one
