"""Sentences as a reader tells them apart: abbreviations, and quotations in mid-sentence, end none."""

import pytest

from pellucid.language.sentences import closing_mark, has_question_form, is_closed, join_sentences, sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The relay restarts. It then reads its log.", ["The relay restarts.", "It then reads its log."]),
        ("i moved to Graz. now i live by the river", ["i moved to Graz.", "now i live by the river"]),
        ("Dr. Amsel wrote it, e.g. the part on ferries.", ["Dr. Amsel wrote it, e.g. the part on ferries."]),
        ("Is it in use? No. The new one is.", ["Is it in use?", "No.", "The new one is."]),
        ("It lies at berth no. 5. The crane is beside it.", ["It lies at berth no. 5.", "The crane is beside it."]),
        ('He said "go." Then she left.', ['He said "go."', "Then she left."]),
        ('"Why now?" she asked. He shrugged.', ['"Why now?" she asked.', "He shrugged."]),
        ("Call log(err, ...) before you return. Always.", ["Call log(err, ...) before you return.", "Always."]),
        ("A plain `ls | grep -c .` counts all. Use `-l`.", ["A plain `ls | grep -c .` counts all.", "Use `-l`."]),
        ("`lint ./dock/... ./crane/...` and `go vet` pass.", ["`lint ./dock/... ./crane/...` and `go vet` pass."]),
        ("Please build 1. and 2. Leave 3.", ["Please build 1. and 2.", "Leave 3."]),
        ("We have 3. 4 are gone.", ["We have 3.", "4 are gone."]),
        ("港は九時に開きます。船は十時に出ます。", ["港は九時に開きます。", "船は十時に出ます。"]),
        ("", []),
    ],
)
def test_a_text_is_cut_where_a_reader_ends_a_sentence(text: str, said: list[str]) -> None:
    assert list(sentences(text)) == said


def test_sentences_are_joined_with_a_full_stop_only_where_no_mark_closes_one() -> None:
    assert join_sentences(["The crane lifts 40 t", 'It says "closed."', "Who drives?", "Ana"]) == (
        'The crane lifts 40 t. It says "closed." Who drives? Ana'
    )


def test_what_closes_behind_a_mark_hides_it_from_nobody() -> None:
    assert (closing_mark('"Shall we?"'), closing_mark("done.**"), closing_mark("(so")) == ("?", ".", "o")
    assert is_closed("It holds.)")
    assert not is_closed("It counts with `grep -c .`")
    assert not is_closed("as follows:")


@pytest.mark.parametrize(
    "text", ["Which port?", "¿Qué puerto", "どの港ですか", "港は開きましたか。", "哪个港口呢", "真的؟"]
)
def test_a_question_is_known_by_its_form(text: str) -> None:
    assert has_question_form(text)
