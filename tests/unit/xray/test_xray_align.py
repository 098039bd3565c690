"""A query and a memory in, which word of the one is said to have met which of the other out."""

import pytest

from kits.vault import Opener
from pellucid.xray.align import Aligner


def met(house: Opener, query: str, terms: tuple[str, ...], text: str) -> dict[str, str]:
    """For each term the memory's word that it met."""
    aligner = Aligner(house().embedder, query, terms, tuple(range(len(terms))))
    return {terms[each.term]: each.word for each in aligner.align(text)}


@pytest.mark.parametrize("query", ["start party art", "art start party", "start, party: art!"])
def test_a_word_is_aligned_where_it_stands_alone_and_not_inside_another(house: Opener, query: str) -> None:
    found = met(house, query, ("start", "party", "art"), "a start, a party and art")
    assert found == {"start": "start", "party": "party", "art": "art"}


def test_in_a_script_without_spaces_a_word_is_aligned_where_it_stands(house: Opener) -> None:
    assert set(met(house, "港口起重机", ("港口",), "港口 crane")) == {"港口"}
