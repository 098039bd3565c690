"""The tables of what reconciliation answers for: statements in, what is active in the end out, in five languages."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from kits.case_tables import DAY, MINUTE, fits, rows, run_session, spoken  # the kit stands beside its tables
from pellucid.app import App, open_app
from pellucid.settings import load

MINUTES_APART = {"correction", "retraction"}
TABLES = ("dedup", "negation", "reversion", "correction", "retraction", "cross_entity")
CASES = [
    (table, language, said, active)
    for table in TABLES
    for language, *sides in rows(table)
    for said, active in ((sides[0], sides[1]), (sides[2], sides[3]))
]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[App]:
    opened = open_app(load(home=tmp_path_factory.mktemp("home")), models=model_cache.parent)
    yield opened
    opened.close()


@pytest.mark.parametrize(("table", "language", "said", "expected"), CASES)
def test_what_is_active_in_the_end_is_what_still_holds(
    table: str, language: str, said: list[str], expected: list[str], app: App, tmp_path: Path
) -> None:
    turns = spoken(said, MINUTE if table in MINUTES_APART else DAY)
    namespace = f"case/{sha256(''.join(said).encode()).hexdigest()[:12]}"
    kept = run_session(turns, app, namespace, tmp_path)
    active = [content for content, status in kept if status == "active"]
    assert fits(active, expected), kept
