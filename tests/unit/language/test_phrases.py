"""Texts in, the phrases that one takes over from the other out."""

import pytest

from pellucid.language.quoting.phrases import longest_covered, phrases, words_row

SAID = "The relay of rack 7 listens on port 9041, and rack 8 is behind it."


@pytest.mark.parametrize(
    "text",
    [
        "We know that the *relay* of rack 7 listens on port 9041.",
        "THE RELAY OF\nRACK 7 `listens` on port 9041",
    ],
)
def test_a_phrase_is_the_same_in_whatever_marks_letters_and_lines(text: str) -> None:
    shared = phrases(SAID, 4).keys() & phrases(text, 4).keys()
    assert "relay of rack 7 listens" in shared
    assert longest_covered(text, [phrases(text, 4)[each] for each in shared]).casefold().endswith("port 9041")


@pytest.mark.parametrize(
    "text",
    [
        "The relay is in rack 7. It listens on port 9041.",
        "relay | rack 7 | listens | port 9041",
        "The relay listens to a stranger.",
        "src/relay/rack/7/listens/port.py",
        "relay relay relay relay relay",
        "",
    ],
)
def test_words_of_another_order_of_several_sentences_cells_or_of_one_path_are_no_phrase(text: str) -> None:
    assert not phrases(SAID, 4).keys() & phrases(text, 4).keys()


def test_two_signs_of_a_script_without_spaces_count_as_a_word() -> None:
    said, quoted = "起重机的刹车每周一由夜班检查。", "他说刹车每周一由夜班检查了"
    assert phrases(said, 4).keys() & phrases(quoted, 4).keys()
    assert not phrases(said, 4).keys() & phrases("每周一由我开车", 4).keys()


def test_a_phrase_is_found_in_the_row_of_the_text_that_holds_it() -> None:
    assert all(f" {each} " in words_row(SAID) for each in phrases(SAID, 4))
    assert " lay of rack 7 listens " not in words_row(SAID)


def test_evidence_is_one_line_of_bounded_length() -> None:
    text = "word " * 100
    assert len(longest_covered(text, [(0, len(text))])) == 201
    assert longest_covered("a b\nc d e", [(0, 5), (8, 9)]) == "a b c"
