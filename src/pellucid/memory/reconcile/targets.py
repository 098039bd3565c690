"""A correction or a retraction in, the stored memories it means out: by their words, the same session first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from pellucid.clock import epoch_ms
from pellucid.language.statements.clash import clash
from pellucid.language.words import content_words
from pellucid.model.memory import Memory
from pellucid.model.observation import Resolution
from pellucid.observe.attributes import read_attribution
from pellucid.observe.language import detect_language
from pellucid.observe.substitute import substitute
from pellucid.store.index_port import EVERY_SCOPE, Admission, Index, IndexReader, Served

SEARCHED = 30
LIKENESS = 0.3
"""The least share of common content words between a correction and its target, which contains the old value."""
SAME_SESSION = 0.3
"""Added to the likelihood of a target of the same session."""
MARGIN = 0.1
"""The least difference in likelihood between the best target and the next."""
MOST_RETRACTED = 5
"""A retraction that fits more memories than this says too little to act upon."""

Found = Served | Memory
"""A stored memory, or one that this operation creates."""


@dataclass(frozen=True, slots=True)
class Restated:
    """A sentence with a new value in place of the old one, its entity and attributes."""

    text: str
    entity: str | None
    attributes: dict[str, str]


def corrected(new: Memory, old_value: str, candidates: Iterable[Found]) -> Found | None:
    """Return the one of `candidates` that the correction `new` replaces, the most likely one (see `_likeness`); None if
    none is likely, or if the best is less than .1 ahead of the next.

    `old_value` are the words that the correction replaces, empty if it does not name them.
    """
    ranked = sorted(
        ((_likeness(new, memory_of(each), old_value), at, each) for at, each in enumerate(candidates)),
        reverse=True,
        key=lambda item: (item[0], -item[1]),
    )
    if not ranked or not ranked[0][0]:
        return None
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < MARGIN:
        return None
    return ranked[0][2]


def _likeness(new: Memory, old: Memory, old_value: str) -> float:
    """Return how likely a correction means an old memory: the number of content words in both over that of the shorter
    of the two, and .3 more if both are of one session; 0 if that share is under .3.

    The words of the old value are left out of both; 0 if the memory does not have them. Without an old value the share
    is 1 for a memory that the correction plainly contradicts, else 0.
    """
    value_words = _words(old_value)
    new_words, old_words = _words(new.content) - value_words, _words(old.content)
    if not value_words:
        clashing = clash(old.content, new.content)
        overlap = float(clashing is not None and clashing.strength == "plain")
    elif value_words <= old_words:
        overlap = len(new_words & (old_words - value_words)) / max(1, min(len(new_words), len(old_words - value_words)))
    else:
        return 0.0
    bonus = SAME_SESSION if new.session_id and new.session_id == old.session_id else 0.0
    return overlap + bonus if overlap >= LIKENESS else 0.0


def restated(resolves: Resolution, candidates: Iterable[Found]) -> tuple[Found, Restated] | None:
    """Return the only one of `candidates` that a correction without a subject (`resolves`) can mean, and its
    restatement; else None.

    A memory fits if the correction's value can be put into its sentence, in place of another number.
    """
    fitting: dict[str, tuple[Found, Restated]] = {}
    for each in candidates:
        old = memory_of(each)
        new = _restate(old.content, resolves)
        clashing = clash(old.content, new.text) if new else None
        if new and clashing and clashing.kind == "number":
            fitting[old.id] = each, new
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _restate(sentence: str, resolves: Resolution) -> Restated | None:
    """Replace a value in an earlier sentence by the value of a correction, and return the new sentence with its entity
    and attributes; None if it is unclear which words the correction replaces."""
    language = detect_language(sentence)
    renewed = substitute(sentence, resolves.value, resolves.about, language)
    if renewed is None:
        return None
    attribution = read_attribution(renewed.text, language)
    return Restated(renewed.text, attribution.entity, attribution.attributes)


def retracted(about: str, candidates: Iterable[Found], session_id: str | None) -> list[Found]:
    """Return those of `candidates`, in their order, that contain every content word of `about`, what was taken back:
    those of the session `session_id` if there are any, else all. Empty if there are more than five, or if `about` has
    no such word: it says too little then.
    """
    about_words = _words(about)
    if not about_words:
        return []
    fitting = [each for each in candidates if _has_words(memory_of(each).content, about_words)]
    same_session = [each for each in fitting if session_id and memory_of(each).session_id == session_id]
    nearest = same_session or fitting
    return nearest if len(nearest) <= MOST_RETRACTED else []


def _has_words(text: str, required: set[str]) -> bool:
    """Whether a text has all of these words; a word that is not ASCII can be a part of a longer one."""
    missing = required - _words(text)
    return all(not word.isascii() and word in text.casefold() for word in missing)


def search_by_words(index: Index, namespace: str, text: str, at: datetime) -> Iterator[Served]:
    """Yield the memories of a namespace, of any scope, that are in force at an instant and share words with a text: the
    30 best, the best first.
    """
    with index.reading(namespace) as reader:
        yield from search_hits(reader, text, Admission(epoch_ms(at), granted=EVERY_SCOPE))


def search_hits(reader: IndexReader, text: str, admission: Admission) -> Iterator[Served]:
    """Yield the memories that `admission` admits and that share words with a text: the 30 best by BM25, best first."""
    frequencies = {term.stem: term.frequency for term in reader.survey(text).terms}
    stems = [stem for stem, frequency in frequencies.items() if frequency]
    if stems:
        yield from reader.memories(reader.lexical(stems, admission, SEARCHED, 0).rows)


def memory_of(found: Found) -> Memory:
    """Return the memory itself, without the path and version of its file."""
    return found.memory if isinstance(found, Served) else found


def _words(text: str) -> set[str]:
    """Return the content words of a text, without their plainest endings."""
    return {_without_ending(word) for word in content_words(text)}


def _without_ending(word: str) -> str:
    """Return an ASCII word of four letters or more without the first of the endings `ing`, `ed`, `es`, `s` and `e` that
    leaves three letters; `ies`, tried before these, becomes `y`, so that `retries` meets `retry`. Any other word is
    returned unchanged."""
    if not word.isascii() or len(word) < 4:
        return word
    for ending, replacement in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + replacement
    return word
