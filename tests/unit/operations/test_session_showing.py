"""A session in, what it was out: what was left out with its words and reasons, as long as those may be told."""

from datetime import timedelta

import pytest

from kits.intake import HERE, START, session, take
from kits.vault import ask, keep
from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.operations.memory.citing import CiteInput, cite
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.recall.why import WhyInput, why
from pellucid.operations.session.looking.briefing import BriefInput, brief
from pellucid.operations.session.looking.showing import SessionInput, SessionOutput, show_session

LEFT = "The build of the harbour page failed again this morning."
KEPT = "We decided to use SQLite for the ledger."


def shown(app: App, name: str = "s1") -> SessionOutput:
    return show_session(app, SessionInput(namespace=HERE, session_id=name))


def test_what_was_left_out_is_told_with_its_words_and_the_reason_that_why_gives(whole: App) -> None:
    take(whole, session(KEPT, LEFT), "both")
    (left,) = shown(whole).left_out
    assert left.said == LEFT
    assert left.evidence == ("s1:2-2",)
    assert f"because {left.reason} ({left.code}; s1:2-2" in why(whole, WhyInput(namespace=HERE, memory=LEFT)).sentence


def test_the_words_of_what_was_left_out_are_told_only_where_its_turn_is_kept(whole: App) -> None:
    take(whole, session(KEPT, LEFT), "extract")
    (left,) = shown(whole).left_out
    assert left.said is None
    assert left.reason


def test_what_was_left_out_and_forgotten_since_is_not_told(whole: App) -> None:
    take(whole, session(KEPT, LEFT), "both")
    passage = next(each.memory for each in whole.index.memories(HERE) if LEFT in each.memory.content)
    forget(whole, ForgetInput(namespace=HERE, memory_ids=(passage.id,), preview=False))
    assert not shown(whole).left_out


def test_a_session_is_told_with_what_became_of_what_it_recalled(whole: App) -> None:
    take(whole, session(KEPT), "both")
    given = ask(whole, "what is the ledger kept in?", session_id="s2")
    assert not shown(whole, "s2").citations
    memory = given.memories[0].memory.id
    cite(whole, CiteInput(namespace=HERE, memory_id=memory, kind="used", session_id="s2", notes="it was so"))
    (cited,) = shown(whole, "s2").citations
    assert (cited.memory_id, cited.recall_id, cited.kind) == (memory, given.recall_id, "used")
    assert shown(whole, "s2").session is None
    assert shown(whole, "s2").words == {memory: given.memories[0].memory.content}


def test_a_session_may_be_named_by_how_its_id_begins_and_goes_before_those_below_it(whole: App) -> None:
    for name in ("0123456789", "0123456789/agent-1", "0123999999"):
        take(whole, session(f"{KEPT} So says {name}.", name=name), "both")
    assert shown(whole, "01234567").session_id == "0123456789"
    assert shown(whole, "0123456789/agent-1").session_id == "0123456789/agent-1"
    with pytest.raises(NotFoundError):
        shown(whole, "0123")
    take(whole, session(KEPT, name="0123456700"), "both")
    with pytest.raises(InputError):
        shown(whole, "01234567")


def test_nothing_of_another_namespace_is_told(whole: App) -> None:
    take(whole, session(KEPT, LEFT), "both", "local/other")
    with pytest.raises(NotFoundError):
        shown(whole)


def test_a_brief_is_of_a_day_and_names_every_day(whole: App) -> None:
    for number in range(5):
        start = START + timedelta(days=number // 2)
        take(whole, session(f"We decided to use tool {number} for the ledger.", name=f"s{number}", start=start), "both")
    told = brief(whole, BriefInput(namespace=HERE))
    assert [(each.day, each.sessions) for each in told.days] == [
        ("2026-04-20", 2),
        ("2026-04-21", 2),
        ("2026-04-22", 1),
    ]
    assert sum(each.memories for each in told.days) == sum(each.memories for each in told.sessions) > 0
    of_day = brief(whole, BriefInput(namespace=HERE, day="2026-04-21"))
    assert {each.session_id for each in of_day.sessions} == {"s2", "s3"}
    assert of_day.days == told.days
    assert brief(whole, BriefInput(namespace=HERE, session_id="s4")).total == 1


def test_pages_of_a_brief_hold_every_session_once_whatever_fits_the_budget(whole: App) -> None:
    for number in range(5):
        start = START + timedelta(days=number)
        take(whole, session(f"We decided to use tool {number} for the ledger.", name=f"s{number}", start=start), "both")
    for most, budget in ((2, 1500), (3, 60)):
        found, after = list[str](), None
        while True:
            told = brief(whole, BriefInput(namespace=HERE, sessions=most, budget=budget, after=after))
            found += [each.session_id for each in told.sessions]
            after = told.next
            if after is None:
                break
        assert found == ["s4", "s3", "s2", "s1", "s0"]


@pytest.mark.parametrize("budget", [50, 120, 200])
def test_a_session_longer_than_the_budget_is_cut_with_a_mark_and_keeps_nobody_from_those_behind_it(
    whole: App, budget: int
) -> None:
    for number in range(3):
        start = START + timedelta(days=number)
        for what in ("ledger", "crane log", "tariff", "tide table", "berth plan", "harbour page"):
            words = (
                f"Keep the {what} of berth {number} in a file of its own, {'so that the foreman finds it, ' * 5}always"
            )
            keep(whole, words, category="decision", session_id=f"s{number}")
        take(whole, session(KEPT, name=f"s{number}", start=start), "both")
    found, after = list[str](), None
    while True:
        told = brief(whole, BriefInput(namespace=HERE, budget=budget, after=after))
        (one,) = told.sessions
        lines = [each for each in (one.asked, *one.done, *one.decided, *one.left_open, one.unanswered) if each]
        assert lines
        assert all(f"{each.text} [{each.memory_id[-10:]}]" in told.text for each in lines)
        assert one.memories >= 6
        assert told.text.endswith("\n…")
        assert len(told.text) <= budget * 4
        found.append(one.session_id)
        if (after := told.next) is None:
            break
    assert found == ["s2", "s1", "s0"]
    whole_brief = brief(whole, BriefInput(namespace=HERE, session_id="s1"))
    assert "…" not in whole_brief.text
    assert len(whole_brief.sessions[0].decided) == 6


def test_a_session_of_which_nothing_else_is_told_is_told_by_what_was_kept(whole: App) -> None:
    take(whole, session("The winter tariff ends on 31 March in every harbour."), "extract")
    told = brief(whole, BriefInput(namespace=HERE))
    (line,) = told.sessions[0].kept
    assert "winter tariff" in line.text
    assert f"kept: {line.text}" in told.text
    take(whole, session(KEPT, name="s2"), "both")
    assert not brief(whole, BriefInput(namespace=HERE, session_id="s2")).sessions[0].kept
