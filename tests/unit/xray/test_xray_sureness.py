"""A doubt in, how sure an answer is in words out."""

import pytest

from pellucid.xray.words.sureness import sureness


@pytest.mark.parametrize(
    ("doubt", "said"),
    [
        (0.21, "sure that this answers it (doubt 0.21)"),
        (0.4996, "fairly sure that this answers it (doubt 0.4996)"),
        (0.5, "not sure that this answers it (doubt 0.50)"),
        (0.5999999, "not sure that this answers it (doubt 0.5999999)"),
        (0.603, "not sure: this may not be known here (doubt 0.60)"),
        (0.648, "not sure: this may not be known here (doubt 0.648)"),
    ],
)
def test_a_doubt_is_printed_on_its_own_side_of_each_line(doubt: float, said: str) -> None:
    assert sureness(doubt, 0.65, abstained=False) == said


def test_a_line_finer_than_a_hundredth_is_printed_whole() -> None:
    assert sureness(0.656, 0.6555, abstained=True).endswith("(doubt 0.66, an answer needs less than 0.6555)")
