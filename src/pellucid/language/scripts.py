"""The ranges of East Asian letters and of scripts that write no spaces, as parts of character classes."""

import re

HIRAGANA = "\u3040-\u309f"
KATAKANA = "\u30a0-\u30ff"
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
EAST = f"\u3040-\u30ff{HAN}"
"""The letters of Japanese and Chinese."""
EAST_WORDS = f"{EAST}々"
"""`EAST`, and the sign that repeats the letter before it."""
UNSPACED = f"{EAST}\u31f0-\u31ff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1780-\u17ff"
"""Scripts that write no spaces between words: also rare Han, Thai, Lao, Khmer."""
HALF_WIDTH = "\uff66-\uff9f"
"""Katakana of half the width."""
HANGUL = "\uac00-\ud7af"
"""The letters of Korean, which writes spaces; its words have endings of many forms."""

_EAST, _KANA = re.compile(f"[{EAST}]"), re.compile(f"[{HIRAGANA}{KATAKANA}]")


def is_east(text: str) -> bool:
    """Whether a text has a Japanese or Chinese letter: one of `EAST`, so not rare Han and no Katakana of half the
    width.
    """
    return not text.isascii() and _EAST.search(text) is not None


def has_kana(text: str) -> bool:
    """Whether a text has a letter that only Japanese uses (Hiragana, Katakana; not Katakana of half the width)."""
    return not text.isascii() and _KANA.search(text) is not None
