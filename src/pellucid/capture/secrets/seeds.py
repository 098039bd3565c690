"""Text in, the seed phrases of wallets in it out (BIP 39): beside a name that says so, or numbered from 1 on."""

import re
from collections.abc import Iterator

from pellucid.capture.secrets.assignments import SecretSpan

_LENGTHS = frozenset({12, 15, 18, 21, 24})
_GAP = 4
"""Characters between a word and the next number at most."""
_NAME = re.compile(
    r"(?:mnemonic|(?:seed|recovery|backup)[_ -]?(?:phrase|words?))(?:\\{0,7}[\"'*`]{1,3})?\s{0,3}"
    r"(?:[:=]|\bis\b)[\s*\"'`\\]{0,8}",
    re.IGNORECASE,
)
_MARKS = ("mnemonic", "seed", "recovery", "backup")
_NAMED = re.compile(
    r"(?P<secret>[a-z]{3,8}(?P<gap>,?[ \t]{1,2}|,?\r?\n[ \t]{0,8})[a-z]{3,8}(?:(?P=gap)[a-z]{3,8}){10,22})"
    r"(?![ \t]{0,2}[a-z])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<![\w.])(\d{1,2})[.):][ \t]{0,4}([a-z]{3,8})(?![\w-])")


def seed_phrases(text: str, lower: str) -> Iterator[SecretSpan]:
    """The seed phrases of wallets: twelve to twenty-four words of their list in a row.

    Args:
        lower: `text` in lower case, position for position.
    """
    for mark in _MARKS:
        at = lower.find(mark)
        while at >= 0:
            name = _NAME.match(text, at)
            if name and (found := _NAMED.match(text, name.end())):
                yield SecretSpan(*found.span("secret"), "seed-phrase")
            at = lower.find(mark, at + len(mark))
    if any(first in text for first in ("1.", "1)", "1:")) and any(last in text for last in ("12.", "12)", "12:")):
        yield from _numbered_seed_phrases(text)


def _numbered_seed_phrases(text: str) -> Iterator[SecretSpan]:
    """`1. abandon 2. ability …`: one word at each number, as many as a seed phrase has, and no more."""
    run: list[re.Match[str]] = []
    for found in _NUMBERED.finditer(text):
        follows = run and int(found[1]) == len(run) + 1 and _is_gap(text[run[-1].end() : found.start()])
        if not follows:
            yield from _phrase(run)
            run = []
        if follows or found[1] == "1":
            run.append(found)
    yield from _phrase(run)


def _is_gap(text: str) -> bool:
    return len(text) <= _GAP and not text.strip(" \t\r\n,;|")


def _phrase(run: list[re.Match[str]]) -> Iterator[SecretSpan]:
    if len(run) in _LENGTHS and len({found[2] for found in run}) > len(run) // 2:
        yield SecretSpan(run[0].start(2), run[-1].end(), "seed-phrase")
