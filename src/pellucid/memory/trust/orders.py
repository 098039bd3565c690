"""The places of concepts in, the dangerous orders among them out: what is asked, and whether of an assistant.

An order is injected if it is dangerous whoever gives it (`PLAIN`), or if a person can well give such an order
(`ADDRESSED`) but this one is spoken to an assistant over its user's head, or in somebody else's voice. A negated verb
asks for the contrary, and is not an order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pellucid.memory.trust.concepts import ConceptPlaces

NEAR_AN_ADDRESS = 48
"""The most words between an address to an assistant and an order that counts as spoken to it: some three sentences."""
_Test = Callable[[ConceptPlaces, int], bool]
"""Takes the concepts of a text and a place in it; returns whether a condition is met around that place."""


@dataclass(frozen=True, slots=True)
class Order:
    """A class of orders: its code, the concept of its verb, and a condition on the surroundings of the verb."""

    code: str
    verb: str
    test: _Test
    may_be_negated: bool = False


def near(concept: str, before: int, after: int) -> _Test:
    """Return a test that a concept occurs at most `before` words before the verb, or at most `after` words after it;
    the verb itself does not count.
    """
    return lambda read, at: read.has(concept, at - before, at + after, excluded=at)


def every(*tests: _Test) -> _Test:
    """Return a test that is met if all of these are."""
    return lambda read, at: all(test(read, at) for test in tests)


def some(*tests: _Test) -> _Test:
    """Return a test that is met if at least one of these is."""
    return lambda read, at: any(test(read, at) for test in tests)


def no(test: _Test) -> _Test:
    """Return a test that is met if this one is not; always if the text was read as `loose`, that is without regard to
    words that negate an order.
    """
    return lambda read, at: read.loose or not test(read, at)


_TO_A_USER = some(
    every(near("not", 4, 0), near("user", 0, 7)), every(near("user", 0, 4), near("not", 0, 7), no(near("not", 4, 0)))
)
_OUTSIDE = near("address", 18, 18)
_IN_FUTURE = near("always", 14, 14)
_IMPERATIVE = no(near("we", 2, 0))

_SWEEPING = some(near("may", 0, 12), near("prior", 0, 8), near("without", 0, 14), near("unasked", 14, 14))
_LASTING = some(near("ai", 20, 20), _IN_FUTURE)
_TO_ANYBODY = some(_TO_A_USER, every(near("not", 4, 0), near("person", 0, 6)))
_ANSWER = near("answer", 0, 20)
_YOU_MUST = every(near("you", 0, 14), near("must", 0, 14))
_RUN_THIS = every(near("run", 0, 8), near("this", 0, 10))
_WHAT_USERS_SAID = every(near("user", 0, 8), near("said", 0, 10))
_ALREADY = near("already", 5, 3)
_BEFOREHAND = some(_IN_FUTURE, _ALREADY, near("without", 10, 10))
_NOT_REQUIRED = no(near("must", 3, 0))
_BY_THE_USER = near("user", 8, 1)

PLAIN = (
    Order("override", "void", every(near("order", 8, 8), near("prior", 8, 8), _IMPERATIVE)),
    Order("override", "void", every(near("rules", 8, 8), near("prior", 8, 8), near("you", 8, 8), _IMPERATIVE)),
    Order("override", "void", every(near("told", 0, 8), _IMPERATIVE)),
    Order("exfiltrate", "send", every(near("secret", 14, 14), _OUTSIDE, _IMPERATIVE)),
    Order("exfiltrate", "leak", every(near("secret", 0, 4), _IN_FUTURE, _IMPERATIVE)),
    Order("approval", "deem", every(near("authority", 0, 14), _IMPERATIVE)),
    Order("conceal", "tell", every(_TO_A_USER, near("this", 8, 10), _IMPERATIVE), may_be_negated=True),
    Order("conceal", "hush", near("user", 8, 8), may_be_negated=True),
    Order("standing-order", "always", every(near("send", 2, 12), near("address", 0, 24), _IMPERATIVE)),
    Order("standing-order", "plug", every(near("reply", 0, 14), near("always", 0, 14))),
    Order("answer-rule", "passive", _ANSWER),
    Order("answer-rule", "asked", every(near("user", 4, 2), _ANSWER, some(_YOU_MUST, near("then", 0, 8)))),
    Order("memory-order", "bear", every(near("you", 0, 3), near("must", 1, 5), near("obey", 2, 8))),
    Order("memory-order", "keep", near("own memory", 6, 12)),
    Order("memory-order", "wipe", every(_WHAT_USERS_SAID, _IMPERATIVE)),
    Order("encoded", "decode", every(some(near("obey", 0, 12), _RUN_THIS), _IMPERATIVE)),
    Order("persona", "persona", near("free", 0, 8)),
    Order("fake-memory", "grant", every(_BY_THE_USER, _ALREADY, _IMPERATIVE)),
    Order("fake-memory", "confirmed", every(_BY_THE_USER, _ALREADY, _SWEEPING, _IMPERATIVE)),
    Order("credential-request", "request", every(near("user", 0, 3), near("secret", 2, 10), _IN_FUTURE)),
    Order("authority", "urgent", every(near("authority", 14, 14), near("must", 20, 24), near("lower", 20, 24))),
)
ADDRESSED = (
    Order(
        "override",
        "void",
        some(near("order", 8, 8), near("rules", 6, 6), every(near("user", 0, 6), near("said", 0, 8))),
    ),
    Order("exfiltrate", "send", some(near("secret", 12, 12), _OUTSIDE)),
    Order("exfiltrate", "leak", near("secret", 4, 4)),
    Order("approval", "deem", some(near("grant", 14, 16), near("confirmed", 0, 14), near("authority", 0, 14))),
    Order("conceal", "tell", _TO_ANYBODY, may_be_negated=True),
    Order("conceal", "quiet", every(), may_be_negated=True),
    Order("conceal", "hush", some(near("user", 8, 8), near("this", 3, 4)), may_be_negated=True),
    Order("remote-code", "run", some(near("fetch", 12, 12), _OUTSIDE)),
    Order("remote-code", "fetch", every(near("run", 12, 12), _OUTSIDE)),
    Order("guard", "lower", near("guard", 5, 5)),
    Order("guard", "lowered", every(near("guard", 6, 4), some(near("must", 4, 0), every(near("be", 1, 0), _LASTING)))),
    Order("approval", "request", every(near("not", 3, 0), near("ask", 0, 3)), may_be_negated=True),
    Order("approval", "grant", every(some(_BEFOREHAND, near("unasked", 12, 12)), _NOT_REQUIRED)),
    Order("approval", "without", every(near("ask", 3, 4), no(near("not", 8, 1))), may_be_negated=True),
    Order("approval", "asked", every(near("not", 7, 0), no(near("answer", 0, 12))), may_be_negated=True),
    Order("approval", "confirmed", every(_BEFOREHAND, _NOT_REQUIRED)),
    Order("supply-chain", "keep", every(near("package", 0, 5), _IN_FUTURE)),
    Order("supply-chain", "run", every(near("package", 0, 5), _IN_FUTURE)),
    Order(
        "approval",
        "unasked",
        some(near("lower", 12, 12), near("grant", 12, 12), near("run", 12, 12), near("send", 12, 12), _IN_FUTURE),
    ),
    Order("answer-rule", "asked", every(_ANSWER, some(near("user", 5, 5), near("passive", 3, 3)))),
    Order("answer-rule", "answer", every(near("user", 4, 6), _OUTSIDE)),
    Order("standing-order", "favour", some(_IN_FUTURE, near("must", 6, 1))),
    Order("standing-order", "always", every(near("send", 2, 12), some(_OUTSIDE, near("secret", 14, 14)))),
    Order(
        "memory-order", "keep", every(near("memory", 2, 12), some(near("must", 8, 8), _IN_FUTURE, near("you", 4, 12)))
    ),
    Order("memory-order", "keep", every(_IN_FUTURE, near("user", 0, 8))),
    Order("memory-order", "bear", every(near("you", 0, 3), near("must", 1, 5))),
    Order(
        "obedience",
        "obey",
        some(every(near("must", 4, 0), near("you", 6, 6)), every(near("this", 0, 3), near("must", 4, 0))),
    ),
    Order("memory-order", "wipe", some(near("memory", 0, 8), _WHAT_USERS_SAID)),
    Order("encoded", "decode", some(near("obey", 0, 12), near("run", 0, 12))),
    Order("persona", "free", some(near("you", 8, 8), near("persona", 8, 0))),
    Order("credential-request", "request", every(near("user", 0, 4), near("secret", 2, 10))),
)
_ADDRESSES: tuple[tuple[str, _Test], ...] = (
    ("ai", near("notice", 9, 3)),
    ("ai", near("reader", 6, 6)),
    ("ai", near("must", 4, 4)),
    ("ai", near("always", 6, 3)),
    ("ai", near("may", 3, 4)),
    ("ai", lambda read, at: read.has("colon", at, at + 2)),
    ("model", near("reader", 5, 5)),
    ("sysname", lambda read, at: read.has("colon", at, at + 7)),
    ("you", near("order", 2, 3)),
)


def _asks(read: ConceptPlaces, at: int, order: Order) -> bool:
    """Whether an order's verb at place `at` asks for something: none of the three words before it negates it or tells
    that it was tried. Always true of orders that may be negated, and if `read` is `loose`.
    """
    if order.may_be_negated or read.loose:
        return True
    return not (read.has("not", at - 3, at - 1) or read.has("tried", at - 3, at - 1))


def orders(read: ConceptPlaces, classes: tuple[Order, ...]) -> Iterator[tuple[str, int]]:
    """Yield the code and the verb's place of each order of these classes in a text, of which `read` has the concepts;
    class by class. Negated ones are left out (see `_asks`).
    """
    for order in classes:
        for at in read.at.get(order.verb, ()):
            if _asks(read, at, order) and order.test(read, at):
                yield order.code, at


def insists(read: ConceptPlaces, at: int) -> bool:
    """Whether the order at place `at` is more than a step of a guide; `read` has the concepts of its text.

    Within 16 places of it (words; the end of a sentence counts as 8) something says that it always holds, is for an AI,
    is carried out unasked, without asking or in secret, is urgent, or is about secrets."""
    return any(
        read.has(concept, at - 16, at + 16) for concept in ("always", "ai", "unasked", "hush", "urgent", "secret")
    ) or any(read.has("without", place - 4, place) for place in read.at.get("ask", ()) if abs(place - at) <= 16)


def addresses(read: ConceptPlaces) -> list[int]:
    """Return the places, in words, at which a text speaks to an assistant, ascending; `read` has the text's concepts.
    One may be there twice.
    """
    return sorted(
        at
        for concept, test in _ADDRESSES
        for at in read.at.get(concept, ())
        if test(read, at) and not read.has("user", at - 1, at - 1)  # a user agent is a browser
    )
