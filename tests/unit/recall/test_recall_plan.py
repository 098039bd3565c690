"""Queries in every script and size in, what the plan makes of them out."""

from dataclasses import replace

import pytest

from kits.vault import HERE, Opener, a_memory, file_memories, keep, run
from pellucid.app import App
from pellucid.errors import InputError
from pellucid.recall.query.limits import MAX_CHARACTERS
from pellucid.recall.query.plan import MAX_STEMS, clean
from pellucid.recall.state import Plan


def planned(app: App, query: str) -> Plan:
    return run(app, query).plan


@pytest.mark.parametrize(
    ("query", "cleaned"),
    [
        ("a\0b", "a b"),
        ("  why?\n", "why?"),
        ("a\tb", "a b"),
        ("\ud83d x", "x"),
        ("🚢 港口", "🚢 港口"),
        ("\x85\u2028a", "a"),
        ("e\u0301", "e\u0301"),
        ("\u202eabc", "\u202eabc"),
    ],
)
def test_control_characters_and_lone_surrogates_become_spaces(query: str, cleaned: str) -> None:
    assert clean(query) == cleaned


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\0\0", "\ud83d", "\x1b"])
def test_a_query_of_nothing_is_refused(query: str) -> None:
    with pytest.raises(InputError) as caught:
        clean(query)
    assert caught.value.code == "missing_query"
    assert caught.value.exit_code == 2


def test_a_query_may_be_long_but_not_endless(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane lifts forty tonnes")
    assert run(app, "crane " * (MAX_CHARACTERS // 6)).served
    assert run(app, "x" * 10_000).plan.encoding
    clean("y" * MAX_CHARACTERS)
    with pytest.raises(InputError, match="20001 characters, and 20000") as caught:
        run(app, "y" * (MAX_CHARACTERS + 1))
    assert caught.value.code == "invalid_query"


def test_words_are_spelled_as_the_query_first_spelled_them(house: Opener) -> None:
    app = house()
    keep(app, "Releases are cut on Tuesdays in Übersee")
    plan = planned(app, "RELEASE übersee releases Tuesday ÜBERSEE?")
    assert plan.words == ("RELEASE", "übersee", "Tuesday")
    assert plan.stems == ("releas", "uberse", "tuesdai")
    assert plan.frequencies == (1, 1, 1)
    assert plan.searched == (0, 1, 2)


def test_words_that_hold_a_sentence_together_are_not_searched_unless_alone(house: Opener) -> None:
    app = house()
    keep(app, "when the tide is out we of the harbour do not sail")
    asked = planned(app, "when do we sail")
    assert [asked.words[i] for i in asked.searched] == ["sail"]
    alone = planned(app, "when do we")
    assert [alone.words[i] for i in alone.searched] == ["when", "do", "we"]


def test_unknown_words_are_never_searched(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane")
    plan = planned(app, "zyzzyva crane")
    assert plan.frequencies == (0, 1)
    assert plan.searched == (1,)
    assert planned(app, "zyzzyva").searched == ()


def test_the_rarest_words_are_searched_until_the_cost_is_spent_and_one_at_least(house: Opener) -> None:
    app = house(lexical_cost=4)
    file_memories(
        app, [a_memory(n, f"cargo {'crane' if n < 4 else ''} {'pilot' if n < 2 else ''}") for n in range(1, 7)]
    )
    plan = planned(app, "cargo crane pilot")
    assert dict(zip(plan.words, plan.frequencies, strict=True)) == {"cargo": 6, "crane": 3, "pilot": 1}
    assert [plan.words[i] for i in plan.searched] == ["crane", "pilot"]
    assert [planned(app, "cargo").words[i] for i in planned(app, "cargo").searched] == ["cargo"]


def test_of_a_very_long_query_the_rarest_known_words_are_kept(house: Opener) -> None:
    app = house()
    keep(app, "zulu yankee")
    plan = planned(app, " ".join(f"w{n}" for n in range(200)) + " zulu yankee")
    assert len(plan.stems) == MAX_STEMS
    assert {plan.words[i] for i in plan.searched} == {"zulu", "yankee"}


@pytest.mark.parametrize(
    "query", ["When do we cut releases?", "发布 每天 cache_ttl=300", "  🚢 übersee\tCRANE", "e\u0301te\u0301"]
)
def test_each_query_token_is_aligned_with_the_word_it_stands_in(house: Opener, query: str) -> None:
    app = house()
    keep(app, "we cut releases every Tuesday 发布 crane cache ttl ete")
    plan = planned(app, query)
    assert plan.encoding
    assert len(plan.token_stem) == len(plan.encoding.tokens) == len(plan.encoding.spans)
    for stem, (start, end) in zip(plan.token_stem, plan.encoding.spans, strict=True):
        token = plan.text[start:end]
        if stem >= 0 and plan.words[stem].isascii():
            assert token.casefold() in plan.text.casefold()
            assert (
                plan.words[stem].casefold()[:1] in token.casefold() or token.casefold() in plan.words[stem].casefold()
            )
        if stem < 0:
            assert not any(c.isalnum() for c in token) or len(plan.stems) == 0


def test_a_home_without_an_encoder_still_plans(house: Opener) -> None:
    app = house(encoder=None)
    keep(app, "the harbour crane")
    plan = planned(app, "crane")
    assert plan.encoding is None
    assert plan.encoder_problem
    assert plan.searched == (0,)


def test_the_instant_asked_about_is_the_requests(house: Opener) -> None:
    app = house()
    keep(app, "the harbour crane")
    state = run(app, "crane")
    assert state.admission.at == int(state.request.at.timestamp() * 1000)
    assert app.recaller.run(replace(state.request, query="crane", namespace=HERE)).served


def test_a_name_that_reads_like_thanks_is_asked_for(house: Opener) -> None:
    app = house()
    file_memories(app, [a_memory(1, "Roger runs the night shift", entity_ref="Roger")])
    assert run(app, "Roger").plan.depth == "full"
    assert run(app, "roger that, thanks").plan.depth == "full"
    assert run(app, "thanks").plan.depth == "no_recall"
    assert run(app, "looks good", review="src/app.py").plan.depth == "full"


def test_a_short_command_gets_few_memories_unless_the_caller_says_how_many(house: Opener) -> None:
    app = house()
    for n in range(9):
        keep(app, f"the tests of part {n} run in a container")
    assert len(run(app, "run the tests").served) == 4
    assert len(run(app, "run the tests", top_k=7).served) == 7
    assert len(run(app, "run the tests", budget=8_000).served) == 9
    assert len(run(app, "how do the tests run?").served) == 9
