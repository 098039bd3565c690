"""What was said and not kept in, why out: found by its words, of which the ledger holds none."""

import json
from pathlib import Path

import pytest

from kits.intake import HERE, held, session, take
from pellucid.app import App
from pellucid.errors import InputError, NotFoundError
from pellucid.memory.ledger_rows import rows_of_type
from pellucid.model.ledger import UnkeptRow, VerdictRow
from pellucid.operations.memory.forgetting import ForgetInput, forget
from pellucid.operations.recall.request import RecallInput
from pellucid.operations.recall.why import WhyInput, why
from pellucid.operations.session.importing import ImportInput, import_transcripts
from pellucid.surfaces.present.recall.why import why_text

_SAID = (
    "The build is broken right now, because of the zephyr plugin.",
    "Grandmother painted watercolours near the harbour.",
    "Maybe the zephyr plugin might be replaced by something smaller.",
    "That one belongs under the blue folder.",
)


def _answer(app: App, words: str) -> str:
    return why(app, WhyInput(namespace=HERE, memory=words)).sentence


@pytest.mark.parametrize("said", _SAID)
def test_a_statement_that_was_not_kept_says_why_by_its_words(whole: App, said: str) -> None:
    take(whole, session("We decided to cut releases every Tuesday.", said))
    assert said not in held(whole, None)
    answer = _answer(whole, said.upper().rstrip("."))
    assert answer.startswith("Never kept, because ")
    assert "s1:2-2" in answer


def test_every_plain_statement_became_a_memory_or_has_a_row(whole: App) -> None:
    take(whole, session(*_SAID))
    found = [*rows_of_type(whole.ledger, VerdictRow, HERE), *rows_of_type(whole.ledger, UnkeptRow, HERE)]
    assert {turn for row in found for turn in row.evidence} == {f"s1:{n}-{n}" for n in range(1, 5)}


def test_no_word_of_what_was_not_kept_is_in_the_home(whole: App, home: Path) -> None:
    take(whole, session(*_SAID))
    assert "zephyr" not in json.dumps(list(whole.ledger.rows()), default=str)
    whole.close()
    assert not [each for each in home.rglob("*") if each.is_file() and b"zephyr" in each.read_bytes()]


def test_a_forgotten_turn_is_not_told_of(whole: App) -> None:
    take(whole, session(f"We decided to cut releases every Tuesday. {_SAID[1]}"))
    asked = RecallInput(query="what is near the harbour?", namespace=HERE)
    (memory,) = held(whole).values()
    forget(whole, ForgetInput(namespace=HERE, memory_ids=(memory.id,)))
    take(whole, session("We deploy with make release.", name="other"))
    with pytest.raises(NotFoundError, match="is like"):
        why(whole, WhyInput(namespace=HERE, memory=_SAID[1], question=asked))


def test_what_is_kept_is_explained_as_before(whole: App) -> None:
    take(whole, session("We decided to cut releases every Tuesday."))
    asked = RecallInput(query="how often do we release?", namespace=HERE)
    outcome = why(whole, WhyInput(namespace=HERE, memory="cut releases every Tuesday", question=asked))
    assert outcome.finding


def test_without_a_question_kept_words_are_told_to_be_kept_and_unknown_ones_to_be_unknown(whole: App) -> None:
    take(whole, session("We decided to cut releases every Tuesday."))
    (memory,) = held(whole).values()
    outcome = why(whole, WhyInput(namespace=HERE, memory="cut releases every Tuesday"))
    assert outcome.sentence.startswith(f"Kept, as {memory.id}, which is active.")
    assert (outcome.memory_id, outcome.finding) == (memory.id, None)
    with pytest.raises(NotFoundError, match="nothing is on record"):
        why(whole, WhyInput(namespace=HERE, memory="zebras like bananas on toast"))
    with pytest.raises(InputError, match="a question or an earlier recall is required"):
        why(whole, WhyInput(namespace=HERE, memory=memory.id))


def test_a_question_that_stands_alone_says_why_the_first_answer_it(whole: App) -> None:
    take(whole, session("We decided to cut releases every Tuesday."))
    (memory,) = held(whole).values()
    for question in ("when do we cut releases?", "when do we cut releases"):
        outcome = why(whole, WhyInput(namespace=HERE, memory=question))
        assert [each.memory_id for each in outcome.candidates] == [memory.id]
        assert outcome.sentence.startswith("No memory says these words; as a question, they bring 1 memory: ")
        assert outcome.candidates[0].why.startswith("Found 1st by meaning")
        assert f"    {outcome.candidates[0].why}\n" in f"{why_text(outcome)}\n"
    assert list(whole.receipts.recalls(HERE, limit=1)) == []


def test_an_import_counts_the_statements_it_made_nothing_of(whole: App, home: Path) -> None:
    chat = home.parent / "chat.jsonl"
    turns = [{"role": "user", "content": said, "session": "s1"} for said in ("We deploy every Tuesday.", *_SAID)]
    chat.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns), "utf-8")
    outcome = import_transcripts(whole, ImportInput(mode="extract", paths=(chat,), namespace=HERE))
    assert outcome.unkept
    assert sum(outcome.unkept.values()) == len(list(rows_of_type(whole.ledger, UnkeptRow, HERE)))


def test_a_statement_that_stands_in_a_passage_alone_says_why_no_memory_was_made_of_it(whole: App) -> None:
    take(whole, session("We decided to cut releases every Tuesday.", _SAID[1]), mode="both")
    answer = _answer(whole, _SAID[1])
    assert answer.startswith("Kept word for word, in passage mem_")
    assert "As a memory of its own: Never kept, because " in answer


def test_words_that_a_memory_and_its_passage_say_are_the_memorys(whole: App) -> None:
    take(whole, session("We decided to cut releases every Tuesday."), mode="both")
    memory = next(each for each in held(whole).values() if each.category != "moment")
    assert len(held(whole)) == 2
    asked = RecallInput(query="how often do we release?", namespace=HERE)
    assert why(whole, WhyInput(namespace=HERE, memory="releases every Tuesday", question=asked)).memory_id == memory.id
