"""A correction or a retraction and what is kept in, the memories it means out."""

import pytest

from pellucid.memory.reconcile.targets import corrected, retracted
from pellucid.model.memory import Memory


def _memory(content: str, session: str = "s", number: int = 1) -> Memory:
    return Memory.model_validate(
        {
            "id": f"mem_{number:032x}",
            "category": "fact",
            "namespace": "local/default",
            "content": content,
            "created": "2026-04-20T10:00:00Z",
            "updated": "2026-04-20T10:00:00Z",
            "source": "extraction",
            "session_id": session,
        }
    )


KEPT = [
    _memory("The launch is on Tuesday", number=1),
    _memory("The quote cache TTL is 300 seconds, which is five minutes", number=2),
    _memory("Backups are kept for 30 days", "t", number=3),
]


@pytest.mark.requirement("RECON-2")
@pytest.mark.parametrize(
    ("said", "about", "meant"),
    [
        ("The launch is on Thursday", "Tuesday", KEPT[0]),
        ("The launch is on Thursday", "", None),  # one common word says too little without the old value
        ("The partner feed runs every 15 minutes", "hourly", None),
        ("Backups are kept for 90 days", "", KEPT[2]),
        ("Backups are kept for 90 days", "60 days", None),
        ("The quote cache TTL is 600 seconds", "300", KEPT[1]),
    ],
)
def test_a_correction_means_the_one_memory_that_is_like_it(said: str, about: str, meant: Memory | None) -> None:
    assert corrected(_memory(said, number=9), about, KEPT) is meant


@pytest.mark.requirement("RECON-2")
def test_a_correction_that_could_mean_two_means_none() -> None:
    twins = [_memory("The red launch is on Tuesday", number=4), _memory("The blue launch is on Tuesday", number=5)]
    assert corrected(_memory("The launch is on Thursday", number=9), "Tuesday", twins) is None


@pytest.mark.requirement("RECON-2")
def test_a_retraction_means_what_holds_its_words_first_in_the_same_session() -> None:
    there = _memory("Backups are kept in Frankfurt", "s", number=6)
    assert retracted("the backups", [*KEPT, there], "s") == [there]
    assert retracted("the backups", KEPT, "s") == [KEPT[2]]
    assert retracted("the", KEPT, "s") == []
    assert retracted("the holidays", KEPT, "s") == []
