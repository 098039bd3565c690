"""Text in, the same text without its secrets out: each becomes `[redacted:<type>]`, and is counted.

Cheap on ordinary text: plain searches for revealing marks decide which patterns run at all, and every pattern runs only
at its mark, with bounded repetition, so that no text costs more than linear time.
"""

import re
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.capture.secrets.assignments import SecretSpan, assigned_secrets
from pellucid.capture.secrets.commands import command_secrets, crypted_passwords
from pellucid.capture.secrets.forms import card_numbers, header_secrets, private_keys, seed_phrases, url_secrets
from pellucid.capture.secrets.patterns import VENDORS, SecretRule, marks_in
from pellucid.language.hidden import visible_text

_DIGEST = re.compile(r"(?:sha\d{1,3}|md5|h1)[=:-]\Z", re.IGNORECASE)
"""The text before the digest of a file, which is not a secret even if it looks like one."""
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without secrets, and the number of removed secrets by type."""

    text: str
    counts: dict[str, int]


def redact(text: str) -> Redacted:
    """Replace each secret by `[redacted:<type>]`; return the text, and the number of secrets by type. Overlapping
    secrets become one. A second run seldom finds more, mostly where `[redacted:github-token]` or the like then reads as
    the name of a secret.
    """
    spans = _merged_spans(list(find_secrets(text)))
    if not spans:
        return Redacted(text, {})
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += [text[at : span.start], f"[redacted:{span.type}]"]
        at = span.end
    parts.append(text[at:])
    return Redacted("".join(parts), dict(Counter(span.type for span in spans)))


def redact_after(lead: str, text: str) -> Redacted | None:
    """Redact a text that stands after the words `lead`, with the secrets that only these words show to be such
    (`password: `), and return the text without the words. None if the words themselves change, as a secret begins in
    them.
    """
    found = redact(lead + text)
    return Redacted(found.text.removeprefix(lead), found.counts) if found.text.startswith(lead) else None


def find_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield every secret in the text, in each search the most specific types first; spans can overlap or come twice.

    The text is searched as a reader sees it, without invisible characters and with wide letters as ASCII; if it has any
    invisible ones, it is searched once more as it is written, because they can separate words. All positions are those
    in the text as written."""
    seen = visible_text(text)
    if seen:
        for span in _find_by_all_rules(seen.text):
            yield SecretSpan(*seen.original_span(span.start, span.end), span.type)
    if seen is None or seen.places:
        yield from _find_by_all_rules(text)


def _find_by_all_rules(text: str) -> Iterator[SecretSpan]:
    """Yield every secret in the text as it is written, rule by rule; spans can overlap."""
    yield from private_keys(text)
    present = marks_in(text)
    for rule in VENDORS if present else ():
        for mark in rule.marks:
            if mark in present:
                yield from _find_by_rule(rule, mark, text)
    lower = _lower_in_place(text)
    yield from url_secrets(text)
    yield from header_secrets(text, lower)
    yield from assigned_secrets(text, lower)
    yield from command_secrets(text)
    yield from crypted_passwords(text)
    yield from seed_phrases(text, lower)
    yield from card_numbers(text)


def _lower_in_place(text: str) -> str:
    """Return the text in lower case with every character at the same position; if a character would become two, only
    ASCII letters are lowered.
    """
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWER)


def _find_by_rule(rule: SecretRule, mark: str, text: str) -> Iterator[SecretSpan]:
    """Yield the secrets that match a vendor's rule around each place of `mark`, a text that its secrets contain,
    without overlaps; not the digest of a file (`sha256:…`).
    """
    shape = rule.shape
    group = "secret" if "secret" in shape.groupindex else 0
    at = text.find(mark)
    done = 0
    while at >= 0:
        starts = range(max(done, at - rule.back), at + 1)
        match = next((found for start in starts if (found := shape.match(text, start))), None)
        if match and rule.accept(match) and not _DIGEST.search(text, max(0, match.start() - 8), match.start()):
            yield SecretSpan(*match.span(group), rule.type)
            done = match.end()
        at = text.find(mark, max(done, at + 1))


def _merged_spans(found: list[SecretSpan]) -> list[SecretSpan]:
    """Return the spans sorted by their start, with overlapping ones merged into one; its type is that of the span that
    comes first in `found`.
    """
    # by the first place of each span, as rules are in the order of preference
    rank = {span: place for place, span in reversed(list(enumerate(found)))}
    merged: list[SecretSpan] = []
    for span in sorted(set(found)):
        last = merged[-1] if merged else None
        if last is None or span.start >= last.end:
            merged.append(span)
            continue
        best = min(last, span, key=lambda each: rank.get(each, rank[span]))
        union = SecretSpan(last.start, max(last.end, span.end), best.type)
        rank.setdefault(union, rank.get(best, 0))
        merged[-1] = union
    return merged
