"""A correction or a retraction in, the kept memories it means out: by their words, the same session first."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from pellucid.clock import epoch_ms
from pellucid.language.statements.clash import clash
from pellucid.language.words import content_words
from pellucid.model.memory import Memory
from pellucid.model.observation import Resolution
from pellucid.store.index_port import EVERY_SCOPE, Admission, Index, IndexReader, Served

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
"""A kept memory, or one this operation creates."""


@dataclass(frozen=True, slots=True)
class Restated:
    """A sentence with a new value in place of the old one, and what it states."""

    text: str
    entity: str | None
    attributes: dict[str, str]


Restate = Callable[[str, Resolution], Restated | None]
"""Puts the value of a correction into an earlier sentence; None where it does not fit."""


def corrected(new: Memory, about: str, candidates: Iterable[Found]) -> Found | None:
    """The memory that a correction replaces: the one that is most like it; None where none, or no single one, is.

    `about` are the words of the old value, empty if they were not said.
    """
    ranked = sorted(
        ((_likeness(new, memory_of(each), about), at, each) for at, each in enumerate(candidates)),
        reverse=True,
        key=lambda item: (item[0], -item[1]),
    )
    if not ranked or not ranked[0][0]:
        return None
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < MARGIN:
        return None
    return ranked[0][2]


def _likeness(new: Memory, old: Memory, about: str) -> float:
    """How likely a correction means an old memory: the share of their words that is common, and .3 in one session.

    The old value (`about`) is left out; 0 if the memory does not have it. Where it was not said, only a memory that the
    correction plainly contradicts is likely.
    """
    value = _words(about)
    mine, theirs = _words(new.content) - value, _words(old.content)
    if not value:
        found = clash(old.content, new.content)
        overlap = float(found is not None and found.strength == "plain")
    elif value <= theirs:
        overlap = len(mine & (theirs - value)) / max(1, min(len(mine), len(theirs - value)))
    else:
        return 0.0
    here = SAME_SESSION if new.session_id and new.session_id == old.session_id else 0.0
    return overlap + here if overlap >= LIKENESS else 0.0


def restated(resolves: Resolution, candidates: Iterable[Found], restate: Restate) -> tuple[Found, Restated] | None:
    """The one memory that a correction without a subject can mean, and that restated; None where none, or several, fit.

    One fits if the correction's value can be put into its sentence, and is another number than it had.
    """
    fitting: dict[str, tuple[Found, Restated]] = {}
    for each in candidates:
        old = memory_of(each)
        new = restate(old.content, resolves)
        found = clash(old.content, new.text) if new else None
        if new and found and found.kind == "number":
            fitting[old.id] = each, new
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def retracted(about: str, candidates: Iterable[Found], session_id: str | None) -> list[Found]:
    """The memories that have every content word of what was taken back; of the same session, if any there do.

    None where more than five do: that says too little to act upon.
    """
    wanted = _words(about)
    if not wanted:
        return []
    fitting = [each for each in candidates if _has_words(memory_of(each).content, wanted)]
    here = [each for each in fitting if session_id and memory_of(each).session_id == session_id]
    found = here or fitting
    return found if len(found) <= MOST_RETRACTED else []


def _has_words(text: str, wanted: set[str]) -> bool:
    """Whether a text has all of these words; one of an unspaced script may stand within a longer one."""
    missing = wanted - _words(text)
    return all(not word.isascii() and word in text.casefold() for word in missing)


def search_by_words(index: Index, namespace: str, text: str, at: datetime) -> Iterator[Served]:
    """The memories of a namespace in force at an instant that share words with a text: 30 at most, best first."""
    with index.reading(namespace) as reader:
        yield from search_hits(reader, text, Admission(epoch_ms(at), granted=EVERY_SCOPE))


def search_hits(reader: IndexReader, text: str, admission: Admission) -> Iterator[Served]:
    """The admitted memories that share words with a text, by BM25: 30 at most, best first."""
    frequencies = {term.stem: term.frequency for term in reader.survey(text).terms}
    stems = [stem for stem, frequency in frequencies.items() if frequency]
    if stems:
        yield from reader.memories(reader.lexical(stems, admission, SEARCHED, 0).rows)


def memory_of(found: Found) -> Memory:
    """The memory itself, without the path and version it may be served with."""
    return found.memory if isinstance(found, Served) else found


def _words(text: str) -> set[str]:
    """The content words of a text, without their plainest endings."""
    return {_without_ending(word) for word in content_words(text)}


def _without_ending(word: str) -> str:
    """A word without its plainest endings, so that `retries` meets `retry`."""
    if not word.isascii() or len(word) < 4:
        return word
    for ending, kept in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + kept
    return word
