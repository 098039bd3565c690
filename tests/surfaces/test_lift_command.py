"""`pellucid lift …` in; what legs were worth, and what is wrong with the flags, out."""

from kits.cli import Cli


def test_the_worth_of_legs_is_told_over_the_recalls_there_are(cli: Cli) -> None:
    cli("remember", "the relay listens on port 8080")
    cli("recall", "which port does the relay listen on")
    found = cli("lift", "--leg", "lexical", "--leg", "lexical", "--json").json
    assert found["recalls"] == 1
    assert [(each["leg"], each["recalls"], each["tookPart"]) for each in found["lifts"]] == [("lexical", 1, 1)] * 2
    assert "queryClass" not in found["lifts"][0]
    assert "lexical" in cli("lift", "--leg", "lexical").out


def test_what_is_no_leg_is_refused_by_the_name_of_the_flag(cli: Cli) -> None:
    assert "--leg expects some of vector" in cli("lift", "--leg", "moon", code=2).err
