"""A text in, whether it says anything by itself out: a name, a number, a path, code, or words that carry a meaning."""

import re

from pellucid.language.sentences import closing_mark, sentences
from pellucid.language.words import content_words

FEWEST_WORDS = 3
"""Words with a meaning of their own that a text has which says something; `commit this` has fewer."""
_SPECIFIC = re.compile(r"\d|[`_/\\=<>@#]|\w\.\w|\w\(|[a-zß-ÿ][A-ZÀ-Þ]|(?<=[\w,;)] )[A-ZÀ-Þ]\w")


def is_specific(text: str) -> bool:
    """Whether a text has a number, a path, code, an address, or a capital in mid-sentence: a name, mostly."""
    return bool(_SPECIFIC.search(text))


def said_itself(text: str) -> str:
    """A text without the sentence that ends it, where that announces what stands elsewhere (`Now the docs:`)."""
    said = sentences(text)
    return " ".join(said[:-1] if said and closing_mark(said[-1]) in (":", "：") else said)


def says_little(text: str) -> bool:
    """Whether a text is an order of the moment (`commit this`), an announcement, or nothing but courtesy."""
    return not is_specific(text) and len(content_words(said_itself(text))) < FEWEST_WORDS
