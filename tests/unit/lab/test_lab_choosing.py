"""What parts are worth on three made-up sets in, what the others of each would choose out."""

import pytest

from pellucid.errors import InputError
from pellucid.lab.choosing import Choice, choices, options
from pellucid.lab.run import WORTH


def gain(difference: float, about: float = 0.01) -> dict[str, object]:
    return {WORTH: {"difference": difference, "interval": [difference - about, difference + about]}}


def found(worth: float, half: float = 0.0, double: float = 0.0) -> dict[str, object]:
    return {"part": options(gain(worth), {"half": gain(half), "double": gain(double)}, tried=False)}


@pytest.mark.requirement("LAB-3")
def test_the_others_choose_and_the_set_that_was_not_asked_pays() -> None:
    sets = {"a": found(+0.1), "b": found(-0.02), "c": found(-0.04)}
    chosen = choices(sets)["part"]
    assert chosen["a"].option == "off"
    assert chosen["a"].gain == pytest.approx(0.03)
    assert chosen["a"].is_clear
    assert chosen["a"].here == {"difference": -0.1, "interval": pytest.approx([-0.11, -0.09])}
    assert chosen["b"] == chosen["c"] == Choice(), "what helps one set enough stays for the others"


@pytest.mark.requirement("LAB-3")
def test_of_several_weights_the_best_in_the_mean_is_chosen() -> None:
    chosen = choices({"a": found(0.5, half=-0.1), "b": found(0.1, 0.02, 0.03), "c": found(0.1, 0.04, 0.01)})["part"]
    assert chosen["a"].option == "half"
    assert chosen["a"].here["difference"] == -0.1
    assert (chosen["b"].option, chosen["c"].option) == ("double", "double")


@pytest.mark.requirement("LAB-3")
def test_a_choice_within_chance_is_told_as_such() -> None:
    unsure = {"part": options(gain(-0.01, about=0.05), {}, tried=False)}
    chosen = choices({"a": unsure, "b": unsure, "c": unsure})["part"]["a"]
    assert (chosen.option, chosen.is_clear) == ("off", False)


def test_what_is_off_may_be_switched_on_and_one_set_alone_chooses_nothing() -> None:
    on = {"part": options(gain(0.1), {}, tried=True)}
    assert choices({"a": on, "b": on})["part"]["a"].option == "on"
    assert choices({"a": on}) == {}


@pytest.mark.parametrize("unmeasured", [{}, {"part": options({}, {}, tried=False)}])
def test_a_part_that_a_set_did_not_measure_is_named_with_the_set(unmeasured: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"the worth was not measured of part on b, part on c "):
        choices({"a": found(0.1), "b": unmeasured, "c": unmeasured})
    assert choices({"b": unmeasured}) == {}
