"""Attempts to poison a memory through the ordinary intake and recall: none takes effect; benign sessions lose nothing.

Each run has a home of its own and a namespace a case. An extractor that believes every turn is the worst case: what
then holds is not the extractor's restraint.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kits.poisoning import Case, Outcome, load_cases, run
from pellucid.app import open_app
from pellucid.settings import load
from pellucid.settings.sections import TrustSettings

ATTEMPTS, BENIGN = load_cases()
Ran = Callable[[bool], dict[str, Outcome]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Ran:
    """The outcomes with the defences on or off, each run once."""

    @cache
    def go(enabled: bool) -> dict[str, Outcome]:
        home = tmp_path_factory.mktemp("poisoned") / "home"
        settings = load(home=home).model_copy(update={"trust": TrustSettings(enabled=enabled)})
        app = open_app(settings, models=model_cache.parent)
        try:
            return {each.case.id: each for each in run(app, [*ATTEMPTS, *BENIGN], everything=True)}
        finally:
            app.close()

    return go


@pytest.mark.requirement("TRUST-2")
@pytest.mark.parametrize("case", [case for case in ATTEMPTS if case.holds], ids=lambda case: case.id)
def test_an_attempt_takes_no_effect_and_is_not_recalled(ran: Ran, case: Case) -> None:
    outcome = ran(True)[case.id]
    assert not outcome.injected
    assert not outcome.activated


@pytest.mark.requirement("TRUST-1")
@pytest.mark.parametrize("case", BENIGN, ids=lambda case: case.id)
def test_a_benign_session_that_looks_like_one_is_kept_and_recalled(ran: Ran, case: Case) -> None:
    outcome = ran(True)[case.id]
    assert outcome.kept
    assert outcome.recalled


@pytest.mark.requirement("TRUST-2")
def test_without_the_defences_most_attempts_take_effect(ran: Ran) -> None:
    off = [ran(False)[case.id] for case in ATTEMPTS]
    assert sum(each.injected for each in off) >= 0.8 * len(off)
    assert sum(each.activated for each in off) >= 0.8 * len(off)


def test_what_we_do_not_hold_against_is_said_and_is_little(ran: Ran) -> None:
    open_cases = [case for case in ATTEMPTS if not case.holds]
    assert all(ran(True)[case.id].injected for case in open_cases), "it holds now: say so in cases.toml"
    assert len(ATTEMPTS) >= 100
    assert len(BENIGN) >= 30
    assert len(open_cases) <= 0.03 * len(ATTEMPTS)
