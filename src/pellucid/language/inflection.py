"""A word in, what all of its forms share out; two words in, whether they are forms of one out."""

from collections.abc import Iterable
from functools import cache

from pellucid.language import lexicon
from pellucid.language.words import stop_words
from pellucid.text_cache import text_cache

_MERGED = {
    **dict.fromkeys(("is", "are", "was", "were", "am", "been", "being", "be"), "be"),
    **dict.fromkeys(("has", "had", "have", "having"), "have"),
    **dict.fromkeys(("goes", "went", "gone", "going"), "go"),
    **dict.fromkeys(("i", "me", "my", "mine"), "i"),
    **dict.fromkeys(("we", "our", "ours"), "we"),
    **dict.fromkeys(("ist", "sind", "war", "waren", "bin", "bist"), "sein"),
    **dict.fromkeys(("hat", "habe", "haben", "hatte"), "haben"),
}
_STEM = 3
_PAST = ("d", "ed", "te", "ten")
_PRESENT = ("", "s", "es", "ing", "e", "en", "n", "t", "st", "em", "a", "o", "as", "os")
"""Letters that two forms of a word share at least, and the endings of one tense that can follow them."""
_ENDINGS = ("ing", "ed", "en", "et", "er", "t", "e")
_VOWELS = frozenset("aeiou")


@text_cache(1 << 13)
def base_form(word: str) -> str:
    """Return a casefolded word without its ending of plural, tense or person, crudely: for comparing only.

    Cut off, if enough of the word is left, are an `s`, then one of `ing`, `ed`, `en`, `et`, `er`, `t`, `e`, then one of
    two equal consonants; `ies` and `ied` become `y`. Forms of `be`, `have`, `go`, `I`, `we` and of German `sein` and
    `haben` become one word. Other words of one or two letters, and those of other scripts, stay as they are.
    """
    if word in _MERGED:
        return _MERGED[word]
    if len(word) <= 2 or not "a" <= word[0] <= "ÿ":
        return word
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word[-1] == "s" and word[-2] not in "siu":
        word = word[:-1]
    for ending in _ENDINGS:
        rest = word[: -len(ending)]
        # `t` ends many words by nature: more of the word must be left before it
        if word.endswith(ending) and len(rest) >= (2 if ending in {"e", "ing"} else 4 if ending == "t" else 3):
            word = rest
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS else word


@cache
def base_forms(*kinds: str) -> frozenset[str]:
    """Return the base forms of the lexicon's words of some kinds (`verbs`); KeyError for an unknown kind."""
    return frozenset(map(base_form, lexicon.words(*kinds)))


def find_form(word: str, candidates: Iterable[str]) -> str:
    """Return the first of `candidates` that is `word` itself or differs from it in its ending only; empty if none does.

    Both endings must be of the past, or both of the present, after three common letters at least. `word` is casefolded;
    a stop word, one of fewer than three letters, or one with a character that is no letter, has no form, not even
    itself.
    """
    if not word.isalpha() or word in stop_words():
        return ""
    forms = {
        word.removesuffix(ending) + other
        for endings in (_PAST, _PRESENT)
        for ending in endings
        if word.endswith(ending) and len(word) - len(ending) >= _STEM
        for other in endings
    }
    return next((each for each in candidates if each in forms), "")
