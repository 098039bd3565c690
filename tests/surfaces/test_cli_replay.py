"""Recalls on the command line, looked at again: replayed, asked again, compared, and without a part."""

from pathlib import Path

import pytest

from kits.cli import Cli
from pellucid.store.local.history.history import LocalHistory

NOBODY = "rec_" + "0" * 32


def asked(cli: Cli, *words: str) -> str:
    return cli("recall", *words, "--json").json["recallId"]


@pytest.fixture
def port(cli: Cli) -> Cli:
    """The command line over a home with three memories."""
    for text in ("the harbour crane lifts forty tonnes", "the ferry leaves at nine", "the tide turns at noon"):
        cli("remember", text)
    return cli


@pytest.mark.requirement("XRAY-5")
def test_a_recall_is_replayed_with_the_scores_that_it_had(port: Cli) -> None:
    answer = port("recall", "harbour crane", "--json").json
    again = port("replay", answer["recallId"], "--json").json
    assert again["identical"] is True
    assert "live" not in again
    finals = {each["memoryId"]: each["final"] for each in again["results"]}
    assert {each["memory"]["id"]: each["final"] for each in answer["memories"]} == finals
    lines = port("replay", answer["recallId"]).out.splitlines()
    assert lines[0] == f"{answer['recallId']}: identical to what was served; 3 of 3 ranked"
    first = answer["memories"][0]["memory"]
    assert lines[1].startswith(f"   1  {first['content']}  {first['id'][-10:]}  ")
    assert again["words"][first["id"]] == first["content"]


@pytest.mark.requirement("XRAY-5")
def test_asked_again_it_is_identical_or_says_why(port: Cli) -> None:
    recall_id = asked(port, "harbour crane")
    assert "asked again: identical\n" in port("replay", recall_id, "--live").out
    chosen = next(each["memory"]["id"] for each in port("list", "--json").json["memories"])
    port("forget", chosen, "--yes")
    said = port("replay", recall_id, "--live")
    assert "asked again: not the same" in said.out
    assert "  corpus-statistics-changed (-1)\n" in said.out
    assert f"  forgotten (1)\n    {chosen}\n" in said.out
    assert f"    {chosen}\n      #" in said.out
    found = port("replay", recall_id, "--live", "--json").json["live"]
    assert found["identical"] is False
    assert {"forgotten", "corpus-statistics-changed"} <= {each["name"] for each in found["reasons"]}
    assert [each["memoryId"] for each in found["difference"]["left"]] == [chosen]


def test_asked_again_it_says_the_words_of_what_is_new_and_of_what_is_given_instead(port: Cli) -> None:
    answer = port("recall", "harbour crane", "--top-k", "1", "--json").json
    second = port("recall", "harbour crane", "--json").json["memories"][1]["memory"]
    port("archive", answer["memories"][0]["memory"]["id"])
    added = port("remember", "a bakery sells rolls", "--json").json["memory"]
    said = port("replay", answer["recallId"], "--live")
    assert f"  added (1)\n    a bakery sells rolls  {added['id'][-10:]}\n" in said.out
    assert f"  entered:\n    {second['content']}  {second['id'][-10:]}\n" in said.out


def test_a_query_that_was_not_kept_cannot_be_asked_again(port: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PELLUCID_RECALL__STORE_QUERY_TEXT", "false")
    said = port("replay", asked(port, "harbour crane"), "--live").out
    assert "identical to what was served" in said
    assert "cannot be asked again\n  query-withheld (its words were not kept, or were erased)" in said


@pytest.mark.requirement("XRAY-6")
def test_two_recalls_are_compared(port: Cli) -> None:
    a, b = asked(port, "harbour crane"), asked(port, "harbour crane", "--without", "rerank", "--top-k", "2")
    lines = port("diff", a, b).out.splitlines()
    assert lines[:3] == [f"a: {a}", f"b: {b}", "query: same"]
    assert "  without: none → rerank" in lines
    assert "  topKFacts: 20 → 2" in lines
    found = port("diff", a, b, "--json").json
    assert (found["a"], found["b"], found["same"]) == (a, b, False)
    assert len(found["left"]) == 1
    assert f"  {found['words'][found['left'][0]['memoryId']]}  " in "\n".join(lines)
    same = port("diff", a, a).out
    assert "served: the same memories in the same order, with the same scores" in same


def test_the_leg_that_made_the_difference_has_the_name_that_without_takes(port: Cli) -> None:
    without = "--without", "rerank"
    a, b = asked(port, "harbour crane", *without), asked(port, "harbour crane", *without, "--without", "lexical")
    said = port("diff", a, b).out
    assert ", most by lexical (-" in said
    assert "bm25" not in said


@pytest.mark.requirement("XRAY-5")
def test_what_each_leg_did_is_shown(port: Cli) -> None:
    recall_id = asked(port, "harbour crane")
    found = port("ablate", recall_id, "--json").json["effects"]
    assert [each["parts"] for each in found][:2] == [["vector"], ["lexical"]]
    said = port("ablate", recall_id, "--without", "vector", "--without", "expand").out
    assert said.splitlines()[1].startswith("without vector, expand: 0 enter, 2 leave")
    assert "  - the ferry leaves at nine  " in said
    assert "without pin: nothing changes" in port("ablate", recall_id, "--without", "pin").out
    blind = asked(port, "zyzzyva")
    assert "without vector: the receipt cannot tell: " in port("ablate", blind).out


def test_beside_who_enters_and_who_moves_without_a_part_stand_their_words(cli: Cli) -> None:
    north, south = "a crane lifts timber on the north quay", "a crane lifts timber on the south quay"
    ids = {words: cli("remember", words, "--json").json["memory"]["id"] for words in (north, south)}
    last = cli("recall", "crane", "--json").json["memories"][1]["memory"]["id"]
    (pinned,) = (words for words in ids if ids[words] == last)
    (other,) = (words for words in ids if ids[words] != last)
    cli("pin", last)
    lines = cli("ablate", asked(cli, "crane", "--top-k", "1"), "--without", "pin").out.splitlines()
    assert lines[1].startswith("without pin: 1 enter, 1 leave, 0 move")
    assert lines[2:] == [f"  + {other}  {ids[other][-10:]}", f"  - {pinned}  {ids[pinned][-10:]}"]
    lines = cli("ablate", asked(cli, "crane"), "--without", "pin").out.splitlines()
    assert lines[1].startswith("without pin: 0 enter, 0 leave, 2 move")
    assert lines[2:] == [f"  #2 → #1  {other}  {ids[other][-10:]}", f"  #1 → #2  {pinned}  {ids[pinned][-10:]}"]


def test_a_recall_of_another_place_is_unknown_and_a_pruned_one_says_so(port: Cli, tmp_path: Path) -> None:
    recall_id = asked(port, "harbour crane")
    assert "no recall" in port("replay", recall_id, "--namespace", "other/place", code=3).err
    history = LocalHistory(tmp_path / "home" / "history.db")
    history.prune(2**53, 100)
    history.close()
    for command in (["replay", recall_id], ["diff", recall_id, recall_id], ["ablate", recall_id]):
        assert "was pruned: only its results are kept" in port(*command, code=3).err
