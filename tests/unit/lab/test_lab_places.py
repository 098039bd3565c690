"""Evidence strings in, the records they stand in out."""

from pellucid.lab.datasets.dataset import Group, KeptMemory, Record
from pellucid.lab.datasets.places import Places, place, rank_records, span
from pellucid.model.turn import Turn

GROUP = Group("g", tuple(Record(f"k{n}", Turn("s:1", n, "user", f"turn {n}")) for n in range(1, 9)), ())


def test_a_range_covers_its_turns_once_and_in_order() -> None:
    places = Places.of(GROUP)
    assert places.covered(["s:1:2-4"]) == ("k2", "k3", "k4")
    assert places.covered(["s:1:4-4", "s:1:3-4"]) == ("k4", "k3")


def test_a_wide_range_points_at_nothing() -> None:
    assert Places.of(GROUP).covered(["s:1:2-5", "s:1:8-8"]) == ("k8",)


def test_evidence_of_elsewhere_or_of_another_form_covers_nothing() -> None:
    assert Places.of(GROUP).covered(["t:2-2", "s:1:9-9", "s:1:4-3", "notes.md", "s:1:x-y", ""]) == ()
    assert span("notes.md") == ("notes.md", 0, 0)


def test_a_document_is_turn_one_of_itself() -> None:
    document = Record("d1", Turn("", 0, "user", "T. x"))
    assert place(document) == ("d1", 1)
    assert Places.of(Group("g", (document,), ())).covered(["d1:1-1"]) == ("d1",)


def moment(text: str, *keys: str) -> KeptMemory:
    return KeptMemory(text, keys, transcribed=True)


def test_a_turn_in_several_passages_takes_one_place_where_its_first_stands() -> None:
    first, other, later = moment("one", "k1"), moment("x", "k2"), moment("two", "k1")
    assert rank_records([first, later, other], 2) == [first, other]


def test_two_memories_of_one_turn_take_two_places() -> None:
    made, also, said = KeptMemory("made", ("k1",)), KeptMemory("also made", ("k1",)), moment("said", "k1")
    assert rank_records([made, also, said], 9) == [made, also, said]


def test_words_of_no_record_and_of_the_one_asked_about_take_no_place() -> None:
    stub, asked, found, nowhere = moment("stub"), moment("asked", "k1"), moment("found", "k2"), KeptMemory("made", ())
    assert rank_records([stub, asked, nowhere, found], 9, about="k1") == [nowhere, found]
