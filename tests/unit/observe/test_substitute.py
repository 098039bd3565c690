"""A sentence and a new value in, the sentence with the value in its place out: nothing is said twice."""

import pytest

from pellucid.observe.language import load_language
from pellucid.observe.substitute import substitute


@pytest.mark.parametrize(
    ("code", "sentence", "new", "old", "made"),
    [
        ("en", "Uploads are limited to 25 MB", "50 MB", "25", "Uploads are limited to 50 MB"),
        ("en", "Uploads are limited to 25 MB", "50 MB", "25 MB", "Uploads are limited to 50 MB"),
        ("en", "Uploads are limited to 25 MB", "50", "25 MB", "Uploads are limited to 50 MB"),
        ("en", "Uploads are limited to 25 MB", "50MB", "25", "Uploads are limited to 50MB"),
        ("en", "Uploads are limited to 25 MB", "1 GB", "25", "Uploads are limited to 1 GB"),
        (
            "en",
            "Uploads are limited to 25 MB per user",
            "50 MB per user",
            "25",
            "Uploads are limited to 50 MB per user",
        ),
        ("en", "Uploads are limited to 25 MB", "50 mb", "", "Uploads are limited to 50 mb"),
        ("en", "The fee is 25 euros", "30 euros", "25", "The fee is 30 euros"),
        ("en", "The fee is 25 euros", "1 euro", "25", "The fee is 1 euro"),
        ("en", "The relay uses port 8080", "port 9090", "8080", "The relay uses port 9090"),
        ("en", "The relay uses port 8080", "9090", "port 8080", "The relay uses port 9090"),
        ("en", "The demo is on Tuesday", "on Thursday", "Tuesday", "The demo is on Thursday"),
        ("en", "The demo is on Tuesday", "on Thursday", "", "The demo is on Thursday"),
        ("en", "Ana lives in Lisbon", "in Porto", "Lisbon", "Ana lives in Porto"),
        ("en", "The fee is $25", "$30", "25", "The fee is $30"),
        ("en", "The ratio is 25%", "30%", "25", "The ratio is 30%"),
        ("en", "The team has 5 engineers", "6 engineers", "5", "The team has 6 engineers"),
        ("de", "Das Limit ist 25 MB", "50 MB", "25", "Das Limit ist 50 MB"),
        ("de", "Die Gebühr beträgt 25 Euro", "30 Euro", "25", "Die Gebühr beträgt 30 Euro"),
        ("es", "El límite es 25 euros", "30 euros", "25", "El límite es 30 euros"),
        ("ja", "タイムアウトは300秒です", "600秒", "300", "タイムアウトは600秒です"),
        ("zh", "超时是300秒", "600秒", "300", "超时是600秒"),
    ],
)
def test_a_value_that_brings_its_unit_or_its_preposition_along_takes_the_place_of_the_old_one_with_its_own(
    code: str, sentence: str, new: str, old: str, made: str
) -> None:
    put = substitute(sentence, new, old, load_language(code))
    assert put
    assert put.text == made


def test_words_that_only_look_alike_stay() -> None:
    put = substitute("The fee is 25 dollars for members", "30 dollars", "25", load_language("en"))
    assert put
    assert put.text == "The fee is 30 dollars for members"
