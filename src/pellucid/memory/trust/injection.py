"""A text in, the signs that it gives orders to an assistant over its user's head out: a tuple of codes.

The text is read as a reader sees it (`language.hidden`), and with what escapes, digits for letters and encodings hide
(`veils`), word by word for its concepts (`concepts`); `orders` decides which of them make a dangerous order. No list is
complete: other rules judge who said something, and not how (`zones`).
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
"""The beginning of a sentence that addresses an assistant: `SYSTEM: …`, `Assistant: …`."""
_MOST_CALLS = 8
_COMMON = frozenset({"guard", "remote-code", "exfiltrate", "approval", "standing-order"})
"""Orders that pages give their readers every day; in a foreign voice they count only if they insist."""
_PIECES = 4
"""The most neighbouring texts over which an order can be cut."""
_NEIGHBOUR = 400
"""The number of characters at the end of a text, and at the beginning of the next, that are read together."""


def looks_injected(text: str, *, foreign: bool = False) -> tuple[str, ...]:
    """Return the codes of the signs of injected orders in a text; empty if it has none.

    Signs are: speaking to an assistant over its user's head, a feigned role, tool or memory, hidden text, and asking
    for secrets to be sent away. A person's rules for their work are not an injection: an order counts only if it is
    dangerous whoever gives it, or addresses an assistant. In a `foreign` voice (a pasted mail, a quoted page) every
    dangerous order counts, for it is not the user's; those that pages give every day only if they insist.
    """
    plain = undisguised(text)
    found = [*_forgeries_in(plain), *_orders_in(plain, foreign=foreign)]
    for reading in unveiled(plain):
        found += (*_forgeries_in(reading), *_orders_in(reading, foreign=foreign))
    for part in decoded(plain):
        found += ["encoded"] if any(True for _ in _orders_in(part, foreign=True)) else []
    for part in page_comments(plain):
        found += ["hidden-text"] if _speaks_to_a_reader(part) else []
    if has_hidden_words(text):
        found.append("hidden-text")
    return tuple(dict.fromkeys(found))


def split_injections(texts: Sequence[str], examined: Collection[int] | None = None) -> set[int]:
    """Return the indices of neighbouring texts, two to four, that are harmless alone, and read as an injection
    together.

    Of the first and the last, 400 characters are read where they meet, and those between are no longer than that. With
    `examined`, four neighbours are read only if one of them has such an index.
    """

    @cache
    def plain(index: int) -> bool:
        """Whether neither the first 400 characters of the text with this index nor its last 400 look injected by
        themselves.
        """
        return not any(map(looks_injected, {texts[index][:_NEIGHBOUR], texts[index][-_NEIGHBOUR:]}))

    out: set[int] = set()
    for first in range(len(texts)):
        window = range(first, min(first + _PIECES, len(texts)))
        if examined is not None and not any(number in examined for number in window):
            continue
        last = _last_continuation(texts, window, plain)
        # first a cheap test of all together: most neighbours hide nothing
        if last == first or not any(map(_can_be_injected, _joined_texts(texts[first : last + 1]))):
            continue
        for joined in (range(first, end + 1) for end in range(first + 1, last + 1)):
            if out.isdisjoint(joined) and any(map(looks_injected, _joined_texts([texts[at] for at in joined]))):
                out |= set(joined)
    return out


def _last_continuation(texts: Sequence[str], window: range, plain: Callable[[int], bool]) -> int:
    """Return the last index in the window that an order begun in its first text can reach; the first if none.

    All texts up to there are harmless alone (`plain`), and all between the first and the last have at most 400
    characters.
    """
    last = window[0]
    while last < window[-1] and plain(last) and plain(last + 1):
        last += 1
        if len(texts[last]) > _NEIGHBOUR:
            break
    return last


def _joined_texts(texts: Sequence[str]) -> Iterator[str]:
    """Yield neighbouring texts, two or more, as one text, twice: joined by a space, and by nothing, in case a word was
    cut in two. Of the first only the last 400 characters are used, of the last only the first 400.
    """
    pieces = [texts[0][-_NEIGHBOUR:], *texts[1:-1], texts[-1][:_NEIGHBOUR]]
    yield from (gap.join(pieces) for gap in (" ", ""))


def _can_be_injected(text: str) -> bool:
    """Whether a text, or a beginning of it, can look injected: a test that is cheaper than `looks_injected`. If it is
    false, the text surely does not.
    """
    plain = undisguised(text)
    if has_hidden_words(text) or any(True for each in (decoded, page_comments) for _ in each(plain)):
        return True
    return any(
        next(_forgeries_in(reading), None) or next(orders(replace(read(reading), loose=True), PLAIN + ADDRESSED), None)
        for reading in (plain, *unveiled(plain))
    )


def _forgeries_in(text: str) -> Iterator[str]:
    """Yield the codes of what a text feigns (see `forgeries.toml`): a role, a tool's call, the fence that we put around
    recalled memories, a memory's fields.
    """
    if _CUES.search(text):
        yield from (code for code, pattern in _forgery_patterns() if pattern.search(text))


@cache
def _forgery_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Load the code and the pattern of each kind of forgery; they do not depend on the language."""
    table = tomllib.loads(files("pellucid.memory.trust").joinpath("forgeries.toml").read_text("utf-8"))
    return tuple((code, re.compile("|".join(rows), re.IGNORECASE)) for code, rows in table.items())


def _orders_in(text: str, *, foreign: bool) -> Iterator[str]:
    """Yield the codes of the dangerous orders in an undisguised text.

    Those that are dangerous whoever gives them (`PLAIN`) always count. The others (`ADDRESSED`) count in a `foreign`
    voice, the common ones only if they insist; else if an assistant is addressed within 48 words of them, and then the
    code `to-assistant` follows theirs.
    """
    concepts = read(text)
    yield from (code for code, _ in orders(concepts, PLAIN))
    found_orders = list(orders(concepts, ADDRESSED))
    if not found_orders:
        return
    if foreign:
        yield from (code for code, at in found_orders if code not in _COMMON or insists(concepts, at))
        return
    calls = islice(_CALLED.finditer(text), _MOST_CALLS)
    places = [*addresses(concepts), *(read(text[: found.start()]).length for found in calls)]
    for code, at in found_orders:
        if any(abs(place - at) <= NEAR_AN_ADDRESS for place in places):
            yield code
            yield "to-assistant"


def _speaks_to_a_reader(text: str) -> bool:
    """Whether a text speaks of an assistant, or gives any dangerous order."""
    concepts = read(text)
    return "ai" in concepts.at or any(True for _ in orders(concepts, (*PLAIN, *ADDRESSED)))
