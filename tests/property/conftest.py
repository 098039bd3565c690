"""Nothing in, one home that is read by many tests out: salad in two namespaces, and the example sessions both ways."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.vault import HERE, Town, open_home, queries, settle
from pellucid.encoders.minilm.encoder import MiniLM


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory, minilm: MiniLM) -> Iterator[Town]:
    """Recalls only: a test that writes needs a home of its own."""
    app = open_home(tmp_path_factory.mktemp("town"), minilm)
    settle(app)
    here = {each.memory.id: each.memory for each in app.index.memories(HERE)}
    yield Town(app, here, queries(random.Random(5), [memory.content for memory in here.values()], 200))
    app.close()


@pytest.fixture
def labelled() -> Path:
    """The folder of labelled data sets: `PELLUCID_TEST_DATA`, else `shared/data` beside the checkout, else skipped."""
    named = os.environ.get("PELLUCID_TEST_DATA")  # noqa: TID251 - the tests' own, not a setting
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no folder of labelled data sets is here, and PELLUCID_TEST_DATA names none")
    return folder
