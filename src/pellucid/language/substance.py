"""A text in, whether it says anything by itself out: a name, a number, a path, code, or words that carry meaning."""

import re

from pellucid.language.sentences import closing_mark, sentences
from pellucid.language.words import content_words

FEWEST_WORDS = 3
"""Content words that a text has at least if it says something; `commit this` has fewer."""
_SPECIFIC = re.compile(r"\d|[`_/\\=<>@#]|\w\.\w|\w\(|[a-zß-ÿ][A-ZÀ-Þ]|(?<=[\w,;)] )[A-ZÀ-Þ]\w")


def is_specific(text: str) -> bool:
    """Whether a text has a number, a path, code, an address, or a capital in mid-sentence: a name, mostly."""
    return bool(_SPECIFIC.search(text))


def without_announcement(text: str) -> str:
    """Return a text without its last sentence if that ends in a colon, as an announcement does (`Now the docs:`)."""
    parts = sentences(text)
    return " ".join(parts[:-1] if parts and closing_mark(parts[-1]) in (":", "：") else parts)


def says_little(text: str) -> bool:
    """Whether a text, without an announcement at its end, is unspecific and has under three content words."""
    return not is_specific(text) and len(content_words(without_announcement(text))) < FEWEST_WORDS
