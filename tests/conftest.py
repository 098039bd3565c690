"""Nothing in, what every suite shares out: the embedding model, fetched once a checkout and loaded once a session."""

from pathlib import Path

import pytest

from pellucid.encoders.minilm import MiniLM
from pellucid.encoders.provision import MODEL_NAME, provision


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """The checkout's own model folder, filled; several test processes may ask at once."""
    cache = Path(__file__).parents[1] / ".cache" / "models" / MODEL_NAME
    provision(cache)
    return cache


@pytest.fixture(scope="session")
def minilm(model_cache: Path) -> MiniLM:
    """The default embedder."""
    return MiniLM(model_cache)
