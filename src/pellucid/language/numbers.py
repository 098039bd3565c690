"""A text in, the numbers in it out: the figures alone, or as amounts, with sign, bound and currency."""

import re

_FIGURES = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CURRENCY = "$€£¥₹₽₩₿¢"
_AMOUNT = re.compile(
    rf"(?:[<>≤≥≈~±]=? ?)?(?:(?<![\w)])[-−–+])?(?:[{_CURRENCY}] ?)?(?:(?<![\w)])[-−])?"
    rf"\d+(?:[.,:/–-]\d+)*(?: ?[{_CURRENCY}%‰°])?"
)
"""A number with what belongs to it: sign, bound, currency, and the other end of a range."""


def figures(text: str) -> list[str]:
    """The figures of a text in order, without the comma of thousands."""
    return [_THOUSANDS.sub("", each) for each in _FIGURES.findall(text)]


def amounts(text: str) -> list[str]:
    """The numbers of a text in order, each with what belongs to it, without blanks, any minus as a hyphen."""
    return [re.sub(r"[−–]", "-", each.replace(" ", "")) for each in _AMOUNT.findall(text)]
