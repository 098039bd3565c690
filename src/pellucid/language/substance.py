"""A text in, whether it says anything by itself out: a name, a number, a path, code, or words that carry meaning."""

import re
from functools import cache

from pellucid.language.lexicon import announcing, words
from pellucid.language.sentences import closing_mark, sentences
from pellucid.language.words import content_words

FEWEST_WORDS = 3
"""Content words that a text has at least if it says something; `commit this` has fewer."""
_LONGEST_ANNOUNCEMENT = 200
_FURTHER_PART = re.compile(r"\s[-–—]+\s|—|:\s")
_SPECIFIC = re.compile(r"\d|[`_/\\=<>@#]|\w\.\w|\w\(|[a-zß-ÿ][A-ZÀ-Þ]|(?<=[\w,;)] )[A-ZÀ-Þ]\w")


def is_specific(text: str) -> bool:
    """Whether a text has a number, a path, code, an address, or a capital in mid-sentence (a name, mostly), by its
    signs alone: `and/or` counts, too."""
    return bool(_SPECIFIC.search(text))


def without_announcement(text: str) -> str:
    """Return a text's sentences, joined by blanks, without the last if that ends in a colon, as an announcement does
    (`Now the docs:`).
    """
    parts = sentences(text)
    return " ".join(parts[:-1] if parts and closing_mark(parts[-1]) in (":", "：") else parts)


def is_narration(text: str) -> bool:
    """Whether a text says little beside what its speaker does next: `Good question. Let me check the hooks.`

    Its other sentences together are unspecific (`is_specific`) and have under three content words. A sentence that
    announces also says something if it has more than 200 characters or a part behind a dash or colon, or gives a
    reason. False if no sentence announces anything.
    """
    said = sentences(text)
    left = [each for each in said if not _only_announces(each.lower())]
    rest = " ".join(left)
    return len(left) < len(said) and not is_specific(rest) and len(content_words(rest)) < FEWEST_WORDS


def _only_announces(sentence: str) -> bool:
    """Whether a sentence in lower case announces the next step and says nothing else: see `is_narration`."""
    return (
        len(sentence) <= _LONGEST_ANNOUNCEMENT
        and bool(_announcement().match(sentence))
        and not _FURTHER_PART.search(sentence)
        and (words("reasons") - {"which"}).isdisjoint(sentence.split())  # `see which callers …` gives none
    )


@cache
def _announcement() -> re.Pattern[str]:
    """Return a pattern of the opening of a sentence that announces the next step, after two words at most."""
    phrases = "|".join(map(re.escape, announcing()))
    return re.compile(rf"(?:\W*[\w'’]+[,.!:—–-]?\s+){{0,2}}?\W*(?:{phrases})\b")


def says_little(text: str) -> bool:
    """Whether a text is unspecific (`is_specific`), and has under three content words without an announcement at its
    end (`without_announcement`).
    """
    return not is_specific(text) and len(content_words(without_announcement(text))) < FEWEST_WORDS
