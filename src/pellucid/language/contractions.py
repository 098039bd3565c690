"""A text in, its contractions spelled out: `can't` as `can not`, `we're` as `we are`; letters keep their case."""

import re

_DENIALS = re.compile(r"\b(?P<can>can)(?:['’]t|not)\b|\b(?P<will>w)on['’]t\b|n['’]t\b", re.IGNORECASE)
_AUXILIARIES = (
    (re.compile(r"(?<=\bi)['’]m\b", re.IGNORECASE), " am"),
    (re.compile(r"(?<=\w)['’]re\b", re.IGNORECASE), " are"),
    (re.compile(r"(?<=\w)['’]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"(?<=\w)['’]ll\b", re.IGNORECASE), " will"),
)
CLITIC = r"['’](?:s|m|re|ll|ve|d)"
"""A pattern of English endings that are cut off a word (`she's`); `n't` is not among them: it negates its verb."""
_CLITICS = re.compile(rf"{CLITIC}\b")


def spell_denials(text: str) -> str:
    """Return the text with each `n't` as ` not` (`can't` and `won't` as `can not` and `will not`), and `cannot` in two
    words. `not` is written small in any case.
    """
    if "'" in text or "’" in text or "annot" in text.lower():
        return _DENIALS.sub(_spelled_out, text)
    return text


def spell_out(text: str) -> str:
    """Return the text with `n't`, `'m`, `'re`, `'ve`, `'ll` spelled out; `'s` and `'d`, which are ambiguous, stay."""
    text = spell_denials(text)
    for contracted, full in _AUXILIARIES:
        text = contracted.sub(full, text)
    return text


def without_clitics(text: str) -> str:
    """Return the text with denials spelled out (`spell_denials`), without other contracted endings (`CLITIC`, in small
    letters only): `we` for `we're`.
    """
    return _CLITICS.sub("", spell_denials(text))


def _spelled_out(found: re.Match[str]) -> str:
    """Return the text that replaces a match of `_DENIALS`: `can not`, `will not` (either with the match's capital) or `
    not`."""
    if found["can"]:
        return f"{found['can']} not"
    return f"{found['will']}ill not" if found["will"] else " not"
