"""Text in, the same text without its secrets out: each becomes `[redacted:<type>]`, and is counted.

Cheap on ordinary text: plain searches for telling marks decide which patterns run at all, and every pattern runs only
where its mark stands, with bounded repetition, so that no text costs more than linear time.
"""

import re
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pellucid.capture.secrets.assignments import SecretSpan, assigned_secrets
from pellucid.capture.secrets.commands import command_secrets, crypted_passwords
from pellucid.capture.secrets.forms import card_numbers, header_secrets, private_keys, url_secrets
from pellucid.capture.secrets.guise import as_seen
from pellucid.capture.secrets.patterns import VENDORS, SecretRule, marks_in
from pellucid.capture.secrets.seeds import seed_phrases

_DIGEST = re.compile(r"(?:sha\d{1,3}|md5|h1)[=:-]\Z", re.IGNORECASE)
"""Before what is the digest of a file, however it begins."""
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without secrets, and how many of each type were taken out."""

    text: str
    counts: dict[str, int]


def redact(text: str) -> Redacted:
    """The text with each secret replaced by its type, and the counts; overlapping finds become one.

    The rule that knows best names it. To redact twice changes nothing more.
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


def find_secrets(text: str) -> Iterator[SecretSpan]:
    """Every secret in the text, the best-known types first; spans may overlap.

    It is looked at as a reader sees it, and, where invisible signs may be all that parts two words, as it is written.
    """
    seen = as_seen(text)
    if seen:
        for span in _find_secrets(seen.text):
            yield SecretSpan(*seen.span(span.start, span.end), span.type)
    if seen is None or seen.places:
        yield from _find_secrets(text)


def _find_secrets(text: str) -> Iterator[SecretSpan]:
    """Every secret in the text as it is written, by each rule; spans may overlap."""
    yield from private_keys(text)
    present = marks_in(text)
    for rule in VENDORS if present else ():
        for mark in rule.marks:
            if mark in present:
                yield from _by_rule(rule, mark, text)
    lower = _lower_in_place(text)
    yield from url_secrets(text)
    yield from header_secrets(text, lower)
    yield from assigned_secrets(text, lower)
    yield from command_secrets(text)
    yield from crypted_passwords(text)
    yield from seed_phrases(text, lower)
    yield from card_numbers(text)


def _lower_in_place(text: str) -> str:
    """Lower case, position for position: a text with a capital that would become two characters keeps all but ASCII."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWER)


def _by_rule(rule: SecretRule, mark: str, text: str) -> Iterator[SecretSpan]:
    """The secrets of one vendor's form, looked for where its `mark` stands."""
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
    """Sorted, disjoint spans; of those that overlap, the first found gives the type."""
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
