"""A question and the words of it that no answer holds in, smaller questions of its own words out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pellucid.recall.state import Plan
from pellucid.store.index_port import Term

Part = tuple[int, ...]
"""A smaller question: indices of `Plan.words`, in the order in which it says them."""

_BETWEEN = re.compile(
    r"[,;:?!.](?=\s|$)|[。、，；：？！]|\s[–—-]\s"
    r"|\b(?:and|or|but|while|whereas|before|after|then|versus|vs|und|oder|aber|sondern|während|bevor|nachdem|dann"
    r"|y|e|o|u|pero|sino|mientras|antes|después|luego)\b"
    r"|そして|または|および|それから|次に|以及|或者|还是|然后|之前|之后|并且|而且",
    re.IGNORECASE,
)
"""What stands between the clauses of a question."""

_JOINING = frozenset(("and", "or", "und", "oder", "y", "e", "o", "u"))
"""Words between names, which are left out where one is asked about alone."""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question as it is taken apart: where its words stand, which of them count, and who is named."""

    plan: Plan
    places: tuple[tuple[int, int, int], ...]
    """Each word of the text: its index in `Plan.words`, its start and its end."""
    asked: frozenset[int]
    """The words that say what is sought and that some memory holds."""
    names: tuple[frozenset[int], ...]
    """The words of each person or thing named."""


def reading(plan: Plan, terms: Iterable[Term]) -> QuestionReading:
    """Where the words of a plan stand in its text, given the text's terms."""
    number = {stem: i for i, stem in enumerate(plan.stems)}
    places = tuple((number[term.stem], term.start, term.end) for term in terms if term.stem in number)
    names = tuple(dict.fromkeys(_words_of_names(plan, places)))
    counting = frozenset(plan.telling).union(*names)
    return QuestionReading(plan, places, frozenset(i for i in counting if plan.frequencies[i]), names)


def _words_of_names(plan: Plan, places: Sequence[tuple[int, int, int]]) -> Iterator[frozenset[int]]:
    for name in (*plan.named.values(), *plan.entities):
        at = plan.text.find(name)
        held = frozenset(i for i, start, end in places if at <= start and end <= at + len(name)) if at >= 0 else None
        if held:
            yield held


def parts(read: QuestionReading, open_words: frozenset[int]) -> Iterator[Part]:
    """Smaller questions about what is still open; a part may come twice.

    Where several are named, the question about each of them that is open. Then, of a question of several clauses, each
    with an open word, together with those named in the question where the clause names nobody. Open words alone are
    no question: what they brought was noise (docs/recall.md).
    """
    yield from _by_name(read, open_words)
    yield from _by_clause(read, open_words)


def _by_name(read: QuestionReading, open_words: frozenset[int]) -> Iterator[Part]:
    if len(read.names) < 2:
        return
    everyone = frozenset[int]().union(*read.names)
    shared = [i for i, word in enumerate(read.plan.words) if i not in everyone and word.casefold() not in _JOINING]
    for name in read.names:
        if name & open_words:
            yield tuple(sorted({*shared, *name}))


def _by_clause(read: QuestionReading, open_words: frozenset[int]) -> Iterator[Part]:
    """Each clause that asks something of its own and is still open, with the names of the whole question."""
    everyone = frozenset[int]().union(*read.names)
    clauses = [
        tuple(dict.fromkeys(i for i, first, last in read.places if start <= first and last <= end))
        for start, end in _clause_spans(read.plan.text)
    ]
    telling = [clause for clause in clauses if read.asked.intersection(clause) - everyone]
    for clause in telling if len(telling) > 1 else ():
        if open_words.intersection(clause):
            yield clause if everyone.intersection(clause) else (*sorted(everyone), *clause)


def _clause_spans(text: str) -> Iterator[tuple[int, int]]:
    """The stretches between what stands between clauses."""
    at = 0
    for gap in _BETWEEN.finditer(text):
        yield at, gap.start()
        at = gap.end()
    yield at, len(text)
