"""Evidence in, the turns by which what was forgotten is known again out."""

import pytest

from pellucid.memory.erasure.tombstone import evidence_keys, evidence_turns


@pytest.mark.parametrize(
    ("evidence", "turns"),
    [
        (("one:3-5",), [("one", 3), ("one", 4), ("one", 5)]),
        (("one:1-64",), [("one", each) for each in range(1, 65)]),
        (("one:1-99999999",), [("one", each) for each in range(1, 65)]),
        (("one:5-3", "one", "one:x-y"), []),
    ],
)
def test_a_piece_of_evidence_names_64_turns_at_most(evidence: tuple[str, ...], turns: list[tuple[str, int]]) -> None:
    assert evidence_turns(evidence) == turns
    assert len(set(evidence_keys(b"key", "local/default", evidence))) == len(turns)
