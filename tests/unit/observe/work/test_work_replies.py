"""An agent's last words and a short reply to them in, what the reply agrees to out."""

import pytest

from kits.extraction import FixedClock
from kits.work import told, turns
from pellucid.model.turn import Segment
from pellucid.observe.extract.extractor import HeuristicExtractor
from pellucid.observe.judge import HeuristicJudge
from pellucid.observe.pipeline import observe
from pellucid.observe.work.answering import shortened

CAUSE = "The uploads fail because the signer reads the clock of the container, which drifts while the laptop sleeps."


def chosen(said: str, reply: str) -> list[str]:
    return [each for each in told(("assistant", said), ("user", reply)) if "(chosen:" in each]


@pytest.mark.parametrize(
    ("asked", "settled"),
    [
        ("Should we keep invoices in their own schema?", "Keep invoices in their own schema"),
        ("Want me to store prices as integer cents everywhere?", "Store prices as integer cents everywhere"),
        ("Do you want me to drop support for Node 16?", "Drop support for Node 16"),
    ],
)
def test_a_yes_agrees_to_what_was_asked_last_said_without_the_asking(asked: str, settled: str) -> None:
    assert chosen(f"{CAUSE} {asked}", "yes") == [f"{settled} (chosen: “yes”)"]


def test_a_yes_in_german_does_so_too() -> None:
    said = "Die Tests laufen durch. Sollen wir die Preise überall als ganze Cent speichern?"
    assert chosen(said, "ja") == ["Die Preise überall als ganze Cent speichern (chosen: “ja”)"]


@pytest.mark.parametrize(
    "asked",
    [
        "Want me to implement the fix on `next`?",
        "I haven't put the latest build on the tablet. Want me to reinstall it and take another screenshot?",
        "Should I push it now?",
        "The build is at `app/out/till.apk`. Want me to install it?",
        "I took a picture of the tablet. Let me know if you want me to open it for the glitches.",
        "Would you like me to:\n- Rename the columns\n- Document any other parts of the schema you find helpful?",
    ],
)
def test_a_yes_to_an_order_of_the_moment_settles_nothing(asked: str) -> None:
    assert chosen(f"{CAUSE} {asked}", "yes") == []


def test_a_yes_always_is_a_standing_preference() -> None:
    said = f"{CAUSE} The tests pass. Want me to reinstall the build and take another screenshot?"
    assert chosen(said, "yes always") == [
        "Always reinstall the build and take another screenshot (chosen: “yes always”)"
    ]
    assert chosen(said, "yes please") == []


def test_a_question_that_names_nothing_is_about_the_proposal_before_it_and_not_about_a_finding() -> None:
    proposal = "The signer must never read the clock of the container, it must ask the gateway for the time."
    assert chosen(f"{CAUSE}\n\n{proposal} Want me to make that change?", "yes") == [
        f"{proposal.rstrip('.')} (chosen: “yes”)"
    ]
    assert chosen(f"{CAUSE} Want me to mend that?", "yes") == []


MENU = (
    "Three things need mending:\n\n1. Round prices only once they are summed up.\n\n"
    "2. The till must ask the gateway for the time before each receipt.\n\n"
    "3. Refunds carry the number of their receipt.\n\nWant me to build these?"
)


def answered(said: str, reply: str) -> list[str]:
    return [each for each in told(("assistant", said), ("user", reply)) if "(answered:" in each]


def test_what_is_held_against_an_item_is_quoted_whole_and_accepts_nothing() -> None:
    reply = "Yes, but for 2. we must never wait for the gateway. What if the till kept a clock of its own?"
    assert chosen(MENU, reply) == []
    quote = "Yes, but for 2. we must never wait for the gateway. What if the till kept a clock of its own?"
    assert answered(MENU, reply) == [
        f"The till must ask the gateway for the time before each receipt. (answered: “{quote}”)"
    ]
    kept = told(("assistant", MENU), ("user", reply))
    assert not any(each.startswith("We must never wait") for each in kept)
    assert any("Refunds carry the number" in each for each in kept)


def test_a_yes_that_is_qualified_has_its_but_beside_it() -> None:
    asked = f"{CAUSE} Should we keep invoices in their own schema?"
    said = "Keep invoices in their own schema (answered: “yes, but not the drafts”)"
    assert answered(asked, "yes, but not the drafts.") == [said]
    assert answered(asked, "Yes. But not the drafts.") == [said.replace("yes, but", "Yes. But")]
    assert chosen(asked, "yes, but not the drafts.") == []


def test_a_qualified_yes_in_german_is_no_acceptance_either() -> None:
    said = "Die Tests laufen durch. Sollen wir die Preise überall als ganze Cent speichern?"
    assert chosen(said, "ja, aber nicht im Export") == []
    assert len(answered(said, "ja, aber nicht im Export")) == 1


def test_what_is_denied_is_not_picked() -> None:
    assert chosen(MENU, "no, 2 is wrong") == []
    assert [each.partition(" (")[0] for each in chosen(MENU, "1, not 3")] == [
        "Round prices only once they are summed up."
    ]


def test_what_goes_on_behind_an_answer_leaves_a_mark_in_its_quote() -> None:
    kept = told(("assistant", MENU), ("user", "let's do 1. Never round anything else in the till."))
    assert kept[-2:] == [
        "Round prices only once they are summed up. (chosen: “let's do 1 …”)",
        "Never round anything else in the till",
    ]


def test_a_long_answer_ends_where_a_sentence_ends() -> None:
    clause = "we keep the receipts of a closed till in the archive until the office has counted them"
    assert shortened(f"{clause}. {clause}. {clause}.", 200) == f"{clause}. {clause}. …"
    assert shortened(clause, 200) == clause
    assert shortened(f"{clause}, and {clause}", 100).endswith(" we keep …")


@pytest.mark.requirement("TRUST-2")
def test_what_a_tool_printed_between_an_offer_and_the_yes_is_no_source_of_the_choice() -> None:
    offer = ("assistant", f"{CAUSE} Should we keep invoices in their own schema?")
    session = turns(("user", "Where do they go?"), offer, ("tool", "ls"), ("tool", "invoices.sql"), ("user", "Yes"))
    found = observe(Segment("s", session, "session_end"), HeuristicExtractor(), HeuristicJudge(), FixedClock())
    (choice,) = [each for each in found if "(chosen:" in each.fact.content]
    assert [str(each) for each in choice.fact.evidence] == ["s:2-2", "s:5-5"]
    assert choice.source_class == "assistant_output"
