"""Nothing in, what every suite shares out: the embedding model, programs to be run, and how examples are drawn."""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from kits.temporary import in_memory
from kits.vault import app, house
from pellucid.encoders.minilm.encoder import MiniLM
from pellucid.encoders.minilm.provision import MODEL_NAME, Report, provision

__all__ = ["app", "house"]

in_memory()

# the same examples at each run, however slow the machine; --hypothesis-profile=default draws others
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


CAMPAIGNS = (
    "dashboard",
    "docs/test_docs_complete.py",
    "docs/test_docs_explain.py",
    "docs/test_docs_mcp.py",
    "docs/test_docs_snippets.py",
    "docs/test_docs_tools.py",
    "faults",
    "poisoning",
    "property",
    "surfaces/test_cli_demo.py",
    "surfaces/test_cli_full_disk.py",
    "surfaces/test_cli_read_only.py",
    "surfaces/test_cli_settling.py",
    "surfaces/test_demo_month.py",
    "surfaces/test_http_",
    "surfaces/test_mcp_",
    "surfaces/test_otel.py",
    "surfaces/test_paging.py",
    "surfaces/test_port_miss.py",
    "surfaces/test_voices.py",
    "unit/encoders/test_encoders_graph_record.py",
    "unit/test_bench_smoke.py",
)
"""Suites that drive a browser, start servers or many processes, kill, flood, poison, or run every page, tool and bench:
for `make test-all`.

Of a server's answers `make test` has those of `surfaces/test_http.py` and `surfaces/test_mcp.py`.
"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the campaigns as slow, before what is marked so is left out."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).as_posix().startswith(CAMPAIGNS):
            item.add_marker(pytest.mark.slow)


MODEL = Path(__file__).parents[1] / ".cache" / "models" / MODEL_NAME


@cache
def shared_encoder() -> MiniLM:
    """The encoder of the checkout's own model folder, loaded once a process."""
    return MiniLM(MODEL)


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """The checkout's own model folder, filled; several test processes may ask at once."""
    provision(MODEL)
    return MODEL


@pytest.fixture(scope="session")
def minilm(model_cache: Path) -> MiniLM:
    """The default embedder."""
    return shared_encoder()


@pytest.fixture(scope="session", autouse=True)
def one_encoder() -> Iterator[None]:
    """Homes whose models are the checkout's own share the encoder that is loaded once; each would load its own."""

    def opened(folder: Path, *, report: Report | None = None) -> MiniLM:
        return shared_encoder() if folder.resolve() == MODEL.resolve() else MiniLM(folder, report=report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pellucid.app.MiniLM", opened)
        yield


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., str]:
    """Writes a program of some lines of Python and gives its path; one of the same name takes its place."""
    folder = tmp_path / "programs"

    def write(*lines: str, name: str = "answerer") -> str:
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text("\n".join([f"#!{sys.executable}", "import json, os, signal, sys", *lines]), "utf-8")
        path.chmod(0o755)
        return str(path)

    return write
