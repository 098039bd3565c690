"""A spoken sentence in, the same without greeting, filler and trailing tag out; the speaker's own words stay."""

import re
from functools import cache

from pellucid.observe.language import Language

_CLOSING = " \t.!…。！"
_SMILEYS = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+|(?<=\\s)[:;]-?[)(DPp]")
_PLAIN_WORD = re.compile(r"^[a-zß-öø-ÿ][a-zß-öø-ÿ']*(?=[\s,]|$)")


@cache
def _opening(greeting: str, lead: str) -> re.Pattern[str]:
    """A greeting with its mark, perhaps calling somebody (`Hey Mel!`, `Thanks, Jon -`), or a bare lead (`and`)."""
    call = r"(?:,? (?-i:[A-ZÀ-Þ])[\w'-]*(?: (?-i:[A-ZÀ-Þ])[\w'-]*)?)?"
    return re.compile(
        rf"^(?:{greeting}{call}(?:\s*[,!.…:、，。！：]+\s*|\s+[-–—]\s+|$)|{lead}\b,?\s+(?=\S))", re.IGNORECASE
    )


@cache
def _closing(tail: str) -> re.Pattern[str]:
    return re.compile(rf"{tail}$", re.IGNORECASE)


def polish(sentence: str, language: Language) -> str:
    """Without opening greetings and fillers, smileys, trailing tags and the closing mark; empty if nothing is left."""
    plain = (
        sentence if sentence.isascii() and ":" not in sentence and ";" not in sentence else _SMILEYS.sub("", sentence)
    )
    text = " ".join(plain.split()).strip(_CLOSING + "-–—,")
    noise = language.noise
    opening = _opening(noise.greeting, noise.lead)
    while found := opening.match(text):
        text = text[found.end() :].lstrip(" ,-–—")
    text = _closing(noise.tail).sub("", text).rstrip(_CLOSING + ",")
    return _capitalised(text.strip())


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:] if _PLAIN_WORD.match(text) else text
