"""A sentence in, at most five salient lower-case terms out: names and identifiers first, then the longest words."""

from pellucid.language.words import content_words, words

AT_MOST = 5
_SHORTEST = 3


def tags(text: str, speaker: str | None = None) -> tuple[str, ...]:
    """The most telling words of a sentence in their order; never a stop word or the speaker's own name."""
    named = {word for part in text.split()[1:] if part[:1].isupper() for word in words(part)}
    own = set(words(speaker or ""))
    terms = [word for word in content_words(text) if word not in own and not _is_number(word)]
    terms = [word for word in terms if len(word) >= _SHORTEST or not word.isascii() or word in named]
    best = sorted(terms, key=lambda word: -(10 * (word in named) + 5 * _is_identifier(word) + len(word)))[:AT_MOST]
    return tuple(word for word in terms if word in best)


def _is_number(word: str) -> bool:
    return word[0].isdigit() and not any(char.isalpha() for char in word)


def _is_identifier(word: str) -> bool:
    return not word.isalpha() and any(char in "._-" or char.isdigit() for char in word)
