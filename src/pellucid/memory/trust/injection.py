"""A text in, the signs that it gives orders to an assistant over its user's head out: a tuple of codes.

What is said is read as a reader takes it (`language.hidden`), with what escapes, digits for letters and encodings hide
(`veils`), word by word for its concepts (`concepts`); `orders` says which of them make a dangerous order. No list is
complete: it stands beside rules that ask who said something, and not how (`zones`).
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import islice

from pellucid.language.hidden import undisguised
from pellucid.memory.trust.concepts import read
from pellucid.memory.trust.orders import ADDRESSED, NEAR_AN_ADDRESS, PLAIN, addresses, insists, orders
from pellucid.memory.trust.veils import decoded, has_hidden_words, page_comments, unveiled

_CUES = re.compile(r"<|\[|\{|:|\bmem_|!\[|base64", re.IGNORECASE)
_CALLED = re.compile(
    r"(?:^|[.!?\n] ?)[\[(<#*/ ]{0,6}(?:(?:to|for) (?:the |all |any )?)?(?:(?:coding|ai|language) )?"
    r"(?:system|developer|admin|assistants?|agents?|ai|llms?|models?)"
    r"(?: (?:message|prompt|note|notice|override|agents?|assistants?|models?))?[\])>* ]{0,4}: ",
    re.IGNORECASE,
)
"""The beginning of a sentence that calls an assistant: `SYSTEM: …`, `Assistant: …`."""
_MOST_CALLS = 8
_COMMON = frozenset({"guard", "remote-code", "exfiltrate", "approval", "standing-order"})
"""What pages ask of their readers every day; in a foreign voice it counts where it insists, or means an assistant."""
_PIECES = 4
"""Neighbours that an order may be cut over."""
_NEIGHBOUR = 400
"""Characters at the end of a text, and at the beginning of the next, that are read as one."""


def looks_injected(text: str, *, foreign: bool = False) -> tuple[str, ...]:
    """The codes of the signs of injected orders in a text; empty for a plain one.

    A person's rules for their work are no injection: what counts is speaking to an assistant over its user's head,
    feigning a role, a tool or a memory, hiding, and asking for secrets to be sent away. In the voice of somebody who is
    `foreign` (a pasted mail, a quoted page) every dangerous order counts, for it is not the user's.
    """
    plain = undisguised(text)
    found = [*_forged(plain), *_orders_in(plain, foreign=foreign)]
    for view in unveiled(plain):
        found += (*_forged(view), *_orders_in(view, foreign=foreign))
    for part in decoded(plain):
        found += ["encoded"] if any(True for _ in _orders_in(part, foreign=True)) else []
    for part in page_comments(plain):
        found += ["hidden-text"] if _speaks_to_a_reader(part) else []
    if has_hidden_words(text):
        found.append("hidden-text")
    return tuple(dict.fromkeys(found))


def split_injections(texts: Sequence[str], asked: Collection[int] | None = None) -> set[int]:
    """The indices of neighbouring texts that are plain each, and read together as an injection.

    With `asked`, only neighbours among which is one of these indices are read.
    """

    @cache
    def plain(at: int) -> bool:
        """Whether neither end of a text looks injected by itself."""
        return not any(map(looks_injected, {texts[at][:_NEIGHBOUR], texts[at][-_NEIGHBOUR:]}))

    out: set[int] = set()
    for first in range(len(texts)):
        within = range(first, min(first + _PIECES, len(texts)))
        if asked is not None and not any(number in asked for number in within):
            continue
        last = _last_continuation(texts, within, plain)
        if last == first or not any(map(_may_be_injected, _joined_texts(texts[first : last + 1]))):
            continue
        for together in (range(first, end + 1) for end in range(first + 1, last + 1)):
            if out.isdisjoint(together) and any(map(looks_injected, _joined_texts([texts[at] for at in together]))):
                out |= set(together)
    return out


def _last_continuation(texts: Sequence[str], within: range, plain: Callable[[int], bool]) -> int:
    """The last index `within` to which an order begun in the first may reach: all are plain, those between short."""
    last = within[0]
    while last < within[-1] and plain(last) and plain(last + 1):
        last += 1
        if len(texts[last]) > _NEIGHBOUR:
            break
    return last


def _joined_texts(texts: Sequence[str]) -> Iterator[str]:
    """Neighbouring texts as one text, twice: joined by a space, and by nothing, in case a word was cut in two."""
    pieces = [texts[0][-_NEIGHBOUR:], *texts[1:-1], texts[-1][:_NEIGHBOUR]]
    yield from (gap.join(pieces) for gap in (" ", ""))


def _may_be_injected(text: str) -> bool:
    """Whether a text, or the beginning of it, may look injected: a cheap test before the exact one."""
    plain = undisguised(text)
    if has_hidden_words(text) or any(True for each in (decoded, page_comments) for _ in each(plain)):
        return True
    return any(
        next(_forged(view), None) or next(orders(replace(read(view), loose=True), PLAIN + ADDRESSED), None)
        for view in (plain, *unveiled(plain))
    )


def _forged(text: str) -> Iterator[str]:
    """The codes of what a text feigns: a role, a tool's call, our fence, a memory's fields."""
    if _CUES.search(text):
        yield from (code for code, pattern in _forgery_patterns() if pattern.search(text))


@cache
def _forgery_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The code and the pattern of each kind of forgery; they need no language."""
    table = tomllib.loads(files("pellucid.memory.trust").joinpath("forgeries.toml").read_text("utf-8"))
    return tuple((code, re.compile("|".join(rows), re.IGNORECASE)) for code, rows in table.items())


def _orders_in(text: str, *, foreign: bool) -> Iterator[str]:
    """The codes of the dangerous orders in an undisguised text; see `looks_injected`."""
    said = read(text)
    yield from (code for code, _ in orders(said, PLAIN))
    asked = list(orders(said, ADDRESSED))
    if not asked:
        return
    if foreign:
        yield from (code for code, at in asked if code not in _COMMON or insists(said, at))
        return
    calls = islice(_CALLED.finditer(text), _MOST_CALLS)
    places = [*addresses(said), *(read(text[: found.start()]).length for found in calls)]
    for code, at in asked:
        if any(abs(place - at) <= NEAR_AN_ADDRESS for place in places):
            yield code
            yield "to-assistant"


def _speaks_to_a_reader(text: str) -> bool:
    """Whether a text speaks of an assistant, or gives any dangerous order."""
    said = read(text)
    return "ai" in said.at or any(True for _ in orders(said, (*PLAIN, *ADDRESSED)))
