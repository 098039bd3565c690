"""A text in, the signs that it gives orders to an assistant over its user's head out: a tuple of codes.

What is said is read as a reader takes it (`language.hidden`), with what escapes, digits for letters and encodings hide
(`memory.veils`), word by word for its concepts (`memory.concepts`); `memory.orders` says which of them make a dangerous
order. No list is complete: it stands beside rules that ask who said something, and not how (`memory.trust`).
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from pellucid.language.hidden import undisguised
from pellucid.memory.trust.concepts import read
from pellucid.memory.trust.orders import ADDRESSED, NEAR_AN_ADDRESS, PLAIN, addresses, insists, orders
from pellucid.memory.trust.veils import decoded, hidden, hides, unveiled

_CUES = re.compile(r"<|\[|\{|:|\bmem_|!\[|base64", re.IGNORECASE)
_CALLED = re.compile(
    r"(?:^|[.!?\n] ?)[\[(<#*/ ]{0,6}(?:(?:to|for) (?:the |all |any )?)?(?:(?:coding|ai|language) )?"
    r"(?:system|developer|admin|assistants?|agents?|ai|llms?|models?)"
    r"(?: (?:message|prompt|note|notice|override|agents?|assistants?|models?))?[\])>* ]{0,4}: ",
    re.IGNORECASE,
)
_COMMON = frozenset({"guard", "remote-code", "exfiltrate", "approval", "standing-order"})
"""What pages ask of their readers every day; in a foreign voice it counts where it insists, or means an assistant."""
_PIECES = 4
"""Neighbours that an order may be cut over."""
_NEIGHBOUR = 400
"""Characters at the end of a text, and at the beginning of the next, that are read as one."""


def looks_injected(text: str, *, foreign: bool = False) -> tuple[str, ...]:
    """The codes of the signs found; () for a plain text.

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
    for part in hidden(plain):
        found += ["hidden-text"] if _speaks_to_a_reader(part) else []
    if hides(text):
        found.append("hidden-text")
    return tuple(dict.fromkeys(found))


def split_injections(texts: Sequence[str], asked: Collection[int] | None = None) -> set[int]:
    """The numbers of neighbouring texts that are plain each, and read as an injection where one goes on in the next.

    With `asked` only the stretches that hold one of these numbers are read.
    """

    @cache
    def plain(at: int) -> bool:
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
    """The last of these texts that goes on with the first: all are plain, and those in between short."""
    last = within[0]
    while last < within[-1] and plain(last) and plain(last + 1):
        last += 1
        if len(texts[last]) > _NEIGHBOUR:
            break
    return last


def _joined_texts(texts: Sequence[str]) -> Iterator[str]:
    """Neighbouring texts as one, cut between words, and in a word."""
    pieces = [texts[0][-_NEIGHBOUR:], *texts[1:-1], texts[-1][:_NEIGHBOUR]]
    yield from (gap.join(pieces) for gap in (" ", ""))


def _may_be_injected(text: str) -> bool:
    """False if neither the text nor a part of it, from its beginning on, looks injected; true costs a closer look."""
    plain = undisguised(text)
    if hides(text) or any(True for each in (decoded, hidden) for _ in each(plain)):
        return True
    return any(
        next(_forged(view), None) or next(orders(replace(read(view), loose=True), PLAIN + ADDRESSED), None)
        for view in (plain, *unveiled(plain))
    )


def _forged(text: str) -> Iterator[str]:
    if _CUES.search(text):
        yield from (code for code, pattern in _forgery_patterns() if pattern.search(text))


@cache
def _forgery_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Marks that need no language: of a role, a tool's call, our fence, a memory's own fields."""
    table = tomllib.loads(files("pellucid.memory.trust").joinpath("forgeries.toml").read_text("utf-8"))
    return tuple((code, re.compile("|".join(rows), re.IGNORECASE)) for code, rows in table.items())


def _orders_in(text: str, *, foreign: bool) -> Iterator[str]:
    said = read(text)
    yield from (code for code, _ in orders(said, PLAIN))
    asked = list(orders(said, ADDRESSED))
    if not asked:
        return
    if foreign:
        yield from (code for code, at in asked if code not in _COMMON or insists(said, at))
        return
    places = [*addresses(said), *(read(text[: found.start()]).length for found in _calls_in(text))]
    for code, at in asked:
        if any(abs(place - at) <= NEAR_AN_ADDRESS for place in places):
            yield code
            yield "to-assistant"


def _calls_in(text: str) -> Iterator[re.Match[str]]:
    """Where a sentence begins by calling somebody: `SYSTEM: …`, `Assistant, …`; the first few."""
    for number, found in enumerate(_CALLED.finditer(text)):
        if number == 8:
            return
        yield found


def _speaks_to_a_reader(text: str) -> bool:
    """Whether words that a reader of the page does not see speak to an assistant, or ask for something."""
    said = read(text)
    return "ai" in said.at or any(True for _ in orders(said, (*PLAIN, *ADDRESSED)))
