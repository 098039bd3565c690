"""Evidence strings in, the records they stand in out."""

from pellucid.lab.dataset import Group, Record
from pellucid.lab.places import Places, place, span
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
