"""A correction or a retraction in, the kept memories it means out: by their words, the same session first."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from pellucid.clock import epoch_ms
from pellucid.language.statements.clash import clash
from pellucid.language.words import content_words
from pellucid.model.memory import Memory
from pellucid.model.observation import Resolution
from pellucid.store.index_port import EVERY_SCOPE, Admission, Index, Served

SEARCHED = 30
LIKENESS = 0.3
"""The least share of common content words between a correction and what it corrects, which holds the old value."""
SAME_SESSION = 0.3
"""How much likelier a target of the same session is than another that is as much like it."""
MARGIN = 0.1
"""How much likelier the best target must be than the next."""
MOST_RETRACTED = 5
"""A retraction that fits more memories than this says too little to act upon."""

Found = Served | Memory


@dataclass(frozen=True, slots=True)
class Restated:
    """A sentence with a new value in place of the old one, and what it states."""

    text: str
    old: str
    entity: str | None
    attributes: dict[str, str]


Restate = Callable[[str, Resolution], Restated | None]
"""Puts the value of a correction into an earlier sentence; None where it does not fit."""


def corrected(new: Memory, about: str, candidates: Iterable[Found]) -> Found | None:
    """The one memory that a correction replaces, or None where none, or no single one, is like it.

    `about` are the words of the old value, if they were said.
    """
    ranked = sorted(
        ((_likeness(new, of(each), about), at, each) for at, each in enumerate(candidates)),
        reverse=True,
        key=lambda item: (item[0], -item[1]),
    )
    if not ranked or not ranked[0][0]:
        return None
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < MARGIN:
        return None
    return ranked[0][2]


def _likeness(new: Memory, old: Memory, about: str) -> float:
    """The share of common words, the changed value left out; 0 where what was said to be wrong is not there.

    Where nothing was said to be wrong, only what plainly cannot hold beside the correction is like it.
    """
    value = _words(about)
    mine, theirs = _words(new.content) - value, _words(old.content)
    if not value:
        met = clash(old.content, new.content)
        overlap = float(met is not None and met.strength == "plain")
    elif value <= theirs:
        overlap = len(mine & (theirs - value)) / max(1, min(len(mine), len(theirs - value)))
    else:
        return 0.0
    here = SAME_SESSION if new.session_id and new.session_id == old.session_id else 0.0
    return overlap + here if overlap >= LIKENESS else 0.0


def restated(resolves: Resolution, candidates: Iterable[Found], restate: Restate) -> tuple[Found, Restated] | None:
    """The one memory that a correction without a subject can mean, restated; None where it is none, or several."""
    made = [(each, new) for each in candidates if (new := restate(of(each).content, resolves)) is not None]
    fitting = {of(each).id: (each, new) for each, new in made if _is_other_value(of(each).content, new.text)}
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _is_other_value(old: str, new: str) -> bool:
    met = clash(old, new)
    return met is not None and met.kind == "number"


def retracted(about: str, candidates: Iterable[Found], session_id: str | None) -> list[Found]:
    """The memories that hold every content word of what was taken back; of the same session, if any there do."""
    wanted = _words(about)
    if not wanted:
        return []
    fitting = [each for each in candidates if _holds(of(each).content, wanted)]
    here = [each for each in fitting if session_id and of(each).session_id == session_id]
    found = here or fitting
    return found if len(found) <= MOST_RETRACTED else []


def _holds(text: str, wanted: set[str]) -> bool:
    """Whether a text has all of these words; a sign of an unspaced script may stand within a longer word."""
    missing = wanted - _words(text)
    return all(not word.isascii() and word in text.casefold() for word in missing)


def like(index: Index, namespace: str, text: str, at: datetime) -> Iterator[Served]:
    """Active memories that share words with a text, best first by BM25."""
    with index.reading(namespace) as reader:
        terms = reader.survey(text).terms
        stems = [stem for stem, frequency in {term.stem: term.frequency for term in terms}.items() if frequency]
        if stems:
            hits = reader.lexical(stems, Admission(epoch_ms(at), granted=EVERY_SCOPE), SEARCHED, 0)
            yield from reader.memories(hits.rows)


def of(each: Found) -> Memory:
    """The memory of a subject."""
    return each.memory if isinstance(each, Served) else each


def _words(text: str) -> set[str]:
    return {_folded(word) for word in content_words(text)}


def _folded(word: str) -> str:
    """A word without its plainest endings, so that `retries` meets `retry`."""
    if not word.isascii() or len(word) < 4:
        return word
    for ending, kept in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + kept
    return word
