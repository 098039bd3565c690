"""An agent's last words and a short reply to them in, what the reply agrees to out."""

import pytest

from kits.work import told

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
