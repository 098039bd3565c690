"""`Actually it is 600 seconds`, said where nothing names its subject, in; what it replaces of other sessions out."""

from datetime import timedelta

import pytest

from kits.intake import START, held, session, take
from pellucid.app import App

LATER = START + timedelta(days=1)
_TTL = "The cache TTL is 300 seconds."


@pytest.mark.parametrize("said", ["Actually it is 600 seconds.", "No, it's 600 seconds."])
def test_a_value_with_its_unit_corrects_the_one_memory_of_another_session_that_it_fits(whole: App, said: str) -> None:
    take(whole, session(_TTL, "The relay uses port 8080."))
    take(whole, session(said, name="later", start=LATER))
    active = {each.strip(".") for each in held(whole)}
    assert "The cache TTL is 600 seconds" in active
    assert "The cache TTL is 300 seconds" not in active
    (new,) = (each for each in held(whole).values() if "600" in each.content)
    assert (new.session_id, new.evidence, len(new.supersedes)) == ("later", ("later:1-1",), 1)


@pytest.mark.parametrize(
    "said", ["Actually it is 600 seconds.", "Actually it is 90 MB.", "Actually it is 600.", "Is it 600 seconds?"]
)
def test_where_several_or_none_can_be_meant_nothing_is_replaced(whole: App, said: str) -> None:
    take(whole, session(_TTL, "The session timeout is 40 seconds."))
    before = set(held(whole))
    take(whole, session(said, name="later", start=LATER))
    assert set(held(whole)) == before


def test_only_a_person_corrects_so(whole: App) -> None:
    take(whole, session(_TTL))
    take(whole, session(("assistant", "Actually it is 600 seconds."), name="later", start=LATER))
    assert not any("600" in each for each in held(whole))
