"""A text in, the numbers in it out: the figures alone, or as amounts, with sign, bound and currency."""

import re

_FIGURES = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CURRENCY = "$€£¥₹₽₩₿¢"
_AMOUNT = re.compile(
    rf"(?:[<>≤≥≈~±]=? ?)?(?:(?<![\w)])[-−–+])?(?:[{_CURRENCY}] ?)?(?:(?<![\w)])[-−])?"
    rf"\d+(?:[.,:/–-]\d+)*(?: ?[{_CURRENCY}%‰°])?"
)
"""A number with its sign, bound, currency, and the other end of a range."""


def figures(text: str) -> list[str]:
    """Return a text's numbers in order, as strings of digits with inner signs (`1.5`, `2026-03-01`), without thousands
    commas; signs, currencies and units around a number are left out.
    """
    return [_THOUSANDS.sub("", each) for each in _FIGURES.findall(text)]


def amounts(text: str) -> list[str]:
    """Return a text's numbers in order, each as a string with its sign, bound (`<=`, `≥`, `~`, `±` …), currency,
    percent, per mille or degree sign and the other end of a range (`5–10 %`, without blanks or units between), without
    blanks, with `-` for every dash: `<=-5€`. Thousands commas and dates stay as they are."""
    return [re.sub(r"[−–]", "-", each.replace(" ", "")) for each in _AMOUNT.findall(text)]
