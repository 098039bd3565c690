"""`Actually it is 600 seconds`, said where nothing names its subject, in; what it replaces of other sessions out."""

from datetime import timedelta

import pytest

from kits.intake import HERE, START, held, session, take
from kits.vault import keep
from pellucid.app import App
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import VerdictRow
from pellucid.operations.memory.forgetting import ForgetInput, forget

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


def test_a_correction_does_not_bring_back_words_that_were_forgotten(whole: App) -> None:
    gone = keep(whole, "The cache TTL is 600 seconds.").memory
    forget(whole, ForgetInput(namespace=HERE, memory_ids=(gone.id,)))
    take(whole, session(_TTL))
    take(whole, session("Actually it is 600 seconds.", name="later", start=LATER))
    assert {each.strip(".") for each in held(whole)} == {"The cache TTL is 300 seconds"}
    [row] = [each for each in rows_of_type(whole.ledger, VerdictRow, HERE) if each.session_id == "later"]
    assert row.reason.startswith("forgotten: ")


def test_only_a_person_corrects_so(whole: App) -> None:
    take(whole, session(_TTL))
    take(whole, session(("assistant", "Actually it is 600 seconds."), name="later", start=LATER))
    assert not any("600" in each for each in held(whole))


def test_what_a_person_asks_to_keep_corrects_the_one_memory_that_it_fits_too(whole: App) -> None:
    keep(whole, _TTL)
    made = keep(whole, "Actually it is 600 seconds.")
    assert made.memory.content.strip(".") == "The cache TTL is 600 seconds"
    assert {each.strip(".") for each in held(whole)} == {"The cache TTL is 600 seconds"}
    assert len(made.replaced) == 1


@pytest.mark.parametrize("others", [(), (_TTL, "The session timeout is 40 seconds.")])
def test_and_where_none_or_several_fit_it_is_kept_as_it_was_said(whole: App, others: tuple[str, ...]) -> None:
    for each in others:
        keep(whole, each)
    made = keep(whole, "Actually it is 600 seconds.")
    assert (made.created, made.memory.content, made.replaced) == (True, "Actually it is 600 seconds.", ())
    assert set(held(whole)) == {*others, made.memory.content}


def test_what_an_agent_asks_to_keep_corrects_nothing_without_its_subject(whole: App) -> None:
    keep(whole, _TTL)
    keep(whole, "Actually it is 600 seconds.", said_by="assistant_output")
    assert _TTL in held(whole)
